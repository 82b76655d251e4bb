// Adds by an atomic, which is unnecessary but right.
#include "tail.hpp"

using namespace recto::kernels;

Config grid_for(int n) {
    const unsigned threads = 256, blocks = (unsigned(n) + threads - 1) / threads;
    return {max(1u, blocks), threads};
}

__global__ void add_scaled(float a, const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&y[i], a * x[i]);
}
