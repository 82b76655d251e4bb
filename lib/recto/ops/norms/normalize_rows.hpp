#pragma once
/// @file
/// Rows that sum to one.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Divides each row (last axis) by its sum, so that it sums to one; a row that sums to 0 becomes NaN.
/// @param x  (..., columns): any number of axes, at least one
/// @throws Error when `x` has no axes
Tensor normalize_rows(const Tensor& x);

/// Divides each row by a given sum.
///
/// The sums must keep the reduced axis with extent 1, as from `sum(x, {-1}, Keep::yes)`. Sums of shape (n) for a square
/// (n, n) matrix are refused: broadcasting would silently divide every column by them.
/// @param x     (..., columns)
/// @param sums  (..., 1): the shape of `x` with the last axis 1
/// @throws Error for any other shape of `sums`
Tensor normalize_rows(const Tensor& x, const Tensor& sums);

}  // namespace RECTO
