#include <recto/nn/adapter.hpp>

#include <recto/ops/elementwise/binary.hpp>

namespace RECTO::nn {
namespace {

Index at_least_one(Index bottleneck) {
    check(bottleneck >= 1, "Adapter: wanted a bottleneck of at least 1 unit, got {}", bottleneck);
    return bottleneck;
}

}  // namespace

Adapter::Adapter(Index width, Index bottleneck, Generator& random, Activation activation, Device device)
    : down(width, at_least_one(bottleneck), random, {.weights = he_init, .device = device}),
      up(bottleneck, width, random, {.weights = zeros_init, .device = device}),
      activation(activation) {}

Tensor Adapter::operator()(const Tensor& x) const { return x + up(down(x, activation)); }

}  // namespace RECTO::nn
