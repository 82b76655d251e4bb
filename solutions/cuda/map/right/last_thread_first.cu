// The first thread takes the last number.
#include "map.hpp"

using namespace recto::kernels;

// The first thread takes the last number.
__global__ void turned(const float* x, float* y, float factor) {
    const int count = gridDim.x * blockDim.x;
    const int mine = count - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    y[mine] = x[mine] * factor;
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    Buffer<float> on_x(x, "x"), on_y(x.size(), "y");
    launch({unsigned(x.size()) / 64, 64}, turned, on_x, on_y, factor);
    return on_y.values();
}
