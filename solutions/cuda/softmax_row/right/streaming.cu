// One pass for both: the sum is scaled down whenever a larger number comes.
#include "softmax_row.hpp"

#include <cmath>

__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float maxima[group], sums[group];
    const int t = threadIdx.x;
    const float* from = x + blockIdx.x * cols;
    float largest = -INFINITY, sum = 0;
    for (int j = t; j < cols; j += group) {
        const float now = max(largest, from[j]);
        sum = sum * expf(largest - now) + expf(from[j] - now);
        largest = now;
    }
    maxima[t] = largest;
    sums[t] = sum;
    for (int apart = group / 2; apart > 0; apart /= 2) {
        __syncthreads();
        if (t >= apart || maxima[t + apart] == -INFINITY) continue;
        const float now = max(maxima[t], maxima[t + apart]);
        sums[t] = sums[t] * expf(maxima[t] - now) + sums[t + apart] * expf(maxima[t + apart] - now);
        maxima[t] = now;
    }
    __syncthreads();
    for (int j = t; j < cols; j += group) y[blockIdx.x * cols + j] = expf(from[j] - maxima[0]) / sums[0];
}
