#include <recto/nn/reversible.hpp>

#include <algorithm>
#include <cmath>

#include <recto/autograd/captured.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/dropout.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;
using nn::Coupling, nn::couple, nn::reversible, nn::uncouple;

namespace {

/// Blocks of small layers, some of which share a weight.
struct Network {
    Generator random{4};
    Tensor x, shared;
    std::vector<Tensor> own;
    std::vector<Coupling> blocks;
    Network(Device device, int depth, double drop = 0, Real spread = Real(0.3))
        : x(random.normal({9, 8}, 0, 1, device).requires_grad_()),
          shared(random.normal({4, 4}, 0, spread, device).requires_grad_()) {
        for (int i = 0; i < depth; ++i) {
            own.push_back(random.normal({4, 4}, 0, spread, device).requires_grad_());
            blocks.push_back({[w = own.back(), drop, this](const Tensor& t) {
                                  return dropout(linear(t, w, {}, tanh), drop, random);
                              },
                              [w = shared](const Tensor& t) { return linear(t, w, {}, tanh); }});
        }
    }
    Tensor plain(Tensor t) const {
        for (const Coupling& block : blocks) t = couple(block, t);
        return t;
    }
};

/// All gradients of a number that depends on all inputs and weights.
std::vector<double> gradients(Network& net, bool kept) {
    const Tensor y = kept ? net.plain(net.x) : reversible(net.blocks, net.x);
    sum(square(y) * y).backward();
    std::vector<double> found = doubles(y);
    std::vector<Tensor> leaves = net.own;
    leaves.push_back(net.x), leaves.push_back(net.shared);
    for (const Tensor& leaf : leaves)
        for (const double g : doubles(leaf.grad())) found.push_back(g);
    return found;
}

}  // namespace

TEST_CASE("reversible: blocks are undone", "[autograd][reversible][devices][row:sys-reversible-layers/a]") {
    const Device device = GENERATE(from_range(devices()));
    const NoGrad only_asking;
    for (const double spread : {0.1, 0.3}) {
        const Network net(device, 32, 0, Real(spread));
        Tensor y = net.plain(net.x);
        const auto reached = double(max(abs(y)).item());
        CHECK(double(max(abs(y - net.x)).item()) > 1);
        for (std::size_t i = net.blocks.size(); i-- > 0;) y = uncouple(net.blocks[i], y);
        // Rounding errors are relative to the numbers added: larger weights lead to larger errors.
        CHECK(double(max(abs(y - net.x)).item()) <= 1e-5 * (spread < 0.2 ? 1 : reached));
    }
}

TEST_CASE("reversible: the gradients are those of the version that keeps everything",
          "[autograd][reversible][devices][row:sys-reversible-layers/b]") {
    const Device device = GENERATE(from_range(devices()));
    for (const double drop : {0.0, 0.4}) {
        Network kept(device, 32, drop), undone(device, 32, drop);
        const std::vector<double> want = gradients(kept, true), got = gradients(undone, false);
        REQUIRE(got.size() == want.size());
        double largest = 0, worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i)
            largest = std::max(largest, std::abs(want[i])), worst = std::max(worst, std::abs(want[i] - got[i]));
        CHECK(largest > 1);
        CHECK(worst <= 1e-5 * largest);
        CHECK(kept.random.calls() == undone.random.calls());
    }
}

TEST_CASE("reversible: memory does not grow with depth", "[autograd][reversible][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto peak = [&](int depth) {
        const Tensor x = Generator(2).normal({1 << 10, 16}, 0, 1, device).requires_grad_();
        const std::vector<Coupling> blocks(std::size_t(depth), {[](const Tensor& t) { return tanh(tanh(t)); },
                                                                [](const Tensor& t) { return tanh(t); }});
        reset_memory_peak();
        const std::size_t before = memory_use().now;
        sum(reversible(blocks, x)).backward();
        return memory_use().peak - before;
    };
    CHECK(peak(4) == peak(64));
}

TEST_CASE("reversible: in a captured step", "[autograd][reversible][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto run = [&](bool captured) {
        Network net(device, 3, 0.5);
        const auto step = [&] {
            for (const Tensor& w : net.own) w.zero_grad();
            const Tensor y = sum(square(reversible(net.blocks, net.x)));
            y.backward();
            return y;
        };
        Captured replayed(device, step);
        std::vector<double> found;
        for (int i = 0; i < 4; ++i) {
            found.push_back(double((captured ? replayed.replay() : step()).item()));
            for (const double g : doubles(net.own[0].grad())) found.push_back(g);
        }
        return found;
    };
    CHECK(run(true) == run(false));
}

TEST_CASE("reversible: only what is wanted", "[autograd][reversible]") {
    const Tensor x = ones({2, 4}), w = ones({2}).requires_grad_();
    const Coupling plain{[](const Tensor& t) { return exp(t); }, [](const Tensor& t) { return t * 0; }};
    CHECK_FALSE(reversible({plain}, x).requires_grad());
    const Coupling one{[w](const Tensor& t) { return t * w; }, [](const Tensor& t) { return ones(t.shape()); }};
    const Tensor y = reversible({one}, x);
    sum(y).backward();
    CHECK(w.grad().values() == std::vector<Real>{2, 2});
    CHECK(same_bits(y, couple(one, x)));
    const NoGrad guard;
    CHECK_FALSE(reversible({one}, x).requires_grad());
}

GRADIENT_TEST("reversible") {
    check_gradient(
        [](const Inputs& x) {
            const Coupling block{[w = x[1]](const Tensor& t) { return tanh(t * w); },
                                 [w = x[1]](const Tensor& t) { return square(t) * w; }};
            return reversible({block, block}, x[0]);
        },
        [](Generator& random) {
            return Inputs{random.normal({3, 4}, 0, Real(0.5)), random.normal({2}, 0, Real(0.5))};
        });
}

TEST_CASE("reversible: messages", "[autograd][reversible]") {
    const Segment same = [](const Tensor&t) { return t; }, longer = [](const Tensor&) { return ones({3}); };
    const Tensor x = ones({2, 4});
    CHECK_THROWS_WITH(reversible({}, x), "reversible: wanted at least one block, got none");
    CHECK_THROWS_WITH(reversible({{same, nullptr}}, x), "reversible: wanted two functions, got an empty one");
    CHECK_THROWS_WITH(couple({nullptr, same}, x), "couple: wanted two functions, got an empty one");
    CHECK_THROWS_WITH(couple({same, same}, ones({2, 3})),
                      "couple: wanted an even number of numbers along the last axis, got shape (2, 3)");
    CHECK_THROWS_WITH(reversible({{same, same}}, Tensor()),
                      "reversible: wanted an even number of numbers along the last axis, got an undefined tensor");
    CHECK_THROWS_WITH(uncouple({same, same}, ones({})),
                      "uncouple: wanted an even number of numbers along the last axis, got shape ()");
    CHECK_THROWS_WITH(couple({longer, same}, x), "couple: wanted functions that keep shape (2, 2), got (3)");
    CHECK_THROWS_WITH(reversible({{same, longer}}, x), "reversible: wanted functions that keep shape (2, 2), got (3)");
}
