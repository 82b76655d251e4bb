#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

// How a number is spread over bits: sign, exponent, digits, from the highest bit down.
struct Format {
    int exponent_bits;  // 3 to 8
    int digit_bits;     // 2 to 10
    bool infinite;      // is the largest exponent set aside for infinity and NaN?
};

constexpr Format binary16{5, 10, true}, bfloat16{8, 7, true}, e5m2{5, 2, true}, e4m3{4, 3, false};

// The number that a pattern stands for, exactly.
float decode(std::uint32_t pattern, const Format& format);

// The pattern of the number nearest to x; of two that are equally near, the one whose last bit is 0.
std::uint32_t encode(float x, const Format& format);
