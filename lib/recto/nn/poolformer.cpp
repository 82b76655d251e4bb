#include <recto/nn/poolformer.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>

namespace RECTO::nn {

Tensor pool_mixer(const Tensor& x, Index window) {
    check(window >= 1 && window % 2 == 1, "pool_mixer: wanted an odd window, got {}", window);
    check(x.dim() == 4, "pool_mixer: wanted (batch, channels, rows, columns), got shape {}", x.shape());
    const PoolOptions same_size{.stride = 1, .padding = window / 2};
    // The mean of a window counts the zeros around the image; dividing by the mean of ones counts the pixels inside. The
    // mean of ones is one channel of one image, computed in each pass: the block then accepts images of every size.
    const Tensor inside = avg_pool2d(ones({1, 1, x.size(2), x.size(3)}, x.device()), window, same_size);
    return avg_pool2d(x, window, same_size) / inside - x;
}

PoolFormerBlock::PoolFormerBlock(Index width, Index hidden, Generator& random, double scale, Device device)
    : norm_mix(1, width, {.device = device}),
      norm_widen(1, width, {.device = device}),
      widen(width, hidden, 1, random, {.device = device}),
      narrow(hidden, width, 1, random, {.device = device}),
      scale_mix(full({width, 1, 1}, Real(scale), device).requires_grad_()),
      scale_narrow(full({width, 1, 1}, Real(scale), device).requires_grad_()),
      window(3) {}

Tensor PoolFormerBlock::operator()(const Tensor& x) const {
    const Tensor mixed = x + pool_mixer(norm_mix(x), window) * scale_mix;
    return mixed + narrow(gelu(widen(norm_widen(mixed)))) * scale_narrow;
}

}  // namespace RECTO::nn
