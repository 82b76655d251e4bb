// One template for the tree of the maximum and that of the sum.
#include "softmax_row.hpp"

#include <cmath>

struct Larger {
    __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

// What all threads bring, folded to one number that all of them get.
template <class F>
__device__ float folded(float* part, float mine, F both) {
    const int t = threadIdx.x;
    part[t] = mine;
    __syncthreads();
    for (int left = group / 2; left > 0; left /= 2) {
        if (t < left) part[t] = both(part[t], part[t + left]);
        __syncthreads();
    }
    const float whole = part[0];
    __syncthreads();
    return whole;
}

__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float part[group];
    const int first = blockIdx.x * cols;
    float top = -INFINITY, sum = 0;
    for (int j = threadIdx.x; j < cols; j += group) top = fmaxf(top, x[first + j]);
    top = folded(part, top, Larger());
    for (int j = threadIdx.x; j < cols; j += group) sum += expf(x[first + j] - top);
    sum = folded(part, sum, Sum());
    for (int j = threadIdx.x; j < cols; j += group) y[first + j] = expf(x[first + j] - top) / sum;
}
