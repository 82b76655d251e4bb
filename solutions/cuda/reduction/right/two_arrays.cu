// Each round writes into another array than it reads; a last round in registers.
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[2][group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float* from = part[0];
    float* to = part[1];
    from[t] = n > i ? x[i] : 0;
    for (int left = group; left > 2; left /= 2) {
        __syncthreads();
        if (t < left / 2) to[t] = from[t] + from[t + left / 2];
        float* const last = from;
        from = to;
        to = last;
    }
    __syncthreads();
    if (t == 255) sums[blockIdx.x] = from[0] + from[1];
}
