#include <recto/nn/lora.hpp>

#include <algorithm>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/products/matmul.hpp>

namespace RECTO::nn {

Lora::Lora(const Linear& base, Index rank, Generator& random) : weight(base.weight.detach()) {
    const Index out = weight.size(0), in = weight.size(1), most = std::min(in, out);
    check(rank >= 1 && rank <= most, "Lora: wanted a rank from 1 to {} for weights of shape {}, got {}", most,
          weight.shape(), rank);
    if (base.bias.defined()) bias = base.bias.detach();
    a = lecun_init({rank, in}, random, weight.device()).requires_grad_();
    b = zeros({out, rank}, weight.device()).requires_grad_();
}

Tensor Lora::operator()(const Tensor& x, Activation f) const {
    const Tensor y = linear(x, weight, bias) + linear(linear(x, a), b);
    return f ? f(y) : y;
}

Tensor Lora::correction() const {
    const NoGrad only_asking;
    return matmul(b, a);
}

Linear Lora::merged() const {
    const NoGrad only_asking;
    Generator unused(0);
    Linear layer(0, 0, unused, {.bias = false});
    layer.weight = (weight + matmul(b, a)).requires_grad_();
    if (bias.defined()) layer.bias = clone(bias).requires_grad_();
    return layer;
}

}  // namespace RECTO::nn
