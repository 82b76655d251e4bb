#pragma once
/// @file
/// The mean squared error of a linear model, and five ways to its minimum.
///
/// Throughout, phi is the design matrix (samples, weights) and y has one number per sample. Functions with
/// several right-hand sides take y as (samples, outputs) and return (weights, outputs).
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// The mean squared error \f$ \frac1N \sum_n (y_n - (\Phi w)_n)^2 \f$ (Fleuret, §3.1, Equation 1.1).
/// @throws Error when there are no samples or the sizes do not fit; so do all functions here
double squared_error(const Matrix& phi, std::span<const double> y, std::span<const double> w);

/// The gradient of squared_error(), \f$ \frac2N \Phi^\top (\Phi w - y) \f$, one number per weight.
Vector squared_error_gradient(const Matrix& phi, std::span<const double> y, std::span<const double> w);

/// The least-squares weights by the normal equations \f$ \Phi^\top\Phi\, w = \Phi^\top y \f$ by Cholesky (Fleuret,
/// §1.2).
/// @throws Error also when the columns of phi depend on each other, as they do with more weights than samples
Vector normal_equations(const Matrix& phi, std::span<const double> y);
Matrix normal_equations(const Matrix& phi, const Matrix& y);  ///< The same for several outputs.

/// The shortest of all minimisers, by singular values; those below `cutoff` times the largest count as zero.
Vector least_norm(const Matrix& phi, std::span<const double> y, double cutoff = 1e-12);
Matrix least_norm(const Matrix& phi, const Matrix& y, double cutoff = 1e-12);  ///< The same for several outputs.

/// The minimiser of \f$ |\Phi w - y|^2 + \lambda |w|^2 \f$: ridge regression. @throws Error unless penalty > 0
Vector ridge(const Matrix& phi, std::span<const double> y, double penalty);
Matrix ridge(const Matrix& phi, const Matrix& y, double penalty);  ///< The same for several outputs.

/// Where an iteration ended.
struct Descent {
    Vector w;     ///< the weights
    Index steps;  ///< how many it took
};

/// Conjugate gradients on the normal equations, without forming them (Hestenes and Stiefel, 1952), from w = 0
/// until the gradient has shrunk by `tolerance`, or for `most` steps.
Descent conjugate_gradients(const Matrix& phi, std::span<const double> y, double tolerance = 1e-12, Index most = 10000);

/// Plain gradient descent on the mean squared error from w = 0, for exactly `steps` steps.
/// @param rate  step length; 0 means one over the largest curvature, the safe choice
Descent gradient_descent(const Matrix& phi, std::span<const double> y, Index steps, double rate = 0);

}  // namespace RECTO::classic
