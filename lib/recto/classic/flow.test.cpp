#include <recto/classic/flow.hpp>

#include <cmath>
#include <numeric>

#include <recto/testing/testing.hpp>

using namespace recto;
using classic::Gradient;
using classic::Point;

namespace {

/// Half of w' A w for a symmetric 2 x 2 matrix; its gradient is A w.
struct Bowl {
    double a, b, d;
    Point operator()(const Point& w) const { return {a * w[0] + b * w[1], b * w[0] + d * w[1]}; }
};

/// Half the squared error of b tanh(a x) for one sample (x, y).
struct Wave {
    double x, y;
    Point operator()(const Point& w) const {
        const double t = std::tanh(w[0] * x), error = w[1] * t - y;
        return {error * w[1] * (1 - t * t) * x, error * t};
    }
};
const std::vector<Gradient> waves = {Wave{1.0, 1.2}, Wave{0.5, -0.4}, Wave{-1.3, 0.7}};

double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }

/// The order of an error in the rate, from a rate and its half.
double order(const std::function<double(double)>& error, double rate) {
    return std::log2(error(rate) / error(rate / 2));
}

}  // namespace

TEST_CASE("flow: a bowl is left exponentially", "[optim]") {
    const Bowl bowl{3, 0, 0.5};
    const Point end = classic::flow(bowl, {1, -2}, 1.5);
    CHECK(std::abs(end[0] - std::exp(-4.5)) <= 1e-8);
    CHECK(std::abs(end[1] + 2 * std::exp(-0.75)) <= 1e-11);
    CHECK(classic::flow(bowl, {1, -2}, 0) == Point{1, -2});
    const auto error = [&](double step) {
        return std::abs(classic::flow(bowl, {1, 0}, 1, Index(1 / step))[0] - std::exp(-3.0));
    };
    CHECK(std::abs(order(error, 0.05) - 4) <= 0.2);
}

TEST_CASE("flow: descent is a loop of steps", "[optim]") {
    const Bowl bowl{2, 1, 3};
    Point w = {1, -1};
    for (int i = 0; i < 7; ++i) {
        const Point g = bowl(w);
        w = {w[0] - 0.1 * g[0], w[1] - 0.1 * g[1]};
    }
    CHECK(classic::descend(bowl, {1, -1}, 0.1, 7) == w);
    CHECK(classic::descend(bowl, {1, -1}, 0.1, 0) == Point{1, -1});
}

TEST_CASE("flow: the loss that gradient descent descends", "[optim]") {
    // The gradient of w'Aw/2 + eta/4 |Aw|^2 is Aw + eta/2 A A w.
    const Bowl bowl{2, 1, 3};
    const Point w = {0.7, -0.4}, g = bowl(w), h = bowl(g);
    const Point got = classic::descended_loss(bowl, 0.3)(w);
    CHECK(std::abs(got[0] - (g[0] + 0.15 * h[0])) <= 1e-9);
    CHECK(std::abs(got[1] - (g[1] + 0.15 * h[1])) <= 1e-9);
    CHECK(classic::descended_loss(bowl, 0.3)({0, 0}) == Point{0, 0});  // the gradient is 0, so there is no direction
}

TEST_CASE("flow: gradient descent follows its own loss one order further", "[optim]") {
    const Gradient loss = classic::mean_gradient(waves);
    const Point from = {0.8, 0.6};
    const auto error = [&](bool modified) {
        return [=](double rate) {
            const Index steps = Index(std::lround(2 / rate));
            return distance(classic::descend(loss, from, rate, steps),
                            classic::flow(modified ? classic::descended_loss(loss, rate) : loss, from, 2));
        };
    };
    CHECK(std::abs(order(error(false), 0.05) - 1) <= 0.1);
    CHECK(std::abs(order(error(true), 0.05) - 2) <= 0.1);
}

TEST_CASE("flow: the loss that an epoch of stochastic descent descends", "[optim]") {
    // Against the definition, with every term separately, by finite differences of the loss's terms.
    const double rate = 0.2;
    const auto extra = [&](const Point& w) {
        const Point mean = classic::mean_gradient(waves)(w);
        double value = rate / 4 * (mean[0] * mean[0] + mean[1] * mean[1]);
        for (const Gradient& wave : waves) value += rate / 12 * std::pow(distance(wave(w), mean), 2);
        return value;
    };
    const Point w = {0.8, 0.6}, got = classic::stochastically_descended_loss(waves, rate)(w);
    const Point plain = classic::mean_gradient(waves)(w);
    for (std::size_t i = 0; i < 2; ++i) {
        Point ahead = w, behind = w;
        ahead[i] += 1e-5, behind[i] -= 1e-5;
        CHECK(std::abs(got[i] - plain[i] - (extra(ahead) - extra(behind)) / 2e-5) <= 1e-8);
    }
    // With a single batch, the batches do not vary.
    const Point one = classic::stochastically_descended_loss({waves[0]}, rate)(w);
    CHECK(distance(one, classic::descended_loss(waves[0], rate)(w)) <= 1e-15);
}

TEST_CASE("flow: messages", "[optim]") {
    const Bowl bowl{1, 0, 1};
    const Gradient short_one = [](const Point&) { return Point{1}; };
    CHECK_THROWS_WITH(classic::descend(bowl, {1, 1}, -1, 1), "descend: wanted a rate of at least 0 and finite, got -1");
    CHECK_THROWS_WITH(classic::descend(bowl, {1, 1}, 1, -1), "descend: wanted a number of steps of at least 0, got -1");
    CHECK_THROWS_WITH(classic::descend(short_one, {1, 1}, 1, 1),
                      "descend: a point of 2 numbers wants a gradient of as many, got 1");
    CHECK_THROWS_WITH(classic::flow(bowl, {1, 1}, -1), "flow: wanted a time of at least 0 and finite, got -1");
    CHECK_THROWS_WITH(classic::flow(bowl, {1, 1}, 1, 0), "flow: wanted at least one step, got 0");
    CHECK_THROWS_WITH(classic::curvature_along(bowl, {1, 1}, {1}),
                      "curvature_along: a point of 2 numbers wants a direction of as many, got 1");
    CHECK_THROWS_WITH(classic::descended_loss(bowl, std::nan("")),
                      "descended_loss: wanted a rate of at least 0 and finite, got nan");
    CHECK_THROWS_WITH(classic::stochastically_descended_loss({}, 0.1),
                      "stochastically_descended_loss: wanted at least one batch, got none");
    CHECK_THROWS_WITH(classic::mean_gradient({}), "mean_gradient: wanted at least one gradient, got none");
}
