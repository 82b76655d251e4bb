#pragma once
/// @file
/// gather() and its opposite, scatter_add(): indexing along an axis, with separate indices for every line.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Selects elements along one axis: for axis 1 of three, \f$ y_{ijk} = x_{i\, p_{ijk}\, k} \f$.
///
/// Places may repeat; the gradient of a number is the sum over its uses, in their order.
/// @param x       at least one axis
/// @param axis    the axis along which numbers are selected; negative ones count from the end
/// @param places  the shape of `x` except along that axis; from 0 to the axis's extent in `x`, less one
/// @return        the shape of `places`
/// @throws Error when shapes or devices do not fit or a place is out of range
Tensor gather(const Tensor& x, int axis, const Integers& places);

/// Adds values at indices along one axis: for axis 1 of three, \f$ y_{i\, p_{ijk}\, k} = x_{i\, p_{ijk}\, k} + v_{ijk}
/// \f$, repeated indices add up, in the order of j. `x` is not changed. The opposite of gather().
/// @param x       at least one axis
/// @param axis    the axis of the places
/// @param places  the shape of `x` except along that axis
/// @param values  the shape of `places`
/// @return        the shape of `x`
/// @throws Error when shapes or devices do not fit or a place is out of range
Tensor scatter_add(const Tensor& x, int axis, const Integers& places, const Tensor& values);

}  // namespace RECTO
