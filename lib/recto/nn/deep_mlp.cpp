#include <recto/nn/deep_mlp.hpp>

#include <cmath>

#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>

namespace RECTO::nn {

DeepMlp::DeepMlp(Sizes sizes, bool residual, Generator& random)
    : enter(sizes.in, sizes.width, random, {.weights = lecun_init}),
      leave(sizes.width, sizes.out, random, {.weights = lecun_init}),
      residual(residual) {
    check(sizes.blocks >= 0, "DeepMlp: wanted a number of blocks of at least 0, got {}", sizes.blocks);
    const double gain = residual ? 1 / std::sqrt(double(sizes.blocks)) : 1;
    for (Index k = 0; k < sizes.blocks; ++k) {
        Linear layer(sizes.width, sizes.width, random, {.weights = he_init});
        layer.weight.copy_(layer.weight.detach() * gain);
        blocks.emplace_back(Relu(), layer);
    }
}

Tensor DeepMlp::after(const Block& block, const Tensor& h) const {
    const Tensor f = block(h);
    return residual ? h + f : f;
}

Tensor DeepMlp::operator()(const Tensor& x) const {
    Tensor h = enter(x);
    for (const Block& block : blocks) h = after(block, h);
    return leave(h);
}

}  // namespace RECTO::nn
