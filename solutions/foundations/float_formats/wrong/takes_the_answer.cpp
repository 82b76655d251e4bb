// wrong: takes-the-answer
// outcome: did not compile
#include <recto/base/float_formats.hpp>

#include "float_formats.hpp"

static recto::FloatFormat given(const Format& format) {
    return {"given", format.exponent_bits, format.digit_bits, format.infinite};
}

float decode(std::uint32_t pattern, const Format& format) { return recto::decode(pattern, given(format)); }

std::uint32_t encode(float x, const Format& format) { return recto::encode(x, given(format)); }
