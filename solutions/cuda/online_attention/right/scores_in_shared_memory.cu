// The scores of a chunk lie in shared memory; those beyond the last key are minus infinity. Zeros pad the chunk.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float k_tile[chunk * dim], v_tile[chunk * dim], scores[group][chunk + 1];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float query[dim], a[dim], m = -INFINITY, l = 0;
    for (int c = 0; c < dim; ++c) query[c] = i < queries ? q[i * dim + c] : 0, a[c] = 0;
    const int steps = (keys + chunk - 1) / chunk;
    for (int step = 0; step < steps; ++step) {
        for (int place = t; place < chunk * dim; place += group) {
            const int from = step * chunk * dim + place;
            k_tile[place] = from < keys * dim ? k[from] : 0;
            v_tile[place] = from < keys * dim ? v[from] : 0;
        }
        __syncthreads();
        float now = m;
        for (int j = 0; j < chunk; ++j) {
            float dot = 0;
            for (int c = 0; c < dim; ++c) dot += query[c] * k_tile[j * dim + c];
            scores[t][j] = step * chunk + j < keys ? dot / 4 : -INFINITY;
            now = fmaxf(now, scores[t][j]);
        }
        const float keep = expf(m - now);
        float weights = 0;
        for (int j = 0; j < chunk; ++j) weights += scores[t][j] = expf(scores[t][j] - now);
        for (int c = 0; c < dim; ++c) {
            float sum = 0;
            for (int j = 0; j < chunk; ++j) sum += scores[t][j] * v_tile[j * dim + c];
            a[c] = a[c] * keep + sum;
        }
        l = l * keep + weights;
        m = now;
        __syncthreads();
    }
    if (i >= queries) return;
    for (int c = 0; c < dim; ++c) y[i * dim + c] = a[c] / l;
}
