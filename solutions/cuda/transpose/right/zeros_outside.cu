// Fills the whole tile, with zeros outside of x, and writes through a moved pointer.
#include "transpose.hpp"

// The whole tile is filled, with zeros outside of x; only what lies in y is written.
__global__ void transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float part[side][side + 1];
    const int lane = threadIdx.x;
    int row = blockIdx.y * side + threadIdx.y;
    const int col = blockIdx.x * side + lane;
    for (int k = threadIdx.y; k < side; k += lines, row += lines) part[k][lane] = row < rows && col < cols ? x[row * cols + col] : 0;
    __syncthreads();
    float* const to = y + blockIdx.x * side * rows + blockIdx.y * side;
    const int height = cols - int(blockIdx.x) * side, width = rows - int(blockIdx.y) * side;
    if (lane >= width) return;
    for (int k = threadIdx.y; k < side && k < height; k += lines) to[k * rows + lane] = part[lane][k];
}
