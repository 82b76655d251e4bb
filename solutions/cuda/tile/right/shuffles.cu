// No shared memory: the lanes of a warp hand each other their numbers, and its two ends fetch one more.
#include "tile.hpp"

__global__ void sum_of_three(const float* x, float* y, int n) {
    const int i = blockIdx.x * tile + threadIdx.x, lane = threadIdx.x % 32;
    const float mine = i < n ? x[i] : 0;
    float before = __shfl_up_sync(0xffffffffu, mine, 1), after = __shfl_down_sync(0xffffffffu, mine, 1);
    if (lane == 0) before = i > 0 && i <= n ? x[i - 1] : 0;
    if (lane == 31) after = i + 1 < n ? x[i + 1] : 0;
    if (i < n) y[i] = before + mine + after;
}
