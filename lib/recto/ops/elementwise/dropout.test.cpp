#include <recto/ops/elementwise/dropout.hpp>

#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

/// The fraction of zeros after dropout of ones.
double dropped(const Tensor& y) {
    double zeros = 0;
    for (const Real v : y.values()) zeros += v == 0;
    return zeros / double(y.numel());
}

}  // namespace

TEST_CASE("dropout: what is left is scaled, the rest is 0",
          "[ops][dropout][devices][row:eq-dropout/e][row:eq-dropout/f]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape =
        GENERATE(Shape{}, Shape{1}, Shape{127}, Shape{128}, Shape{129}, Shape{3, 5, 7}, Shape{200, 100});
    const double p = GENERATE(0.1, 0.5, 0.75);
    CAPTURE(device, shape, p);
    Generator random(1), again(1);
    const Tensor x = Generator(2).uniform(shape, 1, 2, device), y = dropout(x, p, random);
    const Values in = x.values(), out = y.values();
    for (std::size_t i = 0; i < in.size(); ++i)
        if (out[i] != 0) CHECK(std::abs(double(out[i]) - double(in[i]) / (1 - p)) <= 1e-6 * double(out[i]));
    CHECK(random.calls() == 1);
    CHECK(same_bits(dropout(x, p, again), y));
    const double n = double(shape.numel());
    if (n > 1000) {
        CHECK(std::abs(dropped(y) - p) <= 4 * std::sqrt(p * (1 - p) / n));
        CHECK_FALSE(same_bits(dropout(x, p, random), y));  // another draw
    }
    // The same on every device.
    Generator here(1);
    CHECK(dropout(x.to(Device::cpu), p, here).values() == out);
}

TEST_CASE("dropout: every decision has a word of its own", "[ops][dropout][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(300, 512, 1100);  // 512 numbers share 128 draws of four words
    CAPTURE(device, n);
    Generator random(1), same(1);
    const Values y = dropout(ones({n}, device), 0.5, random).values();
    const std::uint64_t key = same.split().seed();
    const auto goes = [](std::uint64_t seed, Index draw, Index word) {
        const auto words = philox({std::uint32_t(draw), 0, 0, 0}, {std::uint32_t(seed), std::uint32_t(seed >> 32)});
        return words[std::size_t(word)] < 0x80000000u;
    };
    Index wrong = 0;
    for (Index i = 0; i < n; ++i)
        wrong += (y[std::size_t(i)] == 0) != goes(key, i / 512 * 128 + i % 128, i % 512 / 128);
    CHECK(wrong == 0);

    const Values channels = spatial_dropout(ones({3, n, 2}, device), 0.5, random).values();
    const std::uint64_t other = same.split().seed();
    for (Index i = 0; i < 6 * n; ++i) wrong += (channels[std::size_t(i)] == 0) != goes(other, i / 2 / 4, i / 2 % 4);
    CHECK(wrong == 0);
}

