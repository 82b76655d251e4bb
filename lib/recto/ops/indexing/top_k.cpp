#include <recto/ops/indexing/top_k.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/along_axis.hpp>

namespace RECTO {
namespace {

/// Keeps the places of the k largest of a line sorted, and inserts every number that exceeds the last of them.
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

}  // namespace

TopK top_k(const Tensor& x, Index k, int axis) {
    check(x.dim() >= 1, "top_k: wanted at least one axis, got shape {}", x.shape());
    const int a = x.shape().axis(axis, "top_k");
    check(0 <= k && k <= x.shape()[a], "top_k: wanted from 0 to {} along axis {} of shape {}, got {}", x.shape()[a], a,
          x.shape(), k);
    Integers places(x.shape().with(a, k), x.device());
    const AlongAxis along(x.shape(), places.shape(), a);
    const Tensor in = dense(x);
    if (k > 0) each(x.device(), along.lines, Select{in.data(), places.write(), along.whole, along.part});
    return {record("top_k", picked(in, places, along), {x},
                   [places = Saved(places), along, shape = x.shape()](const Tensor& dy) {
                       return Grads{added(zeros(shape, dy.device()), *places, dense(dy), along)};
                   }),
            places};
}

}  // namespace RECTO
