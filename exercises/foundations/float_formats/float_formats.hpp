#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

// The bits of a number: sign, exponent, digits, from the highest bit down.
struct Format {
    int exponent_bits;  // 3 to 8
    int digit_bits;     // 2 to 10
    bool infinite;      // whether the largest exponent is reserved for infinity and NaN
};

constexpr Format binary16{5, 10, true}, bfloat16{8, 7, true}, e5m2{5, 2, true}, e4m3{4, 3, false};

// The number that a pattern represents, exactly.
float decode(std::uint32_t pattern, const Format& format);

// The pattern of the number nearest to x; in a tie, the pattern whose last bit is 0.
std::uint32_t encode(float x, const Format& format);
