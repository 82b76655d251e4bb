#pragma once
/// @file
/// The U-Net: a convolutional network from images to images of the same size, with skips between equal resolutions.
#include <vector>

#include <recto/core/random.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/linear.hpp>

namespace RECTO::nn {

/// Size and wiring of a DenoisingUnet.
struct DenoisingUnetOptions {
    Index channels = 1;           ///< channels of the images, in and out
    Index width = 16;             ///< channels of the features at full resolution; twice as many at each lower level
    Index levels = 2;             ///< how often the resolution is halved
    bool skips = true;            ///< whether features of the encoder reach the decoder at the same resolution
    Index conditions = 0;         ///< numbers beside each image that every block reads, such as a time; 0 for none
    Device device = Device::cpu;  ///< device of its parameters
};

/// A block of a DenoisingUnet: two convolutions with 3 x 3 kernels, the second of which is a residual,
/// \f$ h = \mathrm{silu}(\mathrm{conv}(x) + c),\; y = h + \mathrm{silu}(\mathrm{conv}(h)) \f$. The shift c is one number
/// for each channel, a linear function of the conditions.
struct DenoisingUnetBlock {
    Conv2d first;                ///< changes the number of channels
    Conv2d second;               ///< keeps it
    std::vector<Linear> shifts;  ///< from the conditions to the channels: one layer, or none without conditions

    /// Initialises the weights. @throws Error when a number of channels is below 1
    DenoisingUnetBlock(Index in, Index out, Index conditions, Generator& random, Device device = Device::cpu);

    /// @param x           (batch, in, height, width)
    /// @param conditions  (batch, conditions), or undefined without conditions
    /// @return            (batch, out, height, width)
    Tensor operator()(const Tensor& x, const Tensor& conditions = {}) const;

    /// Names its parts.
    void visit(auto&& part) { part("first", first), part("second", second), part("shifts", shifts); }
};

/// The network of Ronneberger, Fischer and Brox 2015, *U-Net*, small, and with the conditions of Ho et al. 2020. The
/// encoder halves the resolution with steps of 2, the decoder doubles it by repeating pixels. At each level the decoder
/// also reads what the encoder has computed at the same resolution. Without skips it reads zeros there, so that both
/// variants have the same parameters and the same first weights.
struct DenoisingUnet {
    std::vector<DenoisingUnetBlock> encoder;  ///< one for each resolution, the highest first; the last is the bottom
    std::vector<Conv2d> halve;                ///< from each resolution to the next lower one
    std::vector<DenoisingUnetBlock> decoder;  ///< one for each resolution but the lowest, the highest first
    Conv2d last;                              ///< from features to channels
    bool skips;                               ///< whether the decoder reads features of the encoder

    /// Initialises the weights. @throws Error when a size is below 1, or levels or conditions are negative
    DenoisingUnet(const DenoisingUnetOptions& options, Generator& random);

    /// @param x           (batch, channels, height, width)
    /// @param conditions  (batch, conditions), or undefined without conditions
    /// @return            the shape of x
    /// @throws Error unless 2^levels divides height and width, and the conditions fit
    Tensor operator()(const Tensor& x, const Tensor& conditions = {}) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("encoder", encoder), part("halve", halve), part("decoder", decoder), part("last", last);
    }
};

}  // namespace RECTO::nn
