#include <recto/ops/losses/cross_entropy.hpp>

#include <algorithm>
#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// The definition in double: a single loss, or with Reduction::none one for each sample.
std::vector<double> losses(const Tensor& scores, const Integers& labels, const CrossEntropyOptions& options = {}) {
    const std::vector<double> x = doubles(scores);
    const std::vector<double> w =
        options.weight.defined() ? doubles(options.weight) : std::vector<double>(std::size_t(scores.size(-1)), 1.0);
    std::vector<double> each;
    const std::vector<Index> t = labels.values();
    const std::size_t cols = std::size_t(scores.size(-1));
    double sum = 0, counted = 0;
    for (std::size_t row = 0; row < t.size(); ++row) {
        each.push_back(0);
        if (t[row] == options.ignored) continue;
        counted += w[std::size_t(t[row])];
        double most = x[row * cols], total = 0;
        for (std::size_t j = 0; j < cols; ++j) most = std::max(most, x[row * cols + j]);
        for (std::size_t j = 0; j < cols; ++j) total += std::exp(x[row * cols + j] - most);
        for (std::size_t j = 0; j < cols; ++j) {
            const double q = (Index(j) == t[row] ? 1 - options.smoothing : 0) + options.smoothing / double(cols);
            each.back() += w[j] * q * (std::log(total) + most - x[row * cols + j]);
        }
        sum += each.back();
    }
    if (options.reduction == Reduction::none) return each;
    return {options.reduction == Reduction::sum ? sum : sum / counted};
}
double oracle(const Tensor& scores, const Integers& labels, const CrossEntropyOptions& options = {}) {
    return losses(scores, labels, options)[0];
}
}  // namespace

TEST_CASE("cross_entropy: definition", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1}, Shape{7}, Shape{4, 7}, Shape{2, 3, 300}, Shape{5, 127}, Shape{5, 128},
                                 Shape{129, 129}, Shape{9000, 3});
    CAPTURE(device, shape);
    Generator random(1);
    const Tensor x = random.normal(shape, 0, 3, device);
    const Integers labels = random.integers(shape.without(-1), 0, shape.size(-1), device);
    CHECK(close(cross_entropy(x, labels), {oracle(x, labels)}));
    CHECK(cross_entropy(x, labels).shape() == Shape{});
}

TEST_CASE("cross_entropy: ignored labels and smoothing", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1, 2}, Shape{4, 7}, Shape{2, 3, 300}, Shape{129, 129});
    const CrossEntropyOptions options =
        GENERATE(CrossEntropyOptions{.ignored = 1}, CrossEntropyOptions{.smoothing = 0.1},
                 CrossEntropyOptions{.ignored = -100, .smoothing = 0.3}, CrossEntropyOptions{.smoothing = 1});
    CAPTURE(device, shape, options.smoothing);
    Generator random(1);
    const Tensor x = random.normal(shape, 0, 3, device).requires_grad_();
    std::vector<Index> t = random.integers(shape.without(-1), 0, shape.size(-1)).values();
    t[0] = 0;
    if (options.ignored && t.size() > 1) t[1] = *options.ignored;
    const Integers labels(shape.without(-1), t, device);
    CHECK(close(cross_entropy(x, labels, options), {oracle(x, labels, options)}));
    cross_entropy(x, labels, options).backward();
    const std::vector<double> dx = doubles(x.grad());
    for (std::size_t row = 0; row < t.size(); ++row)
        for (std::size_t j = 0; t[row] == options.ignored && j < std::size_t(shape.size(-1)); ++j)
            CHECK(dx[row * std::size_t(shape.size(-1)) + j] == 0);
}

TEST_CASE("cross_entropy: class weights and reductions", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{2}, Shape{4, 7}, Shape{2, 3, 300}, Shape{129, 129}, Shape{9000, 4});
    const Reduction reduction = GENERATE(Reduction::mean, Reduction::sum, Reduction::none);
    const bool weighted = GENERATE(true, false), smooth = GENERATE(true, false);
    CAPTURE(device, shape, int(reduction), weighted, smooth);
    Generator random(1);
    Tensor x = random.normal(shape, 0, 3), w = random.uniform({shape.size(-1)}, 0, 2);
    if (shape == Shape{9000, 4}) {  // losses that are small integers add up exactly in any order
        w = Tensor({4}, {0.5, 1, 1.5, 2});
        for (Index i = 0; i < x.numel(); ++i) x.write()[i] = Real(-32 * ((i / 4 + i) % 4));
    }
    x = x.to(device), w = w.to(device);
    std::vector<Index> t = random.integers(shape.without(-1), 0, shape.size(-1)).values();
    if (t.size() > 1) t[1] = -1;
    const Integers labels(shape.without(-1), t, device);
    const CrossEntropyOptions options{
        .ignored = -1, .smoothing = smooth ? 0.25 : 0, .weight = weighted ? w : Tensor(), .reduction = reduction};
    const Tensor loss = cross_entropy(x, labels, options);
    CHECK(loss.shape() == (reduction == Reduction::none ? labels.shape() : Shape{}));
    CHECK(close(loss, losses(x, labels, options), reduction == Reduction::sum ? 4 * usual : usual));
}

