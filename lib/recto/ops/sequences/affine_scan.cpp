#include <recto/ops/sequences/affine_scan.hpp>

#include <algorithm>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

constexpr Index strip = 512;  // channels per row of a launch: two strips of them stay in the cache

/// How the sequences are divided.
struct Cut {
    Index outer, time, width;      // of the tensors: (outer, time, width)
    Index length, blocks, strips;  // steps of a block; blocks along time, strips across channels

    Cut(Index outer, Index time, Index width) : outer(outer), time(time), width(width) {
        strips = (width + strip - 1) / strip;
        // Composing blocks reads the input twice: worthwhile only for few, long sequences.
        length = outer * strips < 8 && time >= 512 ? 256 : std::max<Index>(time, 1);
        blocks = std::max<Index>(1, (time + length - 1) / length);
    }
    Index rows() const { return outer * blocks * strips; }

    /// The block and the channels of a row of the launch.
    struct Place {
        Index outer, block, from, count;
    };
    RECTO_HD Place place(Index row) const {
        const Index s = row % strips, rest = row / strips, left = width - s * strip;
        return {rest / blocks, rest % blocks, s * strip, left < strip ? left : strip};
    }
};

/// The coefficients and terms of the recurrence, step by step: from the start, or for gradients from the end, where
/// step i is at time T - 1 - i and uses the coefficient of the next time.
struct Steps {
    const Real *a, *b;
    bool back;
    RECTO_HD Index at(const Cut& cut, Index outer, Index i) const {
        return (outer * cut.time + (back ? cut.time - 1 - i : i)) * cut.width;
    }
    // Not defined for step 0 from the end.
    RECTO_HD const Real* coefficient(const Cut& cut, Index outer, Index i) const {
        return a + at(cut, outer, i) + (back ? cut.width : 0);
    }
};

/// Composes the steps of a block into one step (a, b), stored in `factor` and `term`, (outer, blocks, width).
struct Compose {
    Cut cut;
    Steps steps;
    Real *factor, *term;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const auto place = cut.place(row);
        const Index begin = place.block * cut.length, most = begin + cut.length;
        const Index end = most < cut.time ? most : cut.time, at = (place.outer * cut.blocks + place.block) * cut.width;
        Real *f = factor + at + place.from, *h = term + at + place.from;
        for (Index i = begin; i < end; ++i) {
            const Real* b = steps.b + steps.at(cut, place.outer, i) + place.from;
            const bool none = steps.back && i == 0;  // the first step from the end has no predecessor
            const Real* a = none ? b : steps.coefficient(cut, place.outer, i) + place.from;
            if (i == begin)
                team.each(place.count, [&](Index j) { f[j] = none ? Real(0) : a[j], h[j] = b[j]; });
            else
                team.each(place.count, [&](Index j) { f[j] *= a[j], h[j] = a[j] * h[j] + b[j]; });
        }
    }
};

/// The states before every block, from the composed steps; written over `term`.
struct Join {
    Cut cut;
    const Real *factor, *start;  // start: (outer, width) or null
    Real* term;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index outer = row / cut.strips, from = row % cut.strips * strip, left = cut.width - from;
        const Real* first = start ? start + outer * cut.width + from : nullptr;
        team.each(left < strip ? left : strip, [&](Index j) {
            Real before = first ? first[j] : 0;
            for (Index k = 0; k < cut.blocks; ++k) {
                const Index at = (outer * cut.blocks + k) * cut.width + from + j;
                // A state of 0 is not multiplied: the factor may have overflowed.
                const Real after = before == 0 ? term[at] : factor[at] * before + term[at];
                term[at] = before;
                before = after;
            }
        });
    }
};

