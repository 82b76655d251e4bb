// Keeps the exponentials in y until their sum is known, columns from the end.
#include "softmax_row.hpp"

#include <cmath>

// The exponentials wait in y until their sum is known, and columns are taken from the end.
__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float largest[group], sums[group];
    const int t = threadIdx.x, row = blockIdx.x * cols, last = (cols - 1) / group * group + t;
    largest[t] = -INFINITY;
    for (int j = last; j >= 0; j -= group)
        if (j < cols) largest[t] = fmaxf(largest[t], x[row + j]);
    for (int far = group / 2; far > 0; far /= 2) {
        __syncthreads();
        if (t < far) largest[t] = fmaxf(largest[t], largest[t + far]);
    }
    __syncthreads();
    sums[t] = 0;
    for (int j = last; j >= 0; j -= group)
        if (j < cols) sums[t] += y[row + j] = expf(x[row + j] - largest[0]);
    for (int far = group / 2; far > 0; far /= 2) {
        __syncthreads();
        if (t < far) sums[t] += sums[t + far];
    }
    __syncthreads();
    for (int j = last; j >= 0; j -= group)
        if (j < cols) y[row + j] /= sums[0];
}
