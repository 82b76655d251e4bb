#include <recto/linalg/products.hpp>

#include <algorithm>
#include <cmath>

// HAVE_CBLAS (set in lib/CMakeLists.txt) makes xtensor-blas call OpenBLAS instead of its own loops.
#include <xtensor-blas/xblas.hpp>

#include <recto/device/threads.hpp>
#include <recto/linalg/blas.hpp>

namespace RECTO::linalg {

void product(Index m, Index n, Index k, View a, View b, double* c) {
    constexpr Index edge = 256, most = 2147483647;  // BLAS counts in int
    check(std::max({m, n, k, a.stride, b.stride}) <= most, "product: wanted extents below 2^31, got {} x {} x {}", m, n,
          k);
    if (m == 0 || n == 0) return;
    if (k == 0) return std::fill_n(c, m * n, 0.0), void();
    const auto ta = a.transposed ? cxxblas::Trans : cxxblas::NoTrans,
               tb = b.transposed ? cxxblas::Trans : cxxblas::NoTrans;
    const Index across = (n + edge - 1) / edge, tiles = (m + edge - 1) / edge * across;
    use_blas_on_one_thread();
    parallel(tiles, 1, [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
            const Index i = t / across * edge, j = t % across * edge;
            cxxblas::gemm<int>(cxxblas::RowMajor, ta, tb, int(std::min(edge, m - i)), int(std::min(edge, n - j)),
                               int(k), 1.0, a.data + i * (a.transposed ? 1 : a.stride), int(a.stride),
                               b.data + j * (b.transposed ? b.stride : 1), int(b.stride), 0.0, c + i * n + j, int(n));
        }
    });
}

Matrix matmul(const Matrix& a, const Matrix& b) {
    check(a.cols == b.rows, "matmul: wanted inner extents that agree, got {} x {} and {} x {}", a.rows, a.cols, b.rows,
          b.cols);
    Matrix c(a.rows, b.cols);
    product(a.rows, b.cols, a.cols, {a.values.data(), a.cols}, {b.values.data(), b.cols}, c.values.data());
    return c;
}

Matrix transpose_matmul(const Matrix& a, const Matrix& b) {
    check(a.rows == b.rows, "transpose_matmul: wanted as many rows in both, got {} and {}", a.rows, b.rows);
    Matrix c(a.cols, b.cols);
    product(a.cols, b.cols, a.rows, {a.values.data(), a.cols, true}, {b.values.data(), b.cols}, c.values.data());
    return c;
}

Matrix gram(const Matrix& a) {
    Matrix g = transpose_matmul(a, a);
    for (Index i = 0; i < g.rows; ++i)  // the two triangles were summed in different orders
        for (Index j = 0; j < i; ++j) g(i, j) = g(j, i);
    return g;
}

Vector matvec(const Matrix& a, std::span<const double> x) {
    check(Index(x.size()) == a.cols, "matvec: a matrix of {} columns wants {} numbers, got {}", a.cols, a.cols,
          x.size());
    Vector y(std::size_t(a.rows), 0.0);
    for (Index i = 0; i < a.rows; ++i) y[std::size_t(i)] = dot({a.row(i), x.size()}, x);
    return y;
}

Vector transpose_matvec(const Matrix& a, std::span<const double> x) {
    check(Index(x.size()) == a.rows, "transpose_matvec: a matrix of {} rows wants {} numbers, got {}", a.rows, a.rows,
          x.size());
    Vector y(std::size_t(a.cols), 0.0);
    for (Index i = 0; i < a.rows; ++i) add_scaled(y, x[std::size_t(i)], {a.row(i), y.size()});
    return y;
}

double dot(std::span<const double> x, std::span<const double> y) {
    check(x.size() == y.size(), "dot: wanted vectors of one length, got {} and {}", x.size(), y.size());
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * y[i];
    return total;
}

double norm(std::span<const double> x) { return std::sqrt(dot(x, x)); }

double largest(std::span<const double> x) {
    double most = 0;
    for (const double v : x)
        if (std::isnan(v) || std::abs(v) > most) most = std::abs(v);  // no comparison with NaN is true, so NaN is kept
    return most;
}

void add_scaled(std::span<double> y, double factor, std::span<const double> x) {
    check(x.size() == y.size(), "add_scaled: wanted vectors of one length, got {} and {}", y.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

}  // namespace RECTO::linalg
