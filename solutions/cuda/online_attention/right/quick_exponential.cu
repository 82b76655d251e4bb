// The exponentials and the products by the functions of single instructions.
#include "online_attention.hpp"

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    __shared__ float ks[chunk][dim];
    __shared__ float vs[chunk][dim];
    const int i = blockIdx.x * group + threadIdx.x;
    float query[dim], a[dim], s[chunk];
    for (int c = 0; c < dim; ++c) {
        query[c] = i < queries ? q[i * dim + c] : 0;
        a[c] = 0;
    }
    float m = -INFINITY, l = 0;
    for (int begin = 0; begin < keys; begin += chunk) {
        const int count = keys - begin < chunk ? keys - begin : chunk;
        for (int p = threadIdx.x; p < count * dim; p += group) {
            ks[p / dim][p % dim] = k[begin * dim + p];
            vs[p / dim][p % dim] = v[begin * dim + p];
        }
        __syncthreads();
        float most = m;
        for (int j = 0; j < count; ++j) {
            s[j] = 0;
            for (int c = 0; c < dim; ++c) s[j] = __fmaf_rn(query[c], ks[j][c], s[j]);
            s[j] /= sqrtf(dim);
            most = fmaxf(most, s[j]);
        }
        const float shrink = expf(m - most);
        l *= shrink;
        for (int c = 0; c < dim; ++c) a[c] *= shrink;
        for (int j = 0; j < count; ++j) {
            const float e = __expf(s[j] - most);
            l += e;
            for (int c = 0; c < dim; ++c) a[c] += e * vs[j][c];
        }
        m = most;
        __syncthreads();
    }
    if (i < queries)
        for (int c = 0; c < dim; ++c) y[i * dim + c] = a[c] / l;
}
