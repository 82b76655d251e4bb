// The product on the CPU (kernels/product.cpp) for WebAssembly: vectors of 128 bits, one thread, and no fused multiply-add.
// Its bits are those of a processor without AVX2. Vectors are named here, since clang takes a tile written as a table of
// numbers apart, which costs a factor of five.
#include <recto/kernels/product.hpp>

#include <algorithm>

#include <recto/device/launch.hpp>

namespace RECTO::cpu {
namespace {

constexpr int lanes = int(16 / sizeof(Real)), high = 4, wide = 2 * lanes;
using Lanes [[gnu::vector_size(16), gnu::aligned(alignof(Real)), gnu::may_alias]] = Real;

const Real* place(MatrixView v, Index i, Index j) {
    return v.data + (v.transposed ? j * v.stride + i : i * v.stride + j);
}

/// sums = a b for some rows of a and a packed strip of b, over `depth` terms.
template <int rows>
void tile(MatrixView a, const Real* strip, Index depth, Real* sums) {
    const Index row = a.transposed ? 1 : a.stride, step = a.transposed ? a.stride : 1;
    Lanes sum[rows][2] = {};
    for (Index p = 0; p < depth; ++p, strip += wide) {
        const Lanes left = *reinterpret_cast<const Lanes*>(strip),
                    right = *reinterpret_cast<const Lanes*>(strip + lanes);
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) {
            const Real x = a.data[i * row + p * step];
            sum[i][0] += x * left;
            sum[i][1] += x * right;
        }
    }
    __builtin_memcpy(sums, sum, sizeof sum);
}

/// Columns j to j + n of b as rows of `wide` numbers, filled up with zeros.
void pack(MatrixView b, Index n, Index depth, Real* strip) {
    for (Index p = 0; p < depth; ++p)
        for (Index j = 0; j < wide; ++j) strip[p * wide + j] = j < n ? *place(b, p, j) : Real(0);
}

void tiled(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride, Addend plus) {
    alignas(16) Real strip[product_piece * wide], sums[high * wide];
    for (Index p = 0; p < k; p += product_piece) {
        const Index depth = std::min(product_piece, k - p);
        if (p > 0) plus = {c, stride};
        for (Index j = 0; j < n; j += wide) {
            const Index width = std::min<Index>(wide, n - j);
            pack({place(b, p, j), b.stride, b.transposed}, width, depth, strip);
            for (Index i = 0; i < m; i += high) {
                const MatrixView from{place(a, i, p), a.stride, a.transposed};
                const Index rows = std::min<Index>(high, m - i);
                rows == 4   ? tile<4>(from, strip, depth, sums)
                : rows == 3 ? tile<3>(from, strip, depth, sums)
                : rows == 2 ? tile<2>(from, strip, depth, sums)
                            : tile<1>(from, strip, depth, sums);
                for (Index r = 0; r < rows; ++r) {
                    Real* to = c + (i + r) * stride + j;
                    const Real* old = plus.data ? plus.data + (i + r) * plus.stride + j : nullptr;
                    for (Index q = 0; q < width; ++q) to[q] = old ? old[q] + sums[r * wide + q] : sums[r * wide + q];
                }
            }
        }
    }
}

/// Few rows times the rows of b: every number is a product of two rows.
struct RowTimesRow {
    Index m, k;
    MatrixView a, b;
    Real* c;
    Index stride;
    Addend plus;
    template <class Team>
    void operator()(const Team& team, Index j) const {
        const Real* y = b.data + j * b.stride;
        for (Index i = 0; i < m; ++i) {
            const Real* x = a.data + i * a.stride;
            const Real total = team.sum(k, [&](Index p) { return x[p] * y[p]; });
            c[i * stride + j] = plus.data ? plus.data[i * plus.stride + j] + total : total;
        }
    }
};

}  // namespace

void product(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride, Addend plus) {
    if (m <= 4 && b.transposed && !a.transposed && k >= 64)
        return rows(Device::cpu, n, k, RowTimesRow{m, k, a, b, c, stride, plus});
    constexpr Index groups = 8;  // of the terms of a few long sums, as natively: their parts are added in this order
    if (k < 2048 || k < 2 * (m + n) || m * n > 1 << 17) return tiled(m, n, k, a, b, c, stride, plus);
    const Index depth = (k + groups - 1) / groups;
    Tensor part = empty({m, n}), total = empty({m, n});
    Real *one = part.write(), *sums = total.write();
    for (Index g = 0; g < groups; ++g) {
        const MatrixView from_a{place(a, 0, g * depth), a.stride, a.transposed};
        const MatrixView from_b{place(b, g * depth, 0), b.stride, b.transposed};
        tiled(m, n, std::min(depth, k - g * depth), from_a, from_b, g ? one : sums, n, {});
        for (Index i = 0; g && i < m * n; ++i) sums[i] += one[i];
    }
    for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j)
            c[i * stride + j] = plus.data ? plus.data[i * plus.stride + j] + sums[i * n + j] : sums[i * n + j];
}

}  // namespace RECTO::cpu
