// A flat tile with rows of 35 places.
#include "transpose.hpp"

// A flat tile whose rows have 35 places: 35 and 32 have no divisor in common.
__global__ void transpose(const float* x, float* y, int rows, int cols) {
    constexpr int width = side + 3;
    __shared__ float part[side * width];
    const int col = blockIdx.x * side + threadIdx.x, line = blockIdx.y * side + threadIdx.y;
    for (int k = 0; k < side / lines; ++k) {
        const int row = line + k * lines;
        if (row < rows && col < cols) part[(threadIdx.y + k * lines) * width + threadIdx.x] = x[row * cols + col];
    }
    __syncthreads();
    const int new_col = blockIdx.y * side + threadIdx.x, new_line = blockIdx.x * side + threadIdx.y;
    for (int k = 0; k < side / lines; ++k) {
        const int new_row = new_line + k * lines;
        if (new_row < cols && new_col < rows) y[new_row * rows + new_col] = part[threadIdx.x * width + threadIdx.y + k * lines];
    }
}
