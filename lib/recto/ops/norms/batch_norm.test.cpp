#include <recto/ops/norms/batch_norm.hpp>

#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/norms/layer_norm.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;
const Tensor none;

/// Both definitions in double: the numbers of one group share a mean and a variance. In batch_norm the group is a
/// channel, in group_norm a group of channels of one sample.
std::vector<double> oracle(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps, Index groups = 0) {
    const Index channels = x.size(1), places = x.numel() / x.size(0) / channels,
                inside = groups ? channels / groups : 1;
    const std::vector<double> v = doubles(x);
    const auto group = [&](std::size_t i) {
        const Index plane = Index(i) / places, channel = plane % channels;
        return std::size_t(groups ? plane / channels * groups + channel / inside : channel);
    };
    std::vector<double> mean(std::size_t(x.size(0) * channels)), squares = mean, count = mean, y;
    for (std::size_t i = 0; i < v.size(); ++i) mean[group(i)] += v[i], ++count[group(i)];
    for (std::size_t i = 0; i < v.size(); ++i)
        squares[group(i)] += std::pow(v[i] - mean[group(i)] / count[group(i)], 2);
    const std::vector<double> w = weight.defined() ? doubles(weight) : std::vector<double>(std::size_t(channels), 1.0);
    const std::vector<double> b = bias.defined() ? doubles(bias) : std::vector<double>(std::size_t(channels));
    for (std::size_t i = 0; i < v.size(); ++i) {
        const std::size_t g = group(i), c = i / std::size_t(places) % std::size_t(channels);
        y.push_back(w[c] * (v[i] - mean[g] / count[g]) / std::sqrt(squares[g] / count[g] + eps) + b[c]);
    }
    return y;
}

}  // namespace

TEST_CASE("batch_norm: definition of batch_norm and group_norm",
          "[ops][batch_norm][devices][row:sys-batchnorm/a][row:sys-batchnorm/e][row:eq-batchnorm/e]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape =
        GENERATE(Shape{2, 2}, Shape{9, 4}, Shape{129, 6}, Shape{127, 2, 1}, Shape{3, 4, 5}, Shape{2, 6, 127},
                 Shape{1, 2, 4, 32}, Shape{4, 2, 3, 43}, Shape{3, 8, 33, 33}, Shape{2000, 2});
    CAPTURE(device, shape);
    Generator random(1);
    const Shape channels{shape[1]};
    const Tensor x = random.normal(shape, 3, 2, device), w = random.normal(channels, 0, 1, device),
                 b = random.normal(channels, 0, 1, device);
    CHECK(batch_norm(x, w, b, none, none).shape() == shape);
    CHECK(close(batch_norm(x, w, b, none, none), oracle(x, w, b, 1e-5), usual * 4));
    CHECK(close(batch_norm(x, none, none, none, none, {.eps = 0.5}), oracle(x, none, none, 0.5), usual * 4));
    for (const Index groups : {Index(1), Index(2), shape[1]}) {
        if (shape.without(0).numel() < 4 * groups) continue;  // too few numbers for precise results in float
        CHECK(close(group_norm(x, groups, w, b), oracle(x, w, b, 1e-5, groups), usual * 4));
        CHECK(close(group_norm(x, groups, none, none, 0.5), oracle(x, none, none, 0.5, groups), usual * 4));
    }
    CHECK(close(group_norm(x, 1), doubles(layer_norm(x, shape.dim() - 1)), usual * 4));
}

TEST_CASE("batch_norm: the running statistics follow, and serve evaluation",
          "[ops][batch_norm][devices][row:sys-batchnorm/a][row:sys-batchnorm/c]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{9, 4}, Shape{3, 4, 5}, Shape{2, 4, 3, 6});
    CAPTURE(device, shape);
    const Tensor x = Generator(2).normal(shape, 3, 2, device), u = zeros({4}, device), v = ones({4}, device);
    const Tensor flat = reshape(contiguous(transpose(x, 0, 1)), {4, x.numel() / 4});  // channel by channel
    const Tensor trained = batch_norm(x, none, none, u, v, {.momentum = 0.25});
    CHECK(same_bits(trained, batch_norm(x, none, none, none, none)));  // with the statistics of the batch
    std::vector<double> mean_of = doubles(mean(flat, {1})), variance_of = doubles(variance(flat, {1}));
    for (double& m : mean_of) m *= 0.25;
    for (double& s : variance_of) s = 0.75 + 0.25 * s;
    CHECK(close(u, mean_of));
    CHECK(close(v, variance_of, usual * 4));
    const Values before = u.values();
    const Tensor y = batch_norm(x, none, none, u, v, {.training = false});
    CHECK(u.values() == before);  // evaluation changes no running statistics
    const Shape stretched = Shape{4, 1, 1}.with(1, 1);
    const Tensor u1 = shape.dim() == 2 ? u : reshape(u, shape.dim() == 3 ? Shape{4, 1} : stretched);
    const Tensor v1 = shape.dim() == 2 ? v : reshape(v, shape.dim() == 3 ? Shape{4, 1} : stretched);
    std::vector<double> want = doubles(x - u1), spread = doubles(expand(v1, shape));
    for (std::size_t i = 0; i < want.size(); ++i) want[i] /= std::sqrt(spread[i] + 1e-5);
    CHECK(close(y, want));
    // A sample of the batch has the same result alone and among the others.
    CHECK(same_bits(batch_norm(slice(x, 0, 1, 2), none, none, u, v, {.training = false}), slice(y, 0, 1, 2)));
    batch_norm(x, none, none, u, v, {.momentum = 0});
    CHECK(u.values() == before);
}

