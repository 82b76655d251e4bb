#pragma once
/// @file
/// Catch: a ball falls in the wind, and a paddle must be below it when it lands.
#include <compare>
#include <span>
#include <vector>

#include <recto/data/mdp.hpp>

namespace RECTO::data {

/// Catch on 10 rows of 7 cells; the paddle is one cell of the lowest row.
///
/// The ball starts in a random column of the highest row, the paddle in the middle. In each step the paddle moves one cell
/// to the left (action 0), stays (1) or moves to the right (2), and the ball falls one row. While the ball falls into one of
/// the rows 1 to 6, a gust takes it along with probability 0.3: one column to the left or to the right, equally likely; at
/// a wall it falls straight. The episode ends when the ball reaches row 9: the reward is 1 if it lands on the paddle and -1
/// if not. All other rewards are 0. After an old game, as in Mnih et al. (2014).
class CatchGame {
public:
    static constexpr Index rows = 10;                ///< Rows of a frame.
    static constexpr Index columns = 7;              ///< Columns of a frame.
    static constexpr Index windy = 6;                ///< The last row into which a gust can take the ball.
    static constexpr double gust = 0.3;              ///< The probability of a gust.
    static constexpr Index pixels = rows * columns;  ///< Numbers of a frame.

    /// Where the ball and the paddle are.
    struct State {
        Index row;     ///< The row of the ball, from 0 at the top.
        Index column;  ///< The column of the ball.
        Index paddle;  ///< The column of the paddle.

        auto operator<=>(const State&) const = default;  ///< By row, column and paddle.
    };

    Index actions() const { return 3; }  ///< Left, stay, right.
    std::vector<State> starts() const;   ///< Seven equally likely states.
    /// @throws Error when the ball has landed, something is outside, or there is no such action
    std::vector<Outcome<State>> outcomes(const State& state, Index action) const;

    /// Writes the frame, row by row from the top: 1 for the ball and for the paddle, 0 elsewhere.
    /// @throws Error unless there is room for `pixels` numbers
    void draw(const State& state, std::span<Real> frame) const;
};

}  // namespace RECTO::data
