// # Task arithmetic: add what fine-tunings have learned
//
// ```{rows} eq-task-vectors sys-task-arithmetic claim-task-negation sys-interference-reduction
// ```
//
// @@OPENING@@
//
// ```{opening} fig-task-scale
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/merge.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::not_reproduced,
    book::over_seeds, book::say;
using book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> base_steps(
    "steps", 400, "steps of the training of the small networks of this page",
    {.quick = 40, .least = 1, .most = 100'000});
const book::Option<Index> pictures("pictures", 50'000, "number of training images",
                                   {.quick = 1000, .least = 100, .most = 50'000});
//-

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
        right +=
            nn::accuracy(net(inputs(task(some.x))), some.labels) * double(some.size());
    return right / double(set.size());
}

nn::Mlp trained_base(const Examples& set, Index steps, Generator& random) {
    const nn::Mlp net({784, 512, 512, 10}, relu, random, {.weights = nn::he_init});
    train(net, mostly_upright(set, random), upright, steps, 1e-3, random);
    return net;
}

Examples validation_images(Index count) {
    return data::slice(data::fashion_mnist(Part::train), 50'000, 50'000 + count);
}

struct Named {
    const char* name;
    Task task;
};
const std::vector<Named> tasks = {
    {"turned", turned}, {"back", turned_back}, {"shifted", shifted}};
//-

//- networks from parameters
nn::Mlp with(const nn::Mlp& net, const NamedTensors& parameters) {
    const nn::Mlp copy = nn::clone(net);
    nn::assign(nn::state(copy), parameters);
    return copy;
}
// The sum of the first residuals.
NamedTensors sum_of(const std::vector<NamedTensors>& residuals) {
    NamedTensors sum = residuals[0];
    for (std::size_t t = 1; t < residuals.size(); ++t)
        sum = nn::plus(sum, residuals[t]);
    return sum;
}
double mean_accuracy(const nn::Mlp& net, const Examples& set, std::size_t count) {
    double sum = 0;
    for (std::size_t t = 0; t < count; ++t)
        sum += accuracy_of(net, set, tasks[t].task);
    return sum / double(count);
}
//-

//- the study
const std::vector<double> scales = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
const std::vector<double> four_scales = {0.3, 0.5, 0.7, 1.0};
const std::vector<double> negative_scales = {0.25, 0.5, 0.75, 1.0};

enum class Method { sum, ties, dare };
const std::vector<std::pair<const char*, Method>> methods = {
    {"sum", Method::sum}, {"ties", Method::ties}, {"dare", Method::dare}};

// One residual from the first `count`. Half of the numbers are trimmed or dropped.
NamedTensors merged(const std::vector<NamedTensors>& residuals, std::size_t count,
                    Method method, Generator& random) {
    std::vector<NamedTensors> some(residuals.begin(), residuals.begin() + long(count));
    if (method == Method::ties) return nn::ties(some, 0.5);
    if (method == Method::dare)
        for (NamedTensors& one : some) one = nn::dare(one, 0.5, random);
    return sum_of(some);
}
// Scales among which each method may choose; the result of TIES is a mean, not a sum.
std::vector<double> candidates(std::size_t count, Method method) {
    std::vector<double> found;
    for (const double scale : {0.2, 0.3, 0.4, 0.5, 0.7, 1.0})
        found.push_back(method == Method::ties ? scale * double(count) : scale);
    return found;
}

// The scale with the best mean accuracy on validation images.
double best_scale(const nn::Mlp& net, const NamedTensors& base,
                  const NamedTensors& residual, const std::vector<double>& among,
                  std::size_t count, const Examples& validation) {
    double best = 0, most = -1;
    for (const double scale : among) {
        const double found = mean_accuracy(
            with(net, nn::plus(base, residual, scale)), validation, count);
        if (found > most) most = found, best = scale;
    }
    return best;
}

std::vector<std::string> result_names() {
    std::vector<std::string> names = {"base upright"};
    for (const Named& task : tasks) names.push_back(fmt::format("base {}", task.name));
    for (const Named& task : tasks) names.push_back(fmt::format("tuned {}", task.name));
    for (const double scale : scales) {
        names.push_back(fmt::format("{} upright", scale));
        for (const Named& task : tasks)
            names.push_back(fmt::format("{} {}", scale, task.name));
    }
    names.insert(names.end(), {"two turned", "two shifted", "chosen"});
    for (const double scale : negative_scales) {
        names.push_back(fmt::format("minus {} upright", scale));
        names.push_back(fmt::format("minus {} turned", scale));
    }
    for (std::size_t count = 1; count <= tasks.size(); ++count)
        for (const auto& [name, method] : methods) {
            names.push_back(fmt::format("{} {} scale", name, count));
            names.push_back(fmt::format("{} {} mean", name, count));
        }
    return names;
}

Study::Row train_and_merge(const Study::Row& cell) {
    const Examples set = training_images(50'000), test = test_images(10'000),
                   validation = validation_images(1000);
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Mlp net = trained_base(set, 2500, random);
    const NamedTensors base = nn::state(nn::clone(net));
    Study::Row row = {accuracy_of(net, test, upright)}, own;
    std::vector<NamedTensors> residuals;
    for (const Named& one : tasks) {
        row.push_back(accuracy_of(net, test, one.task));
        const nn::Mlp tuned = nn::clone(net);
        train(tuned, set, one.task, 600, 3e-4, random);
        own.push_back(accuracy_of(tuned, test, one.task));
        residuals.push_back(nn::difference(nn::state(tuned), base));
    }
    row.insert(row.end(), own.begin(), own.end());
    const NamedTensors all = sum_of(residuals);
    for (const double scale : scales) {
        const nn::Mlp merged = with(net, nn::plus(base, all, scale));
        const bool claimed = scale == 0.3 || scale == 1;
        const Examples& some = claimed ? test : data::slice(test, 0, 2000);
        row.push_back(accuracy_of(merged, some, upright));
        for (const Named& one : tasks)
            row.push_back(accuracy_of(merged, some, one.task));
    }
    const nn::Mlp two =
        with(net, nn::plus(base, nn::plus(residuals[0], residuals[2]), 0.5));
    row.push_back(accuracy_of(two, test, turned));
    row.push_back(accuracy_of(two, test, shifted));
    row.push_back(best_scale(net, base, all, four_scales, tasks.size(), validation));
    for (const double scale : negative_scales) {
        const nn::Mlp less = with(net, nn::plus(base, residuals[0], -scale));
        const Examples& some = scale == 1 ? test : data::slice(test, 0, 2000);
        row.push_back(accuracy_of(less, some, upright));
        row.push_back(accuracy_of(less, some, turned));
    }
    for (std::size_t count = 1; count <= tasks.size(); ++count)
        for (const auto& [name, method] : methods) {
            const NamedTensors residual = merged(residuals, count, method, random);
            const double scale = best_scale(
                net, base, residual, candidates(count, method), count, validation);
            row.push_back(scale);
            row.push_back(
                mean_accuracy(with(net, nn::plus(base, residual, scale)), test, count));
        }
    return row;
}

const Study study(
    {"merging",
     {"draw"},
     result_names(),
     {"sys-task-arithmetic/a", "sys-task-arithmetic/b", "sys-task-arithmetic/c",
      "sys-task-arithmetic/d", "sys-task-arithmetic/e", "sys-task-arithmetic/g",
      "sys-task-arithmetic/h", "claim-task-negation/a", "claim-task-negation/b",
      "sys-interference-reduction/c", "sys-interference-reduction/d"},
     0.03},
    {{1}, {2}, {3}, {4}, {5}}, train_and_merge);
//-
void page() {
}
