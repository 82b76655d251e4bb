#pragma once
/// @file
/// Noise against overfitting.
#include <recto/core/random.hpp>

namespace RECTO {

/// Dropout (Srivastava et al., 2014): in training every number becomes 0 with some probability, by itself, and what
/// stays is scaled so that the mean does not change; in evaluation nothing happens.
///
/// \f[ y_i = \begin{cases} 0 & \text{with probability } p \cr x_i / (1 - p) & \text{otherwise} \end{cases} \f]
///
/// Which ones depends on the generator's state and the place i alone. The mask is not stored: backward draws it again,
/// and \f$ dx_i \f$ is \f$ dy_i / (1 - p) \f$ or 0.
///
/// @param x            any shape
/// @param probability  of 0, from 0 to 1; 0 gives `x` itself, 1 gives zeros, also for numbers that are not finite
/// @param random       is asked once, unless `x` is given back
/// @param training     false gives `x` itself
/// @throws Error when the probability is not from 0 to 1
Tensor dropout(const Tensor& x, double probability, Generator& random, bool training = true);

/// Dropout of whole channels (Tompson et al., 2015), for neighbours that are alike: from the rest of its channel a
/// single dropped number could be guessed.
/// @param x  (batch, channels, ...); all numbers of a channel of a sample stay or go together
/// @throws Error with fewer than two axes, or when the probability is not from 0 to 1
Tensor spatial_dropout(const Tensor& x, double probability, Generator& random, bool training = true);

}  // namespace RECTO
