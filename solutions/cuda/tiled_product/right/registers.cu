// A thread holds its row of a by shuffles: only b lies in shared memory.
#include "tiled_product.hpp"

__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float b_tile[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * tile + y, j = blockIdx.x * tile + x;
    float sum = 0;
    for (int p0 = 0; p0 < k; p0 += tile) {
        const float mine = i < m && p0 + x < k ? a[i * k + p0 + x] : 0;
        b_tile[y][x] = p0 + y < k && j < n ? b[(p0 + y) * n + j] : 0;
        __syncthreads();
        for (int p = 0; p < tile; ++p) sum = fmaf(__shfl_sync(0xffffffffu, mine, p, 16), b_tile[p][x], sum);
        __syncthreads();
    }
    if (i < m && j < n) c[i * n + j] = sum;
}
