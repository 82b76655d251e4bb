#include <recto/nn/denoising_unet.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

/// 3 x 3, with a border that keeps the size.
Conv2d three_by_three(Index in, Index out, Index stride, Generator& random, Device device) {
    return {in, out, 3, random, {.stride = stride, .padding = 1, .device = device}};
}
/// Its options, checked before the first layer is made.
const DenoisingUnetOptions& checked(const DenoisingUnetOptions& o) {
    check(o.levels >= 0 && o.conditions >= 0, "DenoisingUnet: wanted levels and conditions >= 0, got {} and {}",
          o.levels, o.conditions);
    check(o.channels >= 1 && o.width >= 1,
          "DenoisingUnet: wanted at least one channel, got {} of images and {} of features", o.channels, o.width);
    return o;
}

}  // namespace

DenoisingUnetBlock::DenoisingUnetBlock(Index in, Index out, Index conditions, Generator& random, Device device)
    : first(three_by_three(in, out, 1, random, device)), second(three_by_three(out, out, 1, random, device)) {
    if (conditions > 0) shifts.emplace_back(conditions, out, random, LinearOptions{.device = device});
}

Tensor DenoisingUnetBlock::operator()(const Tensor& x, const Tensor& conditions) const {
    Tensor h = first(x);
    if (!shifts.empty()) {
        const Tensor c = shifts[0](conditions);
        h = h + reshape(c, {c.size(0), c.size(1), 1, 1});
    }
    h = silu(h);
    return h + silu(second(h));
}

DenoisingUnet::DenoisingUnet(const DenoisingUnetOptions& o, Generator& random)
    : last(three_by_three(checked(o).width, o.channels, 1, random, o.device)), skips(o.skips) {
    Index width = o.width;
    encoder.emplace_back(o.channels, width, o.conditions, random, o.device);
    for (Index level = 0; level < o.levels; ++level) {
        halve.push_back(three_by_three(width, 2 * width, 2, random, o.device));
        encoder.emplace_back(2 * width, 2 * width, o.conditions, random, o.device);
        decoder.emplace_back(2 * width + width, width, o.conditions, random, o.device);
        width *= 2;
    }
}

Tensor DenoisingUnet::operator()(const Tensor& x, const Tensor& conditions) const {
    const Index channels = last.weight.size(0), step = Index(1) << halve.size();
    check(x.defined() && x.dim() == 4 && x.size(1) == channels && x.size(2) % step == 0 && x.size(3) % step == 0,
          "DenoisingUnet: wanted (batch, {}, height, width) with height and width divisible by {}, got {}", channels,
          step, x.defined() ? to_string(x.shape()) : "an undefined tensor");
    const Index wanted = encoder[0].shifts.empty() ? 0 : encoder[0].shifts[0].weight.size(1);
    check(wanted == 0 ? !conditions.defined() : conditions.defined() && conditions.shape() == Shape{x.size(0), wanted},
          "DenoisingUnet: wanted conditions of shape ({}, {}), or none if that is 0 wide, got {}", x.size(0), wanted,
          conditions.defined() ? to_string(conditions.shape()) : "none");
    std::vector<Tensor> at = {encoder[0](x, conditions)};
    for (std::size_t level = 0; level < halve.size(); ++level)
        at.push_back(encoder[level + 1](silu(halve[level](at.back())), conditions));
    Tensor y = at.back();
    for (std::size_t level = halve.size(); level-- > 0;) {
        const Tensor beside = skips ? at[level] : zeros(at[level].shape(), x.device());
        y = decoder[level](concat({upsample_nearest(y, 2), beside}, 1), conditions);
    }
    return last(y);
}

}  // namespace RECTO::nn
