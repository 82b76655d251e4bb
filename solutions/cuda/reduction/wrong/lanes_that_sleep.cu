// wrong: lanes-that-sleep
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[group / 32];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float sum = i < n ? x[i] : 0;
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffu, sum, apart);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    if (t < group / 32) {
        sum = part[t];
        for (int apart = group / 64; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffu, sum, apart);
    }
    if (t == 0) sums[blockIdx.x] = sum;
}
