#pragma once
/// @file
/// Models that are linear in their weights: weighted sums of fixed basis functions.
///
/// \f[ f(x; w) = \sum_{k=1}^K w_k f_k(x) \f]
///
/// (Fleuret, The Little Book of Deep Learning, §1.2.)
#include <functional>

#include <recto/linalg/matrix.hpp>

/// Learning without networks: closed forms, subset selection, margins, in double.
namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// The fixed functions f_1 to f_K of one variable.
using Basis = std::vector<std::function<double(double)>>;

/// `count` bumps exp(-(x - c)^2 / (2 width^2)) whose centres c are evenly spaced on [low, high], both ends included.
/// @param width  standard deviation; 0 means the distance between neighbouring centres
/// @throws Error unless count >= 1 and low < high
Basis gaussian_bumps(Index count, double low, double high, double width = 0);

/// 1, cos, sin, cos of twice the frequency, ...: `count` waves with period `period`.
Basis fourier(Index count, double period);

/// Half-waves cos(k pi (x - low) / (high - low)) for k = 0 to count - 1, with more and more oscillations on [low,
/// high]. They are nested: the first K functions of a larger basis are the basis for K.
Basis cosines(Index count, double low, double high);

/// Legendre polynomials of degree 0 to count - 1, scaled to [low, high]. They span the same space as 1, x, x^2, ... and
/// are better conditioned; they are nested too.
Basis legendre(Index count, double low, double high);

/// 1, and `count` ramps max(0, x - c) whose joints c are evenly spaced on [low, high), the first at low: a weighted sum
/// is a piecewise linear function with kinks only at the joints. A network of relu units that all have slope 1 and
/// fixed joints is the same model (Prince, Understanding Deep Learning, Figure 8.4).
/// @throws Error unless count >= 1 and low < high
Basis ramps(Index count, double low, double high);

/// The design matrix, the functions' values at every x: row n is f_1(x_n) ... f_K(x_n).
/// @return (samples, functions)
Matrix design_matrix(const Basis& basis, std::span<const double> x);

/// The model's value at one x, by a loop. @throws Error unless there is one weight per function
double mix(const Basis& basis, std::span<const double> weights, double x);

/// The model's values at many x, as design matrix times weights.
Vector mix(const Basis& basis, std::span<const double> weights, std::span<const double> x);

}  // namespace RECTO::classic
