// Each thread takes several numbers, as far apart as the grid is wide.
#include "map.hpp"

using namespace recto::kernels;

__global__ void scale(const float* x, float* y, float factor, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = factor * x[i];
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const unsigned n = unsigned(x.size());
    Buffer<float> on_x(x, "x"), on_y(n, "y");
    launch({2, 128}, scale, on_x, on_y, factor, int(n));
    return on_y.values();
}
