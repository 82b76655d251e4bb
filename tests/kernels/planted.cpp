#include "planted.hpp"

#include <recto/emulator/cuda_on_cpu.hpp>

using namespace recto::kernels;

// Where a line has a mark, `//@name`, a message names that line; cuda_on_cpu.test.cpp looks it up.
namespace {

std::vector<float> numbers(int n) {
    std::vector<float> made(n);
    for (int i = 0; i < n; ++i) made[i] = float(i % 7);
    return made;
}

// ---- Indices

__global__ void add(const float* a, const float* b, float* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = a[i] + b[i];  //@add
}
void no_bounds_check() {
    Buffer<float> a(numbers(1000), "a"), b(numbers(1000), "b"), sum(1000, "sum");
    launch({4, 256}, add, a, b, sum);
}

__global__ void difference(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] - in[i - 1];  //@difference
}
void index_below_zero() {
    Buffer<float> in(numbers(100)), out(100);
    launch({1, 128}, difference, in, out, 100);
}

__global__ void scale(const float* in, float* out, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
}
void missing_tail() {
    const int n = 1000;
    Buffer<float> in(numbers(n), "in"), out(n, "out");
    launch({n / 256, 256}, scale, in, out, 2.0f, n);
    out.values();
}

__global__ void transpose_tile(const float* in, float* out) {
    __shared__ float tile[16][17];
    tile[threadIdx.x][threadIdx.y + 2] = in[threadIdx.y * 16 + threadIdx.x];  //@column
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y][threadIdx.x + 2];
}
void index_in_the_wrong_row() {
    Buffer<float> in(numbers(256)), out(256);
    launch({1, {16, 16}}, transpose_tile, in, out);
}

__device__ __attribute__((noinline)) void put(float* row, int i, float value) {
    row[i] = value;  //@put
}
__global__ void shifted(const float* in, float* out) {
    __shared__ float row[64];
    put(row, threadIdx.x + 1, in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = row[threadIdx.x + 1];
}
void shared_too_small() {
    Buffer<float> in(numbers(64)), out(64);
    launch({1, 64}, shifted, in, out);
}

__global__ void backwards(const float* in, float* out, int n) {
    float* all = dynamic_shared<float>();
    all[threadIdx.x] = in[threadIdx.x];  //@dynamic
    __syncthreads();
    out[threadIdx.x] = all[n - 1 - threadIdx.x];
}
void dynamic_shared_too_small() {
    Buffer<float> in(numbers(64)), out(64);
    launch({1, 64, 63 * sizeof(float)}, backwards, in, out, 64);
}

// ---- Reads of uninitialised memory

__global__ void accumulate(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += in[i];  //@accumulate
}
void uninitialised_buffer() {
    Buffer<float> in(numbers(100), "in"), out(100, "out");
    launch({1, 128}, accumulate, in, out, 100);
}

__global__ void tree_sum(const float* in, float* out, int n) {
    __shared__ float part[128];
    const int i = threadIdx.x;
    if (i < n) part[i] = in[i];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (i < half) part[i] += part[i + half];  //@tree
        __syncthreads();
    }
    if (i == 0) *out = part[0];
}
void uninitialised_shared() {
    Buffer<float> in(numbers(100)), out(1);
    launch({1, 128}, tree_sum, in, out, 100);
}

// ---- Races

__global__ void reverse(const float* in, float* out) {
    __shared__ float all[64];
    all[threadIdx.x] = in[threadIdx.x];        //@reverse-write
    out[threadIdx.x] = all[63 - threadIdx.x];  //@reverse-read
}
void missing_barrier() {
    Buffer<float> in(numbers(64)), out(64);
    launch({1, 64}, reverse, in, out);
}

__global__ void normalise(const float* in, float* out) {
    __shared__ float all[64];
    const int i = threadIdx.x;
    all[i] = in[i] + 1;
    __syncthreads();
    all[i] /= all[63];  //@normalise
    __syncthreads();
    out[i] = all[i];
}
void changed_while_others_read() {
    Buffer<float> in(numbers(64)), out(64);
    launch({1, 64}, normalise, in, out);
}

