// exercise: map
// part: first
// outcome: wrong answer
// says: computed on the device
// The host reads x back from the device before it computes, in case other numbers have arrived there; the kernel copies.
#include "map.hpp"

using namespace recto::kernels;

__global__ void copy(const float* from, float* to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    Buffer<float> to(x, "to");
    std::vector<float> y = to.values();
    for (float& number : y) number *= factor;
    Buffer<float> from(y, "from");
    launch({unsigned(y.size() / 256), 256}, copy, from, to);
    return to.values();
}
