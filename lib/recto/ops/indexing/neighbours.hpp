#pragma once
/// @file
/// Sums over the neighbours in a graph.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The edges of a graph as compressed sparse rows: the neighbours of target i are `places[offsets[i]], ...,
/// places[offsets[i + 1] - 1]`, each the index of a source. A source may repeat. Construct it once per graph: it copies
/// the indices and builds the reverse lists (the targets of every source), which the backward pass needs.
class Neighbours {
public:
    /// @param offsets  (targets + 1): non-decreasing, from 0 to the number of places
    /// @param places   (any number): from 0 to sources - 1
    /// @throws Error when the arguments are out of range, or devices differ
    Neighbours(const Integers& offsets, const Integers& places, Index sources);

    Index targets() const { return offsets_.numel() - 1; }  ///< Number of targets.
    Index sources() const { return back_.numel() - 1; }     ///< Number of sources.

private:
    friend Tensor sum_neighbours(const Tensor& x, const Neighbours& graph);
    Integers offsets_, places_;    // the sources of every target
    Integers back_, back_places_;  // the targets of every source, in increasing order
};

/// Sums the rows of the neighbours, in the order in which they are listed: \f$ y_i = \sum_{j \in N(i)} x_j \f$. A
/// target without neighbours gets 0. Backward: \f$ dx_j = \sum_{i : j \in N(i)} dy_i \f$, every row summed in order by
/// one team.
/// @param x  (sources, ...)
/// @return   (targets, ...)
/// @throws Error unless `x` has one row for every source, or when devices differ
Tensor sum_neighbours(const Tensor& x, const Neighbours& graph);

}  // namespace RECTO
