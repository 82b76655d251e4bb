#pragma once
/// @file
/// Counts the arithmetic of matrix products, convolutions and attention, which is nearly all of a network's work.
///
///     const FlopCount count;
///     loss.backward();
///     say("{} multiply-adds", count.multiply_adds());
#include <recto/base/config.hpp>

namespace RECTO {

/// Counts the multiply-adds of matrix products, convolutions and attention since its construction, on all devices and
/// in all threads. Any number of FlopCounts may exist at the same time.
///
/// Only shapes count, so the numbers are the same on every device and for every kernel. A product of (m, k) and (k,
/// n) has m n k multiply-adds. A convolution has one for each element of its result (of its input, if it is
/// transposed), each input channel that this element reads and each element of the kernel, the zeros of the padding
/// included. Attention has one for each query, each key and each element of a key or a value; a mask saves none, and
/// scores that the backward pass recomputes count again. Biases, activation functions, sums, norms and optimisers do
/// not count, nor do the linear systems of `linalg` and `classic`. A captured step counts in every replay.
class FlopCount {
public:
    FlopCount();                             ///< Starts counting at 0.
    Index multiply_adds() const;             ///< Multiply-adds since the start.
    Index flops() const;                     ///< Two for each multiply-add: a product and a sum.
    void restart() { *this = FlopCount(); }  ///< Starts again at 0.

private:
    Index start_;
};

namespace detail {
/// Adds `count` multiply-adds to every FlopCount.
void count_multiply_adds(Index count);
}  // namespace detail

}  // namespace RECTO
