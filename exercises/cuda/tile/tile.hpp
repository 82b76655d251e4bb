#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int tile = 256;  // threads of a block, and numbers of y that it makes

// y[i] = x[i - 1] + x[i] + x[i + 1] for each of n numbers; what lies outside of x counts as 0. Launched with blocks of
// `tile` threads, as many as n numbers take: {(n + tile - 1) / tile, tile}.
__global__ void sum_of_three(const float* x, float* y, int n);
