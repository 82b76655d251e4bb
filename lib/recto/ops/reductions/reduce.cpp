#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>

#include <recto/autograd/tape.hpp>
#include <recto/base/axes.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/fold_rows.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {
namespace {

struct Add {
    static constexpr Real start = 0;
    RECTO_HD static Real join(Real a, Real b) { return a + b; }
    template <class Team, class F>
    RECTO_HD static Real row(const Team& team, Index n, const F& f) {
        return team.sum(n, f);
    }
};
struct Larger {
    static constexpr Real start = -infinity;
    RECTO_HD static Real join(Real a, Real b) { return max(a, b); }
    template <class Team, class F>
    RECTO_HD static Real row(const Team& team, Index n, const F& f) {
        return team.max(n, f);
    }
};

struct Smaller {
    static constexpr Real start = infinity;
    RECTO_HD static Real join(Real a, Real b) { return min(a, b); }
    template <class Team, class F>
    RECTO_HD static Real row(const Team& team, Index n, const F& f) {
        return -team.max(n, [&](Index j) { return -f(j); });
    }
};

constexpr Index block_in_row = 1024, block_of_rows = 64;

/// x (outer, n) to y (outer, blocks): each block of a row is reduced to one number.
template <class Fold>
struct FoldRows {
    const Real* x;
    Real* y;
    Index n, blocks;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index at) const {
        const Index row = at / blocks, begin = (at - row * blocks) * block_in_row, left = n - begin;
        const Real* in = x + row * n + begin;
        y[at] = Fold::row(team, left < block_in_row ? left : block_in_row, [&](Index j) { return in[j]; });
    }
};

/// x (outer, n, inner) to y (outer, blocks, inner): each block of rows is reduced to one row, strip by strip.
template <class Fold>
struct FoldColumns {
    const Real* x;
    Real* y;
    Index n, inner, blocks, strip, strips;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index at) const {
        const Index row = at / strips, from = (at - row * strips) * strip;
        const Index outer = row / blocks, begin = (row - outer * blocks) * block_of_rows;
        const Index left = n - begin, count = left < block_of_rows ? left : block_of_rows;
        const Index width = inner - from < strip ? inner - from : strip;
        const Real* in = x + (outer * n + begin) * inner + from;
        fold_rows(
            team, count, width, Fold::start, y + row * inner + from,
            [&](Index i, Index j) { return in[i * inner + j]; }, [](Real a, Real b) { return Fold::join(a, b); });
    }
};

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// Reduces one run, block by block, until one block is left.
template <class Fold>
Tensor fold(const Tensor& x, Run run) {
    const auto [outer, n, inner] = run;
    if (n == 0) return full({outer, inner}, Fold::start, x.device());
    const Index blocks = ceil_div(n, inner == 1 ? block_in_row : block_of_rows), strip = columns_of_team(x.device()),
                strips = ceil_div(inner, strip);
    Tensor y = empty({outer * blocks, inner}, x.device());
    if (inner == 1)
        rows(x.device(), outer * blocks, std::min(n, block_in_row), FoldRows<Fold>{x.data(), y.write(), n, blocks});
    else
        rows(x.device(), outer * blocks * strips, std::min(n, block_of_rows) * std::min(inner, strip),
             FoldColumns<Fold>{x.data(), y.write(), n, inner, blocks, strip, strips});
    return blocks == 1 ? y : fold<Fold>(y, {outer, blocks, inner});
}

Tensor shaped(const Tensor& y, const Shape& shape) { return y.view(shape, shape.strides(), 0); }

/// `x` reduced along the chosen axes, which stay with extent 1; without a tape.
template <class Fold>
Tensor folded(const Tensor& x, const ChosenAxes& chosen) {
    Tensor y = dense(x);
    for (const Run& run : chosen.runs(x.shape())) y = fold<Fold>(y, run);
    return shaped(y, chosen.result(x.shape(), true));
}

/// The axes named by the caller of `op`.
ChosenAxes named(const char* op, const Tensor& x, std::span<const int> axes) {
    check_defined(op, x);
    return ChosenAxes(op, x.shape(), axes);
}

Tensor sum(const Tensor& x, const ChosenAxes& chosen, Keep keep) {
    check_defined("sum", x);
    const Shape shape = x.shape();
    return record(
        "sum", shaped(folded<Add>(x, chosen), chosen.result(shape, keep == Keep::yes)), {x},
        [shape, chosen](const Tensor& dy) { return Grads{expand(reshape(dy, chosen.result(shape, true)), shape)}; });
}

Tensor mean(const Tensor& x, const ChosenAxes& chosen, Keep keep) {
    check_defined("mean", x);
    const Shape shape = x.shape();
    const double n = double(chosen.together(shape));
    return record("mean", shaped(folded<Add>(x, chosen) / n, chosen.result(shape, keep == Keep::yes)), {x},
                  [=](const Tensor& dy) { return Grads{expand(reshape(dy / n, chosen.result(shape, true)), shape)}; });
}

/// The index along the middle axis of (outer, n, inner) of the first largest or smallest number, or of the first NaN.
template <class Fold>
struct First {
    const Real* x;
    Run run;
    RECTO_HD Index operator()(Index at) const {
        const Real* in = x + first(at);
        Index place = 0;
        for (Index i = 1; i < run.n; ++i) {
            const Real v = in[i * run.inner], best = in[place * run.inner];
            if (!is_nan(best) && (is_nan(v) || (v != best && Fold::join(v, best) == v))) place = i;
        }
        return place;
    }
    /// The position of element 0 of the middle axis for result `at`.
    RECTO_HD Index first(Index at) const { return at / run.inner * run.n * run.inner + at % run.inner; }
};
template <class Fold>
struct Place {
    First<Fold> place;
    Index* y;
    RECTO_HD void operator()(Index at) const { y[at] = place(at); }
};
/// dy goes entirely to the first largest or smallest number.
template <class Fold>
struct ToFirst {
    First<Fold> place;
    const Real* dy;
    Real* dx;
    RECTO_HD void operator()(Index at) const { dx[place.first(at) + place(at) * place.run.inner] = dy[at]; }
};

