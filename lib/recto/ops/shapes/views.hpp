#pragma once
/// @file
/// Views and reshaping. Unless stated otherwise nothing is copied: the result shares its storage with `x`, and a change
/// of one changes the other.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The same elements, in row-major order, in another shape.
///
/// A view if `x` is dense or if only axes of extent 1 are added or removed; otherwise (such as a flattened transposed
/// matrix) the numbers are copied.
/// @throws Error when the number of elements differs
Tensor reshape(const Tensor& x, const Shape& shape);

/// Merges all axes from `first` on: (batch, 28, 28) becomes (batch, 784). A reshape().
Tensor flatten(const Tensor& x, int first = 1);

/// Reorders the axes: axis i of the result is axis `order[i]` of `x`; negative ones count from the end.
/// @throws Error unless every axis is listed once
Tensor permute(const Tensor& x, std::initializer_list<int> order);

/// permute() with a computed order.
Tensor permute(const Tensor& x, std::span<const int> order);

/// Swaps two axes, by default the last two. A permute().
Tensor transpose(const Tensor& x, int first = -2, int second = -1);

/// Elements begin, begin + step, ... below `end` along one axis, which stays.
/// @throws Error unless 0 <= begin <= end <= extent and step >= 1
Tensor slice(const Tensor& x, int axis, Index begin, Index end, Index step = 1);

/// Element `place` along one axis, which disappears: select(x, 0, i) is row i. A slice() and a reshape().
Tensor select(const Tensor& x, int axis, Index place);

/// Broadcasts `x` along missing axes and those of extent 1 without a copy: all repeats share the same elements.
/// @throws Error when the shape of `x` cannot be broadcast to `shape`
Tensor expand(const Tensor& x, const Shape& shape);

/// The strides that read `x` as if it had `shape`: 0 where it is broadcast. Used by expand() and by broadcasting.
PerAxis stretched_strides(const Tensor& x, const Shape& shape);

/// `x` in row-major order without gaps: `x` itself if it is contiguous, otherwise a copy.
Tensor contiguous(const Tensor& x);

}  // namespace RECTO
