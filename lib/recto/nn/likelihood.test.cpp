#include <recto/nn/likelihood.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/binary_cross_entropy.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::nn;
using namespace recto::testing;
using std::numbers::pi;

namespace {

/// The same row of outputs n times, for n targets.
Tensor repeated(const Tensor& row, Index n) { return contiguous(expand(row, {n, row.size(1)})); }

/// first, first + step, ...
Tensor places(Index n, double first, double step) {
    std::vector<Real> y;
    for (Index i = 0; i < n; ++i) y.push_back(Real(first + double(i) * step));
    return Tensor({n}, y);
}

Integers all_classes(Index classes) {
    std::vector<Index> k;
    for (Index i = 0; i < classes; ++i) k.push_back(i);
    return Integers({classes}, k);
}

/// The sum of the probabilities of these targets, each with a weight of `width`.
template <class L>
double total(const L& likelihood, const Tensor& row, const typename L::Target& targets, double width = 1) {
    double sum = 0;
    for (const double log_p : doubles(likelihood.log_prob(repeated(row, targets.numel()), targets)))
        sum += width * std::exp(log_p);
    return sum;
}

/// The most probable of these targets.
template <class L>
std::size_t likeliest(const L& likelihood, const Tensor& row, const typename L::Target& targets) {
    return std::size_t(argmax(likelihood.log_prob(repeated(row, targets.numel()), targets), 0).values()[0]);
}

/// The distance of the mean and the variance of draws from their expected values, in standard errors: the larger one.
double off(const std::vector<double>& draws, double mean, double variance) {
    const double n = double(draws.size());
    double m = 0, v = 0, fourth = 0;
    for (const double y : draws) m += y / n, v += (y - mean) * (y - mean) / n, fourth += std::pow(y - mean, 4) / n;
    return std::max(std::abs(m - mean) / std::sqrt(variance / n),
                    std::abs(v - variance) / std::sqrt((fourth - v * v) / n));
}

/// log I0 as a mean over many angles.
double oracle(double length) {
    double sum = 0;
    for (int i = 0; i < 20'000; ++i) sum += std::exp(length * (std::cos(2 * pi * i / 20'000) - 1)) / 20'000;
    return length + std::log(sum);
}

/// The mean of -log p, with log p computed by hand for each sample.
bool nll_is(const Tensor& got, const std::vector<double>& log_p) {
    double sum = 0, size = 0;
    for (const double l : log_p) sum -= l, size += std::abs(l) / double(log_p.size());
    // Near 6, floats are 5e-7 apart: for large means, four such steps are allowed instead.
    const double allowed = std::max(1e-6, 4 * double(std::numeric_limits<Real>::epsilon()) * size);
    return std::abs(double(got.item()) - sum / double(log_p.size())) <= allowed;
}

}  // namespace

