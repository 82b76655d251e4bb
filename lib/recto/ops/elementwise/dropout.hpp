#pragma once
/// @file
/// Dropout: random zeros in training, against overfitting.
#include <recto/core/random.hpp>

namespace RECTO {

/// Dropout (Srivastava et al., 2014): in training, every element becomes 0 independently with a given probability, and
/// the others are scaled so that the mean does not change; in evaluation nothing happens.
///
/// \f[ y_i = \begin{cases} 0 & \text{with probability } p \cr x_i / (1 - p) & \text{otherwise} \end{cases} \f]
///
/// The choice depends only on the generator's state and the index i. The mask is not stored: the backward pass draws it
/// again, and \f$ dx_i \f$ is \f$ dy_i / (1 - p) \f$ or 0.
///
/// @param x            any shape
/// @param probability  of 0, from 0 to 1; 0 returns `x` itself, 1 returns zeros, also for infinity and NaN
/// @param random       advances by one draw, unless `x` itself is returned
/// @param training     false returns `x` itself
/// @throws Error when the probability is not from 0 to 1
Tensor dropout(const Tensor& x, double probability, Generator& random, bool training = true);

/// Dropout of whole channels (Tompson et al., 2015), for images and series, where neighbouring elements of a channel
/// are similar, so that a single dropped element could be inferred from the others.
/// @param x  (batch, channels, ...); all elements of a channel of a sample are kept or dropped together
/// @throws Error with fewer than two axes, or when the probability is not from 0 to 1
Tensor spatial_dropout(const Tensor& x, double probability, Generator& random, bool training = true);

}  // namespace RECTO
