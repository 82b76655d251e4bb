#include <recto/optim/fit.hpp>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <recto/io/atomic_file.hpp>
#include <recto/io/csv.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/sgd.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// Three classes that overlap, so that the best weights of softmax regression are finite; the loss is convex, and
/// strictly so with the last class's scores fixed at 0.
struct Problem {
    Tensor x;
    Integers labels;
    explicit Problem(Device device) {
        Generator random(1);
        labels = random.integers({120}, 0, 2, device);
        std::vector<Real> places = random.normal({120, 2}).values();
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] += Real(i % 2 ? 0.5 : 1) * Real(labels.values()[i / 2]);
        x = Tensor({120, 2}, places, device);
    }
    /// Two classes need only one score; the other is a constant 0.
    Tensor loss(const Tensor& w) const {
        const Tensor pick({2, 1}, {1, 0}, x.device());
        return cross_entropy(linear(linear(x, w), pick), labels);
    }
};

template <class Optimiser, class Options>
std::vector<double> solve(const Problem& problem, Options options) {
    Tensor w = zeros({1, 2}, problem.x.device());
    w.requires_grad_();
    Optimiser optimiser({{"w", w}}, options);
    const double tolerance = sizeof(Real) == 8 ? 1e-7 : 1e-6;
    const optim::Fitted done =
        optim::fit(optimiser, [&] { return problem.loss(w); }, {.steps = 5000, .tolerance = tolerance});
    CAPTURE(done.steps, done.loss);
    CHECK(done.converged);
    return doubles(w);
}
}  // namespace

TEST_CASE("fit: three optimisers, one minimum", "[optim][devices][row:eq-training-argmin/a][row:sys-training-loop/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Problem problem(device);
    const auto descent = solve<optim::Sgd>(problem, optim::SgdOptions{.lr = 1});
    const auto momentum = solve<optim::Sgd>(problem, optim::SgdOptions{.lr = 0.3, .momentum = 0.8});
    const auto adam = solve<optim::Adam>(problem, optim::AdamOptions{.lr = 0.02});
    for (std::size_t i = 0; i < descent.size(); ++i) {
        CHECK(std::abs(descent[i]) > 0.1);  // not the initial values
        CHECK(std::abs(descent[i] - momentum[i]) <= 1e-4);
        CHECK(std::abs(descent[i] - adam[i]) <= 1e-4);
    }
}

TEST_CASE("fit: options and callback on all data", "[optim]") {
    Tensor w = full({1, 1}, 4);
    w.requires_grad_();
    const auto loss = [&] { return mse_loss(linear(ones({1, 1}), w), zeros({1, 1})); };  // w^2, derivative 2 w
    optim::Sgd sgd({{"w", w}}, {.lr = 0.25});
    std::vector<double> losses;
    optim::Fitted done = optim::fit(sgd, loss, {.steps = 3}, [&](const optim::Progress& now) {
        losses.push_back(now.loss);
        CHECK(now.step == Index(losses.size()));
        CHECK(now.epoch_ends);
    });
    CHECK(losses == std::vector<double>{16, 4, 1});
    CHECK(done.steps == 3);
    CHECK(done.loss == 1);
    CHECK_FALSE(done.converged);
    CHECK(w.item() == 0.5);

    done = optim::fit(sgd, loss, {.steps = 2, .lr = [](Index step) { return step == 0 ? 0.0 : 0.5; }});
    CHECK(w.item() == 0);  // a step of rate 0, then one that reaches the minimum
    done = optim::fit(sgd, loss, {.steps = 5, .tolerance = 1e-9});
    CHECK(done.converged);
    CHECK(done.steps == 0);
    w.copy_(full({1, 1}, Real(0.25)));
    done = optim::fit(sgd, loss, {.steps = 5, .tolerance = 0.5});  // a gradient of 0.5 is within the tolerance
    CHECK(done.converged);
    CHECK(w.item() == 0.25);
    done = optim::fit(sgd, loss, {.steps = 0});
    CHECK(done.steps == 0);
    CHECK(w.item() == 0.25);
    CHECK_THROWS_WITH(optim::fit(sgd, loss, {.steps = 2, .lr = [](Index) { return double(not_a_number); }}),
                      "Sgd: wanted a learning rate of at least 0 and finite, got nan");
    CHECK(w.item() == 0.25);
    CHECK_THROWS_WITH(optim::fit(sgd, loss, {.steps = -1}), "fit: wanted a number of steps of at least 0, got -1");
}

