// Within each warp by shuffles, then the first warp once more.
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[group / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * group + threadIdx.x;
    float sum = i < n ? x[i] : 0;
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    sum = lane < group / 32 ? part[lane] : 0;
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffu, sum, apart);
    if (lane == 0) sums[blockIdx.x] = sum;
}
