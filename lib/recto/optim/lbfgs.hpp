#pragma once
/// @file
/// L-BFGS: a quasi-Newton method for losses on all data.
#include <deque>
#include <functional>
#include <vector>

#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// The options of Lbfgs.
struct LbfgsOptions {
    Index memory = 10;       ///< number of past steps from which the curvature is estimated; at least 1
    Index tries = 25;        ///< largest number of losses that one line search computes; at least 1
    double decrease = 1e-4;  ///< c₁: the share of the predicted decrease that a step must reach
    double curvature = 0.9;  ///< c₂: the share of its slope that the line may keep; above `decrease`, below 1
};

/// Limited-memory BFGS (Liu and Nocedal, 1989). The steps s and the changes y of the gradient of the last few
/// iterations estimate the inverse Hessian; a direction is this estimate times the gradient. A line search by bisection
/// chooses the length of the step, so that both Wolfe conditions hold:
///
/// \f[ \mathscr L(w + t d) \le \mathscr L(w) + c_1 t\, g \cdot d, \qquad
///     \nabla \mathscr L(w + t d) \cdot d \ge c_2\, g \cdot d \f]
///
/// The loss must be the same function in every step: use all data, not mini-batches, and no dropout. Directions and sums
/// are computed in double on the host.
class Lbfgs {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are no parameters, one requires no gradient, two overlap, or an option is out of range
    explicit Lbfgs(NamedTensors parameters, LbfgsOptions options = {});

    /// One iteration: computes a direction and searches along it. If no step decreases the loss, the parameters stay and
    /// converged() is true. The parameters must not change between two steps: the loss and the gradient at the end of one
    /// are the beginning of the next.
    /// @param loss  returns a single number that depends on the parameters
    /// @return      the loss after the step
    /// @throws Error when the loss or its gradient at the present parameters is not finite
    double step(const std::function<Tensor()>& loss);

    bool converged() const { return converged_; }                   ///< Whether the last line search found no step.
    Index evaluations() const { return evaluations_; }              ///< Losses with gradients computed so far.
    const NamedTensors& parameters() const { return parameters_; }  ///< The parameters that it trains.

private:
    using Vector = std::vector<double>;
    struct Pair {
        Vector step, change;  // of the parameters and of the gradient
        double product;       // of both, above 0
    };
    struct Point {
        double loss;
        Vector gradient;
    };
    Point look(const std::function<Tensor()>& loss);  // at the present parameters
    void move(const Vector& to);
    Vector direction() const;

    NamedTensors parameters_;
    LbfgsOptions options_;
    std::deque<Pair> pairs_;  // the newest last
    Vector at_;               // the parameters, in double
    Point here_{0, {}};       // loss and gradient there; empty before the first step
    Index evaluations_ = 0;
    bool converged_ = false;
};

}  // namespace RECTO::optim
