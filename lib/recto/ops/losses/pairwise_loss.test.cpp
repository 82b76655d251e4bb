#include <recto/ops/losses/pairwise_loss.hpp>

#include <algorithm>
#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

struct Case {
    const char* name;
    Tensor (*op)(const Tensor&, const Tensor&);
    double (*definition)(double, double);
    bool by_batch;
};
const Case cases[] = {
    {"l1_loss", l1_loss, [](double f, double y) { return std::abs(f - y); }, false},
    {"huber_loss", [](const Tensor& f, const Tensor& y) { return huber_loss(f, y, 0.75); },
     [](double f, double y) {
         const double d = std::abs(f - y);
         return d <= 0.75 ? d * d / 2 : 0.75 * (d - 0.375);
     },
     false},
    {"kl_divergence", kl_divergence, [](double p, double q) { return std::exp(p) * (p - q); }, true},
};

double oracle(const Case& c, const Tensor& a, const Tensor& b) {
    const std::vector<double> x = doubles(a), y = doubles(b);
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) total += c.definition(x[i], y[i]);
    return total / double(c.by_batch ? a.size(0) : a.numel());
}

double triplet_oracle(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin) {
    const std::vector<double> a = doubles(anchor), p = doubles(positive), n = doubles(negative);
    const auto cols = std::size_t(anchor.size(-1));
    double total = 0;
    for (std::size_t row = 0; row < a.size(); row += cols) {
        double near = 0, far = 0;
        for (std::size_t j = row; j < row + cols; ++j)
            near += std::pow(a[j] - p[j], 2), far += std::pow(a[j] - n[j], 2);
        total += std::max(0.0, std::sqrt(near) - std::sqrt(far) + margin);
    }
    return total / double(a.size() / cols);
}

/// Two tensors of the same shape whose numbers differ by neither 0 nor 0.75.
[[maybe_unused]] Inputs apart(Generator& random) {
    const Shape shape = random_shape(random);
    const Tensor x = random.normal(shape);
    Values values = x.values();
    for (Real& v : values) {
        const Real step = random.uniform({}, Real(0.01), Real(0.7)).item();
        v += random.next_uniform() < 0.5 ? step : -step - Real(0.1) * Real(random.next_integer(0, 2)) * 8;
    }
    return {x, Tensor(shape, values)};
}
[[maybe_unused]] Inputs logs(Generator& random) {
    const Shape shape = random_shape(random);
    return {log_softmax(random.normal(shape)), log_softmax(random.normal(shape))};
}

}  // namespace

TEST_CASE("pairwise_loss: definition", "[ops][pairwise_loss][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1}, Shape{4, 7}, Shape{127}, Shape{128}, Shape{129}, Shape{2, 3, 500});
    CAPTURE(device, shape);
    const Tensor a = Generator(1).normal(shape, 0, 1, device), b = Generator(2).normal(shape, 0, 1, device);
    for (const Case& c : cases) {
        CAPTURE(c.name);
        CHECK(close(c.op(a, b), {oracle(c, a, b)}));
        CHECK(c.op(a, b).shape() == Shape{});
        const Tensor turned = slice(b, 0, 0, shape[0]), copy = contiguous(turned);
        CHECK(same_bits(c.op(a, turned), c.op(a, copy)));
    }
    const Tensor n = Generator(3).normal(shape, 0, 1, device);
    // Without vectors, a sum of 500 squares is one chain of additions, and the loss is the difference of two such sums.
    const double tolerance = sizeof(Real) == 8 ? 1e-12 : 2e-5;
    for (const double margin : {0.0, 1.0, 10.0})
        CHECK(close(triplet_loss(a, b, n, margin), {triplet_oracle(a, b, n, margin)}, tolerance));
}

TEST_CASE("kl_divergence: never negative, 0 for equals alone, not symmetric",
          "[ops][pairwise_loss][devices][row:eq-kl/b][row:eq-kl/c][row:eq-kl/d]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(4);
    for (int n = 0; n < 100; ++n) {
        const Tensor p = log_softmax(random.normal({1, 6}, 0, 1, device)),
                     q = log_softmax(random.normal({1, 6}, 0, 1, device));
        CHECK(kl_divergence(p, q).item() > 0);
        CHECK(kl_divergence(p, p).item() == 0);
        CHECK(kl_divergence(p, q).item() != kl_divergence(q, p).item());
    }
}

TEST_CASE("triplet_loss: nothing is left to gain where the negative is exactly one further",
          "[ops][pairwise_loss][devices][row:claim-contrastive-positive-unless/b]") {
    const Device device = GENERATE(from_range(devices()));
    for (const Real near : {Real(0), Real(0.5), Real(3), Real(100)})
        CHECK(triplet_loss(zeros({1, 2}, device), Tensor({1, 2}, {near, 0}, device),
                           Tensor({1, 2}, {0, near + 1}, device))
                  .item() == 0);
}

