#include <recto/autograd/tape.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

using Values = std::vector<Real>;

namespace {
Tensor leaf(std::initializer_list<Real> values, Device device = Device::cpu) {
    return Tensor({Index(values.size())}, values, device).requires_grad_();
}
/// y = x, the cheapest step there is.
Tensor same(const Tensor& x) {
    return record("same", x.detach(), {x}, [](const Tensor& dy) { return Grads{dy}; });
}
}  // namespace

TEST_CASE("tape: a chain of a million steps runs backward and is destroyed", "[autograd][tape]") {
    const Tensor x = leaf({3});
    {
        Tensor y = x;
        for (int i = 0; i < 1'000'000; ++i) y = same(y);
        (y * 2).backward();
        CHECK(x.grad().item() == 2);
    }
    Tensor y = x;  // the same chain, destroyed without a backward pass
    for (int i = 0; i < 1'000'000; ++i) y = same(y);
    y = Tensor();
    CHECK(x.node().use_count() == 1);
}

TEST_CASE("tape: gradients of several uses add up", "[autograd][tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = leaf({2, 3}, device);
    const Tensor y = x + x, z = y * x;  // 2 x^2: an addition hands the same gradient to both inputs
    sum(z + y).backward();
    CHECK(x.grad().values() == Values{10, 14});
    sum(x + 1).backward();  // a second backward pass adds to the first gradient
    CHECK(x.grad().values() == Values{11, 15});
    x.zero_grad();
    CHECK_FALSE(x.grad().defined());
}

TEST_CASE("tape: leaves that share a gradient do not share its numbers", "[autograd][tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor a = leaf({1}, device), b = leaf({2}, device);
    const Tensor y = a + b;
    (y + a).backward();
    CHECK(a.grad().item() == 2);
    CHECK(b.grad().item() == 1);
    a.grad().set({0}, 7);
    CHECK(b.grad().item() == 1);
}

TEST_CASE("tape: steps that share a gradient do not add into it", "[autograd][tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor a = leaf({1}, device), b = leaf({2}, device), u = same(a), v = same(b);
    (u + v + u).backward();  // u's second gradient must not reach v through the tensor that both received
    CHECK(a.grad().item() == 2);
    CHECK(b.grad().item() == 1);
}

TEST_CASE("tape: a rule writes over a gradient only where nobody else holds it", "[autograd][tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = leaf({-1, 2}, device), z = leaf({-1, 2}, device);
    sum(relu(x) + square(z)).backward();  // the sum gives both the same gradient
    CHECK(x.grad().values() == Values{0, 1});
    CHECK(z.grad().values() == Values{-2, 4});

    const Tensor big = full({1 << 16}, 1, device).requires_grad_();
    Tensor y = big;
    for (int i = 0; i < 4; ++i) y = negative(y);
    const Tensor total = sum(y);
    reset_memory_peak();
    const std::size_t before = memory_use().now;
    total.backward();
    CHECK(memory_use().peak - before < 2 * big.numel() * sizeof(Real));  // one gradient, written over four times
    CHECK(big.grad().values() == Values(std::size_t(big.numel()), 1));
}

TEST_CASE("tape: pass after pass",
          "[autograd][tape][devices][row:sys-autograd/b][row:sys-autograd/d][row:claim-zero-grad/a]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor x = leaf({1, -2, 3}, device);
    for (int k = 1; k <= 4; ++k) {
        sum(x * x * x).backward();
        CHECK(x.grad().values() == Values{Real(3 * k), Real(12 * k), Real(27 * k)});  // they add up
    }
    x.zero_grad();
    x.set({0}, 5);
    sum(x * x * x).backward();
    CHECK(x.grad().values() == Values{75, 12, 27});
}

#ifdef RECTO_REAL_IS_DOUBLE  // finite differences need double precision
TEST_CASE("tape: loops and branches", "[autograd][tape][gradient][devices][row:sys-autograd/a]") {
    check_gradient(
        [](const Inputs& x) {
            Tensor y = x[0];
            for (Index i = 0; i <= y.numel() % 3; ++i) y = sum(y).item() > 0 ? tanh(y * x[1]) : y * y * x[1] + 1.;
            return y;
        },
        [](Generator& random) {
            const Shape shape = random_shape(random);
            const Real side = random.next_uniform() < 0.5 ? -1 : 1;
            return Inputs{random.uniform(shape, side - 0.2, side + 0.2), random.uniform(shape, 0.8, 1.2)};
        },
        32);
}
#endif

