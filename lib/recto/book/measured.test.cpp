#include <recto/book/measured.hpp>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include <recto/book/stopwatch.hpp>

using namespace recto;
using book::brief, book::median, book::over_seeds;

TEST_CASE("median: middle value, and NaN is never hidden", "[book][measured]") {
    CHECK(median(std::vector{3.0, 1.0, 2.0}) == 2.0);
    CHECK(median(std::vector{4.0, 1.0, 2.0, 3.0}) == 2.5);
    CHECK(median(std::vector{7.0}) == 7.0);
    CHECK(std::isnan(median(std::vector{1.0, 2.0, std::nan("")})));
    CHECK_THROWS_AS(median(std::vector<double>{}), Error);
}

TEST_CASE("over_seeds: median, range and number", "[book][measured]") {
    const book::Measured m = over_seeds(std::vector{0.3, 0.1, 0.2, 0.5, 0.4});
    CHECK(m.value == 0.3);
    CHECK(m.low == 0.1);
    CHECK(m.high == 0.5);
    CHECK(m.seeds == 5);
    CHECK(brief(m) == "0.3 (0.1 to 0.5 over 5 seeds)");
    CHECK(std::isnan(over_seeds(std::vector{1.0, std::nan("")}).low));
}

TEST_CASE("brief: whole numbers in full, others in four digits", "[book][measured]") {
    CHECK(brief(60965224) == "60965224");
    CHECK(brief(-0.0) == "0");
    CHECK(brief(2.567891e-16) == "2.568e-16");
    CHECK(brief(std::nan("")) == "nan");
}

TEST_CASE("stopwatch: both sides run equally often", "[book][stopwatch]") {
    int first = 0, second = 0;
    const auto took = book::compare_seconds([&] { ++first; }, [&] { ++second; }, 7);
    CHECK(first == 8);
    CHECK(second == 8);
    CHECK(took.first >= 0);
    CHECK(book::median_seconds([&] { ++first; }, 3) >= 0);
    CHECK(first == 12);
    CHECK_THROWS_AS(book::median_seconds([] {}, 0), Error);
}
