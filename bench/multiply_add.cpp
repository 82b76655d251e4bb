#include <algorithm>

#include <recto/core/tensor.hpp>
#include <recto/device/launch.hpp>

#include "bench.hpp"

namespace RECTO::bench {
namespace {

constexpr Index rounds = 4096;

/// Independent chains of multiply-adds, enough of them to hide the latency; all operands are in registers.
template <Index chains, Index lanes>
struct MultiplyAdd {
    Real* out;
    Real a;  // unknown at compile time
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

template <Index chains, Index lanes>
double rate() {
    Tensor sums = empty({4096});
    const double took = least_seconds([&] {
        rows(Device::cpu, sums.numel(), chains * lanes * rounds, MultiplyAdd<chains, lanes>{sums.write(), Real(0.999)});
    });
    return 2. * double(sums.numel()) * chains * lanes * rounds / took / 1e9;
}

}  // namespace

double multiply_add_rate() {
    // As many sums as fit into the registers of AVX-512, of AVX2, and of smaller sets.
    return std::max({rate<8, 32>(), rate<6, 16>(), rate<6, 8>()});
}

}  // namespace RECTO::bench
