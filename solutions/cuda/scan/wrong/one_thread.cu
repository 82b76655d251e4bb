// wrong: one-thread
#include "scan.hpp"

__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    if (threadIdx.x > 0) return;
    float sum = 0;
    for (int i = blockIdx.x * group; i < int(blockIdx.x + 1) * group && i < n; ++i) {
        sum += x[i];
        y[i] = sum;
    }
    totals[blockIdx.x] = sum;
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (i < n && blockIdx.x > 0) y[i] += sums[blockIdx.x - 1];
}
