#include "tail.hpp"

#include "not_written.hpp"

using namespace recto::kernels;

Config grid_for(int n) {
    // Choose the blocks here, and delete the next two lines.
    (void)n;
    not_written("grid_for");
}

__global__ void add_scaled(float a, const float* x, float* y, int n) {
    // Change one number of y here, and delete the next line.
    (void)a, (void)x, (void)y, (void)n;
}
