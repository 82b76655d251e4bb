#include <recto/ops/elementwise/unary.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/activations.hpp>

namespace RECTO {
namespace {

// As in kernels/activations.hpp.
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
    RECTO_HD static Real slope(Real x) { return x > 0 ? 1 : x < 0 ? -1 : x; }  // NaN stays NaN
};
struct Negative {
    static constexpr bool slope_from_result = false;
    RECTO_HD static Real of(Real x) { return -x; }
    RECTO_HD static Real slope(Real) { return -1; }
};
struct Softplus {
    static constexpr bool slope_from_result = false;
    RECTO_HD static Real of(Real x) { return softplus(x); }
    RECTO_HD static Real slope(Real x) { return sigmoid(x); }
};

struct LeakyRelu {
    static constexpr bool slope_from_result = false;
    Real below;
    RECTO_HD Real of(Real x) const { return x > 0 ? x : below * x; }
    RECTO_HD Real slope(Real x) const { return x > 0 ? 1 : is_nan(x) ? x : below; }
};
struct Elu {
    static constexpr bool slope_from_result = false;
    Real alpha, scale = 1;
    /// e^x - 1 for x <= 0, with full precision near 0.
    RECTO_HD static Real exp_minus_1(Real x) {
        const Real t = tanh(x / 2);
        return 2 * t / (1 - t);
    }
    RECTO_HD Real of(Real x) const { return scale * (x > 0 ? x : alpha * exp_minus_1(x)); }
    RECTO_HD Real slope(Real x) const { return scale * (x > 0 ? 1 : alpha * exp(x)); }
};
struct GeluTanh {  // (1 + tanh u) / 2 is sigmoid(2 u)
    static constexpr bool slope_from_result = false;
    static constexpr Real twice = Real(1.5957691216057308), cube = Real(0.044715);  // 2 sqrt(2 / pi)
    RECTO_HD static Real of(Real x) {
        const Real near = within_40(x), a = abs(near);
        return (x < 0 ? 0 : x) - a * sigmoid(-twice * a * (1 + cube * a * a));
    }
    RECTO_HD static Real slope(Real x) {
        const Real a = within_40(x), square = a * a, s = sigmoid(twice * a * (1 + cube * square));
        return s + a * s * (1 - s) * twice * (1 + 3 * cube * square);
    }
};
struct Clamp {
    static constexpr bool slope_from_result = false;
    Real low, high;
    RECTO_HD Real of(Real x) const { return x < low ? low : x > high ? high : x; }
    RECTO_HD Real slope(Real x) const { return x < low || x > high ? 0 : is_nan(x) ? x : 1; }
};

/// y = f(x)
template <class F>
struct Map {
    F f;
    const Real* x;
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = f.of(x[i]); }
};

/// dx = dy f'
template <class F>
struct MapGrad {
    F f;
    const Real *at, *dy;
    Real* dx;
    RECTO_HD void operator()(Index i) const { dx[i] = dy[i] * f.slope(at[i]); }
};

using activations::Tanh, activations::Sigmoid, activations::Relu, activations::Gelu, activations::Silu;

template <class F>
Tensor map(const char* name, const Tensor& x, F f = {}) {
    check_defined(name, x);
    const Tensor in = dense(x);
    Tensor y = empty_like(x);
    each(x.device(), x.numel(), Map<F>{f, in.data(), y.write()});
    return record(name, y, {x}, [f, at = Saved(F::slope_from_result ? y : in)](const Tensor& dy) {
        const Tensor g = dense(dy);
        Tensor dx = over(dy, g);
        each(g.device(), g.numel(), MapGrad<F>{f, at->data(), g.data(), dx.write()});
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
Tensor leaky_relu(const Tensor& x, double slope) { return map<LeakyRelu>("leaky_relu", x, {Real(slope)}); }
Tensor elu(const Tensor& x, double alpha) { return map<Elu>("elu", x, {Real(alpha)}); }
Tensor selu(const Tensor& x) { return map<Elu>("selu", x, {Real(1.6732632423543772), Real(1.0507009873554805)}); }
Tensor gelu(const Tensor& x) { return map<Gelu>("gelu", x); }
Tensor gelu_tanh(const Tensor& x) { return map<GeluTanh>("gelu_tanh", x); }
Tensor silu(const Tensor& x) { return map<Silu>("silu", x); }
Tensor clamp(const Tensor& x, double low, double high) {
    check(low <= high, "clamp: wanted low at most high, got {} and {}", low, high);
    return map<Clamp>("clamp", x, {Real(low), Real(high)});
}

}  // namespace RECTO
