// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ladder/reductions.cuh>

#include "scan.hpp"

__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = 1; apart < group; apart *= 2) {
        const float before = t >= apart ? part[t - apart] : 0;
        __syncthreads();
        part[t] += before;
        __syncthreads();
    }
    if (i < n) y[i] = part[t];
    if (t == group - 1) totals[blockIdx.x] = part[t];
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (i < n && blockIdx.x > 0) y[i] += sums[blockIdx.x - 1];
}
