#include <recto/nn/positions.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/sequences/positions.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

Tensor add_rows(const char* who, const Tensor& x, const Tensor& table, Index first) {
    check(x.dim() >= 2 && x.size(-1) == table.size(1), "{}: wanted (..., time, {}), got shape {}", who, table.size(1),
          x.shape());
    check(first >= 0 && first <= table.size(0) && x.size(-2) <= table.size(0) - first,
          "{}: wanted positions from 0 to below {}, got {} from {}", who, table.size(0), x.size(-2), first);
    return add(x, slice(table, 0, first, first + x.size(-2)));
}

}  // namespace

LearnedPositions::LearnedPositions(Index length, Index width, Generator& random, Real deviation, Device device)
    : weight(random.normal({length, width}, 0, deviation, device)) {
    weight.requires_grad_();
}
Tensor LearnedPositions::operator()(const Tensor& x, Index first) const {
    return add_rows("LearnedPositions", x, weight, first);
}

SinusoidalPositions::SinusoidalPositions(Index length, Index width, Device device)
    : table(sinusoidal_positions(length, width, device)) {}
Tensor SinusoidalPositions::operator()(const Tensor& x, Index first) const {
    return add_rows("SinusoidalPositions", x, table, first);
}

}  // namespace RECTO::nn
