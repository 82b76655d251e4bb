#pragma once
/// @file
/// Floating-point formats of 16 and 8 bits, in software: FP16, BF16 and FP8, converted bit by bit.
///
/// Rounding is to nearest, ties to even; small numbers become subnormal; numbers that are too large become infinite, or
/// NaN if the format has no infinity. (IEEE 754-2019; Micikevicius et al., 2022, for FP8.)
#include <array>
#include <bit>
#include <limits>
#include <string_view>
#include <type_traits>

#include <recto/base/math.hpp>

namespace RECTO {

/// A floating-point format: one sign bit, exponent bits, mantissa bits.
struct FloatFormat {
    const char* name;   ///< such as `FP16`
    int exponent_bits;  ///< at most 8
    int mantissa_bits;  ///< at most 23
    bool infinite;      ///< whether the largest exponent means infinity and NaN, as in IEEE 754

    constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }  ///< Bits of a number.
    constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }     ///< The stored exponent of the number 1.
    /// The first bit pattern (without sign) that is not finite: infinity, or the only NaN.
    constexpr std::uint32_t beyond() const {
        const std::uint32_t ones = (1u << exponent_bits) - 1, tail = (1u << mantissa_bits) - 1;
        return ones << mantissa_bits | (infinite ? 0 : tail);
    }
    double largest() const;          ///< The largest finite number.
    double smallest_normal() const;  ///< The smallest positive number with full precision.
    double smallest() const;         ///< The smallest positive number.
    double unit_roundoff() const;    ///< Half the distance from 1 to the next number.
};

inline constexpr FloatFormat fp32{"FP32", 8, 23, true};      ///< Single precision.
inline constexpr FloatFormat fp16{"FP16", 5, 10, true};      ///< Half precision: 11 binary digits, up to 65504.
inline constexpr FloatFormat bf16{"BF16", 8, 7, true};       ///< The upper half of an FP32: 8 binary digits, its range.
inline constexpr FloatFormat e4m3{"FP8 E4M3", 4, 3, false};  ///< Four binary digits, up to 448, no infinity.
inline constexpr FloatFormat e5m2{"FP8 E5M2", 5, 2, true};   ///< The upper half of an FP16: three binary digits.

inline constexpr std::array<FloatFormat, 5> float_formats = {fp32, fp16, bf16, e4m3, e5m2};  ///< All formats.

/// The bit pattern of the number nearest to `x` in a format. A NaN keeps the upper bits of its payload.
/// @tparam Number  float or double; both are rounded only once
template <class Number>
RECTO_HD constexpr std::uint32_t encode(Number x, FloatFormat format) {
    using Word = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
    constexpr int width = sizeof(Number) * 8, digits = std::numeric_limits<Number>::digits - 1;
    constexpr int bias = std::numeric_limits<Number>::max_exponent - 1;
    constexpr Word one = 1, infinite = Word(2 * bias + 1) << digits;
    const int kept_digits = format.mantissa_bits;
    const Word word = std::bit_cast<Word>(x), size = word & ~(one << (width - 1));
    const std::uint32_t sign = std::uint32_t(word >> (width - 1)) << (format.bits() - 1);
    const std::uint32_t beyond = format.beyond();

    if (size > infinite) {  // NaN
        if (!format.infinite) return sign | beyond;
        const auto carried = std::uint32_t(size >> (digits - kept_digits)) & ((1u << kept_digits) - 1);
        return sign | beyond | (carried ? carried : 1u << (kept_digits - 1));
    }
    if (size == infinite) return sign | beyond;

    const int stored = int(size >> digits);  // 0 for a subnormal, which has no leading one
    const Word all_digits = (size & ((one << digits) - 1)) | (stored ? one << digits : 0);
    const int exponent = (stored ? stored : 1) - bias + format.bias();  // as the format stores it
    const int drop = digits - kept_digits + (exponent < 1 ? 1 - exponent : 0);
    if (drop > digits + 1) return sign;  // below half of the smallest number
    Word kept = all_digits >> drop;
    if (drop > 0) {
        const Word rest = all_digits & ((one << drop) - 1), half = one << (drop - 1);
        if (rest > half || (rest == half && (kept & 1))) ++kept;
    }
    // The leading one of a normal number counts as one step of the exponent; so does a carry.
    const Word pattern = kept + (exponent < 1 ? 0 : Word(exponent - 1) << kept_digits);
    return sign | (pattern < beyond ? std::uint32_t(pattern) : beyond);
}

/// The exact value of a bit pattern of a format.
RECTO_HD constexpr float decode(std::uint32_t pattern, FloatFormat format) {
    const int digits = format.mantissa_bits, up = 23 - digits;
    const std::uint32_t size = pattern & ((1u << (format.bits() - 1)) - 1);
    const std::uint32_t sign = (pattern >> (format.bits() - 1) & 1) << 31;
    const std::uint32_t stored = size >> digits, tail = size & ((1u << digits) - 1);
    if (size >= format.beyond()) {
        const std::uint32_t carried = format.infinite ? tail << up : 0x400000u;
        return std::bit_cast<float>(sign | 0x7F800000u | carried);
    }
    if (format.exponent_bits == 8) return std::bit_cast<float>(sign | size << up);
    const auto exponent = std::uint32_t(127 - format.bias());
    if (stored > 0) return std::bit_cast<float>(sign | (stored + exponent) << 23 | tail << up);
    const float step = std::bit_cast<float>((exponent + 1 - std::uint32_t(digits)) << 23);  // between subnormals
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(float(tail) * step));
}

/// `x`, rounded to a format and converted back.
RECTO_HD constexpr Real rounded(Real x, FloatFormat format) { return Real(decode(encode(x, format), format)); }

}  // namespace RECTO
