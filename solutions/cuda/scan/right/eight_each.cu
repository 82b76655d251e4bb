// One warp: each lane sums 8 places, the lanes scan their sums, and each lane goes over its 8 places once more.
#include "scan.hpp"

__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    if (t < 32) {
        float mine = 0;
        for (int k = 8 * t; k < 8 * t + 8; ++k) mine += part[k];
        float sum = mine;
        for (int apart = 1; apart < 32; apart *= 2) {
            const float before = __shfl_up_sync(0xffffffffu, sum, apart);
            if (t >= apart) sum += before;
        }
        sum -= mine;
        for (int k = 8 * t; k < 8 * t + 8; ++k) part[k] = sum += part[k];
        if (t == 31) totals[blockIdx.x] = sum;
    }
    __syncthreads();
    if (i < n) y[i] = part[t];
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (i < n && blockIdx.x > 0) y[i] += sums[blockIdx.x - 1];
}
