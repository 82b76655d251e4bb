#pragma once
/// @file
/// Transposes small blocks in SIMD registers.
#include <recto/base/config.hpp>

namespace RECTO::cpu {

/// A SIMD vector of eight numbers, unaligned.
using Eight [[gnu::vector_size(8 * sizeof(Real)), gnu::aligned(alignof(Real)), gnu::may_alias]] = Real;

/// Transposes an 8 x 8 square: three times, rows i and i + 4 are interleaved like two halves of a deck of cards.
[[gnu::always_inline]] inline void turn_square(const Real* from, Index stride, Real* to, Index to_stride) {
    Eight row[8], mixed[8];
    for (int i = 0; i < 8; ++i) row[i] = *reinterpret_cast<const Eight*>(from + i * stride);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4; ++i) {
            mixed[2 * i] = __builtin_shufflevector(row[i], row[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            mixed[2 * i + 1] = __builtin_shufflevector(row[i], row[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
        for (int i = 0; i < 8; ++i) row[i] = mixed[i];
    }
    for (int i = 0; i < 8; ++i) *reinterpret_cast<Eight*>(to + i * to_stride) = row[i];
}

/// Transposes: to[q][j] = from[j][q] for j < n, q < depth, in 8 x 8 squares as far as they fit.
inline void turn(const Real* from, Index stride, Real* to, Index width, Index n, Index depth) {
    const Index whole_n = n / 8 * 8, whole_depth = depth / 8 * 8;
    for (Index j = 0; j < whole_n; j += 8)
        for (Index q = 0; q < whole_depth; q += 8)
            turn_square(from + j * stride + q, stride, to + q * width + j, width);
    for (Index q = 0; q < depth; ++q)
        for (Index j = q < whole_depth ? whole_n : 0; j < n; ++j) to[q * width + j] = from[j * stride + q];
}

}  // namespace RECTO::cpu
