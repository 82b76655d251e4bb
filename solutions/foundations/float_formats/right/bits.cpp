// Integers alone: the float is taken apart and never calculated with.
#include "float_formats.hpp"

#include <bit>

std::uint32_t encode(float x, const Format& format) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(x), size = word & 0x7FFFFFFF;
    const int d = format.digit_bits, e = format.exponent_bits;
    const std::uint32_t sign = word >> 31 << (e + d), exponents = (1u << e) - 1;
    const std::uint32_t last = format.infinite ? exponents << d : (exponents << d | ((1u << d) - 1));
    if (size > 0x7F800000) return sign | last | (format.infinite ? 1u << (d - 1) : 0);
    if (size == 0x7F800000) return sign | last;
    int stored = int(size >> 23);
    std::uint32_t digits = size & 0x7FFFFF;
    if (stored)
        digits |= 1u << 23;
    else
        stored = 1;
    int exponent = stored - 127 + ((1 << (e - 1)) - 1), shift = 23 - d;
    if (exponent < 1) {
        shift += 1 - exponent;
        exponent = 1;
    }
    if (shift > 25) return sign;
    std::uint32_t kept = digits >> shift;
    const std::uint32_t rest = digits - (kept << shift), half = 1u << (shift - 1);
    kept += rest > half || (rest == half && kept % 2 == 1);
    const std::uint32_t all = (std::uint32_t(exponent - 1) << d) + kept;
    return sign | (all >= last ? last : all);
}

float decode(std::uint32_t pattern, const Format& format) {
    const int d = format.digit_bits, e = format.exponent_bits;
    const std::uint32_t sign = (pattern >> (e + d) & 1) << 31, exponents = (1u << e) - 1;
    std::uint32_t exponent = pattern >> d & exponents, digits = pattern & ((1u << d) - 1);
    if (format.infinite && exponent == exponents) return std::bit_cast<float>(sign | 0x7F800000 | digits << (23 - d));
    if (!format.infinite && exponent == exponents && digits == (1u << d) - 1)
        return std::bit_cast<float>(sign | 0x7FC00000);
    if (e == 8) return std::bit_cast<float>(sign | exponent << 23 | digits << (23 - d));
    const std::uint32_t up = 127 - ((1u << (e - 1)) - 1);
    if (exponent == 0 && digits == 0) return std::bit_cast<float>(sign);
    if (exponent == 0) {  // shift until the leading one stands where it belongs
        exponent = 1;
        while (!(digits >> d)) {
            digits <<= 1;
            --exponent;
        }
        digits -= 1u << d;
    }
    return std::bit_cast<float>(sign | (exponent + up) << 23 | digits << (23 - d));
}
