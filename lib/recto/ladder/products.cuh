#pragma once
/// @file
/// A ladder of kernels for the product of matrices, c = a b, where a has m x k numbers, b k x n and c m x n, row by
/// row, and each matrix fewer than 2^31. The page *Matrix multiplication in CUDA: a ladder of six kernels* explains
/// each step. One file of a program includes this: kernels cannot be inline.
#include <recto/emulator/cuda_on_cpu.hpp>

namespace recto::ladder {

/// One thread for each number of c; neighbouring threads compute neighbours in a column.
__global__ void naive(int m, int n, int k, const float* a, const float* b, float* c) {
    const int i = blockIdx.y * blockDim.x + threadIdx.x;
    const int j = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;
    float sum = 0;
    for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
    c[i * n + j] = sum;
}

/// One thread for each number of c; neighbouring threads compute neighbours in a row.
__global__ void coalesced(
    int m, int n, int k, const float* a, const float* b, float* c) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m || j >= n) return;
    float sum = 0;
    for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
    c[i * n + j] = sum;
}

constexpr int tile = 32;  ///< The tiles of tiled() are tile x tile.

/// A block loads a tile of a and one of b into shared memory, where its threads read each number `tile` times.
__global__ void tiled(int m, int n, int k, const float* a, const float* b, float* c) {
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * tile + y, j = blockIdx.x * tile + x;
    float sum = 0;
    for (int p0 = 0; p0 < k; p0 += tile) {
        a_tile[y][x] = i < m && p0 + x < k ? a[i * k + p0 + x] : 0;
        b_tile[y][x] = p0 + y < k && j < n ? b[(p0 + y) * n + j] : 0;
        __syncthreads();  // all numbers are written before any thread reads
        for (int p = 0; p < tile; ++p) sum += a_tile[y][p] * b_tile[p][x];
        __syncthreads();  // all threads have read before any writes again
    }
    if (i < m && j < n) c[i * n + j] = sum;
}

constexpr int side = 128;  ///< From here on a block computes side x side numbers of c,
constexpr int threads = 256;  ///< with 256 threads for 8 x 8 numbers each,
constexpr int depth = 8;      ///< and loads tiles of side x depth and depth x side.

