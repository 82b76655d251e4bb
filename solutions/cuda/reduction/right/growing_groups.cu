// A tree that folds the array in halves, with a barrier at the start of each round.
#include "reduction.hpp"

// Thread t adds the places t and t + 1 of groups that grow, packed to the front: 256, 128, 64 ... numbers are left.
__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float now[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    now[t] = i >= n ? 0.0f : x[i];
    int left = group;
    while (left > 1) {
        __syncthreads();
        left /= 2;
        const float other = t < left ? now[t + left] : 0.0f;
        if (t < left) now[t] = now[t] + other;
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = now[0];
}
