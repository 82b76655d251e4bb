// The next tiles are fetched while these are used: one barrier for each step.
#include "tiled_product.hpp"

__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float tiles[2][2][tile][tile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * tile + y, j = blockIdx.x * tile + x, steps = (k + tile - 1) / tile;
    float sum = 0;
    for (int step = 0; step <= steps; ++step) {
        if (step < steps) {
            const int p0 = step * tile;
            tiles[step % 2][0][y][x] = i < m && p0 + x < k ? a[i * k + p0 + x] : 0;
            tiles[step % 2][1][y][x] = p0 + y < k && j < n ? b[(p0 + y) * n + j] : 0;
        }
        if (step > 0)
            for (int p = 0; p < tile; ++p) sum += tiles[1 - step % 2][0][y][p] * tiles[1 - step % 2][1][p][x];
        __syncthreads();
    }
    if (i < m && j < n) c[i * n + j] = sum;
}
