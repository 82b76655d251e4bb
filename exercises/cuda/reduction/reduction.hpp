#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int group = 256;  // threads of a block, and numbers of x that it adds

// sums[b] = x[b * group] + ... + x[b * group + group - 1], as far as x, which has n numbers, holds them.
// Launched with enough blocks of `group` threads for n numbers: {(n + group - 1) / group, group}.
__global__ void block_sums(const float* x, float* sums, int n);
