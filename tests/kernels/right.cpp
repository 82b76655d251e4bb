#include "right.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

using namespace recto::kernels;

namespace {

std::vector<float> numbers(int n) {
    std::vector<float> made(n);
    for (int i = 0; i < n; ++i) made[i] = float((i * 37 + 11) % 101) / 8;  // sums of them are exact
    return made;
}
template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}
unsigned blocks(int n, int each) { return unsigned((n + each - 1) / each); }

// ---- Maps

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + __ldg(b + i);
}
std::vector<double> emulated_add() {
    const int n = 1000;
    Buffer<float> a(numbers(n)), b(numbers(n)), sum(n);
    launch({blocks(n, 256), 256}, add, a, b, sum, n);
    return doubles(sum.values());
}
std::vector<double> plain_add() {
    auto sum = numbers(1000);
    for (float& x : sum) x += x;
    return doubles(sum);
}

__global__ void copy(const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void copy_by_four(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        const float4 four = reinterpret_cast<const float4*>(in)[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(four.x, four.y, four.z, four.w);
    }
    if (i < n % 4) out[n - 1 - i] = in[n - 1 - i];  // the tail
}
std::vector<double> emulated_copy() {
    const int n = 1003;
    Buffer<float> in(numbers(n)), middle(n), out(n);
    Stream stream;
    launch({2, 64, 0, &stream}, copy, in, middle, n);
    launch({4, 64, 0, &stream}, copy_by_four, middle, out, n);
    std::vector<float> result;
    out.values(result, stream);
    stream.synchronize();
    return doubles(result);
}
std::vector<double> plain_copy() { return doubles(numbers(1003)); }

// ---- Tiles

__global__ void product(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile_a[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
        tile_b[y][x] = column < n && k + y < n ? b[(k + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
// While one half of the tiles is multiplied, the other is filled: one barrier for each step.
__global__ void product_of_two_buffers(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[2][16][16], tile_b[2][16][16];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    const auto fill = [&](int half, int k) {
        tile_a[half][y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
        tile_b[half][y][x] = column < n && k + y < n ? b[(k + y) * n + column] : 0;
    };
    fill(0, 0);
    __syncthreads();
    for (int k = 0, half = 0; k < n; k += 16, half ^= 1) {
        if (k + 16 < n) fill(half ^ 1, k + 16);
        for (int i = 0; i < 16; ++i) sum = fmaf(tile_a[half][y][i], tile_b[half][i][x], sum);
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
template <void kernel(const float*, const float*, float*, int)>
std::vector<double> emulated_product() {
    const int n = 40;
    Buffer<float> a(numbers(n * n)), b(numbers(n * n)), c(n * n);
    launch({{blocks(n, 16), blocks(n, 16)}, {16, 16}}, kernel, a, b, c, n);
    return doubles(c.values());
}
std::vector<double> plain_product() {
    const int n = 40;
    const auto a = numbers(n * n);
    std::vector<double> c(n * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) c[i * n + j] += double(a[i * n + k]) * a[k * n + j];
    return c;
}

__global__ void transpose_naive(const float* in, float* out, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 8) out[x * n + blockIdx.y * 32 + y] = in[(blockIdx.y * 32 + y) * n + x];
}
template <int width>
__global__ void transpose_by_tile(const float* in, float* out, int n) {
    __shared__ float tile[32][width];
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 8) tile[y][x] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8) out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y];
}
std::vector<double> emulated_transpose() {
    Buffer<float> in(numbers(64 * 64)), out(64 * 64), back(64 * 64);
    launch({{2, 2}, {32, 8}}, transpose_by_tile<33>, in, out, 64);
    launch({{2, 2}, {32, 8}}, transpose_naive, out, back, 64);
    return doubles(back.values());
}
std::vector<double> plain_transpose() { return doubles(numbers(64 * 64)); }

// ---- Sums

__global__ void sums_of_blocks(const float* in, float* sums, int n) {
    float* part = dynamic_shared<float>();
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
std::vector<double> emulated_two_passes() {
    const int n = 5000, many = int(blocks(n, 128));
    Buffer<float> in(numbers(n)), sums(many), sum(1);
    launch({many, 128, 128 * sizeof(float)}, sums_of_blocks, in, sums, n);
    launch({1, 64, 64 * sizeof(float)}, sums_of_blocks, sums, sum, many);
    return doubles(sum.values());
}

__device__ float sum_of_warp(float value) {
    for (int half = 16; half > 0; half /= 2) value += __shfl_down_sync(0xffffffff, value, half);
    return value;
}
__global__ void sum_by_shuffles(const float* in, float* sum, int n) {
    __shared__ float warps[32];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
    mine = sum_of_warp(mine);
    const int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
    if (lane == 0) warps[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        mine = sum_of_warp(lane < int(blockDim.x) / warpSize ? warps[lane] : 0);
        if (lane == 0) atomicAdd(sum, mine);
    }
}
std::vector<double> emulated_shuffles() {
    Buffer<float> in(numbers(5000)), sum(std::vector<float>{0});
    launch({4, 128}, sum_by_shuffles, in, sum, 5000);
    return doubles(sum.values());
}

// The block that comes last adds what all blocks have left.
__global__ void sum_in_one_launch(const float* in, float* part, unsigned* done, float* sum, int n) {
    __shared__ float mine[64];
    __shared__ bool last;
    const unsigned t = threadIdx.x;
    mine[t] = 0;
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) mine[t] += in[i];
    __syncthreads();
    if (t == 0) {
        float total = 0;
        for (int i = 0; i < 64; ++i) total += mine[i];
        part[blockIdx.x] = total;
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float total = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) total += part[i];
        *sum = total;
    }
}
std::vector<double> emulated_last_block() {
    Buffer<float> in(numbers(5000)), part(8), sum(1);
    Buffer<unsigned> done(std::vector<unsigned>{0});
    launch({8, 64}, sum_in_one_launch, in, part, done, sum, 5000);
    return doubles(sum.values());
}
std::vector<double> plain_sum() {
    double sum = 0;
    for (const float x : numbers(5000)) sum += x;
    return {sum};
}

__global__ void histogram(const int* values, int* counts, int n) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[values[i] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
std::vector<int> many_values() {
    std::vector<int> values(3000);
    for (int i = 0; i < 3000; ++i) values[i] = i * i;
    return values;
}
std::vector<double> emulated_histogram() {
    Buffer<int> values(many_values()), counts(std::vector<int>(16, 0));
    launch({3, 96}, histogram, values, counts, 3000);
    return doubles(counts.values());
}
std::vector<double> plain_histogram() {
    std::vector<double> counts(16);
    for (const int value : many_values()) counts[unsigned(value) % 16] += 1;
    return counts;
}

// ---- Scans, votes and the like

__global__ void exclusive_scan(const float* in, float* out, int n) {
    __shared__ float sums[2][128];
    const int t = threadIdx.x;
    int now = 0;
    sums[0][t] = t > 0 && t <= n ? in[t - 1] : 0;
    __syncthreads();
    for (int step = 1; step < 128; step *= 2, now ^= 1) {
        sums[now ^ 1][t] = sums[now][t] + (t >= step ? sums[now][t - step] : 0);
        __syncthreads();
    }
    if (t < n) out[t] = sums[now][t];
}
std::vector<double> emulated_scan() {
    Buffer<float> in(numbers(100)), out(100);
    launch({1, 128}, exclusive_scan, in, out, 100);
    return doubles(out.values());
}
std::vector<double> plain_scan() {
    std::vector<double> sums;
    double sum = 0;
    for (const float x : numbers(100)) sums.push_back(sum), sum += x;
    return sums;
}

__constant__ int three = 3;
__device__ int seen = 0;
__global__ void words(int* out) {
    const unsigned all = 0xffffffff;
    const int lane = threadIdx.x;
    int* mine = out + lane * 12;
    mine[0] = int(__ballot_sync(all, lane % three == 0) & 0xffff);
    mine[1] = __all_sync(all, lane < 32);
    mine[2] = __any_sync(all, lane == 40);
    mine[3] = __shfl_up_sync(all, lane, 1);
    mine[4] = __shfl_sync(all, lane, 5, 8);
    mine[5] = __shfl_xor_sync(all, lane, 1);
    mine[6] = __syncthreads_count(lane < 7);
    mine[7] = __syncthreads_and(lane < 32) + 2 * __syncthreads_or(lane == 31);
    mine[8] = __popc(unsigned(lane)) + 10 * __ffs(lane) + 1000 * __clz(lane);
    if (lane < 16) mine[9] = int(__shfl_down_sync(0xffff, 2.5 * lane, 1, 16));  // half a warp, in double
    if (lane >= 16) mine[9] = 0;
    atomicMax(&seen, lane);
    mine[10] = atomicCAS(&out[11], lane, lane);  // all agree on one place
    __syncthreads();
    if (lane > 0) mine[11] = seen;
}
std::vector<double> emulated_words() {
    Buffer<int> out(std::vector<int>(32 * 12, -1));
    launch({1, 32}, words, out);
    return doubles(out.values());
}
std::vector<double> plain_words() {
    std::vector<double> out;
    for (int lane = 0; lane < 32; ++lane) {
        int ballot = 0, bits = 0, first = 0, zeros = 32;
        for (int i = 0; i < 16; ++i) ballot |= (i % 3 == 0) << i;
        for (int i = 0; i < 32; ++i) {
            if (!(lane >> i & 1)) continue;
            ++bits;
            if (!first) first = i + 1;
            zeros = 31 - i;
        }
        const int down = lane == 15 ? 15 : lane + 1;
        for (const int word :
             {ballot, 1, 0, lane == 0 ? 0 : lane - 1, lane / 8 * 8 + 5, lane ^ 1, 7, 3,
              bits + 10 * first + 1000 * zeros, lane < 16 ? int(2.5 * down) : 0, -1, lane > 0 ? 31 : -1})
            out.push_back(word);
    }
    return out;
}

// Neighbours wait for each other in a loop: the one that waits gives way.
__global__ void chain(int* flag, int* out) {
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 != 0) return;
    while (atomicAdd(flag, 0) != 3 - warp) {
    }
    out[warp] = atomicAdd(flag, 1);
}
std::vector<double> emulated_chain() {
    Buffer<int> flag(std::vector<int>{0}), out(4);
    launch({1, 128}, chain, flag, out);
    return doubles(out.values());
}
std::vector<double> plain_chain() { return {3, 2, 1, 0}; }

// The same value from all threads is no race.
__global__ void any_negative(const float* in, int* found) {
    __shared__ int any;
    any = 0;
    __syncthreads();
    if (in[threadIdx.x] < 0) any = 1;
    __syncthreads();
    if (threadIdx.x == 0) *found = any;
}
std::vector<double> emulated_flag() {
    Buffer<float> in(std::vector<float>(64, -1));
    Buffer<int> found(1);
    launch({1, 64}, any_negative, in, found);
    return doubles(found.values());
}
std::vector<double> plain_flag() { return {1}; }

__global__ void quick(const float* in, float* out) {
    const int i = threadIdx.x;
    const float x = in[i];
    const float all[] = {__expf(x),          __exp10f(x),         __logf(x + 1),      __log2f(x + 1),
                         __log10f(x + 1),    __powf(x, 3.0f),     __sinf(x),          __cosf(x),
                         __tanf(x),          __fdividef(x, 3.0f), __saturatef(x - 1), __fadd_rn(x, 0.1f),
                         __fsub_rn(x, 0.1f), __fmul_rn(x, 0.1f),  __fdiv_rn(x, 3.0f), __fmaf_rn(x, 0.1f, 1.0f),
                         __frcp_rn(x + 1),   __fsqrt_rn(x),       __frsqrt_rn(x + 1)};
    for (int k = 0; k < 19; ++k) out[i * 19 + k] = all[k];
}
std::vector<double> emulated_quick() {
    Buffer<float> in(std::vector<float>{0, 0.5f, 1.3f, 7}), out(4 * 19);
    launch({1, 4}, quick, in, out);
    return doubles(out.values());
}
std::vector<double> plain_quick() {
    std::vector<double> all;
    for (const float x : {0.0f, 0.5f, 1.3f, 7.0f})
        for (const float y :
             {std::exp(x), std::pow(10.0f, x), std::log(x + 1), std::log2(x + 1), std::log10(x + 1), std::pow(x, 3.0f),
              std::sin(x), std::cos(x), std::tan(x), x / 3, std::min(std::max(x - 1, 0.0f), 1.0f), x + 0.1f, x - 0.1f,
              x * 0.1f, x / 3, std::fma(x, 0.1f, 1.0f), 1 / (x + 1), std::sqrt(x), float(1 / std::sqrt(double(x + 1)))})
            all.push_back(y);
    return all;
}

__global__ void take_places(int* next, int* places) { places[threadIdx.x] = atomicAdd(next, 1); }

}  // namespace

std::span<const Right> right() {
    static constexpr Right all[] = {
        {"vector sum with a tail", emulated_add, plain_add},
        {"strided and vectorised copies on a stream", emulated_copy, plain_copy},
        {"tiled product", emulated_product<product>, plain_product},
        {"tiled product with two buffers", emulated_product<product_of_two_buffers>, plain_product},
        {"transposes", emulated_transpose, plain_transpose},
        {"sum in two passes, shared memory of dynamic size", emulated_two_passes, plain_sum},
        {"sum by shuffles and atomics", emulated_shuffles, plain_sum},
        {"sum in one launch, by the last block", emulated_last_block, plain_sum},
        {"histogram with atomics", emulated_histogram, plain_histogram},
        {"exclusive scan", emulated_scan, plain_scan},
        {"votes, shuffles and other words", emulated_words, plain_words},
        {"warps that wait for each other", emulated_chain, plain_chain},
        {"the same value from all threads", emulated_flag, plain_flag},
        {"functions of one or two instructions", emulated_quick, plain_quick},
    };
    return all;
}

__global__ void visible(float* out) {
    __shared__ float part[64];
    part[threadIdx.x] = float(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = part[63 - threadIdx.x];
}
Counts visible_counts() {
    Buffer<float> out(64);
    return launch({1, 64}, visible, out);
}

__constant__ float factors[32] = {2, 3, 5}, shift = 1;
__constant__ const int places[33] = {1, 2};  // const and other constants in one file
__device__ float table[32] = {1, 2, 3};
__global__ void scaled(float* out) {
    const int i = threadIdx.x;
    out[i] = factors[i] * table[i] + shift + float(places[i + 1]);
}
Counts constant_counts() {
    Buffer<float> out(32);
    const Counts counts = launch({1, 32}, scaled, out);
    if (out.values()[2] != 16) throw Mistake(Kind::launch, "scaled: wanted 5 * 3 + 1 + 0");
    return counts;
}

__global__ void raise_factor(float* out) {
    out[0] = factors[threadIdx.x];
    factors[1] = 7;
}
std::string constant_written() {
    Buffer<float> out(1);
    try {
        launch({1, 1}, raise_factor, out);
    } catch (const Mistake& mistake) {
        return mistake.what();
    }
    return "";
}

Counts transpose_counts(const std::string& way) {
    Buffer<float> in(numbers(64 * 64)), out(64 * 64);
    const Config config{{2, 2}, {32, 8}};
    return way == "naive"  ? launch(config, transpose_naive, in, out, 64)
           : way == "tile" ? launch(config, transpose_by_tile<32>, in, out, 64)
                           : launch(config, transpose_by_tile<33>, in, out, 64);
}

Counts copy_counts(bool by_four) {
    Buffer<float> in(numbers(128)), out(128);
    return by_four ? launch({1, 32}, copy_by_four, in, out, 128) : launch({1, 128}, copy, in, out, 128);
}

std::vector<int> taken_places() {
    Buffer<int> next(std::vector<int>{0}), places(64);
    launch({1, 64}, take_places, next, places);
    return places.values();
}

double seconds_of_a_product() {
    const int n = 128;
    Buffer<float> a(numbers(n * n)), b(numbers(n * n)), c(n * n);
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
        const std::clock_t before = std::clock();  // of the processor: what runs beside does not count
        launch({{n / 16, n / 16}, {16, 16}}, product, a, b, c, n);
        least = std::min(least, double(std::clock() - before) / CLOCKS_PER_SEC);
    }
    return least;
}
