#include <recto/data/breakout.hpp>

#include <algorithm>

namespace RECTO::data {
namespace {

/// What the ball does once the paddle has moved.
Outcome<Breakout::State> moved(Breakout::State s, Index paddle, double probability) {
    constexpr Index size = Breakout::size;
    s.paddle = paddle;
    s.last_row = s.row, s.last_column = s.column;
    Index row = s.row + s.down, column = s.column + s.right;
    if (column < 0 || column >= size) column = s.column, s.right = -s.right;
    const std::uint32_t brick = row >= 1 && row <= 3 ? 1u << (10 * (row - 1) + column) : 0;
    double reward = 0;
    bool ends = false;
    if (row < 0) {
        row = s.row, s.down = 1;
    } else if (s.bricks & brick) {
        s.bricks &= ~brick, reward = 1;
        row = s.row, s.down = -s.down;
    } else if (row == size - 1) {
        if (paddle == s.column || paddle == column) {
            if (paddle != s.column) s.right = -s.right;
            row = s.row, s.down = -1;
            if (s.bricks == 0) s.bricks = Breakout::all_bricks;
        } else {
            ends = true;
        }
    }
    s.row = row, s.column = column;
    return {probability, s, reward, ends};
}

}  // namespace

std::vector<Breakout::State> Breakout::starts() const {
    return {{4, 0, 1, 1, 4, all_bricks, 4, 0}, {4, size - 1, 1, -1, 4, all_bricks, 4, size - 1}};
}

std::vector<Outcome<Breakout::State>> Breakout::outcomes(const State& state, Index action) const {
    check(action >= 0 && action < 3, "Breakout: wanted an action from 0 to 2, got {}", action);
    check(state.row >= 0 && state.row < size - 1 && state.column >= 0 && state.column < size && state.paddle >= 0 &&
              state.paddle < size && (state.down == 1 || state.down == -1) && (state.right == 1 || state.right == -1) &&
              state.bricks <= all_bricks,
          "Breakout: wanted a ball in rows 0 to {} and columns below {} with directions of 1 or -1, got row {}, column "
          "{}, "
          "down {}, right {}, paddle {}",
          size - 2, size, state.row, state.column, state.down, state.right, state.paddle);
    std::vector<Outcome<State>> list;
    for (Index move = 0; move < 3; ++move) {
        const Index paddle = std::clamp<Index>(state.paddle + move - 1, 0, size - 1);
        const double probability = slip / 3 + (move == action ? 1 - slip : 0);
        const auto same =
            std::find_if(list.begin(), list.end(), [&](const auto& o) { return o.next.paddle == paddle; });
        if (same != list.end())
            same->probability += probability;
        else
            list.push_back(moved(state, paddle, probability));
    }
    return list;
}

void Breakout::draw(const State& state, std::span<Real> frame) const {
    check(Index(frame.size()) == pixels, "Breakout: wanted room for {} pixels, got {}", pixels, frame.size());
    std::fill(frame.begin(), frame.end(), Real(0));
    const auto set = [&](Index channel, Index row, Index column) {
        frame[std::size_t((channel * size + row) * size + column)] = 1;
    };
    set(0, size - 1, state.paddle);
    set(1, state.row, state.column);
    set(2, state.last_row, state.last_column);
    for (Index i = 0; i < 30; ++i)
        if (state.bricks >> i & 1u) set(3, 1 + i / 10, i % 10);
}

}  // namespace RECTO::data
