#pragma once
/// @file
/// The two orders in which series and images are stored. Each function returns a contiguous tensor in the other order;
/// converting back gives the same bits.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// (..., channels, height, width) to (..., height, width, channels). @throws Error with less than three axes
Tensor channels_last(const Tensor& images);
/// (..., height, width, channels) to (..., channels, height, width). @throws Error with less than three axes
Tensor channels_first(const Tensor& images);
/// (..., time, features) to (..., features, time). @throws Error with less than two axes
Tensor time_last(const Tensor& series);
/// (..., features, time) to (..., time, features). @throws Error with less than two axes
Tensor time_first(const Tensor& series);

}  // namespace RECTO
