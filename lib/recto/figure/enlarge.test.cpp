#include <recto/figure/enlarge.hpp>

#include <catch2/catch_test_macros.hpp>

#include <recto/base/check.hpp>

using namespace recto;
using figure::enlarged;

TEST_CASE("enlarged: every pixel becomes a square", "[figure]") {
    CHECK(enlarged({1, 2, 3, 4, 5, 6}, 3, 2) ==
          std::vector<double>{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 4, 4, 5, 5, 6, 6});
    CHECK(enlarged({1, 2}, 1, 1) == std::vector<double>{1, 2});
    CHECK(enlarged(std::vector<double>{}, 4, 3).empty());
}

TEST_CASE("enlarged: refuses broken rows", "[figure]") {
    CHECK_THROWS_AS(enlarged({1, 2, 3}, 2, 2), Error);
    CHECK_THROWS_AS(enlarged({1, 2}, 0, 2), Error);
    CHECK_THROWS_AS(enlarged({1, 2}, 2, 0), Error);
}
