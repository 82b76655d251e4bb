#include <recto/data/breakout.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using data::Breakout;

namespace {

using State = Breakout::State;

// The outcome after which the paddle is in this column.
data::Outcome<State> with_paddle(const State& state, Index action, Index paddle) {
    for (const auto& o : Breakout().outcomes(state, action))
        if (o.next.paddle == paddle) return o;
    FAIL("no outcome has the paddle there");
    return {};
}

}  // namespace

TEST_CASE("Breakout: the paddle obeys nine times of ten", "[data][breakout]") {
    const Breakout game;
    const State middle{5, 5, 1, 1, 4, Breakout::all_bricks, 4, 4};
    for (Index action = 0; action < 3; ++action) {
        const auto list = game.outcomes(middle, action);
        REQUIRE(list.size() == 3);
        for (const auto& o : list)
            CHECK(std::abs(o.probability - (o.next.paddle == 3 + action ? 14.0 / 15 : 1.0 / 30)) < 1e-12);
    }
    const auto at_wall = game.outcomes({5, 5, 1, 1, 0, Breakout::all_bricks, 4, 4}, 0);
    REQUIRE(at_wall.size() == 2);
    for (const auto& o : at_wall) CHECK(std::abs(o.probability - (o.next.paddle == 0 ? 29.0 / 30 : 1.0 / 30)) < 1e-12);
}

TEST_CASE("Breakout: the ball against the laws in words", "[data][breakout]") {
    constexpr std::uint32_t all = Breakout::all_bricks;
    const auto after = [](const State& s) { return with_paddle(s, 1, s.paddle); };
    // flies freely
    auto o = after({5, 5, -1, -1, 4, all, 6, 6});
    CHECK(o.next == State{4, 4, -1, -1, 4, all, 5, 5});
    CHECK((o.reward == 0 && !o.ends));
    // a side wall
    o = after({5, 0, 1, -1, 4, all, 4, 1});
    CHECK(o.next == State{6, 0, 1, 1, 4, all, 5, 0});
    // a brick in row 3
    o = after({4, 6, -1, 1, 4, all, 5, 5});
    CHECK(o.next == State{4, 7, 1, 1, 4, all & ~(1u << 27), 4, 6});
    CHECK((o.reward == 1 && !o.ends));
    // the place of a brick that is gone
    o = after({4, 6, -1, 1, 4, all & ~(1u << 27), 5, 5});
    CHECK(o.next == State{3, 7, -1, 1, 4, all & ~(1u << 27), 4, 6});
    CHECK(o.reward == 0);
    // the ceiling
    o = after({0, 3, -1, 1, 4, all, 1, 2});
    CHECK(o.next == State{0, 4, 1, 1, 4, all, 0, 3});
    // from above a brick in row 1
    o = after({0, 3, 1, 1, 4, all, 0, 2});
    CHECK(o.next == State{0, 4, -1, 1, 4, all & ~(1u << 4), 0, 3});
    CHECK(o.reward == 1);
    // the paddle below the ball
    o = after({8, 4, 1, 1, 4, all, 7, 3});
    CHECK(o.next == State{8, 5, -1, 1, 4, all, 8, 4});
    CHECK(!o.ends);
    // the paddle where the ball is going
    o = after({8, 3, 1, 1, 4, all, 7, 2});
    CHECK(o.next == State{8, 4, -1, -1, 4, all, 8, 3});
    // no paddle
    o = after({8, 6, 1, 1, 4, all, 7, 5});
    CHECK((o.ends && o.reward == 0));
    // the last brick is gone, and all return
    o = after({8, 4, 1, 1, 4, 0, 7, 3});
    CHECK(o.next.bricks == all);
    CHECK(after({7, 4, 1, 1, 4, 0, 6, 3}).next.bricks == 0);
    // the paddle moves before the ball
    CHECK(!with_paddle({8, 5, 1, 1, 4, all, 7, 4}, 2, 5).ends);
}

TEST_CASE("Breakout: random games keep the ball inside, and a brick is a reward", "[data][breakout]") {
    const Breakout game;
    Generator random(1);
    CHECK(game.starts().size() == 2);
    for (int round = 0; round < 200; ++round) {
        State s = data::start(game, random);
        int left = 30;
        for (;;) {
            const auto o = data::play(game, s, random.next_integer(0, 3), random);
            CHECK((o.next.row >= 0 && o.next.row <= 9 && o.next.column >= 0 && o.next.column <= 9));
            left -= int(o.reward);
            CHECK(std::popcount(o.next.bricks) == left);
            if (o.ends) break;
            s = o.next;
        }
    }
}

TEST_CASE("Breakout: frames and messages", "[data][breakout]") {
    const Breakout game;
    std::array<Real, 400> frame;
    frame.fill(5);
    game.draw({5, 6, 1, 1, 2, 1u << 13, 4, 5}, frame);
    for (std::size_t i = 0; i < 400; ++i)
        CHECK(frame[i] == Real(i == 92 || i == 100 + 56 || i == 200 + 45 || i == 300 + 23));
    CHECK_THROWS_WITH(game.draw({5, 6, 1, 1, 2, 0, 4, 5}, std::span(frame).first(7)),
                      "Breakout: wanted room for 400 pixels, got 7");
    CHECK_THROWS_WITH(game.outcomes({5, 6, 1, 1, 2, 0, 4, 5}, 3), "Breakout: wanted an action from 0 to 2, got 3");
    CHECK_THROWS_WITH(
        game.outcomes({9, 6, 1, 1, 2, 0, 4, 5}, 0),
        "Breakout: wanted a ball in rows 0 to 8 and columns below 10 with directions of 1 or -1, got row 9, "
        "column 6, down 1, right 1, paddle 2");
}
