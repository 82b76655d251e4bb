// wrong: everybody-adds-to-one
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float sum;
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    if (t == 0) sum = 0;
    __syncthreads();
    if (i < n) sum += x[i];
    __syncthreads();
    if (t == 0) sums[blockIdx.x] = sum;
}
