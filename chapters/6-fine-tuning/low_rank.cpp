// # Low-rank adaptation (LoRA): correct a layer with few numbers
//
// ```{rows} sys-lora eq-lora claim-lora-few-percent
// ```
//
// A network has learned to recognise clothes. Then a camera is mounted on its side, and all images lie turned by 90°.
// [Fine-tuning](../training/few_data.cpp) all weights repairs the network, but each camera then needs a full copy of it, and
// its training needs a gradient and two running means for each weight. **LoRA**, low-rank adaptation, freezes the weights
// and trains a small correction beside them. {numref}`fig-low-rank` shows the weights of one hidden unit and their correction.
// Move the slider: how small can the correction be?
//
// ```{opening} fig-low-rank
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/sha256.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/lora.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> shown_unit(
    "unit", 0, "number of the hidden unit whose weights are drawn",
    {.least = 0, .most = 511});
const book::Option<Index> base_steps(
    "steps", 500, "steps of the training of the network in the first figure",
    {.quick = 40, .least = 1, .most = 100'000});
const book::Option<Index> pictures("pictures", 50'000, "number of training images",
                                   {.quick = 1000, .least = 100, .most = 50'000});
const book::Option<Index> judges("judges", 10'000, "number of test images",
                                 {.quick = 500, .least = 100, .most = 10'000});
//-

// ## A correction of rank one
//
// A layer has the weights $W$. Fine-tuning replaces $W$ by $W + \Delta$, and the change $\Delta$ has as many numbers as $W$.
// Suppose that we build the change from one column and one row:
//
// $$ \Delta = \begin{pmatrix} 1 \cr 2 \end{pmatrix} \begin{pmatrix} 3 & 0 & -1 \end{pmatrix}
//    = \begin{pmatrix} 3 & 0 & -1 \cr 6 & 0 & -2 \end{pmatrix} $$
//
// Five numbers make six. That is no great saving, but a layer of 512 units that each read 784 pixels has 401,408
// weights, and a column and a row for them have 1,296 numbers. The price is that all rows of $\Delta$ are multiples of one row:
// its **rank** is 1. With a sum of $R$ such products the rank is at most $R$. Write the columns side by side as a matrix $B$ and
// the rows below each other as a matrix $A$, and the sum is the product $BA$. A layer with $C$ outputs and $D$ inputs then
// computes {cite:p}`hu2022`
//
// ```{equation} eq-low-rank
// :function: recto::nn::Lora
// :test: Lora: the formula, number by number
// X W^\top \;\to\; X (W + B A)^\top, \qquad A \in \mathbb R^{R \times D}, \quad B \in \mathbb R^{C \times R}, \quad R < \min(C, D)
// ```
//
// for inputs $X$, a row for each. $W$ is frozen, and only $A$ and $B$ are trained. The program never builds the matrix $BA$. It sends
// the inputs through $A$ to $R$ numbers and through $B$ back to $C$:
Tensor corrected(const Tensor& x, const nn::Linear& base, const Tensor& a,
                 const Tensor& b) {
    return base(x) + linear(linear(x, a), b);
}

// The library calls such a layer `nn::Lora`. A whole perceptron with a correction for each layer is this:
struct Adapted {
    std::vector<nn::Lora> layers;

    Adapted(const nn::Mlp& base, Index rank, Generator& random) {
        for (const nn::Linear& layer : base.layers)  // the last has only ten outputs
            layers.emplace_back(layer, std::min(rank, layer.weight.size(0)), random);
    }
    Tensor operator()(Tensor x) const {
        for (const nn::Lora& layer : layers)
            x = layer(x, &layer == &layers.back() ? nullptr : relu);
        return x;
    }
    void visit(auto&& part) { part("layers", layers); }
};

// `nn::parameters` lists what requires a gradient, so an optimiser of an adapted network finds $A$ and $B$ and nothing else.
//- images, tasks, and a training
using Task = Tensor (*)(const Tensor& images);  // (n, 1, 28, 28) to the same shape

Tensor upright(const Tensor& x) { return x; }
Tensor turned(const Tensor& x) { return flip(transpose(x), {-2}); }
Tensor turned_back(const Tensor& x) { return flip(transpose(x), {-1}); }
Tensor shifted(const Tensor& x) {  // down by six pixels; what leaves enters above
    return concat({slice(x, -2, 22, 28), slice(x, -2, 0, 22)}, -2);
}

Tensor inputs(const Tensor& images) { return (flatten(images) - 0.286) / 0.353; }

Examples training_images(Index count) {
    return data::slice(data::fashion_mnist(Part::train), 0, count);
}
Examples test_images(Index count) {
    return data::slice(data::fashion_mnist(Part::test), 0, count);
}

// Upright images, and three in a hundred more of each task.
Examples mostly_upright(const Examples& all, Generator& random) {
    std::vector<Index> rows(std::size_t(all.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = Index(i);
    std::vector<Tensor> x = {all.x};
    for (const Task task : {turned, turned_back, shifted}) {
        std::vector<Index> few = random.permutation(all.size());
        few.resize(std::size_t(all.size() * 3 / 100));
        x.push_back(task(data::select(all, few).x));
        rows.insert(rows.end(), few.begin(), few.end());
    }
    return {concat(x), data::select(all, rows).labels, {}, {}};
}

template <class Model>
void train(const Model& net, const Examples& set, Task task, Index steps, double rate,
           Generator& random) {
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    for (Index step = 0; step < steps; ++step) {
        const Integers which = random.integers({128}, 0, set.size());
        const Examples batch = data::select(set, {which.data(), 128});
        adam.zero_grad();
        cross_entropy(net(inputs(task(batch.x))), batch.labels).backward();
        adam.step();
    }
}

double accuracy_of(const auto& net, const Examples& set, Task task) {
    const NoGrad only_asking;
    double right = 0;
    for (const Examples& some : data::Batches(set, 1000))
        right += nn::accuracy(net(inputs(task(some.x))), some.labels) *
                 double(some.size());
    return right / double(set.size());
}

nn::Mlp trained_base(const Examples& set, Index steps, Generator& random) {
    const nn::Mlp net({784, 512, 512, 10}, relu, random, {.weights = nn::he_init});
    train(net, mostly_upright(set, random), upright, steps, 1e-3, random);
    return net;
}
//-

//- the study
const std::vector<Index> ranks = {1, 2, 4, 8, 16};

std::vector<std::string> result_names() {
    std::vector<std::string> names = {"base", "full"};
    for (const Index rank : ranks) names.push_back(fmt::format("rank {}", rank));
    for (const char* of : {"base", "full", "rank 1", "rank 16"})
        names.push_back(fmt::format("{} upright", of));
    return names;
}

Study::Row train_and_judge(const Study::Row& cell) {
    const Examples set = training_images(50'000), test = test_images(10'000);
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Mlp base = trained_base(set, 2500, random), full = nn::clone(base);
    train(full, set, turned, 600, 3e-4, random);
    Study::Row row = {accuracy_of(base, test, turned), accuracy_of(full, test, turned)};
    std::vector<double> kept = {accuracy_of(base, test, upright),
                                accuracy_of(full, test, upright)};
    for (const Index rank : ranks) {
        const Adapted net(base, rank, random);
        train(net, set, turned, 600, 2e-3, random);
        row.push_back(accuracy_of(net, test, turned));
        if (rank == 1 || rank == 16) kept.push_back(accuracy_of(net, test, upright));
    }
    row.insert(row.end(), kept.begin(), kept.end());
    return row;
}

const Study study({"low_rank",
                   {"draw"},
                   result_names(),
                   {"sys-lora/a", "sys-lora/b", "sys-lora/c", "sys-lora/d", "sys-lora/e",
                    "sys-lora/f", "sys-lora/g", "sys-lora/i"},
                   0.02},
                  {{1}, {2}, {3}, {4}, {5}}, train_and_judge);
//-
void page() {}
