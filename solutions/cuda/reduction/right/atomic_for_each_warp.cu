// Each warp by shuffles, then one atomic a warp.
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    float sum = i < n ? x[i] : 0;
    for (int apart = 1; apart < 32; apart *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    if (threadIdx.x == 0) sums[blockIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(sums + blockIdx.x, sum);
}
