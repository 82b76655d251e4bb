// wrong: packed-threads
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = 1; apart < group; apart *= 2) {
        const int at = 2 * apart * t;
        if (at < group) part[at] += part[at + apart];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
