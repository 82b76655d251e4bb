// Both tiles in one flat array, and as many terms as there are.
#include "tiled_product.hpp"

// Both tiles in one flat array, pointers that walk.
__global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float both[2 * tile * tile];
    float* const of_a = both;
    float* const of_b = both + tile * tile;
    const int x = threadIdx.x, y = threadIdx.y, place = y * tile + x;
    const int i = blockIdx.y * tile + y, j = blockIdx.x * tile + x;
    float sum = 0;
    for (int left = k, p = 0; left > 0; left -= tile, p += tile) {
        of_a[place] = i < m && x < left ? a[i * k + p + x] : 0;
        of_b[place] = j < n && y < left ? b[(p + y) * n + j] : 0;
        __syncthreads();
        const int terms = left < tile ? left : tile;
        for (int q = 0; q < terms; ++q) sum += of_a[y * tile + q] * of_b[q * tile + x];
        __syncthreads();
    }
    if (i >= m || j >= n) return;
    *(c + i * n + j) = sum;
}
