// # Five hundred layers: trainable, and no better
//
// ```{rows} claim-depth-saturates
// ```
//
// [Orthogonal weights](orthogonal_initialisation.cpp) carry a signal and its gradient through any number of layers. So a plain
// network without skip connections and without normalisation should train at any depth. It does. {numref}`fig-depth-accuracy`
// shows tanh networks with 10 to 500 layers of 32 units. With orthogonal weights 500 layers learn, where weights drawn from a
// normal distribution of the same variance fail. But is the deepest network the best one? Look at the test accuracy.
//
// ```{opening} fig-depth-accuracy
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<double> layer("layer", 100,
                                 "the layer whose singular values are shown",
                                 {.least = 1.0, .most = 500.0});
//-

// ## A plain tanh network
//
// The network is as simple as a deep network can be. The two kinds differ in one word:
struct TanhNet {
    std::vector<nn::Linear> layers;
    nn::Linear leave;

    TanhNet(Index depth, bool orthogonal, Generator& random)
        : leave(32, 10, random, {.weights = nn::lecun_init}) {
        const nn::Init init =
            orthogonal ? nn::Init(nn::orthogonal_init) : nn::Init(nn::lecun_init);
        for (Index d = 1; d <= depth; ++d)
            layers.emplace_back(d == 1 ? 784 : 32, 32, random,
                                nn::LinearOptions{.weights = init});
    }
    Tensor operator()(const Tensor& x) const {
        Tensor h = x;
        for (const nn::Linear& layer : layers) h = tanh(layer(h));
        return leave(h);
    }
    //- the names of its parts
    void visit(auto&& part) { part("layers", layers), part("leave", leave); }
    //-
};

//- training, and what is read from the study
Examples standard(const Examples& all) {  // over all pixels
    Examples found = data::flat(all);
    found.x = (found.x - 0.286) / 0.353;
    return found;
}

Study::Row train(const Study::Row& setting, Index steps = 900) {
    Generator random(std::uint64_t(setting[3]) + 1000 * book::seed());
    const Examples lessons =
                       standard(data::slice(data::fashion_mnist(Part::train), 0, 5000)),
                   test =
                       standard(data::slice(data::fashion_mnist(Part::test), 0, 4000));
    const TanhNet net(Index(setting[1]), setting[0] == 1, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[2]});
    for (Index step = 0; step < steps;)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            if (step == steps) break;
            adam.options.lr = setting[2] * (1 - double(step++) / double(steps));
            adam.zero_grad();
            cross_entropy(net(batch.x), batch.labels).backward();
            adam.step();
        }
    const NoGrad only_looking;
    return {nn::accuracy(net(lessons.x), lessons.labels),
            nn::accuracy(net(test.x), test.labels)};
}
// The seed 1 tries all rates; the other seeds of the deepest networks take the rate that is best for orthogonal weights.
const double largest = 500, deep_rate = 1e-4;
const std::vector<double> depths = {10, 30, 100, 500};
std::vector<double> rates(double depth) {
    if (depth == largest) return {3e-5, 1e-4, 3e-4};
    return {3e-4, 1e-3, 3e-3};
}
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double orthogonal : {1, 0})
        for (double seed = 1; seed <= 3; ++seed)
            for (const double rate : rates(largest))
                if (seed == 1 || rate == deep_rate)
                    all.push_back({orthogonal, largest, rate, seed});
    for (const double depth : {100, 30, 10})
        for (const double rate : rates(depth))
            for (double seed = 1; seed <= 3; ++seed)
                all.push_back({1, depth, rate, seed});
    return all;
}
const Study study({"depth_saturates",
                   {"orthogonal", "depth", "rate", "seed"},
                   {"train", "test"},
                   {"claim-depth-saturates/b", "claim-depth-saturates/c",
                    "claim-depth-saturates/d"},
                   0.02},
                  cells(), [](const Study::Row& setting) { return train(setting); });

// The trainings of seed 1, 2 and 3, each at the rate whose training accuracy is best for seed 1.
std::vector<Study::Row> best_of(bool orthogonal, double depth) {
    double best = 0, most = -1;
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == double(orthogonal) && row[1] == depth && row[3] == 1 &&
            row[4] > most)
            most = row[4], best = row[2];
    std::vector<Study::Row> found;
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == double(orthogonal) && row[1] == depth && row[2] == best)
            found.push_back(row);
    return found;
}
//-

void page() {}
