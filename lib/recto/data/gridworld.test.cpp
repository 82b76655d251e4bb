#include <recto/data/gridworld.hpp>

#include <cmath>
#include <map>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using data::Gridworld, data::move_up, data::move_right, data::move_down, data::move_left;

TEST_CASE("Gridworld: moves, walls, slips and rewards against a list by hand", "[data][gridworld]") {
    //                     0 1 2
    const Gridworld grid({"..+",   // 0
                          "S#-",   // 3
                          "..4"},  // 6
                         {.slip = 0.25, .step_reward = -0.125});
    const auto expect = [&](Index cell, Index action, std::map<Index, double> wanted) {
        const auto list = grid.outcomes(cell, action);
        CHECK(list.size() == wanted.size());
        for (const auto& o : list) {
            CHECK(o.probability == wanted[o.next]);
            CHECK(o.ends == (o.next == 2 || o.next == 5 || o.next == 8));
            CHECK(o.reward == (o.next == 2 ? 1 : o.next == 5 ? -1 : o.next == 8 ? 0.4 : -0.125));
        }
    };
    expect(1, move_right, {{2, 0.75}, {1, 0.25}});  // off the map and into the wall: stays
    expect(1, move_up, {{1, 0.75}, {0, 0.125}, {2, 0.125}});
    expect(0, move_down, {{3, 0.75}, {1, 0.125}, {0, 0.125}});
    expect(0, move_left, {{0, 0.875}, {3, 0.125}});
    expect(3, move_right, {{3, 0.75}, {0, 0.125}, {6, 0.125}});
    expect(7, move_right, {{8, 0.75}, {7, 0.25}});
    CHECK(grid.starts() == std::vector<Index>{3});
    CHECK(grid.at(4) == '#');
    CHECK(grid.target(3, move_right) == 3);
    CHECK(Gridworld({"..", "-."}).starts() == std::vector<Index>{0, 1, 3});
    CHECK(Gridworld({"..", "-."}).outcomes(0, move_right).size() == 1);
}

TEST_CASE("Gridworld: messages", "[data][gridworld]") {
    CHECK_THROWS_WITH(Gridworld({}), "Gridworld: wanted a map with at least 1 cell, got none");
    CHECK_THROWS_WITH(Gridworld({"..", "."}), "Gridworld: wanted rows of 2 cells, got one of 1");
    CHECK_THROWS_WITH(Gridworld({"x"}), "Gridworld: wanted . S # + - or a digit from 1 to 9, got x");
    CHECK_THROWS_WITH(Gridworld({"#+"}), "Gridworld: wanted at least 1 free cell, got none");
    CHECK_THROWS_WITH(Gridworld({"."}, {.slip = 2}), "Gridworld: wanted a probability of slipping, got 2");
    const Gridworld grid({".+"});
    CHECK_THROWS_WITH(grid.outcomes(1, 0), "Gridworld: wanted a free cell, got +");
    CHECK_THROWS_WITH(grid.outcomes(0, 4), "Gridworld: wanted an action from 0 to 3, got 4");
    CHECK_THROWS_WITH(grid.at(2), "Gridworld: wanted a cell from 0 to 1, got 2");
}
