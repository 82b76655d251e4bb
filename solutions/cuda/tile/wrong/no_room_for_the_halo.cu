// wrong: no-room-for-the-halo
#include "tile.hpp"

__global__ void sum_of_three(const float* x, float* y, int n) {
    __shared__ float part[tile];
    const int t = threadIdx.x, i = blockIdx.x * tile + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) y[i] = part[t - 1] + part[t] + part[t + 1];
}
