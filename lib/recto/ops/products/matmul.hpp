#pragma once
/// @file
/// The matrix product.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The matrix product of a and b, batched.
///
/// \f[ y_{ij} = \sum_p a_{ip}\, b_{pj} \f]
///
/// Transposed, row-sliced and column-sliced views are read in place; other views are copied first. Leading axes are a
/// batch and are broadcast as in add(); a broadcast matrix is read repeatedly, not copied. Backward: \f$ da = dy\,
/// b^\top \f$ and \f$ db = a^\top dy \f$, summed over the axes that were broadcast.
///
/// @param a  (..., rows, inner)
/// @param b  (..., inner, columns)
/// @return   (..., rows, columns); zeros when inner is 0
/// @throws Error when the shapes do not fit, one of them has less than two axes, or the devices differ
Tensor matmul(const Tensor& a, const Tensor& b);

}  // namespace RECTO
