// Four numbers a thread, the last ones one by one.
#include "tail.hpp"

using namespace recto::kernels;

Config grid_for(int n) {
    const unsigned threads = 64, blocks = (unsigned(n) + 4 * threads - 1) / (4 * threads);
    return {max(1u, blocks), threads};
}

__global__ void add_scaled(float a, const float* x, float* y, int n) {
    const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        const float4 more = *reinterpret_cast<const float4*>(x + i);
        float4 sum = *reinterpret_cast<const float4*>(y + i);
        sum.x += a * more.x, sum.y += a * more.y, sum.z += a * more.z, sum.w += a * more.w;
        *reinterpret_cast<float4*>(y + i) = sum;
    } else {
        for (int j = i; j < n; ++j) y[j] = a * x[j] + y[j];
    }
}
