#pragma once
/// @file
/// Two steps of the ladders with a mistake. The pages show how the emulator reports it.
#include <recto/ladder/products.cuh>
#include <recto/ladder/reductions.cuh>

namespace recto::ladder {

/// tiled() without its second barrier.
__global__ void forgetful(
    int m, int n, int k, const float* a, const float* b, float* c) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * tile + y, j = blockIdx.x * tile + x;
    float sum = 0;
    for (int p0 = 0; p0 < k; p0 += tile) {
        a_tile[y][x] = i < m && p0 + x < k ? a[i * k + p0 + x] : 0;
        b_tile[y][x] = p0 + y < k && j < n ? b[(p0 + y) * n + j] : 0;
        __syncthreads();
        for (int p = 0; p < tile; ++p) sum += a_tile[y][p] * b_tile[p][x];
    }
    if (i < m && j < n) c[i * n + j] = sum;
}

/// first_add() without a test for the end of the array.
__global__ void tailless(int /* n */, const float* x, float* sums) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * 2 * group + t;
    part[t] = x[i] + x[i + group];
    __syncthreads();
    for (int apart = group / 2; apart > 0; apart /= 2) {
        if (t < apart) part[t] += part[t + apart];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

}  // namespace recto::ladder
