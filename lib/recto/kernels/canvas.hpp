#pragma once
/// @file
/// Shared by the CPU's algorithms for convolution: lines of images, padded planes, packed weights, and the division of
/// work into pieces and sections.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include <recto/core/tensor.hpp>
#include <recto/kernels/convolve.hpp>

namespace RECTO::detail {

/// a / b, rounded up.
inline Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// Copies n numbers. Rows of images are short: a fixed length compiles to a few instructions, whereas a loop or a call
/// of memcpy would take longer to start than to copy. The last piece overlaps the one before.
inline void copy_line(Real* to, const Real* from, Index n) {
    const auto pieces = [&]<Index length>(std::integral_constant<Index, length>) {
        for (Index j = 0; j + length <= n; j += length) std::memcpy(to + j, from + j, length * sizeof(Real));
        std::memcpy(to + n - length, from + n - length, length * sizeof(Real));
    };
    if (n >= 16) return pieces(std::integral_constant<Index, 16>());
    if (n >= 4) return pieces(std::integral_constant<Index, 4>());
    if (n >= 1) to[0] = from[0];
    if (n >= 2) to[1] = from[1];
    if (n >= 3) to[2] = from[2];
}

/// Writes n zeros, in fixed lengths like copy_line().
inline void clear_line(Real* to, Index n) {
    constexpr Index length = 4;
    constexpr Real zeros[length] = {};
    for (; n >= length; to += length, n -= length) std::memcpy(to, zeros, sizeof(zeros));
    for (; n > 0; --n) *to++ = 0;
}

/// Adds n numbers to others, in fixed lengths like copy_line().
inline void add_line(Real* to, const Real* from, Index n) {
    constexpr Index length = 4;
    for (; n >= length; to += length, from += length, n -= length) {
        Real sum[length];
        for (Index j = 0; j < length; ++j) sum[j] = to[j] + from[j];
        std::memcpy(to, sum, sizeof(sum));
    }
    for (Index j = 0; j < n; ++j) to[j] += from[j];
}

/// Prefetches part `i` of `parts` of n numbers that will soon be read or written, while others are multiplied.
template <bool written = false>
void fetch(const Real* from, Index n, Index i, Index parts) {
    constexpr Index line = 64 / sizeof(Real);
    for (Index j = n * i / parts; j < n * (i + 1) / parts; j += line) __builtin_prefetch(from + j, written, 2);
}

/// How many pieces of work one image is divided into, so that several threads have some.
inline Index slices_of(Index items, Index blocks) { return items >= 8 ? 1 : std::min(blocks, ceil_div(8, items)); }

/// A kernel that adds the weights' gradients of all sections of a batch. Every element adds them in the order of the
/// sections, whichever thread computed them, so the bits are the same for any number of threads.
struct AddSections {
    const Real* parts;  ///< (sections, count): one gradient after another
    Real* dw;           ///< (count): their sum
    Index count;        ///< numbers of one gradient
    Index sections;     ///< at least one
    /// Writes element `at` of the sum.
    RECTO_HD void operator()(Index at) const {
        Real total = parts[at];
        for (Index s = 1; s < sections; ++s) total += parts[s * count + at];
        dw[at] = total;
    }
};

/// Weights in the order in which tiles read them: (group, block of `channels` channels, in, tap, channel of the block),
/// with zeros for missing channels of the last block.
/// @param back  whether `c` is the mirror image of the convolution that `w` belongs to
Tensor pack_weights(const Convolution& c, const Real* w, Index channels, bool back);

/// The layout of the padded planes of one image in scratch memory, one after another.
struct Canvas {
    Index tall, wide;  ///< rows and columns with their borders; a row's right border is the left border of the next row
    Index line;        ///< distance from the first position of the kernel to its last

    /// The layout for convolution `c`.
    explicit Canvas(const Convolution& c) {
        const Index down = (c.kernel[0] - 1) * c.dilation[0], right = (c.kernel[1] - 1) * c.dilation[1];
        // From the first position of the kernel in a row to its last.
        const Index width = (c.result[1] - 1) * c.stride[1] + 1;
        tall = (c.result[0] - 1) * c.stride[0] + 1 + down;
        wide = std::max({width, width + right - c.padding[1], c.size[1] + c.padding[1]});
        line = (c.result[0] - 1) * c.stride[0] * wide + width;
    }

    /// Numbers in the planes of one image; a multiple of 64 bytes, so that the next image is aligned.
    Index numbers(Index planes, Index slack) const {
        constexpr Index vector = 64 / sizeof(Real);
        return ceil_div(planes * tall * wide + slack, vector) * vector;
    }

    /// Sets all planes to zero, and `slack` numbers after the last plane, since tiles may read beyond it.
    void clear(const Convolution& c, Real* to, Index slack) const {
        std::fill_n(to, c.in * tall * wide + slack, Real(0));
    }

    /// Copies one image into planes that were cleared. The next image has the same borders and leaves them unchanged.
    void draw(const Convolution& c, const Real* x, Real* to) const {
        const Index top = c.padding[0], left = c.padding[1], rows = std::min(c.size[0], tall - top);
        const Index columns = std::min(c.size[1], wide - left);
        for (Index plane = 0; plane < c.in; ++plane, x += c.area())
            for (Index row = 0; row < rows; ++row)
                copy_line(to + (plane * tall + top + row) * wide + left, x + row * c.size[1], columns);
    }
};

}  // namespace RECTO::detail
