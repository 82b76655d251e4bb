// An exclusive scan, to which each thread adds its own number.
#include "scan.hpp"

// The sum of all before, then the number itself.
__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ float part[group + 1];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const float own = i < n ? x[i] : 0;
    part[t + 1] = own;
    if (t == 0) part[0] = 0;
    __syncthreads();
    for (int far = 1; far < group; far *= 2) {
        float sum = part[t];
        if (t >= far) sum += part[t - far];
        __syncthreads();
        part[t] = sum;
        __syncthreads();
    }
    if (i < n) y[i] = part[t] + own;
    if (i == n - 1 || t == group - 1) totals[blockIdx.x] = part[t] + own;
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (blockIdx.x == 0 || i >= n) return;
    y[i] = y[i] + *(sums + blockIdx.x - 1);
}
