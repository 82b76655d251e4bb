// A sum for each step, of even and of odd terms.
#include "tiled_product.hpp"

// Each step has a sum of its own, with even and odd terms apart.
__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * tile + y, j = blockIdx.x * tile + x;
    float whole = 0;
    int p0 = 0;
    do {
        a_tile[y][x] = 0;
        b_tile[y][x] = 0;
        if (i < m && p0 + x < k) a_tile[y][x] = a[i * k + p0 + x];
        if (p0 + y < k && j < n) b_tile[y][x] = b[(p0 + y) * n + j];
        __syncthreads();
        float even = 0, odd = 0;
        for (int p = 0; p < tile; p += 2) {
            even += a_tile[y][p] * b_tile[p][x];
            odd += a_tile[y][p + 1] * b_tile[p + 1][x];
        }
        whole += even + odd;
        __syncthreads();
        p0 += tile;
    } while (p0 < k);
    if (i < m && j < n) c[n * i + j] = whole;
}
