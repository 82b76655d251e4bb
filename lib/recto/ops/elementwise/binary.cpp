#include <recto/ops/elementwise/binary.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/base/walk.hpp>
#include <recto/device/launch.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {
namespace {

struct Add {
    RECTO_HD static Real of(Real a, Real b) { return a + b; }
};
struct Sub {
    RECTO_HD static Real of(Real a, Real b) { return a - b; }
};
struct Mul {
    RECTO_HD static Real of(Real a, Real b) { return a * b; }
};
struct Div {
    RECTO_HD static Real of(Real a, Real b) { return a / b; }
};
struct Larger {
    RECTO_HD static Real of(Real a, Real b) { return max(a, b); }
};
struct Smaller {
    RECTO_HD static Real of(Real a, Real b) { return min(a, b); }
};
/// The part of the gradient that maximum() passes to its first argument: all, nothing, or half if both are equal.
struct FirstIsLarger {
    RECTO_HD static Real of(Real a, Real b) { return a > b || is_nan(a) ? 1 : a == b ? Real(0.5) : 0; }
};
/// The same part for minimum().
struct FirstIsSmaller {
    RECTO_HD static Real of(Real a, Real b) { return a < b || is_nan(a) ? 1 : a == b ? Real(0.5) : 0; }
};

/// y = f(a, b); within a piece, each input is dense, a single number, or (rarely) has gaps.
template <class F>
struct Pairwise {
    const Real *a, *b;
    Real* y;
    Walk<3> walk;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index number) const {
        const auto piece = walk.piece(number);
        const Real *u = a + piece.at[0], *v = b + piece.at[1];
        Real* out = y + piece.at[2];
        const Index u_step = walk.step(0), v_step = walk.step(1), n = piece.count;
        const Real u0 = *u, v0 = *v;
        if (u_step == 1 && v_step == 1)
            team.each(n, [&](Index j) { out[j] = F::of(u[j], v[j]); });
        else if (u_step == 1 && v_step == 0)
            team.each(n, [&](Index j) { out[j] = F::of(u[j], v0); });
        else if (u_step == 0 && v_step == 1)
            team.each(n, [&](Index j) { out[j] = F::of(u0, v[j]); });
        else
            team.each(n, [&](Index j) { out[j] = F::of(u[j * u_step], v[j * v_step]); });
    }
};

template <class F>
Tensor pairwise(const char* name, const Tensor& a, const Tensor& b) {
    check_defined(name, a, b);
    check(a.device() == b.device(), "{}: wanted both on one device, got {} and {}", name, a.device(), b.device());
    const Shape shape = broadcast(a.shape(), b.shape(), name);
    Tensor y = empty(shape, a.device());
    const Walk<3> walk(shape, {stretched_strides(a, shape), stretched_strides(b, shape), y.strides()});
    rows(a.device(), walk.pieces(), walk.width(), Pairwise<F>{a.data(), b.data(), y.write(), walk});
    return y;
}

/// y = a where the mask is not 0, otherwise b.
struct Where {
    const Real *mask, *a, *b;
    Real* y;
    Walk<4> walk;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index number) const {
        const auto piece = walk.piece(number);
        const Real *m = mask + piece.at[0], *u = a + piece.at[1], *v = b + piece.at[2];
        Real* out = y + piece.at[3];
        const Index m_step = walk.step(0), u_step = walk.step(1), v_step = walk.step(2);
        if (m_step == 1 && u_step == 1 && v_step == 1)
            team.each(piece.count, [&](Index j) { out[j] = m[j] != 0 ? u[j] : v[j]; });
        else
            team.each(piece.count, [&](Index j) { out[j] = m[j * m_step] != 0 ? u[j * u_step] : v[j * v_step]; });
    }
};

Tensor chosen(const Tensor& mask, const Tensor& a, const Tensor& b, const Shape& shape) {
    Tensor y = empty(shape, a.device());
    const Walk<4> walk(
        shape, {stretched_strides(mask, shape), stretched_strides(a, shape), stretched_strides(b, shape), y.strides()});
    rows(a.device(), walk.pieces(), walk.width(), Where{mask.data(), a.data(), b.data(), y.write(), walk});
    return y;
}

