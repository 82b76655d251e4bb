#include <recto/ops/shapes/layout.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("layout: a series there and back", "[ops][layout][devices][row:sys-tensor-layouts/a]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1, 1}, Shape{5, 3}, Shape{2, 129, 7}, Shape{0, 4});
    const Tensor x = Generator(1).normal(shape, 0, 1, device), y = time_last(x);
    CHECK(y.is_contiguous());
    CHECK(y.size(-1) == x.size(-2));
    for (Index t = 0; t < x.size(-2) && x.dim() == 2; ++t)
        for (Index d = 0; d < x.size(-1); ++d) CHECK(y.at({d, t}) == x.at({t, d}));
    CHECK(same_bits(time_first(y), x));
}

TEST_CASE("layout: images there and back", "[ops][layout][devices][row:sys-tensor-layouts/b]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape =
        GENERATE(Shape{1, 1, 1}, Shape{3, 4, 5}, Shape{2, 3, 4, 5}, Shape{2, 1, 28, 28}, Shape{1, 128, 3, 3});
    const Tensor x = Generator(1).normal(shape, 0, 1, device), y = channels_last(x);
    CHECK(y.is_contiguous());
    CHECK(y.shape() == Shape(std::span<const Index>(shape.begin(), shape.end()))
                           .with(-1, shape.size(-3))
                           .with(-2, shape.size(-1))
                           .with(-3, shape.size(-2)));
    for (Index c = 0; c < x.size(-3) && x.dim() == 3; ++c)
        for (Index i = 0; i < x.size(-2); ++i)
            for (Index j = 0; j < x.size(-1); ++j) CHECK(y.at({i, j, c}) == x.at({c, i, j}));
    CHECK(same_bits(channels_first(y), x));
}

TEST_CASE("layout: messages", "[ops][layout]") {
    CHECK_THROWS_WITH(channels_last(ones({2, 3})),
                      "channels_last: wanted (..., channels, height, width), got shape (2, 3)");
    CHECK_THROWS_WITH(channels_first(ones({2})),
                      "channels_first: wanted (..., height, width, channels), got shape (2)");
    CHECK_THROWS_WITH(time_last(ones({2})), "time_last: wanted (..., time, features), got shape (2)");
    CHECK_THROWS_WITH(time_first(ones({})), "time_first: wanted (..., features, time), got shape ()");
}
