#pragma once
/// @file
/// Gradients divided by their recent size.
#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// What RmsProp may be told.
struct RmsPropOptions {
    double lr = 1e-2;         ///< learning rate: about how far a parameter moves in a step
    double alpha = 0.99;      ///< how slowly the mean of the squared gradients forgets
    double eps = 1e-8;        ///< added to the denominator; with 0, 0 / 0 is NaN
    double momentum = 0;      ///< share of the last step that the next one keeps
    double weight_decay = 0;  ///< adds so many weights to their gradient
};

/// Divides the gradient by the root of a running mean of its squares (Hinton, 2012, lecture 6e):
///
/// \f[ v \leftarrow \alpha v + (1-\alpha) g^2, \quad u \leftarrow \mu u + \frac{g}{\sqrt v + \epsilon}, \quad
///     w \leftarrow w - \eta u \f]
class RmsProp {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are none, one does not want a gradient, or two overlap
    explicit RmsProp(NamedTensors parameters, RmsPropOptions options = {});

    RmsPropOptions options;  ///< may be changed between steps

    /// One step with the gradients that backward() left; a parameter without one stays.
    /// @throws Error when none has a gradient, or an option makes no sense (a rate that is negative or NaN)
    void step();
    void zero_grad();                                               ///< Forgets all gradients.
    const NamedTensors& parameters() const { return parameters_; }  ///< What it trains.
    /// Names what it remembers between steps, for checkpoints; lists have one tensor for each parameter.
    void visit(auto&& part) { part("squares", squares_), part("velocities", velocities_); }

private:
    NamedTensors parameters_;
    std::vector<Tensor> squares_, velocities_;
};

}  // namespace RECTO::optim
