#pragma once
/// @file
/// Padding with a constant, and flipping.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The padding along one axis.
struct Border {
    Index before = 0;  ///< before the first element
    Index after = 0;   ///< after the last element
};

/// Pads `x` with a constant value.
///
/// `borders` has one Border for each of the last axes, in their order: `pad(images, {{1, 1}, {2, 2}})` adds a row above
/// and below every image, and two columns on each side. Axes without a Border do not change. Backward: \f$ dx \f$ is
/// the part of \f$ dy \f$ inside the border.
///
/// @param x        any shape
/// @param borders  one for each of the last axes, at most as many as `x` has
/// @param value    the value of the border
/// @throws Error when there are more borders than axes, one is negative, or the result has too many elements
Tensor pad(const Tensor& x, std::initializer_list<Border> borders, Real value = 0);

/// pad() with computed borders.
Tensor pad(const Tensor& x, std::span<const Border> borders, Real value = 0);

/// Reverses the order of elements along some axes. A view: nothing is copied.
///
/// \f[ y_i = x_{n - 1 - i} \f]
///
/// @throws Error for an axis that does not exist or is named twice
Tensor flip(const Tensor& x, std::initializer_list<int> axes);

}  // namespace RECTO
