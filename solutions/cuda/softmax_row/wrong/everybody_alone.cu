// wrong: everybody-alone
#include "softmax_row.hpp"

#include <cmath>

__global__ void softmax(const float* x, float* y, int cols) {
    const float* from = x + blockIdx.x * cols;
    float* to = y + blockIdx.x * cols;
    if (threadIdx.x > 0) return;
    float largest = from[0], sum = 0;
    for (int j = 1; j < cols; ++j) largest = max(largest, from[j]);
    for (int j = 0; j < cols; ++j) sum += expf(from[j] - largest);
    for (int j = 0; j < cols; ++j) to[j] = expf(from[j] - largest) / sum;
}
