// One line of tiles after the other: 8 rows of the tile by each step, with two barriers each.
#include "transpose.hpp"

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float part[side][side + 1];
    for (int step = 3; step >= 0; --step) {
        const int k = step * lines + threadIdx.y, row = blockIdx.y * side + k, col = blockIdx.x * side + threadIdx.x;
        if (col < cols && row < rows) part[k][threadIdx.x] = x[row * cols + col];
        __syncthreads();
    }
    const int row = blockIdx.y * side + threadIdx.x;
    if (row >= rows) return;
    for (int k = side - lines + int(threadIdx.y); k >= 0; k -= lines) {
        const int col = blockIdx.x * side + k;
        if (col < cols) y[col * rows + row] = part[threadIdx.x][k];
    }
}
