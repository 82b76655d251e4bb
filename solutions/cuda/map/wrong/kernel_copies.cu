// wrong: kernel-copies
// The host computes everything, and the kernel copies it.
#include "map.hpp"

using namespace recto::kernels;

__global__ void copy(const float* from, float* to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    std::vector<float> y;
    for (const float number : x) y.push_back(factor * number);
    Buffer<float> from(y, "from"), to(y.size(), "to");
    launch({unsigned(y.size() / 256), 256}, copy, from, to);
    return to.values();
}
