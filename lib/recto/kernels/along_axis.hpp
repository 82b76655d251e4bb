#pragma once
/// @file
/// Numbers taken from places along an axis, or added to such places, without a tape: for gather(), scatter_add() and
/// top_k().
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The lines along the middle axis of (outer, n, inner).
struct Lines {
    Index n;      ///< numbers in a line
    Index inner;  ///< distance between them
    /// Whether index i is in range. Kernels check it because check_labels() reports asynchronously.
    RECTO_HD bool holds(Index i) const { return i >= 0 && i < n; }
    /// The position of number i of a line.
    RECTO_HD Index operator()(Index line, Index i) const {
        const Index outer = line / inner;
        return (outer * n + i) * inner + (line - outer * inner);
    }
};

/// A tensor and the part of it that is picked, line by line.
struct AlongAxis {
    Index lines;  ///< number of lines in each
    Lines whole;  ///< the lines of the tensor
    Lines part;   ///< the lines of the picked places
    /// @param x       shape of the tensor
    /// @param places  the same shape except along `axis`
    /// @param axis    the axis along which the lines run, from 0
    AlongAxis(const Shape& x, const Shape& places, int axis);
};

/// The number at each place, in the shape of `places`; NaN for places out of range. `x` and `places` are dense.
Tensor picked(const Tensor& x, const Integers& places, const AlongAxis& along);

/// Adds `values` to their places in `y`, line by line in the order of `values`, and returns `y`. All are dense.
Tensor added(Tensor y, const Integers& places, const Tensor& values, const AlongAxis& along);

}  // namespace RECTO
