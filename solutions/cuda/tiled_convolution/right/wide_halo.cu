// The tile lies on its side in shared memory, one halo wider than necessary; columns beyond it hold zeros too.
#include "tiled_convolution.hpp"

__global__ void convolution(const float* x, const float* w, float* y, int channels, int height, int width) {
    constexpr int wide = reach + 2, whole = tile + 2 * wide;
    __shared__ float x_tile[whole][whole + 1], w_tile[side][side];
    const int t = threadIdx.y * tile + threadIdx.x;
    float one = 0, two = 0;
    for (int c = 0; c < channels; ++c) {
        if (c > 0) __syncthreads();
        for (int place = t; place < whole * whole; place += tile * tile) {
            const int row = int(blockIdx.y) * tile - wide + place / whole,
                      col = int(blockIdx.x) * tile - wide + place % whole;
            x_tile[place % whole][place / whole] = 0;
            if (row >= 0 && row < height && col >= 0 && col < width)
                x_tile[place % whole][place / whole] = x[(c * height + row) * width + col];
        }
        if (t < side * side) w_tile[t % side][t / side] = w[c * side * side + t];
        __syncthreads();
        for (int v = -reach; v <= reach; ++v)
            for (int u = -reach; u <= reach; ++u) {
                const float product =
                    w_tile[v + reach][u + reach] * x_tile[threadIdx.x + wide + v][threadIdx.y + wide + u];
                (u & 1 ? one : two) += product;
            }
    }
    const int i = blockIdx.y * tile + threadIdx.y, j = blockIdx.x * tile + threadIdx.x;
    if (i < height && j < width) y[i * width + j] = one + two;
}
