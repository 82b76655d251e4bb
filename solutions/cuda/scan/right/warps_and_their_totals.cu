// Shuffles within the warps, then the totals of the warps before.
#include "scan.hpp"

// Each warp scans by shuffles; then every thread adds the totals of the warps before its own.
__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ float of_warp[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * group + t;
    float sum = i < n ? x[i] : 0;
    for (int far = 1; far < 32; far *= 2) {
        const float before = __shfl_up_sync(0xffffffff, sum, far);
        if (lane >= far) sum += before;
    }
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    for (int other = 0; other < warp; ++other) sum += of_warp[other];
    if (i < n) y[i] = sum;
    if (t == group - 1) totals[blockIdx.x] = sum;
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (blockIdx.x == 0 || i >= n) return;
    y[i] = y[i] + *(sums + blockIdx.x - 1);
}