/// Runs a block from the state before it.
struct Run {
    Cut cut;
    Steps steps;
    const Real* before;  // (outer, blocks, width), or null
    bool first;          // whether there is a state before block 0
    Real* y;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const auto place = cut.place(row);
        const Index begin = place.block * cut.length, most = begin + cut.length;
        const Index end = most < cut.time ? most : cut.time;
        const Real* h = nullptr;
        if (place.block > 0 || first) h = before + (place.outer * cut.blocks + place.block) * cut.width + place.from;
        for (Index i = begin; i < end; ++i) {
            const Index at = steps.at(cut, place.outer, i) + place.from;
            const Real* b = steps.b + at;
            Real* out = y + at;
            if (h) {
                const Real *a = steps.coefficient(cut, place.outer, i) + place.from, *old = h;
                team.each(place.count, [&](Index j) { out[j] = a[j] * old[j] + b[j]; });
            } else {
                team.each(place.count, [&](Index j) { out[j] = b[j]; });
            }
            h = out;
        }
    }
};

/// da_t = g_t h_{t-1}, and dh_0 = a_0 g_0, stored in the row of time 0.
struct CoefficientGrad {
    const Real *a, *g, *y, *start;  // start may be null
    Real *da, *dstart;
    Index time, width;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index at = row * width, first = row / time * width;
        if (row % time) return team.each(width, [&](Index j) { da[at + j] = g[at + j] * y[at + j - width]; });
        if (!start) return team.each(width, [&](Index j) { da[at + j] = 0; });
        team.each(width, [&](Index j) {
            da[at + j] = g[at + j] * start[first + j];
            dstart[first + j] = a[at + j] * g[at + j];
        });
    }
};

/// The recurrence without a tape; `start` may be undefined.
Tensor scan(const Cut& cut, const Tensor& a, const Tensor& b, const Tensor& start, bool back) {
    Tensor y = empty_like(b), before = start;
    const Steps steps{a.data(), b.data(), back};
    if (cut.blocks > 1) {
        const Shape shape{cut.outer, cut.blocks, cut.width};
        Tensor factor = empty(shape, b.device());
        before = empty(shape, b.device());
        rows(b.device(), cut.rows(), cut.length * std::min(cut.width, strip),
             Compose{cut, steps, factor.write(), before.write()});
        rows(b.device(), cut.outer * cut.strips, cut.blocks * std::min(cut.width, strip),
             Join{cut, factor.data(), start.defined() ? start.data() : nullptr, before.write()});
    }
    rows(b.device(), cut.rows(), cut.length * std::min(cut.width, strip),
         Run{cut, steps, before.defined() ? before.data() : nullptr, start.defined(), y.write()});
    return y;
}

}  // namespace

Tensor affine_scan(const Tensor& a, const Tensor& b, const Tensor& h0) {
    check(a.dim() >= 2 && a.shape() == b.shape(),
          "affine_scan: wanted two of one shape (..., time, channels), got shapes {} and {}", a.shape(), b.shape());
    const Shape state = a.shape().without(-2);
    check(!h0.defined() || h0.shape() == state, "affine_scan: wanted a first state of shape {}, got {}", state,
          h0.shape());
    check(a.device() == b.device() && (!h0.defined() || h0.device() == a.device()),
          "affine_scan: wanted all on one device, got {}, {} and {}", a.device(), b.device(),
          h0.defined() ? h0.device() : a.device());
    const Index time = a.size(-2), width = a.size(-1);
    const Cut cut(width ? state.numel() / width : 0, time, width);
    const Tensor factor = dense(a), term = dense(b), start = h0.defined() ? dense(h0) : h0;
    const Tensor y = scan(cut, factor, term, start, false);
    return record(
        "affine_scan", y, {a, b, h0},
        [cut, factor = Saved(factor), start = Saved(start), y = Saved(y),
         need = a.requires_grad() || h0.requires_grad()](const Tensor& dy) {
            const Tensor g = scan(cut, *factor, dense(dy), Tensor(), true);
            if (!need) return Grads{Tensor(), g, Tensor()};
            Tensor da = empty_like(g), dstart = start->defined() ? zeros(start->shape(), g.device()) : Tensor();
            rows(g.device(), cut.outer * cut.time, cut.width,
                 CoefficientGrad{factor->data(), g.data(), y->data(), start->defined() ? start->data() : nullptr,
                                 da.write(), start->defined() ? dstart.write() : nullptr, cut.time, cut.width});
            return Grads{da, g, dstart};
        });
}

}  // namespace RECTO
