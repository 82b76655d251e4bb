#include <recto/ops/shapes/views.hpp>

#include <array>
#include <numeric>
#include <utility>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

/// 0, 1, 2, ...
Tensor counting(const Shape& shape, Device device = Device::cpu) {
    Values values(static_cast<std::size_t>(shape.numel()));
    std::iota(values.begin(), values.end(), Real(0));
    return Tensor(shape, values, device);
}

/// The reference: a plain array with a list of places, without strides.
struct Naive {
    std::vector<Index> shape;
    Values values;

    std::vector<std::vector<Index>> places() const {
        std::vector<std::vector<Index>> all{{}};
        for (const Index n : shape) {
            std::vector<std::vector<Index>> longer;
            for (const auto& place : all)
                for (Index i = 0; i < n; ++i) longer.push_back(place), longer.back().push_back(i);
            all = longer;
        }
        return all;
    }
    Real at(const std::vector<Index>& place) const {
        Index i = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) i = i * shape[axis] + place[axis];
        return values[std::size_t(i)];
    }
    /// A new array in which `where` maps every element to one of this array.
    template <class Where>
    Naive make(std::vector<Index> new_shape, const Where& where) const {
        Naive y{std::move(new_shape), {}};
        for (const auto& place : y.places()) y.values.push_back(at(where(place)));
        return y;
    }
};

}  // namespace

TEST_CASE("views: 200 random shapes agree with a naive reference", "[ops][views][devices][row:sys-tensor/a]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(11);
    for (int n = 0; n < 200; ++n) {
        const Shape shape = random_shape(random, 1, 5);
        Tensor x = random.normal(shape, 0, 1, device);
        Naive want{{shape.begin(), shape.end()}, x.values()};
        CAPTURE(device, n, shape);
        Index step = 1;  // strides of a fresh tensor: the product of the later extents
        for (int axis = shape.dim() - 1; axis >= 0; step *= shape[axis--])
            REQUIRE(x.strides()[std::size_t(axis)] == step);
        for (int turn = 0; turn < 3; ++turn) {
            const auto axis = std::size_t(random.next_integer(0, shape.dim()));
            if (random.next_uniform() < 0.5) {
                std::vector<int> order;
                for (const Index a : random.permutation(shape.dim())) order.push_back(int(a));
                x = permute(x, order);
                std::vector<Index> extents;
                for (const int a : order) extents.push_back(want.shape[std::size_t(a)]);
                want = want.make(extents, [&](const auto& place) {
                    std::vector<Index> from(place.size());
                    for (std::size_t i = 0; i < order.size(); ++i) from[std::size_t(order[i])] = place[i];
                    return from;
                });
            } else {
                const Index extent = want.shape[axis], begin = random.next_integer(0, extent);
                const Index end = random.next_integer(begin + 1, extent + 1), by = random.next_integer(1, 4);
                x = slice(x, int(axis), begin, end, by);
                auto extents = want.shape;
                extents[axis] = 0;
                for (Index i = begin; i < end; i += by) ++extents[axis];
                want = want.make(extents, [&](auto place) {
                    place[axis] = begin + place[axis] * by;
                    return place;
                });
            }
            REQUIRE(x.shape() == Shape(std::span<const Index>(want.shape)));
            REQUIRE(x.values() == want.values);
        }
        const auto places = want.places();
        const auto& place = places[std::size_t(random.next_integer(0, Index(places.size())))];
        Tensor one = x;  // indexing one axis after the other
        for (const Index i : place) one = select(one, 0, i);
        REQUIRE(one.item() == want.at(place));
        REQUIRE(contiguous(x).values() == want.values);
        REQUIRE(contiguous(x).is_contiguous());
        REQUIRE(flatten(x, 0).values() == want.values);
    }
}

TEST_CASE("views: at() reads one place", "[ops][views][devices][row:sys-tensor/a]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = transpose(counting({2, 3}, device));
    for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 2; ++j) CHECK(x.at({i, j}) == Real(j * 3 + i));
    CHECK_THROWS_WITH(x.at({3, 0}), "at: index 3 is outside axis 0 of shape (3, 2)");
    CHECK_THROWS_WITH(x.at({0}), "at: shape (3, 2) wants 2 indices, got 1");
}

TEST_CASE("views: nothing is copied", "[ops][views][devices][row:sys-tensor-views/a]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = counting({4, 6}, device);
    CHECK(reshape(x, {2, 12}).data() == x.data());
    CHECK(flatten(x, 0).data() == x.data());
    CHECK(transpose(x).data() == x.data());
    CHECK(permute(x, {1, 0}).data() == x.data());
    CHECK(slice(x, 1, 0, 6, 2).data() == x.data());
    CHECK(slice(x, 0, 1, 3).data() == x.data() + 6);
    CHECK(select(x, 1, 2).data() == x.data() + 2);
    CHECK(expand(x, {3, 4, 6}).data() == x.data());
    CHECK(contiguous(x).data() == x.data());
    CHECK(reshape(transpose(x), {6, 1, 4, 1}).data() == x.data());  // axes of extent 1 are added and removed
}

TEST_CASE("views: what is written through one is seen in the base", "[ops][views][devices][row:sys-tensor-views/b]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = counting({2, 3}, device);
    transpose(x).set({2, 0}, 50);
    CHECK(x.at({0, 2}) == 50);
    slice(x, 1, 1, 2).copy_(Tensor({2, 1}, {-1, -2}, device));
    CHECK(x.values() == Values{0, -1, 50, 3, -2, 5});
    reshape(x, {3, 2}).set({1, 1}, 70);
    CHECK(x.at({1, 0}) == 70);
}

