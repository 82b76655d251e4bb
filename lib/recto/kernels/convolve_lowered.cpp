// Convolution as a matrix product ("im2col"): the inputs of each pixel of the result form a column, and the weights are
// the rows of the other matrix. Some images at a time, so that small images fill the product and large ones stay in the
// cache.
#include <algorithm>
#include <cstring>

#include <recto/device/launch.hpp>
#include <recto/kernels/canvas.hpp>
#include <recto/kernels/gemm.hpp>

namespace RECTO {
namespace {

using detail::AddSections, detail::add_line, detail::clear_line, detail::copy_line;

/// The part [low, high) of a row of the result in which tap `k` of the kernel reads inside the input.
struct Reach {
    Index low, high, shift;  // result r reads r * stride + shift
    Reach(const Convolution& c, int axis, Index k) {
        const Index s = c.stride[axis];
        shift = k * c.dilation[axis] - c.padding[axis];
        low = shift >= 0 ? 0 : std::min((-shift + s - 1) / s, c.result[axis]);
        high = std::clamp((c.size[axis] - shift + s - 1) / s, low, c.result[axis]);
    }
};

constexpr Index slack = 16;  // numbers after the columns that may be overwritten

/// Row (i, a, b) of the columns of `count` images: the pixels that tap (a, b) of channel i reads.
struct Unfold {
    Convolution c;
    const Real *x, *end;  // the group's first channel in the first image, and the end of the last image
    Real* columns;
    Index count;
    template <class Team>
    void operator()(const Team&, Index row) const {
        const Index b = row % c.kernel[1], a = row / c.kernel[1] % c.kernel[0], i = row / c.taps();
        const Reach down(c, 0, a), right(c, 1, b);
        // Local copies for the inner loop: members of `c` would be loaded again after every store.
        const Index lines = c.result[0], width = c.result[1], low = right.low, high = right.high, step = c.stride[1];
        const Index next = c.stride[0] * c.size[1], image = c.groups * c.in * c.area(), images = count;
        const Real* from = x + i * c.area() + down.shift * c.size[1] + right.shift;
        Real* to = columns + row * count * c.pixels();
        // Rows of small images are copied with extra numbers after them, which the next row overwrites.
        const bool small = step == 1 && high - low == width && width <= slack;
        for (Index n = 0; n < images; ++n, from += image) {
            clear_line(to, down.low * width);
            to += down.low * width;
            for (Index r = down.low; r < down.high; ++r, to += width) {
                const Real* line = from + r * next;
                if (small && line + slack <= end) {
                    std::memcpy(to, line, slack * sizeof(Real));
                    continue;
                }
                if (low > 0) clear_line(to, low);
                if (step == 1)
                    copy_line(to + low, line + low, high - low);
                else
                    for (Index j = low; j < high; ++j) to[j] = line[j * step];
                if (high < width) clear_line(to + high, width - high);
            }
            clear_line(to, (lines - down.high) * width);
            to += (lines - down.high) * width;
        }
    }
};

/// The backward pass for channel i of all images: adds the columns' values to the images, tap by tap. Each tap adds to
/// all images before the next tap does: reading a number that another vector store has just written is slow.
struct Fold {
    Convolution c;
    const Real *columns, *bias;
    Real* dx;  // as x in Unfold
    Index count;
    template <class Team>
    void operator()(const Team& team, Index i) const {
        const Index step = c.stride[1], next = c.stride[0] * c.size[1], width = c.result[1], pixels = c.pixels();
        const Index image = c.groups * c.in * c.area(), images = count;
        Real* planes = dx + i * c.area();
        const Real start = bias ? bias[i] : Real(0);
        for (Index n = 0; n < images; ++n) team.each(c.area(), [&](Index j) { planes[n * image + j] = start; });
        for (Index tap = 0; tap < c.taps(); ++tap) {
            const Reach down(c, 0, tap / c.kernel[1]), right(c, 1, tap % c.kernel[1]);
            const Index low = right.low, count_in_row = right.high - low;
            const Real* from = columns + (i * c.taps() + tap) * images * pixels + low;
            Real* to = planes + down.shift * c.size[1] + right.shift + low * step;
            for (Index n = 0; n < images; ++n)
                for (Index r = down.low; r < down.high; ++r) {
                    const Real* line = from + n * pixels + r * width;
                    Real* out = to + n * image + r * next;
                    if (step == 1)
                        add_line(out, line, count_in_row);
                    else
                        for (Index j = 0; j < count_in_row; ++j) out[j * step] += line[j];
                }
        }
    }
};

/// Reorders planes (image, channel) to rows (channel, image), or back with a bias.
struct Regroup {
    const Real *from, *bias;
    Real* to;
    Index count, channels, all, pixels;  // of `all` channels of an image, `channels` belong to the group
    bool back;
    template <class Team>
    void operator()(const Team& team, Index at) const {
        const Index n = at % count, o = at / count, image = (n * all + o) * pixels, row = at * pixels;
        const Real* in = from + (back ? row : image);
        Real* out = to + (back ? image : row);
        const Real add = bias ? bias[o] : Real(0);
        team.each(pixels, [&](Index j) { out[j] = in[j] + add; });
    }
};

/// Adds one product to another.
struct Add {
    const Real* from;
    Real* to;
    void operator()(Index j) const { to[j] += from[j]; }
};

/// The three functions for some images of one group, with their scratch memory.
struct Lowered {
    const Convolution& c;
    Index most;  // images at a time
    Index reads = c.in * c.taps();
    Tensor columns, results;

