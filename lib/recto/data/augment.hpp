#pragma once
/// @file
/// Augmentation: copies of signals and pictures that are changed a little, in ways that keep their meaning.
///
/// Whether a change keeps the meaning is for the caller to say: a mirrored shoe is a shoe, a mirrored 3 is no 3. Every
/// function draws anew for each example of a batch, so that an example is a different one in each epoch. They are for data,
/// not for layers: the results are without tape.
#include <limits>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// Moves each example by a whole number of places, drawn from -most to most, each as likely as the others. What enters at
/// the edge is `fill`; what leaves is lost.
///
/// @param x  (n, length): signals, moved along their axis; or (n, ..., height, width): pictures, moved along both of the
///           last axes, independently, all channels of one alike
/// @return   the shape of `x`
/// @throws Error unless `x` is on cpu with at least two axes, and 0 <= most < every length that it is moved along
Tensor shifted(const Tensor& x, Index most, Generator& random, double fill = 0);

/// Mirrors each example with this probability: its last axis is read backwards.
///
/// @param x  (n, ..., width)
/// @return   the shape of `x`
/// @throws Error unless `x` is on cpu with at least two axes, and the probability is from 0 to 1
Tensor flipped(const Tensor& x, Generator& random, double probability = 0.5);

/// What noisy() keeps to.
struct Range {
    double low = 0;   ///< the least number allowed
    double high = 1;  ///< the largest

    /// No limits at all, for signals.
    static constexpr Range any() {
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
};

/// Adds normal noise to every number, then cuts off what lies outside the range.
///
/// @param x          any shape, on cpu
/// @param deviation  standard deviation of the noise
/// @return           the shape of `x`
/// @throws Error unless `x` is on cpu, the deviation is finite and at least 0, and the range is not empty
Tensor noisy(const Tensor& x, double deviation, Generator& random, Range range = {});

}  // namespace RECTO::data
