#pragma once
/// @file
/// Joins several tensors into one, and splits one into several.
#include <vector>

#include <recto/core/tensor.hpp>

namespace RECTO {

/// Joins tensors along an existing axis: (2, 3) and (2, 4) along axis 1 give (2, 7).
/// @throws Error when `parts` is empty, when other axes differ, or devices differ
Tensor concat(const std::vector<Tensor>& parts, int axis = 0);

/// Joins tensors of one shape along a new axis: two of (2, 3) along axis 0 give (2, 2, 3).
/// A reshape() of each tensor and a concat().
/// @throws Error when `parts` is empty, or shapes or devices differ
Tensor stack(const std::vector<Tensor>& parts, int axis = 0);

/// Splits a tensor along an axis into parts of these extents, all views: the inverse of concat(). A slice() for each
/// part.
/// @throws Error unless the extents are at least 0 and add up to the axis's extent
std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& extents, int axis = 0);

}  // namespace RECTO
