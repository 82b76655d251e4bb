// Corrects only when a score is more than 8 above the reference: weights up to e^8 do no harm.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float k_tile[chunk][dim], v_tile[chunk][dim];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float query[dim], a[dim] = {}, reference = -INFINITY, l = 0;
    for (int c = 0; c < dim; ++c) query[c] = i < queries ? q[i * dim + c] : 0;
    for (int first = 0; first < keys; first += chunk) {
        const int count = min(chunk, keys - first);
        for (int place = t; place < count * dim; place += group) {
            k_tile[place / dim][place % dim] = k[first * dim + place];
            v_tile[place / dim][place % dim] = v[first * dim + place];
        }
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            float s = 0;
            for (int c = 0; c < dim; ++c) s += query[c] * k_tile[j][c];
            s /= sqrtf(dim);
            if (s > reference + 8) {
                const float keep = expf(reference - s);
                for (int c = 0; c < dim; ++c) a[c] *= keep;
                l *= keep;
                reference = s;
            }
            const float weight = expf(s - reference);
            for (int c = 0; c < dim; ++c) a[c] += weight * v_tile[j][c];
            l += weight;
        }
        __syncthreads();
    }
    if (i < queries)
        for (int c = 0; c < dim; ++c) y[i * dim + c] = a[c] / l;
}
