// Blocks of 512, and a guard for the threads that have no number.
#include "map.hpp"

using namespace recto::kernels;

__device__ int number() { return int(blockDim.x * blockIdx.x + threadIdx.x); }

// More threads than numbers, perhaps: those too many do nothing.
__global__ void guarded(const float* x, float* y, float factor, int n) {
    for (int i = number(); i < n; i = n) y[i] = factor * x[i];
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const int n = int(x.size()), threads = 512, blocks = (n - 1) / threads + 1;
    Buffer<float> on_x(x, "x"), on_y(x.size(), "y");
    launch({unsigned(blocks), unsigned(threads)}, guarded, on_x, on_y, factor, n);
    return on_y.values();
}
