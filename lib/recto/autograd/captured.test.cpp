#include <recto/autograd/captured.hpp>

#include <recto/device/block_cache.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/dropout.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/gather.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>
#include <recto/optim/rmsprop.hpp>
#include <recto/optim/sgd.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// All devices except the CPU, where a replay simply runs the step.
std::vector<Device> devices_that_record() {
    std::vector<Device> all = devices();
    std::erase(all, Device::cpu);
    return all;
}

/// A small network with dropout, and all that one step of it needs.
template <class Optimiser>
struct Training {
    Generator random{7};
    Tensor w, v, x, y;
    Optimiser optimiser;
    template <class Options>
    Training(Device device, const Options& options)
        : w(random.normal({9, 5}, 0, 1, device).requires_grad_()),
          v(random.normal({1, 9}, 0, 1, device).requires_grad_()),
          x(zeros({130, 5}, device)),
          y(zeros({130, 1}, device)),
          optimiser({{"w", w}, {"v", v}}, options) {}
    Tensor step() {
        optimiser.zero_grad();
        const Tensor hidden = dropout(linear(x, w, {}, tanh), 0.3, random);
        const Tensor noise = random.normal(y.shape(), 0, Real(0.1), y.device());
        const Tensor loss = mse_loss(linear(hidden, v), y + noise);
        loss.backward();
        optimiser.step();
        return loss;
    }
};

/// Runs six steps with a falling learning rate, each on its own batch; returns the losses, then the weights.
template <class Optimiser, class Options>
std::vector<double> train(Device device, const Options& options, bool captured) {
    Training<Optimiser> t(device, options);
    Captured step(device, [&] { return t.step(); });
    std::vector<double> found;
    Generator data(3);
    for (int i = 0; i < 6; ++i) {
        t.x.copy_(data.normal(t.x.shape())), t.y.copy_(data.normal(t.y.shape()));
        t.optimiser.options.lr = 0.1 / (i + 1);
        if (i == 4) t.random.next_uniform();  // another draw in between
        found.push_back(double((captured ? step.replay() : t.step()).item()));
        const Tensor other = full({130, 9}, 1e9, device);  // would overwrite memory that a replay still needs
    }
    for (const Tensor& tensor : {t.w, t.v})
        for (const double value : doubles(tensor)) found.push_back(value);
    found.push_back(double(t.random.calls()));
    return found;
}

}  // namespace

TEST_CASE("captured: steps replayed are the steps themselves, bit by bit", "[core][captured][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto same = [&]<class Optimiser>(const auto& options) {
        const std::vector<double> plain = train<Optimiser>(device, options, false);
        CHECK(plain[0] != plain[1]);
        CHECK(plain == train<Optimiser>(device, options, true));
    };
    same.template operator()<optim::Adam>(optim::AdamOptions{.weight_decay = 0.01});
    same.template operator()<optim::Sgd>(optim::SgdOptions{.momentum = 0.9, .nesterov = true});
    same.template operator()<optim::Sgd>(optim::SgdOptions{});
    same.template operator()<optim::RmsProp>(optim::RmsPropOptions{.momentum = 0.5});
}

TEST_CASE("captured: from the third on the function is not called, and no new memory asked for",
          "[core][captured][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Tensor x = ones({3}, device);
    int calls = 0;
    Captured step(device, [&] {
        ++calls;
        x.copy_(x * 2 + exp(x * 0));
        return x;
    });
    const auto held = [&] {
        return device == Device::cpu ? 0 : block_cache(device).in_use() + block_cache(device).kept();
    };
    Tensor after;
    std::size_t before = 0;
    for (int i = 0; i < 5; ++i) {
        after = step.replay();
        if (i == 1) before = held();
    }
    CHECK(after.values() == std::vector<Real>(3, 63));
    CHECK(calls == (device == Device::cpu ? 5 : 2));
    CHECK((device == Device::cpu || held() == before));
}

TEST_CASE("captured: a replay keeps to its own memory", "[core][captured][devices]") {
    const Device device = GENERATE(from_range(devices_that_record()));
    const std::size_t used = block_cache(device).in_use();
    {
        Tensor x = ones({1000}, device), kept;
        Captured step(device, [&] {
            const Tensor y = exp(x * 0) + x;  // its temporaries are freed when it ends
            return y + 1;
        });
        for (int i = 0; i < 3; ++i) {
            std::vector<Tensor> others;  // more blocks of that size than were ever freed
            for (int j = 0; j < 20 * (i + 1); ++j) others.push_back(full({1000}, 7, device));
            kept = step.replay();
            for (const Tensor& other : others) CHECK(other.values() == std::vector<Real>(1000, 7));
        }
        CHECK(kept.values() == std::vector<Real>(1000, 3));
    }
    CHECK(block_cache(device).in_use() == used);
}

