#include "reduction.hpp"

#include "not_written.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    // One number of `sums` for each block. Delete the next line.
    (void)x, (void)sums, (void)n;
}
