#include <recto/ops/images/upsample.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// From `in` to `out` pixels along one axis. Integer arithmetic throughout, so that rounding never moves a position.
struct Nearest {
    Index in, out;
    RECTO_HD Index source(Index r) const { return r * in / out; }
    /// The results that pixel i is copied to: from `first` up to, but not including, `last`.
    RECTO_HD Index first(Index i) const { return (i * out + in - 1) / in; }
    RECTO_HD Index last(Index i) const { return first(i + 1); }
    RECTO_HD Real weight(Index, Index) const { return 1; }
};

/// Linear interpolation between two neighbours.
struct Linear {
    Index in, out;
    struct Place {
        Index low, high;
        Real share;  // weight of the higher pixel
    };
    RECTO_HD Place place(Index r) const {
        const Index twice = (2 * r + 1) * in - out;  // 2 * out times the position
        if (twice < 0) return {0, 0, 0};
        const Index low = twice / (2 * out), high = low + 1 < in ? low + 1 : low;
        return {low, high, Real(twice - low * 2 * out) / Real(2 * out)};
    }
    RECTO_HD Index first(Index i) const {
        const Index twice = (2 * i - 1) * out - in;  // result r reads i if its position is between i - 1 and i + 1
        return twice < 0 ? 0 : twice / (2 * in);
    }
    RECTO_HD Index last(Index i) const {
        const Index end = ((2 * i + 3) * out - in) / (2 * in) + 1;
        return end < out ? end : out;
    }
    /// The weight of pixel i in result r.
    RECTO_HD Real weight(Index r, Index i) const {
        const Place p = place(r);
        return (p.low == i ? 1 - p.share : Real(0)) + (p.high == i ? p.share : Real(0));
    }
};

/// A row of results.
struct ResizeNearest {
    Nearest down, across;
    const Real* x;
    Real* y;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* in = x + (row / down.out * down.in + down.source(row % down.out)) * across.in;
        Real* out = y + row * across.out;
        team.each(across.out, [&](Index c) { out[c] = in[across.source(c)]; });
    }
};
struct ResizeBilinear {
    Linear down, across;
    const Real* x;
    Real* y;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const auto [low, high, share] = down.place(row % down.out);
        const Real* plane = x + row / down.out * down.in * across.in;
        const Real *above = plane + low * across.in, *below = plane + high * across.in;
        const Real lower = share;
        Real* out = y + row * across.out;
        team.each(across.out, [&](Index c) {
            const auto p = across.place(c);
            const Real top = (1 - p.share) * above[p.low] + p.share * above[p.high];
            const Real bottom = (1 - p.share) * below[p.low] + p.share * below[p.high];
            out[c] = (1 - lower) * top + lower * bottom;
        });
    }
};

/// A row of dx: every pixel collects the gradients of the results that read it.
template <class Axis>
struct ResizeBack {
    Axis down, across;
    const Real* dy;
    Real* dx;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index i = row % down.in;
        const Real* plane = dy + row / down.in * down.out * across.out;
        Real* out = dx + row * across.in;
        team.each(across.in, [&](Index j) {
            Real total = 0;
            for (Index r = down.first(i); r < down.last(i); ++r) {
                Real line = 0;
                for (Index c = across.first(j); c < across.last(j); ++c)
                    line += across.weight(c, j) * plane[r * across.out + c];
                total += down.weight(r, i) * line;
            }
            out[j] = total;
        });
    }
};

template <class Axis, class Kernel>
Tensor resize(const char* name, const Tensor& x, Pair size) {
    constexpr Index most = 1 << 30;
    check(x.dim() >= 2, "{}: wanted at least 2 axes, got shape {}", name, x.shape());
    check(size.height >= 1 && size.width >= 1 && size.height <= most && size.width <= most,
          "{}: wanted a size of at least 1 x 1, got {}", name, size);
    check(x.size(-2) >= 1 && x.size(-1) >= 1 && x.size(-2) <= most && x.size(-1) <= most,
          "{}: wanted images with at least one pixel, got shape {}", name, x.shape());
    const Axis down{x.size(-2), size.height}, across{x.size(-1), size.width};
    const Tensor a = dense(x);
    Tensor y = empty(x.shape().with(-2, size.height).with(-1, size.width), x.device());
    const Index planes = x.numel() / (down.in * across.in);
    rows(x.device(), planes * down.out, across.out, Kernel{down, across, a.data(), y.write()});
    return record(name, y, {x}, [down, across, planes, from = x.shape()](const Tensor& dy) {
        const Tensor up = dense(dy);
        Tensor dx = empty(from, dy.device());
        rows(dy.device(), planes * down.in, across.in + across.out,
             ResizeBack<Axis>{down, across, up.data(), dx.write()});
        return Grads{dx};
    });
}

/// `factor` times the size of x.
Pair larger(const char* op, const Tensor& x, Pair factor) {
    check(x.dim() >= 2, "{}: wanted at least 2 axes, got shape {}", op, x.shape());
    check(factor.height >= 1 && factor.width >= 1, "{}: wanted factors of at least 1, got {}", op, factor);
    return {checked_product(x.size(-2), factor.height, op), checked_product(x.size(-1), factor.width, op)};
}

}  // namespace

Tensor resize_nearest(const Tensor& x, Pair size) { return resize<Nearest, ResizeNearest>("resize_nearest", x, size); }
Tensor resize_bilinear(const Tensor& x, Pair size) {
    return resize<Linear, ResizeBilinear>("resize_bilinear", x, size);
}
Tensor upsample_nearest(const Tensor& x, Pair factor) {
    return resize_nearest(x, larger("upsample_nearest", x, factor));
}
Tensor upsample_bilinear(const Tensor& x, Pair factor) {
    return resize_bilinear(x, larger("upsample_bilinear", x, factor));
}

}  // namespace RECTO
