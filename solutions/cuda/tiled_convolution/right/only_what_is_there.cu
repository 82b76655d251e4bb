// Places outside of the image are neither written nor used.
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    constexpr int whole = tile + 2 * reach;
    __shared__ float x_tile[whole * whole], w_tile[side * side];
    const int t = threadIdx.y * tile + threadIdx.x, top = blockIdx.y * tile - reach, left = blockIdx.x * tile - reach;
    const int i = blockIdx.y * tile + threadIdx.y, j = blockIdx.x * tile + threadIdx.x;
    const bool mine = i < height && j < width;
    float sum = 0;
    for (int c = 0; c < channels; ++c) {
        for (int place = t; place < whole * whole; place += tile * tile) {
            const int row = top + place / whole, col = left + place % whole;
            if (row >= 0 && row < height && col >= 0 && col < width)
                x_tile[place] = x[c * height * width + row * width + col];
        }
        if (t < side * side) w_tile[t] = w[c * side * side + t];
        __syncthreads();
        if (mine)
            for (int row = max(0, i - reach); row <= min(height - 1, i + reach); ++row)
                for (int col = max(0, j - reach); col <= min(width - 1, j + reach); ++col)
                    sum +=
                        w_tile[(row - i + reach) * side + col - j + reach] * x_tile[(row - top) * whole + col - left];
        __syncthreads();
    }
    if (mine) y[i * width + j] = sum;
}
