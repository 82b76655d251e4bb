// Every key is a step of its own: no array of scores. Both tiles lie in one array.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float tiles[2 * chunk * dim];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float query[dim] = {}, a[dim] = {}, m = -INFINITY, l = 0;
    if (i < queries)
        for (int c = 0; c < dim; ++c) query[c] = q[i * dim + c];
    for (int first = 0; first < keys; first += chunk) {
        const int numbers = min(chunk, keys - first) * dim;
        for (int place = t; place < 2 * numbers; place += group)
            tiles[place] = place < numbers ? k[first * dim + place] : v[first * dim + place - numbers];
        __syncthreads();
        for (int j = 0; j < numbers; j += dim) {
            float s = 0;
            for (int c = dim - 1; c >= 0; --c) s = fmaf(query[c], tiles[j + c], s);
            s *= 0.25f;
            const float keep = s > m ? expf(m - s) : 1, weight = s > m ? 1 : expf(s - m);
            m = fmaxf(m, s);
            l = l * keep + weight;
            for (int c = 0; c < dim; ++c) a[c] = a[c] * keep + weight * tiles[numbers + j + c];
        }
        __syncthreads();
    }
    if (i < queries)
        for (int c = 0; c < dim; ++c) y[i * dim + c] = a[c] / l;
}
