// Finds the pattern by bisection: patterns are in the order of their numbers.
#include "float_formats.hpp"

#include <cmath>

static double value(std::uint32_t size, const Format& format) {
    const int d = format.digit_bits, bias = (1 << (format.exponent_bits - 1)) - 1;
    const int exponent = int(size >> d);
    const double digits = double(size % (1u << d)) / double(1 << d);
    return exponent ? (1 + digits) * std::pow(2.0, exponent - bias) : digits * std::pow(2.0, 1 - bias);
}

static std::uint32_t end_of(const Format& format) {
    const std::uint32_t all = (1u << (format.exponent_bits + format.digit_bits)) - 1;
    return format.infinite ? all >> format.digit_bits << format.digit_bits : all;
}

float decode(std::uint32_t pattern, const Format& format) {
    const std::uint32_t sign = 1u << (format.exponent_bits + format.digit_bits), size = pattern % sign,
                        end = end_of(format);
    const float sized = size < end ? float(value(size, format)) : size == end && format.infinite ? HUGE_VALF : NAN;
    return std::copysign(sized, size == pattern ? 1.0f : -1.0f);
}

std::uint32_t encode(float x, const Format& format) {
    const std::uint32_t sign = std::signbit(x) ? 1u << (format.exponent_bits + format.digit_bits) : 0,
                        end = end_of(format);
    if (std::isnan(x)) return sign | end | (format.infinite ? 3 : 0);
    const double size = std::fabs(double(x));
    std::uint32_t low = 0, high = end;  // value(low) <= size < value(high)
    if (size >= value(high, format)) return sign | end;
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        (value(middle, format) <= size ? low : high) = middle;
    }
    const double below = size - value(low, format), above = value(high, format) - size;
    return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}