TEST_CASE("tape: a diamond a hundred deep takes a hundred steps, not 2^100", "[autograd][tape]") {
    const Tensor x = leaf({1});
    Tensor y = x;
    for (int i = 0; i < 100; ++i) y = (y + y) * Real(0.5);
    y.backward();
    CHECK(x.grad().item() == 1);
}

TEST_CASE("tape: an input that was changed after it was recorded is refused", "[autograd][tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor x = leaf({1, 2}, device);
    const Tensor y = sum(x * x);
    x.set({0}, 5);
    CHECK_THROWS_WITH(y.backward(),
                      "mul: a tensor of shape (2) was changed after it was recorded; the gradient would be wrong");
    CHECK_FALSE(x.grad().defined());
    sum(x * x).backward();
    CHECK(x.grad().values() == Values{10, 4});
}

TEST_CASE("tape: a failed sweep leaves nothing behind", "[autograd][tape]") {
    const Tensor x = leaf({1, 2});
    const Tensor left = x * 2, right = record_without_derivative("round", x.detach(), left);
    const Tensor y = sum(left + right);
    CHECK_THROWS_WITH(y.backward(), "round: has no derivative");
    sum(left).backward();
    CHECK(x.grad().values() == Values{2, 2});
}

TEST_CASE("tape: a sweep that fails leaves every gradient as it was", "[autograd][tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = leaf({1, 2}, device), fresh = leaf({1, 2}, device);
    sum(x * 5).backward();
    const Tensor kept = x.grad();
    bool fails = true;
    const Tensor broken = record("broken", x.detach(), {x}, [&](const Tensor& dy) {
        check(!fails, "broken: this rule throws");
        return Grads{dy * 0};
    });
    const Tensor y = sum(x * 5 + fresh) + sum(broken);  // the gradients of x * 5 and of fresh come first
    CHECK_THROWS_WITH(y.backward(), "broken: this rule throws");
    CHECK(x.grad().values() == Values{5, 5});
    CHECK(kept.values() == Values{5, 5});
    CHECK_FALSE(fresh.grad().defined());
    fails = false;
    y.backward();
    CHECK(x.grad().values() == Values{10, 10});
    CHECK(kept.data() == x.grad().data());  // a captured step adds to the gradient in place
    CHECK(fresh.grad().values() == Values{1, 1});
}

TEST_CASE("tape: asking for a gradient twice keeps the leaf", "[autograd][tape]") {
    Tensor x({2}, {1, 2});
    x.requires_grad_();
    const Tensor held_by_an_optimiser = x;
    x.requires_grad_();
    sum(x * x).backward();
    CHECK(held_by_an_optimiser.grad().values() == Values{2, 4});
    Tensor y = x * 2;
    CHECK_THROWS_WITH(y.requires_grad_(), "requires_grad_: wanted a leaf, got a result of mul; call detach() first");
}

TEST_CASE("tape: a copy to another device is differentiable, and the same device gives the same tensor",
          "[autograd][tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = leaf({1, 2});
    CHECK(x.to(Device::cpu).node() == x.node());
    const Tensor y = square(x.to(device));
    CHECK(y.device() == device);
    sum(y.to(Device::cpu) * Tensor({2}, {1, 10})).backward();
    CHECK(x.grad().device() == Device::cpu);
    CHECK(x.grad().values() == Values{2, 40});
    CHECK_FALSE(Tensor({1}, {1}).to(device).requires_grad());
    const NoGrad guard;
    if (device != Device::cpu) CHECK_FALSE(x.to(device).requires_grad());
}

TEST_CASE("tape: constants and NoGrad record nothing", "[autograd][tape]") {
    const Tensor x = leaf({1, 2}), constant({2}, {3, 4});
    CHECK_FALSE((constant * 2).requires_grad());
    CHECK((x * constant).requires_grad());
    {
        const NoGrad guard;
        CHECK_FALSE((x * 2).requires_grad());
        { const NoGrad inner; }
        CHECK_FALSE((x * 2).requires_grad());
    }
    CHECK((x * 2).requires_grad());
    CHECK_FALSE(x.detach().requires_grad());
    sum(x * constant).backward();
    CHECK(x.grad().values() == Values{3, 4});
    CHECK_FALSE(x.grad().requires_grad());
}

