// # Choosing an activation function: by experiment
//
// ```{rows} claim-relu-converges-faster claim-activation-choice-empirical
// ```
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/schedule.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::say, book::Study;
using data::Batches, data::Examples;
using figure::Figure;

Tensor leaky(const Tensor& x) { return leaky_relu(x); }
Tensor elu_1(const Tensor& x) { return elu(x); }
Tensor wide_init(const Shape& shape, Generator& random, Device device) {
    return 4. * nn::glorot_init(shape, random, device);
}
struct Kind {
    const char* name;
    Activation f;
    nn::Init weights;
};

//- one training of the convolutional network
const std::vector<Kind> racers = {{"ReLU", relu, nn::he_init},
                                  {"tanh", tanh, nn::glorot_init},
                                  {"sigmoid", sigmoid, nn::glorot_init},
                                  {"sigmoid, wide weights", sigmoid, wide_init}};
const std::vector<double> racing_rates = {0.01, 0.03, 0.1, 0.3, 1};

Examples standard(Examples set) {
    set.x = (set.x - 0.286) / 0.353;
    return set;
}

struct Convnet {
    nn::Conv2d first, second;
    nn::Linear third, fourth;
    Activation f;

    Convnet(const Kind& kind, Generator& random)
        : first(1, 8, 5, random, {.stride = 2, .weights = kind.weights}),
          second(8, 16, 5, random, {.stride = 2, .weights = kind.weights}),
          third(256, 64, random, {.weights = kind.weights}),
          fourth(64, 10, random, {.weights = kind.weights}),
          f(kind.f) {}
    Tensor operator()(const Tensor& x) const {
        return fourth(third(flatten(f(second(f(first(x))))), f));
    }
    void visit(auto&& part) {
        part("first", first), part("second", second);
        part("third", third), part("fourth", fourth);
    }
};

// One training of 300 steps, or of 160 if 25 % error is reached by then.
constexpr Index draws = 5, last_step = 300, least_steps = 160, kept_every = 20;
struct Course {
    double steps = last_step + 10;  // until 25 % error; this if it is not reached
    std::vector<double> errors;     // every 20 steps
};
Course race(const Kind& kind, double rate, const Examples& train, Index draw) {
    Generator random(std::uint64_t(draw) + 1000 * book::seed());
    const Examples watched = data::slice(train, 0, 1000);
    const Convnet net(kind, random);
    optim::Sgd sgd(nn::parameters(net), {.lr = rate, .momentum = 0.9});
    data::Passes passes(train, 100, random);
    Course course;
    for (Index step = 1;
         step <= last_step && (step <= least_steps || course.steps > last_step);
         ++step) {
        const Examples batch = passes.next();
        sgd.zero_grad();
        cross_entropy(net(batch.x), batch.labels).backward();
        sgd.step();
        if (step % (step <= 60 ? 5 : 10) > 0) continue;
        const NoGrad only_asking;
        const double error = nn::error_rate(net(watched.x), watched.labels);
        if (error <= 0.25) course.steps = std::min(course.steps, double(step));
        if (step % kept_every == 0) course.errors.push_back(error);
    }
    return course;
}

Examples ten_thousand() {
    return standard(data::slice(data::fashion_mnist(data::Part::train), 0, 10'000));
}
// The steps of five draws, and the errors up to step 160, their medians over the draws.
Study::Row all_races(const Study::Row& setting) {
    const Examples train = ten_thousand();
    Study::Row row;
    std::vector<std::vector<double>> errors(least_steps / kept_every);
    for (Index draw = 1; draw <= draws; ++draw) {
        const Course one =
            race(racers[std::size_t(setting[0])], setting[1], train, draw);
        row.push_back(one.steps);
        for (std::size_t i = 0; i < errors.size(); ++i)
            errors[i].push_back(one.errors[i]);
    }
    for (const std::vector<double>& of : errors) row.push_back(book::median(of));
    return row;
}

std::vector<Study::Row> race_cells() {
    std::vector<Study::Row> all;
    for (double kind = 0; kind < double(racers.size()); ++kind)
        for (const double rate : racing_rates) all.push_back({kind, rate});
    return all;
}
std::vector<std::string> race_results() {
    std::vector<std::string> names;
    for (Index draw = 1; draw <= draws; ++draw)
        names.push_back(fmt::format("steps {}", draw));
    for (Index step = kept_every; step <= least_steps; step += kept_every)
        names.push_back(fmt::format("error {}", step));
    return names;
}
const Study races({"activation_race",
                   {"kind", "rate"},
                   race_results(),
                   {"claim-relu-converges-faster/a", "claim-relu-converges-faster/b",
                    "claim-relu-converges-faster/c"},
                   0.1},
                  race_cells(), all_races);
//-

//- one training of the fully connected network
const std::vector<Kind> eight = {
    {"ReLU", relu, nn::he_init},     {"leaky ReLU", leaky, nn::he_init},
    {"GELU", gelu, nn::he_init},     {"SiLU", silu, nn::he_init},
    {"ELU", elu_1, nn::he_init},     {"SELU", selu, nn::lecun_init},
    {"tanh", tanh, nn::glorot_init}, {"sigmoid", sigmoid, nn::glorot_init}};
const std::vector<double> rates = {0.0005, 0.002, 0.008};

double accuracy_on(const nn::Mlp& net, const Examples& set) {
    const NoGrad only_asking;
    return nn::accuracy(net(set.x), set.labels);
}
// The accuracies on validation and on test images, of five draws each.
Study::Row accuracy(const Study::Row& setting) {
    const Examples train = data::flat(ten_thousand()),
                   validation = data::flat(standard(data::slice(
                       data::fashion_mnist(data::Part::train), 10'000, 15'000))),
                   test = data::flat(standard(data::fashion_mnist(data::Part::test)));
    const Kind& kind = eight[std::size_t(setting[0])];
    Study::Row row;
    for (Index draw = 1; draw <= draws; ++draw) {
        Generator random(std::uint64_t(draw) + 1000 * book::seed());
        const nn::Mlp net({784, 100, 100, 10}, kind.f, random,
                          {.weights = kind.weights});
        optim::Adam adam(nn::parameters(net), {.lr = setting[1]});
        data::Passes passes(train, 100, random);
        const Index steps = 5 * passes.count();
        for (Index step = 0; step < steps; ++step) {
            const Examples batch = passes.next();
            adam.options.lr = optim::cosine(step, steps, setting[1]);
            adam.zero_grad();
            cross_entropy(net(batch.x), batch.labels).backward();
            adam.step();
        }
        row.push_back(accuracy_on(net, validation)),
            row.push_back(accuracy_on(net, test));
    }
    return row;
}
std::vector<std::string> accuracy_results() {
    std::vector<std::string> names;
    for (Index draw = 1; draw <= draws; ++draw)
        for (const char* on : {"validation", "test"})
            names.push_back(fmt::format("{} {}", on, draw));
    return names;
}
std::vector<Study::Row> accuracy_cells() {
    std::vector<Study::Row> all;
    for (double kind = 0; kind < double(eight.size()); ++kind)
        for (const double rate : rates) all.push_back({kind, rate});
    return all;
}
const Study accuracies({"activation_choice",
                        {"kind", "rate"},
                        accuracy_results(),
                        {"claim-activation-choice-empirical/a",
                         "claim-activation-choice-empirical/b"},
                        0.005},
                       accuracy_cells(), accuracy);
//-

void page() {
    races.frozen();
    accuracies.frozen();
}