TEST_CASE("likelihood: each sums or integrates to one", "[likelihood][row:sys-predict-distribution-parameters/a]") {
    const auto one = [](double sum) { return std::abs(sum - 1) <= 1e-6; };
    for (const Real at : {Real(-3), Real(0), Real(1.5)}) {
        const Tensor line = places(4001, double(at) - 20, 0.01);
        CHECK(one(total(Normal{0.7}, full({1, 1}, at), line, 0.01)));
        CHECK(one(total(SpreadNormal{}, Tensor({1, 2}, {at, Real(-0.5)}), line, 0.01)));
        CHECK(one(total(SpreadNormal{}, Tensor({1, 2}, {at, Real(0.8)}), line, 0.01)));
        CHECK(one(total(Bernoulli{}, full({1, 1}, at), Tensor({2}, {0, 1}))));
        CHECK(one(total(Categorical{}, Tensor({1, 3}, {at, Real(0.5), -1}), all_classes(3))));
        CHECK(one(total(Poisson{}, full({1, 1}, at), places(60, 0, 1))));
        const Tensor circle = places(720, -pi, pi / 360);
        CHECK(one(total(VonMises{}, Tensor({1, 2}, {at, Real(0.5)}), circle, pi / 360)));
    }
    CHECK(one(total(VonMises{}, zeros({1, 2}), places(16, 0, pi / 8), pi / 8)));
#ifdef RECTO_REAL_IS_DOUBLE  // in float the difference of two large numbers is too inexact
    for (const Real length : {Real(80), Real(99.9), Real(100.1), Real(5000)})
        CHECK(one(total(VonMises{}, Tensor({1, 2}, {length * Real(0.6), length * Real(0.8)}),
                        places(100'000, 0, pi / 50'000), pi / 50'000)));
#endif
}

TEST_CASE("likelihood: the negative log-likelihood is the closed form of each", "[likelihood][devices][row:eq-nll/a]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(3);
    const Index n = 50;
    const Tensor one = random.normal({n, 1}, 0, 1, device), two = random.normal({n, 2}, 0, 1, device),
                 three = random.normal({n, 3}, 0, 1, device), y = random.normal({n}, 0, 1, device);
    const Integers labels = random.integers({n}, 0, 3, device), yes = random.integers({n}, 0, 2, device);
    const std::vector<double> a = doubles(one), b = doubles(two), c = doubles(three), t = doubles(y);
    const std::vector<Index> k = labels.values(), bit = yes.values();

    std::vector<double> normal, spread, bernoulli, categorical, poisson, circle;
    std::vector<Real> counts;
    for (std::size_t i = 0; i < std::size_t(n); ++i) {
        const double sigma = std::exp(b[2 * i + 1]), z = (t[i] - b[2 * i]) / sigma, u = (t[i] - a[i]) / 0.5;
        normal.push_back(std::log(std::exp(-u * u / 2) / (0.5 * std::sqrt(2 * pi))));
        spread.push_back(std::log(std::exp(-z * z / 2) / (sigma * std::sqrt(2 * pi))));
        const double lambda = 1 / (1 + std::exp(-a[i]));
        bernoulli.push_back(std::log(bit[i] ? lambda : 1 - lambda));
        const double* s = &c[3 * i];
        categorical.push_back(std::log(std::exp(s[k[i]]) / (std::exp(s[0]) + std::exp(s[1]) + std::exp(s[2]))));
        counts.push_back(Real(k[i] * 2));
        poisson.push_back(double(2 * k[i]) * a[i] - std::exp(a[i]) - std::log(std::tgamma(2.0 * double(k[i]) + 1)));
        const double length = std::hypot(b[2 * i], b[2 * i + 1]), mu = std::atan2(b[2 * i + 1], b[2 * i]);
        circle.push_back(length * std::cos(t[i] - mu) - std::log(2 * pi) - oracle(length));
    }
    CHECK(nll_is(nll(Normal{0.5}, one, y), normal));
    CHECK(nll_is(nll(SpreadNormal{}, two, y), spread));
    const Tensor bits = select(one_hot(yes, 2), 1, 1);
    CHECK(nll_is(nll(Bernoulli{}, one, bits), bernoulli));
    CHECK(close(nll(Bernoulli{}, one, bits), doubles(binary_cross_entropy(select(one, 1, 0), bits))));
    CHECK(nll_is(nll(Categorical{}, three, labels), categorical));
    CHECK(close(nll(Categorical{}, three, labels), doubles(cross_entropy(three, labels))));
    CHECK(nll_is(nll(Poisson{}, one, Tensor({n}, counts, device)), poisson));
    CHECK(nll_is(nll(VonMises{}, two, y), circle));
}

TEST_CASE("likelihood: modes are those that brute force finds", "[likelihood][row:eq-inference-argmax/a]") {
    Generator random(4);
    for (int i = 0; i < 50; ++i) {
        const Index at = random.next_integer(0, 257);
        const Real mean = Real(at - 128) / 64;  // exactly a point of the grid
        const Tensor line = places(257, -2, 1.0 / 64), spread({1, 2}, {mean, Real(random.next_normal())});
        CHECK(likeliest(Normal{0.3}, full({1, 1}, mean), line) == std::size_t(at));
        CHECK(Normal{0.3}.mode(full({1, 1}, mean)).item() == mean);
        CHECK(likeliest(SpreadNormal{}, spread, line) == std::size_t(at));
        CHECK(SpreadNormal{}.mode(spread).item() == mean);

        const Tensor score = random.normal({1, 1}, 0, 2), scores = random.normal({1, 5}, 0, 2);
        CHECK(Bernoulli{}.mode(score).item() == Real(likeliest(Bernoulli{}, score, Tensor({2}, {0, 1}))));
        CHECK(Poisson{}.mode(score).item() == Real(likeliest(Poisson{}, score, places(2000, 0, 1))));
        CHECK(Categorical{}.mode(scores).values()[0] == Index(likeliest(Categorical{}, scores, all_classes(5))));

        const Index degree = random.next_integer(0, 360);
        const double angle = double(degree) * pi / 180;
        const Tensor arrow({1, 2}, {Real(2 * std::cos(angle)), Real(2 * std::sin(angle))});
        CHECK(likeliest(VonMises{}, arrow, places(360, 0, pi / 180)) == std::size_t(degree));
        CHECK(std::abs(std::remainder(double(VonMises{}.mode(arrow).item()) - angle, 2 * pi)) < 1e-6);
    }
}

TEST_CASE("likelihood: draws have the mean and the variance of the distribution",
          "[likelihood][row:sys-inference-sampling/a]") {
    Generator random(5);
    const Index n = 100'000;
    const auto draw = [&](const auto& likelihood, const Tensor& row) {
        return doubles(likelihood.sample(repeated(row, n), random));
    };
    CHECK(off(draw(Normal{0.5}, full({1, 1}, 2)), 2, 0.25) <= 4);
    CHECK(off(draw(SpreadNormal{}, Tensor({1, 2}, {-1, Real(std::log(3.0))})), -1, 9) <= 4);
    CHECK(off(draw(Bernoulli{}, full({1, 1}, Real(std::log(0.2 / 0.8)))), 0.2, 0.16) <= 4);
    for (const double mean : {0.3, 4.5, 100.0, 1e5}) {
        CAPTURE(mean);
        const Tensor row = full({1, 1}, Real(std::log(mean)));
        const double used = std::exp(double(row.item()));
        CHECK(off(draw(Poisson{}, row), used, used) <= 4);
    }
    for (const double length : {0.0, 0.5, 4.0, 200.0, 1e7}) {  // around pi / 2, where no draw wraps around
        CAPTURE(length);
        double mean = 0, weight = 0;  // of the squared angle from the centre
        for (int i = -50'000; i < 50'000; ++i) {
            const double y = pi * (i + 0.5) / 50'000 / (length > 1e3 ? 1e3 : 1),
                         p = std::exp(length * (std::cos(y) - 1));
            mean += y * y * p, weight += p;
        }
        std::vector<double> angles = draw(VonMises{}, Tensor({1, 2}, {0, Real(length)}));
        const double middle = length == 0 ? 0 : pi / 2;
        for (double& y : angles) y = std::remainder(y - middle, 2 * pi);
        CHECK(off(angles, 0, mean / weight) <= 4);
    }
    std::vector<double> counted(3);
    for (const Index k : Categorical{}.sample(repeated(Tensor({1, 3}, {1, -infinity, 2}), n), random).values())
        counted[std::size_t(k)] += 1.0 / double(n);
    const double first = 1 / (1 + std::exp(1.0));
    CHECK(counted[1] == 0);
    CHECK(std::abs(counted[0] - first) <= 4 * std::sqrt(first * (1 - first) / double(n)));
}

TEST_CASE("likelihood: a Bernoulli's two probabilities", "[likelihood][row:eq-bernoulli/a]") {
    const double close = sizeof(Real) == 8 ? 1e-14 : 1e-6;
    for (const double lambda : {0.001, 0.125, 0.5, 0.9, 0.999}) {
        const Tensor odds = full({2, 1}, Real(std::log(lambda / (1 - lambda))));
        const std::vector<double> p = doubles(exp(Bernoulli{}.log_prob(odds, Tensor({2}, {0, 1}))));
        CHECK(std::abs(p[0] + p[1] - 1) <= close);
        CHECK(std::abs(p[1] - lambda) <= close);
    }
}

TEST_CASE("likelihood: probabilities of classes", "[likelihood][row:eq-categorical-softmax/a]") {
    Generator random(6);
    const Index classes = 27;
    const std::vector<double> p = doubles(softmax(random.uniform({10'000, classes}, -30, 30)));
    int exceptions = 0;
    for (std::size_t row = 0; row < p.size(); row += std::size_t(classes)) {
        double sum = 0;
        for (std::size_t k = row; k < row + std::size_t(classes); ++k) {
            // in float, numbers within 3e-8 of 1 round to 1
            exceptions += !(p[k] > 0 && (sizeof(Real) == 8 ? p[k] < 1 : p[k] <= 1));
            sum += p[k];
        }
        exceptions += !(std::abs(sum - 1) <= (sizeof(Real) == 8 ? 1e-14 : 1e-6));
    }
    CHECK(exceptions == 0);
}

TEST_CASE("likelihood: edges", "[likelihood]") {
    for (const Real score : {Real(-10'000), Real(10'000)}) {
        CHECK(std::isfinite(nll(Bernoulli{}, full({1, 1}, score), ones({1})).item()));
        CHECK(std::isfinite(nll(Normal{}, full({1, 1}, score), ones({1})).item()));
        CHECK(std::isfinite(nll(VonMises{}, full({1, 2}, score), ones({1})).item()));
    }
    // Not the rounded difference of two numbers near 12.
    CHECK(nll(Bernoulli{}, full({1, 1}, 12), ones({1})).item() > 0);
    CHECK(nll(Poisson{}, full({1, 1}, -infinity), zeros({1})).item() != 0);  // 0 times -inf is NaN and not rejected
    CHECK(is_nan(nll(VonMises{}, full({1, 2}, not_a_number), ones({1})).item()));
    Generator random(7);
    CHECK(Poisson{}.sample(full({1, 1}, -infinity), random).item() == 0);
    CHECK(Normal{}.sample(empty({0, 1}), random).shape() == Shape{0});
    CHECK(VonMises{}.log_prob(empty({0, 2}), empty({0})).shape() == Shape{0});
    for (const double length : {0.0, 0.01, 1.0, 50.0, 99.99, 100.01, 1e4})
        CHECK(close(log_bessel(Tensor({1, 2}, {Real(0.6 * length), Real(-0.8 * length)})), {oracle(length)},
                    sizeof(Real) == 8 ? 1e-11 : 1e-6));
}

GRADIENT_TEST("likelihood", "[likelihood]") {
    const auto rows = [](Index width) {
        return [width](Generator& random) { return Inputs{random.normal({4, width}, 0, 1)}; };
    };
    const Tensor numbers({4}, {Real(0.3), -1, Real(2.5), 0}), bits({4}, {0, 1, 1, 0}), counts({4}, {0, 3, 1, 7});
    const Integers labels({4}, {2, 0, 1, 1});
    const auto on = [](const Tensor& y, const Inputs& x) { return y.to(x[0].device()); };
    check_gradient([&](const Inputs& x) { return nll(Normal{0.7}, x[0], on(numbers, x)); }, rows(1), 8);
    check_gradient([&](const Inputs& x) { return nll(SpreadNormal{}, x[0], on(numbers, x)); }, rows(2), 8);
    check_gradient([&](const Inputs& x) { return nll(Bernoulli{}, x[0], on(bits, x)); }, rows(1), 8);
    check_gradient([&](const Inputs& x) { return nll(Categorical{}, x[0], labels.to(x[0].device())); }, rows(3), 8);
    check_gradient([&](const Inputs& x) { return nll(Poisson{}, x[0], on(counts, x)); }, rows(1), 8);
    check_gradient([&](const Inputs& x) { return nll(VonMises{}, x[0], on(numbers, x)); }, rows(2), 8);
    check_gradient([&](const Inputs& x) { return log_bessel(300 * x[0]); }, rows(2), 8);
}

TEST_CASE("likelihood: messages", "[likelihood]") {
    Generator random(8);
    CHECK_THROWS_WITH(Normal{}.mode(empty({3, 2})), "Normal: wanted outputs (samples, 1), got (3, 2)");
    CHECK_THROWS_WITH(SpreadNormal{}.sample(empty({3}), random), "SpreadNormal: wanted outputs (samples, 2), got (3)");
    CHECK_THROWS_WITH(VonMises{}.log_prob(empty({3, 2}), empty({3, 1})),
                      "VonMises: wanted targets (3), one for each row of outputs, got (3, 1)");
    CHECK_THROWS_WITH(Normal{0}.log_prob(zeros({1, 1}), zeros({1})), "Normal: wanted a deviation above 0, got 0");
    CHECK_THROWS_WITH(Categorical{}.mode(empty({3, 0})), "Categorical: wanted outputs (samples, classes), got (3, 0)");
    CHECK_THROWS_WITH(Poisson{}.log_prob(zeros({1, 1}), full({1}, 1.5)),
                      "Poisson: wanted targets that are counts, got 1.5");
    CHECK_THROWS_WITH(Poisson{}.sample(full({1, 1}, 50), random),
                      Catch::Matchers::StartsWith("Poisson: wanted means of at most 1e9 to draw from, got 5.18"));
    CHECK_THROWS_WITH(log_bessel(empty({2, 3})), "log_bessel: wanted outputs (samples, 2), got (2, 3)");
    CHECK_THROWS_WITH(nll(Normal{}, empty({0, 1}), empty({0})), "nll: wanted at least one sample, got none");
}
