#include <recto/testing/testing.hpp>

#include <cmath>
#include <cstring>

namespace RECTO::testing {
namespace {
// Every test runs with fresh memory full of NaN, so that a read of uninitialised memory is visible.
[[maybe_unused]] const bool poisoned = (poison_new_memory(true), true);
}  // namespace

std::vector<Device> devices() {
    std::vector<Device> found{Device::cpu, Device::sim};
    if (missing(Device::cuda).empty()) found.push_back(Device::cuda);
    return found;
}

Shape random_shape(Generator& random, int low, int high) {
    std::vector<Index> extents(std::size_t(random.next_integer(low, high + 1)));
    for (Index& n : extents) n = random.next_integer(1, 5);
    if (!extents.empty() && random.next_uniform() < 0.25)  // a GPU team has 128 lanes: just below, at, above
        extents[std::size_t(random.next_integer(0, Index(extents.size())))] = random.next_integer(127, 130);
    Shape shape{std::span<const Index>(extents)};
    for (int axis = 0; shape.numel() > 400; ++axis)
        if (shape[axis] < 100) shape = shape.with(axis, 1);
    return shape;
}

bool close(std::span<const Real> got, std::span<const double> want, double tolerance) {
    if (got.size() != want.size()) {
        UNSCOPED_INFO("wanted " << want.size() << " numbers, got " << got.size());
        return false;
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double g = got[i], w = want[i];
        if (std::isnan(w) ? std::isnan(g) : g == w || std::abs(g - w) <= tolerance * (1 + std::abs(w))) continue;
        UNSCOPED_INFO("first difference at " << i << ": wanted " << w << ", got " << g << ", off by " << g - w);
        return false;
    }
    return true;
}

bool close(const Tensor& got, const std::vector<double>& want, double tolerance) {
    return close(std::span<const Real>(got.values()), want, tolerance);
}

bool same_bits(const Tensor& a, const Tensor& b) {
    const auto x = a.values(), y = b.values();
    return a.shape() == b.shape() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(Real)) == 0);
}

std::vector<double> doubles(const Tensor& x) {
    const auto values = x.values();
    return {values.begin(), values.end()};
}

}  // namespace RECTO::testing
