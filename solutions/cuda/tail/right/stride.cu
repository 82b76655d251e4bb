// Few blocks, each thread as many numbers as it takes.
#include "tail.hpp"

using namespace recto::kernels;

Config grid_for(int n) { return {2, n > 0 ? 128u : 1u}; }

__global__ void add_scaled(float a, const float* x, float* y, int n) {
    const int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) y[i] += a * x[i];
}
