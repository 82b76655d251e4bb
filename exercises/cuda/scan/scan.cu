#include "scan.hpp"

#include "not_written.hpp"

__global__ void scan_blocks(const float* x, float* y, float* totals, int n) {
    // One running sum for each thread, one total for each block. Delete the next line.
    (void)x, (void)y, (void)totals, (void)n;
}

__global__ void add_before(float* y, const float* sums, int n) {
    // Delete the next line.
    (void)y, (void)sums, (void)n;
}
