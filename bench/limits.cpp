#include "bench.hpp"

#include <cstdio>

#include <fmt/format.h>

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

void line(Device device, const std::string& limit, double value, const char* unit, Index bytes = 0) {
    fmt::print("{{\"limit\": \"{}\", \"value\": {:.4g}, \"unit\": \"{}\", {}\"threads\": {}, \"device\": \"{}\"}}\n",
               limit, value, unit, bytes ? fmt::format("\"bytes\": {}, ", bytes) : "", threads(), name(device));
    std::fflush(stdout);
}

/// The least seconds of a piece of work; on a GPU many calls run before the clock is read.
template <class Work>
double seconds(Device device, Work&& work) {
    const int together = device == Device::cuda ? 20 : 1;
    const double all = least_seconds([&] {
        for (int i = 0; i < together; ++i) work();
        synchronize(device);
    });
    return all / together;
}

/// Gigabytes a second of a triad of `n` numbers, `repeats` times one after another.
double triad(Device device, Index n, int repeats) {
    const Tensor x = full({n}, 1, device), y = full({n}, 2, device);
    Tensor z = empty({n}, device);
    const double took = seconds(device, [&] {
        for (int i = 0; i < repeats; ++i) each(device, n, Triad{x.data(), y.data(), z.write()});
    });
    return 3. * double(n) * repeats * sizeof(Real) / took / 1e9;
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
    line(device, "memory, a = b + s c", triad(device, many, 1), "GB/s", 3 * many * Index(sizeof(Real)));
    if (device != Device::cpu) return;
    for (int halvings = 4; halvings <= 12; halvings += 2) {
        const Index some = many >> halvings, bytes = 3 * some * Index(sizeof(Real));
        const std::string size =
            bytes < 1 << 20 ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
        line(device, fmt::format("a = b + s c, {} in all", size), triad(device, some, 1 << (halvings - 3)), "GB/s",
             bytes);
    }
}

}  // namespace RECTO::bench
