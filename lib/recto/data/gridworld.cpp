#include <recto/data/gridworld.hpp>

#include <algorithm>
#include <string_view>

namespace RECTO::data {

Gridworld::Gridworld(std::vector<std::string> map, GridOptions options) : map_(std::move(map)), options_(options) {
    check(!map_.empty() && !map_[0].empty(), "Gridworld: wanted a map with at least 1 cell, got none");
    check(options.slip >= 0 && options.slip <= 1, "Gridworld: wanted a probability of slipping, got {}", options.slip);
    std::vector<Index> free;
    for (const std::string& row : map_) {
        check(row.size() == map_[0].size(), "Gridworld: wanted rows of {} cells, got one of {}", map_[0].size(),
              row.size());
        for (const char c : row)
            check(std::string_view(".S#+-123456789").find(c) != std::string_view::npos,
                  "Gridworld: wanted . S # + - or a digit from 1 to 9, got {}", c);
    }
    for (Index cell = 0; cell < rows() * columns(); ++cell) {
        if (open(cell)) free.push_back(cell);
        if (at(cell) == 'S') starts_.push_back(cell);
    }
    check(!free.empty(), "Gridworld: wanted at least 1 free cell, got none");
    if (starts_.empty()) starts_ = free;
}

char Gridworld::at(Index cell) const {
    check(cell >= 0 && cell < rows() * columns(), "Gridworld: wanted a cell from 0 to {}, got {}",
          rows() * columns() - 1, cell);
    return map_[std::size_t(cell / columns())][std::size_t(cell % columns())];
}

Index Gridworld::target(Index cell, Index action) const {
    check(action >= 0 && action < 4, "Gridworld: wanted an action from 0 to 3, got {}", action);
    const Index down[] = {-1, 0, 1, 0}, across[] = {0, 1, 0, -1};
    const Index row = cell / columns() + down[action], column = cell % columns() + across[action];
    if (row < 0 || row >= rows() || column < 0 || column >= columns()) return cell;
    const Index there = row * columns() + column;
    return at(there) == '#' ? cell : there;
}

std::vector<Outcome<Index>> Gridworld::outcomes(const Index& cell, Index action) const {
    check(open(cell), "Gridworld: wanted a free cell, got {}", at(cell));
    std::vector<Outcome<Index>> list;
    const auto add = [&](Index move, double probability) {
        if (probability == 0) return;
        const Index next = target(cell, move);
        const auto same = std::find_if(list.begin(), list.end(), [&](const auto& o) { return o.next == next; });
        if (same != list.end()) {
            same->probability += probability;
            return;
        }
        const char c = at(next);
        const double reward = c == '+' ? 1 : c == '-' ? -1 : open(next) ? options_.step_reward : (c - '0') / 10.0;
        list.push_back({probability, next, reward, !open(next)});
    };
    add(action, 1 - options_.slip);
    add((action + 1) % 4, options_.slip / 2);
    add((action + 3) % 4, options_.slip / 2);
    return list;
}

}  // namespace RECTO::data
