// wrong: no-tile
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    const int i = blockIdx.y * tile + threadIdx.y, j = blockIdx.x * tile + threadIdx.x;
    if (i >= height || j >= width) return;
    float sum = 0;
    for (int c = 0; c < channels; ++c)
        for (int u = 0; u < side; ++u)
            for (int v = 0; v < side; ++v) {
                const int row = i + u - reach, col = j + v - reach;
                if (row >= 0 && row < height && col >= 0 && col < width)
                    sum += w[(c * side + u) * side + v] * x[(c * height + row) * width + col];
            }
    y[i * width + j] = sum;
}
