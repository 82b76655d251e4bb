// The lanes of a warp take the keys of a chunk, then the numbers of the values. A warp answers 32 queries in turn.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float k_tile[chunk][dim + 1], v_tile[chunk][dim], query[group][dim], a[group][dim];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, base = blockIdx.x * group;
    for (int place = t; place < group * dim; place += group) {
        query[place / dim][place % dim] = base + place / dim < queries ? q[base * dim + place] * 0.25f : 0;
        a[place / dim][place % dim] = 0;
    }
    float m = -INFINITY, l = 0;  // of query `lane` of this warp's 32
    for (int first = 0; first < keys; first += chunk) {
        for (int place = t; place < min(chunk, keys - first) * dim; place += group) {
            k_tile[place / dim][place % dim] = k[first * dim + place];
            v_tile[place / dim][place % dim] = v[first * dim + place];
        }
        __syncthreads();
        for (int row = 0; row < 32; ++row) {
            float s = -INFINITY;
            if (first + lane < keys) {
                s = 0;
                for (int c = 0; c < dim; ++c) s += query[warp * 32 + row][c] * k_tile[lane][c];
            }
            const float before = __shfl_sync(0xffffffffu, m, row);
            float now = max(before, s);
            for (int apart = 16; apart > 0; apart /= 2) now = max(now, __shfl_xor_sync(0xffffffffu, now, apart));
            const float weight = expf(s - now), keep = expf(before - now);
            float whole = weight;
            for (int apart = 16; apart > 0; apart /= 2) whole += __shfl_xor_sync(0xffffffffu, whole, apart);
            if (lane == row) m = now, l = l * keep + whole;
            float sum = 0;
            for (int j = 0; j < chunk; ++j) {
                const float of_key = __shfl_sync(0xffffffffu, weight, j);
                if (lane < dim && first + j < keys) sum += of_key * v_tile[j][lane];
            }
            if (lane < dim) a[warp * 32 + row][lane] = a[warp * 32 + row][lane] * keep + sum;
        }
        __syncthreads();
    }
    for (int row = 0; row < 32; ++row) {
        const float whole = __shfl_sync(0xffffffffu, l, row);
        const int i = base + warp * 32 + row;
        if (lane < dim && i < queries) y[i * dim + lane] = a[warp * 32 + row][lane] / whole;
    }
}
