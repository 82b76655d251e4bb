// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ops/reductions/softmax.hpp>

#include "softmax_row.hpp"

#include <cmath>

__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float part[group];
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
    __syncthreads();

    float sum = 0;
    for (int j = t; j < cols; j += group) sum += expf(from[j] - largest);
    part[t] = sum;
    __syncthreads();
    for (int apart = group / 2; apart > 0; apart /= 2) {
        if (t < apart) part[t] += part[t + apart];
        __syncthreads();
    }
    sum = part[0];
    for (int j = t; j < cols; j += group) to[j] = expf(from[j] - largest) / sum;
}
