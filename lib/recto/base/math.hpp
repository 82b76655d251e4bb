#pragma once
/// @file
/// Scalar functions that give the same results in a CPU loop and in a CUDA thread, in Real precision.
///
/// Kernels call `exp(x)`, never `std::exp`. For float they are polynomials with every fused multiply-add written out,
/// so that a loop over them becomes vector instructions and its bits do not depend on the compiler; for double they are
/// the C library's. Functions that `cmath` has in the global namespace are templates here: after `using namespace
/// recto`, a call with a double matches both, and C++ prefers the function that is not a template.
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include <recto/base/config.hpp>

namespace RECTO {

inline constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();  ///< NaN
inline constexpr Real infinity = std::numeric_limits<Real>::infinity();       ///< +inf

/// a * b + c, rounded once.
template <std::same_as<float> Number>
RECTO_HD inline float fma(Number a, Number b, Number c) {
    return __builtin_fmaf(a, b, c);
}
/// a * b + c, rounded once.
template <std::same_as<double> Number>
RECTO_HD inline double fma(Number a, Number b, Number c) {
    return __builtin_fma(a, b, c);
}
/// Square root, correctly rounded.
template <std::same_as<float> Number>
RECTO_HD inline float sqrt(Number x) {
    return __builtin_sqrtf(x);
}
/// Square root, correctly rounded.
template <std::same_as<double> Number>
RECTO_HD inline double sqrt(Number x) {
    return __builtin_sqrt(x);
}
/// Magnitude.
template <std::floating_point Number>
RECTO_HD inline Number abs(Number x) {
    return x < 0 ? -x : x == 0 ? Number(0) : x;
}
/// Whether this is NaN.
RECTO_HD inline bool is_nan(Real x) { return x != x; }
/// The larger of two numbers; NaN if either is NaN.
RECTO_HD inline Real max(Real a, Real b) { return a > b || is_nan(a) ? a : b; }
/// The smaller of two numbers; NaN if either is NaN.
RECTO_HD inline Real min(Real a, Real b) { return a < b || is_nan(a) ? a : b; }

/// e to the x, within 1.013 units in the last place (all floats tried); the coefficients are a minimax fit on |r| <= ln 2 / 2.
template <std::same_as<float> Number>
RECTO_HD inline float exp(Number x) {
    const bool low = x < -104.f;  // NaN passes; as two tests, each is one instruction
    const bool high = x > 89.f;
    x = low ? -104.f : x;
    x = high ? 89.f : x;
    const float shifted = fma(x, 1.44269504f, 12582912.f);             // adding 1.5 * 2^23 rounds to an integer ...
    const auto n = std::bit_cast<std::int32_t>(shifted) - 0x4B400000;  // ... in the low bits
    const float whole = shifted - 12582912.f;
    const float r = fma(whole, -1.42860682e-6f, fma(whole, -0.693145752f, x));
    float p = fma(1.9875691500e-4f, r, 1.3981999507e-3f);
    p = fma(p, r, 8.3334519073e-3f);
    p = fma(p, r, 4.1665795894e-2f);
    p = fma(p, r, 1.6666665459e-1f);
    p = fma(p, r, 5.0000001201e-1f);
    p = fma(p, r * r, r) + 1.f;
    const std::int32_t half = n >> 1;  // 2^n in two steps: subnormal and huge results stay right
    return p * std::bit_cast<float>((half + 127) << 23) * std::bit_cast<float>((n - half + 127) << 23);
}
/// e to the x.
template <std::same_as<double> Number>
RECTO_HD inline double exp(Number x) {
    return ::exp(x);
}

/// Natural logarithm, within 1 unit in the last place; -inf at 0, NaN below.
template <std::same_as<float> Number>
RECTO_HD inline float log(Number x) {
    const bool small = x < 1.17549435e-38f;  // subnormal: scale up first
    const float scaled = small ? x * 8388608.f : x;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(scaled);    // unsigned: a NaN's bits may wrap
    const std::int32_t shift = std::int32_t(bits - 0x3f3504f3u) >> 23;  // mantissa into [sqrt 1/2, sqrt 2)
    const float f = std::bit_cast<float>(bits - (std::uint32_t(shift) << 23)) - 1.f;
    const float e = float(shift - (small ? 23 : 0));
    float p = fma(7.0376836292e-2f, f, -1.1514610310e-1f);
    p = fma(p, f, 1.1676998740e-1f);
    p = fma(p, f, -1.2420140846e-1f);
    p = fma(p, f, 1.4249322787e-1f);
    p = fma(p, f, -1.6668057665e-1f);
    p = fma(p, f, 2.0000714765e-1f);
    p = fma(p, f, -2.4999993993e-1f);
    p = fma(p, f, 3.3333331174e-1f);
    const float square = f * f;
    const float low = fma(e, -2.12194440e-4f, fma(p * f, square, -0.5f * square));
    const float y = fma(e, 0.693359375f, f + low);
    const float inf = std::numeric_limits<float>::infinity();
    return x == inf ? inf : x > 0 ? y : x == 0 ? -inf : std::numeric_limits<float>::quiet_NaN();
}
/// Natural logarithm.
template <std::same_as<double> Number>
RECTO_HD inline double log(Number x) {
    return ::log(x);
}

/// log(1 + x), within 2 units in the last place, also for small x; -inf at -1, NaN below.
template <std::same_as<float> Number>
RECTO_HD inline float log1p(Number x) {
    const float sum = 1.f + x;
    const bool plain = !(sum > 0.f) || sum > 1e30f;            // no correction needed; avoids 0 / 0 and inf - inf
    const float lost = plain ? 0.f : (x - (sum - 1.f)) / sum;  // first-order correction for the rounding of the sum
    return log(sum) + lost;
}
/// log(1 + x).
template <std::same_as<double> Number>
RECTO_HD inline double log1p(Number x) {
    return ::log1p(x);
}

/// Hyperbolic tangent, within 1.4 units in the last place: odd polynomial near 0, exponential beyond.
template <std::same_as<float> Number>
RECTO_HD inline float tanh(Number x) {
    const float a = x < 0 ? -x : x, s = x * x;
    float p = fma(-5.70498872745e-3f, s, 2.06390887954e-2f);
    p = fma(p, s, -5.37397155531e-2f);
    p = fma(p, s, 1.33314422036e-1f);
    p = fma(p, s, -3.33332819422e-1f);
    const float near = fma(p * s, x, x);
    const float far = 1.f - 2.f / (exp(2.f * a) + 1.f);
    return a < 0.625f ? near : x < 0 ? -far : far;
}
/// Hyperbolic tangent.
template <std::same_as<double> Number>
RECTO_HD inline double tanh(Number x) {
    return ::tanh(x);
}

/// log(1 + e^x) without overflow: the smooth version of max(x, 0).
template <class Number>
RECTO_HD inline Number softplus(Number x) {
    const Number a = x < 0 ? -x : x;
    return (x > 0 ? x : 0) + log1p(exp(-a));
}
/// 1 / (1 + e^-x), without overflow on either side.
template <class Number>
RECTO_HD inline Number sigmoid(Number x) {
    const Number e = exp(x < 0 ? x : -x);
    return (x < 0 ? e : Number(1)) / (Number(1) + e);
}

/// min(|x|, 40): beyond 40 the functions below equal their limits, and infinity times 0 would be NaN. NaN becomes 40.
/// The bits of positive floats, read as integers, have the order of the numbers, and an integer minimum is one
/// instruction.
RECTO_HD inline float size_to_40(float x) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(x) & 0x7FFFFFFF, most = std::bit_cast<std::int32_t>(40.f);
    return std::bit_cast<float>(bits < most ? bits : most);
}
/// min(|x|, 40).
RECTO_HD inline double size_to_40(double x) { return x > -40 && x < 40 ? (x < 0 ? -x : x) : 40; }

