// Shuffles within the warps, then one thread adds their eight sums.
#include "reduction.hpp"

// Every warp folds its numbers by shuffles; the first thread adds the eight sums from shared memory.
__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float of_warp[group / 32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = i < n ? x[i] : 0;
    for (int far = 1; far < 32; far += far) mine += __shfl_down_sync(0xffffffff, mine, far);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x > 0) return;
    float whole = of_warp[0];
    for (int warp = 1; warp < group / 32; ++warp) whole += of_warp[warp];
    sums[blockIdx.x] = whole;
}
