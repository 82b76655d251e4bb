// Halves and doubles until the exponent is found.
#include "float_formats.hpp"

#include <cmath>

static double power(int exponent) {
    double found = 1;
    for (; exponent > 0; --exponent) found *= 2;
    for (; exponent < 0; ++exponent) found /= 2;
    return found;
}

float decode(std::uint32_t pattern, const Format& f) {
    const std::uint32_t ones = (1u << f.digit_bits) - 1, full = (1u << f.exponent_bits) - 1;
    const std::uint32_t digits = pattern & ones, field = (pattern >> f.digit_bits) & full;
    const double sign = (pattern >> (f.digit_bits + f.exponent_bits)) & 1 ? -1 : 1;
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    if (field == full && f.infinite) return float(sign * (digits == 0 ? INFINITY : NAN));
    if (field == full && digits == ones) return NAN;
    const double fraction = double(digits) / double(1u << f.digit_bits);
    return float(sign * (field == 0 ? fraction * power(1 - bias) : (1 + fraction) * power(int(field) - bias)));
}

std::uint32_t encode(float x, const Format& f) {
    const std::uint32_t ones = (1u << f.digit_bits) - 1, full = (1u << f.exponent_bits) - 1;
    const std::uint32_t sign = std::signbit(x) ? 1u << (f.digit_bits + f.exponent_bits) : 0u;
    const std::uint32_t special = f.infinite ? full << f.digit_bits : full << f.digit_bits | ones;
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    if (std::isnan(x)) return special | 1u;
    if (std::isinf(x)) return sign | special;
    double size = std::fabs(double(x));
    int exponent = 0;  // the size is kept at size * 2^exponent
    while (size >= 2) size /= 2, ++exponent;
    while (size != 0 && size < 1 && exponent > 1 - bias) size *= 2, --exponent;
    while (exponent < 1 - bias) size /= 2, ++exponent;
    if (size == 0) return sign;
    const double steps = size * double(1u << f.digit_bits), below = std::floor(steps), rest = steps - below;
    const bool odd = std::fmod(below, 2) == 1;
    const double taken = rest > 0.5 || (rest == 0.5 && odd) ? below + 1 : below;
    const double pattern = taken + double(exponent + bias - 1) * double(1u << f.digit_bits);
    return sign | (pattern >= special ? special : std::uint32_t(pattern));
}
