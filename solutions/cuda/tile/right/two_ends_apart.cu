// The halo in two shared variables.
#include "tile.hpp"

// The halo in variables of its own.
__global__ void sum_of_three(const float* x, float* y, int n) {
    __shared__ float part[tile];
    __shared__ float before, behind;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const bool mine = i < n;
    part[t] = mine ? x[i] : 0;
    if (t == tile / 2) before = blockIdx.x > 0 ? x[blockIdx.x * tile - 1] : 0;
    if (t == 0) behind = (int(blockIdx.x) + 1) * tile < n ? x[(blockIdx.x + 1) * tile] : 0;
    __syncthreads();
    const float left = t == 0 ? before : part[t - 1], right = t == tile - 1 ? behind : part[t + 1];
    if (mine) y[i] = left + part[t] + right;
}
