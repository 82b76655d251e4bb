// One buffer for both, and small blocks.
#include "map.hpp"

using namespace recto::kernels;

__global__ void scale(float* x, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] *= factor;
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const unsigned n = unsigned(x.size());
    Buffer<float> on_x(x, "x");
    launch({n / 32, 32}, scale, on_x, factor);
    return on_x.values();
}
