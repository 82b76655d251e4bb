#pragma once
/// @file
/// Sparse models by a penalty on every weight: the lasso (Tibshirani, 1996).
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// The minimiser of \f$ \frac1{2N} |y - Xw|^2 + \lambda |w|_1 \f$ by coordinate descent: each weight in turn is set to
/// its best value with the others fixed (Friedman, Hastie and Tibshirani, 2010).
/// @param penalty    lambda, at least 0
/// @param tolerance  stops when no weight changes by more than this in a sweep
/// @throws Error when the sizes do not fit, the penalty is negative or 100 000 sweeps do not converge
Vector lasso(const Matrix& x, std::span<const double> y, double penalty, double tolerance = 1e-10);

/// The penalty that includes an irrelevant input in about a fraction `risk` of all draws: sigma sqrt(2 log(p / risk) /
/// N) for p inputs of variance 1, with sigma the residual noise of least squares (after Donoho and Johnstone, 1994).
double lasso_penalty(const Matrix& x, std::span<const double> y, double risk = 0.01);

/// The indices of the non-zero weights, ascending.
std::vector<Index> support(std::span<const double> w);

}  // namespace RECTO::classic
