#include <recto/data/batches.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <recto/nn/sequential.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;

namespace {
/// n examples whose signal, label and target all encode their row.
Examples numbered(Index n) {
    Examples set{empty({n, 2, 3}), Integers(Shape{n}), empty({n, 1}), "numbered"};
    for (Index i = 0; i < n * 6; ++i) set.x.write()[i] = Real(i);
    for (Index i = 0; i < n; ++i) set.labels.write()[i] = i, set.targets.write()[i] = Real(-i);
    return set;
}
}  // namespace

TEST_CASE("examples: slices are views, selections are copies", "[data]") {
    const Examples set = numbered(5), some = slice(set, 1, 4);
    CHECK(some.x.shape() == Shape{3, 2, 3});
    CHECK(some.x.data() == set.x.data() + 6);
    CHECK(some.labels.values() == std::vector<Index>{1, 2, 3});
    CHECK(some.targets.values() == std::vector<Real>{-1, -2, -3});
    const Examples picked = select(set, std::vector<Index>{4, 0, 4});
    CHECK(picked.x.at({0, 0, 0}) == 24);
    CHECK(picked.x.at({1, 1, 2}) == 5);
    CHECK(picked.labels.values() == std::vector<Index>{4, 0, 4});
    CHECK(picked.targets.values() == std::vector<Real>{-4, 0, -4});
    CHECK(flat(set).x.shape() == Shape{5, 6});
    CHECK(flat(set).x.data() == set.x.data());
    CHECK(to(set, Device::sim).labels.device() == Device::sim);
    const Examples bare{set.x, {}, {}, ""};  // neither labels nor targets
    CHECK_FALSE(select(slice(bare, 0, 3), std::vector<Index>{1}).labels.defined());
    CHECK(slice(set, 5, 5).size() == 0);
    CHECK_THROWS_WITH(slice(set, 2, 6), "slice: [2, 6) is outside 5 examples");
    CHECK_THROWS_WITH(select(set, std::vector<Index>{5}), "select: wanted rows from 0 to 4, got 5");
    CHECK_THROWS_WITH(select(to(set, Device::sim), std::vector<Index>{0}),
                      "select: wanted examples on cpu, got them on sim");
}

TEST_CASE("batches: every example once, in order or shuffled", "[data][devices][row:sys-sgd/a]") {
    const Device device = GENERATE(from_range(testing::devices()));
    const Examples set = numbered(103);
    Generator random(1);
    const Batches in_order(set, 10, device), shuffled(set, 10, random, device);
    CHECK(shuffled.count() == 11);
    for (const Batches& pass : {in_order, shuffled}) {
        std::vector<Index> seen;
        std::vector<Index> sizes;
        for (const Examples& batch : pass) {
            CHECK(batch.x.device() == device);
            sizes.push_back(batch.size());
            const auto labels = batch.labels.values();
            const auto x = batch.x.values(), t = batch.targets.values();
            for (std::size_t i = 0; i < labels.size(); ++i) {
                CHECK(x[6 * i + 5] == Real(6 * labels[i] + 5));
                CHECK(t[i] == Real(-labels[i]));
                seen.push_back(labels[i]);
            }
        }
        CHECK(sizes == std::vector<Index>{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 3});
        CHECK(std::ranges::is_sorted(seen) == (&pass == &in_order || seen[1] == seen[0] + 1));
        std::ranges::sort(seen);
        for (Index i = 0; i < 103; ++i) REQUIRE(seen[std::size_t(i)] == i);
    }
    CHECK(Batches(set, 10)[0].x.data() == set.x.data());
}

TEST_CASE("batches: each pass has its own order, and the same seed the same one", "[data]") {
    const Examples set = numbered(50);
    const auto orders = [&](std::uint64_t seed) {
        Generator random(seed);
        const auto a = Batches(set, 50, random)[0].labels.values(), b = Batches(set, 50, random)[0].labels.values();
        return std::pair(a, b);
    };
    CHECK(orders(1).first != orders(1).second);
    CHECK(orders(1) == orders(1));
    CHECK(orders(1).first != orders(2).first);
}

