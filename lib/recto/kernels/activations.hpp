#pragma once
/// @file
/// Activation functions for kernels. Each has its value and its derivative, slope(), computed from x, or from y = f(x)
/// where that is simpler.
#include <recto/base/math.hpp>

namespace RECTO::activations {

/// The identity, f(x) = x.
struct Identity {
    static constexpr bool slope_from_result = true;  ///< whether slope() takes y instead of x
    RECTO_HD static Real of(Real x) { return x; }    ///< f(x)
    RECTO_HD static Real slope(Real) { return 1; }   ///< f'
};
/// tanh(x).
struct Tanh {
    static constexpr bool slope_from_result = true;           ///< whether slope() takes y instead of x
    RECTO_HD static Real of(Real x) { return tanh(x); }       ///< f(x)
    RECTO_HD static Real slope(Real y) { return 1 - y * y; }  ///< f'
};
/// 1 / (1 + e^-x).
struct Sigmoid {
    static constexpr bool slope_from_result = true;             ///< whether slope() takes y instead of x
    RECTO_HD static Real of(Real x) { return sigmoid(x); }      ///< f(x)
    RECTO_HD static Real slope(Real y) { return y * (1 - y); }  ///< f'
};
/// max(x, 0).
struct Relu {
    static constexpr bool slope_from_result = true;               ///< whether slope() takes y instead of x
    RECTO_HD static Real of(Real x) { return max(x, Real(0)); }   ///< f(x)
    RECTO_HD static Real slope(Real y) { return y > 0 ? 1 : y; }  ///< f'; NaN stays NaN
};
/// x P(Z <= x).
struct Gelu {
    static constexpr bool slope_from_result = false;              ///< whether slope() takes y instead of x
    RECTO_HD static Real of(Real x) { return gelu(x); }           ///< f(x)
    RECTO_HD static Real slope(Real x) { return gelu_slope(x); }  ///< f'
};
/// x / (1 + e^-x).
struct Silu {
    static constexpr bool slope_from_result = false;     ///< whether slope() takes y instead of x
    RECTO_HD static Real of(Real x) { return silu(x); }  ///< f(x)
    /// f'
    RECTO_HD static Real slope(Real x) {
        const Real s = sigmoid(x), near = x > 800 ? 800 : x < -800 ? -800 : x;
        return s + near * s * (1 - s);
    }
};

}  // namespace RECTO::activations
