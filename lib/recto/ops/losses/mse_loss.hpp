#pragma once
/// @file
/// The mean squared error.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The mean over all numbers of the squared difference of prediction and target.
///
/// \f[ \mathscr L = \frac1N \sum_{n=1}^N (y_n - f_n)^2 \f]
///
/// Backward: \f$ df_n = \frac2N (f_n - y_n)\, d\mathscr L \f$, and \f$ dy_n = -df_n \f$.
///
/// @param prediction  any shape with at least one number
/// @param target      the same shape
/// @return            a single number, without axes
/// @throws Error when the shapes or devices differ, or there is no number
Tensor mse_loss(const Tensor& prediction, const Tensor& target);

}  // namespace RECTO
