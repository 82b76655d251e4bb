// wrong: no-tile
#include "transpose.hpp"

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    const int top = blockIdx.y * side, col = blockIdx.x * side + threadIdx.x;
    for (int row = top + threadIdx.y; row < top + side && row < rows; row += lines)
        if (col < cols) y[col * rows + row] = x[row * cols + col];
}
