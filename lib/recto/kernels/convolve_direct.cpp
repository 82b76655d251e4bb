// Convolution of stride 1 directly from the padded image. Each padded row ends where the next one begins, so all rows
// of a plane form one line, and each tap of the kernel is one shift along it. A tile of the result, some channels of
// some neighbouring pixels, stays in registers while all taps of all channels are added: a step loads the pixels once
// and multiplies them by one weight per channel. Pixels are the lanes, so the loop handles every number of channels
// alike and has no edges; the price is a few pixels between the rows, which are computed and discarded.
#include <recto/kernels/canvas.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <recto/core/tensor.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

using detail::Canvas, detail::ceil_div, detail::copy_line, detail::slices_of;

/// One block's weights of one tap.
struct Pack {
    Convolution c;
    const Real* w;
    Real* packed;
    Index channels, blocks;
    bool back;
    template <class Team>
    RECTO_HD void operator()(const Team&, Index row) const {
        const Index tap = row % c.taps(), i = row / c.taps() % c.in, block = row / (c.taps() * c.in) % blocks;
        const Index group = row / (c.taps() * c.in * blocks), first = block * channels;
        const Real* from = back ? w + ((group * c.in + i) * c.out + first) * c.taps() + c.taps() - 1 - tap
                                : w + ((group * c.out + first) * c.in + i) * c.taps() + tap;
        const Index step = back ? c.taps() : c.in * c.taps(), left = c.out - first,
                    some = left < channels ? left : channels;
        for (Index o = 0; o < channels; ++o) packed[row * channels + o] = o < some ? from[o * step] : Real(0);
    }
};

/// One group of channels of one image, or some of its blocks. A sum runs over channels and taps in their order, by
/// fused multiply-adds, as in the definition, so the size of the tile changes no bit.
template <int Channels, int Pixels>
struct Direct {
    Convolution c;
    Canvas canvas;
    const Real *x, *packed, *bias;
    Real *y, *scratch;
    const Index* shifts;  // of the taps in a plane
    Index blocks, slices, end;

    static Index tiles(const Canvas& canvas) { return ceil_div(canvas.line, Pixels); }
    Index slack() const { return Pixels + (c.kernel[1] - 1) * c.dilation[1]; }
    Index drawing() const { return canvas.numbers(c.in, slack()); }
    Index scratch_size() const { return drawing() + Channels * tiles(canvas) * Pixels; }

    /// Channels x Pixels sums; `acc` stays in registers until they are complete.
    void tile(const Real* in, const Real* w, const Real* start, Real* out, Index stride) const {
        Real acc[Channels][Pixels];
        for (int o = 0; o < Channels; ++o)
            for (int p = 0; p < Pixels; ++p) acc[o][p] = start[o];
        const Index plane = canvas.tall * canvas.wide, taps = c.taps();
        const Index* shift = shifts;
        for (Index i = 0; i < c.in; ++i, in += plane)
            for (Index t = 0; t < taps; ++t, w += Channels) {  // one loop: nested loops would spill a register each
                const Real* from = in + shift[t];
                for (int o = 0; o < Channels; ++o)
#pragma omp simd
                    for (int p = 0; p < Pixels; ++p) acc[o][p] = fma(w[o], from[p], acc[o][p]);
            }
        for (int o = 0; o < Channels; ++o)
            for (int p = 0; p < Pixels; ++p) out[o * stride + p] = acc[o][p];
    }

    template <class Team>
    void operator()(const Team&, Index item) const {
        const Index slice = item % slices, group = item / slices, in_image = group % c.groups;
        canvas.draw(c, x + group * c.in * c.area(), scratch);
        Real* lines = scratch + drawing();
        const Index count = tiles(canvas);
        for (Index block = slice * blocks / slices; block < (slice + 1) * blocks / slices; ++block) {
            const Index first = block * Channels, some = std::min<Index>(Channels, c.out - first);
            Real start[Channels] = {};
            for (Index o = 0; bias && o < some; ++o) start[o] = bias[in_image * c.out + first + o];
            const Real* w = packed + (in_image * blocks + block) * Channels * c.in * c.taps();
            Real* to = y + (group * c.out + first) * c.pixels();
            for (Index t = 0; t < count; ++t) {
                detail::fetch<true>(to, some * c.pixels(), t, count);
                if (item + 1 < end)
                    detail::fetch(x + (group + 1) * c.in * c.area(), c.in * c.area(), block * count + t,
                                  blocks * count);
                tile(scratch + t * Pixels, w, start, lines + t * Pixels, count * Pixels);
            }
            for (Index o = 0; o < some; ++o)
                for (Index row = 0; row < c.result[0]; ++row)
                    copy_line(to + (o * c.result[0] + row) * c.result[1],
                              lines + o * count * Pixels + row * canvas.wide, c.result[1]);
        }
    }
};

