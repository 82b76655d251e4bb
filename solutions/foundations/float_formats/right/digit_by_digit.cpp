// Takes one binary digit after the other, by doubling, and builds the pattern from text.
#include "float_formats.hpp"

#include <bitset>
#include <cmath>
#include <string>

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
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint32_t sign = std::signbit(x) ? 1u << (format.exponent_bits + format.digit_bits) : 0,
                        end = end_of(format);
    if (std::isnan(x)) return sign | end | (format.infinite ? 1 : 0);
    if (std::isinf(x)) return sign | end;
    double rest = std::fabs(double(x));
    int exponent = 1;
    for (; rest >= 2 * std::pow(2.0, exponent - bias); ++exponent) {
    }
    rest /= std::pow(2.0, exponent - bias);
    std::string digits;
    for (int i = 0; i <= format.digit_bits; ++i) {  // the leading one, or zero, and those after it
        digits += rest >= 1 ? '1' : '0';
        rest = 2 * (rest >= 1 ? rest - 1 : rest);
    }
    auto whole = std::uint32_t(std::bitset<32>(digits).to_ulong());
    if (rest > 1 || (rest == 1 && digits.back() == '1')) ++whole;
    const std::uint32_t all = (std::uint32_t(exponent - 1) << format.digit_bits) + whole;
    return sign | (all < end ? all : end);
}
