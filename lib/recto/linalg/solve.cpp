#include <recto/linalg/solve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <xtensor-blas/xblas.hpp>  // before xlapack, which needs it but does not include it
#include <xtensor-blas/xlapack.hpp>

#include <recto/linalg/blas.hpp>
#include <recto/linalg/products.hpp>

namespace RECTO::linalg {
namespace {

/// Column-major, as LAPACK reads matrices.
using Columns = xt::xtensor<double, 2, xt::layout_type::column_major>;

/// The memory of `a` read column by column: the transpose of `a`, without moving a number.
Columns transposed_columns(const Matrix& a) {
    Columns c;
    c.resize({std::size_t(a.cols), std::size_t(a.rows)});
    std::ranges::copy(a.values, c.data());
    return c;
}

void check_finite(const Matrix& a, const char* who) {
    for (std::size_t i = 0; i < a.values.size(); ++i)  // with NaN, LAPACK may loop forever or return nonsense
        check(std::isfinite(a.values[i]), "{}: wanted finite numbers, got {} in row {}, column {}", who, a.values[i],
              Index(i) / a.cols, Index(i) % a.cols);
}

Matrix as_column(std::span<const double> b) { return {Index(b.size()), 1, Vector(b.begin(), b.end())}; }

}  // namespace

Matrix cholesky_solve(const Matrix& a, const Matrix& b) {
    use_blas_on_one_thread();
    check(a.rows == a.cols, "cholesky_solve: wanted a square matrix, got {} x {}", a.rows, a.cols);
    check(b.rows == a.rows, "cholesky_solve: a system of {} equations wants {} right-hand numbers, got {}", a.rows,
          a.rows, b.rows);
    check_finite(a, "cholesky_solve");
    if (a.rows == 0) return b;
    Columns lower = transposed_columns(a);  // symmetric, so it equals its transpose
    const int info = xt::lapack::potr(lower);
    check(info == 0, "cholesky_solve: wanted a positive definite matrix, got one whose leading {} x {} block is not",
          info, info);
    Matrix x = transpose(b);  // one right-hand side per row
    xt::xtensor<double, 1> side;
    side.resize({std::size_t(a.rows)});
    for (Index j = 0; j < x.rows; ++j) {
        std::copy_n(x.row(j), a.rows, side.data());
        xt::lapack::potrs(lower, side);
        std::copy_n(side.data(), a.rows, x.row(j));
    }
    return transpose(x);
}
Vector cholesky_solve(const Matrix& a, std::span<const double> b) { return cholesky_solve(a, as_column(b)).values; }

Vector qr_least_squares(const Matrix& a, std::span<const double> b) {
    use_blas_on_one_thread();
    check(a.rows >= a.cols, "qr_least_squares: wanted at least as many rows as columns, got {} x {}", a.rows, a.cols);
    check(Index(b.size()) == a.rows, "qr_least_squares: {} rows want {} right-hand numbers, got {}", a.rows, a.rows,
          b.size());
    check_finite(a, "qr_least_squares");
    if (a.cols == 0) return {};
    const auto n = std::size_t(a.cols);
    Columns q = transposed_columns(transpose(a));
    xt::xtensor<double, 1> tau;
    tau.resize({n});
    check(xt::lapack::geqrf(q, tau) == 0, "qr_least_squares: LAPACK refused {} x {}", a.rows, a.cols);
    Matrix r(a.cols, a.cols);
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i; j < n; ++j) r(Index(i), Index(j)) = q(i, j);
        most = std::max(most, std::abs(q(i, i)));
    }
    check(xt::lapack::orgqr(q, tau, int(n)) == 0, "qr_least_squares: LAPACK refused {} x {}", a.rows, a.cols);
    Vector x(n);  // first q' b, then r x = q' b from the last unknown up
    for (std::size_t j = 0; j < n; ++j) x[j] = dot({q.data() + j * b.size(), b.size()}, b);
    for (Index i = a.cols - 1; i >= 0; --i) {
        check(std::abs(r(i, i)) > 1e-14 * most,
              "qr_least_squares: wanted independent columns, got column {} among the others", i);
        double& value = x[std::size_t(i)];
        for (Index j = i + 1; j < a.cols; ++j) value -= r(i, j) * x[std::size_t(j)];
        value /= r(i, i);
    }
    return x;
}

Svd svd(const Matrix& a) {
    use_blas_on_one_thread();
    check_finite(a, "svd");
    const Index r = std::min(a.rows, a.cols);
    if (r == 0) return {Matrix(a.rows, 0), {}, Matrix(0, a.cols)};
    Columns at = transposed_columns(a);  // a' = v s u', so LAPACK's u is our v, and both are already in row-major order
    const auto [info, v, s, ut] = xt::lapack::gesdd(at, 'S');
    check(info == 0, "svd: LAPACK did not converge on {} x {}", a.rows, a.cols);
    return {Matrix(a.rows, r, Vector(ut.data(), ut.data() + ut.size())), Vector(s.data(), s.data() + s.size()),
            Matrix(r, a.cols, Vector(v.data(), v.data() + v.size()))};
}

Matrix svd_least_squares(const Matrix& a, const Matrix& b, double cutoff) {
    check(b.rows == a.rows, "svd_least_squares: {} rows want {} right-hand numbers, got {}", a.rows, a.rows, b.rows);
    const Svd d = svd(a);
    Matrix c = transpose_matmul(d.u, b);
    for (Index i = 0; i < c.rows; ++i) {
        const double value = d.values[std::size_t(i)], least = cutoff * d.values[0];
        for (Index j = 0; j < c.cols; ++j) c(i, j) = value > least ? c(i, j) / value : 0;
    }
    return transpose_matmul(d.vt, c);
}
Vector svd_least_squares(const Matrix& a, std::span<const double> b, double cutoff) {
    return svd_least_squares(a, as_column(b), cutoff).values;
}

Vector singular_values(const Matrix& a) {
    use_blas_on_one_thread();
    check_finite(a, "singular_values");
    if (std::min(a.rows, a.cols) == 0) return {};
    Columns at = transposed_columns(a);
    const auto [info, u, s, vt] = xt::lapack::gesdd(at, 'N');
    check(info == 0, "singular_values: LAPACK did not converge on {} x {}", a.rows, a.cols);
    return {s.data(), s.data() + s.size()};
}

double condition_number(const Matrix& a) {
    const Vector s = singular_values(a);
    check(!s.empty(), "condition_number: wanted at least one row and column, got {} x {}", a.rows, a.cols);
    return s.back() > 0 ? s.front() / s.back() : std::numeric_limits<double>::infinity();
}

}  // namespace RECTO::linalg
