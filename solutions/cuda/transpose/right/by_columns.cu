// Puts the numbers down by columns and reads them by rows; padding of three.
#include "transpose.hpp"

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float part[side][side + 3];
    const int top = blockIdx.y * side, left = blockIdx.x * side, lane = threadIdx.x;
    for (int k = threadIdx.y; k < side; k += lines)
        if (top + k < rows && left + lane < cols) part[lane][k] = x[(top + k) * cols + left + lane];
    __syncthreads();
    for (int k = threadIdx.y; k < side; k += lines)
        if (left + k < cols && top + lane < rows) y[(left + k) * rows + top + lane] = part[k][lane];
}
