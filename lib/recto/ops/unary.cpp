#include <recto/ops/unary.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/core/launch.hpp>

namespace RECTO {
namespace {

// A function says what it is, and its slope: from x, or from y = f(x) where that is simpler.
struct Exp {
    static constexpr bool slope_from_result = true;
    RECTO_HD static Real of(Real x) { return exp(x); }
    RECTO_HD static Real slope(Real y) { return y; }
};
struct Log {
    static constexpr bool slope_from_result = false;
    RECTO_HD static Real of(Real x) { return log(x); }
    RECTO_HD static Real slope(Real x) { return 1 / x; }
};
struct Sqrt {
    static constexpr bool slope_from_result = true;
    RECTO_HD static Real of(Real x) { return sqrt(x); }
    RECTO_HD static Real slope(Real y) { return Real(0.5) / y; }
};
struct Square {
    static constexpr bool slope_from_result = false;
    RECTO_HD static Real of(Real x) { return x * x; }
    RECTO_HD static Real slope(Real x) { return 2 * x; }
};
struct Abs {
    static constexpr bool slope_from_result = false;
    RECTO_HD static Real of(Real x) { return abs(x); }
    RECTO_HD static Real slope(Real x) { return x > 0 ? 1 : x < 0 ? -1 : x; }  // NaN stays
};
struct Negative {
    static constexpr bool slope_from_result = false;
    RECTO_HD static Real of(Real x) { return -x; }
    RECTO_HD static Real slope(Real) { return -1; }
};
struct Tanh {
    static constexpr bool slope_from_result = true;
    RECTO_HD static Real of(Real x) { return tanh(x); }
    RECTO_HD static Real slope(Real y) { return 1 - y * y; }
};
struct Sigmoid {
    static constexpr bool slope_from_result = true;
    RECTO_HD static Real of(Real x) { return sigmoid(x); }
    RECTO_HD static Real slope(Real y) { return y * (1 - y); }
};
struct Relu {
    static constexpr bool slope_from_result = true;
    RECTO_HD static Real of(Real x) { return max(x, Real(0)); }
    RECTO_HD static Real slope(Real y) { return y > 0 ? 1 : y; }  // NaN stays
};
struct Softplus {
    static constexpr bool slope_from_result = false;
    RECTO_HD static Real of(Real x) { return softplus(x); }
    RECTO_HD static Real slope(Real x) { return sigmoid(x); }
};

/// y = f(x)
template <class F>
struct Map {
    const Real* x;
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = F::of(x[i]); }
};

/// dx = dy f'
template <class F>
struct MapGrad {
    const Real *at, *dy;
    Real* dx;
    RECTO_HD void operator()(Index i) const { dx[i] = dy[i] * F::slope(at[i]); }
};

template <class F>
Tensor map(const char* name, const Tensor& x) {
    const Tensor in = dense(x);
    Tensor y = empty_like(x);
    each(x.device(), x.size(), Map<F>{in.data(), y.write()});
    return record(name, y, {x}, [at = F::slope_from_result ? y : in](const Tensor& dy) {
        const Tensor g = dense(dy);
        Tensor dx = empty_like(g);
        each(g.device(), g.size(), MapGrad<F>{at.data(), g.data(), dx.write()});
        return Grads{dx};
    });
}

}  // namespace

Tensor exp(const Tensor& x) { return map<Exp>("exp", x); }
Tensor log(const Tensor& x) { return map<Log>("log", x); }
Tensor sqrt(const Tensor& x) { return map<Sqrt>("sqrt", x); }
Tensor square(const Tensor& x) { return map<Square>("square", x); }
Tensor abs(const Tensor& x) { return map<Abs>("abs", x); }
Tensor negative(const Tensor& x) { return map<Negative>("negative", x); }
Tensor tanh(const Tensor& x) { return map<Tanh>("tanh", x); }
Tensor sigmoid(const Tensor& x) { return map<Sigmoid>("sigmoid", x); }
Tensor relu(const Tensor& x) { return map<Relu>("relu", x); }
Tensor softplus(const Tensor& x) { return map<Softplus>("softplus", x); }

}  // namespace RECTO
