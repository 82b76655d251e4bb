// wrong: sums-in-global-memory
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float k_tile[chunk][dim], v_tile[chunk][dim];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float largest = -INFINITY, sum = 0;
    for (int c = 0; i < queries && c < dim; ++c) y[i * dim + c] = 0;
    for (int first = 0; first < keys; first += chunk) {
        const int count = min(chunk, keys - first);
        for (int place = t; place < count * dim; place += group) {
            k_tile[place / dim][place % dim] = k[first * dim + place];
            v_tile[place / dim][place % dim] = v[first * dim + place];
        }
        __syncthreads();
        for (int j = 0; i < queries && j < count; ++j) {
            float score = 0;
            for (int c = 0; c < dim; ++c) score += q[i * dim + c] * k_tile[j][c] / 4;
            const float now = max(largest, score), keep = expf(largest - now), weight = expf(score - now);
            sum = keep * sum + weight;
            for (int c = 0; c < dim; ++c) y[i * dim + c] = keep * y[i * dim + c] + weight * v_tile[j][c];
            largest = now;
        }
        __syncthreads();
    }
    for (int c = 0; i < queries && c < dim; ++c) y[i * dim + c] /= sum;
}
