#include "transpose.hpp"

#include "not_written.hpp"

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    // A tile in shared memory, written by rows and read by columns. Delete the next line.
    (void)x, (void)y, (void)rows, (void)cols;
}
