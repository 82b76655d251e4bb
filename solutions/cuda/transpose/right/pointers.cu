// Pointers that walk, and a template for the padding.
#include "transpose.hpp"

template <int Width>
__device__ void turn(const float* x, float* y, int rows, int cols, float (&part)[side][Width]) {
    const int row = blockIdx.y * side + threadIdx.y, col = blockIdx.x * side + threadIdx.x;
    const float* from = x + row * cols + col;
    for (int k = 0; k < side && row + k < rows && col < cols; k += lines, from += lines * cols)
        part[threadIdx.y + k][threadIdx.x] = *from;
    __syncthreads();
    const int down = blockIdx.x * side + threadIdx.y, across = blockIdx.y * side + threadIdx.x;
    float* to = y + down * rows + across;
    for (int k = 0; k < side && down + k < cols && across < rows; k += lines, to += lines * rows)
        *to = part[threadIdx.x][threadIdx.y + k];
}

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float part[side][side + 5];
    turn(x, y, rows, cols, part);
}
