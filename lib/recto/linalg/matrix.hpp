#pragma once
/// @file
/// Row-major matrices of double, for problems with a closed-form solution.
///
/// They have no device and no gradient, and are double in both builds, because closed forms need many digits.
#include <span>
#include <vector>

#include <recto/core/tensor.hpp>

/// Linear algebra in double: products, Cholesky, QR and the singular value decomposition.
namespace RECTO::linalg {

using Vector = std::vector<double>;  ///< A column of numbers.

/// A table of numbers, row after row.
struct Matrix {
    Index rows = 0;              ///< how many rows
    Index cols = 0;              ///< how many columns
    std::vector<double> values;  ///< rows * cols numbers, the first row first

    Matrix() = default;  ///< No rows, no columns.
    /// All numbers the same. @throws Error when an extent is negative or their product does not fit
    Matrix(Index rows, Index cols, double fill = 0);
    /// These numbers. @throws Error unless there are rows * cols of them
    Matrix(Index rows, Index cols, std::vector<double> values);

    double& operator()(Index i, Index j) { return values[std::size_t(i * cols + j)]; }  ///< Row i, column j; unchecked.
    double operator()(Index i, Index j) const {
        return values[std::size_t(i * cols + j)];
    }                                                                      ///< Row i, column j; unchecked.
    double* row(Index i) { return values.data() + i * cols; }              ///< Address of row i.
    const double* row(Index i) const { return values.data() + i * cols; }  ///< Address of row i.
};

Matrix transpose(const Matrix& a);  ///< Rows become columns.

/// Some rows, in the order given; a row may come more than once. @throws Error when there is no such row
Matrix rows_of(const Matrix& a, std::span<const Index> which);
/// The first `count` columns. @throws Error when there are fewer
Matrix first_columns(const Matrix& a, Index count);

/// A tensor of shape (rows, cols), on any device, as a matrix. @throws Error unless it has two axes
Matrix matrix_of(const Tensor& x);
/// A matrix as a tensor of shape (rows, cols), rounded to Real.
Tensor tensor_of(const Matrix& a, Device device = Device::cpu);
/// A column as a tensor of shape (n, 1), rounded to Real: what a layer with one input reads.
Tensor column_of(std::span<const double> values, Device device = Device::cpu);

}  // namespace RECTO::linalg
