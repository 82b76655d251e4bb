// Threads without a number return, but only after the barrier; two warps fetch the halo.
#include "tile.hpp"

__global__ void sum_of_three(const float* x, float* y, int n) {
    __shared__ float part[tile + 2];
    const int t = threadIdx.x, i = blockIdx.x * tile + t;
    part[t + 1] = i < n ? x[i] : 0;
    if (t == 32) part[0] = i > 32 ? x[i - 33] : 0;
    if (t == 64) part[tile + 1] = i + tile - 64 < n ? x[i + tile - 64] : 0;
    __syncthreads();
    if (i >= n) return;
    y[i] = part[t] + part[t + 1] + part[t + 2];
}