TEST_CASE("batch_norm: in training a sample depends on the others, with layer_norm it never does",
          "[ops][batch_norm][devices][row:claim-bn-downsides/a][row:claim-bn-downsides/c][row:claim-bn-downsides/d]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(5);
    const Tensor x = random.normal({4, 3}, 0, 1, device).requires_grad_(), dy = random.normal({1, 3}, 0, 1, device);
    Tensor other = clone(x);
    slice(other, 0, 1, 2).copy_(random.normal({1, 3}, 0, 1, device));
    const auto first = [](const Tensor& y) { return slice(y, 0, 0, 1); };
    const Tensor y = batch_norm(x, none, none, none, none);
    CHECK_FALSE(close(first(batch_norm(other, none, none, none, none)), doubles(first(y)), 1e-3));
    sum(first(y) * dy).backward();
    for (const Real g : slice(x.grad(), 0, 1, 4).values()) CHECK(std::abs(g) > 0);
    x.zero_grad();
    sum(first(layer_norm(x, 1)) * dy).backward();
    CHECK(slice(x.grad(), 0, 1, 4).values() == Values(9, 0));
}

TEST_CASE("batch_norm: scale and shift are the moments of the result",
          "[ops][batch_norm][devices][row:claim-bn-learned-moments/a][row:claim-bn-learned-moments/b]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(6);
    const Tensor x = random.normal({100, 3}, 2, 3, device), w = random.uniform({3}, 0.5, 2, device),
                 b = random.normal({3}, 0, 1, device), y = batch_norm(x, w, b, none, none);
    CHECK(close(mean(y, {0}), doubles(b), 2e-5));
    CHECK(close(variance(y, {0}, 0), doubles(w * w), 2e-5));
    const Tensor deviation = norm(x - mean(x, {0}), {0}) / 10.;  // of 100 samples
    CHECK(close(batch_norm(x, deviation, mean(x, {0}), none, none), doubles(x), 1e-5));
}

TEST_CASE("batch_norm: with sum and relu in one pass, and what they are one by one", "[ops][batch_norm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{129, 3}, Shape{2, 4, 5}, Shape{3, 8, 33, 33});
    const bool training = GENERATE(true, false), add_skip = GENERATE(true, false);
    CAPTURE(device, shape, training, add_skip);
    Generator random(6);
    const Shape channels{shape[1]};
    Tensor x = random.normal(shape, 3, 2, device).requires_grad_(), w = random.normal(channels, 0, 1, device),
           b = random.normal(channels, 0, 1, device), skip = random.normal(shape, 0, 1, device).requires_grad_();
    w.requires_grad_(), b.requires_grad_();
    const Tensor dy = random.normal(shape, 0, 1, device);
    Values y_apart;
    std::vector<std::vector<double>> grads_apart;
    for (const bool together : {false, true}) {
        for (const Tensor& t : {x, w, b, skip}) t.zero_grad();
        const Tensor u = full(channels, 2, device), v = full(channels, 5, device);
        const BatchNormOptions options{.training = training};
        const Tensor apart = batch_norm(x, w, b, u, v, options);
        const Tensor y = together ? batch_norm_relu(x, w, b, u, v, options, add_skip ? skip : none)
                                  : relu(add_skip ? apart + skip : apart);
        sum(y * dy).backward();
        std::vector<Tensor> grads{x.grad(), w.grad(), b.grad()};
        if (add_skip) grads.push_back(skip.grad());
        if (together) {
            CHECK(y.values() == y_apart);
            // The order of additions in a vectorised sum is the compiler's choice for each loop.
            for (std::size_t i = 0; i < grads.size(); ++i) CHECK(close(grads[i], grads_apart[i], usual * 4));
        } else {
            y_apart = y.values();
            for (const Tensor& g : grads) grads_apart.push_back(doubles(g));
        }
    }
}

