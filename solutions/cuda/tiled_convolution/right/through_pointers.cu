// The kernel computes with pointers, and each block adds up in y, which it sets to zero first.
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    constexpr int whole = tile + 2 * reach;
    __shared__ float x_tile[whole * whole], w_tile[side * side];
    const int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const int i = blockIdx.y * tile + threadIdx.y, j = blockIdx.x * tile + threadIdx.x;
    const bool mine = i < height && j < width;
    float* const to = y + i * width + j;
    if (mine) *to = 0;
    for (const float* end = w + channels * side * side; w < end; w += side * side, x += height * width) {
        for (int place = t; place < whole * whole; place += threads) {
            const int row = i - int(threadIdx.y) - reach + place / whole,
                      col = j - int(threadIdx.x) - reach + place % whole;
            x_tile[place] = row >= 0 && row < height && col >= 0 && col < width ? *(x + row * width + col) : 0;
        }
        if (t < side * side) w_tile[t] = w[t];
        __syncthreads();
        const float* from = x_tile + threadIdx.y * whole + threadIdx.x;
        float sum = 0;
        for (const float* weight = w_tile; weight < w_tile + side * side; from += whole - side)
            for (int v = 0; v < side; ++v) sum += *weight++ * *from++;
        if (mine) *to += sum;
        __syncthreads();
    }
}
