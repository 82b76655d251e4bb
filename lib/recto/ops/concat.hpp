#pragma once
/// @file
/// Several tensors to one.
#include <vector>

#include <recto/core/tensor.hpp>

namespace RECTO {

/// Puts tensors end to end along an axis that they have: (2, 3) and (2, 4) along axis 1 give (2, 7).
/// @throws Error when there is none, when other axes differ, or devices do
Tensor concat(const std::vector<Tensor>& parts, int axis = 0);

/// Puts tensors of one shape side by side along a new axis: two of (2, 3) along axis 0 give (2, 2, 3).
/// A reshape() of each and a concat().
/// @throws Error when there is none, when shapes or devices differ
Tensor stack(const std::vector<Tensor>& parts, int axis = 0);

}  // namespace RECTO
