#include <recto/kernels/convolve.hpp>

#include <recto/base/flops.hpp>
#include <recto/core/tensor.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/moments.hpp>

namespace RECTO {
namespace {

/// The definition of convolution: element `at` of y.
struct Convolve {
    Convolution c;
    const Real *x, *w, *bias;
    Real* y;
    RECTO_HD void operator()(Index at) const {
        const Index column = at % c.result[1], row = at / c.result[1] % c.result[0];
        const Index plane = at / c.pixels(), channel = plane % (c.groups * c.out), group = plane / c.out;
        const Real* image = x + group * c.in * c.area();  // groups are adjacent, image after image
        const Real* filter = w + channel * c.in * c.taps();
        Real total = bias ? bias[channel] : Real(0);
        for (Index i = 0; i < c.in; ++i)
            for (Index a = 0; a < c.kernel[0]; ++a) {
                const Index from_row = row * c.stride[0] - c.padding[0] + a * c.dilation[0];
                if (from_row < 0 || from_row >= c.size[0]) continue;
                for (Index b = 0; b < c.kernel[1]; ++b) {
                    const Index from = column * c.stride[1] - c.padding[1] + b * c.dilation[1];
                    if (from < 0 || from >= c.size[1]) continue;
                    total = fma(filter[i * c.taps() + a * c.kernel[1] + b],
                                image[(i * c.size[0] + from_row) * c.size[1] + from], total);
                }
            }
        y[at] = total;
    }
};

/// Element `at` of dx: the sum over every result that read it of the result's gradient times the weight between the
/// two.
struct ConvolveBack {
    Convolution c;
    const Real *dy, *w, *bias;
    Real* dx;
    RECTO_HD void operator()(Index at) const {
        const Index column = at % c.size[1], row = at / c.size[1] % c.size[0];
        const Index plane = at / c.area(), channel = plane % (c.groups * c.in), group = plane / c.in;
        const Real* filter = w + ((channel / c.in) * c.out * c.in + channel % c.in) * c.taps();
        Real total = bias ? bias[channel] : Real(0);
        for (Index o = 0; o < c.out; ++o)
            for (Index a = 0; a < c.kernel[0]; ++a) {
                const Index down = row + c.padding[0] - a * c.dilation[0], to_row = down / c.stride[0];
                if (down < 0 || to_row * c.stride[0] != down || to_row >= c.result[0]) continue;
                for (Index b = 0; b < c.kernel[1]; ++b) {
                    const Index right = column + c.padding[1] - b * c.dilation[1], to = right / c.stride[1];
                    if (right < 0 || to * c.stride[1] != right || to >= c.result[1]) continue;
                    total = fma(filter[o * c.in * c.taps() + a * c.kernel[1] + b],
                                dy[((group * c.out + o) * c.result[0] + to_row) * c.result[1] + to], total);
                }
            }
        dx[at] = total;
    }
};

/// One image's part of an element of dw: a team adds over the pixels.
struct ConvolveWeights {
    Convolution c;
    const Real *x, *dy;
    Real* parts;  // (batch, weights)
    Index weights;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index n = row / weights, at = row % weights, b = at % c.kernel[1], a = at / c.kernel[1] % c.kernel[0];
        const Index i = at / c.taps() % c.in, channel = at / (c.taps() * c.in), group = channel / c.out;
        const Real* image = x + ((n * c.groups + group) * c.in + i) * c.area();
        const Real* slope = dy + (n * c.groups * c.out + channel) * c.pixels();
        const Real total = team.sum(c.pixels(), [&](Index j) {
            const Index to_row = j / c.result[1], to = j - to_row * c.result[1];
            const Index from_row = to_row * c.stride[0] - c.padding[0] + a * c.dilation[0];
            const Index from = to * c.stride[1] - c.padding[1] + b * c.dilation[1];
            if (from_row < 0 || from_row >= c.size[0] || from < 0 || from >= c.size[1]) return Real(0);
            return image[from_row * c.size[1] + from] * slope[j];
        });
        team.each(1, [&](Index) { parts[row] = total; });
    }
};

/// Element `plane` of the sums over the pixels of each image and channel.
struct SumPixels {
    const Real* dy;
    Real* sums;
    Index pixels;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index plane) const {
        const Real total = sum_by_blocks(team, pixels, [&](Index j) { return dy[plane * pixels + j]; });
        team.each(1, [&](Index) { sums[plane] = total; });
    }
};

/// Element `at` of a gradient: the sum of the images' parts, in their order.
struct SumImages {
    const Real* parts;
    Real* sums;
    Index batch, count;
    RECTO_HD void operator()(Index at) const {
        Real total = 0;
        for (Index n = 0; n < batch; ++n) total += parts[n * count + at];
        sums[at] = total;
    }
};

/// The multiply-adds of each of the three functions.
void count(const Convolution& c) {
    detail::count_multiply_adds(c.batch * c.groups * c.out * c.pixels() * c.in * c.taps());
}

}  // namespace

void convolve(Device device, const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y) {
    const Index n = c.batch * c.groups * c.out * c.pixels();
    if (n == 0) return;
    count(c);
    if (device != Device::cpu) {
        if (!detail::convolve_columns(device, c, x, w, bias, y)) each(device, n, Convolve{c, x, w, bias, y});
        return;
    }
    if (detail::convolve_direct(c, x, w, bias, y) || detail::convolve_channels(c, x, w, bias, y)) return;
    detail::convolve_lowered(c, x, w, bias, y);
}

void convolve_back(Device device, const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx) {
    const Index n = c.batch * c.groups * c.in * c.area();
    if (n == 0) return;
    count(c);
    if (device != Device::cpu) {
        if (!detail::convolve_back_columns(device, c, dy, w, bias, dx))
            each(device, n, ConvolveBack{c, dy, w, bias, dx});
        return;
    }
    if (!detail::convolve_back_direct(c, dy, w, bias, dx)) detail::convolve_back_lowered(c, dy, w, bias, dx);
}

void convolve_weights(Device device, const Convolution& c, const Real* x, const Real* dy, Real* dw, Real* db) {
    const Index n = c.groups * c.out * c.in * c.taps(), channels = c.groups * c.out;
    if (channels == 0) return;
    count(c);
    if (device == Device::cpu && detail::convolve_weights_direct(c, x, dy, dw, db)) return;
    if (db) {
        Tensor sums = empty({c.batch, channels}, device);
        rows(device, c.batch * channels, c.pixels(), SumPixels{dy, sums.write(), c.pixels()});
        each(device, channels, SumImages{sums.data(), db, c.batch, channels});
    }
    if (n == 0) return;
    if (device != Device::cpu) {
        if (detail::convolve_weights_columns(device, c, x, dy, dw)) return;
        Tensor parts = empty({c.batch, n}, device);
        rows(device, c.batch * n, c.pixels(), ConvolveWeights{c, x, dy, parts.write(), n});
        each(device, n, SumImages{parts.data(), dw, c.batch, n});
        return;
    }
    detail::convolve_weights_lowered(c, x, dy, dw);
}

}  // namespace RECTO
