#pragma once
/// @file
/// Position encodings, which tell a model the order of a sequence; attention alone ignores it.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Sinusoidal position encoding (Vaswani et al., 2017, section 3.5):
///
/// \f[ P_{t,2i} = \sin\left(t / 10000^{2i/d}\right), \qquad P_{t,2i+1} = \cos\left(t / 10000^{2i/d}\right) \f]
///
/// @param length  number of positions   @param width  d, odd or even
/// @param first   the position of row 0
/// @return        (length, width), a constant to add to the sequence
/// @throws Error when length or width is negative
Tensor sinusoidal_positions(Index length, Index width, Device device = Device::cpu, Index first = 0);

/// Which elements of a row rotary() pairs.
enum class RotaryPairs {
    neighbours,  ///< 2i and 2i + 1, as in the paper.
    halves,      ///< i and i + d/2, as in many published weights.
};

/// The angles for rotary(): row t holds the cosines of \f$ t\, b^{-2i/d} \f$, then their sines.
/// @param length  number of positions   @param width  d, even: of a head   @param base  b
/// @return        (length, width), a constant
/// @throws Error when length is negative, width is odd or negative, or base is not a positive number
Tensor rotary_table(Index length, Index width, double base = 10000, Device device = Device::cpu);

/// Rotary position embedding (Su et al., 2021): rotates pairs of numbers by an angle proportional to the position, so
/// that the product of a query and a key depends only on their distance.
///
/// \f[ (y_a, y_b) = (x_a \cos\theta - x_b \sin\theta,\; x_a \sin\theta + x_b \cos\theta) \f]
///
/// Backward: the rotation by \f$ -\theta \f$.
/// @param x      (..., time, width): width a multiple of the table's; adjacent heads are rotated alike
/// @param table  from rotary_table()
/// @param first  the position of time 0
/// @throws Error when widths do not fit, positions lie outside the table, devices differ or the table requires a
/// gradient
Tensor rotary(const Tensor& x, const Tensor& table, Index first = 0, RotaryPairs pairs = RotaryPairs::neighbours);

}  // namespace RECTO
