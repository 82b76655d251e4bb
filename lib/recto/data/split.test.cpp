#include <recto/data/split.hpp>

#include <algorithm>
#include <cmath>

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
    const Split copy = parts;  // copies are locked too
    CHECK_THROWS_WITH(copy.test.read(), refusal);
    parts.test.declare("K = 7");
    CHECK(parts.test.read().size() == 3);
    CHECK(parts.test.choice() == "K = 7");
    CHECK_THROWS_WITH(parts.test.declare("K = 9"),
                      "test set: the choice is \"K = 7\" already and cannot become \"K = 9\"");
    CHECK_THROWS_WITH(copy.test.read(), refusal);
}

TEST_CASE("split: every class has its share of every part",
          "[data][row:sys-train-val-test/a][row:sys-train-val-test/b]") {
    Generator random(1);
    for (int draw = 0; draw < 300; ++draw) {
        const Index n = random.next_integer(1, 200), classes = random.next_integer(1, 12);
        const Index validation = random.next_integer(0, n), test = random.next_integer(0, n - validation);
        std::vector<Index> labels;
        for (Index i = 0; i < n; ++i) labels.push_back(random.next_integer(0, classes) * random.next_integer(1, 3) - 5);
        Split parts = stratified_split(labels, validation, test, random);
        parts.test.declare("nothing to choose");
        const std::vector<Index>* all[] = {&parts.train, &parts.validation, &parts.test.read()};
        const Index sizes[] = {n - validation - test, validation, test};
        std::vector<Index> seen;
        for (std::size_t part = 0; part < 3; ++part) {
            REQUIRE(Index(all[part]->size()) == sizes[part]);
            REQUIRE(std::ranges::is_sorted(*all[part]));
            seen.insert(seen.end(), all[part]->begin(), all[part]->end());
            for (const Index label : labels) {
                const auto of_class = [&](Index i) { return labels[std::size_t(i)] == label; };
                const double share = double(sizes[part]) * double(std::ranges::count(labels, label)) / double(n);
                REQUIRE(std::abs(double(std::ranges::count_if(*all[part], of_class)) - share) <= 1 + 1e-9);
            }
        }
        std::ranges::sort(seen);
        for (Index i = 0; i < n; ++i) REQUIRE(seen[std::size_t(i)] == i);
    }
}

TEST_CASE("split: within a class chance decides", "[data]") {
    const std::vector<Index> labels(30, 4);
    std::vector<int> times(30);
    Generator random(2);
    for (int draw = 0; draw < 3000; ++draw)
        for (const Index i : stratified_split(labels, 10, 0, random).validation) ++times[std::size_t(i)];
    for (const int t : times) CHECK(std::abs(t - 1000) <= 5 * 26);  // five standard deviations
    Generator a(3), b(3);
    CHECK(stratified_split(labels, 10, 5, a).train == stratified_split(labels, 10, 5, b).train);
    CHECK_THROWS_WITH(stratified_split(labels, 20, 10, random),
                      "stratified_split: wanted parts that leave some of 30 to learn from, got 20 and 10");
    CHECK_THROWS_WITH(stratified_split(std::vector<Index>{}, 0, 0, random),
                      "stratified_split: wanted parts that leave some of 0 to learn from, got 0 and 0");
}

TEST_CASE("split: messages", "[data]") {
    Generator random(1);
    CHECK_THROWS_WITH(split(10, 5, 5, random), "split: wanted parts that leave some of 10 to learn from, got 5 and 5");
    CHECK_THROWS_WITH(split(10, -1, 5, random),
                      "split: wanted parts that leave some of 10 to learn from, got -1 and 5");
    CHECK(split(1, 0, 0, random).train == std::vector<Index>{0});
}
