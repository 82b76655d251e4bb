#pragma once
/// @file
/// Data augmentation: copies of signals and images with small changes that keep their class.
///
/// The caller decides whether a change keeps the class: a mirrored shoe is a shoe, a mirrored 3 is not a 3. Every
/// function draws independently for each example of a mini-batch, so that an example looks different in each epoch. The
/// functions change data and record nothing on the tape.
#include <limits>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// Shifts each example by an integer number of positions, drawn uniformly from -most to most. `fill` enters at the
/// edge.
///
/// @param x  (n, length): signals, shifted along their axis; or (n, ..., height, width): images, shifted along both of
///           the last axes, independently, all channels of an image alike
/// @return   the shape of `x`
/// @throws Error unless `x` is on cpu with at least two axes, and 0 <= most < every length along which it is shifted
Tensor shifted(const Tensor& x, Index most, Generator& random, double fill = 0);

/// Mirrors each example with this probability: reverses its last axis.
///
/// @param x  (n, ..., width)
/// @return   the shape of `x`
/// @throws Error unless `x` is on cpu with at least two axes, and the probability is from 0 to 1
Tensor flipped(const Tensor& x, Generator& random, double probability = 0.5);

/// The interval to which noisy() clips.
struct Range {
    double low = 0;   ///< lower limit
    double high = 1;  ///< upper limit

    /// No limits, for signals.
    static constexpr Range any() {
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
};

/// Adds normal noise to every number, then clips to the range.
///
/// @param x          any shape, on cpu
/// @param deviation  standard deviation of the noise
/// @return           the shape of `x`
/// @throws Error unless `x` is on cpu, the deviation is finite and at least 0, and the range is not empty
Tensor noisy(const Tensor& x, double deviation, Generator& random, Range range = {});

}  // namespace RECTO::data
