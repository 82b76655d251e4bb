// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ladder/reductions.cuh>

#include "map.hpp"

using namespace recto::kernels;

__global__ void scale(const float* x, float* y, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = factor * x[i];
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const unsigned n = unsigned(x.size());
    Buffer<float> on_x(x, "x"), on_y(n, "y");
    launch({n / 256, 256}, scale, on_x, on_y, factor);
    return on_y.values();
}
