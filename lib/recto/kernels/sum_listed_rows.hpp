#pragma once
/// @file
/// Sums of rows chosen by lists: the gradient of index_rows(), and messages along the edges of a graph.
#include <recto/base/config.hpp>

namespace RECTO {

/// Row r of `sums` is the sum of rows list[starts[r]], ..., list[starts[r + 1] - 1] of `x`, added in this order. One
/// team computes the whole row, so no two threads add to the same place.
struct SumListedRows {
    const Real* x;        ///< (any, cols)
    const Index* starts;  ///< where each row's list begins in `list`, and the end of the last list
    const Index* list;    ///< rows of `x`, one list after another
    Real* sums;           ///< one row for each list
    Index cols;           ///< numbers in a row
    /// Computes row `row` of `sums`.
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        Real* out = sums + row * cols;
        team.each(cols, [&](Index j) { out[j] = 0; });
        for (Index at = starts[row]; at < starts[row + 1]; ++at) {
            const Real* in = x + list[at] * cols;
            team.each(cols, [&](Index j) { out[j] += in[j]; });
        }
    }
};

}  // namespace RECTO
