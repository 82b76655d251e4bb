// Rows of the tile that begin at different banks, without padding.
#include "transpose.hpp"

// Row k of the tile begins at place k, and goes round.
__device__ int place(int row, int col) { return row * side + (row + col) % side; }

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float part[side * side];
    const int top = blockIdx.y * side, left = blockIdx.x * side, lane = threadIdx.x;
    for (int k = side - 1 - int(threadIdx.y); k >= 0; k -= lines)
        if (top + k < rows && left + lane < cols) part[place(k, lane)] = x[(top + k) * cols + left + lane];
    __syncthreads();
    for (int k = side - 1 - int(threadIdx.y); k >= 0; k -= lines)
        if (left + k < cols && top + lane < rows) y[(left + k) * rows + top + lane] = part[place(lane, k)];
}
