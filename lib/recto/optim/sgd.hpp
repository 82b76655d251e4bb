#pragma once
/// @file
/// Gradient descent, with or without momentum. On the gradient of a random batch it is called stochastic.
#include <recto/core/named_tensors.hpp>

/// How parameters are trained.
namespace RECTO::optim {

/// What Sgd may be told.
struct SgdOptions {
    double lr = 0.1;          ///< learning rate: length of a step, in gradients
    double momentum = 0;      ///< share of the last step that the next one keeps
    bool nesterov = false;    ///< step with the momentum that the next step will have
    double weight_decay = 0;  ///< adds so many weights to their gradient: the slope of half as many squares
};

/// Walks downhill: \f$ v \leftarrow \mu v + g, \; w \leftarrow w - \eta v \f$ (Polyak, 1964), where
/// \f$ g \f$ is the gradient, with weight decay \f$ \lambda \f$ the gradient plus \f$ \lambda w \f$. Nesterov's (1983)
/// momentum looks ahead: \f$ w \leftarrow w - \eta (g + \mu v) \f$ with the new \f$ v \f$.
class Sgd {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are none, one does not want a gradient, or two overlap
    explicit Sgd(NamedTensors parameters, SgdOptions options = {});

    SgdOptions options;  ///< may be changed between steps

    /// One step with the gradients that backward() left; a parameter without one stays.
    /// @throws Error when none has a gradient, or an option makes no sense (a rate that is negative or NaN)
    void step();
    void zero_grad();                                               ///< Forgets all gradients.
    const NamedTensors& parameters() const { return parameters_; }  ///< What it trains.
    /// Names what it remembers between steps, for checkpoints; lists have one tensor for each parameter.
    void visit(auto&& part) { part("velocities", velocities_); }

private:
    NamedTensors parameters_;
    std::vector<Tensor> velocities_;
};

}  // namespace RECTO::optim
