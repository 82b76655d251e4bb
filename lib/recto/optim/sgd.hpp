#pragma once
/// @file
/// Gradient descent with optional momentum; with mini-batches it is stochastic gradient descent (SGD).
#include <recto/core/named_tensors.hpp>

/// Optimisers, learning-rate schedules and the training loop.
namespace RECTO::optim {

/// Options of Sgd.
struct SgdOptions {
    double lr = 0.1;          ///< learning rate: size of a step relative to the gradient
    double momentum = 0;      ///< share of the last step that the next one keeps
    bool nesterov = false;    ///< step with the momentum of the next step
    double weight_decay = 0;  ///< adds this multiple of the weights to their gradient (an L2 penalty)
};

/// Gradient descent: \f$ v \leftarrow \mu v + g, \; w \leftarrow w - \eta v \f$ (Polyak, 1964), where \f$ g \f$ is the
/// gradient; with weight decay \f$ \lambda \f$, it is the gradient plus \f$ \lambda w \f$. Nesterov's (1983) momentum
/// looks ahead: \f$ w \leftarrow w - \eta (g + \mu v) \f$ with the new \f$ v \f$.
class Sgd {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are no parameters, one requires no gradient, or two overlap
    explicit Sgd(NamedTensors parameters, SgdOptions options = {});

    SgdOptions options;  ///< may be changed between steps

    /// One step with the gradients that backward() left; a parameter without a gradient does not change.
    /// @throws Error when none has a gradient, or an option makes no sense (a rate that is negative or NaN)
    void step();
    void zero_grad();                                               ///< Clears all gradients.
    const NamedTensors& parameters() const { return parameters_; }  ///< The parameters that it trains.
    /// Names its state, for checkpoints; lists have one tensor for each parameter.
    void visit(auto&& part) { part("velocities", velocities_); }

private:
    NamedTensors parameters_;
    std::vector<Tensor> velocities_;
};

}  // namespace RECTO::optim
