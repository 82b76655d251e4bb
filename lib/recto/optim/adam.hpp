#pragma once
/// @file
/// Steps of a size of their own for every parameter.
#include <utility>

#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// What Adam may be told.
struct AdamOptions {
    double rate = 1e-3;       ///< about how far a parameter moves in a step
    double beta1 = 0.9;       ///< how slowly the mean of the gradients forgets
    double beta2 = 0.999;     ///< how slowly the mean of their squares forgets
    double epsilon = 1e-8;    ///< keeps the division from a vanishing denominator; with 0, 0 / 0 is NaN
    double weight_decay = 0;  ///< shrinks the weights beside the step, not through the gradient: what AdamW adds
};

/// Divides a running mean of the gradients by the root of a running mean of their squares (Kingma and Ba, 2015,
/// Algorithm 1):
///
/// \f[ m \leftarrow \beta_1 m + (1-\beta_1) g, \quad v \leftarrow \beta_2 v + (1-\beta_2) g^2, \quad
///     w \leftarrow (1 - \eta \lambda) w - \eta \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} \f]
///
/// The weight decay \f$ \lambda \f$ is decoupled from the gradient (Loshchilov and Hutter, 2019, Algorithm 2): in the
/// gradient, the division would make it weakest where gradients are large.
class Adam {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are none, or one does not want a gradient
    explicit Adam(NamedTensors parameters, AdamOptions options = {});

    AdamOptions options;  ///< may be changed between steps

    /// One step with the gradients that backward() left; a parameter without one stays.
    /// @throws Error when none has a gradient, or an option makes no sense (a rate that is negative or NaN)
    void step();
    void zero_grad();                                               ///< Forgets all gradients.
    const NamedTensors& parameters() const { return parameters_; }  ///< What it trains.
    /// Names what it remembers between steps, for checkpoints; lists have one tensor for each parameter.
    void visit(auto&& part) { part("means", means_), part("squares", squares_), part("steps", steps_); }

private:
    NamedTensors parameters_;
    std::vector<Tensor> means_, squares_;
    Index steps_ = 0;
};

/// Adam whose weights decay unless it is told otherwise.
class AdamW : public Adam {
public:
    /// With a weight decay of 0.01. @throws Error as Adam does
    explicit AdamW(NamedTensors parameters) : AdamW(std::move(parameters), {.weight_decay = 0.01}) {}
    /// @param parameters  what to train
    /// @param options     of Adam; none of them has another standard value here
    AdamW(NamedTensors parameters, AdamOptions options) : Adam(std::move(parameters), options) {}
};

}  // namespace RECTO::optim
