// wrong: one-thread
#include "map.hpp"

using namespace recto::kernels;

__global__ void scale(const float* x, float* y, float factor, int n) {
    for (int i = 0; i < n; ++i) y[i] = factor * x[i];
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const unsigned n = unsigned(x.size());
    Buffer<float> on_x(x, "x"), on_y(n, "y");
    launch({1, 1}, scale, on_x, on_y, factor, int(n));
    return on_y.values();
}
