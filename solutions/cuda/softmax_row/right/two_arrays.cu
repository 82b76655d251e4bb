// Two arrays, so that no barrier is due between; the sum by atomics of whole warps.
#include "softmax_row.hpp"

#include <cmath>

__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float part[group], whole;
    const int t = threadIdx.x;
    const float* from = x + blockIdx.x * cols;
    float* to = y + blockIdx.x * cols;

    float largest = -INFINITY;
    for (int j = t; j < cols; j += group) largest = max(largest, from[j]);
    part[t] = largest;
    __syncthreads();
    for (int apart = group / 2; apart > 0; apart /= 2) {
        if (t < apart) part[t] = max(part[t], part[t + apart]);
        __syncthreads();
    }
    largest = part[0];

    float sum = 0;
    for (int j = t; j < cols; j += group) sum += expf(from[j] - largest);
    if (t == 0) whole = 0;
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffu, sum, apart);
    __syncthreads();
    if (t % 32 == 0) atomicAdd(&whole, sum);
    __syncthreads();
    sum = whole;
    for (int j = t; j < cols; j += group) to[j] = expf(from[j] - largest) / sum;
}
