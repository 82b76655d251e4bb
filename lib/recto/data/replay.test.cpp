#include <recto/data/replay.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/gather.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using data::ReplayMemory, data::Transitions;

TEST_CASE("ReplayMemory: keeps the last steps whole, and draws them evenly", "[data][replay]") {
    ReplayMemory memory(4, 2);
    for (int i = 0; i < 7; ++i) {
        const std::array<Real, 2> seen = {Real(i), Real(-i)}, then = {Real(i + 1), Real(-i - 1)};
        if (i == 5)
            memory.add(seen, i % 3, 10 * i, {});
        else
            memory.add(seen, i % 3, 10 * i, then);
        CHECK(memory.size() == std::min(i + 1, 4));
    }
    Generator random(1);
    const Index n = 40'000;
    const Transitions some = memory.sample(n, random);
    REQUIRE(some.seen.shape() == Shape{n, 2});
    REQUIRE(some.then.shape() == Shape{n, 2});
    const std::vector<double> seen = doubles(some.seen), then = doubles(some.then), rewards = doubles(some.rewards),
                              goes_on = doubles(some.goes_on);
    const std::vector<Index> actions = some.actions.values();
    std::array<int, 7> counts = {};
    for (std::size_t i = 0; i < std::size_t(n); ++i) {
        const int step = int(seen[2 * i]);
        REQUIRE((step >= 3 && step < 7));
        ++counts[std::size_t(step)];
        CHECK(seen[2 * i + 1] == -step);
        CHECK(actions[i] == step % 3);
        CHECK(rewards[i] == 10 * step);
        CHECK(goes_on[i] == (step == 5 ? 0 : 1));
        CHECK(then[2 * i] == (step == 5 ? 0 : step + 1));
    }
    for (std::size_t step = 3; step < 7; ++step)
        CHECK(std::abs(counts[step] - 0.25 * double(n)) < 4 * std::sqrt(0.25 * 0.75 * double(n)));
}

TEST_CASE("ReplayMemory: messages", "[data][replay]") {
    CHECK_THROWS_WITH(ReplayMemory(0, 1), "ReplayMemory: wanted room for at least 1 step of 1 number, got 0 of 1");
    ReplayMemory memory(2, 3);
    Generator random(1);
    CHECK_THROWS_WITH(memory.sample(1, random), "ReplayMemory: wanted at least 1 step to draw from, got none");
    const std::array<Real, 3> frame = {1, 2, 3};
    CHECK_THROWS_WITH(memory.add(std::span(frame).first(2), 0, 0, frame),
                      "ReplayMemory: wanted frames of 3 numbers, got 2 and 3");
    memory.add(frame, 0, 0, {});
    CHECK(memory.sample(0, random).seen.shape() == Shape{0, 3});
    CHECK_THROWS_WITH(memory.sample(-1, random), "ReplayMemory: wanted at least 0 steps, got -1");
}

TEST_CASE("ReplayMemory: the loss of a deep Q-network and its gradients on every device",
          "[data][replay][devices][row:sys-dqn/e]") {
    const Device device = GENERATE(from_range(devices()));
    const auto on = [](Device where) {
        Generator random(1);
        ReplayMemory memory(100, 12);
        for (int i = 0; i < 100; ++i) {
            const std::vector<Real> seen = random.uniform({12}).values(), then = random.uniform({12}).values();
            memory.add(seen, i % 3, i % 5 - 2, i % 7 == 0 ? std::vector<Real>() : then);
        }
        const Transitions some = memory.sample(32, random);
        const nn::Mlp net({12, 8, 3}, relu, random, {.device = where}),
            copy({12, 8, 3}, relu, random, {.device = where});
        const Tensor y =
            some.rewards.to(where) + 0.9 * some.goes_on.to(where) * max(copy(some.then.to(where)), {1}).detach();
        const Tensor taken = gather(net(some.seen.to(where)), 1, some.actions.reshape({32, 1}).to(where));
        const Tensor loss = mse_loss(reshape(taken, {32}), y);
        loss.backward();
        std::vector<Tensor> found = {loss.detach().to(Device::cpu)};
        for (const NamedTensor& t : nn::parameters(net)) found.push_back(t.tensor.grad().to(Device::cpu));
        return found;
    };
    const std::vector<Tensor> got = on(device), want = on(Device::cpu);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(close(got[i], doubles(want[i]), 1e-4));
}
