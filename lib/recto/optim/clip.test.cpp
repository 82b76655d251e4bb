#include <recto/optim/clip.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <recto/device/threads.hpp>
#include <recto/optim/sgd.hpp>
#include <recto/testing/training.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
using Values = std::vector<Real>;

// The squares of `huge` overflow, and those of `tiny` underflow.
const Real huge = std::sqrt(std::numeric_limits<Real>::max()) * 10;
const Real tiny = std::sqrt(std::numeric_limits<Real>::min()) / 1000;

/// Plain gradient descent with clipped gradients.
struct Clipped {
    NamedTensors parameters;
    bool by_norm;
    double most;
    optim::Sgd sgd{parameters, {.lr = 0.1}};
    void zero_grad() { sgd.zero_grad(); }
    void step() {
        if (by_norm)
            optim::clip_norm(parameters, most);
        else
            optim::clip_value(parameters, most);
        sgd.step();
    }
};

/// A parameter with this gradient.
Tensor with_gradient(const Tensor& g) {
    const Tensor w = zeros(g.shape(), g.device()).requires_grad_();
    give(w, g);
    return w;
}
}  // namespace

TEST_CASE("clip: agrees with PyTorch", "[optim][golden][devices]") {
    check_golden_steps("clip", [](const Golden& g, NamedTensors w) {
        return Clipped{w, g.word("by") == "norm", g.real("most")};
    });
}

TEST_CASE("clip_norm: the gradients of all parameters are one vector", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor a = with_gradient(Tensor({2}, {3, 0}, device)), b = with_gradient(Tensor({1}, {4}, device));
    const Tensor none = zeros({7}, device).requires_grad_();
    const NamedTensors all{{"a", a}, {"b", b}, {"none", none}};
    CHECK(optim::clip_norm(all, 5) == 5);
    CHECK(a.grad().values() == Values{3, 0});
    CHECK(optim::clip_norm(all, 2.5) == 5);
    CHECK(a.grad().values() == Values{1.5, 0});
    CHECK(b.grad().values() == Values{2});
    CHECK_FALSE(none.grad().defined());
    CHECK(optim::clip_norm({{"none", none}}, 1) == 0);
    CHECK(optim::clip_norm(all, infinity) == 2.5);  // never too long
    CHECK(b.grad().values() == Values{2});
    CHECK(optim::clip_norm(all, 0) == 2.5);
    CHECK(b.grad().values() == Values{0});
    CHECK(optim::clip_norm(all, 0) == 0);  // there is no gradient left to scale
    CHECK(a.grad().values() == Values{0, 0});
}

TEST_CASE("clip_norm: the length is cut, the direction stays",
          "[optim][devices][row:sys-gradient-clipping/a][row:sys-gradient-clipping/b][row:sys-gradient-clipping/c]"
          "[row:sys-gradient-clipping/f]") {
    const Device device = GENERATE(from_range(devices()));
    const double most = GENERATE(0.5, 3.0, 100.0);
    const Tensor g = Generator(3).normal({50}, 0, 1, device), w = with_gradient(g);
    const double before = optim::clip_norm({{"w", w}}, most);
    double after = 0, product = 0;
    const std::vector<double> cut = doubles(w.grad()), whole = doubles(g);
    for (std::size_t i = 0; i < 50; ++i) after += cut[i] * cut[i], product += cut[i] * whole[i];
    after = std::sqrt(after);
    CHECK(std::abs(after - std::min(before, most)) <= 1e-6);
    CHECK(std::abs(product / (after * before) - 1) <= 1e-6);
    if (before < most) CHECK(same_bits(w.grad(), g));
}

