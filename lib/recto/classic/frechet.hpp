#pragma once
/// @file
/// The Fréchet distance of two sets of points, which compares generated samples with real ones.
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

/// The distance of the normal distributions that have the mean and the covariance of two sets of points:
///
/// \f[ d = \sqrt{\lVert \mu - \nu \rVert^2 + \operatorname{tr}\bigl(A + B - 2\, (A^{1/2} B\, A^{1/2})^{1/2}\bigr)} \f]
///
/// (Dowson and Landau, 1982). In the features of a classifier it is the distance by which Heusel et al. (2017) judge
/// generated images; the *FID* that is usually reported is its square. Small sets give too large distances, since their
/// covariances are noisy.
/// @param a  (points, features)   @param b  (points, features)
/// @throws Error unless both have as many columns and at least two rows, and all numbers are finite
double frechet_distance(const linalg::Matrix& a, const linalg::Matrix& b);

}  // namespace RECTO::classic