template <int Channels, int Pixels>
bool run(const Convolution& c, bool back, const Real* x, const Real* w, const Real* bias, Real* y) {
    using Kernel = Direct<Channels, Pixels>;
    const Canvas canvas(c);
    const Index blocks = ceil_div(c.out, Channels), lowered = back ? c.area() : c.pixels();
    // The lowered algorithm wastes no products but moves more memory and multiplies at about 0.6 of this speed, and far
    // slower for a handful of channels.
    if (c.out >= 4 && Kernel::tiles(canvas) * Pixels * blocks * Channels * 4 > lowered * c.out * 7) return false;
    Tensor packed = detail::pack_weights(c, w, Channels, back);
    const Index items = c.batch * c.groups, slices = slices_of(items, blocks);
    std::vector<Index> shifts;
    for (Index tap = 0; tap < c.taps(); ++tap)
        shifts.push_back(tap / c.kernel[1] * c.dilation[0] * canvas.wide + tap % c.kernel[1] * c.dilation[1]);
    Kernel kernel{c, canvas, x, packed.data(), bias, y, nullptr, shifts.data(), blocks, slices, 0};
    const Index small = grain / std::max<Index>(1, c.in * c.taps() * canvas.line);
    const Index together = std::max<Index>({1, small, items * slices / 16});
    parallel(items * slices, together, [&](Index begin, Index end) {
        Tensor scratch = empty({kernel.scratch_size()});
        Kernel mine = kernel;
        mine.scratch = scratch.write(), mine.end = end;
        canvas.clear(c, mine.scratch, kernel.slack());
        loops::rows(begin, end, mine);
    });
    return true;
}

/// The size of the tile: as many sums as fit the vector registers beside the operands of a step.
bool run(const Convolution& c, bool back, const Real* x, const Real* w, const Real* bias, Real* y) {
    const bool possible = c.stride[0] == 1 && c.stride[1] == 1 && c.padding[0] >= 0 && c.padding[1] >= 0;
    // Without the instruction, a fused multiply-add is a function call.
    if (!possible || cpu_class() == CpuClass::plain) return false;
    constexpr int vectors = 192 / sizeof(Real);
    if (c.out < 4) return run<2, vectors>(c, back, x, w, bias, y);
    if (cpu_class() == CpuClass::avx512) return run<8, vectors>(c, back, x, w, bias, y);
    return run<4, vectors / 2>(c, back, x, w, bias, y);
}

}  // namespace

Tensor detail::pack_weights(const Convolution& c, const Real* w, Index channels, bool back) {
    const Index blocks = ceil_div(c.out, channels);
    Tensor packed = empty({c.groups, blocks, c.in, c.taps(), channels});
    rows(Device::cpu, packed.numel() / channels, channels, Pack{c, w, packed.write(), channels, blocks, back});
    return packed;
}

bool detail::convolve_direct(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y) {
    return run(c, false, x, w, bias, y);
}

bool detail::convolve_back_direct(const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx) {
    if (c.stride[0] != 1 || c.stride[1] != 1) return false;
    Convolution mirror = c;  // dx is dy convolved with the flipped kernel, its channels exchanged
    std::swap(mirror.in, mirror.out);
    for (int i = 0; i < 2; ++i) {
        std::swap(mirror.size[i], mirror.result[i]);
        mirror.padding[i] = (c.kernel[i] - 1) * c.dilation[i] - c.padding[i];
    }
    return run(mirror, true, dy, w, bias, dx);
}

}  // namespace RECTO