TEST_CASE("views: reshape of a view whose first axes alone could be kept", "[ops][views][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = counting({2, 6}, device), part = slice(x, 1, 0, 4), split = reshape(part, {2, 2, 2});
    CHECK(split.values() == part.values());
    const Tensor turned = transpose(counting({4, 2}, device));
    CHECK(reshape(turned, {2, 2, 2}).values() == turned.values());
}

TEST_CASE("views: reshape of a view with gaps copies", "[ops][views][devices][row:sys-tensor-views/c]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = counting({2, 3}, device), flat = reshape(transpose(x), {6});
    CHECK(flat.values() == Values{0, 3, 1, 4, 2, 5});
    CHECK(flat.data() != x.data());
    Tensor(flat).set({0}, 9);
    CHECK(x.at({0, 0}) == 0);
}

TEST_CASE("views: edges", "[ops][views][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = counting({2, 3}, device), none = empty({0, 3}, device);
    CHECK(slice(x, 1, 1, 1).shape() == Shape{2, 0});
    CHECK(slice(x, 1, 3, 3).values().empty());
    CHECK(slice(x, -1, 0, 3, 5).values() == Values{0, 3});
    CHECK(transpose(none).shape() == Shape{3, 0});
    CHECK(reshape(none, {5, 0}).shape() == Shape{5, 0});
    CHECK(contiguous(transpose(none)).shape() == Shape{3, 0});
    CHECK(expand(Tensor({}, {7}, device), {2, 2}).values() == Values{7, 7, 7, 7});
    CHECK(expand(counting({3, 1}, device), {2, 3, 2}).values() == Values{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
    CHECK(expand(counting({1}, device), {0}).shape() == Shape{0});
    CHECK(permute(Tensor({}, {7}, device), {}).item() == 7);
    CHECK(reshape(Tensor({}, {7}, device), {1, 1}).shape() == Shape{1, 1});
    CHECK(flatten(counting({2, 3, 4}, device)).shape() == Shape{2, 12});
    CHECK(flatten(counting({2, 3, 4}, device), 2).shape() == Shape{2, 3, 4});
    CHECK(slice(slice(counting({20}, device), 0, 2, 20, 3), 0, 1, 6, 2).values() == Values{5, 11, 17});
}

TEST_CASE("views: a change through a view is a change of what was recorded", "[ops][views]") {
    const Tensor x = counting({2, 2}).requires_grad_();
    const Tensor y = x * x;
    select(x.detach(), 0, 1).set({0}, 5);
    CHECK_THROWS_WITH(select(flatten(y, 0), 0, 0).backward(),
                      "mul: a tensor of shape (2, 2) was changed after it was recorded; the gradient would be wrong");
}

GRADIENT_TEST("reshape") {
    check_gradient([](const Tensor& x) { return reshape(x, {x.numel(), 1}); });
    check_gradient([](const Tensor& x) { return flatten(transpose(x, 0, -1), 0); });
}
GRADIENT_TEST("permute") {
    check_gradient(
        [](const Inputs& x) {
            return permute(x[0], {2, 0, -2});
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random, 3, 3))}; });
}
GRADIENT_TEST("slice") {
    check_gradient([](const Tensor& x) { return slice(x, -1, x.size(-1) / 2, x.size(-1), 2); });
    check_gradient([](const Tensor& x) { return select(x, 0, x.size(0) - 1); });
}
GRADIENT_TEST("expand") {
    check_gradient(
        [](const Inputs& x) {
            return expand(x[0], {2, x[0].size(0), 3});
        },
        [](Generator& random) {
            return Inputs{random.normal({random_shape(random, 1, 1)[0], 1})};
        });
}
GRADIENT_TEST("contiguous") {
    check_gradient([](const Tensor& x) { return contiguous(transpose(x, 0, -1)); });
}

TEST_CASE("views: messages", "[ops][views]") {
    const Tensor x = counting({2, 3});
    CHECK_THROWS_WITH(reshape(x, {4, 2}), "reshape: wanted 6 elements as in shape (2, 3), got shape (4, 2)");
    CHECK_THROWS_WITH(permute(x, {0}), "permute: shape (2, 3) wants 2 axes, got 1");
    CHECK_THROWS_WITH(permute(x, {1, -1}), "permute: wanted every axis once, got axis 1 twice");
    CHECK_THROWS_WITH(transpose(x, 0, 2), "transpose: wanted an axis from -2 to 1 of shape (2, 3), got 2");
    CHECK_THROWS_WITH(slice(x, 1, 1, 4), "slice: [1, 4) is outside axis 1 of shape (2, 3)");
    CHECK_THROWS_WITH(slice(x, 1, 2, 1), "slice: [2, 1) is outside axis 1 of shape (2, 3)");
    CHECK_THROWS_WITH(slice(x, 1, 0, 3, 0), "slice: wanted a step of at least 1, got 0");
    CHECK_THROWS_WITH(select(x, 0, 2), "select: 2 is outside axis 0 of shape (2, 3)");
    CHECK_THROWS_WITH(expand(x, {3}), "expand: wanted a shape that (2, 3) stretches to, got (3)");
    CHECK_THROWS_WITH(expand(x, {4, 3}), "expand: shapes (2, 3) and (4, 3) do not stretch to one another");
}
