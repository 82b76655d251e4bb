#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int group = 256;  // threads of a block, and numbers that it adds

// Both kernels are launched with enough blocks of `group` threads for n numbers. Block b has the numbers b * group to
// b * group + group - 1, as far as they exist.

// y[i] = x[b * group] + ... + x[i], for every number i of block b; totals[b] = the sum of all numbers of block b.
__global__ void scan_blocks(const float* x, float* y, float* totals, int n);

// sums[b] = totals[0] + ... + totals[b]. Adds to every y[i] of block b the totals of all blocks before b.
__global__ void add_before(float* y, const float* sums, int n);
