#pragma once
/// @file
/// Layer normalisation and RMS normalisation of single samples: the same in training and evaluation.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Layer normalisation (Ba et al., 2016): normalises every sample, its last axes, to mean 0 and variance 1; then
/// applies a scale and a shift to every element.
///
/// \f[ y_j = w_j\, \frac{x_j - \bar x}{\sqrt{\sigma^2 + \varepsilon}} + b_j, \qquad
///     \bar x = \frac1n \sum_j x_j, \quad \sigma^2 = \frac1n \sum_j (x_j - \bar x)^2 \f]
///
/// A sample of variance 0 becomes the bias. Backward, with \f$ \hat x_j = (x_j - \bar x) / \sqrt{\sigma^2 + \varepsilon} \f$
/// and \f$ g_j = w_j\, dy_j \f$: \f$ dx_j = \left(g_j - \frac1n \sum_k g_k - \hat x_j \frac1n \sum_k g_k \hat x_k\right) /
/// \sqrt{\sigma^2 + \varepsilon} \f$; \f$ dw_j \f$ sums \f$ dy_j \hat x_j \f$ over all samples, \f$ db_j \f$ sums
/// \f$ dy_j \f$.
///
/// @param x        at least that many axes
/// @param axes     how many of the last axes are a sample
/// @param weight   their shape, or undefined for ones
/// @param bias     their shape, or undefined for zeros
/// @param eps  at least 0; with 0 a sample of variance 0 becomes NaN
/// @return         the shape of `x`
/// @throws Error when shapes or devices do not fit
Tensor layer_norm(const Tensor& x, int axes, const Tensor& weight = Tensor(), const Tensor& bias = Tensor(),
                  double eps = 1e-5);

/// Root mean square normalisation (Zhang and Sennrich, 2019): layer_norm() without the mean and without the shift.
///
/// \f[ y_j = w_j\, \frac{x_j}{\sqrt{\frac1n \sum_k x_k^2 + \varepsilon}} \f]
///
/// A sample of zeros stays zeros. Backward: as layer_norm() with the mean left out.
///
/// @param x        at least that many axes
/// @param axes     how many of the last axes are a sample
/// @param weight   their shape, or undefined for ones
/// @param eps  at least 0; with 0 a sample of zeros becomes NaN
/// @return         the shape of `x`
/// @throws Error when shapes or devices do not fit
Tensor rms_norm(const Tensor& x, int axes, const Tensor& weight = Tensor(), double eps = 1e-5);

}  // namespace RECTO
