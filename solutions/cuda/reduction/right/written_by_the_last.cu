// Folds towards the end of the array, and the last thread writes.
#include "reduction.hpp"

// Folded towards the end: the last thread holds the sum.
__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[group];
    const int t = int(threadIdx.x), first = int(blockIdx.x) * group;
    part[t] = 0;
    if (first + t < n) part[t] = x[first + t];
    for (int half = group / 2; half >= 1; half >>= 1) {
        __syncthreads();
        if (t >= group - half) part[t] += part[t - half];
    }
    if (t == group - 1) *(sums + blockIdx.x) = part[t];
}
