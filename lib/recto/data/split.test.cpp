#include <recto/data/split.hpp>

#include <algorithm>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;

TEST_CASE("split: every row in exactly one part", "[data][row:sys-train-val-test/a]") {
    Generator random(1);
    Split parts = split(100, 20, 30, random);
    parts.test.declare("nothing to choose");
    std::vector<Index> all = parts.train;
    CHECK(all.size() == 50);
    CHECK(std::ranges::is_sorted(all));
    all.insert(all.end(), parts.validation.begin(), parts.validation.end());
    CHECK(all.size() == 70);
    all.insert(all.end(), parts.test.read().begin(), parts.test.read().end());
    std::ranges::sort(all);
    REQUIRE(all.size() == 100);
    for (Index i = 0; i < 100; ++i) REQUIRE(all[std::size_t(i)] == i);
    Generator same(1), other(2);
    CHECK(split(100, 20, 30, same).train == parts.train);
    CHECK(split(100, 20, 30, other).train != parts.train);
}

TEST_CASE("split: the test set stays closed until a choice is declared", "[data][row:sys-hyperparameter-search/b]") {
    Generator random(1);
    Split parts = split(10, 3, 3, random);
    const auto refusal = "test set: wanted a declared choice before the first look, got none";
    CHECK_THROWS_WITH(parts.test.read(), refusal);
    const Split copy = parts;  // copies are closed too
    CHECK_THROWS_WITH(copy.test.read(), refusal);
    parts.test.declare("K = 7");
    CHECK(parts.test.read().size() == 3);
    CHECK(parts.test.choice() == "K = 7");
    CHECK_THROWS_WITH(parts.test.declare("K = 9"),
                      "test set: the choice is \"K = 7\" already and cannot become \"K = 9\"");
    CHECK_THROWS_WITH(copy.test.read(), refusal);
}

TEST_CASE("split: messages", "[data]") {
    Generator random(1);
    CHECK_THROWS_WITH(split(10, 5, 5, random), "split: wanted parts that leave some of 10 to learn from, got 5 and 5");
    CHECK_THROWS_WITH(split(10, -1, 5, random),
                      "split: wanted parts that leave some of 10 to learn from, got -1 and 5");
    CHECK(split(1, 0, 0, random).train == std::vector<Index>{0});
}
