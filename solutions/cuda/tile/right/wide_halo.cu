// A halo of a whole warp on both sides, so that every fetch begins at a multiple of 32.
#include "tile.hpp"

__global__ void sum_of_three(const float* x, float* y, int n) {
    __shared__ float part[tile + 64];
    const int start = int(blockIdx.x) * tile - 32;
    for (int place = threadIdx.x; place < tile + 64; place += blockDim.x)
        part[place] = start + place < 0 || start + place >= n ? 0 : x[start + place];
    __syncthreads();
    const int middle = threadIdx.x + 32, i = start + middle;
    float sum = 0;
    for (int place = middle - 1; place <= middle + 1; ++place) sum += part[place];
    if (i < n) y[i] = sum;
}
