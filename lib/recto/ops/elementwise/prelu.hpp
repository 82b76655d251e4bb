#pragma once
/// @file
/// PReLU: the rectifier with a trained slope below 0.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// x above 0, and x times a learned slope below 0 (He et al., 2015).
///
/// \f[ y = \max(x, 0) + w_c \min(x, 0) \f]
///
/// Backward: \f$ dx = dy \f$ where \f$ x > 0 \f$ and \f$ w_c\, dy \f$ elsewhere, and \f$ dw_c \f$ is the sum of
/// \f$ \min(x, 0)\, dy \f$ over all numbers of channel c.
///
/// @param x       any shape; axis 1 is the channels
/// @param weight  (1): a shared slope; or (channels): one slope per channel
/// @throws Error when the shapes do not fit or the devices differ
Tensor prelu(const Tensor& x, const Tensor& weight);

}  // namespace RECTO