/// Computes max or min.
template <class Fold>
Tensor extreme(const char* name, const Tensor& x, const ChosenAxes& chosen, Keep keep) {
    check_defined(name, x);
    for (int i = 0; i < x.dim(); ++i)
        check(!chosen.axis[std::size_t(i)] || x.shape()[i] > 0,
              "{}: wanted at least one number along axis {}, got shape {}", name, i, x.shape());
    // One step on the tape for each run: repeated selection of the first largest yields the first largest of all.
    Tensor y = x;
    for (const Run& run : chosen.runs(x.shape())) {
        const Tensor in = dense(y);
        y = record(name, fold<Fold>(in, run), {y}, [in = Saved(in), run](const Tensor& dy) {
            Tensor dx = zeros(in->shape(), dy.device());
            const Tensor g = dense(dy);
            each(g.device(), g.numel(), ToFirst<Fold>{{in->data(), run}, g.data(), dx.write()});
            return Grads{dx};
        });
    }
    return reshape(y, chosen.result(x.shape(), keep == Keep::yes));
}

/// Computes argmax or argmin.
template <class Fold>
Integers place_of(const char* op, const Tensor& x, int axis) {
    check_defined(op, x);
    const int a = x.shape().axis(axis, op);
    check(x.shape()[a] > 0, "{}: wanted at least one number along axis {}, got shape {}", op, a, x.shape());
    ChosenAxes chosen;
    chosen.axis[std::size_t(a)] = true;
    const Tensor in = dense(x);
    Integers y(x.shape().without(a), x.device());
    each(x.device(), y.numel(), Place<Fold>{{in.data(), chosen.runs(x.shape())[0]}, y.write()});
    return y;
}

/// 0 in place of infinities and NaN, so that nothing is subtracted for these.
struct FiniteOrZero {
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = y[i] - y[i] == 0 ? y[i] : 0; }
};

Tensor logsumexp(const Tensor& x, const ChosenAxes& chosen, Keep keep) {
    check_defined("logsumexp", x);
    const Tensor in = x.detach();
    Tensor shift = clone(folded<Larger>(in, chosen));
    each(x.device(), shift.numel(), FiniteOrZero{shift.write()});
    const Tensor y = log(folded<Add>(exp(in - shift), chosen)) + shift;
    return record(
        "logsumexp", shaped(y, chosen.result(x.shape(), keep == Keep::yes)), {x},
        [in = Saved(in), y = Saved(y)](const Tensor& dy) { return Grads{exp(*in - *y) * reshape(dy, y->shape())}; });
}

}  // namespace

Tensor sum(const Tensor& x) { return sum(x, ChosenAxes::all(), Keep::no); }
Tensor sum(const Tensor& x, std::span<const int> axes, Keep keep) { return sum(x, named("sum", x, axes), keep); }
Tensor sum(const Tensor& x, std::initializer_list<int> axes, Keep keep) { return sum(x, std::span(axes), keep); }
Tensor mean(const Tensor& x) { return mean(x, ChosenAxes::all(), Keep::no); }
Tensor mean(const Tensor& x, std::span<const int> axes, Keep keep) { return mean(x, named("mean", x, axes), keep); }
Tensor mean(const Tensor& x, std::initializer_list<int> axes, Keep keep) { return mean(x, std::span(axes), keep); }
Tensor max(const Tensor& x) { return extreme<Larger>("max", x, ChosenAxes::all(), Keep::no); }
Tensor max(const Tensor& x, std::span<const int> axes, Keep keep) {
    return extreme<Larger>("max", x, named("max", x, axes), keep);
}
Tensor max(const Tensor& x, std::initializer_list<int> axes, Keep keep) { return max(x, std::span(axes), keep); }
Tensor min(const Tensor& x) { return extreme<Smaller>("min", x, ChosenAxes::all(), Keep::no); }
Tensor min(const Tensor& x, std::span<const int> axes, Keep keep) {
    return extreme<Smaller>("min", x, named("min", x, axes), keep);
}
Tensor min(const Tensor& x, std::initializer_list<int> axes, Keep keep) { return min(x, std::span(axes), keep); }
Tensor logsumexp(const Tensor& x) { return logsumexp(x, ChosenAxes::all(), Keep::no); }
Tensor logsumexp(const Tensor& x, std::span<const int> axes, Keep keep) {
    return logsumexp(x, named("logsumexp", x, axes), keep);
}
Tensor logsumexp(const Tensor& x, std::initializer_list<int> axes, Keep keep) {
    return logsumexp(x, std::span(axes), keep);
}

Integers argmax(const Tensor& x, int axis) { return place_of<Larger>("argmax", x, axis); }
Integers argmin(const Tensor& x, int axis) { return place_of<Smaller>("argmin", x, axis); }

Tensor sum_to(const Tensor& x, const Shape& shape) {
    check_defined("sum_to", x);
    if (shape == x.shape()) return x;
    check(broadcast(shape, x.shape(), "sum_to") == x.shape(), "sum_to: wanted a shape that stretches to {}, got {}",
          x.shape(), shape);
    ChosenAxes chosen;
    const int more = x.dim() - shape.dim();
    for (int i = 0; i < x.dim(); ++i) chosen.axis[std::size_t(i)] = i < more || shape[i - more] != x.shape()[i];
    return reshape(sum(x, chosen, Keep::no), shape);
}

}  // namespace RECTO
