#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int tile = 256;  // threads of a block, and numbers of y that it computes

// y[i] = x[i - 1] + x[i] + x[i + 1] for each of n numbers; numbers outside of x count as 0. Launched with enough blocks
// of `tile` threads for n numbers: {(n + tile - 1) / tile, tile}.
__global__ void sum_of_three(const float* x, float* y, int n);
