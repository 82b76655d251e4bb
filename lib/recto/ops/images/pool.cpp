#include <recto/ops/images/pool.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// The windows of a plane; arrays contain height and width. A window reaches over `reach` pixels and reads every
/// `dilation`-th of them.
struct Windows {
    Index planes, size[2], kernel[2], stride[2], padding[2], dilation[2], reach[2], result[2];

    /// Whether a single window covers the whole image.
    RECTO_HD bool whole() const {
        return kernel[0] == size[0] && kernel[1] == size[1] && padding[0] == 0 && padding[1] == 0;
    }
    /// The begin and end of window w along an axis, inside the image.
    RECTO_HD Index begin(int axis, Index w) const {
        const Index at = w * stride[axis] - padding[axis], by = dilation[axis];
        return at < 0 ? at + (by - 1 - at) / by * by : at;
    }
    RECTO_HD Index end(int axis, Index w) const {
        const Index at = w * stride[axis] - padding[axis] + reach[axis];
        return at > size[axis] ? size[axis] : at;
    }
    /// The windows that reach over row i: from `first_row` up to, but not including, `last_row`.
    RECTO_HD Index first_row(Index i) const {
        const Index at = i + padding[0] - reach[0];
        return at < 0 ? 0 : at / stride[0] + 1;
    }
    RECTO_HD Index last_row(Index i) const {
        const Index end = (i + padding[0]) / stride[0] + 1;
        return end < result[0] ? end : result[0];
    }
};

/// A row of results: the largest number of each window and, if requested, its position: pixels from the window's corner
/// in the image's row-major order. Up to `Lanes` complete windows are computed side by side, without a branch: the processor
/// could not predict which number is the largest.
template <int Lanes>
struct MaxPool {
    Windows g;
    const Real* x;
    Real *y, *places;

    /// A number is better when it is larger, or the first NaN.
    RECTO_HD static bool better(Real v, Real most) { return (v > most) | ((v != v) & (most == most)); }

    /// One window, clipped to the image.
    RECTO_HD void window(const Real* image, Index r, Index c, Real* most, Real* place) const {
        const Index top = r * g.stride[0] - g.padding[0], left = c * g.stride[1] - g.padding[1], width = g.size[1];
        const Index i0 = g.begin(0, r), j0 = g.begin(1, c);
        *most = image[i0 * width + j0];
        *place = Real((i0 - top) * width + j0 - left);
        for (Index i = i0; i < g.end(0, r); i += g.dilation[0])
            for (Index j = j0; j < g.end(1, c); j += g.dilation[1])
                if (better(image[i * width + j], *most)) {
                    *most = image[i * width + j];
                    *place = Real((i - top) * width + j - left);
                }
    }
    /// Windows c to c + Count - 1, none of them clipped on the left or right.
    template <int Count>
    RECTO_HD void windows(const Real* image, Index r, Index c, Real* most, Real* place) const {
        const Index top = r * g.stride[0] - g.padding[0], left = c * g.stride[1] - g.padding[1], width = g.size[1];
        const Index begin = g.begin(0, r), end = g.end(0, r), step = g.stride[1];
        Real best[Count], where[Count];
        for (Index l = 0; l < Count; ++l)
            best[l] = image[begin * width + left + l * step], where[l] = Real((begin - top) * width);
        for (Index i = begin; i < end; i += g.dilation[0])
            for (Index b = 0; b < g.reach[1]; b += g.dilation[1]) {
                const Real* from = image + i * width + left + b;
                const Real here = Real((i - top) * width + b);
#pragma omp simd
                for (Index l = 0; l < Count; ++l) {
                    const Real v = from[l * step];
                    const bool take = better(v, best[l]);
                    best[l] = take ? v : best[l];
                    where[l] = take ? here : where[l];
                }
            }
        for (Index l = 0; l < Count; ++l) most[l] = best[l], place[l] = where[l];
    }

    /// Whether windows c to c + Count - 1 are clipped neither on the left nor on the right.
    template <int Count>
    RECTO_HD bool fit(Index c) const {
        const Index begin = c * g.stride[1] - g.padding[1], end = begin + (Count - 1) * g.stride[1] + g.reach[1];
        return begin >= 0 && end <= g.size[1];
    }
    /// As many windows from c on as fit side by side: Count or half of it and so on, in the end a single one. Returns how many.
    template <int Count>
    RECTO_HD Index several(const Real* image, Index r, Index c, Index left, Real* most, Real* place) const {
        if (Lanes > 1 && Count <= left && fit<Count>(c)) {
            windows<Count>(image, r, c, most, place);
            return Count;
        }
        if constexpr (Count > 1) return several<Count / 2>(image, r, c, left, most, place);
        window(image, r, c, most, place);
        return 1;
    }

    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index columns = g.result[1], r = row % g.result[0];
        const Real* image = x + row / g.result[0] * g.size[0] * g.size[1];
        Real *to = y + row * columns, *place_to = places ? places + row * columns : nullptr;
        team.each((columns + Lanes - 1) / Lanes, [&](Index block) {
            const Index first = block * Lanes, some = columns - first < Lanes ? columns - first : Lanes;
            Real most[Lanes], place[Lanes];
            if (Lanes > 1 && some == Lanes && fit<Lanes>(first))
                windows<Lanes>(image, r, first, most, place);
            else
                for (Index l = 0; l < some;)
                    l += several<(Lanes + 1) / 2>(image, r, first + l, some - l, most + l, place + l);
            for (Index l = 0; l < some; ++l) to[first + l] = most[l];
            for (Index l = 0; place_to && l < some; ++l) place_to[first + l] = place[l];
        });
    }
};

