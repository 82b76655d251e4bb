#pragma once
/// @file
/// A border around the numbers, and their mirror image.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// How many numbers come before and after along one axis.
struct Border {
    Index before = 0;  ///< in front of the first
    Index after = 0;   ///< behind the last
};

/// Puts a border of one value around `x`.
///
/// There is one Border for each of the last axes, in their order: `pad(images, {{1, 1}, {2, 2}})` adds a row above and
/// below every image, and two columns on either side. Axes without a Border stay as they are.
/// Backward: \f$ dx \f$ is what \f$ dy \f$ has inside the border.
///
/// @param x        any shape
/// @param borders  one for each of the last axes, at most as many as `x` has
/// @param value    what the border is made of
/// @throws Error when there are more borders than axes, one is negative, or the result has too many elements
Tensor pad(const Tensor& x, std::initializer_list<Border> borders, Real value = 0);

/// The same with the borders in a span, for programs that compute them.
Tensor pad(const Tensor& x, std::span<const Border> borders, Real value = 0);

/// The mirror image along some axes, read from the last to the first. A view: nothing is copied.
///
/// \f[ y_i = x_{n - 1 - i} \f]
///
/// @throws Error for an axis that is not there or is named twice
Tensor flip(const Tensor& x, std::initializer_list<int> axes);

}  // namespace RECTO
