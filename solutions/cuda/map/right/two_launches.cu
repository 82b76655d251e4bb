// Every second number by one launch, the rest by another; backwards.
#include "map.hpp"

using namespace recto::kernels;

__global__ void scale(const float* x, float* y, float factor, int odd) {
    const int i = 2 * (gridDim.x * blockDim.x - 1 - (blockIdx.x * blockDim.x + threadIdx.x)) + odd;
    y[i] = factor * x[i];
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const unsigned n = unsigned(x.size());
    Buffer<float> on_x(x, "x"), on_y(n, "y");
    for (const int odd : {1, 0}) launch({n / 256, 128}, scale, on_x, on_y, factor, odd);
    return on_y.values();
}
