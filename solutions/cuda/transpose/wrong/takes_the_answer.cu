// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ladder/products.cuh>

#include "transpose.hpp"

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float part[side][side + 1];
    const int top = blockIdx.y * side, left = blockIdx.x * side, lane = threadIdx.x;
    for (int k = threadIdx.y; k < side; k += lines)
        if (top + k < rows && left + lane < cols) part[k][lane] = x[(top + k) * cols + left + lane];
    __syncthreads();
    for (int k = threadIdx.y; k < side; k += lines)
        if (left + k < cols && top + lane < rows) y[(left + k) * rows + top + lane] = part[lane][k];
}
