#pragma once
/// @file
/// RMSProp: divides gradients by their recent root mean square.
#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// Options of RmsProp.
struct RmsPropOptions {
    double lr = 1e-2;         ///< learning rate: about how far a parameter moves in a step
    double alpha = 0.99;      ///< decay of the mean of the squared gradients
    double eps = 1e-8;        ///< added to the denominator; with 0, 0 / 0 is NaN
    double momentum = 0;      ///< share of the last step that the next one keeps
    double weight_decay = 0;  ///< adds this multiple of the weights to their gradient (an L2 penalty)
};

/// Divides the gradient by the root of a running mean of its squares (Hinton, 2012, lecture 6e):
///
/// \f[ v \leftarrow \alpha v + (1-\alpha) g^2, \quad u \leftarrow \mu u + \frac{g}{\sqrt v + \epsilon}, \quad
///     w \leftarrow w - \eta u \f]
class RmsProp {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are no parameters, one requires no gradient, or two overlap
    explicit RmsProp(NamedTensors parameters, RmsPropOptions options = {});

    RmsPropOptions options;  ///< may be changed between steps

    /// One step with the gradients that backward() left; a parameter without a gradient does not change.
    /// @throws Error when none has a gradient, or an option makes no sense (a rate that is negative or NaN)
    void step();
    void zero_grad();                                               ///< Clears all gradients.
    const NamedTensors& parameters() const { return parameters_; }  ///< The parameters that it trains.
    /// Names its state, for checkpoints; lists have one tensor for each parameter.
    void visit(auto&& part) { part("squares", squares_), part("velocities", velocities_); }

private:
    NamedTensors parameters_;
    std::vector<Tensor> squares_, velocities_;
};

}  // namespace RECTO::optim
