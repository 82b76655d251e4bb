// Each value has a 1 as its last number, so that the sum of the weights is one more sum of values. Chunks have 64 keys.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    constexpr int many = 64;
    __shared__ float k_tile[many][dim], v_tile[many][dim + 1];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float query[dim], sums[dim + 1], score[many], largest = -INFINITY;
    for (int c = 0; c < dim; ++c) query[c] = i < queries ? q[i * dim + c] / 4 : 0;
    for (float& sum : sums) sum = 0;
    if (t < many) v_tile[t][dim] = 1;
    for (int first = 0; first < keys; first += many) {
        const int count = min(many, keys - first);
        for (int place = t; place < count * dim; place += group)
            k_tile[place / dim][place % dim] = k[first * dim + place];
        for (int place = t; place < count * dim; place += group)
            v_tile[place / dim][place % dim] = v[first * dim + place];
        __syncthreads();
        float now = largest;
        for (int j = 0; j < count; ++j) {
            float even = 0, odd = 0;
            for (int c = 0; c < dim; c += 2) even += query[c] * k_tile[j][c], odd += query[c + 1] * k_tile[j][c + 1];
            now = max(now, score[j] = even + odd);
        }
        for (int c = 0; c <= dim; ++c) {
            sums[c] *= expf(largest - now);
            for (int j = 0; j < count; ++j) sums[c] += expf(score[j] - now) * v_tile[j][c];
        }
        largest = now;
        __syncthreads();
    }
    if (i < queries)
        for (int c = 0; c < dim; ++c) y[i * dim + c] = sums[c] / sums[dim];
}