TEST_CASE("fit: a callback logs the losses as CSV", "[optim][row:sys-training-loop/e]") {
    const Problem problem(Device::cpu);
    const Tensor w = zeros({1, 2}).requires_grad_();
    optim::Sgd sgd({{"w", w}}, {.lr = 0.3});
    io::Csv log{{}, {"step", "loss"}, {}};
    std::vector<double> losses;
    optim::fit(
        sgd, [&] { return problem.loss(w); }, {.steps = 20},
        [&](const optim::Progress& now) {
            log.rows.push_back({double(now.step), now.loss});
            losses.push_back(now.loss);
        });
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("recto-losses-{}.csv", ::getpid())).string();
    io::write_file(path, log.text());
    const io::Csv found = io::read_csv(path);
    std::filesystem::remove(path);
    REQUIRE(losses.size() == 20);
    CHECK(found.column("loss") == losses);
    CHECK(found.column("step").back() == 20);
    CHECK(losses.back() < losses.front());
}

TEST_CASE("fit: epochs of batches", "[optim]") {
    Tensor w = zeros({1, 1});
    w.requires_grad_();
    optim::Sgd sgd({{"w", w}}, {.lr = 0});
    const std::vector<double> batches = {1, 2, 3};  // a batch is anything that the loss accepts
    std::vector<std::pair<Index, Index>> seen;
    std::vector<double> ends;
    const auto loss = [&](double y) { return mse_loss(linear(ones({1, 1}), w), full({1, 1}, Real(y))); };
    const optim::Fitted done = optim::fit(sgd, batches, loss, {.epochs = 2}, [&](const optim::Progress& now) {
        seen.emplace_back(now.epoch, now.step);
        if (now.epoch_ends) ends.push_back(now.epoch_loss);
    });
    CHECK(seen == std::vector<std::pair<Index, Index>>{{1, 1}, {1, 2}, {1, 3}, {2, 4}, {2, 5}, {2, 6}});
    CHECK(ends.size() == 2);
    CHECK(std::abs(done.loss - 14.0 / 3) < 1e-6);
    CHECK(done.steps == 6);

    // Without a callback, the losses of a long epoch are read in between, so that not all are kept.
    reset_memory_peak();
    const std::size_t before = memory_use().now;
    const std::vector<double> many(3000, 2);
    const optim::Fitted alone = optim::fit(sgd, many, loss, {.epochs = 1});
    CHECK(std::abs(alone.loss - 4) < 1e-6);
    CHECK(memory_use().peak - before < 300 * 64);

    int made = 0;  // or a function that returns the batches of an epoch
    const auto make = [&] { return std::vector<double>{double(++made)}; };
    CHECK(std::abs(optim::fit(sgd, make, loss, {.epochs = 3}).loss - 9) < 1e-6);
    CHECK(made == 3);
    CHECK_THROWS_WITH(optim::fit(sgd, std::vector<double>{}, loss, {.epochs = 1}),
                      "fit: wanted at least one batch, got none");
}

TEST_CASE("fit: an epoch on all data is a step", "[optim]") {
    Tensor w = ones({1, 1}).requires_grad_();
    const auto loss = [&] { return mse_loss(linear(ones({1, 1}), w), zeros({1, 1})); };
    optim::Sgd sgd({{"w", w}}, {.lr = 0});
    CHECK(optim::fit(sgd, loss, {.epochs = 2}).steps == 2);
    CHECK(optim::fit(sgd, loss, {.epochs = 1500}).steps == 1500);
    CHECK(optim::fit(sgd, loss, {.steps = 3, .epochs = 2}).steps == 2);
    CHECK(optim::fit(sgd, loss, {.steps = 2, .epochs = 3}).steps == 2);
    CHECK(optim::fit(sgd, loss, {}).steps == 1000);
    CHECK_THROWS_WITH(optim::fit(sgd, loss, {.epochs = -1}), "fit: wanted a number of epochs of at least 0, got -1");
    CHECK_THROWS_WITH(optim::fit(sgd, loss, {.tolerance = not_a_number}),
                      "fit: wanted a tolerance of at least 0, got nan");
    CHECK_THROWS_WITH(optim::fit(sgd,
                                 [&] {
                                     return linear(ones({2, 1}), w);
                                 },
                                 {}),
                      "fit: wanted a loss of a single number, got shape (2, 1)");
}

