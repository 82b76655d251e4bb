#include <recto/data/catch_game.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using data::CatchGame;

TEST_CASE("CatchGame: every outcome against the laws in words", "[data][catch_game]") {
    const CatchGame game;
    CHECK(game.starts().size() == 7);
    for (Index column = 0; column < 7; ++column)
        CHECK(game.starts()[std::size_t(column)] == CatchGame::State{0, column, 3});
    for (Index row = 0; row < 9; ++row)
        for (Index column = 0; column < 7; ++column)
            for (Index paddle = 0; paddle < 7; ++paddle)
                for (Index action = 0; action < 3; ++action) {
                    const Index moved = std::min<Index>(6, std::max<Index>(0, paddle + action - 1));
                    std::map<Index, double> wanted;  // by column
                    wanted[column] = 1;
                    if (row < 6)
                        for (const Index side : {column - 1, column + 1})
                            if (side >= 0 && side < 7) wanted[side] = 0.15, wanted[column] -= 0.15;
                    const auto list = game.outcomes({row, column, paddle}, action);
                    REQUIRE(list.size() == wanted.size());
                    for (const auto& o : list) {
                        CHECK(std::abs(o.probability - wanted[o.next.column]) < 1e-12);
                        CHECK(o.next.row == row + 1);
                        CHECK(o.next.paddle == moved);
                        CHECK(o.ends == (row == 8));
                        CHECK(o.reward == (row < 8 ? 0 : moved == o.next.column ? 1 : -1));
                    }
                }
}

TEST_CASE("CatchGame: perfect play catches every ball", "[data][catch_game]") {
    const CatchGame game;
    const auto found = data::tabulate(game);
    const std::vector<double> q = data::optimal_values(found.table, 0.9);
    for (const Index s : found.table.first())
        CHECK(std::abs(*std::max_element(q.begin() + s * 3, q.begin() + s * 3 + 3) - std::pow(0.9, 8)) < 1e-12);
}

TEST_CASE("CatchGame: frames and messages", "[data][catch_game]") {
    const CatchGame game;
    std::array<Real, 70> frame;
    frame.fill(5);
    game.draw({2, 4, 6}, frame);
    for (std::size_t i = 0; i < 70; ++i) CHECK(frame[i] == Real(i == 2 * 7 + 4 || i == 9 * 7 + 6));
    CHECK_THROWS_WITH(game.draw({0, 0, 0}, std::span(frame).first(7)), "CatchGame: wanted room for 70 pixels, got 7");
    CHECK_THROWS_WITH(game.outcomes({0, 0, 0}, 3), "CatchGame: wanted an action from 0 to 2, got 3");
    CHECK_THROWS_WITH(game.outcomes({9, 0, 0}, 0),
                      "CatchGame: wanted a ball in rows 0 to 8 and columns below 7, got row 9, column 0 and paddle 0");
}
