#include <recto/nn/lenet.hpp>

#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

LeNet::LeNet(Generator& random, Device device)
    : first(1, 32, 5, random, {.weights = he_init, .device = device}),
      second(32, 64, 5, random, {.weights = he_init, .device = device}),
      hidden(256, 200, random, {.weights = he_init, .device = device}),
      head(200, 10, random, {.weights = he_init, .device = device}) {}

Tensor LeNet::operator()(const Tensor& images) const {
    Tensor x = relu(max_pool2d(first(images), 3));  // 32 maps of 8 x 8
    x = relu(max_pool2d(second(x), 2));             // 64 maps of 2 x 2
    return head(relu(hidden(flatten(x))));
}

}  // namespace RECTO::nn
