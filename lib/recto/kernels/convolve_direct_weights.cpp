// The weights' gradient of a convolution, from the padded image as in convolve_direct.cpp. Each weight is a sum over
// all pixels of dy times the number of x that it multiplied. Here the channels of dy are the lanes: dy is transposed,
// so that one vector holds all channels of a pixel, and a step multiplies this vector by the inputs of some taps. Their
// sums stay in registers for all pixels of an image; a step loads one vector for all of them.
#include <recto/kernels/canvas.hpp>

#include <algorithm>
#include <vector>

#include <recto/base/turn.hpp>
#include <recto/core/tensor.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

using detail::AddSections, detail::Canvas, detail::ceil_div, detail::slices_of;

/// Some blocks of `Lanes` channels of the weights' gradient, over a section of the batch. A tile has the sums of `Rows`
/// times `Taps` neighbouring taps. For every size of tile, a sum runs over the pixels of an image in their order, and
/// then over the images.
template <int Rows, int Taps, int Lanes>
struct DirectWeights {
    Convolution c;
    Canvas canvas;
    const Real *x, *dy;
    Real *parts, *bias_parts, *scratch;
    const Index* shifts;  // where the rows of all tiles begin in the padded planes
    Index tiles, sections, blocks, slices;

    /// Number of rows of `Taps` taps: for all channels of x, all rows of a kernel, and all parts of such a row.
    static Index rows_of(const Convolution& c) { return c.in * c.kernel[0] * ceil_div(c.kernel[1], Taps); }

    Index slack() const {
        return (c.kernel[1] + Taps) * c.dilation[1];
    }  // the right border of the last row, and missing taps
    Index drawing() const { return canvas.numbers(c.in, slack()); }
    Index block_size() const { return tiles * Rows * Taps * Lanes + Lanes; }  // and the sums of the bias
    Index scratch_size() const { return drawing() + c.pixels() * Lanes + ceil_div(blocks, slices) * block_size(); }

    /// Adds one image's sums; they stay in registers until they are complete.
    void tile(const Real* in, const Index* shift, const Real* g, Real* to) const {
        Real sum[Rows][Taps][Lanes] = {};
        const Index height = c.result[0], width = c.result[1], down = c.stride[0] * canvas.wide, right = c.stride[1];
        for (Index row = 0; row < height; ++row) {
            const Real* from[Rows];
            for (int r = 0; r < Rows; ++r) from[r] = in + row * down + shift[r];
            for (Index column = 0; column < width; ++column, g += Lanes)
#pragma GCC unroll 16
                for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
                    for (int t = 0; t < Taps; ++t)
#pragma omp simd
                        for (int l = 0; l < Lanes; ++l)
                            sum[r][t][l] = fma(from[r][column * right + t], g[l], sum[r][t][l]);
        }
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
            for (int t = 0; t < Taps; ++t)
#pragma omp simd
                for (int l = 0; l < Lanes; ++l) to[(r * Taps + t) * Lanes + l] += sum[r][t][l];
    }

    /// Adds one image's sums of dy, the bias's gradient, while dy is in the cache.
    void add_pixels(const Real* g, Real* to) const {
        Real sum[Lanes] = {};
        for (Index p = 0; p < c.pixels(); ++p, g += Lanes)
#pragma omp simd
            for (int l = 0; l < Lanes; ++l) sum[l] += g[l];
        for (int l = 0; l < Lanes; ++l) to[l] += sum[l];
    }