TEST_CASE("clip_norm: long sums, huge numbers, and what is no number", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor g = Generator(1).normal({100'000}, 0, 1, device), w = with_gradient(g);
    double want = 0;
    for (const double v : doubles(g)) want += v * v;
    CHECK(std::abs(optim::clip_norm({{"w", w}}, 1) - std::sqrt(want)) <= 100 * usual * std::sqrt(want));
    CHECK(std::abs(optim::clip_norm({{"w", w}}, 10) - 1) <= 100 * usual);
    // The squares of these overflow, the length does not.
    const Tensor h = with_gradient(Tensor({2}, {3 * huge, 4 * huge}, device));
    CHECK(std::abs(optim::clip_norm({{"h", h}}, 5) / huge - 5) <= 10 * usual);
    CHECK(close(h.grad(), {3, 4}, 10 * usual));
    for (const Real small : {tiny, std::numeric_limits<Real>::min() / 4}) {  // 1 / the second value overflows
        const Tensor faint = with_gradient(full({100}, small, device));
        CHECK(std::abs(optim::clip_norm({{"faint", faint}}, double(small)) / (10 * double(small)) - 1) <= 10 * usual);
        CHECK(close(faint.grad(), std::vector<double>(100, double(small) / 10), 0.01 * double(small)));
    }
    const Tensor odd = with_gradient(Tensor({2}, {1, not_a_number}, device));
    CHECK(std::isnan(optim::clip_norm({{"odd", odd}}, 0.5)));
    CHECK(odd.grad().values()[0] == 1);
    const Tensor endless = with_gradient(Tensor({2}, {1, -infinity}, device));
    CHECK(optim::clip_norm({{"endless", endless}}, 0.5) == double(infinity));
    CHECK(endless.grad().values() == Values{1, -infinity});
}

TEST_CASE("clip_norm: many tensors", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index count = GENERATE(64, 65, 130);        // a kernel processes 64 at a time
    const Real size = GENERATE(Real(1), huge, tiny);  // the three cases of the computation
    CAPTURE(device, count, size);
    const auto share = [&](Index i) { return size == huge && count > 64 && i < 64 ? 0 : i + 1; };
    NamedTensors all;
    double want = 0;
    for (Index i = 0; i < count; ++i) {
        all.push_back({fmt::format("w{}", i), with_gradient(full({1}, size * Real(share(i)), device))});
        want += double(share(i) * share(i));
    }
    want = std::sqrt(want);
    const double most = double(size);
    CHECK(std::abs(optim::clip_norm(all, most) / double(size) / want - 1) <= 10 * usual);
    for (Index i = 0; i < count; ++i) {
        const double got = double(all[std::size_t(i)].tensor.grad().item()) / double(size);
        CHECK(std::abs(got * want - double(share(i))) <= 1000 * usual);
    }
}

TEST_CASE("clip_norm: the same bits for any number of threads", "[optim]") {
    const Tensor g = Generator(2).normal({300'000});
    const int before = threads();
    std::vector<double> found;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        found.push_back(optim::clip_norm({{"w", with_gradient(g)}}, 1));
    }
    set_threads(before);
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
}

TEST_CASE("clip_value: number by number", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor w = with_gradient(Tensor({5}, {-3, -1, 0.5, infinity, not_a_number}, device));
    optim::clip_value({{"w", w}}, 1);
    const Values got = w.grad().values();
    CHECK(Values(got.begin(), got.end() - 1) == Values{-1, -1, 0.5, 1});
    CHECK(std::isnan(got.back()));
    const Tensor u = with_gradient(Tensor({2}, {-3, infinity}, device));
    optim::clip_value({{"u", u}}, infinity);
    CHECK(u.grad().values() == Values{-3, infinity});
    optim::clip_value({{"u", u}}, 0);
    CHECK(u.grad().values() == Values{0, 0});
}

TEST_CASE("clip: messages", "[optim]") {
    CHECK_THROWS_WITH(optim::clip_norm({}, -1), "clip_norm: wanted a length of at least 0, got -1");
    CHECK_THROWS_WITH(optim::clip_norm({}, not_a_number), "clip_norm: wanted a length of at least 0, got nan");
    CHECK_THROWS_WITH(optim::clip_value({}, -1), "clip_value: wanted a bound of at least 0, got -1");
    CHECK_THROWS_WITH(optim::clip_value({}, not_a_number), "clip_value: wanted a bound of at least 0, got nan");
}
