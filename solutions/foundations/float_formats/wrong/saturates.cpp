// wrong: saturates
#include "float_formats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

int bias(const Format& format) { return (1 << (format.exponent_bits - 1)) - 1; }

// The first pattern, sign aside, that is no finite number: infinity, or the only NaN.
std::uint32_t beyond(const Format& format) {
    const std::uint32_t exponents = (1u << format.exponent_bits) - 1, digits = (1u << format.digit_bits) - 1;
    return exponents << format.digit_bits | (format.infinite ? 0 : digits);
}

}  // namespace

float decode(std::uint32_t pattern, const Format& format) {
    const int digits = format.digit_bits;
    const std::uint32_t sign = 1u << (format.exponent_bits + digits), size = pattern & (sign - 1);
    const int exponent = int(size >> digits), tail = int(size & ((1u << digits) - 1));
    float value = 0;
    if (size >= beyond(format)) {
        const bool infinity = format.infinite && tail == 0;
        value = infinity ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    } else if (exponent > 0) {
        value = std::ldexp(float((1 << digits) + tail), exponent - bias(format) - digits);
    } else {
        value = std::ldexp(float(tail), 1 - bias(format) - digits);  // no leading one
    }
    return pattern & sign ? -value : value;
}

std::uint32_t encode(float x, const Format& format) {
    const int digits = format.digit_bits;
    const std::uint32_t sign = std::uint32_t(std::signbit(x)) << (format.exponent_bits + digits);
    if (x == 0) return sign;
    if (std::isnan(x)) return sign | beyond(format) | 1;
    if (std::isinf(x)) return sign | beyond(format);
    const int exponent = std::max(std::ilogb(x) + bias(format), 1);  // as it would be stored; 1 for subnormals too
    const double steps = std::nearbyint(std::ldexp(std::abs(double(x)), digits + bias(format) - exponent));
    // The leading one of an ordinary number counts as one step of the exponent, and so does a carry.
    const auto size = std::uint32_t(exponent - 1) << digits;
    return sign | std::min(size + std::uint32_t(steps), beyond(format) - 1);
}