/// The backward pass for a whole plane: every window adds its gradient to its largest element, one window after another
/// on the CPU; PoolBack does the same with the lanes of a team.
struct MaxPoolBack {
    Windows g;
    const Real *dy, *places;
    Real* dx;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index plane) const {
        Real* out = dx + plane * g.size[0] * g.size[1];
        team.each(g.size[0] * g.size[1], [&](Index i) { out[i] = 0; });
        for (Index r = 0; r < g.result[0]; ++r)
            for (Index c = 0; c < g.result[1]; ++c) {
                const Index at = (plane * g.result[0] + r) * g.result[1] + c;
                const Index corner = (r * g.stride[0] - g.padding[0]) * g.size[1] + c * g.stride[1] - g.padding[1];
                out[corner + Index(places[at])] += dy[at];
            }
    }
};

/// A row of results: the mean of each window.
struct AvgPool {
    Windows g;
    const Real* x;
    Real* y;
    Real part;  // the weight of one number in a window
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index plane = row / g.result[0], r = row % g.result[0], begin = g.begin(0, r), end = g.end(0, r);
        const Index width = g.size[1];
        const Real* in = x + plane * g.size[0] * width;
        if (g.whole()) {
            const Real total = team.sum(g.size[0] * width, [&](Index i) { return in[i]; });
            y[row] = total * part;
            return;
        }
        team.each(g.result[1], [&](Index c) {
            const Index left = g.begin(1, c), right = g.end(1, c);
            Real total = 0;
            for (Index i = begin; i < end; i += g.dilation[0])
                for (Index j = left; j < right; j += g.dilation[1]) total += in[i * width + j];
            y[row * g.result[1] + c] = total * part;
        });
    }
};

/// One row of dx: each window that contains it adds its gradient, to its largest number or, without `places`, a part to
/// every number. Lanes process windows that do not overlap, so that no two lanes add to the same number at once; a
/// number receives its additions in the order of the windows' rows, then of their columns in steps of `apart`.
struct PoolBack {
    Windows g;
    const Real *dy, *places;
    Real* dx;
    Real part;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index plane = row / g.size[0], i = row % g.size[0], columns = g.result[1];
        const Index apart = (g.reach[1] + g.stride[1] - 1) / g.stride[1];
        Real* out = dx + row * g.size[1];
        team.each(g.size[1], [&](Index j) { out[j] = 0; });
        for (Index r = g.first_row(i); r < g.last_row(i); ++r) {
            const Index line = (plane * g.result[0] + r) * columns;
            const Index below = i + g.padding[0] - r * g.stride[0];  // rows from the window's top
            if (below % g.dilation[0] != 0) continue;
            const Index first = below * g.size[1];  // where this row begins, as a position in the window
            for (Index phase = 0; phase < apart && phase < columns; ++phase)
                team.each((columns - phase + apart - 1) / apart, [&](Index q) {
                    const Index c = phase + q * apart;
                    if (!places) {
                        const Real share = dy[line + c] * part;
                        for (Index j = g.begin(1, c); j < g.end(1, c); j += g.dilation[1]) out[j] += share;
                        return;
                    }
                    // If the number is in this row and inside the image. A window may be wider than the image.
                    const Index j = c * g.stride[1] - g.padding[1] + Index(places[line + c]) - first;
                    if (j >= 0 && j < g.size[1]) out[j] += dy[line + c];
                });
        }
    }
};

/// The options of a series, which is an image of height 1.
PoolOptions along_width(const char* name, const PoolOptions& o) {
    return {.stride = {1, one_number(name, "stride", o.stride)},
            .padding = {0, one_number(name, "padding", o.padding)},
            .dilation = {1, one_number(name, "dilation", o.dilation)}};
}