TEST_CASE("cross_entropy: the mean divides by the weights of the labels", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({3, 2}, {0, std::log(Real(3)), 0, std::log(Real(3)), 5, 6}, device), w({2}, {3, 1}, device);
    const Integers labels({3}, {0, 1, -1}, device);
    const double zero = 3 * std::log(4.0), one = std::log(4.0 / 3);  // w_t times -log 1/4 and -log 3/4
    CrossEntropyOptions options{.ignored = -1, .weight = w};
    CHECK(close(cross_entropy(x, labels, options), {(zero + one) / 4}));
    options.reduction = Reduction::sum;
    CHECK(close(cross_entropy(x, labels, options), {zero + one}));
    options.reduction = Reduction::none;
    CHECK(close(cross_entropy(x, labels, options), {zero, one, 0}));
    const Tensor only_second({2}, {0, 1}, device);  // a class of weight 0 does not count
    CHECK(close(cross_entropy(x, labels, {.ignored = -1, .weight = only_second}), {one}));
    CHECK(is_nan(cross_entropy(x, Integers({3}, {0, 0, -1}, device), {.ignored = -1, .weight = only_second}).item()));
}

TEST_CASE("cross_entropy: nothing but ignored labels", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = full({2, 3}, not_a_number, device).requires_grad_();
    const Tensor loss = cross_entropy(x, Integers({2}, {-1, -1}, device), {.ignored = -1});
    CHECK(is_nan(loss.item()));
    loss.backward();
    CHECK(x.grad().values() == std::vector<Real>(6, 0));
}

TEST_CASE("cross_entropy: the same bits for any number of threads", "[ops][cross_entropy][threads]") {
    Generator random(4);
    const Tensor x = random.normal({3000, 33}).requires_grad_();
    const Integers labels = random.integers({3000}, 0, 33);
    const int before = threads();
    std::vector<std::vector<Real>> first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        x.zero_grad();
        const Tensor loss = cross_entropy(x, labels, {.ignored = 5, .smoothing = 0.1});
        loss.backward();
        const std::vector<std::vector<Real>> now{loss.values(), x.grad().values()};
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
}

TEST_CASE("cross_entropy: agrees with PyTorch", "[ops][cross_entropy][golden][devices]") {
    check_golden("cross_entropy", [](const Golden& g) {
        const Reduction reduction = !g.options.contains("reduction") ? Reduction::mean
                                    : g.word("reduction") == "sum"   ? Reduction::sum
                                    : g.word("reduction") == "none"  ? Reduction::none
                                                                     : Reduction::mean;
        return cross_entropy(g["x"], g.integers("labels"),
                             {.ignored = g.number("ignored"),
                              .smoothing = g.real("smoothing"),
                              .weight = g.has("weight") ? g["weight"] : Tensor(),
                              .reduction = reduction});
    });
}

TEST_CASE("cross_entropy: edges", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Integers first({1}, {0}, device), second({1}, {1}, device);
    CHECK(cross_entropy(Tensor({1, 2}, {1000, -1000}, device), first).item() == 0);
    CHECK(cross_entropy(Tensor({1, 2}, {1000, -1000}, device), second).item() == 2000);
    CHECK(cross_entropy(Tensor({1, 1}, {-1e30f}, device), first).item() == 0);
    CHECK(is_nan(cross_entropy(Tensor({1, 3}, {1, not_a_number, 2}, device), first).item()));
    CHECK(close(cross_entropy(zeros({1, 10}, device), first), {std::log(10.0)}));
    const Tensor out({1, 2}, {0, -infinity}, device);  // an impossible class
    CHECK(cross_entropy(out, first).item() == 0);
    CHECK(cross_entropy(out, second).item() == infinity);
    CHECK(cross_entropy(out, first, {.smoothing = 0.1}).item() == infinity);
    CHECK(close(cross_entropy(zeros({1, 4}, device), first, {.smoothing = 0.5}), {std::log(4.0)}));
}

TEST_CASE("cross_entropy: smoothing 1 asks for all classes alike", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Integers second({1}, {1}, device);
    // The label's own score is treated like every other, even if it is -inf.
    CHECK(cross_entropy(Tensor({1, 2}, {0, -infinity}, device), second, {.smoothing = 1}).item() == infinity);
    CHECK(close(cross_entropy(Tensor({1, 2}, {0, 3}, device), second, {.smoothing = 1}),
                {std::log(1 + std::exp(3.0)) - 1.5}));
}

