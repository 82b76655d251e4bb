#include "bench.hpp"

#include <fmt/format.h>

#include <recto/book/stopwatch.hpp>
#include <recto/core/launch.hpp>
#include <recto/core/random.hpp>
#include <recto/ops/matmul.hpp>

namespace RECTO::bench {
namespace {

constexpr Index chains = 8, lanes = 32, rounds = 4096;

/// Independent chains of multiply-adds, enough of them to hide the latency; nothing leaves the registers.
struct MultiplyAdd {
    Real* out;
    Real a;  // not known while compiling
    RECTO_HD void operator()(const auto& team, Index row) const {
        Real acc[chains][lanes] = {};
        for (Index k = 0; k < rounds; ++k)
#pragma GCC unroll 8
            for (Index i = 0; i < chains; ++i)
#pragma omp simd
                for (Index j = 0; j < lanes; ++j) acc[i][j] = fma(acc[i][j], a, Real(1e-3));
        Real total = 0;
        for (Index i = 0; i < chains * lanes; ++i) total += acc[i / lanes][i % lanes];
        team.each(1, [&](Index) { out[row] = total; });
    }
};

/// a = b + s c, the triad: two numbers in, one out.
struct Triad {
    const Real *b, *c;
    Real* a;
    RECTO_HD void operator()(Index i) const { a[i] = b[i] + Real(0.5) * c[i]; }
};

void line(const char* limit, double value, const char* unit) {
    fmt::print("{{\"limit\": \"{}\", \"value\": {:.4g}, \"unit\": \"{}\", \"threads\": {}}}\n", limit, value, unit,
               threads());
}

}  // namespace

void print_limits() {
    Tensor sums = empty({4096});
    const double madd = book::median_seconds(
        [&] {
            rows(Device::cpu, sums.size(), chains * lanes * rounds, MultiplyAdd{sums.write(), Real(0.999)});
        },
        7);
    line("multiply-add", 2. * double(sums.size()) * chains * lanes * rounds / madd / 1e9, "GFLOP/s");
    const Index n = 1024;
    const Tensor a = Generator(1).normal({n, n}), b = Generator(2).normal({n, n});
    Tensor c = empty({n, n});
    const double product = book::median_seconds([&] { c = matmul(a, b); }, 7);
    line("product of 1024 x 1024", 2. * double(n * n * n) / product / 1e9, "GFLOP/s");
    const Index many = Index(1) << 26;
    const Tensor x = full({many}, 1), y = full({many}, 2);
    Tensor z = empty({many});
    const double triad = book::median_seconds(
        [&] {
            each(Device::cpu, many, Triad{x.data(), y.data(), z.write()});
        },
        7);
    line("memory, a = b + s c", 3. * double(many) * sizeof(Real) / triad / 1e9, "GB/s");
}

}  // namespace RECTO::bench
