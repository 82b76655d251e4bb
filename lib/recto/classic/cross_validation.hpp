#pragma once
/// @file
/// Judging a model on samples it did not learn from, all in turn.
#include <functional>

#include <recto/core/random.hpp>
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Matrix;
using linalg::Vector;

/// Rows to learn from and rows to be judged by.
struct Fold {
    std::vector<Index> train;  ///< ascending
    std::vector<Index> held;   ///< ascending
};

/// Deals `count` rows out into `parts` groups whose sizes differ by at most one; each is held out once. As many parts
/// as rows leave one out at a time. @throws Error unless 2 <= parts <= count
std::vector<Fold> folds(Index count, Index parts, Generator& random);

/// The mean squared error over all held-out rows.
/// @param fit  learns from some rows of (x, y) and returns the predictions for the rows of another x
double cross_validate(const std::vector<Fold>& folds, const Matrix& x, std::span<const double> y,
                      const std::function<Vector(const Matrix& x, const Vector& y, const Matrix& other)>& fit);

/// The leave-one-out error of ridge regression without a single refit:
/// \f[ \frac1N \sum_n \Big(\frac{y_n - \hat y_n}{1 - H_{nn}}\Big)^2, \qquad
///     H = \Phi (\Phi^\top\Phi + \lambda I)^{-1} \Phi^\top, \quad \hat y = H y \f]
/// (Allen, 1974). @throws Error unless penalty > 0
double ridge_leave_one_out(const Matrix& phi, std::span<const double> y, double penalty);

}  // namespace RECTO::classic
