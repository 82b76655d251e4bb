#include "tile.hpp"

#include "not_written.hpp"

__global__ void sum_of_three(const float* x, float* y, int n) {
    // An array in shared memory, a barrier, and one sum for each thread. Delete the next line.
    (void)x, (void)y, (void)n;
}
