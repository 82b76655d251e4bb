#include <recto/nn/linear.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::nn {

Linear::Linear(Index in, Index out, Generator& random, LinearOptions options) {
    check(in >= 0 && out >= 0, "Linear: wanted sizes of at least 0, got {} in and {} out", in, out);
    weight = options.weights({out, in}, random, options.device).requires_grad_();
    if (!options.bias) return;
    const Real bound = options.weights == uniform_init ? Real(1 / std::sqrt(double(std::max<Index>(in, 1)))) : Real(0);
    bias = bound > 0 ? random.uniform({out}, -bound, bound, options.device) : zeros({out}, options.device);
    bias.requires_grad_();
}

Tensor Linear::operator()(const Tensor& x, Activation f) const { return linear(x, weight, bias, f); }

}  // namespace RECTO::nn
