#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float k_tile[chunk][dim], v_tile[chunk][dim];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float query[dim], values[dim], score[chunk];
    for (int c = 0; c < dim; ++c) {
        query[c] = i < queries ? q[i * dim + c] / sqrtf(dim) : 0;
        values[c] = 0;
    }
    float largest = -INFINITY, sum = 0;
    for (int first = 0; first < keys; first += chunk) {
        const int count = min(chunk, keys - first);
        for (int place = t; place < count * dim; place += group) {
            k_tile[place / dim][place % dim] = k[first * dim + place];
            v_tile[place / dim][place % dim] = v[first * dim + place];
        }
        __syncthreads();

        float now = largest;
        for (int j = 0; j < count; ++j) {
            score[j] = 0;
            for (int c = 0; c < dim; ++c) score[j] += query[c] * k_tile[j][c];
            now = max(now, score[j]);
        }
        const float keep = expf(largest - now);
        largest = now;
        sum *= keep;
        for (int c = 0; c < dim; ++c) values[c] *= keep;
        for (int j = 0; j < count; ++j) {
            const float weight = expf(score[j] - largest);
            sum += weight;
            for (int c = 0; c < dim; ++c) values[c] += weight * v_tile[j][c];
        }
        __syncthreads();
    }
    if (i >= queries) return;
    for (int c = 0; c < dim; ++c) y[i * dim + c] = values[c] / sum;
}
