#pragma once
#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int group = 256;  // threads of a block, and numbers that it sums up

// Both kernels are launched with blocks of `group` threads, as many as n numbers take. Block b has the numbers from
// b * group to b * group + group - 1, as far as there are such.

// y[i] = x[b * group] + ... + x[i], for every number i of block b; totals[b] = the sum of all numbers of block b.
__global__ void scan_blocks(const float* x, float* y, float* totals, int n);

// sums[b] = totals[0] + ... + totals[b]. Adds to every y[i] of block b the totals of all blocks before b.
__global__ void add_before(float* y, const float* sums, int n);
