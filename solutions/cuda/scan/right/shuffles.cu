// Within each warp by shuffles; then each warp adds the sums of the warps before it.
#include "scan.hpp"

__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ float warps[group / 32];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, i = blockIdx.x * group + t;
    float sum = i < n ? x[i] : 0;
    for (int apart = 1; apart < 32; apart *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, sum, apart);
        if (lane >= apart) sum += before;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    for (int other = 0; other < warp; ++other) sum += warps[other];
    if (i < n) y[i] = sum;
    if (t == group - 1) totals[blockIdx.x] = sum;
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (i < n && blockIdx.x > 0) y[i] += sums[blockIdx.x - 1];
}
