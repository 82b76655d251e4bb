// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ladder/products.cuh>

#include "tile.hpp"

__global__ void sum_of_three(const float* x, float* y, int n) {
    __shared__ float part[tile + 2];
    const int t = threadIdx.x, i = blockIdx.x * tile + t;
    part[t + 1] = i < n ? x[i] : 0;
    if (t == 0) part[0] = i > 0 ? x[i - 1] : 0;
    if (t == tile - 1) part[tile + 1] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    if (i < n) y[i] = part[t] + part[t + 1] + part[t + 2];
}