    template <class Team>
    void operator()(const Team&, Index item) const {
        const Index slice = item % slices, section = item / slices % sections, group = item / (slices * sections);
        const Index first = slice * blocks / slices, last = (slice + 1) * blocks / slices;
        Real *turned = scratch + drawing(), *sums = turned + c.pixels() * Lanes;
        canvas.clear(c, scratch, slack());
        std::fill_n(turned, c.pixels() * Lanes, Real(0));
        std::fill_n(sums, (last - first) * block_size(), Real(0));
        for (Index n = section * c.batch / sections; n < (section + 1) * c.batch / sections; ++n) {
            canvas.draw(c, x + (n * c.groups + group) * c.in * c.area(), scratch);
            for (Index block = first; block < last; ++block) {
                const Index channel = (n * c.groups + group) * c.out + block * Lanes;
                const Index some = std::min<Index>(Lanes, c.out - block * Lanes);
                cpu::turn(dy + channel * c.pixels(), c.pixels(), turned, Lanes, some, c.pixels());
                Real* to = sums + (block - first) * block_size();
                for (Index t = 0; t < tiles; ++t, to += Rows * Taps * Lanes)
                    tile(scratch, shifts + t * Rows, turned, to);
                if (bias_parts) add_pixels(turned, to);
            }
        }
        // From (block, tap, lane) to (channel, tap).
        const Index pieces = ceil_div(c.kernel[1], Taps);
        for (Index o = first * Lanes; o < std::min(last * Lanes, c.out); ++o) {
            const Real* from = sums + (o / Lanes - first) * block_size() + o % Lanes;
            const Index channel = (section * c.groups + group) * c.out + o;
            if (bias_parts) bias_parts[channel] = from[tiles * Rows * Taps * Lanes];
            Real* to = parts + channel * c.in * c.taps();
            for (Index row = 0; row < c.in * c.kernel[0]; ++row)
                for (Index b = 0; b < c.kernel[1]; ++b) *to++ = from[(row * pieces * Taps + b) * Lanes];
        }
    }
};

template <int Rows, int Taps, int Lanes>
void run_weights(const Convolution& c, const Real* x, const Real* dy, Real* dw, Real* db) {
    using Kernel = DirectWeights<Rows, Taps, Lanes>;
    const Canvas canvas(c);
    const Index tiles = ceil_div(Kernel::rows_of(c), Rows), pieces = ceil_div(c.kernel[1], Taps);
    std::vector<Index> shifts;
    for (Index row = 0; row < Kernel::rows_of(c); ++row) {
        const Index i = row / pieces / c.kernel[0], a = row / pieces % c.kernel[0], b = row % pieces * Taps;
        shifts.push_back((i * canvas.tall + a * c.dilation[0]) * canvas.wide + b * c.dilation[1]);
    }
    shifts.resize(tiles * Rows);  // missing rows of the last tile repeat its first; their results are unused
    const Index blocks = ceil_div(c.out, Lanes), sections = std::min<Index>(8, c.batch);
    const Index slices = slices_of(sections * c.groups, blocks), channels = c.groups * c.out;
    const Index count = channels * c.in * c.taps();
    Tensor parts = empty({sections, count}), bias_parts = empty({sections, db ? channels : 0});
    Kernel kernel{c,       canvas,        x,     dy,       parts.write(), db ? bias_parts.write() : nullptr,
                  nullptr, shifts.data(), tiles, sections, blocks,        slices};
    parallel(c.groups * sections * kernel.slices, 1, [&](Index begin, Index end) {
        Tensor scratch = empty({kernel.scratch_size()});
        Kernel mine = kernel;
        mine.scratch = scratch.write();
        loops::rows(begin, end, mine);
    });
    each(Device::cpu, count, AddSections{parts.data(), dw, count, sections});
    if (db) each(Device::cpu, channels, AddSections{bias_parts.data(), db, channels, sections});
}

}  // namespace

bool detail::convolve_weights_direct(const Convolution& c, const Real* x, const Real* dy, Real* dw, Real* db) {
    if (c.stride[0] != 1 || c.stride[1] != 1 || c.out < 4 || c.batch == 0 || cpu_class() == CpuClass::plain)
        return false;
    constexpr int vector = 64 / sizeof(Real);
    const bool wide = cpu_class() == CpuClass::avx512 && c.out > vector / 2;
    const Index width = c.dilation[1] == 1 ? c.kernel[1] : 1;
    if (width == 1)
        wide ? run_weights<8, 1, 2 * vector>(c, x, dy, dw, db) : run_weights<8, 1, vector / 2>(c, x, dy, dw, db);
    else if (width <= 3)
        wide ? run_weights<8, 3, vector>(c, x, dy, dw, db) : run_weights<4, 3, vector / 2>(c, x, dy, dw, db);
    else
        wide ? run_weights<5, 5, vector>(c, x, dy, dw, db) : run_weights<2, 5, vector / 2>(c, x, dy, dw, db);
    return true;
}

}  // namespace RECTO
