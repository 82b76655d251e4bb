// wrong: no-tile
#include "tiled_product.hpp"

__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
    const int i = blockIdx.y * tile + threadIdx.y, j = blockIdx.x * tile + threadIdx.x;
    if (i >= m || j >= n) return;
    float sum = 0;
    for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
    c[i * n + j] = sum;
}
