// Powers of 2 instead of e, with scores that are scaled once, in the query; vectors of four numbers.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float4 k_tile[chunk][dim / 4], v_tile[chunk][dim / 4];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    const float scale = 1.44269504f / 4;
    float4 query[dim / 4], a[dim / 4];
    for (int c = 0; c < dim / 4; ++c) {
        query[c] = a[c] = make_float4(0, 0, 0, 0);
        if (i < queries) {
            const float4 row = reinterpret_cast<const float4*>(q)[i * (dim / 4) + c];
            query[c] = make_float4(row.x * scale, row.y * scale, row.z * scale, row.w * scale);
        }
    }
    float m = -INFINITY, l = 0;
    for (int first = 0; first < keys; first += chunk) {
        const int there = min(chunk, keys - first) * (dim / 4);
        for (int place = t; place < there; place += group) {
            const int from = first * (dim / 4) + place;
            k_tile[place / (dim / 4)][place % (dim / 4)] = reinterpret_cast<const float4*>(k)[from];
            v_tile[place / (dim / 4)][place % (dim / 4)] = reinterpret_cast<const float4*>(v)[from];
        }
        __syncthreads();
        float s[chunk], now = m;
        for (int j = 0; j < chunk; ++j) {
            s[j] = -INFINITY;
            if (first + j >= keys) continue;
            float dot = 0;
            for (int c = 0; c < dim / 4; ++c) {
                const float4 key = k_tile[j][c];
                dot += query[c].x * key.x + query[c].y * key.y + query[c].z * key.z + query[c].w * key.w;
            }
            s[j] = dot;
            now = max(now, dot);
        }
        const float keep = exp2f(m - now);
        m = now;
        l *= keep;
        for (int c = 0; c < dim / 4; ++c)
            a[c] = make_float4(a[c].x * keep, a[c].y * keep, a[c].z * keep, a[c].w * keep);
        for (int j = 0; first + j < keys && j < chunk; ++j) {
            const float weight = exp2f(s[j] - m);
            l += weight;
            for (int c = 0; c < dim / 4; ++c) {
                const float4 value = v_tile[j][c];
                a[c].x += weight * value.x;
                a[c].y += weight * value.y;
                a[c].z += weight * value.z;
                a[c].w += weight * value.w;
            }
        }
        __syncthreads();
    }
    if (i >= queries) return;
    for (int c = 0; c < dim / 4; ++c)
        reinterpret_cast<float4*>(y)[i * (dim / 4) + c] = make_float4(a[c].x / l, a[c].y / l, a[c].z / l, a[c].w / l);
}