/// P(Z > a) of a standard normal Z, for a >= 0. Its logarithm is a polynomial, exact at 0 and fitted to the least error
/// of max(a, 1) times the tail, 1.5e-8; beyond 6.5, where the tail is 4e-11, it stays below -24.
RECTO_HD inline float normal_tail(float a) {
    float p = fma(-1.61846233e-6f, a, 2.33852603e-5f);
    p = fma(p, a, -1.11800310e-4f);
    p = fma(p, a, -1.32878909e-4f);
    p = fma(p, a, 4.93996666e-3f);
    p = fma(p, a, -3.64135260e-2f);
    p = fma(p, a, -3.18291994e-1f);
    p = fma(p, a, -7.97885907e-1f);
    return exp(fma(p, a, -6.93147181e-1f));
}
/// P(Z > a) of a standard normal Z.
RECTO_HD inline double normal_tail(double a) { return 0.5 * ::erfc(a * 0.70710678118654752); }

/// x P(Z <= x): GELU, which differs from relu by |x| P(Z > |x|); for float within 2e-7 max(1, |x| / 2) (all tried).
template <class Number>
RECTO_HD inline Number gelu(Number x) {
    const Number a = size_to_40(x);
    return (x < 0 ? Number(0) : x) - a * normal_tail(a);
}
/// The derivative of gelu, P(Z <= x) + x times the normal density at x; for float within 4e-7 (all tried).
template <class Number>
RECTO_HD inline Number gelu_slope(Number x) {
    const Number a = size_to_40(x), density = Number(0.39894228040143268) * exp(Number(-0.5) * a * a);
    const Number below = fma(-a, density, normal_tail(a));  // the derivative at -a; the derivative at a is 1 minus this
    const Number slope = x < 0 ? below : 1 - below;
    return x != x ? x : slope;
}
/// x limited to [-40, 40]; NaN stays NaN.
template <class Number>
RECTO_HD inline Number within_40(Number x) {
    return x > 40 ? Number(40) : x < -40 ? Number(-40) : x;
}
/// SiLU (swish): x / (1 + e^-x), without overflow for large |x|.
template <class Number>
RECTO_HD inline Number silu(Number x) {
    const Number a = x < 0 ? -x : x, near = a > 800 ? Number(800) : a;  // beyond it e^-a is 0 in double too
    return (x < 0 ? Number(0) : x) - near * sigmoid(-near);
}

/// A point on the unit circle: cosine and sine.
struct TurnPoint {
    float cos;  ///< horizontal coordinate
    float sin;  ///< vertical coordinate
};

/// Cosine and sine of 2 pi `turn`, for turn in [0, 1): exact argument reduction, the same bits on every machine.
RECTO_HD inline TurnPoint turn_point(float turn) {
    const std::int32_t quarter = std::int32_t(turn * 4.f + 0.5f);
    const float r = fma(float(quarter), -0.25f, turn) * 6.28318531f;  // |r| <= pi / 4
    const float s = r * r;
    const float sin = fma(fma(fma(-1.9515295891e-4f, s, 8.3321608736e-3f), s, -1.6666654611e-1f) * s, r, r);
    const float cos = fma(fma(fma(2.443315711809948e-5f, s, -1.388731625493765e-3f), s, 4.166664568298827e-2f), s * s,
                          fma(-0.5f, s, 1.f));
    const bool swap = quarter & 1;
    const float x = swap ? sin : cos, y = swap ? cos : sin;
    return {(quarter + 1) & 2 ? -x : x, quarter & 2 ? -y : y};
}

}  // namespace RECTO
