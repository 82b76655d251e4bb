#include <recto/ops/norms/layer_norm.hpp>

#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

Shape last(const Shape& shape, int axes) {
    return Shape(std::span<const Index>(shape.end() - axes, std::size_t(axes)));
}

/// Both definitions in double, sample by sample; `centred` means layer_norm.
std::vector<double> oracle(const Tensor& x, int axes, const Tensor& weight, const Tensor& bias, double eps,
                           bool centred) {
    std::vector<double> y = doubles(x);
    const auto n = std::size_t(last(x.shape(), axes).numel());
    for (std::size_t row = 0; row < y.size(); row += n) {
        double mean = 0, squares = 0;
        for (std::size_t j = 0; j < n && centred; ++j) mean += y[row + j] / double(n);
        for (std::size_t j = 0; j < n; ++j) squares += std::pow(y[row + j] - mean, 2) / double(n);
        for (std::size_t j = 0; j < n; ++j) {
            const double w = weight.defined() ? doubles(weight)[j] : 1, b = bias.defined() ? doubles(bias)[j] : 0;
            y[row + j] = w * (y[row + j] - mean) / std::sqrt(squares + eps) + b;
        }
    }
    return y;
}

}  // namespace

TEST_CASE("layer_norm: definition of layer_norm and rms_norm", "[ops][layer_norm][devices][row:sys-layernorm/c]") {
    const Device device = GENERATE(from_range(devices()));
    const auto [shape, axes] = GENERATE(table<Shape, int>({{{2}, 1},
                                                           {{4, 7}, 1},
                                                           {{4, 7}, 2},
                                                           {{2, 3, 5}, 2},
                                                           {{5, 127}, 1},
                                                           {{5, 128}, 1},
                                                           {{40, 129}, 1},
                                                           {{3, 1025}, 1},
                                                           {{2, 3, 41, 43}, 3}}));
    CAPTURE(device, shape, axes);
    Generator random(1);
    const Tensor x = random.normal(shape, 3, 2, device), w = random.normal(last(shape, axes), 0, 1, device);
    const Tensor b = random.normal(last(shape, axes), 0, 1, device), none;
    CHECK(layer_norm(x, axes).shape() == shape);
    CHECK(close(layer_norm(x, axes), oracle(x, axes, none, none, 1e-5, true), usual * 3));
    CHECK(close(layer_norm(x, axes, w), oracle(x, axes, w, none, 1e-5, true), usual * 3));
    CHECK(close(layer_norm(x, axes, none, b), oracle(x, axes, none, b, 1e-5, true), usual * 3));
    CHECK(close(layer_norm(x, axes, w, b, 0.5), oracle(x, axes, w, b, 0.5, true), usual * 3));
    CHECK(close(rms_norm(x, axes), oracle(x, axes, none, none, 1e-5, false), usual * 3));
    CHECK(close(rms_norm(x, axes, w, 0.5), oracle(x, axes, w, none, 0.5, false), usual * 3));
}

TEST_CASE("layer_norm: gradients of samples longer than a block of the sums", "[ops][layer_norm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool centred = GENERATE(true, false);
    const Index n = 3, cols = GENERATE(5, 1024, 2500);
    CAPTURE(device, centred, cols);
    Generator random(2);
    const Tensor x = random.normal({n, cols}, 1, 2, device).requires_grad_(),
                 dy = random.normal({n, cols}, 0, 1, device);
    const Tensor w = random.normal({cols}, 1, 1, device).requires_grad_(), b = zeros({cols}, device).requires_grad_();
    sum((centred ? layer_norm(x, 1, w, b) : rms_norm(x, 1, w)) * dy).backward();

    const auto in = doubles(x), g = doubles(dy), weight = doubles(w);
    const auto all = std::size_t(cols);
    std::vector<double> dx(in.size()), dw(all), db(all);
    for (std::size_t row = 0; row < in.size(); row += all) {
        double mean = 0, squares = 0, a = 0, c = 0;
        for (std::size_t j = 0; j < all && centred; ++j) mean += in[row + j] / double(cols);
        for (std::size_t j = 0; j < all; ++j) squares += std::pow(in[row + j] - mean, 2) / double(cols);
        const double factor = 1 / std::sqrt(squares + 1e-5);
        for (std::size_t j = 0; j < all; ++j) {
            const double normal = (in[row + j] - mean) * factor, slope = g[row + j] * weight[j];
            dw[j] += g[row + j] * normal, db[j] += g[row + j];
            a += centred ? slope / double(cols) : 0, c += slope * normal / double(cols);
        }
        for (std::size_t j = 0; j < all; ++j)
            dx[row + j] = factor * (g[row + j] * weight[j] - a - (in[row + j] - mean) * factor * c);
    }
    CHECK(close(x.grad(), dx, usual * 8));
    CHECK(close(w.grad(), dw, usual * 8));
    if (centred) CHECK(close(b.grad(), db, usual * 8));
}