TEST_CASE("cross_entropy: more labels than a float can count", "[ops][cross_entropy]") {
    const Index n = (1 << 20) + 100;
    std::vector<Index> labels(std::size_t(n), 1);
    for (Index i = 0; i < n; i += 4) labels[std::size_t(i)] = 0;  // a quarter is ignored
    std::vector<Real> scores(std::size_t(2 * n), 0);  // each loss is 128, so that sums are exact in any order
    for (Index i = 0; i < n; ++i) scores[std::size_t(2 * i + 1)] = -128;
    const Tensor loss = cross_entropy(Tensor({n, 2}, scores), Integers({n}, labels), {.ignored = 0});
    CHECK(close(loss, {128.0}));
}

GRADIENT_TEST("cross_entropy") {
    Integers labels;
    check_gradient([&](const Inputs& x) { return cross_entropy(x[0], labels.to(x[0].device())); },
                   [&](Generator& random) {
                       const Tensor x = random.normal(random_shape(random));
                       labels = random.integers(x.shape().without(-1), 0, x.size(-1));
                       return Inputs{x};
                   });
    check_gradient(
        [&](const Inputs& x) {
            return cross_entropy(x[0], labels.to(x[0].device()), {.ignored = 0, .smoothing = 0.2});
        },
        [&](Generator& random) {
            const Tensor x = random.normal(random_shape(random, 2, 3).with(-1, 4).with(0, 3));
            std::vector<Index> t = random.integers(x.shape().without(-1), 0, 4).values();
            t[0] = 1;  // at least one sample is not ignored
            labels = Integers(x.shape().without(-1), t);
            return Inputs{x};
        },
        16);
    for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none})
        check_gradient(
            [&](const Inputs& x) {
                const Device device = x[0].device();
                const Tensor weight({4}, {0.5, 2, 0, 1.25}, device);
                return cross_entropy(x[0], labels.to(device),
                                     {.ignored = 3, .smoothing = 0.2, .weight = weight, .reduction = reduction});
            },
            [&](Generator& random) {
                const Tensor x = random.normal(random_shape(random, 2, 3).with(-1, 4).with(0, 3));
                std::vector<Index> t = random.integers(x.shape().without(-1), 0, 4).values();
                t[0] = 1;  // at least one sample has a weight
                labels = Integers(x.shape().without(-1), t);
                return Inputs{x};
            },
            16);
}

TEST_CASE("cross_entropy: messages", "[ops][cross_entropy]") {
    CHECK_THROWS_WITH(cross_entropy(empty({1, 3}), Integers({1}, {0}), {.weight = ones({2})}),
                      "cross_entropy: scores of shape (1, 3) want class weights of shape (3), got (2)");
    CHECK_THROWS_WITH(cross_entropy(empty({1, 3}), Integers({1}, {0}), {.weight = ones({3}, Device::sim)}),
                      "cross_entropy: wanted scores and class weights on one device, got cpu and sim");
    CHECK_THROWS_WITH(cross_entropy(empty({1, 3}), Integers({1}, {0}), {.weight = ones({3}).requires_grad_()}),
                      "cross_entropy: wanted class weights without a gradient, got shape (3) with one");
    CHECK_THROWS_WITH(cross_entropy(Tensor(Shape{}, {1}), Integers(Shape{}, {0})),
                      "cross_entropy: wanted scores with at least one axis, got shape ()");
    CHECK_THROWS_WITH(cross_entropy(empty({2, 3}), Integers({3}, {0, 1, 2})),
                      "cross_entropy: scores of shape (2, 3) want labels of shape (2), got (3)");
    CHECK_THROWS_WITH(cross_entropy(empty({2, 3}), Integers({2}, {0, 3})),
                      "cross_entropy: wanted labels from 0 to 2, got 3 at position 1");
    CHECK_THROWS_WITH(cross_entropy(empty({2, 3}), Integers({2}, {-1, 0})),
                      "cross_entropy: wanted labels from 0 to 2, got -1 at position 0");
    CHECK_THROWS_WITH(cross_entropy(empty({1, 0}), Integers({1}, {0})),
                      "cross_entropy: wanted at least one class to choose from, got none for label 0");
    CHECK_THROWS_WITH(cross_entropy(empty({0, 3}), Integers(Shape{0})),
                      "cross_entropy: wanted at least one sample, got scores of shape (0, 3)");
    CHECK_THROWS_WITH(cross_entropy(empty({1, 3}), Integers({1}, {0}, Device::sim)),
                      "cross_entropy: wanted scores and labels on one device, got cpu and sim");
    CHECK_THROWS_WITH(cross_entropy(empty({2, 3}), Integers({2}, {-1, -2}), {.ignored = -1}),
                      "cross_entropy: wanted labels from 0 to 2, got -2 at position 1");
    CHECK_THROWS_WITH(cross_entropy(empty({1, 3}), Integers({1}, {0}), {.smoothing = 1.5}),
                      "cross_entropy: wanted a smoothing from 0 to 1, got 1.5");
    CHECK_THROWS_WITH(cross_entropy(empty({1, 3}), Integers({1}, {0}), {.smoothing = double(not_a_number)}),
                      "cross_entropy: wanted a smoothing from 0 to 1, got nan");
}
