// The next channel is fetched while this one is used: one barrier for each channel.
#include "tiled_convolution.hpp"

constexpr int whole = tile + 2 * reach;

__device__ void fetch(float to[whole][whole], float* weights, const float* x, const float* w, int height, int width) {
    const int t = threadIdx.y * tile + threadIdx.x;
    for (int place = t; place < whole * whole; place += tile * tile) {
        const int row = int(blockIdx.y) * tile - reach + place / whole,
                  col = int(blockIdx.x) * tile - reach + place % whole;
        const bool inside = row >= 0 && row < height && col >= 0 && col < width;
        to[place / whole][place % whole] = inside ? x[row * width + col] : 0;
    }
    if (t < side * side) weights[t] = w[t];
}

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    __shared__ float tiles[2][whole][whole], weights[2][side * side];
    float sum = 0;
    fetch(tiles[0], weights[0], x, w, height, width);
    for (int c = 0; c < channels; ++c) {
        __syncthreads();
        const int now = c % 2, next = 1 - now;
        if (c + 1 < channels)
            fetch(tiles[next], weights[next], x + (c + 1) * height * width, w + (c + 1) * side * side, height, width);
        for (int u = 0; u < side; ++u)
            for (int v = 0; v < side; ++v)
                sum += weights[now][u * side + v] * tiles[now][threadIdx.y + u][threadIdx.x + v];
    }
    const int i = blockIdx.y * tile + threadIdx.y, j = blockIdx.x * tile + threadIdx.x;
    if (i < height && j < width) y[i * width + j] = sum;
}
