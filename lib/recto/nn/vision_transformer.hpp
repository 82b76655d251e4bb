#pragma once
/// @file
/// The vision transformer: an image as a sequence of patches.
#include <vector>

#include <recto/nn/gpt.hpp>

namespace RECTO::nn {

/// The size of a VisionTransformer; as it stands, that of ViT-B/16.
struct VisionTransformerSize {
    Index side = 224;      ///< rows and columns of an image
    Index patch = 16;      ///< P: rows and columns of a patch; must divide the side
    Index channels = 3;    ///< channels of an image
    Index layers = 12;     ///< number of blocks
    Index width = 768;     ///< width D of the embeddings
    Index heads = 12;      ///< number of attention heads in a block; must divide the width
    Index classes = 1000;  ///< number of scores
};

/// Cuts images into patches, row by row from the top; each patch is flattened, channel by channel. A permute() and two
/// reshapes, so that no number is lost.
/// @param images  (batch, channels, height, width)
/// @return        (batch, M, channels P²), with M = height width / P²
/// @throws Error unless P divides height and width
Tensor patches(const Tensor& images, Index patch);

/// The inverse of patches(): puts patches together again.
/// @param rows      (batch, M, channels P²)
/// @param channels  channels of the images   @param height  their rows; their columns follow
/// @return          (batch, channels, height, width)
/// @throws Error when the patches do not fill the images
Tensor from_patches(const Tensor& rows, Index channels, Index height, Index patch);

/// What the classifier of a VisionTransformer reads.
enum class Readout {
    class_token,  ///< the output at the class token
    mean,         ///< the mean of the outputs at all patches
};

/// The model of Dosovitskiy et al. 2021, *An image is worth 16x16 words*: embedded patches behind a class token, plus a
/// position embedding; the blocks of a Gpt without a mask; a normalisation; and a dense layer. As ViT-B/16 it has 86,567,656
/// parameters. Initial weights are those of our layers; class token and positions start with a standard deviation of 0.02.
struct VisionTransformer {
    Index patch;                   ///< P
    Readout readout;               ///< what the head reads
    Linear embed;                  ///< (channels P²) to (D)
    Tensor class_token;            ///< (1, 1, D): E_0, attached to no patch
    Tensor places;                 ///< (M + 1, D): embeds positions
    std::vector<GptBlock> blocks;  ///< in the order in which they run
    LayerNorm last;                ///< normalises the outputs
    Linear head;                   ///< (D) to (classes)

    /// Initialises the weights. @throws Error unless patches fill the image and heads divide the width
    VisionTransformer(const VisionTransformerSize& size, Generator& random, Readout readout = Readout::class_token,
                      Device device = Device::cpu);

    /// The embedded patches behind the class token, with positions: (batch, channels, side, side) to (batch, M + 1, D).
    Tensor tokens(const Tensor& images) const;
    /// The normalised outputs Z of all blocks: (batch, M + 1, D) to the same shape.
    Tensor outputs(Tensor tokens) const;
    /// Scores: (batch, channels, side, side) to (batch, classes).
    Tensor operator()(const Tensor& images) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("embed", embed), part("class_token", class_token), part("places", places), part("blocks", blocks);
        part("last", last), part("head", head);
    }
};

}  // namespace RECTO::nn
