#pragma once
/// @file
/// Integers as indices into a tensor.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// One-hot encoding: turns every label into a vector with a 1 at the label's index and 0 elsewhere; multiplying it by a
/// matrix selects a row.
/// @param labels  any shape, from 0 to classes - 1
/// @return        the shape of `labels` and one more axis of `classes`
/// @throws Error when a label is out of range, there are fewer than 0 classes, or the result would have more than 8
/// axes
Tensor one_hot(const Integers& labels, Index classes);

/// Gathers rows: row i of the result is x[places[i]], for rows of any shape. Places may repeat; the gradient of a row
/// is the sum over its uses, in their order.
/// @param x       (rows, ...)
/// @param places  any shape, from 0 to rows - 1
/// @return        the shape of `places`, then the shape of a row
/// @throws Error when `x` has no axes, a place is out of range, or devices differ
Tensor index_rows(const Tensor& x, const Integers& places);

}  // namespace RECTO
