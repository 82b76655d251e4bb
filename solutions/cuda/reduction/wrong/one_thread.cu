// wrong: one-thread
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    if (threadIdx.x > 0) return;
    float sum = 0;
    for (int i = blockIdx.x * group; i < int(blockIdx.x + 1) * group && i < n; ++i) sum += x[i];
    sums[blockIdx.x] = sum;
}
