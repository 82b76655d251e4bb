#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    constexpr int whole = tile + 2 * reach;
    __shared__ float x_tile[whole][whole], w_tile[side][side];
    const int t = threadIdx.y * tile + threadIdx.x;
    const int top = blockIdx.y * tile, left = blockIdx.x * tile;
    float sum = 0;
    for (int c = 0; c < channels; ++c) {
        for (int place = t; place < whole * whole; place += tile * tile) {
            const int row = top - reach + place / whole, col = left - reach + place % whole;
            const bool inside = row >= 0 && row < height && col >= 0 && col < width;
            x_tile[place / whole][place % whole] = inside ? x[(c * height + row) * width + col] : 0;
        }
        if (t < side * side) w_tile[t / side][t % side] = w[c * side * side + t];
        __syncthreads();
        for (int u = 0; u < side; ++u)
            for (int v = 0; v < side; ++v) sum += w_tile[u][v] * x_tile[threadIdx.y + u][threadIdx.x + v];
        __syncthreads();
    }
    const int i = top + threadIdx.y, j = left + threadIdx.x;
    if (i < height && j < width) y[i * width + j] = sum;
}
