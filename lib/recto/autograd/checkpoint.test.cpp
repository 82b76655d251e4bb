#include <recto/autograd/checkpoint.hpp>

#include <algorithm>

#include <recto/autograd/captured.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/dropout.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

enum class How { plain, flat, nested };
/// Runs a segment directly or as checkpoints.
Tensor run(How how, const Segment& segment, const Tensor& x) {
    return how == How::plain ? segment(x) : checkpoint(segment, x);
}

/// A segment with every supported kind of input: random draws of two kinds, a weight that is also used elsewhere, a
/// tensor that was computed outside, and a nested segment.
struct Network {
    Generator random{7};
    Tensor x, shared, own;
    Network(Device device)
        : x(random.normal({130, 6}, 0, 1, device)),
          shared(random.normal({6, 6}, 0, Real(0.5), device).requires_grad_()),
          own(random.normal({6, 6}, 0, Real(0.5), device).requires_grad_()) {}

    Tensor loss(How how) {
        const Tensor outside = tanh(linear(x, own));
        const Segment inner = [this](const Tensor& t) { return dropout(linear(t, shared, {}, tanh), 0.3, random); };
        const Segment outer = [this, outside, how, inner](const Tensor& t) {
            const Tensor noise = random.normal(t.shape(), 0, Real(0.1), t.device());
            const Tensor y = run(how == How::nested ? how : How::plain, inner, linear(t + noise, shared));
            return dropout(y * outside, 0.2, random) + t;
        };
        Tensor y = x;  // requires no gradient itself
        for (int i = 0; i < 3; ++i) y = run(how, outer, y);
        return mean(square(linear(y, shared)) + outside);
    }
};

std::vector<double> gradients(Device device, How how) {
    Network net(device);
    const Tensor loss = net.loss(how);
    loss.backward();
    std::vector<double> found = doubles(loss);
    for (const Tensor& w : {net.shared, net.own})
        for (const double g : doubles(w.grad())) found.push_back(g);
    found.push_back(double(net.random.calls()));
    return found;
}

std::vector<double> train(Device device, How how, bool captured) {
    Network net(device);
    optim::Adam adam({{"shared", net.shared}, {"own", net.own}}, {.lr = 0.01});
    const auto step = [&] {
        adam.zero_grad();
        const Tensor loss = net.loss(how);
        loss.backward();
        adam.step();
        return loss;
    };
    Captured replayed(device, step);
    std::vector<double> losses;
    for (int i = 0; i < 5; ++i) losses.push_back(double((captured ? replayed.replay() : step()).item()));
    losses.push_back(double(net.random.calls()));
    return losses;
}

}  // namespace

TEST_CASE("checkpoint: the gradients are those of the plain pass, bit by bit",
          "[autograd][checkpoint][devices][row:sys-checkpointing/a][row:sys-checkpointing/e]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const std::vector<double> plain = gradients(device, How::plain);
    CHECK(plain == gradients(device, How::flat));
    CHECK(plain == gradients(device, How::nested));
}

TEST_CASE("checkpoint: in a captured step, with new draws in every replay", "[autograd][checkpoint][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const std::vector<double> plain = train(device, How::plain, false);
    CHECK(plain[0] != plain[1]);
    CHECK(plain == train(device, How::flat, false));
    CHECK(plain == train(device, How::flat, true));
    CHECK(plain == train(device, How::nested, true));
}

TEST_CASE("checkpoint: a weight that every segment uses", "[autograd][checkpoint][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto gradient = [&](Index together) {  // a recurrence of 24 steps, `together` of them in a segment
        Generator random(3);
        const Tensor w = random.normal({5, 5}, 0, Real(0.6), device).requires_grad_();
        Tensor h = random.normal({4, 5}, 0, 1, device).requires_grad_();
        const Tensor start = h;
        const auto steps = [w](Index count) {
            return [w, count](Tensor t) {
                for (Index i = 0; i < count; ++i) t = linear(t, w, {}, tanh);
                return t;
            };
        };
        for (Index i = 0; i < 24; i += std::max<Index>(together, 1))
            h = together ? checkpoint(steps(together), h) : steps(1)(h);
        sum(square(h)).backward();
        std::vector<double> all = doubles(w.grad());
        for (const double g : doubles(start.grad())) all.push_back(g);
        return all;
    };
    const std::vector<double> plain = gradient(0);
    for (const Index together : {1, 2, 6, 24}) CHECK(plain == gradient(together));
}

TEST_CASE("checkpoint: keeps the input of a segment and nothing else", "[autograd][checkpoint][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = 1 << 14;
    const std::size_t one = n * sizeof(Real);
    const Tensor x = Generator(1).normal({n}, 0, 1, device).requires_grad_();
    const Segment segment = [](Tensor t) {
        for (int i = 0; i < 8; ++i) t = tanh(t);
        return t;
    };
    std::size_t before = memory_use().now;
    Tensor y = segment(x);
    CHECK(memory_use().now - before == 8 * one);
    y = Tensor();
    before = memory_use().now;
    y = checkpoint(segment, checkpoint(segment, x));
    CHECK(memory_use().now - before == 2 * one);
    reset_memory_peak();
    sum(y).backward();
    CHECK(memory_use().peak - before <= 13 * one);  // 8 intermediate results of the segment, and gradients
    CHECK(memory_use().now - before == 3 * one);    // plus the gradient of x
}

