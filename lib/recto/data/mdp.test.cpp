#include <recto/data/mdp.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using data::MdpTable, data::Outcome;

namespace {

// State 0: wait for nothing, or go to state 1 with probability 1/4; state 1 ends with a reward of 2.
MdpTable two_states() {
    return MdpTable(
        2, 2, {0},
        {{{1, 0, 0, false}}, {{0.25, 1, 0.5, false}, {0.75, 0, -0.5, false}}, {{1, 1, 2, true}}, {{1, 1, 1, true}}});
}

struct Counter {  // counts up to 3, with a jump of 1 or 2
    using State = std::string;
    Index actions() const { return 2; }
    std::vector<State> starts() const { return {"", "a"}; }
    std::vector<Outcome<State>> outcomes(const State& s, Index a) const {
        const State next = s + std::string(std::size_t(a + 1), 'a');
        return {{0.5, s, 0, false}, {0.5, next, 1, next.size() >= 3}};
    }
};

}  // namespace

TEST_CASE("optimal_values: against values by hand", "[data][mdp]") {
    const double discount = 0.5;
    const std::vector<double> q = data::optimal_values(two_states(), discount);
    // v1 = 2; v0 = 0.25 (0.5 + 1) + 0.75 (-0.5 + v0 / 2) = v0 3/8, so waiting is better: v0 = 0
    CHECK(std::abs(q[0]) < 1e-12);
    CHECK(std::abs(q[1] - 0.0) < 1e-12);
    CHECK(q[2] == 2);
    CHECK(q[3] == 1);
    const std::vector<double> patient = data::optimal_values(two_states(), 0.9);
    // v0 = 0.25 (0.5 + 1.8) + 0.75 (-0.5 + 0.9 v0)
    const double v0 = (0.25 * 2.3 - 0.375) / (1 - 0.675);
    CHECK(std::abs(patient[1] - v0) < 1e-11);
    CHECK(std::abs(patient[0] - 0.9 * v0) < 1e-11);
}

TEST_CASE("tabulate: finds every state once, and keeps what follows", "[data][mdp]") {
    const auto found = data::tabulate(Counter());
    REQUIRE(found.states == std::vector<std::string>{"", "a", "aa"});
    CHECK(found.table.starts() == std::vector<Index>{0, 1});
    CHECK(found.table.actions() == 2);
    const auto& row = found.table.row(1, 0);
    REQUIRE(row.size() == 2);
    CHECK(row[0].next == 1);
    CHECK(row[1].next == 2);
    CHECK_FALSE(row[1].ends);
    CHECK(found.table.row(1, 1)[1].ends);
    CHECK(found.table.outcomes(2, 0)[1].reward == 1);
    CHECK_THROWS_WITH(data::tabulate(Counter(), 2), "tabulate: wanted at most 2 states, got more");
}

TEST_CASE("play and start: frequencies", "[data][mdp]") {
    Generator random(1);
    const MdpTable table = two_states();
    const int n = 100'000;
    int moved = 0, first = 0;
    for (int i = 0; i < n; ++i) {
        moved += int(data::play(table, Index(0), 1, random).next);
        first += data::start(Counter(), random).empty();
    }
    CHECK(std::abs(moved - 0.25 * n) < 4 * std::sqrt(0.25 * 0.75 * n));
    CHECK(std::abs(first - 0.5 * n) < 4 * std::sqrt(0.25 * n));
    CHECK(data::play(table, Index(1), 0, random).reward == 2);
}

TEST_CASE("epsilon_greedy: the best, or any", "[data][mdp]") {
    Generator random(2);
    const std::vector<Real> values = {1, 3, 3, 2};
    CHECK(data::best_action(values) == 1);
    std::vector<int> counts(4);
    const int n = 100'000;
    const std::vector<Real> one_best = {1, 3, 0, 2};
    for (int i = 0; i < n; ++i) {
        if (data::epsilon_greedy(one_best, 0, random) != 1) FAIL("a worse action without exploring");
        ++counts[std::size_t(data::epsilon_greedy(values, 0.2, random))];
    }
    for (std::size_t a = 0; a < 4; ++a) {
        const double p = a == 1 || a == 2 ? 0.45 : 0.05;
        CHECK(std::abs(counts[a] - p * n) < 4 * std::sqrt(p * (1 - p) * n));
    }
    CHECK_THROWS_WITH(data::best_action({}), "best_action: wanted at least 1 action, got none");
    CHECK_THROWS_WITH(data::epsilon_greedy({}, 0, random), "epsilon_greedy: wanted at least 1 action, got none");
    CHECK_THROWS_WITH(data::epsilon_greedy(values, 1.5, random), "epsilon_greedy: wanted a probability, got 1.5");
    CHECK_THROWS_WITH(data::epsilon_greedy(values, std::nan(""), random),
                      "epsilon_greedy: wanted a probability, got nan");
}

TEST_CASE("MdpTable: messages", "[data][mdp]") {
    const std::vector<Outcome<Index>> stay = {{1, 0, 0, false}};
    CHECK_THROWS_WITH(MdpTable(0, 1, {0}, {}), "MdpTable: wanted at least 1 state and 1 action, got 0 and 1");
    CHECK_THROWS_WITH(MdpTable(1, 2, {0}, {stay}), "MdpTable: wanted 2 lists of outcomes, got 1");
    CHECK_THROWS_WITH(MdpTable(1, 1, {}, {stay}), "MdpTable: wanted at least 1 first state, got none");
    CHECK_THROWS_WITH(MdpTable(1, 1, {1}, {stay}), "MdpTable: wanted first states from 0 to 0, got 1");
    CHECK_THROWS_WITH(MdpTable(1, 1, {0}, {{{1, 1, 0, false}}}), "MdpTable: wanted next states from 0 to 0, got 1");
    CHECK_THROWS_WITH(MdpTable(1, 1, {0}, {{{-1, 0, 0, false}}}),
                      "MdpTable: wanted probabilities of at least 0, got -1");
    CHECK_THROWS_WITH(MdpTable(1, 1, {0}, {{{0.5, 0, 0, false}}}),
                      "MdpTable: wanted probabilities that sum to 1 for state 0 and action 0, got a sum of 0.5");
    CHECK_THROWS_WITH(two_states().row(2, 0), "MdpTable: wanted a state below 2 and an action below 2, got 2 and 0");
    CHECK_THROWS_WITH(data::optimal_values(two_states(), 1),
                      "optimal_values: wanted a discount of at least 0 and below 1, got 1");
    CHECK_THROWS_WITH(data::optimal_values(two_states(), 0.5, 0), "optimal_values: wanted a tolerance above 0, got 0");
}