TEST_CASE("tape: an undefined gradient is no gradient", "[autograd][tape]") {
    const Tensor a = leaf({1}), b = leaf({2});
    record("left", a.detach(), {a, b}, [](const Tensor& dy) { return Grads{dy, Tensor()}; }).backward();
    CHECK(a.grad().item() == 1);
    CHECK_FALSE(b.grad().defined());
}

TEST_CASE("tape: steps tell how a number came about", "[autograd][tape]") {
    const Tensor x = leaf({1, 2});
    const Tensor y = sum(exp(x) * 3);
    const std::vector<Step> found = steps(y);
    REQUIRE(found.size() == 4);
    CHECK(found[0].name == "leaf");
    CHECK(found[1].name == "exp");
    CHECK(found[2].name == "mul");
    CHECK(found[3].name == "sum");
    CHECK(found[2].inputs == std::vector<std::uint64_t>{found[1].id, 0});
    CHECK(found[2].shape == Shape{2});
    CHECK(found[2].input_shapes == std::vector<Shape>{{2}, {}});
    CHECK(found[3].shape == Shape{});
    const std::vector<Step> views = steps(reshape(transpose(expand(reshape(x, {1, 2}), {2, 2}), 0, 1), {4}) * 2);
    REQUIRE(views.size() == 6);
    for (std::size_t i = 0; i < views.size(); ++i) {
        CAPTURE(views[i].name);
        CHECK(views[i].view == (i >= 1 && i <= 3));  // the second reshape had to copy; reshape(x) is freed by now
    }
    CHECK(steps(Tensor({1}, {1})).empty());
}

TEST_CASE("tape: a watch is told of every step, the last one first", "[autograd][tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = leaf({1, 2}, device);
    const Tensor y = sum(exp(x) * 3), other = sum(square(x) + x);
    std::vector<std::string> names;
    std::vector<std::uint64_t> ids;
    std::vector<Values> slopes;
    {
        const BackwardWatch watch([&](std::string_view name, std::uint64_t id, const Tensor& dy) {
            names.emplace_back(name), ids.push_back(id), slopes.push_back(dy.values());
        });
        {
            int seen = 0;
            const BackwardWatch inner([&](auto, auto, auto) { ++seen; });
            other.backward();
            CHECK(seen == 3);
        }
        CHECK(names.empty());
        y.backward();
    }
    sum(x * 2).backward();  // no watch exists any more
    const std::vector<Step> found = steps(y);
    CHECK(names == std::vector<std::string>{"sum", "mul", "exp"});
    CHECK(ids == std::vector<std::uint64_t>{found[3].id, found[2].id, found[1].id});
    CHECK(slopes == std::vector<Values>{{1}, {1, 1}, {3, 3}});
}

TEST_CASE("tape: messages", "[autograd][tape]") {
    const Tensor x = leaf({1, 2});
    CHECK_THROWS_WITH(x.backward(), "backward: wanted a single number to start from, got shape (2)");
    CHECK_THROWS_WITH(Tensor({1}, {1}).backward(),
                      "backward: nothing was recorded; did any input call requires_grad_()?");
    CHECK_THROWS_WITH((x * 2).grad(), "grad: only a leaf that called requires_grad_() keeps a gradient");
    CHECK_THROWS_WITH(Tensor({1}, {1}).grad(), "grad: only a leaf that called requires_grad_() keeps a gradient");
    CHECK_THROWS_WITH(Tensor().requires_grad_(), "requires_grad_: wanted a tensor, got an undefined one");
    const auto returns = [&](Grads grads) {
        return record("odd", Tensor({}, {0}), {x}, [grads](const Tensor&) { return grads; });
    };
    CHECK_THROWS_WITH(returns({}).backward(), "odd: the rule returned 0 gradients for 1 inputs");
    CHECK_THROWS_WITH(returns({ones({3})}).backward(), "odd: the gradient of input 0 has shape (3), the input (2)");
}

TEST_CASE("clone: its own numbers, connected to the tape", "[tape][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = leaf({1, 2, 3}, device);
    Tensor y = clone(x);
    sum(y * y).backward();
    CHECK(x.grad().values() == std::vector<Real>{2, 4, 6});
    y.write();
    CHECK(x.version() == 1);
    CHECK(y.data() != x.data());
    CHECK_FALSE(clone(x.detach()).requires_grad());
    const Tensor turned = transpose(reshape(x, {1, 3}));
    CHECK(clone(turned).is_contiguous());
    CHECK(clone(turned).values() == turned.values());
}
