// The next chunk is fetched while this one is used: one barrier for each chunk.
#include "online_attention.hpp"

#include <cmath>

__device__ void fetch(float* to, const float* from, int first, int keys) {
    for (int place = threadIdx.x; place < chunk * dim && first * dim + place < keys * dim; place += group)
        to[place] = from[first * dim + place];
}

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float k_tile[2][chunk * dim], v_tile[2][chunk * dim];
    const int i = blockIdx.x * group + threadIdx.x;
    float query[dim] = {}, a[dim] = {}, m = -INFINITY, l = 0;
    for (int c = 0; i < queries && c < dim; ++c) query[c] = 0.25f * q[i * dim + c];
    fetch(k_tile[0], k, 0, keys);
    fetch(v_tile[0], v, 0, keys);
    for (int first = 0; first < keys; first += chunk) {
        const int now = first / chunk % 2;
        __syncthreads();
        if (first + chunk < keys) {
            fetch(k_tile[1 - now], k, first + chunk, keys);
            fetch(v_tile[1 - now], v, first + chunk, keys);
        }
        for (int j = 0; j < chunk && first + j < keys; ++j) {
            float s = 0;
            for (int c = 0; c < dim; ++c) s += query[c] * k_tile[now][j * dim + c];
            const float larger = max(m, s), keep = expf(m - larger), weight = expf(s - larger);
            m = larger;
            l = keep * l + weight;
            for (int c = 0; c < dim; ++c) a[c] = keep * a[c] + weight * v_tile[now][j * dim + c];
        }
    }
    for (int c = 0; i < queries && c < dim; ++c) y[i * dim + c] = a[c] / l;
}
