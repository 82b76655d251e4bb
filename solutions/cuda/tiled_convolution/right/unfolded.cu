// Each thread copies its window into registers, and a dot product follows. The threads are numbered column by column.
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    constexpr int whole = tile + 2 * reach;
    __shared__ float flat[whole * whole + side * side];
    float* const weights = flat + whole * whole;
    const int t = threadIdx.y * tile + threadIdx.x, down = t % tile, across = t / tile;
    const int i = blockIdx.y * tile + down, j = blockIdx.x * tile + across;
    float sum = 0;
    int c = 0;
    do {
        for (int place = tile * tile - 1 - t; place < whole * whole + side * side; place += tile * tile) {
            if (place >= whole * whole) {
                flat[place] = w[c * side * side + place - whole * whole];
                continue;
            }
            const int row = int(blockIdx.y) * tile - reach + place / whole,
                      col = int(blockIdx.x) * tile - reach + place % whole;
            flat[place] = row < 0 || row >= height || col < 0 || col >= width ? 0 : x[(c * height + row) * width + col];
        }
        __syncthreads();
        float window[side * side];
        for (int k = 0; k < side * side; ++k) window[k] = flat[(down + k / side) * whole + across + k % side];
        for (int k = 0; k < side * side; ++k) sum += window[k] * weights[k];
        __syncthreads();
    } while (++c < channels);
    if (i < height && j < width) y[i * width + j] = sum;
}
