// Fetches all four numbers first, 0 for missing ones, then writes them to the tile.
#include "transpose.hpp"

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float part[side][side + 1];
    const int top = blockIdx.y * side, left = blockIdx.x * side, lane = threadIdx.x;
    float mine[side / lines];
    for (int k = 0; k < side / lines; ++k) {
        const int row = top + k * lines + threadIdx.y, col = left + lane;
        mine[k] = row < rows && col < cols ? x[row * cols + col] : 0;
    }
    for (int k = 0; k < side / lines; ++k) part[k * lines + threadIdx.y][lane] = mine[k];
    __syncthreads();
    for (int k = threadIdx.y; k < side; k += lines)
        if (left + k < cols && top + lane < rows) y[(left + k) * rows + top + lane] = part[lane][k];
}
