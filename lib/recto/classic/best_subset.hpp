#pragma once
/// @file
/// Preferring few inputs, by trying all choices: the subset of columns that explains best for what it costs.
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// What the search found.
struct Subset {
    std::vector<Index> support;  ///< the chosen columns, ascending
    Vector w;                    ///< one weight per column of x, 0 where it was not chosen
    Index tried;                 ///< how many subsets were compared: 2 to the power of the columns
};

/// Least squares on every subset of the columns of x (rows, inputs); returns the one with the smallest
/// \f[ \frac{|y - Xw|^2}{\hat\sigma^2} + 2 \log\frac{p}{r}\; |\text{subset}|, \f]
/// with p columns, \f$\hat\sigma^2\f$ the noise variance that all columns together leave over, and r = `risk`.
///
/// With r = 1 this is the risk inflation criterion (Foster and George, 1994); a smaller r asks more of a column, so
/// that a useless one is let in about r times in the draws.
/// @throws Error with more than 20 columns, or not more rows than columns
Subset best_subset(const Matrix& x, std::span<const double> y, double risk = 0.01);

/// The variance of the noise: what least squares on all columns leaves over, per row beyond the columns.
/// @throws Error unless there are more rows than columns
double noise_variance(const Matrix& x, std::span<const double> y);

}  // namespace RECTO::classic
