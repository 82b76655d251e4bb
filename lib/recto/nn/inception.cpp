#include <recto/nn/inception.hpp>

#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/shapes/concat.hpp>

namespace RECTO::nn {
namespace {

/// The options of a convolution that keeps the size of an image.
ConvLayerOptions same_size(Index kernel, Device device) {
    return {.padding = kernel / 2, .weights = he_init, .device = device};
}

}  // namespace

// Braces, not parentheses: their contents are evaluated from left to right, so that every compiler draws in the same order.
Inception::Inception(const InceptionSize& size, Generator& random, Device device)
    : one{Conv2d(size.in, size.one, 1, random, same_size(1, device)), Relu()},
      three{Conv2d(size.in, size.narrow3, 1, random, same_size(1, device)), Relu(),
            Conv2d(size.narrow3, size.three, 3, random, same_size(3, device)), Relu()},
      five{Conv2d(size.in, size.narrow5, 1, random, same_size(1, device)), Relu(),
           Conv2d(size.narrow5, size.five, 5, random, same_size(5, device)), Relu()},
      pooled{MaxPool2d{3, {.stride = 1, .padding = 1}}, Conv2d(size.in, size.pooled, 1, random, same_size(1, device)),
             Relu()} {}

std::array<Tensor, 4> Inception::branches(const Tensor& x) const { return {one(x), three(x), five(x), pooled(x)}; }

Tensor Inception::operator()(const Tensor& x) const {
    const auto [a, b, c, d] = branches(x);
    return concat({a, b, c, d}, 1);
}

InceptionResidual::InceptionResidual(const InceptionSize& size, Generator& random, double scale, Device device)
    : block(size, random, device), project(size.out(), size.in, 1, random, same_size(1, device)), scale(scale) {}

Tensor InceptionResidual::operator()(const Tensor& x) const { return relu(x + project(block(x)) * scale); }

}  // namespace RECTO::nn
