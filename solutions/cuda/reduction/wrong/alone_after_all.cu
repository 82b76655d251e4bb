// wrong: alone-after-all
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    if (t == 0)
        for (int other = 1; other < group; ++other) part[0] += part[other];
    if (t == 0) sums[blockIdx.x] = part[0];
}
