// wrong: whole-numbers-as-threads
#include "tail.hpp"

using namespace recto::kernels;

Config grid_for(int n) { return {1, unsigned(max(1, n))}; }

__global__ void add_scaled(float a, const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
