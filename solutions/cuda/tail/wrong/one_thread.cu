// wrong: one-thread
#include "tail.hpp"

using namespace recto::kernels;

Config grid_for(int) { return {1, 1}; }

__global__ void add_scaled(float a, const float* x, float* y, int n) {
    for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
