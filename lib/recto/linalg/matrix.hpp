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

using Vector = std::vector<double>;  ///< A column vector.

/// A matrix in row-major order.
struct Matrix {
    Index rows = 0;              ///< number of rows
    Index cols = 0;              ///< number of columns
    std::vector<double> values;  ///< rows * cols numbers in row-major order

    Matrix() = default;  ///< No rows, no columns.
    /// A matrix with every element equal. @throws Error when an extent is negative or their product does not fit
    Matrix(Index rows, Index cols, double fill = 0);
    /// A matrix of these numbers. @throws Error unless there are rows * cols of them
    Matrix(Index rows, Index cols, std::vector<double> values);

    double& operator()(Index i, Index j) { return values[std::size_t(i * cols + j)]; }  ///< Row i, column j; unchecked.
    double operator()(Index i, Index j) const {
        return values[std::size_t(i * cols + j)];
    }                                                                      ///< Row i, column j; unchecked.
    double* row(Index i) { return values.data() + i * cols; }              ///< Address of row i.
    const double* row(Index i) const { return values.data() + i * cols; }  ///< Address of row i.
};

Matrix transpose(const Matrix& a);  ///< Rows become columns.

/// The rows with these indices, in this order; repetitions are allowed. @throws Error when there is no such row
Matrix rows_of(const Matrix& a, std::span<const Index> which);
/// The first `count` columns. @throws Error when there are fewer
Matrix first_columns(const Matrix& a, Index count);

/// A tensor of shape (rows, cols), on any device, as a matrix. @throws Error unless it has two axes
Matrix matrix_of(const Tensor& x);
/// A matrix as a tensor of shape (rows, cols), rounded to Real.
Tensor tensor_of(const Matrix& a, Device device = Device::cpu);
/// A vector as a tensor of shape (n, 1), rounded to Real: the input of a layer with one input feature.
Tensor column_of(std::span<const double> values, Device device = Device::cpu);

}  // namespace RECTO::linalg
