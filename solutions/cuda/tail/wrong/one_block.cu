// wrong: one-block
#include "tail.hpp"

using namespace recto::kernels;

Config grid_for(int) {
    const unsigned threads = 256;
    return {1, threads};
}

__global__ void add_scaled(float a, const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