    explicit Lowered(const Convolution& c, Index most)
        : c(c),
          most(most),
          columns(empty({checked_product(reads, most * c.pixels(), "convolve") + slack})),
          results(empty({c.out, most * c.pixels()})) {}

    void unfold(const Real* x, Index group, Index first, Index count) {
        const Real* from = x + (first * c.groups + group) * c.in * c.area();
        loops::rows(0, reads, Unfold{c, from, x + c.batch * c.groups * c.in * c.area(), columns.write(), count});
    }
    void gather(const Real* dy, Index group, Index first, Index count) {
        const Real* from = dy + (first * c.groups + group) * c.out * c.pixels();
        loops::rows(0, c.out * count,
                    Regroup{from, nullptr, results.write(), count, c.out, c.groups * c.out, c.pixels(), false});
    }
    void scatter(const Real* bias, Real* y, Index group, Index first, Index count) {
        Real* to = y + (first * c.groups + group) * c.out * c.pixels();
        loops::rows(0, c.out * count,
                    Regroup{results.data(), bias ? bias + group * c.out : nullptr, to, count, c.out, c.groups * c.out,
                            c.pixels(), true});
    }
    MatrixView weights(const Real* w, Index group, bool transposed) const {
        return {w + group * c.out * reads, std::max<Index>(reads, 1), transposed};
    }
};

/// Number of images with about 128 columns in total: fewer columns make the product inefficient.
Index images_together(const Convolution& c) {
    return std::clamp<Index>((127 + c.pixels()) / c.pixels(), 1, std::max<Index>(c.batch, 1));
}

/// Calls body(lowered, group, first, count) for all images of all groups, some images at a time, on all threads.
template <class Body>
void for_images(const Convolution& c, const Body& body) {
    const Index most = images_together(c), chunks = (c.batch + most - 1) / most;
    parallel(chunks * c.groups, 1, [&](Index begin, Index end) {
        Lowered lowered(c, most);
        for (Index at = begin; at < end; ++at) {
            const Index first = at / c.groups * most;
            body(lowered, at % c.groups, first, std::min(most, c.batch - first));
        }
    });
}

}  // namespace

void detail::convolve_lowered(const Convolution& c, const Real* x, const Real* w, const Real* bias, Real* y) {
    for_images(c, [&](Lowered& l, Index group, Index first, Index count) {
        const Index cols = count * c.pixels();
        l.unfold(x, group, first, count);
        detail::multiply(Device::cpu, c.out, cols, l.reads, l.weights(w, group, false), {l.columns.data(), cols},
                         l.results.write(), cols);
        l.scatter(bias, y, group, first, count);
    });
}

void detail::convolve_back_lowered(const Convolution& c, const Real* dy, const Real* w, const Real* bias, Real* dx) {
    for_images(c, [&](Lowered& l, Index group, Index first, Index count) {
        const Index cols = count * c.pixels();
        l.gather(dy, group, first, count);
        detail::multiply(Device::cpu, l.reads, cols, c.out, l.weights(w, group, true),
                         {l.results.data(), std::max<Index>(cols, 1)}, l.columns.write(), cols);
        loops::rows(0, c.in,
                    Fold{c, l.columns.data(), bias ? bias + group * c.in : nullptr,
                         dx + (first * c.groups + group) * c.in * c.area(), count});
    });
}

void detail::convolve_weights_lowered(const Convolution& c, const Real* x, const Real* dy, Real* dw) {
    const Index most = images_together(c), sections = std::clamp<Index>((c.batch + most - 1) / most, 1, 8);
    const Index count = c.out * c.in * c.taps();
    Tensor parts = c.batch == 0 ? zeros({c.groups, sections, count}) : empty({c.groups, sections, count});
    Real* to = parts.write();
    parallel(c.groups * sections, 1, [&](Index begin, Index end) {
        Lowered l(c, most);
        Tensor more;
        for (Index at = begin; at < end; ++at) {
            const Index group = at / sections, section = at % sections;
            const Index start = section * c.batch / sections, last = (section + 1) * c.batch / sections;
            for (Index first = start; first < last; first += most) {
                const Index images = std::min(most, last - first), cols = images * c.pixels();
                if (first > start && !more.defined()) more = empty({count});
                Real* product = first == start ? to + at * count : more.write();
                l.unfold(x, group, first, images);
                l.gather(dy, group, first, images);
                detail::multiply(Device::cpu, c.out, l.reads, cols, {l.results.data(), cols},
                                 {l.columns.data(), cols, true}, product, l.reads);
                if (first > start) loops::each(0, count, Add{product, to + at * count});
            }
        }
    });
    for (Index group = 0; group < c.groups; ++group)
        each(Device::cpu, count,
             AddSections{parts.data() + group * sections * count, dw + group * count, count, sections});
}

}  // namespace RECTO
