#include "softmax_row.hpp"

#include "not_written.hpp"

__global__ void softmax(const float* x, float* y, int cols) {
    // A maximum, a sum, and a quotient for each number of the block's row. Delete the next line.
    (void)x, (void)y, (void)cols;
}