TEST_CASE("pairwise_loss: edges", "[ops][pairwise_loss][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto gradient = [](const Tensor& loss, const Tensor& x) {
        x.zero_grad();
        loss.backward();
        return x.grad().values();
    };
    const Tensor x = Tensor({4}, {-3, 0, 0.5, 3}, device).requires_grad_(), zero = zeros({4}, device);
    CHECK(gradient(l1_loss(x, zero), x) == Values{-0.25, 0, 0.25, 0.25});
    CHECK(gradient(huber_loss(x, zero), x) == Values{-0.25, 0, 0.125, 0.25});
    CHECK(huber_loss(x, zero, double(infinity)).item() == Real(18.25 / 8));
    for (const Case& c : cases) CHECK(is_nan(c.op(full({2}, not_a_number, device), zeros({2}, device)).item()));
    // A class with p = 0 adds nothing; a class with q = 0 and p > 0 makes the loss infinite.
    const Tensor p = Tensor({1, 2}, {0, -infinity}, device).requires_grad_(), q({1, 2}, {0, -infinity}, device);
    CHECK(kl_divergence(p, q).item() == 0);
    CHECK(gradient(kl_divergence(p, q), p) == Values{1, 0});
    CHECK(kl_divergence(zeros({1, 2}, device), q).item() == infinity);
    // If anchor, positive and negative are equal, the loss is the margin, and no gradient is NaN.
    const Tensor a = ones({2, 3}, device).requires_grad_();
    CHECK(triplet_loss(a, a.detach(), a.detach()).item() == 1);
    CHECK(gradient(triplet_loss(a, a.detach(), a.detach()), a) == Values(6, 0));
    CHECK(gradient(triplet_loss(a, a.detach(), full({2, 3}, 9, device)), a) == Values(6, 0));
    CHECK(triplet_loss(a, a.detach(), a.detach(), -1).item() == 0);
    CHECK(is_nan(triplet_loss(a, a.detach(), a.detach(), double(not_a_number)).item()));
    CHECK(is_nan(triplet_loss(full({2, 3}, not_a_number, device), a.detach(), a.detach()).item()));
}

TEST_CASE("pairwise_loss: the same bits for any number of threads", "[ops][pairwise_loss][threads]") {
    Generator random(4);
    const Tensor x = random.normal({3000, 33}).requires_grad_(), y = random.normal({3000, 33}),
                 z = random.normal({3000, 33});
    const int before = threads();
    std::vector<Values> first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        std::vector<Values> now;
        const auto add = [&](const Tensor& loss) {
            x.zero_grad();
            loss.backward();
            now.push_back(loss.values()), now.push_back(x.grad().values());
        };
        for (const Case& c : cases) add(c.op(x, y));
        add(triplet_loss(x, y, z));
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
}

TEST_CASE("pairwise_loss: agrees with PyTorch", "[ops][pairwise_loss][golden][devices]") {
    check_golden("pairwise_loss", [](const Golden& g) {
        if (g.word("op") == "l1_loss") return l1_loss(g["a"], g["b"]);
        if (g.word("op") == "huber_loss") return huber_loss(g["a"], g["b"], g.real("delta"));
        if (g.word("op") == "kl_divergence") return kl_divergence(g["a"], g["b"]);
        return triplet_loss(g["a"], g["b"], g["c"], g.real("margin"));
    });
}

GRADIENT_TEST("l1_loss") {
    check_gradient([](const Inputs& x) { return l1_loss(x[0], x[1]); }, apart);
}
GRADIENT_TEST("huber_loss") {
    check_gradient([](const Inputs& x) { return huber_loss(x[0], x[1], 0.75); }, apart);
}
GRADIENT_TEST("kl_divergence") {
    check_gradient([](const Inputs& x) { return kl_divergence(x[0], x[1]); }, logs);
}
GRADIENT_TEST("triplet_loss", "[row:eq-contrastive-triplet/a]") {
    check_gradient([](const Inputs& x) { return triplet_loss(x[0], x[1], x[2], 5); },
                   [](Generator& random) {
                       const Shape shape = random_shape(random).with(-1, 3);
                       return Inputs{random.normal(shape), random.uniform(shape, 2, 3), random.uniform(shape, 2, 3)};
                   });
}

TEST_CASE("pairwise_loss: messages", "[ops][pairwise_loss]") {
    CHECK_THROWS_WITH(l1_loss(empty({2, 1}), empty({2})), "l1_loss: wanted both of one shape, got (2, 1) and (2)");
    CHECK_THROWS_WITH(huber_loss(empty({0}), empty({0})), "huber_loss: wanted at least one number, got shape (0)");
    CHECK_THROWS_WITH(l1_loss(empty({2, 0}), empty({2, 0})), "l1_loss: wanted at least one number, got shape (2, 0)");
    CHECK_THROWS_WITH(kl_divergence(empty({0, 3}), empty({0, 3})),
                      "kl_divergence: wanted at least one number, got shape (0, 3)");
    CHECK_THROWS_WITH(huber_loss(ones({1}), ones({1}), -1), "huber_loss: wanted a delta above 0, got -1");
    CHECK_THROWS_WITH(huber_loss(ones({1}), ones({1}), 0), "huber_loss: wanted a delta above 0, got 0");
    CHECK_THROWS_WITH(huber_loss(ones({1}), ones({1}), double(not_a_number)),
                      "huber_loss: wanted a delta above 0, got nan");
    CHECK_THROWS_WITH(kl_divergence(ones({}), ones({})), "kl_divergence: wanted at least one axis, got shape ()");
    CHECK_THROWS_WITH(kl_divergence(ones({2}), ones({2}, Device::sim)),
                      "kl_divergence: wanted both on one device, got cpu and sim");
    CHECK_THROWS_WITH(triplet_loss(ones({}), ones({}), ones({})),
                      "triplet_loss: wanted at least one axis, got shape ()");
    CHECK_THROWS_WITH(triplet_loss(ones({2, 3}), ones({2, 3}), ones({3})),
                      "triplet_loss: wanted both of one shape, got (2, 3) and (3)");
    CHECK_THROWS_WITH(triplet_loss(empty({0, 3}), empty({0, 3}), empty({0, 3})),
                      "triplet_loss: wanted at least one number, got shape (0, 3)");
}
