// Two arrays in turn, so that a round has one barrier.
#include "scan.hpp"

// Two halves of one array: each round reads one and writes the other, so one barrier a round is enough.
__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    __shared__ float both[2 * group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    int from = 0;
    both[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int far = 1; far < group; far <<= 1) {
        const int to = group - from;
        both[to + t] = both[from + t] + (t < far ? 0 : both[from + t - far]);
        from = to;
        __syncthreads();
    }
    if (i < n) y[i] = both[from + t];
    if (t == 0) totals[blockIdx.x] = both[from + group - 1];
}

__global__ void add_before(float* y, const float* sums, int n) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (blockIdx.x == 0 || i >= n) return;
    y[i] = y[i] + *(sums + blockIdx.x - 1);
}
