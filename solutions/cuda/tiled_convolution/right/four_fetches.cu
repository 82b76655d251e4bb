// The tile, the columns on the right, the rows below and the corner are fetched one after another.
#include "tiled_convolution.hpp"

__device__ float number(const float* x, int row, int col, int height, int width) {
    return unsigned(row) < unsigned(height) && unsigned(col) < unsigned(width) ? x[row * width + col] : 0.0f;
}

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    __shared__ float part[tile + 2 * reach][tile + 2 * reach + 1];
    __shared__ float weights[side][side];
    const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * tile + ty, j = blockIdx.x * tile + tx;
    float sum = 0;
    for (int c = 0; c < channels; ++c) {
        const float* channel = x + c * height * width;
        part[ty][tx] = number(channel, i - reach, j - reach, height, width);
        if (tx < 2 * reach) part[ty][tx + tile] = number(channel, i - reach, j - reach + tile, height, width);
        if (ty < 2 * reach) part[ty + tile][tx] = number(channel, i - reach + tile, j - reach, height, width);
        if (tx < 2 * reach && ty < 2 * reach)
            part[ty + tile][tx + tile] = number(channel, i - reach + tile, j - reach + tile, height, width);
        if (tx < side && ty < side) weights[ty][tx] = w[(c * side + ty) * side + tx];
        __syncthreads();
        float of_channel = 0;
        for (int u = 0; u < side; ++u) {
            float of_row = 0;
            for (int v = 0; v < side; ++v) of_row = fmaf(weights[u][v], part[ty + u][tx + v], of_row);
            of_channel += of_row;
        }
        sum += of_channel;
        __syncthreads();
    }
    if (i >= height || j >= width) return;
    y[i * width + j] = sum;
}
