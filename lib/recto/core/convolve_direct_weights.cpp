// The weights' gradient of a convolution of stride 1, from the padded image as in convolve_direct.cpp: dy is written in
// rows as wide as the image's, with zeros between them, so that each weight is the product of two lines, one shifted.
// A tile of weights, some channels of dy by some taps of a kernel's row, adds in registers along all pixels of an image.
#include <recto/core/canvas.hpp>

#include <algorithm>

#include <recto/core/launch.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {
namespace {

using detail::Canvas, detail::ceil_div, detail::clear_line, detail::copy_line, detail::slices_of;

/// Some channels of the weights' gradient over a section of the batch: sums of `Lanes` partial sums, which run along
/// all pixels of an image in registers and are kept apart until the section is done.
template <int Channels, int Taps, int Lanes>
struct DirectWeights {
    Convolution c;
    Canvas canvas;
    const Real *x, *dy;
    Real *parts, *scratch;
    Index sections, blocks, slices;

    static Index steps(const Canvas& canvas) { return ceil_div(canvas.line, Lanes); }
    Index chunks() const { return ceil_div(c.kernel[1], Taps); }
    Index slack() const { return Lanes + chunks() * Taps * c.dilation[1]; }
    Index drawing() const { return canvas.numbers(c.in, slack()); }
    Index block_size() const { return c.in * c.kernel[0] * chunks() * Channels * Taps * Lanes; }
    Index scratch_size() const {
        return drawing() + Channels * steps(canvas) * Lanes + ceil_div(blocks, slices) * block_size();
    }

    /// Adds the products of all pixels; `acc` never leaves the registers before they are done.
    void tile(const Real* in, const Real* g, Real* to) const {
        Real acc[Channels][Taps][Lanes];
        for (int o = 0; o < Channels; ++o)
            for (int b = 0; b < Taps; ++b)
#pragma omp simd
                for (int l = 0; l < Lanes; ++l) acc[o][b][l] = to[(o * Taps + b) * Lanes + l];
        const Index count = steps(canvas), stride = count * Lanes, right = c.dilation[1];
        for (Index s = 0; s < count; ++s, in += Lanes, g += Lanes)
            for (int o = 0; o < Channels; ++o)
                for (int b = 0; b < Taps; ++b)
#pragma omp simd
                    for (int l = 0; l < Lanes; ++l)
                        acc[o][b][l] = fma(g[o * stride + l], in[b * right + l], acc[o][b][l]);
        for (int o = 0; o < Channels; ++o)
            for (int b = 0; b < Taps; ++b)
#pragma omp simd
                for (int l = 0; l < Lanes; ++l) to[(o * Taps + b) * Lanes + l] = acc[o][b][l];
    }

    template <class Team>
    void operator()(const Team& team, Index item) const {
        const Index slice = item % slices, section = item / slices % sections, group = item / (slices * sections);
        const Index first = slice * blocks / slices, last = (slice + 1) * blocks / slices;
        const Index stride = steps(canvas) * Lanes, begin = section * c.batch / sections;
        Real *lines = scratch + drawing(), *sums = lines + Channels * stride;
        std::fill_n(sums, (last - first) * block_size(), Real(0));
        for (Index n = begin; n < (section + 1) * c.batch / sections; ++n) {
            canvas.draw(c, x + (n * c.groups + group) * c.in * c.area(), scratch, slack());
            for (Index block = first; block < last; ++block) {
                draw_gradient(n * c.groups + group, block * Channels, lines, stride);
                Real* to = sums + (block - first) * block_size();
                for (Index i = 0; i < c.in; ++i)
                    for (Index a = 0; a < c.kernel[0]; ++a)
                        for (Index b = 0; b < chunks(); ++b, to += Channels * Taps * Lanes)
                            tile(scratch + (i * canvas.tall + a * c.dilation[0]) * canvas.wide +
                                     b * Taps * c.dilation[1],
                                 lines, to);
            }
        }
        // The lanes of each weight become one number.
        for (Index o = first * Channels; o < std::min(last * Channels, c.out); ++o)
            for (Index row = 0; row < c.in * c.kernel[0]; ++row)
                for (Index b = 0; b < c.kernel[1]; ++b) {
                    const Index chunk =
                        (o / Channels - first) * c.in * c.kernel[0] * chunks() + row * chunks() + b / Taps;
                    const Real* lanes = sums + ((chunk * Channels + o % Channels) * Taps + b % Taps) * Lanes;
                    const Index channel = (section * c.groups + group) * c.out + o;
                    parts[(channel * c.in * c.kernel[0] + row) * c.kernel[1] + b] =
                        team.sum(Lanes, [&](Index l) { return lanes[l]; });
                }
    }

