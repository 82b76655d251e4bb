// All channels lie in shared memory at the same time: one barrier. The sum is in double precision, last channel first.
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    constexpr int whole = tile + 2 * reach, most = 8;
    __shared__ float x_tile[most][whole][whole], w_tile[most * side * side];
    const int t = threadIdx.y * tile + threadIdx.x, top = blockIdx.y * tile, left = blockIdx.x * tile;
    for (int place = t; place < channels * whole * whole; place += tile * tile) {
        const int c = place / (whole * whole), row = place / whole % whole, col = place % whole;
        const int of_row = top + row - reach, of_col = left + col - reach;
        const bool outside = of_row < 0 || of_col < 0 || of_row >= height || of_col >= width;
        x_tile[c][row][col] = outside ? 0 : x[(c * height + of_row) * width + of_col];
    }
    if (t < channels * side * side) w_tile[t] = w[t];
    __syncthreads();
    double sum = 0;
    for (int c = channels - 1; c >= 0; --c)
        for (int k = 0; k < side * side; ++k)
            sum += double(w_tile[c * side * side + k]) * x_tile[c][threadIdx.y + k / side][threadIdx.x + k % side];
    if (top + int(threadIdx.y) < height && left + int(threadIdx.x) < width)
        y[(top + threadIdx.y) * width + left + threadIdx.x] = float(sum);
}
