// Counts threads from the end, in double precision; add_before asks for its own block first.
#include "scan.hpp"

__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ double part[group];
    const int t = group - 1 - int(threadIdx.x), i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = 1; apart < group; apart *= 2) {
        double before = 0;
        if (t - apart >= 0) before = part[t - apart];
        __syncthreads();
        part[t] += before;
        __syncthreads();
    }
    if (i < n) y[i] = float(part[t]);
    if (t == group - 1) totals[blockIdx.x] = float(part[t]);
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (blockIdx.x == 0 || i >= n) return;
    const float before = *(sums + blockIdx.x - 1);
    y[i] = before + y[i];
}