    /// dy in the canvas's rows, zero between them.
    void draw_gradient(Index group, Index first, Real* lines, Index stride) const {
        const Index channels = std::min<Index>(Channels, c.out - first), between = canvas.wide - c.result[1];
        for (Index o = 0; o < channels; ++o, lines += stride) {
            const Real* from = dy + (group * c.out + first + o) * c.pixels();
            for (Index row = 0; row < c.result[0]; ++row) {
                copy_line(lines + row * canvas.wide, from + row * c.result[1], c.result[1]);
                if (row + 1 < c.result[0]) clear_line(lines + row * canvas.wide + c.result[1], between);
            }
            clear_line(lines + canvas.line, stride - canvas.line);
        }
        clear_line(lines, (Channels - channels) * stride);
    }
};

/// Adds the sections' gradients, in their order.
struct AddSections {
    const Real* parts;
    Real* dw;
    Index count, sections;
    RECTO_HD void operator()(Index at) const {
        Real total = parts[at];
        for (Index s = 1; s < sections; ++s) total += parts[s * count + at];
        dw[at] = total;
    }
};

template <int Channels, int Taps, int Lanes>
bool run_weights(const Convolution& c, const Real* x, const Real* dy, Real* dw) {
    using Kernel = DirectWeights<Channels, Taps, Lanes>;
    const Canvas canvas(c);
    const Index blocks = ceil_div(c.out, Channels), sections = std::min<Index>(8, c.batch);
    Kernel kernel{c, canvas, x, dy, nullptr, nullptr, sections, blocks, 1};
    const Index work = Kernel::steps(canvas) * Lanes * blocks * Channels * kernel.chunks() * Taps;
    if (work * 4 > c.pixels() * c.out * c.kernel[1] * 7) return false;
    const Index fitting = std::max<Index>(1, 65536 / kernel.block_size());  // running sums that stay in the cache
    kernel.slices = std::max(ceil_div(blocks, fitting), slices_of(sections * c.groups, blocks));
    const Index count = c.groups * c.out * c.in * c.taps();
    Tensor parts = empty({sections, count});
    kernel.parts = parts.write();
    parallel(c.groups * sections * kernel.slices, 1, [&](Index begin, Index end) {
        Tensor scratch = empty({kernel.scratch_size()});
        Kernel mine = kernel;
        mine.scratch = scratch.write();
        loops::rows(begin, end, mine);
    });
    each(Device::cpu, count, AddSections{parts.data(), dw, count, sections});
    return true;
}

}  // namespace

bool detail::convolve_weights_direct(const Convolution& c, const Real* x, const Real* dy, Real* dw) {
    const bool possible = c.stride[0] == 1 && c.stride[1] == 1 && c.out >= 4 && c.batch > 0;
    if (!possible || cpu_class() == CpuClass::plain) return false;
    constexpr int vector = 64 / sizeof(Real);
    const bool wide = cpu_class() == CpuClass::avx512;
    if (c.kernel[1] == 1)
        return wide ? run_weights<8, 1, vector>(c, x, dy, dw) : run_weights<8, 1, vector / 2>(c, x, dy, dw);
    if (c.kernel[1] <= 3)
        return wide ? run_weights<8, 3, vector>(c, x, dy, dw) : run_weights<4, 3, vector / 2>(c, x, dy, dw);
    return wide ? run_weights<4, 5, vector>(c, x, dy, dw) : run_weights<2, 5, vector / 2>(c, x, dy, dw);
}

}  // namespace RECTO
