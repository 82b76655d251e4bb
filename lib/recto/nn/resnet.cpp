#include <recto/nn/resnet.hpp>

#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO::nn {
namespace {

/// The options of a convolution that keeps the size of an image, but for its stride.
ConvLayerOptions same_size(Index kernel, Index stride, Device device) {
    return {.stride = stride, .padding = kernel / 2, .bias = false, .weights = he_init, .device = device};
}

std::vector<std::vector<Bottleneck>> stages_of(const ResNetSize& size, Generator& random,
                                               const BottleneckOptions& options) {
    check(!size.blocks.empty(), "ResNet: wanted at least one stage, got none");
    std::vector<std::vector<Bottleneck>> stages;
    Index in = size.width, narrow = size.width;
    for (const Index blocks : size.blocks) {
        check(blocks >= 1, "ResNet: wanted at least one block in every stage, got {}", blocks);
        std::vector<Bottleneck>& stage = stages.emplace_back();
        for (Index block = 0; block < blocks; ++block) {
            const Index stride = block == 0 && stages.size() > 1 ? 2 : 1;
            stage.emplace_back(BottleneckSize{in, narrow, 4 * narrow, stride}, random, options);
            in = 4 * narrow;
        }
        narrow *= 2;
    }
    return stages;
}

}  // namespace

// Braces, not parentheses: their contents are evaluated from left to right, so that every compiler draws in the same order.
Bottleneck::Bottleneck(const BottleneckSize& size, Generator& random, const BottleneckOptions& o)
    : path{Conv2d(size.in, size.narrow, 1, random, same_size(1, o.stride_on_3x3 ? 1 : size.stride, o.device)),
           BatchNorm(size.narrow, {.device = o.device}),
           Relu(),
           Conv2d(size.narrow, size.narrow, 3, random, same_size(3, o.stride_on_3x3 ? size.stride : 1, o.device)),
           BatchNorm(size.narrow, {.device = o.device}),
           Relu(),
           Conv2d(size.narrow, size.out, 1, random, same_size(1, 1, o.device)),
           BatchNorm(size.out, {.device = o.device})} {
    if (size.stride != 1 || size.in != size.out)
        projection = Projection{Conv2d(size.in, size.out, 1, random, same_size(1, size.stride, o.device)),
                                BatchNorm(size.out, {.device = o.device})};
    if (o.zero_last) std::get<7>(path.parts).weight = zeros({size.out}, o.device).requires_grad_();
}

Tensor Bottleneck::operator()(const Tensor& x) const {
    const Tensor added = path(x);  // before the projection: the operands of a sum are evaluated in any order
    return relu(added + (projection ? (*projection)(x) : x));
}

ResNet::ResNet(const ResNetSize& size, Generator& random, const BottleneckOptions& options)
    : stem{Conv2d(size.channels, size.width, 7, random, same_size(7, 2, options.device)),
           BatchNorm(size.width, {.device = options.device}), Relu()},
      pool{3, {.stride = 2, .padding = 1}},
      stages(stages_of(size, random, options)),
      head(size.width << (size.blocks.size() + 1), size.classes, random, {.device = options.device}) {}

Tensor ResNet::operator()(const Tensor& images) const {
    Tensor x = pool(stem(images));
    for (const std::vector<Bottleneck>& stage : stages)
        for (const Bottleneck& block : stage) x = block(x);
    return head(mean(x, {2, 3}));
}

}  // namespace RECTO::nn
