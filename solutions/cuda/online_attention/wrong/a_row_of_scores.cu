// wrong: a-row-of-scores
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float tile[chunk][dim];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float score[512], values[dim] = {}, largest = -INFINITY, sum = 0;
    for (int first = 0; first < keys; first += chunk) {
        const int count = min(chunk, keys - first);
        for (int place = t; place < count * dim; place += group)
            tile[place / dim][place % dim] = k[first * dim + place];
        __syncthreads();
        for (int j = 0; i < queries && j < count; ++j) {
            score[first + j] = 0;
            for (int c = 0; c < dim; ++c) score[first + j] += q[i * dim + c] * tile[j][c] / 4;
            largest = max(largest, score[first + j]);
        }
        __syncthreads();
    }
    for (int first = 0; first < keys; first += chunk) {
        const int count = min(chunk, keys - first);
        for (int place = t; place < count * dim; place += group)
            tile[place / dim][place % dim] = v[first * dim + place];
        __syncthreads();
        for (int j = 0; i < queries && j < count; ++j) {
            const float weight = expf(score[first + j] - largest);
            sum += weight;
            for (int c = 0; c < dim; ++c) values[c] += weight * tile[j][c];
        }
        __syncthreads();
    }
    for (int c = 0; i < queries && c < dim; ++c) y[i * dim + c] = values[c] / sum;
}
