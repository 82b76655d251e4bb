#include <recto/linalg/matrix.hpp>

#include <algorithm>

namespace RECTO::linalg {

Matrix::Matrix(Index rows, Index cols, double fill)
    : rows(rows), cols(cols), values(std::size_t(Shape{rows, cols}.numel()), fill) {}

Matrix::Matrix(Index rows, Index cols, std::vector<double> numbers)
    : rows(rows), cols(cols), values(std::move(numbers)) {
    const Index wanted = Shape{rows, cols}.numel();
    check(Index(values.size()) == wanted, "Matrix: {} x {} wants {} numbers, got {}", rows, cols, wanted,
          values.size());
}

Matrix transpose(const Matrix& a) {
    constexpr Index tile = 32;  // squares that fit the cache: one of the two sides is read or written with a stride
    Matrix t(a.cols, a.rows);
    for (Index top = 0; top < a.rows; top += tile)
        for (Index left = 0; left < a.cols; left += tile)
            for (Index i = top; i < std::min(top + tile, a.rows); ++i)
                for (Index j = left; j < std::min(left + tile, a.cols); ++j) t(j, i) = a(i, j);
    return t;
}

Matrix rows_of(const Matrix& a, std::span<const Index> which) {
    Matrix b(Index(which.size()), a.cols);
    for (std::size_t i = 0; i < which.size(); ++i) {
        check(which[i] >= 0 && which[i] < a.rows, "rows_of: wanted rows from 0 to {}, got {}", a.rows - 1, which[i]);
        std::copy_n(a.row(which[i]), a.cols, b.row(Index(i)));
    }
    return b;
}

Matrix first_columns(const Matrix& a, Index count) {
    check(count >= 0 && count <= a.cols, "first_columns: wanted at most {} columns, got {}", a.cols, count);
    Matrix b(a.rows, count);
    for (Index i = 0; i < a.rows; ++i) std::copy_n(a.row(i), count, b.row(i));
    return b;
}

Matrix matrix_of(const Tensor& x) {
    check(x.dim() == 2, "matrix_of: wanted a tensor of shape (rows, cols), got shape {}", x.shape());
    const std::vector<Real> numbers = x.values();
    return {x.size(0), x.size(1), std::vector<double>(numbers.begin(), numbers.end())};
}

Tensor tensor_of(const Matrix& a, Device device) {
    const std::vector<Real> numbers(a.values.begin(), a.values.end());
    return {Shape{a.rows, a.cols}, numbers, device};
}

Tensor column_of(std::span<const double> values, Device device) {
    const std::vector<Real> numbers(values.begin(), values.end());
    return {Shape{Index(values.size()), 1}, numbers, device};
}

}  // namespace RECTO::linalg