TEST_CASE("layer_norm: edges", "[ops][layer_norm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor b({3}, {1, 2, 3}, device);
    const Tensor x = full({2, 3}, 7, device).requires_grad_();  // variance 0
    const Tensor y = layer_norm(x, 1, Tensor(), b);
    CHECK(y.values() == Values{1, 2, 3, 1, 2, 3});
    sum(y * Tensor({2, 3}, {1, 0, 0, 0, 0, 0}, device)).backward();
    for (const double g : doubles(x.grad())) CHECK(std::isfinite(g));
    CHECK(rms_norm(zeros({2, 3}, device), 1).values() == Values(6, 0));
    CHECK(layer_norm(Tensor({2, 1}, {5, -5}, device), 1).values() == Values{0, 0});  // a sample of one number
    CHECK(is_nan(layer_norm(full({2}, 7, device), 1, {}, {}, 0).values()[0]));
    for (const Real v : layer_norm(Tensor({3}, {1, not_a_number, 2}, device), 1).values()) CHECK(is_nan(v));
    // Small differences between numbers far from 0 keep their precision.
    CHECK(close(layer_norm(Tensor({4}, {4096, 4097, 4098, 4099}, device), 1),
                {-1.3416354, -0.4472118, 0.4472118, 1.3416354}, 1e-6));
    const Tensor w = ones({3}, device).requires_grad_();
    const Tensor nothing = layer_norm(empty({0, 3}, device), 1, w);
    CHECK(nothing.shape() == Shape{0, 3});
    sum(nothing).backward();
    CHECK(w.grad().values() == Values{0, 0, 0});
    CHECK(rms_norm(empty({3, 0}, device), 1).shape() == Shape{3, 0});
}

TEST_CASE("layer_norm: the same bits for any number of threads", "[ops][layer_norm][threads]") {
    Generator random(4);
    const Tensor x = random.normal({1001, 150}).requires_grad_(), w = random.normal({150}).requires_grad_(),
                 b = random.normal({150}).requires_grad_(), dy = random.normal({1001, 150});
    const int before = threads();
    std::vector<Values> first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        std::vector<Values> now;
        for (const bool centred : {true, false}) {
            for (const Tensor& t : {x, w, b}) t.zero_grad();
            const Tensor y = centred ? layer_norm(x, 1, w, b) : rms_norm(x, 1, w);
            sum(y * dy).backward();
            now.push_back(y.values()), now.push_back(x.grad().values()), now.push_back(w.grad().values());
        }
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
}

TEST_CASE("layer_norm: agrees with PyTorch", "[ops][layer_norm][golden][devices]") {
    check_golden("layer_norm", [](const Golden& g) {
        const Tensor w = g.has("weight") ? g["weight"] : Tensor(), b = g.has("bias") ? g["bias"] : Tensor();
        if (g.word("op") == "rms_norm") return rms_norm(g["x"], int(g.number("axes")), w, g.real("epsilon"));
        return layer_norm(g["x"], int(g.number("axes")), w, b, g.real("epsilon"));
    });
}

GRADIENT_TEST("layer_norm", "[row:eq-layernorm/d]") {
    const auto draw = [](Generator& random) {
        const Shape shape = random_shape(random, 2, 3), sample = last(shape, shape.dim() - 1);
        return Inputs{random.normal(shape), random.normal(sample), random.normal(sample)};
    };
    check_gradient([](const Inputs& x) { return layer_norm(x[0], x[1].dim(), x[1], x[2], 0.1); }, draw);
    check_gradient([](const Inputs& x) { return layer_norm(x[0], 1, Tensor(), Tensor(), 0.1); },
                   [](Generator& random) {
                       return Inputs{random.normal({20, 3})};
                   },
                   4);
}
GRADIENT_TEST("rms_norm") {
    check_gradient([](const Inputs& x) { return rms_norm(x[0], x[1].dim(), x[1], 0.1); },
                   [](Generator& random) {
                       const Shape shape = random_shape(random, 2, 3);
                       return Inputs{random.normal(shape), random.normal(last(shape, shape.dim() - 1))};
                   });
}

TEST_CASE("layer_norm: messages", "[ops][layer_norm]") {
    CHECK_THROWS_WITH(layer_norm(ones({2, 3}), 0),
                      "layer_norm: wanted from 1 to 2 of the last axes of shape (2, 3), got 0");
    CHECK_THROWS_WITH(rms_norm(ones({2, 3}), 3),
                      "rms_norm: wanted from 1 to 2 of the last axes of shape (2, 3), got 3");
    CHECK_THROWS_WITH(layer_norm(ones({2, 3}), 1, ones({2})),
                      "layer_norm: samples of shape (3) want a weight and a bias of that shape, got (2)");
    CHECK_THROWS_WITH(layer_norm(ones({2, 3}), 2, Tensor(), ones({3})),
                      "layer_norm: samples of shape (2, 3) want a weight and a bias of that shape, got (3)");
    CHECK_THROWS_WITH(layer_norm(ones({2, 3}), 1, ones({3}, Device::sim)),
                      "layer_norm: wanted all on one device, got cpu and sim");
    CHECK_THROWS_WITH(rms_norm(ones({2}), 1, Tensor(), -1), "rms_norm: wanted an epsilon of at least 0, got -1");
    CHECK_THROWS_WITH(rms_norm(ones({2}), 1, Tensor(), double(not_a_number)),
                      "rms_norm: wanted an epsilon of at least 0, got nan");
}
