// wrong: returns-before
#include "tile.hpp"

__global__ void sum_of_three(const float* x, float* y, int n) {
    __shared__ float part[tile + 2];
    const int t = threadIdx.x, i = blockIdx.x * tile + t;
    if (i >= n) return;
    part[t + 1] = x[i];
    if (t == 0) part[0] = i > 0 ? x[i - 1] : 0;
    if (t == tile - 1 || i == n - 1) part[t + 2] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    y[i] = part[t] + part[t + 1] + part[t + 2];
}
