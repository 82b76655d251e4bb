#pragma once
/// @file
/// Sparse models by exhaustive search: the subset of columns with the best trade-off between fit and size.
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// The result of the search.
struct Subset {
    std::vector<Index> support;  ///< the chosen columns, ascending
    Vector w;                    ///< one weight per column of x, 0 for columns that were not chosen
    Index tried;                 ///< number of compared subsets: 2 to the power of the number of columns
};

/// Least squares on every subset of the columns of x (rows, inputs); returns the one with the smallest
/// \f[ \frac{|y - Xw|^2}{\hat\sigma^2} + 2 \log\frac{p}{r}\; |\text{subset}|, \f]
/// with p columns, \f$\hat\sigma^2\f$ the residual noise variance of all columns together, and r = `risk`.
///
/// With r = 1 this is the risk inflation criterion (Foster and George, 1994); a smaller r requires more of a column, so
/// that an irrelevant column is included in about a fraction r of all draws.
/// @throws Error with more than 20 columns, or not more rows than columns
Subset best_subset(const Matrix& x, std::span<const double> y, double risk = 0.01);

/// The variance of the noise: the residual of least squares on all columns, divided by the surplus of rows over
/// columns.
/// @throws Error unless there are more rows than columns
double noise_variance(const Matrix& x, std::span<const double> y);

}  // namespace RECTO::classic
