// Blocks with two axes, and a template.
#include "map.hpp"

using namespace recto::kernels;

template <class T>
__global__ void scale(const T* x, T* y, T factor) {
    const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    y[i] = factor * x[i];
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const unsigned n = unsigned(x.size());
    Buffer<float> on_x(x, "x"), on_y(n, "y");
    launch({n / 256, {16, 16}}, scale<float>, on_x, on_y, factor);
    return on_y.values();
}