TEST_CASE("batch_norm: edges", "[ops][batch_norm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor b({2}, {1, 2}, device), x = full({3, 2}, 7, device).requires_grad_();  // variance 0
    const Tensor y = batch_norm(x, none, b, none, none);
    CHECK(y.values() == Values{1, 2, 1, 2, 1, 2});
    sum(y * y).backward();
    for (const double g : doubles(x.grad())) CHECK(std::isfinite(g));
    CHECK(is_nan(batch_norm(x, none, none, none, none, {.eps = 0}).values()[0]));
    CHECK(is_nan(group_norm(x, 1, none, none, 0).values()[0]));
    CHECK(group_norm(Tensor({1, 2}, {5, -5}, device), 2).values() == Values{0, 0});  // groups of one number
    CHECK(group_norm(full({3, 2}, 7, device), 1, none, b).values() == Values{1, 2, 1, 2, 1, 2});
    // A batch of one sample: the statistics come from its positions.
    CHECK(close(batch_norm(Tensor({1, 1, 2}, {3, 5}, device), none, none, none, none, {.eps = 0}), {-1, 1}));
    const Tensor u({1}, {1}, device), v({1}, {4}, device);
    CHECK(batch_norm(Tensor({1, 1}, {5}, device), none, none, u, v, {.training = false, .eps = 0}).item() == 2);
    CHECK(batch_norm(empty({0, 1, 3}, device), none, none, u, v, {.training = false}).shape() == Shape{0, 1, 3});
    CHECK(batch_norm(empty({2, 0}, device), none, none, none, none).shape() == Shape{2, 0});
    CHECK(group_norm(empty({0, 2, 3}, device), 2).shape() == Shape{0, 2, 3});
    CHECK(group_norm(empty({2, 2, 0}, device), 1).shape() == Shape{2, 2, 0});
    const Tensor bad = batch_norm(Tensor({2, 2}, {1, not_a_number, 2, 3}, device), none, none, none, none);
    CHECK(is_nan(bad.at({0, 1})));
    CHECK_FALSE(is_nan(bad.at({0, 0})));
}

TEST_CASE("batch_norm: the same bits for any number of threads", "[ops][batch_norm][threads]") {
    Generator random(4);
    const Tensor x = random.normal({33, 6, 9, 50}).requires_grad_(), w = random.normal({6}).requires_grad_(),
                 b = random.normal({6}).requires_grad_(), dy = random.normal({33, 6, 9, 50});
    const int before = threads();
    std::vector<Values> first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        std::vector<Values> now;
        for (const bool batch : {true, false}) {
            for (const Tensor& t : {x, w, b}) t.zero_grad();
            const Tensor u = zeros({6}), v = ones({6});
            const Tensor y = batch ? batch_norm(x, w, b, u, v) : group_norm(x, 3, w, b);
            sum(y * dy).backward();
            for (const Tensor& t : {y, u, v, x.grad(), w.grad(), b.grad()}) now.push_back(t.values());
        }
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
}

TEST_CASE("batch_norm: agrees with PyTorch", "[ops][batch_norm][golden][devices]") {
    check_golden("batch_norm", [](const Golden& g) {
        const Tensor w = g.has("weight") ? g["weight"] : Tensor(), b = g.has("bias") ? g["bias"] : Tensor();
        if (g.word("op") == "group_norm") return group_norm(g["x"], g.number("groups"), w, b, g.real("epsilon"));
        const Tensor u = clone(g["running_mean"]), v = clone(g["running_variance"]);
        const Tensor y = batch_norm(
            g["x"], w, b, u, v,
            {.training = g.number("training") != 0, .momentum = g.real("momentum"), .eps = g.real("epsilon")});
        return concat({flatten(y, 0), u, v});  // also PyTorch's running statistics
    });
}