TEST_CASE("fit: steps on batches, and no tolerance", "[optim]") {
    Tensor w = zeros({1, 1}).requires_grad_();
    optim::Sgd sgd({{"w", w}}, {.lr = 0});
    const std::vector<double> batches = {1, 2, 3};
    const auto loss = [&](double y) { return mse_loss(linear(ones({1, 1}), w), full({1, 1}, Real(y))); };
    std::vector<Index> epochs, ends;
    const auto note = [&](const optim::Progress& now) {
        epochs.push_back(now.epoch);
        if (now.epoch_ends) ends.push_back(now.step);
    };
    const optim::Fitted done = optim::fit(sgd, batches, loss, {.steps = 5}, note);
    CHECK(done.steps == 5);
    CHECK(epochs == std::vector<Index>{1, 1, 1, 2, 2});
    CHECK(ends == std::vector<Index>{3, 5});
    CHECK(std::abs(done.loss - 2.5) < 1e-6);  // the mean of the incomplete epoch
    CHECK(optim::fit(sgd, batches, loss, {.steps = 6}).steps == 6);
    CHECK(optim::fit(sgd, batches, loss, {.steps = 7, .epochs = 1}).steps == 3);
    CHECK(optim::fit(sgd, batches, loss, {.steps = 0}).steps == 0);
    CHECK(optim::fit(sgd, batches, loss, {}).steps == 3);
    CHECK_THROWS_WITH(optim::fit(sgd, batches, loss, {.tolerance = 0.1}),
                      "fit: wanted no tolerance where every step sees one batch, got 0.1");
}

TEST_CASE("fit: a loss that is NaN ends it", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Tensor w = ones({1, 1}, device).requires_grad_();
    optim::Sgd sgd({{"w", w}}, {.lr = 0});
    const auto loss = [&](Real y) { return mse_loss(linear(ones({1, 1}, device), w), full({1, 1}, y, device)); };
    int made = 0;
    const auto third = [&] { return loss(++made == 3 ? not_a_number : 2); };
    CHECK_THROWS_WITH(optim::fit(sgd, third, {.steps = 1000}),
                      "fit: wanted a loss that is a number, got NaN at step 3; at step 2 it was 1");
    CHECK(made <= 256);
    CHECK(is_nan(w.item()) == (device != Device::cpu));  // cpu throws before it makes the step
    w.copy_(ones({1, 1}, device));
    CHECK_THROWS_WITH(optim::fit(sgd, std::vector<Real>{not_a_number}, loss, {.epochs = 1000}),
                      "fit: wanted a loss that is a number, got NaN at step 1");
    w.copy_(ones({1, 1}, device));
    CHECK_THROWS_WITH(optim::fit(sgd, std::vector<Real>{3, 3, 3, not_a_number}, loss, {}, [](const auto&) {}),
                      "fit: wanted a loss that is a number, got NaN at step 4; at step 3 it was 4");
}

TEST_CASE("fit: a schedule leaves the optimiser its own rate", "[optim]") {
    Tensor w = zeros({1, 1}).requires_grad_();
    optim::Sgd sgd({{"w", w}}, {.lr = 0.25});
    const auto loss = [&] { return mse_loss(linear(ones({1, 1}), w), zeros({1, 1})); };
    const auto rate = [](Index step) { return step == 7 ? -1 : 0.1 / double(step + 1); };
    optim::fit(sgd, loss, {.steps = 3, .lr = rate});
    CHECK(sgd.options.lr == 0.25);
    CHECK_THROWS(optim::fit(sgd, loss, {.steps = 10, .lr = rate}));
    CHECK(sgd.options.lr == 0.25);
    optim::fit(sgd, std::vector<int>{1, 2}, [&](int) { return loss(); }, {.lr = rate});
    CHECK(sgd.options.lr == 0.25);
    optim::fit(sgd, loss, {.steps = 3}, [&](const auto&) { sgd.options.lr = 0.5; });  // a change by a callback persists
    CHECK(sgd.options.lr == 0.5);
}

TEST_CASE("fit: the largest gradient", "[optim]") {
    Tensor a = ones({2}), b = ones({2});
    a.requires_grad_(), b.requires_grad_();
    CHECK(optim::largest_gradient({{"a", a}, {"b", b}}) == 0);
    mse_loss(a, Tensor({2}, {1, 5})).backward();
    CHECK(std::abs(optim::largest_gradient({{"a", a}, {"b", b}}) - 4) < 1e-6);
    mse_loss(b, Tensor({2}, {not_a_number, 5})).backward();
    CHECK(std::isnan(optim::largest_gradient({{"a", a}, {"b", b}})));
}
