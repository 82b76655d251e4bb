#pragma once
/// @file
/// Layers whose input can be computed from their output, so that it need not be kept (Gomez et al., 2017).
#include <vector>

#include <recto/autograd/checkpoint.hpp>

namespace RECTO::nn {

/// A block of additive coupling (Dinh et al., 2015). Its input is cut in two halves along the last axis, and each half is
/// changed by what some function makes of the other:
///
/// \f[ y_1 = x_1 + f(x_2), \quad y_2 = x_2 + g(y_1) \f]
///
/// Whatever f and g are, the block can be undone: \f$ x_2 = y_2 - g(y_1), \; x_1 = y_1 - f(x_2) \f$.
struct Coupling {
    Segment f;  ///< keeps the shape of a half
    Segment g;  ///< keeps the shape of a half
};

/// One block, with everything kept for the backward pass.
/// @throws Error when the last axis of `x` cannot be halved, or a function changes the shape
Tensor couple(const Coupling& block, const Tensor& x);

/// Undoes couple(), up to rounding. No tape; functions that draw at random would draw anew.
/// @throws Error as couple() does
Tensor uncouple(const Coupling& block, const Tensor& y);

/// Many blocks one after another, keeping only the last output, however many they are. The backward pass computes each
/// block's input from its output, on the way back, and with it the gradients: those of couple() up to the
/// rounding of the inputs. What the blocks draw at random is drawn again.
///
/// As in checkpoint(), the functions run twice, and capture by value what must outlive the call.
/// @param blocks  at least one
/// @param x       any shape whose last axis can be halved
/// @throws Error when there is no block, a function is empty, or as couple() does
Tensor reversible(std::vector<Coupling> blocks, const Tensor& x);

}  // namespace RECTO::nn
