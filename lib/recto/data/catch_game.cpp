#include <recto/data/catch_game.hpp>

#include <algorithm>

namespace RECTO::data {

std::vector<CatchGame::State> CatchGame::starts() const {
    std::vector<State> all;
    for (Index column = 0; column < columns; ++column) all.push_back({0, column, columns / 2});
    return all;
}

std::vector<Outcome<CatchGame::State>> CatchGame::outcomes(const State& state, Index action) const {
    check(action >= 0 && action < 3, "CatchGame: wanted an action from 0 to 2, got {}", action);
    check(state.row >= 0 && state.row < rows - 1 && state.column >= 0 && state.column < columns && state.paddle >= 0 &&
              state.paddle < columns,
          "CatchGame: wanted a ball in rows 0 to {} and columns below {}, got row {}, column {} and paddle {}",
          rows - 2, columns, state.row, state.column, state.paddle);
    const Index paddle = std::clamp<Index>(state.paddle + action - 1, 0, columns - 1), row = state.row + 1;
    const auto falls = [&](double probability, Index column) {
        const bool landed = row == rows - 1;
        const double reward = !landed ? 0 : column == paddle ? 1 : -1;
        return Outcome<State>{probability, {row, column, paddle}, reward, landed};
    };
    if (row > windy) return {falls(1, state.column)};
    double straight = 1 - gust;
    std::vector<Outcome<State>> list;
    for (const Index side : {-1, 1}) {
        const Index column = state.column + side;
        if (column < 0 || column >= columns)
            straight += gust / 2;
        else
            list.push_back(falls(gust / 2, column));
    }
    list.push_back(falls(straight, state.column));
    return list;
}

void CatchGame::draw(const State& state, std::span<Real> frame) const {
    check(Index(frame.size()) == pixels, "CatchGame: wanted room for {} pixels, got {}", pixels, frame.size());
    std::fill(frame.begin(), frame.end(), Real(0));
    frame[std::size_t(state.row * columns + state.column)] = 1;
    frame[std::size_t((rows - 1) * columns + state.paddle)] = 1;
}

}  // namespace RECTO::data
