// Only the first warp works, without a barrier of the block.
#include "softmax_row.hpp"

#include <cmath>

__global__ void softmax(const float* x, float* y, int cols) {
    const int t = threadIdx.x;
    if (t >= 32) return;
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float largest = x[0], sum = 0;
    for (int j = t; j < cols; j += 32) largest = x[j] > largest ? x[j] : largest;
    for (int apart = 1; apart < 32; apart *= 2) largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, apart));
    for (int j = t; j < cols; j += 32) sum += expf(x[j] - largest);
    for (int apart = 1; apart < 32; apart *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    for (int j = t; j < cols; j += 32) y[j] = expf(x[j] - largest) / sum;
}