GRADIENT_TEST("batch_norm", "[row:eq-batchnorm/c]") {
    const auto draw = [](Generator& random) {
        const Shape some = random_shape(random, 2, 3), shape = some.with(0, some[0] + 1);
        return Inputs{random.normal(shape), random.normal({shape[1]}), random.normal({shape[1]})};
    };
    check_gradient([](const Inputs& x) { return batch_norm(x[0], x[1], x[2], none, none, {.eps = 0.1}); }, draw);
    check_gradient(
        [](const Inputs& x) {
            const Device device = x[0].device();
            const Tensor u = full({x[0].size(1)}, Real(0.5), device), v = full({x[0].size(1)}, 2, device);
            return batch_norm(x[0], x[1], x[2], u, v, {.training = false});
        },
        draw, 8);
    check_gradient([](const Inputs& x) { return batch_norm(x[0], none, none, none, none, {.eps = 0.1}); },
                   [](Generator& random) {
                       return Inputs{random.normal({3, 2, 2, 2})};
                   },
                   4);
}
GRADIENT_TEST("batch_norm_relu") {
    const BatchNormOptions options{.eps = 0.1};
    check_gradient(
        [=](const Inputs& x) { return batch_norm_relu(x[0], x[1], x[2], none, none, options, x[3]); },
        [=](Generator& random) {
            const Shape some = random_shape(random, 2, 3), shape = some.with(0, some[0] + 1);
            Inputs x{random.normal(shape), random.normal({shape[1]}), random.normal({shape[1]}), random.normal(shape)};
            const Tensor z = batch_norm(x[0], x[1], x[2], none, none, options) + x[3], far = ones(shape);
            x[3] = x[3] + where(relu(z), far, -far);  // no sum is near the kink at 0
            return x;
        });
    check_gradient([=](const Inputs& x) { return batch_norm_relu(x[0], x[1], x[2], none, none, options); },
                   [](Generator& random) {
                       const Tensor w = random.uniform({2}, 0.5, 1);
                       // No sum is near the kink here either.
                       return Inputs{random.normal({3, 2, 4}), w, Tensor({2}, {6, -6})};
                   },
                   4);
}
GRADIENT_TEST("group_norm") {
    check_gradient([](const Inputs& x) { return group_norm(x[0], 2, x[1], x[2], 0.1); },
                   [](Generator& random) {
                       const Shape some = random_shape(random, 2, 4), shape = some.with(1, some[1] > 9 ? 2 : 4);
                       return Inputs{random.normal(shape), random.normal({shape[1]}), random.normal({shape[1]})};
                   });
}

TEST_CASE("batch_norm: messages", "[ops][batch_norm][row:claim-bn-downsides/e]") {
    const Tensor x = ones({2, 3}), c = ones({3}), bad = ones({2});
    CHECK_THROWS_WITH(batch_norm(c, none, none, none, none),
                      "batch_norm: wanted (batch, channels, ...), got shape (3)");
    CHECK_THROWS_WITH(group_norm(c, 1), "group_norm: wanted (batch, channels, ...), got shape (3)");
    CHECK_THROWS_WITH(batch_norm(x, bad, none, none, none),
                      "batch_norm: an input of shape (2, 3) wants one number per channel, got shape (2)");
    CHECK_THROWS_WITH(group_norm(x, 1, none, bad),
                      "group_norm: an input of shape (2, 3) wants one number per channel, got shape (2)");
    CHECK_THROWS_WITH(batch_norm(x, none, none, c, bad),
                      "batch_norm: an input of shape (2, 3) wants one number per channel, got shape (2)");
    CHECK_THROWS_WITH(batch_norm(x, ones({3}, Device::sim), none, none, none),
                      "batch_norm: wanted all on one device, got cpu and sim");
    CHECK_THROWS_WITH(batch_norm(x, none, none, c, none),
                      "batch_norm: wanted a running mean and a running variance or neither, got one");
    CHECK_THROWS_WITH(batch_norm(x, none, none, none, none, {.training = false}),
                      "batch_norm: evaluation wants a running mean and variance, got none");
    CHECK_THROWS_WITH(batch_norm(x, none, none, c, select(ones({3, 2}), 1, 0)),
                      "batch_norm: wanted running statistics that are dense, got strides");
    CHECK_THROWS_WITH(batch_norm(ones({1, 3}), none, none, none, none),
                      "batch_norm: wanted more than one number per channel to train on, got shape (1, 3)");
    CHECK_THROWS_WITH(batch_norm(empty({0, 3}), none, none, none, none),
                      "batch_norm: wanted more than one number per channel to train on, got shape (0, 3)");
    CHECK_THROWS_WITH(batch_norm(x, none, none, none, none, {.momentum = 2}),
                      "batch_norm: wanted a momentum from 0 to 1, got 2");
    CHECK_THROWS_WITH(batch_norm(x, none, none, none, none, {.eps = -1}),
                      "batch_norm: wanted an epsilon of at least 0, got -1");
    CHECK_THROWS_WITH(batch_norm_relu(x, none, none, none, none, {}, ones({3, 2})),
                      "batch_norm_relu: wanted a skip of the shape (2, 3) of the input, got (3, 2)");
    CHECK_THROWS_WITH(batch_norm_relu(x, none, none, none, none, {}, ones({2, 3}, Device::sim)),
                      "batch_norm_relu: wanted all on one device, got cpu and sim");
    CHECK_THROWS_WITH(batch_norm(x, none, none, none, none, {.momentum = not_a_number}),
                      "batch_norm: wanted a momentum from 0 to 1, got nan");
    CHECK_THROWS_WITH(group_norm(x, 1, none, none, not_a_number),
                      "group_norm: wanted an epsilon of at least 0, got nan");
    CHECK_THROWS_WITH(group_norm(x, 2), "group_norm: wanted a number of groups that divides 3 channels, got 2");
    CHECK_THROWS_WITH(group_norm(x, 0), "group_norm: wanted a number of groups that divides 3 channels, got 0");
}
