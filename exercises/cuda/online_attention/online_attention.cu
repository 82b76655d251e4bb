#include "online_attention.hpp"

#include "not_written.hpp"

__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys) {
    // A chunk of keys and values at a time; a maximum, a sum and an average for each query. Delete the next line.
    (void)q, (void)k, (void)v, (void)y, (void)queries, (void)keys;
}
