// A warp fetches a row of the tile: 20 of its 32 lanes. The weights go from lane to lane by shuffles.
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    constexpr int whole = tile + 2 * reach;
    __shared__ float x_tile[whole][32];
    const int t = threadIdx.y * tile + threadIdx.x, warp = t / 32, lane = t % 32;
    const int i = blockIdx.y * tile + threadIdx.y, j = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < channels; ++c) {
        for (int row = warp; row < whole; row += tile * tile / 32) {
            const int of_row = int(blockIdx.y) * tile + row - reach, of_col = int(blockIdx.x) * tile + lane - reach;
            const bool inside = lane < whole && of_row >= 0 && of_row < height && of_col >= 0 && of_col < width;
            x_tile[row][lane] = inside ? x[(c * height + of_row) * width + of_col] : 0;
        }
        const float mine = lane < side * side ? w[c * side * side + lane] : 0;
        __syncthreads();
        for (int k = 0; k < side * side; ++k)
            sum += __shfl_sync(0xffffffffu, mine, k) * x_tile[threadIdx.y + k / side][threadIdx.x + k % side];
        __syncthreads();
    }
    if (i < height && j < width) y[i * width + j] = sum;
}
