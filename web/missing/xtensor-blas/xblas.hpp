#pragma once
/// @file
/// The product of matrices of double, where there is no BLAS: as linalg/products.cpp calls it.
#include <algorithm>
#include <cstddef>
#include <vector>

namespace cxxblas {

enum { RowMajor, NoTrans, Trans };

/// c = a b with a (m, k) and b (k, n) as read; factors other than 1 and 0 are not asked for.
template <class Count>
void gemm(int, int turn_a, int turn_b, Count m, Count n, Count k, double, const double* a, Count a_stride,
          const double* b, Count b_stride, double, double* c, Count c_stride) {
    std::vector<double> turned;  // b, if its columns are read, as rows
    if (turn_b == Trans) {
        turned.resize(std::size_t(k) * std::size_t(n));
        for (Count j = 0; j < n; ++j)
            for (Count p = 0; p < k; ++p)
                turned[std::size_t(p) * std::size_t(n) + std::size_t(j)] = b[std::ptrdiff_t(j) * b_stride + p];
        b = turned.data(), b_stride = n;
    }
    constexpr Count some = 256;  // rows of b that stay in the cache
    for (Count i = 0; i < m; ++i) std::fill_n(c + std::ptrdiff_t(i) * c_stride, n, 0.0);
    for (Count start = 0; start < k; start += some)
        for (Count i = 0; i < m; ++i)
            for (Count p = start; p < std::min(start + some, k); ++p) {
                const double x =
                    turn_a == Trans ? a[std::ptrdiff_t(p) * a_stride + i] : a[std::ptrdiff_t(i) * a_stride + p];
                const double* from = b + std::ptrdiff_t(p) * b_stride;
                double* to = c + std::ptrdiff_t(i) * c_stride;
                for (Count j = 0; j < n; ++j) to[j] += x * from[j];
            }
}

}  // namespace cxxblas
