// Compares two thread pools. The program is built twice: bench_threads_pool uses the library's pool and its products,
// bench_threads_openmp uses OpenMP loops and the threads of OpenBLAS's OpenMP variant. Run both in turn, idle and
// beside another busy process, the second also with OMP_WAIT_POLICY=passive. ARCHITECTURE.md has our measurements.
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>
#ifndef BENCH_OPENMP
#include <recto/device/threads.hpp>
#include <recto/kernels/gemm.hpp>
#endif

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Median microseconds of one of `calls` calls of f, over 31 runs.
template <class F>
double microseconds(int calls, const F& f) {
    std::vector<double> times;
    for (int run = 0; run < 32; ++run) {
        const double start = now();
        for (int i = 0; i < calls; ++i) f();
        if (run > 0) times.push_back((now() - start) / calls * 1e6);
    }
    std::ranges::nth_element(times, times.begin() + 15);
    return times[15];
}

void product(long m, long n, long k, const float* a, const float* b, float* c) {
#ifdef BENCH_OPENMP
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int(m), int(n), int(k), 1, a, int(k), b, int(n), 0, c,
                int(n));
#else
    recto::gemm(recto::Device::cpu, m, n, k, {a, k}, {b, n}, c, n);
#endif
}

void loop(long n, const float* x, float* y) {
    const auto piece = [=](long begin, long end) {
        for (long i = begin; i < end; ++i) y[i] = x[i] * 2 + 1;
    };
#ifdef BENCH_OPENMP
#pragma omp parallel for
    for (long at = 0; at < n; at += 16384) piece(at, std::min(at + 16384, n));
#else
    recto::parallel(n, 16384, piece);
#endif
}

}  // namespace

int main() {
    const std::vector<float> a(8'000'000, 1.1f), b(8'000'000, 0.9f);
    std::vector<float> c(8'000'000);
    std::printf("a loop over 40,000 numbers      %9.1f us\n",
                microseconds(50, [&] { loop(40'000, a.data(), c.data()); }));
    struct Size {
        long m, n, k;
    };
    for (const Size s : {Size{128, 100, 784}, Size{784, 100, 128}, Size{512, 512, 512}, Size{60'000, 10, 100}})
        std::printf("product %5ld x %3ld x %3ld         %9.1f us\n", s.m, s.n, s.k,
                    microseconds(5, [&] { product(s.m, s.n, s.k, a.data(), b.data(), c.data()); }));
    std::printf("a step: two products, six loops %9.1f us\n", microseconds(50, [&] {
                    product(128, 100, 784, a.data(), b.data(), c.data());
                    for (int i = 0; i < 3; ++i) loop(25'600, a.data(), c.data());
                    product(784, 100, 128, a.data(), b.data(), c.data());
                    for (int i = 0; i < 3; ++i) loop(78'400, a.data(), c.data());
                }));
}
