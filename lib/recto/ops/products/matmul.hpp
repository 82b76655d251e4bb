#pragma once
/// @file
/// The matrix product.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Multiplies matrices.
///
/// \f[ y_{ij} = \sum_p a_{ip}\, b_{pj} \f]
///
/// Transposed, row-sliced and column-sliced views are read where they lie; other views are copied first.
/// Backward: \f$ da = dy\, b^\top \f$ and \f$ db = a^\top dy \f$.
///
/// @param a  (rows, inner), or with the same leading axes on both sides: one product for each of their places
/// @param b  (inner, columns)
/// @return   (rows, columns) behind the leading axes; zeros when inner is 0
/// @throws Error when the shapes do not fit or the devices differ
Tensor matmul(const Tensor& a, const Tensor& b);

}  // namespace RECTO