/// Checks the options; `axes` is 2 for images and 1 for series, which are images of height 1.
Windows windows(const char* name, const Tensor& x, Pair kernel, const PoolOptions& options, int axes) {
    check(x.dim() >= axes, "{}: wanted at least {} axes, got shape {}", name, axes, x.shape());
    Windows g{};
    g.planes = 1;
    for (int axis = 0; axis < x.dim() - axes; ++axis) g.planes *= x.shape()[axis];
    constexpr Index most = 1 << 30;
    for (int i = 0; i < 2; ++i) {
        const Index k = i ? kernel.width : kernel.height, p = i ? options.padding.width : options.padding.height;
        const Index by = i ? options.dilation.width : options.dilation.height;
        Index s = i ? options.stride.width : options.stride.height;
        if (s == PoolOptions::as_kernel) s = k;
        g.size[i] = axes == 1 && i == 0 ? 1 : x.size(i - 2);
        check(g.size[i] <= most, "{}: wanted extents of at most 2^30, got shape {}", name, x.shape());
        check(k >= 1 && k <= most, "{}: wanted a kernel of at least 1, got {}", name, k);
        check(s >= 1 && s <= most, "{}: wanted a stride of at least 1, got {}", name, s);
        check(by >= 1 && by <= most, "{}: wanted a dilation of at least 1, got {}", name, by);
        check(p >= 0 && p <= k / 2, "{}: wanted a padding from 0 to half the kernel of {}, got {}", name, k, p);
        const Index reach = (k - 1) * by + 1;
        check(reach <= g.size[i] + 2 * p, "{}: a kernel of {} does not fit into {} with a padding of {}, got shape {}",
              name, reach, g.size[i], p, x.shape());
        // More than the padding alone.
        check(g.size[i] >= 1, "{}: wanted at least one pixel, got shape {}", name, x.shape());
        g.kernel[i] = k, g.stride[i] = s, g.padding[i] = p, g.dilation[i] = by, g.reach[i] = reach;
        g.result[i] = (g.size[i] + 2 * p - reach) / s + 1;
        for (Index w = 0; w * s < p; ++w)  // a window that begins outside may miss the whole image
            check(g.begin(i, w) < g.size[i], "{}: wanted a pixel in every window, got shape {}", name, x.shape());
    }
    // Positions are stored as Real, and float represents integers only up to this limit.
    check(g.reach[0] * g.size[1] < 1 << 24, "{}: wanted less than 2^24 pixels in the rows of a kernel, got {} by {}",
          name, g.reach[0], g.size[1]);
    return g;
}

/// Runs MaxPool, vectorised on the CPU, with single windows on a GPU, where lanes are threads.
void largest(Device device, Index count, Index work, const MaxPool<1>& k) {
    if (device == Device::cpu)
        rows(device, count, work, MaxPool<8>{k.g, k.x, k.y, k.places});
    else
        rows(device, count, work, k);
}

Tensor pool(const char* name, const Tensor& x, Pair kernel, const PoolOptions& options, int axes, bool mean) {
    const Windows g = windows(name, x, kernel, options, axes);
    Shape shape = x.shape().with(-1, g.result[1]);
    if (axes == 2) shape = shape.with(-2, g.result[0]);
    const Tensor a = dense(x);
    const Device device = x.device();
    const Real part = 1 / Real(g.kernel[0] * g.kernel[1]);
    Tensor y = empty(shape, device), places;
    if (!mean && x.requires_grad()) places = empty(shape, device);
    const Index count = g.planes * g.result[0], work = g.result[1] * g.kernel[0] * g.kernel[1];
    if (mean)
        rows(device, count, work, AvgPool{g, a.data(), y.write(), part});
    else
        largest(device, count, work, {g, a.data(), y.write(), places.defined() ? places.write() : nullptr});
    return record(name, y, {x}, [g, places, part, from = x.shape(), device](const Tensor& dy) {
        const Tensor up = dense(dy);
        Tensor dx = empty(from, device);
        if (places.defined() && device == Device::cpu) {
            rows(device, g.planes, g.size[0] * g.size[1], MaxPoolBack{g, up.data(), places.data(), dx.write()});
            return Grads{dx};
        }
        const Index wide = g.size[1] + g.result[1] * g.kernel[0] * (places.defined() ? 1 : g.kernel[1]);
        rows(device, g.planes * g.size[0], wide,
             PoolBack{g, up.data(), places.defined() ? places.data() : nullptr, dx.write(), part});
        return Grads{dx};
    });
}

}  // namespace

Tensor max_pool2d(const Tensor& x, Pair kernel, PoolOptions options) {
    return pool("max_pool2d", x, kernel, options, 2, false);
}
Tensor max_pool1d(const Tensor& x, Index kernel, PoolOptions options) {
    return pool("max_pool1d", x, {1, kernel}, along_width("max_pool1d", options), 1, false);
}
Tensor avg_pool2d(const Tensor& x, Pair kernel, PoolOptions options) {
    return pool("avg_pool2d", x, kernel, options, 2, true);
}
Tensor avg_pool1d(const Tensor& x, Index kernel, PoolOptions options) {
    return pool("avg_pool1d", x, {1, kernel}, along_width("avg_pool1d", options), 1, true);
}

}  // namespace RECTO
