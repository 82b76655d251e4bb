#pragma once
/// @file
/// Squeeze-and-excitation: a factor for each channel, computed from the means of all channels.
#include <recto/nn/linear.hpp>

namespace RECTO::nn {

/// Squeeze-and-excitation (Hu, Shen and Sun, 2018). The mean of each channel over the image is the *squeeze*. Two small
/// layers turn these C means into C factors between 0 and 1, the *excitation*, and each channel is multiplied by its factor:
///
/// \f[ s = \sigma\bigl(W_2\, \mathrm{relu}(W_1\, \mathrm{avg}(x) + b_1) + b_2\bigr), \quad y_c = s_c\, x_c \f]
struct SqueezeExcitation {
    Linear squeeze;  ///< W_1 and b_1: (C) to (C / r)
    Linear excite;   ///< W_2 and b_2: (C / r) to (C)

    /// Initialises the weights. @param reduction  r, which must divide the channels
    /// @throws Error unless the reduction is at least 1 and divides the channels
    SqueezeExcitation(Index channels, Index reduction, Generator& random, Device device = Device::cpu);

    Tensor factors(const Tensor& x) const;     ///< s: (batch, C, rows, columns) to (batch, C), between 0 and 1.
    Tensor operator()(const Tensor& x) const;  ///< (batch, C, rows, columns) to the same shape.

    /// Names its parts.
    void visit(auto&& part) { part("squeeze", squeeze), part("excite", excite); }
};

}  // namespace RECTO::nn
