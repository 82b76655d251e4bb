// wrong: no-tile
#include "tile.hpp"

__global__ void sum_of_three(const float* x, float* y, int n) {
    const int i = blockIdx.x * tile + threadIdx.x;
    if (i >= n) return;
    float sum = x[i];
    if (i > 0) sum += x[i - 1];
    if (i + 1 < n) sum += x[i + 1];
    y[i] = sum;
}
