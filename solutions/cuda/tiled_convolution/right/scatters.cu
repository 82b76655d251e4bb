// Each place of the tile adds its products to the sums in shared memory that it belongs to, one weight at a time.
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    constexpr int whole = tile + 2 * reach;
    __shared__ float x_tile[whole][whole], w_tile[side * side], sums[tile][tile];
    const int t = threadIdx.y * tile + threadIdx.x, top = blockIdx.y * tile, left = blockIdx.x * tile;
    sums[threadIdx.y][threadIdx.x] = 0;
    for (int c = 0; c < channels; ++c) {
        for (int place = t; place < whole * whole; place += tile * tile) {
            const int row = top - reach + place / whole, col = left - reach + place % whole;
            const bool inside = row >= 0 && row < height && col >= 0 && col < width;
            x_tile[place / whole][place % whole] = inside ? x[(c * height + row) * width + col] : 0;
        }
        if (t < side * side) w_tile[t] = w[c * side * side + t];
        __syncthreads();
        for (int k = 0; k < side * side; ++k) {
            for (int place = t; place < whole * whole; place += tile * tile) {
                const int row = place / whole - k / side, col = place % whole - k % side;
                if (row >= 0 && row < tile && col >= 0 && col < tile)
                    sums[row][col] += w_tile[k] * x_tile[place / whole][place % whole];
            }
            __syncthreads();
        }
    }
    const int i = top + threadIdx.y, j = left + threadIdx.x;
    if (i < height && j < width) y[i * width + j] = sums[threadIdx.y][threadIdx.x];
}