/// A thread keeps 8 x 8 sums in registers: 16 loads from shared memory serve 64 multiplications.
__global__ __launch_bounds__(threads) void registers(
    int m, int n, int k, const float* a, const float* b, float* c) {
    __shared__ float a_tile[side][depth], b_tile[depth][side];
    const int t = threadIdx.x, row = t / 16, column = t % 16;
    const int top = blockIdx.y * side, left = blockIdx.x * side;
    float sums[8][8] = {};
    for (int p0 = 0; p0 < k; p0 += depth) {
        for (int e = t; e < side * depth; e += threads) {
            const int i = top + e / depth, p = p0 + e % depth;
            a_tile[e / depth][e % depth] = i < m && p < k ? a[i * k + p] : 0;
            const int q = p0 + e / side, j = left + e % side;
            b_tile[e / side][e % side] = q < k && j < n ? b[q * n + j] : 0;
        }
        __syncthreads();
        for (int p = 0; p < depth; ++p) {
            float x[8], y[8];
            for (int r = 0; r < 8; ++r) x[r] = a_tile[row + 16 * r][p];
            for (int s = 0; s < 8; ++s) y[s] = b_tile[p][column + 16 * s];
            for (int r = 0; r < 8; ++r)
                for (int s = 0; s < 8; ++s) sums[r][s] += x[r] * y[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; ++r)
        for (int s = 0; s < 8; ++s) {
            const int i = top + row + 16 * r, j = left + column + 16 * s;
            if (i < m && j < n) c[i * n + j] = sums[r][s];
        }
}

/// Four numbers of a row from column `at`, a multiple of four; zeros from column `end` on. One access if rows begin at
/// multiples of four, otherwise one for each number.
__device__ inline float4 four(const float* row, int at, int end) {
    if (at < end && end % 4 == 0) return *reinterpret_cast<const float4*>(row + at);
    float4 numbers = make_float4(0, 0, 0, 0);
    if (at < end) numbers.x = row[at];
    if (at + 1 < end) numbers.y = row[at + 1];
    if (at + 2 < end) numbers.z = row[at + 2];
    if (at + 3 < end) numbers.w = row[at + 3];
    return numbers;
}

/// The part of the next two tiles that a thread loads, in registers.
struct Share {
    float4 a;  ///< four neighbours in a row of a
    float4 b;  ///< four neighbours in a row of b
};

/// Loads a thread's share of the tiles that begin at column p0 of a and row p0 of b.
__device__ inline Share fetch(
    int m, int n, int k, const float* a, const float* b, int p0) {
    const int t = threadIdx.x;
    const int i = blockIdx.y * side + t / 2, p = p0 + t % 2 * 4;
    const int q = p0 + t / 32, j = blockIdx.x * side + t % 32 * 4;
    return {four(a + i * k, p, i < m ? k : 0), four(b + q * n, j, q < k ? n : 0)};
}

/// A transposed tile of a; padding puts the two lanes that would write to the same bank into different banks.
using ATile = float[depth][side + 4];
/// A tile of b.
using BTile = float[depth][side];

/// Writes a thread's share to the tiles.
__device__ inline void put(const Share& share, ATile& a_tile, BTile& b_tile) {
    const int t = threadIdx.x, i = t / 2, p = t % 2 * 4;
    a_tile[p][i] = share.a.x;
    a_tile[p + 1][i] = share.a.y;
    a_tile[p + 2][i] = share.a.z;
    a_tile[p + 3][i] = share.a.w;
    reinterpret_cast<float4&>(b_tile[t / 32][t % 32 * 4]) = share.b;
}

/// Where a thread's sums are within those of its block: four rows from `row` and four from `row + 64`, and columns from
/// `column` in the same way.
struct Corner {
    int row;     ///< a multiple of four below 64
    int column;  ///< a multiple of four below 64
};

/// Adds the products of two tiles to a thread's sums.
__device__ inline void multiply(
    const ATile& a_tile, const BTile& b_tile, Corner my, float (&sums)[8][8]) {
#pragma unroll
    for (int p = 0; p < depth; ++p) {
        alignas(16) float y[8];
        reinterpret_cast<float4&>(y[0]) =
            reinterpret_cast<const float4&>(b_tile[p][my.column]);
        reinterpret_cast<float4&>(y[4]) =
            reinterpret_cast<const float4&>(b_tile[p][my.column + 64]);
        for (int half = 0; half < 2; ++half) {
            alignas(16) float x[4];
            reinterpret_cast<float4&>(x[0]) =
                reinterpret_cast<const float4&>(a_tile[p][my.row + 64 * half]);
            for (int r = 0; r < 4; ++r)
                for (int s = 0; s < 8; ++s) sums[4 * half + r][s] += x[r] * y[s];
        }
    }
}

/// Writes a thread's sums to c.
__device__ inline void write(
    int m, int n, float* c, Corner my, const float (&sums)[8][8]) {
    for (int r = 0; r < 8; ++r) {
        const int i = blockIdx.y * side + my.row + r / 4 * 64 + r % 4;
        for (int s = 0; s < 8; s += 4) {
            const int j = blockIdx.x * side + my.column + s * 16;
            const float* const from = &sums[r][s];
            const float4 numbers = make_float4(from[0], from[1], from[2], from[3]);
            if (i < m && j < n && n % 4 == 0)
                reinterpret_cast<float4&>(c[i * n + j]) = numbers;
            else
                for (int u = 0; u < 4; ++u)
                    if (i < m && j + u < n) c[i * n + j + u] = from[u];
        }
    }
}

/// Every access to memory, read or write, moves four numbers.
__global__ __launch_bounds__(threads, 2) void vectorised(
    int m, int n, int k, const float* a, const float* b, float* c) {
    alignas(16) __shared__ ATile a_tile;
    alignas(16) __shared__ BTile b_tile;
    const int t = threadIdx.x;
    const Corner my{t / 16 * 4, t % 16 * 4};
    float sums[8][8] = {};
    for (int p0 = 0; p0 < k; p0 += depth) {
        put(fetch(m, n, k, a, b, p0), a_tile, b_tile);
        __syncthreads();
        multiply(a_tile, b_tile, my, sums);
        __syncthreads();
    }
    write(m, n, c, my, sums);
}

/// A block loads the next tiles while it computes with the present ones; each warp computes a compact part of the
/// block.
__global__ __launch_bounds__(threads, 2) void buffered(
    int m, int n, int k, const float* a, const float* b, float* c) {
    alignas(16) __shared__ ATile a_tiles[2];
    alignas(16) __shared__ BTile b_tiles[2];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const Corner my{(warp / 2 * 4 + lane / 16 * 2 + lane % 2) * 4,
        (warp % 2 * 8 + lane / 2 % 8) * 4};
    float sums[8][8] = {};
    put(fetch(m, n, k, a, b, 0), a_tiles[0], b_tiles[0]);
    __syncthreads();
    int now = 0;
    for (int p0 = depth; p0 < k + depth; p0 += depth, now = 1 - now) {
        const Share next = fetch(m, n, k, a, b, p0);  // zeros after the last tile
        multiply(a_tiles[now], b_tiles[now], my, sums);
        put(next, a_tiles[1 - now], b_tiles[1 - now]);
        __syncthreads();
    }
    write(m, n, c, my, sums);
}

/// A step of the ladder: a kernel and its launch configuration.
struct Product {
    const char* name;  ///< in a few words
    /// the kernel, with arguments m, n, k, a, b, c
    void (*kernel)(int, int, int, const float*, const float*, float*);
    int rows;     ///< rows of c that a block computes
    int columns;  ///< columns of c that a block computes
    dim3 block;   ///< threads of a block

    /// The number of blocks for an m x n result.
    dim3 grid(int m, int n) const {
        return dim3(
            unsigned((n + columns - 1) / columns), unsigned((m + rows - 1) / rows));
    }
};

/// All steps, slowest first.
inline const Product products[] = {
    {"one thread a number", naive, 32, 8, dim3(32, 8)},
    {"neighbours along rows", coalesced, 8, 32, dim3(32, 8)},
    {"tiles in shared memory", tiled, tile, tile, dim3(tile, tile)},
    {"sums in registers", registers, side, side, dim3(threads)},
    {"four at a time", vectorised, side, side, dim3(threads)},
    {"two buffers", buffered, side, side, dim3(threads)},
};

}  // namespace recto::ladder
