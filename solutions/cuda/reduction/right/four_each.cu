// 64 threads read four numbers at once, in double precision.
#include "reduction.hpp"

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ double part[64];
    const int t = threadIdx.x, i = blockIdx.x * group + 4 * t;
    if (t < 64) {
        double sum = 0;
        if (i + 3 < n) {
            const float4 four = *reinterpret_cast<const float4*>(x + i);
            sum = double(four.x) + four.y + (double(four.z) + four.w);
        } else {
            for (int k = i; k < n; ++k) sum += x[k];
        }
        part[t] = sum;
    }
    for (int apart = 32; apart > 0; apart >>= 1) {
        __syncthreads();
        if (t < apart) part[t] += part[t + apart];
    }
    if (t == 0) sums[blockIdx.x] = float(part[0]);
}
