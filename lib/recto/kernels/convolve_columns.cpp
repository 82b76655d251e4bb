// Convolution on a GPU: the inputs of each pixel of the result are copied into a column of a matrix, and gemm
// multiplies the matrices of as many images at a time as fit the memory. The definition, one element at a time, reads
// every pixel of the input once for each use and leaves tensor cores idle.
#include <algorithm>
#include <limits>

#include <recto/device/launch.hpp>
#include <recto/kernels/convolve.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO {
namespace {

constexpr Index most_in_32_bits = std::numeric_limits<int>::max();

/// Whether products pay, and the places of an image's numbers fit 32 bits.
bool by_columns(const Convolution& c) {
    Index most = std::max(c.groups * c.in * c.area(), c.groups * c.in * c.taps() * c.pixels());
    for (int i = 0; i < 2; ++i)
        most = std::max(most, c.size[i] + c.padding[i] + c.result[i] * c.stride[i] + c.kernel[i] * c.dilation[i]);
    return detail::convolves_by_columns(c) && most <= most_in_32_bits;
}

/// A convolution's extents in 32 bits: a GPU divides 64-bit numbers ten times as slowly, and each element divides ten times.
struct Extents {
    int in, size[2], kernel[2], result[2], stride[2], padding[2], dilation[2];
    explicit Extents(const Convolution& c) : in(int(c.groups * c.in)) {
        for (int i = 0; i < 2; ++i) {
            size[i] = int(c.size[i]), kernel[i] = int(c.kernel[i]), result[i] = int(c.result[i]);
            stride[i] = int(c.stride[i]), padding[i] = int(c.padding[i]), dilation[i] = int(c.dilation[i]);
        }
    }
};

/// Element `at` of the columns (image, group, channel and tap, pixel): the number that the tap reads for the pixel.
struct Unfold {
    Extents c;
    const Real* x;
    Real* columns;
    RECTO_HD void operator()(Index at) const {
        const int line = int(at) / c.result[1], column = int(at) - line * c.result[1];
        const int place = line / c.result[0], row = line - place * c.result[0];
        const int tap_row = place / c.kernel[1], b = place - tap_row * c.kernel[1];
        const int plane = tap_row / c.kernel[0], a = tap_row - plane * c.kernel[0];
        const int from_row = row * c.stride[0] - c.padding[0] + a * c.dilation[0];
        const int from = column * c.stride[1] - c.padding[1] + b * c.dilation[1];
        const bool inside = from_row >= 0 && from_row < c.size[0] && from >= 0 && from < c.size[1];
        columns[at] = inside ? x[(plane * c.size[0] + from_row) * c.size[1] + from] : Real(0);
    }
};

/// Element `at` of dx: the sum of its copies in the columns, tap after tap.
struct Fold {
    Extents c;
    const Real *columns, *bias;
    Real* dx;
    RECTO_HD void operator()(Index at) const {
        const int line = int(at) / c.size[1], column = int(at) - line * c.size[1];
        const int plane = line / c.size[0], row = line - plane * c.size[0];
        Real total = bias ? bias[plane % c.in] : Real(0);
        for (int a = 0; a < c.kernel[0]; ++a) {
            const int down = row + c.padding[0] - a * c.dilation[0], to_row = down / c.stride[0];
            if (down < 0 || to_row * c.stride[0] != down || to_row >= c.result[0]) continue;
            for (int b = 0; b < c.kernel[1]; ++b) {
                const int right = column + c.padding[1] - b * c.dilation[1], to = right / c.stride[1];
                if (right < 0 || to * c.stride[1] != right || to >= c.result[1]) continue;
                const int tap = (plane * c.kernel[0] + a) * c.kernel[1] + b;
                total += columns[(tap * c.result[0] + to_row) * c.result[1] + to];
            }
        }
        dx[at] = total;
    }
};

/// Adds its channel's bias to element `at` of y.
struct AddBias {
    const Real* bias;
    Real* y;
    Index pixels, channels;
    RECTO_HD void operator()(Index at) const { y[at] += bias[at / pixels % channels]; }
};

/// Adds the images' parts of element `at` of dw, in their order, to the sum of earlier images.
struct AddImages {
    const Real* parts;
    Real* dw;
    Index weights, images;
    bool first;
    RECTO_HD void operator()(Index at) const {
        Real total = first ? Real(0) : dw[at];
        for (Index n = 0; n < images; ++n) total += parts[n * weights + at];
        dw[at] = total;
    }
};

/// Some images: their columns, and the first matrix of each image and group.
struct Columns {
    const Convolution& c;
    Device device;
    Index reads = c.in * c.taps(), weights = c.out * reads;
    Index most = std::clamp<Index>(std::min(detail::columns_at_once / (c.groups * reads * (c.pixels() + c.out)),
                                            most_in_32_bits / (c.groups * c.in * c.area())),
                                   1, c.batch);
    Tensor numbers = empty({most, c.groups, reads, c.pixels()}, device);

