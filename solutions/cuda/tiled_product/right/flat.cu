// Flat arrays, a flat number of the thread, and a function of the device that fetches.
#include "tiled_product.hpp"

__device__ float number(const float* matrix, int rows, int cols, int row, int col) {
    return row < rows && col < cols ? matrix[row * cols + col] : 0;
}

__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float a_tile[tile * tile], b_tile[tile * tile];
    const int t = threadIdx.y * tile + threadIdx.x, top = blockIdx.y * tile, left = blockIdx.x * tile;
    const int i = top + t / tile, j = left + t % tile;
    float even = 0, odd = 0;
    for (int step = 0; step * tile < k; ++step) {
        a_tile[t] = number(a, m, k, top + t / tile, step * tile + t % tile);
        b_tile[t] = number(b, k, n, step * tile + t / tile, left + t % tile);
        __syncthreads();
        for (int p = 0; p < tile; p += 2) {
            even += a_tile[t / tile * tile + p] * b_tile[p * tile + t % tile];
            odd += a_tile[t / tile * tile + p + 1] * b_tile[(p + 1) * tile + t % tile];
        }
        __syncthreads();
    }
    if (i < m && j < n) c[i * n + j] = even + odd;
}
