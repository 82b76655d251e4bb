#pragma once
/// @file
/// Mini-Breakout: a ball, a paddle and three rows of bricks on ten by ten cells.
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <recto/data/mdp.hpp>

namespace RECTO::data {

/// Breakout on 10 rows of 10 cells, after MinAtar (Young and Tian, 2019), with laws of its own.
///
/// Rows 1 to 3 are full of bricks, and the paddle is one cell of row 9. The ball starts in row 4 at the left or the right
/// wall, equally likely, and moves one cell down and one cell away from the wall in each step; the paddle starts in column
/// 4. In a step the paddle moves first, one cell to the left (action 0), not at all (1) or to the right (2); with
/// probability 0.1 the action is replaced by a random one of the three. Then the ball moves diagonally:
/// - At a side wall it turns around sideways and stays in its column.
/// - At the ceiling it turns around vertically and stays in its row.
/// - A brick in its way disappears, for a reward of 1; the ball turns around vertically and stays in its row.
/// - Above the paddle's row it bounces back if the paddle is below the cell that it comes from or in the one that it moves
///   into, and stays in its row; in the second case it turns around sideways as well. Otherwise the episode ends.
///
/// Once the last brick is gone, all of them return with the next bounce off the paddle.
class Breakout {
public:
    static constexpr Index size = 10;                            ///< Rows and columns of a frame.
    static constexpr Index channels = 4;                         ///< Paddle, ball, last place of the ball, bricks.
    static constexpr Index pixels = channels * size * size;      ///< Numbers of a frame.
    static constexpr double slip = 0.1;                          ///< The probability of a random action.
    static constexpr std::uint32_t all_bricks = (1u << 30) - 1;  ///< Thirty bricks, a bit for each.

    /// Everything that decides about the future.
    struct State {
        Index row;             ///< The row of the ball, from 0 at the top.
        Index column;          ///< The column of the ball.
        Index down;            ///< 1 if the ball moves down, -1 if it moves up.
        Index right;           ///< 1 if the ball moves to the right, -1 if it moves to the left.
        Index paddle;          ///< The column of the paddle.
        std::uint32_t bricks;  ///< Bit 10 * (row - 1) + column is set while the brick is there.
        Index last_row;        ///< The row of the ball before the last step, which shows where it is going.
        Index last_column;     ///< The column of the ball before the last step.

        auto operator<=>(const State&) const = default;  ///< By all numbers in turn.
    };

    Index actions() const { return 3; }  ///< Left, stay, right.
    std::vector<State> starts() const;   ///< Two equally likely states.
    /// Up to three outcomes, one for each place of the paddle.
    /// @throws Error when something is outside, or there is no such action
    std::vector<Outcome<State>> outcomes(const State& state, Index action) const;

    /// Writes four channels of ten by ten pixels: paddle, ball, last place of the ball, bricks.
    /// @throws Error unless there is room for `pixels` numbers
    void draw(const State& state, std::span<Real> frame) const;
};

}  // namespace RECTO::data
