#include <recto/nn/vision_transformer.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

Tensor patches(const Tensor& images, Index patch) {
    check(images.dim() == 4 && patch >= 1 && images.size(2) % patch == 0 && images.size(3) % patch == 0,
          "patches: wanted images (batch, channels, height, width) that patches of {} fill, got shape {}", patch,
          images.shape());
    const Index batch = images.size(0), channels = images.size(1), down = images.size(2) / patch,
                across = images.size(3) / patch;
    const Tensor grid = reshape(images, {batch, channels, down, patch, across, patch});
    return reshape(permute(grid, {0, 2, 4, 1, 3, 5}), {batch, down * across, channels * patch * patch});
}

Tensor from_patches(const Tensor& rows, Index channels, Index height, Index patch) {
    check(rows.dim() == 3 && channels >= 1 && patch >= 1 && height >= patch && height % patch == 0 &&
              rows.size(1) % (height / patch) == 0 && rows.size(2) == channels * patch * patch,
          "from_patches: wanted patches of {} x {} x {} in {} rows of pixels, got shape {}", channels, patch, patch,
          height, rows.shape());
    const Index batch = rows.size(0), down = height / patch, across = rows.size(1) / down;
    const Tensor grid = reshape(rows, {batch, down, across, channels, patch, patch});
    return reshape(permute(grid, {0, 3, 1, 4, 2, 5}), {batch, channels, height, across * patch});
}

VisionTransformer::VisionTransformer(const VisionTransformerSize& size, Generator& random, Readout readout,
                                     Device device)
    : patch(size.patch),
      readout(readout),
      embed(size.channels * size.patch * size.patch, size.width, random, {.device = device}),
      class_token(random.normal({1, 1, size.width}, 0, Real(0.02), device).requires_grad_()),
      last({size.width}, {.device = device}),
      head(size.width, size.classes, random, {.device = device}) {
    check(patch >= 1 && size.side >= patch && size.side % patch == 0,
          "VisionTransformer: wanted a patch that divides the side {}, got {}", size.side, patch);
    check(size.layers >= 0, "VisionTransformer: wanted layers >= 0, got {}", size.layers);
    const Index across = size.side / patch;
    places = random.normal({across * across + 1, size.width}, 0, Real(0.02), device).requires_grad_();
    for (Index i = 0; i < size.layers; ++i)
        blocks.emplace_back(GptSize{.tokens = 0, .time = 0, .width = size.width, .heads = size.heads}, random, device);
}

Tensor VisionTransformer::tokens(const Tensor& images) const {
    const Tensor embedded = embed(patches(images, patch));
    const Tensor first = expand(class_token, {images.size(0), 1, class_token.size(2)});
    return concat({first, embedded}, 1) + places;
}

Tensor VisionTransformer::outputs(Tensor tokens) const {
    for (const GptBlock& block : blocks) tokens = block(tokens, {});
    return last(tokens);
}

Tensor VisionTransformer::operator()(const Tensor& images) const {
    const Tensor z = outputs(tokens(images));
    return head(readout == Readout::class_token ? select(z, 1, 0) : mean(slice(z, 1, 1, z.size(1)), {1}));
}

}  // namespace RECTO::nn
