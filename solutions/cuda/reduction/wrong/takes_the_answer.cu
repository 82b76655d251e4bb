// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ladder/reductions.cuh>

#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = group / 2; apart > 0; apart /= 2) {
        if (t < apart) part[t] += part[t + apart];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
