#pragma once
/// @file
/// Adam and AdamW: adaptive step sizes for every parameter.
#include <array>
#include <utility>

#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// The options of Adam.
struct AdamOptions {
    double lr = 1e-3;                            ///< learning rate: about how far a parameter moves in a step
    std::array<double, 2> betas = {0.9, 0.999};  ///< decay of the running means of the gradient and of its square
    double eps = 1e-8;                           ///< added to the denominator; with 0, 0 / 0 is NaN
    double weight_decay = 0;  ///< adds this multiple of the weights to their gradient (an L2 penalty)
};

/// The options of AdamW: those of Adam, with a weight decay by default.
struct AdamWOptions {
    double lr = 1e-3;                            ///< learning rate: about how far a parameter moves in a step
    std::array<double, 2> betas = {0.9, 0.999};  ///< decay of the running means of the gradient and of its square
    double eps = 1e-8;                           ///< added to the denominator; with 0, 0 / 0 is NaN
    double weight_decay = 0.01;                  ///< each step first multiplies the weights by 1 - lr weight_decay
};

/// Divides a running mean of the gradients by the root of a running mean of their squares (Kingma and Ba, 2015,
/// Algorithm 1):
///
/// \f[ m \leftarrow \beta_1 m + (1-\beta_1) g, \quad v \leftarrow \beta_2 v + (1-\beta_2) g^2, \quad
///     w \leftarrow w - \eta \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} \f]
///
/// With a weight decay \f$ \lambda \f$, g is the gradient plus \f$ \lambda w \f$. The time t is counted separately for
/// each parameter, so that the bias correction is right for a parameter that was frozen at first.
class Adam {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are no parameters, one requires no gradient, or two overlap
    explicit Adam(NamedTensors parameters, AdamOptions options = {})
        : Adam(std::move(parameters), options, "Adam", Decay::gradient) {}

    AdamOptions options;  ///< may be changed between steps

    /// One step with the gradients that backward() left; a parameter without a gradient does not change.
    /// @throws Error when none has a gradient, or an option makes no sense (a rate that is negative or NaN)
    void step();
    void zero_grad();                                               ///< Clears all gradients.
    const NamedTensors& parameters() const { return parameters_; }  ///< The parameters that it trains.
    /// Names its state, for checkpoints; lists have one entry for each parameter.
    void visit(auto&& part) { part("means", means_), part("squares", squares_), part("steps", steps_); }

protected:
    /// Whether weight decay changes the gradient, as in Adam, or the weights directly, as in AdamW.
    enum class Decay { gradient, weights };
    /// @param name  the optimiser, for messages
    Adam(NamedTensors parameters, AdamOptions options, const char* name, Decay decay);

private:
    const char* name_;
    Decay decay_;
    NamedTensors parameters_;
    std::vector<Tensor> means_, squares_;
    std::vector<Index> steps_;  // number of steps of each parameter
};

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019, Algorithm 2), 0.01 by default: before each step, \f$
/// w \leftarrow (1 - \eta \lambda) w \f$. Adam divides an L2 penalty in the gradient by the root of v, so it is weakest
/// where gradients are large; decoupled decay is the same for every weight.
class AdamW : public Adam {
public:
    /// @param parameters  what to train
    /// @throws Error as Adam
    explicit AdamW(NamedTensors parameters, AdamWOptions options = {})
        : Adam(std::move(parameters), {options.lr, options.betas, options.eps, options.weight_decay}, "AdamW",
               Decay::weights) {}
};

}  // namespace RECTO::optim
