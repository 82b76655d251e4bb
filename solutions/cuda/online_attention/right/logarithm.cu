// The state is the logarithm of the sum, in double precision; chunks are taken from the last to the first.
#include "online_attention.hpp"

#include <cmath>

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ double k_tile[chunk][dim], v_tile[chunk][dim];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    double query[dim] = {}, average[dim] = {}, whole = -INFINITY;
    for (int c = 0; c < dim; ++c)
        if (i < queries) query[c] = q[i * dim + c] / std::sqrt(double(dim));
    for (int first = (keys - 1) / chunk * chunk; first >= 0; first -= chunk) {
        const int count = min(chunk, keys - first);
        for (int place = t; place < count * dim; place += group) {
            k_tile[place / dim][place % dim] = k[first * dim + place];
            v_tile[place / dim][place % dim] = v[first * dim + place];
        }
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            double s = 0;
            for (int c = 0; c < dim; ++c) s += query[c] * k_tile[j][c];
            const double larger = max(whole, s), smaller = min(whole, s), now = larger + log1p(exp(smaller - larger));
            const double keep = exp(whole - now), weight = exp(s - now);
            for (int c = 0; c < dim; ++c) average[c] = keep * average[c] + weight * v_tile[j][c];
            whole = now;
        }
        __syncthreads();
    }
    if (i < queries)
        for (int c = 0; c < dim; ++c) y[i * dim + c] = float(average[c]);
}
