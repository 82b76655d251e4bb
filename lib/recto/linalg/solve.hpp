#pragma once
/// @file
/// Linear systems and least squares: three methods with different cost and robustness.
///
/// `cholesky_solve` is the cheapest and squares the condition number, `qr_least_squares` does not square it,
/// `svd_least_squares` also handles rank-deficient systems.
#include <recto/linalg/matrix.hpp>

namespace RECTO::linalg {

/// x with a x = b, for `a` symmetric and positive definite (n, n), b (n, right-hand sides).
/// @throws Error when `a` is not square, has a NaN or is not positive definite, or b does not fit
Matrix cholesky_solve(const Matrix& a, const Matrix& b);
/// Solves a x = b for one right-hand side of n numbers.
Vector cholesky_solve(const Matrix& a, std::span<const double> b);

/// The x that minimises |a x - b|, for `a` (rows, cols) with rows >= cols and independent columns, by Householder
/// reflections. @throws Error when there are fewer rows than columns or the columns are dependent
Vector qr_least_squares(const Matrix& a, std::span<const double> b);

/// Among all x that minimise |a x - b|, the shortest; `a` may have any shape and rank.
///
/// Directions whose singular value is at most `cutoff` times the largest are left out.
/// @param a  (rows, cols)   @param b  (rows, right-hand sides)   @return (cols, right-hand sides)
/// @throws Error when a number is not finite or b does not fit
Matrix svd_least_squares(const Matrix& a, const Matrix& b, double cutoff = 1e-12);
/// The shortest least-squares solution for one right-hand side.
Vector svd_least_squares(const Matrix& a, std::span<const double> b, double cutoff = 1e-12);

/// a = u diag(values) vt, with r = min(rows, cols) values, largest first.
struct Svd {
    Matrix u;       ///< (rows, r), orthonormal columns
    Vector values;  ///< r numbers of at least 0
    Matrix vt;      ///< (r, cols), orthonormal rows
};
/// The thin singular value decomposition. @throws Error when a number is not finite or the iteration does not converge
Svd svd(const Matrix& a);

Vector singular_values(const Matrix& a);   ///< The singular values, largest first.
double condition_number(const Matrix& a);  ///< Largest over smallest singular value; inf when that is 0.

}  // namespace RECTO::linalg
