// A stream, a function of the device, and the result copied through it.
#include "map.hpp"

using namespace recto::kernels;

__device__ float product(float a, float b) { return a * b; }

__global__ void scale(const float* x, float* y, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = product(x[i], factor);
}

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const unsigned n = unsigned(x.size());
    Buffer<float> on_x(n, "x"), on_y(n, "y");
    std::vector<float> y;
    Stream stream;
    on_x.set(x, stream);
    launch({n / 128, 128, 0, &stream}, scale, on_x, on_y, factor);
    on_y.values(y, stream);
    stream.synchronize();
    return y;
}
