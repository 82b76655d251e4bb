#pragma once
/// @file
/// A count of the arithmetic in products, which is nearly all that a network does.
///
///     const FlopCount count;
///     loss.backward();
///     say("{} multiply-adds", count.multiply_adds());
#include <recto/base/config.hpp>

namespace RECTO {

/// Counts the multiply-adds of matrix products, convolutions and attention from the moment it is made, on all devices
/// and by all threads. Any number of them may count at once.
///
/// Only shapes count, so the numbers are the same on every device, whichever way it takes. A product of (m, k) and
/// (k, n) has m n k multiply-adds. A convolution has one for each number of its result (of the smaller image, where it
/// is transposed), each channel that it reads and each tap of the kernel, the zeros of the padding included. Attention
/// has one for each query, each key and each number of a key or a value; a mask saves none, and the scores that its
/// backward pass computes again count again. Biases, activation functions, sums, norms and optimisers count nothing,
/// nor do the systems of equations of `linalg` and `classic`. A captured step counts in every replay.
class FlopCount {
public:
    FlopCount();                             ///< Begins at 0.
    Index multiply_adds() const;             ///< How many since then.
    Index flops() const;                     ///< Two for each: a product and a sum.
    void restart() { *this = FlopCount(); }  ///< Begins at 0 again.

private:
    Index start_;
};

namespace detail {
/// Says that so many multiply-adds have been asked for.
void count_multiply_adds(Index count);
}  // namespace detail

}  // namespace RECTO
