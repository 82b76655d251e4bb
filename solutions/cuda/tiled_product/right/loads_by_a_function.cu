// A function reads a number or 0; the barrier stands at the start of a step.
#include "tiled_product.hpp"

// A number of a matrix, or 0 outside of it.
__device__ float number(const float* from, int row, int col, int rows, int cols) {
    return row < rows && col < cols ? from[row * cols + col] : 0.0f;
}

__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float left[tile][tile + 1], right[tile][tile + 1];
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    const int steps = (k + tile - 1) / tile;
    float sum = 0;
    for (int step = 0; step < steps; ++step) {
        if (step > 0) __syncthreads();  // the tiles of the step before are done with
        left[threadIdx.y][threadIdx.x] = number(a, row, step * tile + threadIdx.x, m, k);
        right[threadIdx.y][threadIdx.x] = number(b, step * tile + threadIdx.y, col, k, n);
        __syncthreads();
        for (int p = tile - 1; p >= 0; --p) sum = left[threadIdx.y][p] * right[p][threadIdx.x] + sum;
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
