#pragma once
/// @file
/// Reversible layers: the backward pass recomputes the input from the output, so that the input need not be stored
/// (Gomez et al., 2017).
#include <vector>

#include <recto/autograd/checkpoint.hpp>

namespace RECTO::nn {

/// A block of additive coupling (Dinh et al., 2015). Its input is split into two halves along the last axis, and a
/// function of each half is added to the other half:
///
/// \f[ y_1 = x_1 + f(x_2), \quad y_2 = x_2 + g(y_1) \f]
///
/// The block is invertible for any f and g: \f$ x_2 = y_2 - g(y_1), \; x_1 = y_1 - f(x_2) \f$.
struct Coupling {
    Segment f;  ///< keeps the shape of a half
    Segment g;  ///< keeps the shape of a half
};

/// One block, with all intermediate results kept for the backward pass.
/// @throws Error when the last axis of `x` cannot be halved, or a function changes the shape
Tensor couple(const Coupling& block, const Tensor& x);

/// The inverse of couple(), up to rounding. Not recorded on the tape; random functions draw new numbers.
/// @throws Error as couple()
Tensor uncouple(const Coupling& block, const Tensor& y);

/// A chain of blocks that stores only the last output, for any depth. The backward pass computes each block's input
/// from its output, then the gradients: those of couple() up to the rounding of the inputs. Random functions repeat
/// their draws.
///
/// As in checkpoint(), the functions run twice, and must capture by value what they use after the call.
/// @param blocks  at least one
/// @param x       any shape whose last axis can be halved
/// @throws Error when there is no block, a function is empty, or as couple()
Tensor reversible(std::vector<Coupling> blocks, const Tensor& x);

}  // namespace RECTO::nn