TEST_CASE("dropout: mean and variance", "[ops][dropout][devices][row:eq-dropout/a][row:eq-dropout/b]") {
    const Device device = GENERATE(from_range(devices()));
    const double p = GENERATE(0.1, 0.5, 0.8), n = 100'000, x = 1.5, spread = x * x * p / (1 - p);
    Generator random(11);
    const Tensor y = dropout(full({100'000}, Real(x), device), p, random);
    CHECK(std::abs(double(mean(y).item()) - x) <= 4 * std::sqrt(spread / n));
    const double up = x / (1 - p) - x;  // y - x is this or -x
    const double fourth = (1 - p) * std::pow(up, 4) + p * std::pow(x, 4);
    CHECK(std::abs(double(mean(square(y - x)).item()) - spread) <= 4 * std::sqrt((fourth - spread * spread) / n));
}

TEST_CASE("dropout: a channel stays or goes as a whole",
          "[ops][dropout][devices][row:sys-dropout2d/a][row:sys-dropout2d/b][row:sys-dropout2d/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{50, 40}, Shape{3, 5, 7}, Shape{2, 3, 11, 13}, Shape{40, 25, 2, 2});
    const double p = GENERATE(0.2, 0.5, 0.75);  // 1 / (1 - p) is exact, in float too
    CAPTURE(device, shape, p);
    Generator random(3);
    const Tensor y = spatial_dropout(ones(shape, device), p, random);
    const Index channels = shape[0] * shape[1];
    const Tensor flat = reshape(y, {channels, shape.numel() / channels}), largest = max(flat, {1});
    CHECK(same_bits(min(flat, {1}), largest));
    for (const Real v : largest.values()) CHECK((v == 0 || v == Real(1 / (1 - p))));
    if (channels >= 1000) CHECK(std::abs(double(mean(y).item()) - 1) <= 4 * std::sqrt(p / (1 - p) / double(channels)));
}

TEST_CASE("dropout: nothing, everything, evaluation",
          "[ops][dropout][devices][row:eq-dropout/c][row:sys-dropout2d/c]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    const Tensor x = Tensor({2, 2}, {infinity, not_a_number, -1, 2}, device).requires_grad_();
    for (auto* op : {&dropout, &spatial_dropout}) {
        CHECK((*op)(x, 0, random, true).data() == x.data());
        CHECK((*op)(x, 0.5, random, false).data() == x.data());
        CHECK((*op)(x, 1, random, false).data() == x.data());
        CHECK(random.calls() == 0);
    }
    for (auto* op : {&dropout, &spatial_dropout}) {
        const Tensor y = (*op)(x, 1, random, true);
        CHECK(y.values() == Values(4, 0));
        x.zero_grad();
        sum(y).backward();
        CHECK(x.grad().values() == Values(4, 0));
        CHECK((*op)(empty({0, 3}, device), 0.5, random, true).shape() == Shape{0, 3});
        CHECK((*op)(empty({2, 3, 0}, device), 0.5, random, true).shape() == Shape{2, 3, 0});
    }
    // So small a probability drops nothing here, so large a probability drops everything.
    CHECK(dropped(dropout(ones({1000}, device), 1e-9, random)) == 0);
    CHECK(dropped(dropout(ones({1000}, device), 1 - 1e-9, random)) == 1);
}

TEST_CASE("dropout: backward draws the same mask", "[ops][dropout][devices][row:eq-dropout/d]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(5);
    const Tensor x = ones({9, 130}, device).requires_grad_(), y = dropout(x, 0.3, random);
    dropout(x, 0.3, random);  // other draws in between do not matter
    sum(y).backward();
    CHECK(same_bits(x.grad(), y));
}

TEST_CASE("dropout: the same bits for any number of threads", "[ops][dropout][threads]") {
    const Tensor x = Generator(6).normal({700, 300}).requires_grad_();
    const int before = threads();
    std::vector<Values> first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        std::vector<Values> now;
        Generator random(7);
        for (auto* op : {&dropout, &spatial_dropout}) {
            x.zero_grad();
            const Tensor y = (*op)(x, 0.5, random, true);
            sum(y).backward();
            now.push_back(y.values()), now.push_back(x.grad().values());
        }
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
}

GRADIENT_TEST("dropout") {
    check_gradient([](const Tensor& x) {
        Generator random(8);
        return dropout(x, 0.3, random);
    });
}
GRADIENT_TEST("spatial_dropout") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(9);
            return spatial_dropout(x[0], 0.3, random);
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random, 2, 4))}; });
}

TEST_CASE("dropout: messages", "[ops][dropout]") {
    Generator random(1);
    CHECK_THROWS_WITH(dropout(ones({1}), 1.5, random), "dropout: wanted a probability from 0 to 1, got 1.5");
    CHECK_THROWS_WITH(dropout(ones({1}), -1, random), "dropout: wanted a probability from 0 to 1, got -1");
    CHECK_THROWS_WITH(dropout(ones({1}), double(not_a_number), random, false),
                      "dropout: wanted a probability from 0 to 1, got nan");
    CHECK_THROWS_WITH(spatial_dropout(ones({2}), 0.5, random),
                      "spatial_dropout: wanted (batch, channels, ...), got shape (2)");
}