__global__ void product(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[8][8], tile_b[8][8];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 8) {
        tile_a[y][x] = a[row * n + k + x];  //@tile-write
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += tile_a[y][i] * tile_b[i][x];  //@tile-read
    }
    c[row * n + column] = sum;
}
void missing_second_barrier() {
    Buffer<float> a(numbers(256)), b(numbers(256)), c(256);
    launch({{2, 2}, {8, 8}}, product, a, b, c, 16);
}

__global__ void warp_sum(const float* in, float* out) {
    __shared__ float part[32];
    const int lane = threadIdx.x;
    part[lane] = in[lane];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2)
        if (lane < half) part[lane] += part[lane + half];  //@warp
    if (lane == 0) *out = part[0];
}
void missing_syncwarp() {
    Buffer<float> in(numbers(32)), out(1);
    launch({1, 32}, warp_sum, in, out);
}

__global__ void histogram(const int* bins, int* counts) {
    __shared__ int mine[8];
    if (threadIdx.x < 8) mine[threadIdx.x] = 0;
    __syncthreads();
    mine[bins[threadIdx.x]]++;  //@histogram
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
void missing_atomic() {
    std::vector<int> bins(64);
    for (int i = 0; i < 64; ++i) bins[i] = i / 8;
    Buffer<int> in(bins), counts(std::vector<int>(8, 0));
    launch({1, 64}, histogram, in, counts);
}

__global__ void sum_of_blocks(const float* in, float* sum) {
    __shared__ float part[64];
    part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0;
        for (int i = 0; i < 64; ++i) total += part[i];
        *sum += total;  //@blocks
    }
}
void missing_atomic_across_blocks() {
    Buffer<float> in(numbers(256), "in"), sum(std::vector<float>{0}, "sum");
    launch({4, 64}, sum_of_blocks, in, sum);
}

__global__ void last_block_sums(const float* in, float* part, unsigned* done, float* sum) {
    part[blockIdx.x] = in[blockIdx.x];  //@last-write
    if (atomicAdd(done, 1u) + 1 < gridDim.x) return;
    float total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) total += part[i];  //@last-read
    *sum = total;
}
void missing_threadfence() {
    Buffer<float> in(numbers(4), "in"), part(4, "part"), sum(1, "sum");
    Buffer<unsigned> done(std::vector<unsigned>{0}, "done");
    launch({4, 1}, last_block_sums, in, part, done, sum);
}

// ---- Barriers and shuffles

__global__ void early_return(const float* in, float* out, int n) {
    __shared__ float all[128];
    const int i = threadIdx.x;
    if (i >= n) return;
    all[i] = in[i];
    __syncthreads();  //@early
    out[i] = all[n - 1 - i];
}
void barrier_after_return() {
    Buffer<float> in(numbers(100)), out(100);
    launch({1, 128}, early_return, in, out, 100);
}

__global__ void branches(float* out) {
    __shared__ float all[64];
    if (threadIdx.x % 2 == 0) {
        all[threadIdx.x] = 1;
        __syncthreads();  //@even
    } else {
        all[threadIdx.x] = 2;
        __syncthreads();  //@odd
    }
    out[threadIdx.x] = all[63 - threadIdx.x];
}
void barrier_in_each_branch() {
    Buffer<float> out(64);
    launch({1, 64}, branches, out);
}

__global__ void half_a_warp(const int* in, int* out) {
    int sum = in[threadIdx.x];
    if (threadIdx.x >= 16) sum += __shfl_down_sync(0x0000ffff, sum, 8);  //@mask
    out[threadIdx.x] = sum;
}
void mask_without_its_own_lane() {
    Buffer<int> in(std::vector<int>(32, 1)), out(32);
    launch({1, 32}, half_a_warp, in, out);
}

__global__ void small_block(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);  //@absent
    if (threadIdx.x == 0) *out = sum;
}
void lane_that_is_not_there() {
    Buffer<int> in(std::vector<int>(16, 1)), out(1);
    launch({1, 16}, small_block, in, out);
}

__global__ void parted(const int* in, int* out) {
    int value = in[threadIdx.x];
    if (threadIdx.x < 16) value = __shfl_xor_sync(0xffffffff, value, 1);  //@parted-shuffle
    __syncthreads();                                                      //@parted-barrier
    out[threadIdx.x] = value;
}
void shuffle_in_a_branch() {
    Buffer<int> in(std::vector<int>(32, 1)), out(32);
    launch({1, 32}, parted, in, out);
}

// ---- Two memories

