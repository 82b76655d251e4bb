// Builds the pattern below bit by bit, then takes the nearer of two.
#include "float_formats.hpp"

#include <cmath>

// The number of a pattern without sign, as if the format had no largest number.
static long double size_of(std::uint32_t pattern, const Format& f) {
    const long field = long(pattern >> f.digit_bits), digits = long(pattern & ((1u << f.digit_bits) - 1));
    const long bias = (1l << (f.exponent_bits - 1)) - 1;
    const long double tail = (long double)digits / (long double)(1l << f.digit_bits);
    return field ? std::ldexp(1 + tail, int(field - bias)) : std::ldexp(tail, int(1 - bias));
}

static std::uint32_t first_special(const Format& f) {
    const std::uint32_t all = (1u << (f.exponent_bits + f.digit_bits)) - 1;
    return f.infinite ? all - ((1u << f.digit_bits) - 1) : all;
}

float decode(std::uint32_t pattern, const Format& f) {
    const std::uint32_t top = 1u << (f.exponent_bits + f.digit_bits), rest = pattern % top;
    float found = 0;
    if (rest < first_special(f))
        found = float(size_of(rest, f));
    else if (f.infinite && rest == first_special(f))
        found = std::numeric_limits<float>::infinity();
    else
        found = std::numeric_limits<float>::quiet_NaN();
    return pattern >= top ? -found : found;
}

// Builds the pattern bit by bit from the top: the largest whose number is not above x. Then it or the next one.
std::uint32_t encode(float x, const Format& f) {
    const std::uint32_t top = 1u << (f.exponent_bits + f.digit_bits), special = first_special(f);
    const std::uint32_t sign = std::signbit(x) ? top : 0;
    if (x != x) return top - 1;
    const long double size = x < 0 ? -(long double)x : (long double)x;
    if (size > size_of(special, f)) return sign + special;
    std::uint32_t below = 0;
    for (std::uint32_t bit = top / 2; bit > 0; bit /= 2)
        if (size_of(below + bit, f) <= size) below += bit;
    const long double down = size - size_of(below, f), up = size_of(below + 1, f) - size;
    const std::uint32_t nearest = down < up ? below : up < down ? below + 1 : below + below % 2;
    return sign + (nearest < special ? nearest : special);
}
