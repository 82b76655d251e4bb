// Convolution directly from the padded image where images are small or strides are long, so that pixels make poor
// lanes: here channels of the result are the lanes. A tile, some pixels of a block of channels, stays in registers
// while all taps of all channels are added: a step loads the weights of one tap and multiplies them by the number that
// each pixel reads there. This is the matrix product of kernels/product.cpp with a left factor that is read from the
// image in place.
#include <recto/kernels/canvas.hpp>

#include <algorithm>
#include <vector>

#include <recto/base/turn.hpp>
#include <recto/core/tensor.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

using detail::Canvas, detail::ceil_div, detail::slices_of;

/// One group of channels of one image, or some of its blocks. A sum runs over channels and taps in their order, by
/// fused multiply-adds, as in the definition, so the size of the tile changes no bit.
template <int Pixels, int Lanes>
struct ByChannels {
    Convolution c;
    Canvas canvas;
    const Real *x, *packed, *bias;
    Real *y, *scratch;
    const Index* shifts;  // of the taps of all channels of x in the padded planes
    const Index* places;  // of the pixels in the padded planes
    Index tiles, blocks, slices;

    Index steps() const { return c.in * c.taps(); }
    Index slack() const { return c.kernel[1] * c.dilation[1]; }  // the right border of the last row
    Index drawing() const { return canvas.numbers(c.in, slack()); }
    Index scratch_size() const { return drawing() + tiles * Pixels * Lanes; }

    void tile(const Index* place, const Real* w, const Real* start, Real* out) const {
        Real sum[Pixels][Lanes];
        const Real* from[Pixels];
#pragma GCC unroll 8
        for (int p = 0; p < Pixels; ++p) {
            from[p] = scratch + place[p];
#pragma omp simd
            for (int l = 0; l < Lanes; ++l) sum[p][l] = start[l];
        }
        const Index *shift = shifts, *end = shifts + steps();
        for (; shift < end; ++shift, w += Lanes)
#pragma GCC unroll 8
            for (int p = 0; p < Pixels; ++p)
#pragma omp simd
                for (int l = 0; l < Lanes; ++l) sum[p][l] = fma(from[p][*shift], w[l], sum[p][l]);
#pragma GCC unroll 8
        for (int p = 0; p < Pixels; ++p)
#pragma omp simd
            for (int l = 0; l < Lanes; ++l) out[p * Lanes + l] = sum[p][l];
    }

    template <class Team>
    void operator()(const Team&, Index item) const {
        const Index slice = item % slices, group = item / slices, in_image = group % c.groups;
        canvas.draw(c, x + group * c.in * c.area(), scratch);
        Real* turned = scratch + drawing();
        for (Index block = slice * blocks / slices; block < (slice + 1) * blocks / slices; ++block) {
            const Index first = block * Lanes, some = std::min<Index>(Lanes, c.out - first);
            Real start[Lanes] = {};
            for (Index o = 0; bias && o < some; ++o) start[o] = bias[in_image * c.out + first + o];
            const Real* w = packed + (in_image * blocks + block) * steps() * Lanes;
            for (Index t = 0; t < tiles; ++t) tile(places + t * Pixels, w, start, turned + t * Pixels * Lanes);
            cpu::turn(turned, Lanes, y + (group * c.out + first) * c.pixels(), c.pixels(), c.pixels(), some);
        }
    }
};

template <int Pixels, int Lanes>
void run(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y) {
    const Canvas canvas(c);
    const Index blocks = ceil_div(c.out, Lanes), tiles = ceil_div(c.pixels(), Pixels);
    const Tensor packed = detail::pack_weights(c, w, Lanes, false);
    std::vector<Index> shifts, places;
    for (Index i = 0; i < c.in; ++i)
        for (Index a = 0; a < c.kernel[0]; ++a)
            for (Index b = 0; b < c.kernel[1]; ++b)
                shifts.push_back((i * canvas.tall + a * c.dilation[0]) * canvas.wide + b * c.dilation[1]);
    for (Index row = 0; row < c.result[0]; ++row)
        for (Index column = 0; column < c.result[1]; ++column)
            places.push_back(row * c.stride[0] * canvas.wide + column * c.stride[1]);
    places.resize(tiles * Pixels);  // missing pixels of the last tile repeat its first; their results are unused
    const Index items = c.batch * c.groups, slices = slices_of(items, blocks);
    ByChannels<Pixels, Lanes> kernel{
        c, canvas, x, packed.data(), bias, y, nullptr, shifts.data(), places.data(), tiles, blocks, slices};
    const Index small = grain / std::max<Index>(1, kernel.steps() * c.pixels());
    parallel(items * slices, std::max<Index>({1, small, items * slices / 16}), [&](Index begin, Index end) {
        Tensor scratch = empty({kernel.scratch_size()});
        auto mine = kernel;
        mine.scratch = scratch.write();
        canvas.clear(c, mine.scratch, mine.slack());
        loops::rows(begin, end, mine);
    });
}

}  // namespace

bool detail::convolve_channels(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y) {
    constexpr int vector = 64 / sizeof(Real);
    if (c.out < vector / 2 || cpu_class() == CpuClass::plain) return false;
    if (cpu_class() == CpuClass::avx2)
        run<6, vector>(c, x, w, bias, y);
    else if (c.out <= vector)
        run<8, vector>(c, x, w, bias, y);
    else
        run<8, 2 * vector>(c, x, w, bias, y);
    return true;
}

}  // namespace RECTO
