#pragma once
/// @file
/// Read before every source of the library, in a browser only. WebAssembly has no fused multiply-add, and the C library's is
/// a function of fifty instructions, called for every number of a vector. The product of two floats is exact in double; so
/// is the sum but for one rounding there, which changes the float in one case of a billion.
[[gnu::always_inline]] inline float recto_fused(float a, float b, float c) {
    return float(double(a) * double(b) + double(c));
}
#define __builtin_fmaf recto_fused
