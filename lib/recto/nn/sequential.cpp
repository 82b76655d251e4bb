#include <recto/nn/sequential.hpp>

namespace RECTO::nn {

Mlp::Mlp(const std::vector<Index>& sizes, Activation activation, Generator& random, LinearOptions options)
    : activation(activation) {
    check(sizes.size() >= 2, "Mlp: wanted at least an input and an output size, got {} sizes", sizes.size());
    for (std::size_t i = 1; i < sizes.size(); ++i) layers.emplace_back(sizes[i - 1], sizes[i], random, options);
}

Tensor Mlp::operator()(Tensor x) const {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (i > 0 && activation) x = activation(x);
        x = layers[i](x);
    }
    return x;
}

}  // namespace RECTO::nn
