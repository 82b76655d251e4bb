#pragma once
/// @file
/// The largest numbers along an axis.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The largest elements along an axis, and their indices.
struct TopK {
    Tensor values;    ///< sorted in decreasing order; NaN counts as larger than any number
    Integers places;  ///< their indices; equal values in order of index
};

/// The k largest numbers along one axis, for small k: time grows at worst with k times the extent. Gradients reach the
/// selected numbers.
/// @return        both with extent k along that axis
/// @throws Error unless 0 <= k <= extent
TopK top_k(const Tensor& x, Index k, int axis = -1);

}  // namespace RECTO