    /// Calls body(first, count) for all images, `most` at a time.
    template <class Body>
    void for_images(const Body& body) {
        for (Index first = 0; first < c.batch; first += most) body(first, std::min(most, c.batch - first));
    }
    void unfold(const Real* x, Index first, Index count) {
        each(device, count * c.groups * reads * c.pixels(),
             Unfold{Extents(c), x + first * c.groups * c.in * c.area(), numbers.write()});
    }
    Index in_image() const { return c.groups * reads * c.pixels(); }
    Index out_image() const { return c.groups * c.out * c.pixels(); }
};

}  // namespace

Index detail::columns_at_once = Index(1) << 25;

bool detail::convolve_columns(Device device, const Convolution& c, const Real* x, const Real* w, const Real* bias,
                              Real* y) {
    if (!by_columns(c)) return false;
    Columns columns{c, device};
    columns.for_images([&](Index first, Index count) {
        columns.unfold(x, first, count);
        const ProductBatch batch{{count, c.groups},
                                 {0, columns.weights},
                                 {columns.in_image(), columns.reads * c.pixels()},
                                 {columns.out_image(), c.out * c.pixels()}};
        detail::multiply(device, batch, c.out, c.pixels(), columns.reads, {w, columns.reads},
                         {columns.numbers.data(), c.pixels()}, y + first * columns.out_image(), c.pixels());
    });
    if (bias) each(device, c.batch * columns.out_image(), AddBias{bias, y, c.pixels(), c.groups * c.out});
    return true;
}

bool detail::convolve_back_columns(Device device, const Convolution& c, const Real* dy, const Real* w, const Real* bias,
                                   Real* dx) {
    if (!by_columns(c)) return false;
    Columns columns{c, device};
    columns.for_images([&](Index first, Index count) {
        const ProductBatch batch{{count, c.groups},
                                 {0, columns.weights},
                                 {columns.out_image(), c.out * c.pixels()},
                                 {columns.in_image(), columns.reads * c.pixels()}};
        detail::multiply(device, batch, columns.reads, c.pixels(), c.out, {w, columns.reads, true},
                         {dy + first * columns.out_image(), c.pixels()}, columns.numbers.write(), c.pixels());
        each(device, count * c.groups * c.in * c.area(),
             Fold{Extents(c), columns.numbers.data(), bias, dx + first * c.groups * c.in * c.area()});
    });
    return true;
}

bool detail::convolve_weights_columns(Device device, const Convolution& c, const Real* x, const Real* dy, Real* dw) {
    if (!by_columns(c)) return false;
    Columns columns{c, device};
    const Index weights = c.groups * columns.weights;
    Tensor parts = empty({columns.most, weights}, device);
    columns.for_images([&](Index first, Index count) {
        columns.unfold(x, first, count);
        const ProductBatch batch{{count, c.groups},
                                 {columns.out_image(), c.out * c.pixels()},
                                 {columns.in_image(), columns.reads * c.pixels()},
                                 {weights, columns.weights}};
        detail::multiply(device, batch, c.out, columns.reads, c.pixels(),
                         {dy + first * columns.out_image(), c.pixels()}, {columns.numbers.data(), c.pixels(), true},
                         parts.write(), columns.reads);
        each(device, weights, AddImages{parts.data(), dw, weights, count, first == 0});
    });
    return true;
}

}  // namespace RECTO
