// A tree of sums upwards, then what lies before each branch downwards.
#include "scan.hpp"

__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    const float mine = i < n ? x[i] : 0;
    part[t] = mine;
    for (int apart = 1; apart < group; apart *= 2) {
        __syncthreads();
        const int at = 2 * apart * (t + 1) - 1;
        if (at < group) part[at] += part[at - apart];
    }
    __syncthreads();
    if (t == 0) {
        totals[blockIdx.x] = part[group - 1];
        part[group - 1] = 0;
    }
    for (int apart = group / 2; apart > 0; apart /= 2) {
        __syncthreads();
        const int at = 2 * apart * (t + 1) - 1;
        if (at < group) {
            const float left = part[at - apart];
            part[at - apart] = part[at];
            part[at] += left;
        }
    }
    __syncthreads();
    if (i < n) y[i] = part[t] + mine;
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (i < n && blockIdx.x > 0) y[i] += sums[blockIdx.x - 1];
}
