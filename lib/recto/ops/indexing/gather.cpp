#include <recto/ops/indexing/gather.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// The lines along the middle axis of (outer, n, inner): number i of line l.
struct Lines {
    Index n, inner;
    RECTO_HD bool holds(Index i) const { return i >= 0 && i < n; }  // check_labels may not have spoken yet
    RECTO_HD Index operator()(Index line, Index i) const {
        const Index outer = line / inner;
        return (outer * n + i) * inner + (line - outer * inner);
    }
};

struct Pick {
    const Real* x;
    const Index* places;
    Real* y;
    Lines from, to;
    RECTO_HD void operator()(Index line) const {
        for (Index i = 0; i < to.n; ++i) {
            const Index at = to(line, i);
            y[at] = from.holds(places[at]) ? x[from(line, places[at])] : not_a_number;
        }
    }
};

/// One line is one lane's work, from first to last: no two ever add to one place.
struct AddAt {
    const Real* values;
    const Index* places;
    Real* y;
    Lines from, to;
    RECTO_HD void operator()(Index line) const {
        for (Index i = 0; i < from.n; ++i) {
            const Index at = from(line, i);
            if (to.holds(places[at])) y[to(line, places[at])] += values[at];
        }
    }
};

/// Keeps the places of the k best of a line sorted, and lets every number that beats the last of them sink in.
struct Select {
    const Real* x;
    Index* places;
    Lines from, to;
    RECTO_HD static bool beats(Real a, Real b) { return a > b || (is_nan(a) && !is_nan(b)); }
    RECTO_HD void operator()(Index line) const {
        for (Index i = 0, kept = 0; i < from.n; ++i) {
            const Real v = x[from(line, i)];
            Index at = kept < to.n ? kept++ : to.n;
            if (at == to.n && !beats(v, x[from(line, places[to(line, at - 1)])])) continue;
            for (at = at == to.n ? at - 1 : at; at > 0; --at) {
                const Index before = places[to(line, at - 1)];
                if (!beats(v, x[from(line, before)])) break;
                places[to(line, at)] = before;
            }
            places[to(line, at)] = i;
        }
    }
};

/// What gather and scatter_add are asked to do.
struct Plan {
    Index lines;
    Lines whole, part;
    Plan(const Shape& x, const Shape& places, int axis) {
        Index outer = 1, inner = 1;
        for (int i = 0; i < x.dim(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : x[i];
        lines = outer * inner;
        whole = {x[axis], inner};
        part = {places[axis], inner};
    }
};

Plan plan(const char* op, const Tensor& x, int axis, const Integers& places) {
    check_defined(op, x, places);
    check(x.dim() >= 1, "{}: wanted at least one axis, got shape {}", op, x.shape());
    const int a = x.shape().axis(axis, op);
    check(places.dim() == x.dim() && places.shape().with(a, 0) == x.shape().with(a, 0),
          "{}: wanted places of the shape {} but for axis {}, got {}", op, x.shape(), a, places.shape());
    check(x.device() == places.device(), "{}: wanted all on one device, got {} and {}", op, x.device(),
          places.device());
    check_labels(places, x.shape()[a], op);
    return {x.shape(), places.shape(), a};
}

Tensor picked(const Tensor& x, const Integers& places, const Plan& p) {
    Tensor y = empty(places.shape(), x.device());
    each(x.device(), p.lines, Pick{x.data(), places.data(), y.write(), p.whole, p.part});
    return y;
}

/// Adds to `y`, which is dense.
Tensor added(Tensor y, const Integers& places, const Tensor& values, const Plan& p) {
    each(y.device(), p.lines, AddAt{values.data(), places.data(), y.write(), p.part, p.whole});
    return y;
}

}  // namespace

Tensor gather(const Tensor& x, int axis, const Integers& places) {
    const Plan p = plan("gather", x, axis, places);
    return record("gather", picked(dense(x), places, p), {x},
                  [places = Saved(places), p, shape = x.shape()](const Tensor& dy) {
                      return Grads{added(zeros(shape, dy.device()), *places, dense(dy), p)};
                  });
}

Tensor scatter_add(const Tensor& x, int axis, const Integers& places, const Tensor& values) {
    check_defined("scatter_add", values);
    const Plan p = plan("scatter_add", x, axis, places);
    check(values.shape() == places.shape(), "scatter_add: wanted as many values as places, got shapes {} and {}",
          values.shape(), places.shape());
    check(values.device() == x.device(), "scatter_add: wanted all on one device, got {} and {}", x.device(),
          values.device());
    return record("scatter_add", added(clone(x.detach()), places, dense(values), p), {x, values},
                  [places = Saved(places), p, wanted = values.requires_grad()](const Tensor& dy) {
                      return Grads{dy, wanted ? picked(dense(dy), *places, p) : Tensor()};
                  });
}

TopK top_k(const Tensor& x, Index k, int axis) {
    check(x.dim() >= 1, "top_k: wanted at least one axis, got shape {}", x.shape());
    const int a = x.shape().axis(axis, "top_k");
    check(0 <= k && k <= x.shape()[a], "top_k: wanted from 0 to {} along axis {} of shape {}, got {}", x.shape()[a], a,
          x.shape(), k);
    Integers places(x.shape().with(a, k), x.device());
    const Plan p(x.shape(), places.shape(), a);
    const Tensor in = dense(x);
    if (k > 0) each(x.device(), p.lines, Select{in.data(), places.write(), p.whole, p.part});
    return {record("top_k", picked(in, places, p), {x},
                   [places = Saved(places), p, shape = x.shape()](const Tensor& dy) {
                       return Grads{added(zeros(shape, dy.device()), *places, dense(dy), p)};
                   }),
            places};
}

}  // namespace RECTO
