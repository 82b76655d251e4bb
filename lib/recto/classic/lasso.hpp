#pragma once
/// @file
/// Preferring few inputs, by a price on every weight: the lasso (Tibshirani, 1996).
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// The minimiser of \f$ \frac1{2N} |y - Xw|^2 + \lambda |w|_1 \f$ by coordinate descent: each weight in turn takes its
/// best value with the others fixed (Friedman, Hastie and Tibshirani, 2010).
/// @param penalty    lambda, at least 0
/// @param tolerance  stops when no weight moves further than this in a sweep
/// @throws Error when the sizes do not fit, the penalty is negative or 100 000 sweeps do not settle it
Vector lasso(const Matrix& x, std::span<const double> y, double penalty, double tolerance = 1e-10);

/// The penalty that lets a useless input in about `risk` times in the draws: sigma sqrt(2 log(p / risk) / N) for p
/// inputs of variance 1, with sigma the noise that least squares leaves over (after Donoho and Johnstone, 1994).
double lasso_penalty(const Matrix& x, std::span<const double> y, double risk = 0.01);

/// Where weights are not zero, ascending.
std::vector<Index> support(std::span<const double> w);

}  // namespace RECTO::classic
