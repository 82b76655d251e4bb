// Each round reads one array and writes the other: one barrier a round.
#include "scan.hpp"

__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ float part[2][group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    int from = 0;
    part[from][t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = 1; apart < group; apart *= 2, from = 1 - from) {
        part[1 - from][t] = part[from][t] + (t < apart ? 0 : part[from][t - apart]);
        __syncthreads();
    }
    if (i < n) y[i] = part[from][t];
    if (t == 0) totals[blockIdx.x] = part[from][group - 1];
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (i < n && blockIdx.x > 0) y[i] += sums[blockIdx.x - 1];
}
