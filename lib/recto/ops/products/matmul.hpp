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
/// Leading axes are a batch: one product for each of their places. They stretch to one another as in add(), and a
/// stretched matrix is read again and again, not copied.
/// Backward: \f$ da = dy\, b^\top \f$ and \f$ db = a^\top dy \f$, summed over the axes that were stretched.
///
/// @param a  (..., rows, inner)
/// @param b  (..., inner, columns)
/// @return   (..., rows, columns); zeros when inner is 0
/// @throws Error when the shapes do not fit, one of them has less than two axes, or the devices differ
Tensor matmul(const Tensor& a, const Tensor& b);

}  // namespace RECTO