void pointer_of_the_host() {
    std::vector<float> in = numbers(100);
    Buffer<float> out(100);
    launch({1, 128}, scale, in.data(), out, 2.0f, 100);
}

struct Span {
    const float* data;
    int size;
};
__global__ void total(Span in, float* sum) {
    float total = 0;
    for (int i = 0; i < in.size; ++i) total += in.data[i];  //@total
    *sum = total;
}
void pointer_of_the_host_in_a_struct() {
    static const std::vector<float> in = numbers(100);
    Buffer<float> sum(1);
    launch({1, 1}, total, Span{in.data(), 100}, sum);
}

void device_memory_on_the_host() {
    Buffer<float> x(numbers(100), "x");
    x.data()[3] = 1;  //@host
    x.values();
}

void buffer_that_was_freed() {
    Buffer<float> out(100);
    const float* in = nullptr;
    {
        const Buffer<float> gone(1 << 20);
        in = gone.data() + (1 << 19);
    }
    launch({1, 128}, scale, in, out, 2.0f, 100);
}

void result_before_synchronize() {
    Buffer<float> in(numbers(100)), out(100);
    std::vector<float> result;
    Stream stream;
    launch({1, 128, 0, &stream}, scale, in, out, 2.0f, 100);
    out.values(result, stream);
    volatile float first = result[0];  //@early-look
    (void)first;
    stream.synchronize();
}

// ---- The rest

__global__ void copy_by_four(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) *(float4*)(out + 4 * i) = *(const float4*)(in + 4 * i);  //@four
}
void misaligned_vector() {
    Buffer<float> in(numbers(101), "in"), out(100, "out");
    launch({1, 32}, copy_by_four, in.data() + 1, out, 100);
}

__global__ void collatz(const unsigned* in, unsigned* steps) {
    unsigned n = in[threadIdx.x], count = 0;
    for (; n != 1; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;  //@collatz
    steps[threadIdx.x] = count;
}
void endless_loop() {
    Buffer<unsigned> in(std::vector<unsigned>{7, 27, 0, 1}), steps(4);
    launch({1, 4}, collatz, in, steps);
}

__global__ void set_all(float* out) { out[threadIdx.y * blockDim.x + threadIdx.x] = 1; }
void too_many_threads() {
    Buffer<float> out(33 * 32);
    launch({1, {32, 33}}, set_all, out);
}
void no_blocks() {
    Buffer<float> out(1);
    const int n = 0;
    launch({(n + 255) / 256, 256}, set_all, out);
}
void too_many_rows() {
    Buffer<float> out(1);
    launch({{1, 65536}, 1}, set_all, out);
}
void too_much_shared() {
    Buffer<float> in(numbers(64)), out(64);
    launch({1, 64, 50000}, backwards, in, out, 64);
}

}  // namespace

#define PLANTED(NAME) \
    { #NAME, NAME }
std::span<const Planted> planted() {
    static constexpr Planted all[] = {
        PLANTED(no_bounds_check),
        PLANTED(index_below_zero),
        PLANTED(missing_tail),
        PLANTED(index_in_the_wrong_row),
        PLANTED(shared_too_small),
        PLANTED(dynamic_shared_too_small),
        PLANTED(uninitialised_buffer),
        PLANTED(uninitialised_shared),
        PLANTED(missing_barrier),
        PLANTED(changed_while_others_read),
        PLANTED(missing_second_barrier),
        PLANTED(missing_syncwarp),
        PLANTED(missing_atomic),
        PLANTED(missing_atomic_across_blocks),
        PLANTED(missing_threadfence),
        PLANTED(barrier_after_return),
        PLANTED(barrier_in_each_branch),
        PLANTED(mask_without_its_own_lane),
        PLANTED(lane_that_is_not_there),
        PLANTED(shuffle_in_a_branch),
        PLANTED(pointer_of_the_host),
        PLANTED(pointer_of_the_host_in_a_struct),
        PLANTED(device_memory_on_the_host),
        PLANTED(buffer_that_was_freed),
        PLANTED(result_before_synchronize),
        PLANTED(misaligned_vector),
        PLANTED(endless_loop),
        PLANTED(too_many_threads),
        PLANTED(no_blocks),
        PLANTED(too_many_rows),
        PLANTED(too_much_shared),
    };
    return all;
}
