#include <recto/nn/squeeze_excitation.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

Index narrow(Index channels, Index reduction) {
    check(reduction >= 1 && channels % reduction == 0,
          "SqueezeExcitation: wanted a reduction that divides {} channels, got {}", channels, reduction);
    return channels / reduction;
}

}  // namespace

SqueezeExcitation::SqueezeExcitation(Index channels, Index reduction, Generator& random, Device device)
    : squeeze(channels, narrow(channels, reduction), random, {.device = device}),
      excite(channels / reduction, channels, random, {.device = device}) {}

Tensor SqueezeExcitation::factors(const Tensor& x) const {
    check(x.dim() == 4, "SqueezeExcitation: wanted (batch, channels, rows, columns), got shape {}", x.shape());
    return excite(squeeze(mean(x, {2, 3}), relu), sigmoid);
}

Tensor SqueezeExcitation::operator()(const Tensor& x) const {
    const Tensor s = factors(x);
    return x * reshape(s, {x.size(0), x.size(1), 1, 1});
}

}  // namespace RECTO::nn
