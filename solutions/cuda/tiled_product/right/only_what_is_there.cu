// The last step is shorter, so that no zeros are necessary.
#include "tiled_product.hpp"

__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * tile + y, j = blockIdx.x * tile + x;
    float sum = 0;
    for (int p0 = 0; p0 < k; p0 += tile) {
        if (i < m && p0 + x < k) a_tile[y][x] = a[i * k + p0 + x];
        if (p0 + y < k && j < n) b_tile[y][x] = b[(p0 + y) * n + j];
        __syncthreads();
        if (i < m && j < n)
            for (int p = 0; p < min(tile, k - p0); ++p) sum += a_tile[y][p] * b_tile[p][x];
        __syncthreads();
    }
    if (i < m && j < n) c[i * n + j] = sum;
}
