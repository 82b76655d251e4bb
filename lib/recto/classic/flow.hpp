#pragma once
/// @file
/// Gradient flow (gradient descent with infinitesimal steps), and the modified losses whose flow gradient descent with
/// finite steps follows.
///
/// For a few parameters in high precision: a point is a list of doubles, and a loss is given by its gradient.
#include <functional>
#include <vector>

#include <recto/base/check.hpp>

namespace RECTO::classic {

using Point = std::vector<double>;                       ///< Parameters.
using Gradient = std::function<Point(const Point& at)>;  ///< The gradient of a loss, of the point's length.

/// Gradient descent: `steps` times \f$ w \leftarrow w - \eta \nabla L(w) \f$.
/// @throws Error when the rate is negative or not finite, steps is negative, or a gradient has another length than w.
///         All functions of this file throw for this
Point descend(const Gradient& gradient, Point w, double rate, Index steps);

/// Gradient flow: the solution of \f$ \dot w = -\nabla L(w) \f$ from w after the given time, by `steps` steps of the
/// classical method of Runge and Kutta, whose error falls with the fourth power of their number.
/// @throws Error unless time >= 0 and steps >= 1
Point flow(const Gradient& gradient, Point w, double time, Index steps = 200);

/// The Hessian times a direction, \f$ \nabla^2 L(w)\, v \f$: the rate of change of the gradient in this direction, from
/// a central difference of two gradients at distance 10^-5.
Point curvature_along(const Gradient& gradient, const Point& w, const Point& direction);

/// The gradient of the loss whose flow gradient descent follows up to the square of the rate (Barrett and Dherin,
/// 2021):
/// \f$ L + \frac\eta4 |\nabla L|^2 \f$, whose gradient is \f$ \nabla L + \frac\eta2 \nabla^2 L\, \nabla L \f$.
Gradient descended_loss(Gradient gradient, double rate);

/// The gradient of the loss whose flow an epoch of stochastic gradient descent follows, on average over all orders of
/// its batches, up to the third power of the rate (Smith et al., 2021). With B batches and \f$ L = \frac1B \sum_b L_b \f$
/// it is \f$ L + \frac\eta4 |\nabla L|^2 + \frac\eta{4B} \sum_b |\nabla L_b - \nabla L|^2 \f$. The last two terms are
/// \f$ \frac\eta{4B} \sum_b |\nabla L_b|^2 \f$, and are computed in this form.
/// @throws Error when `batches` is empty
Gradient stochastically_descended_loss(std::vector<Gradient> batches, double rate);

/// The gradient of the mean of several losses. @throws Error when the list is empty
Gradient mean_gradient(std::vector<Gradient> gradients);

}  // namespace RECTO::classic
