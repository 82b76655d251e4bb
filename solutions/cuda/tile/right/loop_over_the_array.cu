// A loop fills the tile with its halo.
#include "tile.hpp"

// The threads fill tile + 2 places in a loop.
__global__ void sum_of_three(const float* x, float* y, int n) {
    __shared__ float part[tile + 2];
    const int first = blockIdx.x * tile - 1;
    for (int k = threadIdx.x; k < tile + 2; k += tile) {
        const int at = first + k;
        part[k] = at < 0 || at >= n ? 0 : x[at];
    }
    __syncthreads();
    const int k = threadIdx.x;
    if (first + 1 + k < n) y[first + 1 + k] = part[k] + (part[k + 1] + part[k + 2]);
}
