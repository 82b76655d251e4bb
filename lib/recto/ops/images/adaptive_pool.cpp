#include <recto/ops/images/adaptive_pool.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/core/integers.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// The interval from a to b, without b.
struct Range {
    Index begin, end;
};

/// The begin and end of part i of `parts` equal parts of `size`, rounded outwards. The pixels of window i are
/// part(i, size, windows), and the windows that contain pixel i are part(i, windows, size).
RECTO_HD inline Range part(Index i, Index size, Index parts) {
    return {i * size / parts, ((i + 1) * size + parts - 1) / parts};
}

/// The windows of a plane; arrays hold height and width.
struct AdaptiveWindows {
    Index planes, size[2], result[2];

    RECTO_HD Index pixels() const { return size[0] * size[1]; }
    RECTO_HD Index windows() const { return result[0] * result[1]; }
    /// The rows (axis 0) or columns (axis 1) of window w.
    RECTO_HD Range pixels_of(int axis, Index w) const { return part(w, size[axis], result[axis]); }
    /// The windows that contain row or column i.
    RECTO_HD Range windows_of(int axis, Index i) const { return part(i, result[axis], size[axis]); }
    RECTO_HD Index count(Index r, Index c) const {
        const Range rows = pixels_of(0, r), columns = pixels_of(1, c);
        return (rows.end - rows.begin) * (columns.end - columns.begin);
    }
};

struct AdaptiveMean {
    AdaptiveWindows g;
    const Real* x;
    Real* y;
    RECTO_HD void operator()(Index at) const {
        const Index c = at % g.result[1], r = at / g.result[1] % g.result[0];
        const Range rows = g.pixels_of(0, r), columns = g.pixels_of(1, c);
        const Real* in = x + at / g.windows() * g.pixels();
        Real total = 0;
        for (Index i = rows.begin; i < rows.end; ++i)
            for (Index j = columns.begin; j < columns.end; ++j) total += in[i * g.size[1] + j];
        y[at] = total / Real(g.count(r, c));
    }
};

/// The largest number, or the first NaN, and its position in the plane.
struct AdaptiveMax {
    AdaptiveWindows g;
    const Real* x;
    Real* y;
    Index* places;
    RECTO_HD void operator()(Index at) const {
        const Range rows = g.pixels_of(0, at / g.result[1] % g.result[0]);
        const Range columns = g.pixels_of(1, at % g.result[1]);
        const Real* in = x + at / g.windows() * g.pixels();
        Index place = rows.begin * g.size[1] + columns.begin;
        for (Index i = rows.begin; i < rows.end; ++i)
            for (Index j = columns.begin; j < columns.end; ++j) {
                const Real v = in[i * g.size[1] + j], best = in[place];
                if (!is_nan(best) && (is_nan(v) || v > best)) place = i * g.size[1] + j;
            }
        y[at] = in[place];
        places[at] = place;
    }
};

/// One number of dx: the sum of the gradients from the windows that contain it. `places` is null for the mean.
struct AdaptiveBack {
    AdaptiveWindows g;
    const Real* dy;
    const Index* places;
    Real* dx;
    RECTO_HD void operator()(Index at) const {
        const Index pixel = at % g.pixels(), first = at / g.pixels() * g.windows();
        const Range rows = g.windows_of(0, pixel / g.size[1]), columns = g.windows_of(1, pixel % g.size[1]);
        Real total = 0;
        for (Index r = rows.begin; r < rows.end; ++r)
            for (Index c = columns.begin; c < columns.end; ++c) {
                const Index window = first + r * g.result[1] + c;
                if (!places)
                    total += dy[window] / Real(g.count(r, c));
                else if (places[window] == pixel)
                    total += dy[window];
            }
        dx[at] = total;
    }
};

/// The four functions; `axes` is 2 for images and 1 for series, which are images of height 1.
Tensor adaptive_pool(const char* name, const Tensor& x, Pair size, int axes, bool mean) {
    check_defined(name, x);
    check(x.dim() >= axes, "{}: wanted at least {} axes, got shape {}", name, axes, x.shape());
    AdaptiveWindows g{1, {axes == 2 ? x.size(-2) : 1, x.size(-1)}, {size.height, size.width}};
    constexpr Index most = 1 << 30;  // so that no product of two extents overflows
    for (int i = 0; i < 2; ++i) {
        check(g.size[i] >= 1 && g.size[i] <= most, "{}: wanted from 1 to 2^30 pixels along each axis, got shape {}",
              name, x.shape());
        check(g.result[i] >= 1 && g.result[i] <= most, "{}: wanted a size from 1 to 2^30, got {} for shape {}", name,
              g.result[i], x.shape());
    }
    for (int axis = 0; axis < x.dim() - axes; ++axis) g.planes *= x.shape()[axis];
    Shape shape = x.shape().with(-1, g.result[1]);
    if (axes == 2) shape = shape.with(-2, g.result[0]);
    const Tensor in = dense(x);
    const Device device = x.device();
    Tensor y = empty(shape, device);
    Integers places;
    if (mean) {
        each(device, y.numel(), AdaptiveMean{g, in.data(), y.write()});
    } else {
        places = Integers(shape, device);
        each(device, y.numel(), AdaptiveMax{g, in.data(), y.write(), places.write()});
    }
    return record(name, y, {x}, [g, places, from = x.shape()](const Tensor& dy) {
        const Tensor up = dense(dy);
        Tensor dx = empty(from, up.device());
        const Index* at = places.defined() ? places.data() : nullptr;
        each(up.device(), dx.numel(), AdaptiveBack{g, up.data(), at, dx.write()});
        return Grads{dx};
    });
}

}  // namespace

Tensor adaptive_avg_pool2d(const Tensor& x, Pair size) {
    return adaptive_pool("adaptive_avg_pool2d", x, size, 2, true);
}
Tensor adaptive_avg_pool1d(const Tensor& x, Index size) {
    return adaptive_pool("adaptive_avg_pool1d", x, {1, size}, 1, true);
}
Tensor adaptive_max_pool2d(const Tensor& x, Pair size) {
    return adaptive_pool("adaptive_max_pool2d", x, size, 2, false);
}
Tensor adaptive_max_pool1d(const Tensor& x, Index size) {
    return adaptive_pool("adaptive_max_pool1d", x, {1, size}, 1, false);
}

}  // namespace RECTO
