#include <recto/ops/indexing/gather.hpp>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

/// Calls f(place in x, place in y) for every number of y, by the definition of gather.
template <class F>
void for_each_pair(const Shape& x, const Integers& places, int axis, const F& f) {
    const std::vector<Index> p = places.values();
    const PerAxis xs = x.strides(), ys = places.shape().strides();
    for (Index at = 0; at < places.numel(); ++at) {
        Index from = 0;
        for (int i = 0; i < x.dim(); ++i) {
            const Index place = at / ys[std::size_t(i)] % places.shape()[i];
            from += xs[std::size_t(i)] * (i == axis ? p[std::size_t(at)] : place);
        }
        f(std::size_t(from), std::size_t(at));
    }
}

}  // namespace

TEST_CASE("gather: definition of gather and scatter_add", "[ops][gather][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1, 1, 1}, Shape{4, 3, 5}, Shape{2, 127, 3}, Shape{128, 2, 2}, Shape{3, 2, 129});
    const Index count = GENERATE(0, 1, 6, 200);
    Generator random(1);
    const Tensor x = random.normal(shape, 0, 1, device);
    for (const int axis : {0, 1, 2}) {
        CAPTURE(device, shape, count, axis);
        const Integers places = random.integers(shape.with(axis, count), 0, shape[axis], device);
        const Tensor v = random.normal(places.shape(), 0, 1, device);
        const std::vector<double> from = doubles(x), values = doubles(v);
        std::vector<double> taken(values.size()), summed = from;
        for_each_pair(shape, places, axis, [&](std::size_t in, std::size_t out) {
            taken[out] = from[in];
            summed[in] += values[out];
        });
        CHECK(close(gather(x, axis, places), taken, 0));
        CHECK(close(scatter_add(x, axis - 3, places, v), summed, usual * 4));
        CHECK(close(x, from, 0));  // x is unchanged
        const Tensor turned = transpose(transpose(x, 0, 2), 2, 0);
        CHECK(same_bits(gather(turned, axis, places), gather(x, axis, places)));
    }
}

TEST_CASE("gather: whole numbers are added exactly, the same for any number of threads",
          "[ops][exact][gather][threads]") {
    Generator random(3);
    const Integers places = random.integers({200, 300}, 0, 7);
    const Tensor v = random.normal({200, 300});
    const int before = threads();
    Values first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        const Values now = scatter_add(zeros({200, 7}), 1, places, v).values();
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
    const Tensor counted = scatter_add(zeros({200, 7}), 1, places, ones({200, 300}));
    CHECK(sum(counted, {1}).values() == Values(200, 300));
}

TEST_CASE("gather: edges", "[ops][gather][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CHECK(gather(empty({0, 3}, device), 0, Integers({0, 3}, device)).shape() == Shape{0, 3});
    CHECK(scatter_add(ones({2}, device), 0, Integers({0}, device), empty({0}, device)).values() == Values{1, 1});
    CHECK(scatter_add(zeros({2}, device), 0, Integers({3}, {1, 1, 1}, device), ones({3}, device)).values() ==
          Values{0, 3});
}

TEST_CASE("gather: agrees with PyTorch", "[ops][gather][golden][devices]") {
    check_golden("gather", [](const Golden& g) {
        const int axis = int(g.number("axis"));
        if (g.word("op") == "gather") return gather(g["x"], axis, g.integers("places"));
        return scatter_add(g["x"], axis, g.integers("places"), g["values"]);
    });
}

GRADIENT_TEST("gather") {
    check_gradient(
        [](const Inputs& x) {
            Generator random{std::uint64_t(x[0].numel())};
            return gather(x[0], 1, random.integers(x[0].shape().with(1, 3), 0, x[0].size(1), x[0].device()));
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random, 2, 3))}; });
}
GRADIENT_TEST("scatter_add") {
    check_gradient(
        [](const Inputs& x) {
            Generator random{std::uint64_t(x[0].numel())};
            return scatter_add(x[0], 0, random.integers(x[1].shape(), 0, x[0].size(0), x[0].device()), x[1]);
        },
        [](Generator& random) {
            const Shape shape = random_shape(random);
            return Inputs{random.normal(shape), random.normal(shape.with(0, 2))};
        });
}
TEST_CASE("gather: messages", "[ops][gather]") {
    CHECK_THROWS_WITH(gather(ones({}), 0, Integers({}, {0})), "gather: wanted at least one axis, got shape ()");
    CHECK_THROWS_WITH(gather(ones({2, 3}), 1, Integers({3, 1}, {0, 0, 0})),
                      "gather: wanted places of the shape (2, 3) but for axis 1, got (3, 1)");
    CHECK_THROWS_WITH(gather(ones({2, 3}), 2, Integers({2, 1}, {0, 0})),
                      "gather: wanted an axis from -2 to 1 of shape (2, 3), got 2");
    CHECK_THROWS_WITH(gather(ones({2, 3}), 1, Integers({2, 1}, {0, 3})),
                      "gather: wanted labels from 0 to 2, got 3 at position 1");
    CHECK_THROWS_WITH(gather(ones({2, 3}), 1, Integers({2, 1}, {-1, 0})),
                      "gather: wanted labels from 0 to 2, got -1 at position 0");
    CHECK_THROWS_WITH(gather(ones({0}), 0, Integers({1}, {0})),
                      "gather: wanted at least one class to choose from, got none for label 0");
    CHECK_THROWS_WITH(gather(ones({2}), 0, Integers({1}, {0}, Device::sim)),
                      "gather: wanted all on one device, got cpu and sim");
    CHECK_THROWS_WITH(scatter_add(ones({2}), 0, Integers({1}, {-1}), ones({1})),
                      "scatter_add: wanted labels from 0 to 1, got -1 at position 0");
    CHECK_THROWS_WITH(scatter_add(ones({2}), 0, Integers({1}, {0}), ones({2})),
                      "scatter_add: wanted as many values as places, got shapes (2) and (1)");
    CHECK_THROWS_WITH(scatter_add(ones({2}), 0, Integers({1}, {0}), ones({1}, Device::sim)),
                      "scatter_add: wanted all on one device, got cpu and sim");
}
