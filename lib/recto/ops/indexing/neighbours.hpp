#pragma once
/// @file
/// Sums over the neighbours in a graph.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Who is whose neighbour, as compressed sparse rows: the neighbours of target i are
/// `places[offsets[i]], ..., places[offsets[i + 1] - 1]`, each the number of a source. A place may come up again. Made
/// once for a graph: it keeps a copy of the places, and finds out for every source whose neighbour it is, which is what
/// gradients need.
class Neighbours {
public:
    /// @param offsets  (targets + 1): from 0 to the number of places, never falling
    /// @param places   (any number): from 0 to sources - 1
    /// @throws Error when they are not like that, or devices differ
    Neighbours(const Integers& offsets, const Integers& places, Index sources);

    Index targets() const { return offsets_.numel() - 1; }  ///< How many have neighbours.
    Index sources() const { return back_.numel() - 1; }     ///< How many may be one.

private:
    friend Tensor sum_neighbours(const Tensor& x, const Neighbours& graph);
    Integers offsets_, places_;    // the sources of every target
    Integers back_, back_places_;  // the targets of every source, in rising order
};

/// Sums the rows of the neighbours, in the order in which they are named: \f$ y_i = \sum_{j \in N(i)} x_j \f$. Who has
/// none gets 0. Backward: \f$ dx_j = \sum_{i : j \in N(i)} dy_i \f$, every row summed in order by one team.
/// @param x  (sources, ...)
/// @return   (targets, ...)
/// @throws Error when `x` has not one row for every source, or devices differ
Tensor sum_neighbours(const Tensor& x, const Neighbours& graph);

}  // namespace RECTO
