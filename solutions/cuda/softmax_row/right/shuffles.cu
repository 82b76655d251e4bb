// Warps by shuffles, then every thread combines their four results.
#include "softmax_row.hpp"

#include <cmath>

__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float maxima[group / 32], sums[group / 32];
    const int t = threadIdx.x;
    const float* from = x + blockIdx.x * cols;
    float largest = -INFINITY, sum = 0;
    for (int j = t; j < cols; j += group) largest = fmaxf(largest, from[j]);
    for (int apart = 16; apart > 0; apart /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, apart));
    if (t % 32 == 0) maxima[t / 32] = largest;
    __syncthreads();
    for (int warp = 0; warp < group / 32; ++warp) largest = fmaxf(largest, maxima[warp]);
    for (int j = t; j < cols; j += group) sum += expf(from[j] - largest);
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int warp = group / 32 - 1; warp >= 0; --warp) sum += sums[warp];
    for (int j = t; j < cols; j += group) y[blockIdx.x * cols + j] = expf(from[j] - largest) / sum;
}