TEST_CASE("captured: a label out of range is found when the step is replayed", "[core][captured][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor scores = Generator(1).normal({3, 4}, 0, 1, device).requires_grad_(),
                 rows_of = Generator(2).normal({4, 2}, 0, 1, device).requires_grad_();
    Integers labels({3}, {0, 1, 3}, device);
    Captured step(device, [&] {
        const Tensor likelihood = cross_entropy(scores, labels, {.ignored = 2});  // checks the labels first
        const Tensor loss =
            likelihood + sum(index_rows(rows_of, labels)) + sum(gather(scores, 1, labels.reshape({3, 1})));
        scores.zero_grad(), rows_of.zero_grad();
        loss.backward();
        return loss;
    });
    const auto loss_of = [&](std::initializer_list<Index> values) {
        copy_bytes(labels.write(), device, std::data(values), Device::cpu, 3 * sizeof(Index));
        const double loss = step.replay().item();
        synchronize(device);
        return loss;
    };
    const double first = loss_of({0, 1, 3});
    const std::vector<Real> slope = rows_of.grad().values();
    CHECK(slope == std::vector<Real>{1, 1, 1, 1, 0, 0, 1, 1});
    CHECK(loss_of({0, 2, 3}) != first);
    CHECK(rows_of.grad().values() == std::vector<Real>{1, 1, 0, 0, 1, 1, 1, 1});
    CHECK(loss_of({0, 1, 3}) == first);
    CHECK(rows_of.grad().values() == slope);
    const std::string complaint = "cross_entropy: wanted labels from 0 to 3, got ";
    CHECK_THROWS_WITH(loss_of({0, -1, 4}), complaint + "-1 at position 1");
    CHECK_THROWS_WITH(loss_of({0, 1, 4}), complaint + "4 at position 2");
    CHECK(loss_of({0, 1, 3}) == first);  // the error was reported once and cleared
}

TEST_CASE("captured: a row out of range is NaN, not what lies beside the rows", "[core][captured][devices]") {
    const Device device = GENERATE(from_range(devices_that_record()));
    const Tensor all({4, 1}, {1, 2, 3, 4}, device), middle = all.view({2, 1}, {1, 1}, 1);
    Integers place({1}, {0}, device);
    Tensor row = empty({1, 1}, device);
    Captured step(device, [&] {
        row.copy_(index_rows(middle, place));
        return Tensor();
    });
    for (int i = 0; i < 3; ++i) step.replay();
    CHECK(row.item() == 2);
    for (const Index outside : {-1, 2}) {
        copy_bytes(place.write(), device, &outside, Device::cpu, sizeof(Index));
        CHECK_THROWS((step.replay(), synchronize(device)));
        CHECK(is_nan(row.item()));
    }
}

TEST_CASE("captured: gradients are cut without the host", "[core][captured][devices]") {
    const Device device = GENERATE(from_range(devices()));
    std::vector<double> lengths[2], weights[2];
    for (const bool captured : {false, true}) {
        Tensor w = Generator(1).normal({300}, 0, 1, device).requires_grad_();
        optim::Sgd sgd({{"w", w}}, {.lr = 0.1});
        std::optional<optim::Length> length;
        const auto once = [&] {
            sgd.zero_grad();
            const Tensor loss = sum(w * w);
            loss.backward();
            length = optim::clip_norm(sgd.parameters(), 30);
            sgd.step();
            return loss;
        };
        Captured step(device, once);
        for (int i = 0; i < 5; ++i) {
            captured ? step.replay() : once();
            lengths[captured].push_back(*length);
        }
        weights[captured] = doubles(w);
    }
    CHECK(lengths[0][0] > 30);
    CHECK(lengths[0] == lengths[1]);
    CHECK(weights[0] == weights[1]);
}

TEST_CASE("captured: what needs the host is refused by name", "[core][captured][devices]") {
    const Device device = GENERATE(from_range(devices_that_record()));
    const Tensor x = ones({2}, device), one = ones({}, device);
    const Integers labels({2}, {0, 1}, device);
    Generator random(1);
    const std::string rest =
        ": a captured step is replayed without the host; read and write numbers before or after it";
    const auto refused = [&](const std::string& who, const std::function<void()>& what) {
        CAPTURE(who);
        Captured step(device, [&] {
            what();
            return Tensor();
        });
        CHECK_FALSE(step.replay().defined());
        CHECK_THROWS_WITH(step.replay(), who + rest);
        CHECK_THROWS_WITH(step.replay(), who + rest);  // the failed step leaves no partial state
        CHECK((x + x).values() == std::vector<Real>{2, 2});
    };
    refused("item", [&] { (void)one.item(); });
    refused("values", [&] { (void)x.values(); });
    refused("values", [&] { (void)labels.values(); });
    refused("to", [&] { (void)x.to(Device::cpu); });
    refused("to", [&] { (void)ones({2}).to(device); });
    refused("at", [&] { (void)x.at({1}); });
    refused("Tensor", [&] { (void)Tensor({2}, {1, 2}, device); });
    refused("Integers", [&] { (void)Integers({2}, {1, 2}, device); });
    refused("permutation", [&] { (void)random.permutation(3); });
    refused("next_normal", [&] { (void)random.next_normal(); });
    refused("a draw on the host", [&] { (void)random.next_integer(0, 3); });
    Captured inner(device, [&] { return x + 1; }), outer(device, [&] { return inner.replay(); });
    outer.replay();
    CHECK_THROWS_WITH(outer.replay(), "capture: wanted no capture inside another one, got one");
}
