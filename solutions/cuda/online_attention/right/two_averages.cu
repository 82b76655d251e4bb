// Even and odd keys have averages of their own, which are combined at the end.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float k_tile[chunk][dim], v_tile[chunk][dim];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    float query[dim], a[2][dim] = {}, m[2] = {-INFINITY, -INFINITY}, l[2] = {};
    for (int c = 0; c < dim; ++c) query[c] = i < queries ? q[i * dim + c] * rsqrtf(dim) : 0;
    for (int first = 0; first < keys; first += chunk) {
        const int count = min(chunk, keys - first);
        for (int place = t; place < count * dim; place += group) {
            k_tile[place / dim][place % dim] = k[first * dim + place];
            v_tile[place / dim][place % dim] = v[first * dim + place];
        }
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            const int half = j % 2;
            float s = 0;
            for (int c = 0; c < dim; ++c) s += query[c] * k_tile[j][c];
            if (s > m[half]) {
                const float keep = expf(m[half] - s);
                l[half] *= keep;
                for (int c = 0; c < dim; ++c) a[half][c] *= keep;
                m[half] = s;
            }
            const float weight = expf(s - m[half]);
            l[half] += weight;
            for (int c = 0; c < dim; ++c) a[half][c] += weight * v_tile[j][c];
        }
        __syncthreads();
    }
    const float largest = fmaxf(m[0], m[1]), even = expf(m[0] - largest), odd = expf(m[1] - largest);
    if (i < queries)
        for (int c = 0; c < dim; ++c) y[i * dim + c] = (even * a[0][c] + odd * a[1][c]) / (even * l[0] + odd * l[1]);
}
