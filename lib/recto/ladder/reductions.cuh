#pragma once
/// @file
/// A ladder of kernels for the sum of n numbers, n at most 2^30. All but the first leave one sum for each block, which
/// are summed in the same way until one is left. The page *Parallel sum: a ladder of CUDA reductions* explains each
/// step. One file of a program includes this: kernels cannot be inline.
#include <recto/emulator/cuda_on_cpu.hpp>

namespace recto::ladder {

constexpr int group = 256;  ///< Threads of a block.

/// Every thread adds its number to a single sum.
__global__ void one_atomic_each(int n, const float* x, float* sum) {
    const int i = blockIdx.x * group + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}

/// A tree in shared memory: first every second thread adds its neighbour's number, then every fourth...
__global__ void tree(int n, const float* x, float* sums) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = 1; apart < group; apart *= 2) {
        if (t % (2 * apart) == 0) part[t] += part[t + apart];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

/// The same tree, with the first threads of the block at work.
__global__ void packed_tree(int n, const float* x, float* sums) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = 1; apart < group; apart *= 2) {
        const int at = 2 * apart * t;
        if (at < group) part[at] += part[at + apart];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

/// A tree of halves: neighbouring threads add neighbouring numbers.
__global__ void halves(int n, const float* x, float* sums) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * group + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = group / 2; apart > 0; apart /= 2) {
        if (t < apart) part[t] += part[t + apart];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

/// The same tree; each thread adds two numbers before it writes to shared memory.
__global__ void first_add(int n, const float* x, float* sums) {
    __shared__ float part[group];
    const int t = threadIdx.x, i = blockIdx.x * 2 * group + t;
    part[t] = (i < n ? x[i] : 0) + (i + group < n ? x[i + group] : 0);
    __syncthreads();
    for (int apart = group / 2; apart > 0; apart /= 2) {
        if (t < apart) part[t] += part[t + apart];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

/// The sum of a warp's numbers, in its first lane.
__device__ inline float warp_sum(float x) {
    for (int apart = 16; apart > 0; apart /= 2)
        x += __shfl_down_sync(0xffffffffu, x, apart);
    return x;
}

/// The sum of a block's numbers, in its first thread.
__device__ inline float block_sum(float x) {
    __shared__ float part[group / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    x = warp_sum(x);
    if (lane == 0) part[warp] = x;
    __syncthreads();
    if (warp == 0) x = warp_sum(lane < group / 32 ? part[lane] : 0);
    return x;
}

/// The lanes of a warp add up their numbers in registers, without shared memory.
__global__ void shuffled(int n, const float* x, float* sums) {
    const int t = threadIdx.x, i = blockIdx.x * 2 * group + t;
    const float sum =
        block_sum((i < n ? x[i] : 0) + (i + group < n ? x[i + group] : 0));
    if (t == 0) sums[blockIdx.x] = sum;
}

constexpr int each = 32;  ///< Numbers that a thread of many_each() adds.

/// Each thread adds many numbers, four at a time, before it exchanges sums with others.
__global__ void many_each(int n, const float* x, float* sums) {
    const int t = threadIdx.x, first = blockIdx.x * group * each;
    float4 part = make_float4(0, 0, 0, 0);
    for (int i = first + 4 * t; i < first + group * each; i += 4 * group) {
        float4 v = make_float4(0, 0, 0, 0);
        if (i + 3 < n) {
            v = *reinterpret_cast<const float4*>(x + i);
        } else {
            if (i < n) v.x = x[i];
            if (i + 1 < n) v.y = x[i + 1];
            if (i + 2 < n) v.z = x[i + 2];
        }
        part.x += v.x, part.y += v.y, part.z += v.z, part.w += v.w;
    }
    const float sum = block_sum((part.x + part.y) + (part.z + part.w));
    if (t == 0) sums[blockIdx.x] = sum;
}

/// A step of the ladder: a kernel and its launch configuration, with `group` threads a block.
struct Reduction {
    const char* name;                           ///< in a few words
    void (*kernel)(int, const float*, float*);  ///< arguments: n, the numbers, the sums
    int block;                                  ///< numbers that a block adds up
    bool atomic;  ///< whether all blocks add to a single sum, which starts at zero

    /// The number of blocks, and so of sums, for n numbers.
    int blocks(int n) const { return (n + block - 1) / block; }
};

/// All steps, slowest first.
inline const Reduction reductions[] = {
    {"one atomic each", one_atomic_each, group, true},
    {"a tree of neighbours", tree, group, false},
    {"packed threads", packed_tree, group, false},
    {"a tree of halves", halves, group, false},
    {"first add, then share", first_add, 2 * group, false},
    {"from register to register", shuffled, 2 * group, false},
    {"many numbers a thread", many_each, (group * each), false},
};

}  // namespace recto::ladder
