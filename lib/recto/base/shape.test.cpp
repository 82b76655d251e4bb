#include <recto/base/shape.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;

TEST_CASE("shape: extents, counts and strides", "[core][shape]") {
    const Shape s{2, 3, 4};
    CHECK(s.dim() == 3);
    CHECK(s.numel() == 24);
    CHECK(s.size(-1) == 4);
    CHECK(s.axis(-3) == 0);
    CHECK(s.strides() == PerAxis{12, 4, 1});
    CHECK(s.with(1, 7) == Shape{2, 7, 4});
    CHECK(s.with(-1, 0).numel() == 0);
    CHECK(s.without(0) == Shape{3, 4});
    CHECK(s.without(-1) == Shape{2, 3});
    CHECK(Shape{}.numel() == 1);
    CHECK(Shape{}.dim() == 0);
    CHECK(Shape{0, 5}.numel() == 0);
    CHECK(Shape{1, 2} != Shape{2});
    CHECK(Shape{2, 1} != Shape{2});
    CHECK(Shape{0} != Shape{});
    CHECK(to_string(s) == "(2, 3, 4)");
    CHECK(to_string(Shape{}) == "()");
    CHECK(fmt::format("{}", Shape{7}) == "(7)");
    CHECK(std::vector<Index>(s.begin(), s.end()) == std::vector<Index>{2, 3, 4});
}

TEST_CASE("shape: what cannot be is refused", "[core][shape]") {
    const Index huge = (Index(1) << 61) + 1;
    CHECK_THROWS_WITH((Shape{huge, 8}), "Shape: 2305843009213693953 times 8 elements do not fit in memory");
    CHECK_THROWS_WITH((Shape{huge, 0, 8}), "Shape: 2305843009213693953 times 8 elements do not fit in memory");
    CHECK_THROWS_WITH((Shape{0, huge, 8}), "Shape: 2305843009213693953 times 8 elements do not fit in memory");
    CHECK_THROWS_WITH((Shape{2, -1}), "Shape: wanted extents of at least 0, got -1");
    CHECK_THROWS_WITH((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), "Shape: wanted at most 8 axes, got 9");
    CHECK_THROWS_WITH((Shape{2, 3}.size(2)), "size: wanted an axis from -2 to 1 of shape (2, 3), got 2");
    CHECK_THROWS_WITH((Shape{2, 3}.size(-3)), "size: wanted an axis from -2 to 1 of shape (2, 3), got -3");
    CHECK_THROWS_WITH((Shape{2}.with(1, 3)), "with: wanted an axis from -1 to 0 of shape (2), got 1");
    CHECK_THROWS_WITH((Shape{2}.without(-2)), "without: wanted an axis from -1 to 0 of shape (2), got -2");
    CHECK(checked_product(3, 4, "x") == 12);
    CHECK_THROWS_WITH(checked_product(huge, 8, "x"), "x: 2305843009213693953 times 8 elements do not fit in memory");
}

TEST_CASE("shape: broadcast", "[core][shape]") {
    CHECK(broadcast({2, 3}, {3}, "t") == Shape{2, 3});
    CHECK(broadcast({2, 1}, {1, 3}, "t") == Shape{2, 3});
    CHECK(broadcast({}, {4}, "t") == Shape{4});
    CHECK(broadcast({}, {}, "t") == Shape{});
    CHECK(broadcast({1}, {0}, "t") == Shape{0});
    CHECK(broadcast({5, 1, 0}, {7, 1}, "t") == Shape{5, 7, 0});
    CHECK_THROWS_WITH(broadcast({2, 3}, {2}, "t"), "t: shapes (2, 3) and (2) do not stretch to one another");
    CHECK_THROWS_WITH(broadcast({0}, {2}, "t"), "t: shapes (0) and (2) do not stretch to one another");
}
