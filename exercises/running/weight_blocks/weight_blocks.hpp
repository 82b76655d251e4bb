#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

// The number that 16 bits stand for in FP16. All scales and minima of this exercise are finite.
inline float from_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const float size = exponent ? std::ldexp(float(1024 + digits), exponent - 25) : std::ldexp(float(digits), -24);
    return bits & 0x8000 ? -size : size;
}

// Each function restores the weights of whole blocks, 32 for each block, in order.

// Blocks of 34 bytes: the scale, then 32 signed bytes.
std::vector<float> decode_q8_0(const std::vector<std::uint8_t>& bytes);

// Blocks of 18 bytes: the scale, then 16 bytes with two codes each.
std::vector<float> decode_q4_0(const std::vector<std::uint8_t>& bytes);

// Blocks of 20 bytes: the scale, the minimum, then 16 bytes with two codes each.
std::vector<float> decode_q4_1(const std::vector<std::uint8_t>& bytes);