TEST_CASE("checkpoint: what is not recorded is not run again", "[autograd][checkpoint]") {
    const Tensor x({2}, {1, 2}), w = Tensor({2}, {3, 4}).requires_grad_();
    int runs = 0;
    const Segment segment = [&runs, w](const Tensor& t) {
        ++runs;
        return t * w;
    };
    {
        const NoGrad guard;
        CHECK_FALSE(checkpoint(segment, x).requires_grad());
    }
    CHECK_FALSE(checkpoint([](const Tensor& t) { return exp(t); }, x).requires_grad());
    const Tensor y = checkpoint(segment, x);  // of all its inputs only the weight requires a gradient
    CHECK(runs == 2);
    sum(y).backward();
    CHECK(runs == 3);
    CHECK(w.grad().values() == std::vector<Real>{1, 2});
    CHECK(same_bits(checkpoint([](const Tensor& t) { return t; }, w), w));
    w.zero_grad();
    sum(checkpoint([](const Tensor& t) { return t; }, w * 2)).backward();
    CHECK(w.grad().values() == std::vector<Real>{2, 2});
    w.zero_grad();
    sum(checkpoint([w](const Tensor&) { return w; }, x)).backward();
    CHECK(w.grad().values() == std::vector<Real>{1, 1});
}

TEST_CASE("checkpoint: a generator of the segment's own, and draws on the host", "[autograd][checkpoint]") {
    const Tensor x = Tensor({3}, {1, 2, 3}).requires_grad_();
    Generator random(5);
    const Segment segment = [&random](const Tensor& t) {
        Generator own(9);
        return dropout(t, 0.5, own) * (1 + random.next_uniform()) * double(random.permutation(50)[0]);
    };
    random = Generator(5);
    sum(segment(x)).backward();
    const std::vector<Real> plain = x.grad().values();
    x.zero_grad();
    random = Generator(5);
    const Tensor y = sum(checkpoint(segment, x));
    random.next_uniform();  // another draw in between
    y.backward();
    CHECK(x.grad().values() == plain);
    CHECK(random.calls() == 3);
}

GRADIENT_TEST("checkpoint") {
    check_gradient(
        [](const Inputs& x) { return checkpoint([w = x[1]](const Tensor& t) { return tanh(t * w) + t; }, x[0]); },
        [](Generator& random) {
            const Shape shape = random_shape(random);
            return Inputs{random.normal(shape), random.normal(shape)};
        });
}

TEST_CASE("checkpoint: messages", "[autograd][checkpoint]") {
    const Segment same = [](const Tensor& t) { return t * 1; };
    Tensor x = Tensor({2}, {1, 2}).requires_grad_();
    Tensor mask({2}, {1, 0});
    CHECK_THROWS_WITH(checkpoint(nullptr, x), "checkpoint: wanted a segment to run, got an empty function");
    CHECK_THROWS_WITH(checkpoint(same, Tensor()), "checkpoint: wanted an input, got an undefined tensor");
    CHECK_THROWS_WITH(checkpoint([](const Tensor&) { return Tensor(); }, x),
                      "checkpoint: wanted a result, got an undefined tensor");
    int runs = 0;
    const Tensor grows = checkpoint([&](const Tensor& t) { return ++runs == 1 ? t * 1 : sum(t); }, x);
    CHECK_THROWS_WITH(sum(grows).backward(),
                      "checkpoint: the segment gave shape (2) at first and () when it ran again");
    runs = 0;
    const Tensor stops = checkpoint([&](const Tensor& t) { return ++runs == 1 ? t * 1 : t.detach(); }, x);
    CHECK_THROWS_WITH(sum(stops).backward(), "checkpoint: the segment recorded nothing when it ran again");
    Generator random(1);
    runs = 0;
    const Tensor more = checkpoint([&](const Tensor& t) { return ++runs == 1 ? t * 1 : t * random.next_normal(); }, x);
    CHECK_THROWS_WITH(sum(more).backward(),
                      "draws: a computation that was done again drew more than the 0 times of the first run");
    runs = 0;
    const Tensor fewer = checkpoint([&](const Tensor& t) { return ++runs == 1 ? t * random.next_normal() : t * 1; }, x);
    CHECK_THROWS_WITH(sum(fewer).backward(),
                      "draws: a computation that was done again drew 0 times, and 1 times at first");
    CHECK_FALSE(x.grad().defined());

    const Tensor y = sum(checkpoint([mask](const Tensor& t) { return t * mask; }, x));
    mask.set({0}, 5);
    CHECK_THROWS_WITH(
        y.backward(),
        "checkpoint: a tensor of shape (2) was changed after it was recorded; the gradient would be wrong");
    const Tensor z = sum(checkpoint(same, x));
    x.set({0}, 5);
    CHECK_THROWS_WITH(
        z.backward(),
        "checkpoint: a tensor of shape (2) was changed after it was recorded; the gradient would be wrong");
}