/// Passes a gradient of the result's shape back to the two inputs.
struct Sides {
    Shape a, b;
    bool a_wants, b_wants;
    Sides(const Tensor& a, const Tensor& b)
        : a(a.shape()), b(b.shape()), a_wants(a.requires_grad()), b_wants(b.requires_grad()) {}
    /// Computes only the required gradients, and sums over the axes along which an input was broadcast.
    template <class A, class B>
    Grads grads(const A& da, const B& db) const {
        return {a_wants ? sum_to(da(), a) : Tensor(), b_wants ? sum_to(db(), b) : Tensor()};
    }
};

Tensor constant(const char* name, double value, const Tensor& like) {
    check_defined(name, like);
    return full(Shape{}, Real(value), like.device());
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
    return record("add", pairwise<Add>("add", a, b), {a, b}, [sides = Sides(a, b)](const Tensor& dy) {
        return sides.grads([&] { return dy; }, [&] { return dy; });
    });
}
Tensor sub(const Tensor& a, const Tensor& b) {
    return record("sub", pairwise<Sub>("sub", a, b), {a, b}, [sides = Sides(a, b)](const Tensor& dy) {
        return sides.grads([&] { return dy; }, [&] { return -dy; });
    });
}
Tensor mul(const Tensor& a, const Tensor& b) {
    return record("mul", pairwise<Mul>("mul", a, b), {a, b},
                  [sides = Sides(a, b), a = Saved(a), b = Saved(b)](const Tensor& dy) {
                      return sides.grads([&] { return dy * *b; }, [&] { return dy * *a; });
                  });
}
Tensor div(const Tensor& a, const Tensor& b) {
    const Tensor y = pairwise<Div>("div", a, b);
    return record("div", y, {a, b}, [sides = Sides(a, b), y = Saved(y), b = Saved(b)](const Tensor& dy) {
        return sides.grads([&] { return dy / *b; }, [&] { return -(dy * *y / *b); });
    });
}

namespace {
/// maximum and minimum: the gradient goes to the larger or smaller number, half to each if both are equal.
template <class Value, class FirstTaken>
Tensor one_of(const char* name, const Tensor& a, const Tensor& b) {
    return record(name, pairwise<Value>(name, a, b), {a, b},
                  [name, sides = Sides(a, b), a = Saved(a), b = Saved(b)](const Tensor& dy) {
                      const Tensor first = pairwise<FirstTaken>(name, *a, *b);
                      return sides.grads([&] { return dy * first; }, [&] { return dy * (1 - first); });
                  });
}
}  // namespace

Tensor maximum(const Tensor& a, const Tensor& b) { return one_of<Larger, FirstIsLarger>("maximum", a, b); }
Tensor minimum(const Tensor& a, const Tensor& b) { return one_of<Smaller, FirstIsSmaller>("minimum", a, b); }

Tensor where(const Tensor& mask, const Tensor& a, const Tensor& b) {
    check_defined("where", mask, a, b);
    check(mask.device() == a.device() && a.device() == b.device(), "where: wanted all on one device, got {}, {} and {}",
          mask.device(), a.device(), b.device());
    const Shape shape = broadcast(broadcast(mask.shape(), a.shape(), "where"), b.shape(), "where");
    return record("where", chosen(mask, a, b, shape), {a, b}, [sides = Sides(a, b), m = Saved(mask)](const Tensor& dy) {
        // Selected, not multiplied: elements that are not selected may be NaN.
        const Tensor zero = constant("where", 0, dy);
        return sides.grads([&] { return chosen(*m, dy, zero, dy.shape()); },
                           [&] { return chosen(*m, zero, dy, dy.shape()); });
    });
}

Tensor add(const Tensor& a, double b) { return add(a, constant("add", b, a)); }
Tensor sub(const Tensor& a, double b) { return sub(a, constant("sub", b, a)); }
Tensor sub(double a, const Tensor& b) { return sub(constant("sub", a, b), b); }
Tensor mul(const Tensor& a, double b) { return mul(a, constant("mul", b, a)); }
Tensor div(const Tensor& a, double b) { return div(a, constant("div", b, a)); }
Tensor div(double a, const Tensor& b) { return div(constant("div", a, b), b); }
Tensor maximum(const Tensor& a, double b) { return maximum(a, constant("maximum", b, a)); }
Tensor minimum(const Tensor& a, double b) { return minimum(a, constant("minimum", b, a)); }

}  // namespace RECTO
