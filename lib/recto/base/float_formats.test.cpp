#include <recto/base/float_formats.hpp>

#include <cmath>
#include <cstring>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// How many patterns of a format change when converted to FP32 and back.
int lost(FloatFormat format) {
    int count = 0;
    for (std::uint32_t p = 0; p < 1u << format.bits(); ++p) count += encode(decode(p, format), format) != p;
    return count;
}

/// The value of a pattern by the definition: (-1)^s 2^(e - bias) (1 + m / 2^M).
double meaning(std::uint32_t pattern, FloatFormat format) {
    const int m_bits = format.mantissa_bits;
    const std::uint32_t m = pattern & ((1u << m_bits) - 1), e = pattern >> m_bits & ((1u << format.exponent_bits) - 1);
    const double sign = pattern >> (format.bits() - 1) ? -1 : 1;
    if (e == 0) return sign * std::ldexp(double(m), 1 - format.bias() - m_bits);
    return sign * std::ldexp(1 + double(m) / double(1u << m_bits), int(e) - format.bias());
}

/// The nearest positive number by search, ties to the even pattern; `beyond` counts as the number it would be.
template <class Number>
std::uint32_t nearest(Number x, FloatFormat format) {
    std::uint32_t low = 0, high = format.beyond();
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        (meaning(middle, format) <= double(x) ? low : high) = middle;
    }
    const double below = double(x) - meaning(low, format), above = meaning(high, format) - double(x);
    return below < above || (below == above && low % 2 == 0) ? low : high;
}
}  // namespace

TEST_CASE("float_formats: every pattern of FP16 survives", "[core][row:sys-float-formats/a]") {
    CHECK(lost(fp16) == 0);
}

TEST_CASE("float_formats: every pattern of FP8 survives", "[core][row:sys-float-formats/e]") {
    CHECK(lost(e4m3) == 0);
    CHECK(lost(e5m2) == 0);
}

TEST_CASE("float_formats: every pattern of BF16 survives", "[core]") { CHECK(lost(bf16) == 0); }

TEST_CASE("float_formats: patterns mean what the definition says", "[core]") {
    for (const FloatFormat format : {fp16, bf16, e4m3, e5m2}) {
        CAPTURE(format.name);
        int wrong = 0;
        for (std::uint32_t p = 0; p < format.beyond(); ++p) {
            wrong += double(decode(p, format)) != meaning(p, format);
            const std::uint32_t negative = p | 1u << (format.bits() - 1);
            wrong += double(decode(negative, format)) != -meaning(p, format);
            wrong += !std::signbit(decode(negative, format));
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("float_formats: the unit roundoff of FP16", "[core][row:sys-float-formats/b]") {
    const double u = std::ldexp(1.0, -11);
    CHECK(fp16.unit_roundoff() == u);
    CHECK((double(decode(encode(1.0, fp16) + 1, fp16)) - 1) / 2 == u);  // half the distance from 1 to the next number
    CHECK(encode(1 + u, fp16) == encode(1.0, fp16));                    // the tie goes to the even neighbour
    CHECK(encode(std::nextafter(1 + u, 2.0), fp16) == encode(1.0, fp16) + 1);
}

TEST_CASE("float_formats: the unit roundoff of BF16", "[core][row:sys-float-formats/c]") {
    const double u = std::ldexp(1.0, -8);
    CHECK(bf16.unit_roundoff() == u);
    CHECK((double(decode(encode(1.0, bf16) + 1, bf16)) - 1) / 2 == u);
    CHECK(encode(1 + u, bf16) == encode(1.0, bf16));
    CHECK(encode(std::nextafter(1 + u, 2.0), bf16) == encode(1.0, bf16) + 1);
}

TEST_CASE("float_formats: beyond 65504 FP16 overflows", "[core][row:sys-float-formats/d]") {
    CHECK(fp16.largest() == 65504);
    CHECK(decode(encode(65504.f, fp16), fp16) == 65504);
    CHECK(decode(encode(65519.99f, fp16), fp16) == 65504);   // nearer to 65504 than to the next step, 65536
    CHECK(std::isinf(decode(encode(65520.f, fp16), fp16)));  // the tie goes to the even neighbour, which does not exist
    CHECK(decode(encode(-1e30f, fp16), fp16) == -std::numeric_limits<float>::infinity());
}

TEST_CASE("float_formats: limits", "[core]") {
    CHECK(e4m3.largest() == 448);
    CHECK(e5m2.largest() == 57344);
    CHECK(bf16.largest() == 0x1.FEp127);
    CHECK(fp32.largest() == double(std::numeric_limits<float>::max()));
    CHECK(fp16.smallest() == 0x1p-24);
    CHECK(fp16.smallest_normal() == 0x1p-14);
    CHECK(e4m3.smallest() == 0x1p-9);
    CHECK(e5m2.smallest() == 0x1p-16);
    // E4M3 has no infinity: numbers that are too large become NaN.
    CHECK(decode(encode(464.f, e4m3), e4m3) == 448);
    CHECK(std::isnan(decode(encode(464.1f, e4m3), e4m3)));
    CHECK(std::isnan(decode(encode(std::numeric_limits<float>::infinity(), e4m3), e4m3)));
    CHECK(std::isinf(decode(encode(std::numeric_limits<float>::infinity(), e5m2), e5m2)));
    for (const FloatFormat format : float_formats) {
        CAPTURE(format.name);
        CHECK(std::isnan(decode(encode(std::numeric_limits<double>::quiet_NaN(), format), format)));
        CHECK(encode(0.0, format) == 0);
        CHECK(encode(-0.0, format) == 1u << (format.bits() - 1));
        CHECK(encode(format.smallest() / 2, format) == 0);  // the tie goes to zero, which is even
        CHECK(encode(std::nextafter(format.smallest() / 2, 1.0), format) == 1);
        CHECK(encode(1e-300, format) == 0);
    }
}

TEST_CASE("float_formats: rounding goes to the nearest", "[core]") {
    Generator random(1);
    for (const FloatFormat format : {fp16, bf16, e4m3, e5m2}) {
        CAPTURE(format.name);
        int wrong = 0;
        for (int i = 0; i < 20000; ++i) {
            const int low = 1 - format.bias() - format.mantissa_bits - 2;  // from below the smallest to the largest
            const double x = std::ldexp(1 + random.next_uniform(), int(random.next_integer(low, format.bias() + 1)));
            wrong += encode(x, format) != nearest(x, format);
            wrong += encode(float(x), format) != nearest(float(x), format);
        }
        // Exactly between two neighbours, where the even one wins, in float and in double.
        for (std::uint32_t p = 0; p + 1 < format.beyond(); p += format.bits() > 8 ? 37 : 1) {
            const double middle = (meaning(p, format) + meaning(p + 1, format)) / 2;
            wrong += encode(middle, format) != p + p % 2;
            wrong += encode(float(middle), format) != p + p % 2;
        }
        CHECK(wrong == 0);
    }
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {  // FP32 from double: the machine's own conversion is the oracle
        const double x = std::ldexp(random.next_normal(), int(random.next_integer(-150, 130)));
        wrong += encode(x, fp32) != std::bit_cast<std::uint32_t>(float(x));
    }
    CHECK(wrong == 0);
}
