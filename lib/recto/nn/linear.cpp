#include <recto/nn/linear.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/linear.hpp>

namespace RECTO::nn {

Linear::Linear(Index in, Index out, Generator& random, LinearOptions options) {
    check(in >= 0 && out >= 0, "Linear: wanted sizes of at least 0, got {} in and {} out", in, out);
    weight = options.weights({out, in}, random, options.device).requires_grad();
    if (!options.bias) return;
    const Real bound = options.weights == uniform_init ? Real(1 / std::sqrt(double(std::max<Index>(in, 1)))) : Real(0);
    bias = bound > 0 ? random.uniform({out}, -bound, bound, options.device) : zeros({out}, options.device);
    bias.requires_grad();
}

Tensor Linear::operator()(const Tensor& x) const { return linear(x, weight, bias); }

}  // namespace RECTO::nn
