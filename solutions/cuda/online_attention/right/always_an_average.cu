// The vector is an average after every key: it moves towards each value by the value's share of the sum.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float k_tile[chunk][dim], v_tile[chunk][dim];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    const bool mine = i < queries;
    float query[dim] = {}, average[dim] = {}, m = -INFINITY, l = 0;
    for (int c = 0; mine && c < dim; ++c) query[c] = q[i * dim + c];
    for (int first = 0; first < keys; first += chunk) {
        const int count = min(chunk, keys - first);
        for (int place = t; place < count * dim; place += group) {
            k_tile[place / dim][place % dim] = k[first * dim + place];
            v_tile[place / dim][place % dim] = v[first * dim + place];
        }
        __syncthreads();
        for (int j = 0; mine && j < count; ++j) {
            float s = 0;
            for (int c = 0; c < dim; ++c) s += query[c] * k_tile[j][c];
            s /= 4;
            const float now = max(m, s);
            l = l * expf(m - now) + expf(s - now);
            m = now;
            const float share = expf(s - m) / l;
            for (int c = 0; c < dim; ++c) average[c] += share * (v_tile[j][c] - average[c]);
        }
        __syncthreads();
    }
    for (int c = 0; mine && c < dim; ++c) y[i * dim + c] = average[c];
}
