// Two loops over rows and columns of the tile, in steps of the block's sides; the weights by the first row of threads.
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    __shared__ float part[tile + 2 * reach][tile + 2 * reach], weights[side * side];
    const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * tile + ty, j = blockIdx.x * tile + tx;
    float sum = 0;
    for (int c = 0; c < channels; ++c, x += height * width, w += side * side) {
        for (int row = ty; row < tile + 2 * reach; row += tile)
            for (int col = tx; col < tile + 2 * reach; col += tile) {
                const int of_row = i - ty + row - reach, of_col = j - tx + col - reach;
                float number = 0;
                if (0 <= of_row && of_row < height && 0 <= of_col && of_col < width)
                    number = x[of_row * width + of_col];
                part[row][col] = number;
            }
        if (ty == 0)
            for (int k = tx; k < side * side; k += tile) weights[k] = w[k];
        __syncthreads();
        for (int v = side - 1; v >= 0; --v)
            for (int u = side - 1; u >= 0; --u) sum += part[ty + u][tx + v] * weights[u * side + v];
        __syncthreads();
    }
    if (i < height && j < width) y[i * width + j] = sum;
}
