#include <recto/nn/densenet.hpp>

#include <recto/nn/init.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>

namespace RECTO::nn {
namespace {

/// Normalisation, relu and a convolution that keeps the size of an image.
DenseLayer::Part part_of(Index in, Index out, Index kernel, Generator& random, Device device) {
    return DenseLayer::Part(
        BatchNorm(in, {.device = device}), Relu(),
        Conv2d(in, out, kernel, random, {.padding = kernel / 2, .bias = false, .weights = he_init, .device = device}));
}

ConvLayerOptions stem_options(bool large, Device device) {
    return {.stride = large ? 2 : 1, .padding = large ? 3 : 1, .bias = false, .weights = he_init, .device = device};
}

/// Channels after all blocks.
Index channels_at_end(const DenseNetSize& size) {
    check(!size.blocks.empty(), "DenseNet: wanted at least one block, got none");
    Index channels = size.stem;
    for (std::size_t b = 0; b < size.blocks.size(); ++b) {
        if (b > 0) channels /= 2;
        channels += size.blocks[b] * size.growth;
    }
    return channels;
}

}  // namespace

DenseLayer::DenseLayer(Index in, Index growth, Index narrow_to, Generator& random, Device device)
    : narrow(narrow_to > 0 ? std::optional(part_of(in, narrow_to, 1, random, device)) : std::nullopt),
      widen(part_of(narrow_to > 0 ? narrow_to : in, growth, 3, random, device)) {}

Tensor DenseLayer::operator()(const Tensor& x) const { return widen(narrow ? (*narrow)(x) : x); }

DenseBlock::DenseBlock(const DenseBlockSize& size, Generator& random, Device device) {
    check(size.layers >= 1, "DenseBlock: wanted at least one layer, got {}", size.layers);
    for (Index l = 0; l < size.layers; ++l)
        layers.emplace_back(size.in + l * size.growth, size.growth, size.narrow, random, device);
}

Tensor DenseBlock::operator()(const Tensor& x) const {
    Tensor all = x;
    for (const DenseLayer& layer : layers) all = concat({all, layer(all)}, 1);
    return all;
}

DenseNet::DenseNet(const DenseNetSize& size, Generator& random, Device device)
    : stem(size.channels, size.stem, size.large ? 7 : 3, random, stem_options(size.large, device)),
      last(channels_at_end(size), {.device = device}),
      head(0, 0, random, {.device = device}) {  // replaced below: its weights are drawn after those of the blocks
    if (size.large) stem_norm = BatchNorm(size.stem, {.device = device});
    Index channels = size.stem;
    for (std::size_t b = 0; b < size.blocks.size(); ++b) {
        if (b > 0) {
            transitions.emplace_back(
                BatchNorm(channels, {.device = device}), Relu(),
                Conv2d(channels, channels / 2, 1, random, {.bias = false, .weights = he_init, .device = device}),
                AvgPool2d{2});
            channels /= 2;
        }
        blocks.emplace_back(DenseBlockSize{channels, size.blocks[b], size.growth, size.narrow}, random, device);
        channels += size.blocks[b] * size.growth;
    }
    head = Linear(channels, size.classes, random, {.device = device});
}

Tensor DenseNet::operator()(const Tensor& images) const {
    Tensor x = stem(images);
    if (stem_norm) x = max_pool2d(stem_norm->relu(x), 3, {.stride = 2, .padding = 1});
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (b > 0) x = transitions[b - 1](x);
        x = blocks[b](x);
    }
    return head(mean(last.relu(x), {2, 3}));
}

}  // namespace RECTO::nn
