// # A step too long, a batch too small
//
// ```{rows} fig-udl-8.1 claim-larger-lr-regularises claim-smaller-batch-regularises fig-udl-9.5 fig-udl-20.11
// ```
//
//- includes, names, options
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/signals.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/binary.hpp>
#include <recto/ops/cross_entropy.hpp>
#include <recto/ops/reduce.hpp>
#include <recto/ops/unary.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::report, book::say;
using book::Measured, book::Study, data::Examples, figure::Figure, nn::Mlp;
//-
struct Signals {
    Examples train, test;
};
Signals signals_of(Generator& random) {
    Examples train = data::signals(2000, random), test = data::signals(4000, random);
    return {train, test};
}

Mlp network(Generator& random) {
    return {{data::signal_length, 100, 100, data::signal_classes},
            relu,
            random,
            {.weights = nn::he_init}};
}

double error_of(const Mlp& model, const Examples& set) {
    const NoGrad only_looking;
    const std::vector<Index> said = argmax(model(set.x)).values(),
                             truth = set.labels.values();
    double wrong = 0;
    for (std::size_t i = 0; i < said.size(); ++i) wrong += said[i] != truth[i];
    return wrong / double(said.size());
}

Examples batch_of(const Examples& set, Index size, Generator& random) {
    if (size >= set.size()) return set;
    std::vector<Index> which;
    for (Index i = 0; i < size; ++i)
        which.push_back(random.next_integer(0, set.size()));
    return data::select(set, which);
}

void descend(const Mlp& model, const Examples& train, double rate, Index batch,
             Index steps, Generator& random) {
    optim::Sgd sgd(nn::parameters(model), {.rate = rate});
    for (Index step = 0; step < steps; ++step) {
        const Examples some = batch_of(train, batch, random);
        sgd.zero_grad();
        cross_entropy(model(some.x), some.labels).backward();
        sgd.step();
    }
}

// gradient
std::vector<double> gradient_of(const Mlp& model, const Examples& set) {
    for (const NamedTensor& p : nn::parameters(model)) p.tensor.zero_grad();
    cross_entropy(model(set.x), set.labels).backward();
    std::vector<double> all;
    for (const NamedTensor& p : nn::parameters(model))
        for (const Real g : p.tensor.grad().values()) all.push_back(double(g));
    return all;
}
double squared_length(const std::vector<double>& g) {
    double sum = 0;
    for (const double one : g) sum += one * one;
    return sum;
}
double deviation(const Mlp& model, const Examples& set, Index size, Index batches,
                 Generator& random) {
    const std::vector<double> whole = gradient_of(model, set);
    double sum = 0;
    for (Index i = 0; i < batches; ++i) {
        std::vector<double> g = gradient_of(model, batch_of(set, size, random));
        for (std::size_t k = 0; k < g.size(); ++k) g[k] -= whole[k];
        sum += squared_length(g);
    }
    return sum / double(batches);
}

constexpr Index tens = 10;

// slices
const std::vector<double> places = {-0.5, -0.4, -0.3, -0.2, -0.1, 0,
                                    0.1,  0.2,  0.3,  0.4,  0.5};
std::vector<double> slice_of(const Mlp& model, const Examples& set, Generator& random) {
    const NoGrad only_looking;
    constexpr int directions = 16;
    std::vector<double> losses(places.size());
    for (int i = 0; i < directions; ++i) {
        Mlp moved = model;
        std::vector<Tensor> along;
        for (const nn::Linear& layer : model.layers) {
            const Tensor d = random.normal(layer.weight.shape());
            along.push_back(d * sqrt(sum(square(layer.weight), {1}, Keep::yes) /
                                     sum(square(d), {1}, Keep::yes)));
        }
        for (std::size_t k = 0; k < places.size(); ++k) {
            for (std::size_t l = 0; l < along.size(); ++l)
                moved.layers[l].weight = model.layers[l].weight + along[l] * places[k];
            losses[k] +=
                double(cross_entropy(moved(set.x), set.labels).item()) / directions;
        }
    }
    return losses;
}

constexpr double distance = 600;
Index steps_of(double rate) { return Index(std::lround(distance / rate)); }

Study::Row train(const Study::Row& setting) {
    const double rate = setting[0];
    const auto batch = Index(setting[1]);
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Signals set = signals_of(random);
    const Mlp model = network(random);
    descend(model, set.train, rate, batch, steps_of(rate), random);
    Study::Row found = {error_of(model, set.train), error_of(model, set.test),
                        std::sqrt(squared_length(gradient_of(model, set.train))),
                        std::sqrt(deviation(model, set.train, tens, 200, random))};
    for (const double loss : slice_of(model, set.train, random)) found.push_back(loss);
    return found;
}

const std::vector<double> rates = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5},
                          batches = {20, 50, 100, 200, 500, 2000};
constexpr double middle_rate = 0.1, middle_batch = 100, all_of_them = 2000;
constexpr int draws = 10;
std::vector<Study::Row> cells() {
    std::vector<std::array<double, 2>> settings = {{middle_rate, all_of_them},
                                                   {0.5, all_of_them}};
    for (const double rate : rates) settings.push_back({rate, middle_batch});
    for (const double batch : batches)
        if (batch != middle_batch && batch != all_of_them)
            settings.push_back({middle_rate, batch});
    std::vector<Study::Row> all;
    for (const auto& [rate, batch] : settings)
        for (double draw = 1; draw <= draws; ++draw) all.push_back({rate, batch, draw});
    return all;
}
std::vector<std::string> results() {
    std::vector<std::string> names = {"training error", "test error", "gradient",
                                      "deviation in tens"};
    for (const double place : places) names.push_back(fmt::format("loss at {}", place));
    return names;
}
const Study study({"step_and_batch", {"rate", "batch", "draw"}, results(), 0.3},
                  cells(), train);

void page() {}
