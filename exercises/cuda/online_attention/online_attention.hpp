#pragma once
#include <cmath>

#include <recto/emulator/cuda_on_cpu.hpp>

constexpr int dim = 16;    // numbers of a query, of a key and of a value
constexpr int group = 64;  // threads of a block, and queries that it answers
constexpr int chunk = 32;  // keys that a block holds at a time, and values

// For each query, a row of q, the average of the rows of v, weighted by a softmax over all keys of the scores
// q . k / sqrt(dim). q and y have shape (queries, dim), k and v have shape (keys, dim). Launched with enough blocks of
// `group` threads for the queries: {(queries + group - 1) / group, group}.
__global__ void attention(const float* q, const float* k, const float* v, float* y, int queries, int keys);
