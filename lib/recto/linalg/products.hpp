#pragma once
/// @file
/// Products of matrices and vectors of double, through one call of BLAS.
#include <recto/linalg/matrix.hpp>

namespace RECTO::linalg {

/// A row-major matrix in memory, possibly to be read transposed.
struct View {
    const double* data;       ///< the first number
    Index stride;             ///< distance between rows in memory
    bool transposed = false;  ///< whether it is read as its transpose
};

/// c = a b with a (m, k), b (k, n) and c (m, n) as read: the only function of this folder that calls BLAS.
///
/// The product is divided into tiles by its shape alone, so that its bits do not depend on the number of threads. `a`
/// and `b` may be the same memory; `c` is overwritten and must not overlap them.
void product(Index m, Index n, Index k, View a, View b, double* c);

Matrix matmul(const Matrix& a, const Matrix& b);                      ///< a b. @throws Error unless a.cols = b.rows
Matrix transpose_matmul(const Matrix& a, const Matrix& b);            ///< a' b. @throws Error unless a.rows = b.rows
Matrix gram(const Matrix& a);                                         ///< a' a, exactly symmetric.
Vector matvec(const Matrix& a, std::span<const double> x);            ///< a x. @throws Error unless x fits
Vector transpose_matvec(const Matrix& a, std::span<const double> x);  ///< a' x. @throws Error unless x fits

double dot(std::span<const double> x,
           std::span<const double> y);      ///< Sum of products. @throws Error on unequal lengths
double norm(std::span<const double> x);     ///< Euclidean length.
double largest(std::span<const double> x);  ///< The largest magnitude; NaN if any is NaN, 0 for an empty vector.
/// y += factor x. @throws Error on unequal lengths
void add_scaled(std::span<double> y, double factor, std::span<const double> x);

}  // namespace RECTO::linalg
