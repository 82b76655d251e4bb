#include <recto/nn/scale.hpp>

#include <recto/ops/elementwise/binary.hpp>

namespace RECTO::nn {

Scale::Scale(Index units, ScaleOptions options)
    : weight(full({units}, Real(options.start), options.device).requires_grad_()) {
    if (options.bias) bias = zeros({units}, options.device).requires_grad_();
}

Tensor Scale::operator()(const Tensor& x) const {
    check(weight.numel() == 1 || (x.dim() >= 1 && x.size(-1) == weight.numel()),
          "Scale: wanted (..., {}), got shape {}", weight.numel(), x.shape());
    const Tensor scaled = x * weight;
    return bias.defined() ? scaled + bias : scaled;
}

}  // namespace RECTO::nn
