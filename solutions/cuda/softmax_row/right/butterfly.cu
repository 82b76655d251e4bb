// Shuffles that give every lane the result, and a quotient taken once.
#include "softmax_row.hpp"

#include <cmath>

// Shuffles in which every lane gets the result, then the results of the four warps.
__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float tops[4], sums[4];
    const int t = threadIdx.x, warp = t / 32;
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float top = -INFINITY;
    for (int j = t; j < cols; j += group) top = x[j] > top ? x[j] : top;
    for (int far = 16; far > 0; far /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, top, far);
        top = other > top ? other : top;
    }
    if (t % 32 == 0) tops[warp] = top;
    __syncthreads();
    for (int k = 0; k < 4; ++k) top = tops[k] > top ? tops[k] : top;
    float sum = 0;
    for (int j = t; j < cols; j += group) sum += expf(x[j] - top);
    for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffff, sum, far);
    if (t % 32 == 0) sums[warp] = sum;
    __syncthreads();
    const float factor = 1 / (sums[0] + sums[1] + sums[2] + sums[3]);
    for (int j = t; j < cols; j += group) y[j] = factor * expf(x[j] - top);
}