TEST_CASE("batches: passes without end, each in its own order", "[data]") {
    const Examples set = numbered(10);
    Generator random(1), again(1);
    Passes passes(set, 4, random);
    CHECK(passes.count() == 3);
    std::vector<std::vector<Index>> orders;
    for (Index pass = 0; pass < 3; ++pass) {
        std::vector<Index> seen;
        for (Index i = 0; i < 3; ++i) {
            CHECK(passes.pass() == pass);
            for (const Index label : passes.next().labels.values()) seen.push_back(label);
        }
        orders.push_back(seen);
        std::ranges::sort(seen);
        for (Index i = 0; i < 10; ++i) CHECK(seen[std::size_t(i)] == i);
    }
    CHECK(orders[0] != orders[1]);
    CHECK(orders[1] != orders[2]);
    CHECK(passes.taken() == 9);
    Passes other(set, 4, again);
    other.visit([](std::string_view name, auto& number) {
        if (name == "taken") number = 4;  // the second batch of the second pass
    });
    CHECK(other.next().labels.values() == std::vector<Index>(orders[1].begin() + 4, orders[1].begin() + 8));
    const Examples none = slice(set, 0, 0);
    CHECK_THROWS_WITH(Passes(none, 4, random), "Passes: wanted at least one example, got none");
    CHECK_THROWS_WITH(Passes(set, 0, random), "Batches: wanted a size of at least 1, got 0");
}

TEST_CASE("batches: loss and gradient of all are the means over batches, weighted by size",
          "[data][devices][row:eq-loss-average/a][row:eq-3.2/a]") {
    const Device device = GENERATE(from_range(testing::devices()));
    const Index size = GENERATE(1, 10, 23);  // single examples, a smaller last batch, all at once
    CAPTURE(device, size);
    Generator random(1);
    const nn::Mlp model({5, 7, 3}, tanh, random, {.device = device});
    const Examples all{random.normal({23, 5}), random.integers({23}, 0, 3), {}, "drawn"};
    const auto loss = [&](const Examples& some) { return cross_entropy(model(some.x), some.labels); };
    const auto slopes = [&](const Examples& some) {
        for (const NamedTensor& p : nn::parameters(model)) p.tensor.zero_grad();
        loss(some).backward();
        std::vector<double> found;
        for (const NamedTensor& p : nn::parameters(model))
            for (const double slope : testing::doubles(p.tensor.grad())) found.push_back(slope);
        return found;
    };
    double mean = 0;
    std::vector<double> slope(slopes(to(all, device)).size());
    for (const Examples& batch : Batches(all, size, device)) {
        const double share = double(batch.size()) / double(all.size());
        mean += share * double(loss(batch).item());
        const std::vector<double> part = slopes(batch);
        for (std::size_t i = 0; i < slope.size(); ++i) slope[i] += share * part[i];
    }
    CHECK(std::abs(mean - double(loss(to(all, device)).item())) <= 1e-6);
    const std::vector<double> want = slopes(to(all, device));
    for (std::size_t i = 0; i < slope.size(); ++i) CHECK(std::abs(slope[i] - want[i]) <= 1e-6);
}

TEST_CASE("batches: a pass keeps its set", "[data]") {
    Generator random(1);
    Examples set = numbered(5);
    const Batches in_order(set, 2), shuffled(set, 2, random);
    Passes passes(set, 5, random);
    set = numbered(1);
    CHECK(in_order.count() == 3);
    CHECK(shuffled.count() == 3);
    CHECK(passes.next().size() == 5);
    const Batches temporary(slice(numbered(6), 0, 5), 2);
    CHECK(temporary[2].labels.values() == std::vector<Index>{4});
}

TEST_CASE("batches: edges and messages", "[data]") {
    const Examples set = numbered(3), none = slice(set, 0, 0);
    CHECK(Batches(none, 10).count() == 0);
    CHECK(Batches(set, 10)[0].size() == 3);
    CHECK_THROWS_WITH(Batches(set, 0), "Batches: wanted a size of at least 1, got 0");
    CHECK_THROWS_WITH(Batches(set, 2)[2], "Batches: wanted a piece from 0 to 1, got 2");
}
