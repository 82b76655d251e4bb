#pragma once
/// @file
/// Uniting neighbours, the best pair first: what tokenizers with byte pairs and with scored pieces have in common.
#include <cstddef>
#include <queue>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::text {

/// Unites two neighbours of a sequence again and again, as long as there are two whose union exists: always those of
/// least cost, the leftmost of equal ones. Time n log n for n symbols.
///
/// The symbols are a linked list. A heap holds every union that has become possible; one whose neighbours have changed
/// since is recognised by the places that follow them.
/// @param symbols  the sequence, which becomes what is left
/// @param united   returns, for two symbols, an optional pair: a cost, and the symbol that unites them
template <class Symbol, class United>
void unite(std::vector<Symbol>& symbols, const United& united) {
    using Cost = typename decltype(united(symbols[0], symbols[0]))::value_type::first_type;
    constexpr Index none = -1, gone = -2;
    struct Neighbours {
        Index before, after;  // places; `gone` after a symbol that was united with the one before it
    };
    struct Union {
        Cost cost;
        Index left, right, next;  // the places of both and of what follows them
        Symbol symbol;
        bool operator<(const Union& other) const { return cost != other.cost ? cost > other.cost : left > other.left; }
    };
    const Index n = Index(symbols.size());
    std::vector<Neighbours> list;
    list.reserve(symbols.size());
    for (Index i = 0; i < n; ++i) list.push_back({i - 1, i + 1 < n ? i + 1 : none});
    const auto at = [&](Index i) -> Neighbours& { return list[std::size_t(i)]; };
    std::priority_queue<Union> heap;
    const auto consider = [&](Index left) {
        if (left < 0 || at(left).after < 0) return;
        const Index right = at(left).after;
        if (const auto found = united(symbols[std::size_t(left)], symbols[std::size_t(right)]))
            heap.push({found->first, left, right, at(right).after, found->second});
    };
    for (Index i = 0; i < n; ++i) consider(i);
    while (!heap.empty()) {
        const Union best = heap.top();
        heap.pop();
        if (at(best.left).after != best.right || at(best.right).after != best.next) continue;
        symbols[std::size_t(best.left)] = best.symbol;
        at(best.left).after = best.next, at(best.right).after = gone;
        if (best.next >= 0) at(best.next).before = best.left;
        consider(at(best.left).before), consider(best.left);
    }
    std::size_t left = 0;
    for (std::size_t i = 0; i < symbols.size(); ++i)
        if (list[i].after != gone) symbols[left++] = symbols[i];
    symbols.resize(left);
}

}  // namespace RECTO::text
