#pragma once
/// @file
/// Gradient flow (gradient descent in infinitely short steps), and the modified losses that steps of finite length
/// descend.
///
/// For a few parameters and many digits: a point is a list of doubles, and a loss is known by its gradient.
#include <functional>
#include <vector>

#include <recto/base/check.hpp>

namespace RECTO::classic {

using Point = std::vector<double>;                       ///< Parameters.
using Gradient = std::function<Point(const Point& at)>;  ///< The gradient of a loss, as long as the point.

/// Gradient descent: `steps` times \f$ w \leftarrow w - \eta \nabla L(w) \f$.
/// @throws Error when the rate is negative or not finite, steps is negative, or a gradient has another length than w.
///         All functions of this file throw so
Point descend(const Gradient& gradient, Point w, double rate, Index steps);

/// Gradient flow: where \f$ \dot w = -
/// abla L(w) \f$ goes from w in the given time, by `steps` steps of the classical method of Runge and Kutta, whose
/// error falls with the fourth power of their number.
/// @throws Error unless time >= 0 and steps >= 1
Point flow(const Gradient& gradient, Point w, double time, Index steps = 200);

/// The second derivative times a direction, \f$ \nabla^2 L(w)\, v \f$: how fast the gradient changes that way, from a
/// central difference of two gradients a 10^-5 of a unit to either side.
Point curvature_along(const Gradient& gradient, const Point& w, const Point& direction);

/// The gradient of the loss whose flow gradient descent follows up to the square of the rate (Barrett and Dherin, 2021):
/// \f$ L + \frac\eta4 |\nabla L|^2 \f$, whose gradient is \f$ \nabla L + \frac\eta2 \nabla^2 L\, \nabla L \f$.
Gradient descended_loss(Gradient gradient, double rate);

/// The gradient of the loss whose flow an epoch of stochastic gradient descent follows, on average over all orders of
/// its batches, up to the third power of the rate (Smith et al., 2021). With B batches and \f$ L = \frac1B \sum_b L_b
/// \f$ it is \f$ L + \frac\eta4 |
/// abla L|^2 + \frac\eta{4B} \sum_b |
/// abla L_b -
/// abla L|^2 \f$. The last two terms are \f$ \frac\eta{4B} \sum_b |
/// abla L_b|^2 \f$, and are computed in this form.
/// @throws Error when `batches` is empty
Gradient stochastically_descended_loss(std::vector<Gradient> batches, double rate);

/// The gradient of the mean of several losses. @throws Error when the list is empty
Gradient mean_gradient(std::vector<Gradient> gradients);

}  // namespace RECTO::classic
