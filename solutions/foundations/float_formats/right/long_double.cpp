// Powers by repeated multiplication, rounding by floor and a look at the rest.
#include "float_formats.hpp"

#include <cmath>
#include <limits>

static long double power(int e) {
    long double p = 1;
    for (; e > 0; --e) p *= 2;
    for (; e < 0; ++e) p /= 2;
    return p;
}

float decode(std::uint32_t pattern, const Format& format) {
    const std::uint32_t most = (1u << format.exponent_bits) - 1, unit = 1u << format.digit_bits;
    const std::uint32_t exponent = pattern / unit & most, digits = pattern % unit;
    const int bias = int(most / 2);
    const float sign = pattern / unit > most ? -1.0f : 1.0f;
    if (exponent == most && (format.infinite ? digits > 0 : digits == unit - 1)) return std::nanf("");
    if (exponent == most && format.infinite) return sign * std::numeric_limits<float>::infinity();
    const long double leading = exponent ? 1 : 0;
    return sign * float((leading + (long double)(digits) / unit) * power((exponent ? int(exponent) : 1) - bias));
}

std::uint32_t encode(float x, const Format& format) {
    const std::uint32_t most = (1u << format.exponent_bits) - 1, unit = 1u << format.digit_bits;
    const std::uint32_t sign = std::signbit(x) ? (most + 1) * unit : 0,
                        last = format.infinite ? most * unit : most * unit + unit - 1;
    if (x != x) return sign + most * unit + unit - 1;
    long double size = x < 0 ? -(long double)(x) : (long double)(x);
    if (size > std::numeric_limits<float>::max()) return sign + last;
    int exponent = 1 - int(most / 2);
    while (size >= power(exponent + 1)) ++exponent;
    const long double steps = size / power(exponent) * unit;
    long double whole = std::floor(steps);
    const long double rest = steps - whole;
    if (rest > 0.5L || (rest == 0.5L && std::fmod(whole, 2.0L) == 1)) whole += 1;
    const std::uint32_t all = std::uint32_t(exponent - 1 + int(most / 2)) * unit + std::uint32_t(whole);
    return sign + (all < last ? all : last);
}
