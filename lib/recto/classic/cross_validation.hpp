#pragma once
/// @file
/// Cross-validation: testing a model on samples that it was not trained on, each sample once.
#include <functional>

#include <recto/core/random.hpp>
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// Rows for training and rows for testing.
struct Fold {
    std::vector<Index> train;  ///< ascending
    std::vector<Index> held;   ///< ascending
};

/// Divides `count` rows into `parts` groups whose sizes differ by at most one; each group is held out once. With as
/// many parts as rows, it leaves one row out at a time. @throws Error unless 2 <= parts <= count
std::vector<Fold> folds(Index count, Index parts, Generator& random);

/// The mean squared error over all held-out rows.
/// @param fit  trains on some rows of (x, y) and returns the predictions for the rows of another x
double cross_validate(const std::vector<Fold>& folds, const Matrix& x, std::span<const double> y,
                      const std::function<Vector(const Matrix& x, const Vector& y, const Matrix& other)>& fit);

/// The leave-one-out error of ridge regression without refitting:
/// \f[ \frac1N \sum_n \Big(\frac{y_n - \hat y_n}{1 - H_{nn}}\Big)^2, \qquad
///     H = \Phi (\Phi^\top\Phi + \lambda I)^{-1} \Phi^\top, \quad \hat y = H y \f]
/// (Allen, 1974). @throws Error unless penalty > 0
double ridge_leave_one_out(const Matrix& phi, std::span<const double> y, double penalty);

}  // namespace RECTO::classic
