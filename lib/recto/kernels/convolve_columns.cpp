// Convolution on a GPU: the inputs of each pixel of the result are copied into a column of a matrix, and gemm
// multiplies the matrices of as many images at a time as fit the memory. The definition, one element at a time, reads
// every pixel of the input once for each use and leaves tensor cores idle.
#include <algorithm>

#include <recto/device/launch.hpp>
#include <recto/kernels/convolve.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO {
namespace {

/// Element `at` of the columns (image, group, channel and tap, pixel): the number that the tap reads for the pixel.
struct Unfold {
    Convolution c;
    const Real* x;
    Real* columns;
    RECTO_HD void operator()(Index at) const {
        const Index column = at % c.result[1], row = at / c.result[1] % c.result[0], place = at / c.pixels();
        const Index b = place % c.kernel[1], a = place / c.kernel[1] % c.kernel[0], plane = place / c.taps();
        const Index from_row = row * c.stride[0] - c.padding[0] + a * c.dilation[0];
        const Index from = column * c.stride[1] - c.padding[1] + b * c.dilation[1];
        const bool inside = from_row >= 0 && from_row < c.size[0] && from >= 0 && from < c.size[1];
        columns[at] = inside ? x[(plane * c.size[0] + from_row) * c.size[1] + from] : Real(0);
    }
};

/// Element `at` of dx: the sum of its copies in the columns, tap after tap.
struct Fold {
    Convolution c;
    const Real *columns, *bias;
    Real* dx;
    RECTO_HD void operator()(Index at) const {
        const Index column = at % c.size[1], row = at / c.size[1] % c.size[0], plane = at / c.area();
        Real total = bias ? bias[plane % (c.groups * c.in)] : Real(0);
        for (Index a = 0; a < c.kernel[0]; ++a) {
            const Index down = row + c.padding[0] - a * c.dilation[0], to_row = down / c.stride[0];
            if (down < 0 || to_row * c.stride[0] != down || to_row >= c.result[0]) continue;
            for (Index b = 0; b < c.kernel[1]; ++b) {
                const Index right = column + c.padding[1] - b * c.dilation[1], to = right / c.stride[1];
                if (right < 0 || to * c.stride[1] != right || to >= c.result[1]) continue;
                total += columns[((plane * c.taps() + a * c.kernel[1] + b) * c.result[0] + to_row) * c.result[1] + to];
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
    Index most = std::clamp<Index>(detail::columns_at_once / (c.groups * reads * (c.pixels() + c.out)), 1, c.batch);
    Tensor numbers = empty({most, c.groups, reads, c.pixels()}, device);

    /// Calls body(first, count) for all images, `most` at a time.
    template <class Body>
    void for_images(const Body& body) {
        for (Index first = 0; first < c.batch; first += most) body(first, std::min(most, c.batch - first));
    }
    void unfold(const Real* x, Index first, Index count) {
        each(device, count * c.groups * reads * c.pixels(),
             Unfold{c, x + first * c.groups * c.in * c.area(), numbers.write()});
    }
    Index in_image() const { return c.groups * reads * c.pixels(); }
    Index out_image() const { return c.groups * c.out * c.pixels(); }
};

}  // namespace

Index detail::columns_at_once = Index(1) << 25;

bool detail::convolve_columns(Device device, const Convolution& c, const Real* x, const Real* w, const Real* bias,
                              Real* y) {
    if (!convolves_by_columns(c)) return false;
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
    if (!convolves_by_columns(c)) return false;
    Columns columns{c, device};
    columns.for_images([&](Index first, Index count) {
        const ProductBatch batch{{count, c.groups},
                                 {0, columns.weights},
                                 {columns.out_image(), c.out * c.pixels()},
                                 {columns.in_image(), columns.reads * c.pixels()}};
        detail::multiply(device, batch, columns.reads, c.pixels(), c.out, {w, columns.reads, true},
                         {dy + first * columns.out_image(), c.pixels()}, columns.numbers.write(), c.pixels());
        each(device, count * c.groups * c.in * c.area(),
             Fold{c, columns.numbers.data(), bias, dx + first * c.groups * c.in * c.area()});
    });
    return true;
}

bool detail::convolve_weights_columns(Device device, const Convolution& c, const Real* x, const Real* dy, Real* dw) {
    if (!convolves_by_columns(c)) return false;
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
