#pragma once
/// @file
/// Gridworld: a robot on a floor of square cells, whose wheels slip.
#include <string>
#include <utility>
#include <vector>

#include <recto/data/mdp.hpp>

namespace RECTO::data {

/// A move on the grid, and the number of its action.
enum Move : Index { move_up, move_right, move_down, move_left };

/// What may vary between two gridworlds of the same map.
struct GridOptions {
    double slip = 0;         ///< The probability that a move goes to the side; each side is equally likely.
    double step_reward = 0;  ///< The reward of a step that does not end the episode.
};

/// A Markov decision process on a map. The state is the cell, `row * columns + column`; the four actions are the values of
/// Move.
///
/// On the map, `.` is a free cell, `S` a free cell where episodes start, `#` a wall. `+` and `-` end the episode with a
/// reward of 1 or -1 when they are entered, a digit from `1` to `9` with as many tenths. A move into a wall or off the map
/// leaves the robot where it is. Without an `S`, every free cell is a first state.
class Gridworld {
public:
    using State = Index;  ///< The cell of the robot.

    /// @throws Error unless the rows have one length, there is a free cell, and `slip` is a probability
    explicit Gridworld(std::vector<std::string> map, GridOptions options = {});

    Index rows() const { return Index(map_.size()); }                             ///< Rows of the map.
    Index columns() const { return Index(map_[0].size()); }                       ///< Columns of the map.
    Index actions() const { return 4; }                                           ///< Four moves.
    std::vector<Index> starts() const { return starts_; }                         ///< The equally likely first cells.
    std::vector<Outcome<Index>> outcomes(const Index& cell, Index action) const;  ///< At most three, each cell once.

    /// The character of the map. @throws Error when there is no such cell
    char at(Index cell) const;
    /// Whether the robot can stand in this cell and move on.
    bool open(Index cell) const { return at(cell) == '.' || at(cell) == 'S'; }
    /// The cell that a move without slipping leads to.
    Index target(Index cell, Index action) const;

private:
    std::vector<std::string> map_;
    GridOptions options_;
    std::vector<Index> starts_;
};

}  // namespace RECTO::data
