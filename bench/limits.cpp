#include "bench.hpp"

#include <cstdio>

#include <fmt/format.h>

#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/device/launch.hpp>
#include <recto/ops/products/matmul.hpp>

namespace RECTO::bench {
namespace {

/// a = b + s c, the triad: two numbers in, one out.
struct Triad {
    const Real *b, *c;
    Real* a;
    RECTO_HD void operator()(Index i) const { a[i] = b[i] + Real(0.5) * c[i]; }
};

void line(Device device, const std::string& limit, double value, const char* unit) {
    fmt::print("{{\"limit\": \"{}\", \"value\": {:.4g}, \"unit\": \"{}\", \"threads\": {}, \"device\": \"{}\"}}\n",
               limit, value, unit, threads(), name(device));
    std::fflush(stdout);
}

/// Median seconds of a piece of work; on a GPU many calls run before the clock is read.
template <class Work>
double seconds(Device device, Work&& work) {
    const int together = device == Device::cuda ? 20 : 1;
    const double all = book::median_seconds(
        [&] {
            for (int i = 0; i < together; ++i) work();
            synchronize(device);
        },
        7);
    return all / together;
}

}  // namespace

void print_limits(Device device) {
    require(device);
    if (device == Device::cpu) line(device, "multiply-add", multiply_add_rate(), "GFLOP/s");
    const std::vector<Index> sizes = device == Device::cuda  ? std::vector<Index>{1024, 4096, 8192}
                                     : device == Device::cpu ? std::vector<Index>{1024}
                                                             : std::vector<Index>{64};
    for (const Index n : sizes) {
        const Tensor a = Generator(1).normal({n, n}, 0, 1, device), b = Generator(2).normal({n, n}, 0, 1, device);
        Tensor c;
        const double took = seconds(device, [&] { c = matmul(a, b); });
        line(device, fmt::format("product of {} x {}", n, n), 2. * double(n) * double(n) * double(n) / took / 1e9,
             "GFLOP/s");
    }
    const Index many = Index(1) << (device == Device::sim ? 16 : 26);
    const Tensor x = full({many}, 1, device), y = full({many}, 2, device);
    Tensor z = empty({many}, device);
    const double took = seconds(device, [&] { each(device, many, Triad{x.data(), y.data(), z.write()}); });
    line(device, "memory, a = b + s c", 3. * double(many) * sizeof(Real) / took / 1e9, "GB/s");
}

}  // namespace RECTO::bench
