#include <recto/nn/small_resnet.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

/// The options of a 3x3 convolution that keeps the size of an image, but for its stride.
ConvLayerOptions same_size(Index stride, Device device) {
    return {.stride = stride, .padding = 1, .bias = false, .weights = he_init, .device = device};
}

}  // namespace

ConvBlock::ConvBlock(Index in, Index out, Index stride, Generator& random, ConvBlockOptions options)
    : first(in, out, 3, random, same_size(stride, options.device)),
      first_norm(out, {.device = options.device}),
      second(out, out, 3, random, same_size(1, options.device)),
      second_norm(out, {.device = options.device}),
      residual(options.residual) {
    check(!residual || in <= out, "ConvBlock: wanted at least the {} channels of the input, got {} out", in, out);
}

Tensor ConvBlock::path(const Tensor& x) const { return second_norm(second(first_norm.relu(first(x)))); }

Tensor ConvBlock::shortcut(const Tensor& x) const {
    const Index stride = first.options.stride.height, more = second.weight.size(0) - x.size(1);
    Tensor y = x;
    for (const int axis : {2, 3})
        if (stride > 1) y = slice(y, axis, 0, y.size(axis), stride);
    if (more > 0) y = concat({y, zeros({y.size(0), more, y.size(2), y.size(3)}, y.device())}, 1);
    return y;
}

Tensor ConvBlock::operator()(const Tensor& x) const {
    const Tensor middle = second(first_norm.relu(first(x)));
    return residual ? second_norm.relu(middle, shortcut(x)) : second_norm.relu(middle);
}

SmallResNet::SmallResNet(const SmallResNetSize& size, Generator& random, ConvBlockOptions options)
    : enter(size.channels, size.widths[0], 3, random, same_size(size.stride, options.device)),
      norm(size.widths[0], {.device = options.device}),
      head(size.widths[2], size.classes, random, {.device = options.device}) {
    check(size.blocks >= 1, "SmallResNet: wanted at least one block in every stage, got {}", size.blocks);
    Index in = size.widths[0];
    for (std::size_t stage = 0; stage < 3; ++stage)
        for (Index block = 0; block < size.blocks; ++block) {
            blocks.emplace_back(in, size.widths[stage], block == 0 && stage > 0 ? 2 : 1, random, options);
            in = size.widths[stage];
        }
}

Tensor SmallResNet::stem(const Tensor& images) const { return norm.relu(enter(images)); }

Tensor SmallResNet::scores(const Tensor& h) const { return head(mean(h, {2, 3})); }

Tensor SmallResNet::operator()(const Tensor& images) const {
    Tensor h = stem(images);
    for (const ConvBlock& block : blocks) h = block(h);
    return scores(h);
}

}  // namespace RECTO::nn
