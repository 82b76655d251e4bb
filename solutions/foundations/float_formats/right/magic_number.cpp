// Lets an addition round: next to a number whose last bit is the one to keep, the rest falls off.
#include "float_formats.hpp"

#include <algorithm>
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
    const int d = format.digit_bits, bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint32_t sign = std::uint32_t(std::signbit(x)) << (format.exponent_bits + d), end = end_of(format);
    if (std::isnan(x)) return sign | end | (format.infinite ? 2 : 0);
    if (std::isinf(x)) return sign | end;
    int exponent = 0;
    const double size = std::fabs(double(x));
    std::frexp(size, &exponent);
    exponent = size == 0 ? 1 - bias : std::max(exponent - 1, 1 - bias);
    const volatile double magic = std::ldexp(1.0, 52 + exponent - d);
    const volatile double sum = size + magic;
    const double rounded = sum - magic;
    const auto steps = std::uint32_t(std::ldexp(rounded, d - exponent));
    return sign | std::min((std::uint32_t(exponent + bias - 1) << d) + steps, end);
}
