#pragma once
/// @file
/// Variance and Euclidean norm along any axes, named as in reduce.hpp.
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO {

/// The variance, the mean squared distance from the mean, along some axes.
///
/// \f[ y = \frac1{n - c} \sum_i (x_i - \bar x)^2, \qquad \bar x = \frac1n \sum_i x_i \f]
///
/// Two passes, so that a large mean costs no precision. Backward: \f$ dx_i = \frac2{n - c} (x_i - \bar x)\, dy \f$.
///
/// @param x           any shape
/// @param axes        those that disappear, or stay with extent 1 under Keep::yes
/// @param correction  c: 1 estimates the variance of the distribution of `x`, 0 is the variance of `x` itself
/// @return            NaN where n <= c, as for a single number with correction 1
/// @throws Error for an axis that does not exist or is named twice, or a correction other than 0 or 1
Tensor variance(const Tensor& x, std::initializer_list<int> axes, int correction = 1, Keep keep = Keep::no);
/// variance() along computed axes.
Tensor variance(const Tensor& x, std::span<const int> axes, int correction = 1, Keep keep = Keep::no);
/// The variance of all numbers, shape ().
Tensor variance(const Tensor& x, int correction = 1);

/// The Euclidean norm along some axes, \f$ y = \sqrt{\sum_i x_i^2} \f$; 0 along an empty axis. Numbers above 1e19
/// overflow in float. Backward: \f$ dx_i = x_i / y\, dy \f$, and 0 where y is 0.
/// @throws Error for an axis that does not exist or is named twice
Tensor norm(const Tensor& x, std::initializer_list<int> axes, Keep keep = Keep::no);
/// norm() along computed axes.
Tensor norm(const Tensor& x, std::span<const int> axes, Keep keep = Keep::no);
/// The norm of all numbers, shape ().
Tensor norm(const Tensor& x);

}  // namespace RECTO
