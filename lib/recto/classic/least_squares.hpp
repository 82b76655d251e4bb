#pragma once
/// @file
/// The mean squared error of a linear model, and five ways to minimise it.
///
/// Throughout, phi is the design matrix (samples, weights) and y has one number per sample. Functions with several
/// right-hand sides take y as (samples, outputs) and return (weights, outputs).
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// The mean squared error \f$ \frac1N \sum_n (y_n - (\Phi w)_n)^2 \f$ (Fleuret, §3.1, Equation 1.1).
/// @throws Error when there are no samples or the sizes do not fit; so do all functions of this file
double squared_error(const Matrix& phi, std::span<const double> y, std::span<const double> w);

/// The gradient of squared_error(), \f$ \frac2N \Phi^\top (\Phi w - y) \f$, one number per weight.
Vector squared_error_gradient(const Matrix& phi, std::span<const double> y, std::span<const double> w);

/// The least-squares weights by the normal equations \f$ \Phi^\top\Phi\, w = \Phi^\top y \f$ by Cholesky (Fleuret,
/// §1.2).
/// @throws Error also when the columns of phi are dependent, as they are with more weights than samples
Vector normal_equations(const Matrix& phi, std::span<const double> y);
Matrix normal_equations(const Matrix& phi, const Matrix& y);  ///< Normal equations for several outputs.

/// The shortest of all minimisers, by singular values; those at most `cutoff` times the largest count as zero.
Vector least_norm(const Matrix& phi, std::span<const double> y, double cutoff = 1e-12);
Matrix least_norm(const Matrix& phi, const Matrix& y, double cutoff = 1e-12);  ///< For several outputs.

/// The minimiser of \f$ |\Phi w - y|^2 + \lambda |w|^2 \f$: ridge regression. @throws Error unless penalty > 0
Vector ridge(const Matrix& phi, std::span<const double> y, double penalty);
Matrix ridge(const Matrix& phi, const Matrix& y, double penalty);  ///< Ridge regression for several outputs.

/// The result of an iterative method.
struct Descent {
    Vector w;     ///< the weights
    Index steps;  ///< number of steps
};

/// Conjugate gradients on the normal equations, without forming them (Hestenes and Stiefel, 1952), from w = 0 until the
/// gradient has shrunk by the factor `tolerance`, or for `most` steps.
Descent conjugate_gradients(const Matrix& phi, std::span<const double> y, double tolerance = 1e-12, Index most = 10000);

/// Plain gradient descent on the mean squared error from w = 0, for exactly `steps` steps.
/// @param rate  step length; 0 means one over the largest curvature, which always converges
Descent gradient_descent(const Matrix& phi, std::span<const double> y, Index steps, double rate = 0);

}  // namespace RECTO::classic
