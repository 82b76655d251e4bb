#pragma once
/// @file
/// Steps of a size of their own for every parameter.
#include <utility>

#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// The options of Adam.
struct AdamOptions {
    double rate = 1e-3;       ///< about how far a parameter moves in a step
    double beta1 = 0.9;       ///< how slowly the mean of the gradients forgets
    double beta2 = 0.999;     ///< how slowly the mean of their squares forgets
    double epsilon = 1e-8;    ///< keeps the division from a vanishing denominator; with 0, 0 / 0 is NaN
    double weight_decay = 0;  ///< shrinks the weights beside the step, not through the gradient: what AdamW adds
};

/// The options of AdamW: those of Adam, with a weight decay by default.
struct AdamWOptions {
    double rate = 1e-3;          ///< about how far a parameter moves in a step
    double beta1 = 0.9;          ///< how slowly the mean of the gradients forgets
    double beta2 = 0.999;        ///< how slowly the mean of their squares forgets
    double epsilon = 1e-8;       ///< keeps the division from a vanishing denominator; with 0, 0 / 0 is NaN
    double weight_decay = 0.01;  ///< shrinks the weights beside the step, not through the gradient
};

/// Divides a running mean of the gradients by the root of a running mean of their squares (Kingma and Ba, 2015,
/// Algorithm 1):
///
/// \f[ m \leftarrow \beta_1 m + (1-\beta_1) g, \quad v \leftarrow \beta_2 v + (1-\beta_2) g^2, \quad
///     w \leftarrow (1 - \eta \lambda) w - \eta \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} \f]
///
/// The weight decay \f$ \lambda \f$ is decoupled from the gradient (Loshchilov and Hutter, 2019, Algorithm 2): in the
/// gradient, the division would make it weakest where gradients are large. The time t counts the steps of each parameter
/// for itself: the first gradient of a parameter that was frozen until then is corrected as a first one.
class Adam {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are none, one does not want a gradient, or two overlap
    explicit Adam(NamedTensors parameters, AdamOptions options = {});

    AdamOptions options;  ///< may be changed between steps

    /// One step with the gradients that backward() left; a parameter without one stays.
    /// @throws Error when none has a gradient, or an option makes no sense (a rate that is negative or NaN)
    void step();
    void zero_grad();                                               ///< Forgets all gradients.
    const NamedTensors& parameters() const { return parameters_; }  ///< What it trains.
    /// Names what it remembers between steps, for checkpoints; lists have one entry for each parameter.
    void visit(auto&& part) { part("means", means_), part("squares", squares_), part("steps", steps_); }

private:
    NamedTensors parameters_;
    std::vector<Tensor> means_, squares_;
    std::vector<Index> steps_;  // how often each parameter was stepped
};

/// Adam whose weights decay, by 0.01 unless it is told otherwise.
class AdamW : public Adam {
public:
    /// @param parameters  what to train
    /// @throws Error as Adam does
    explicit AdamW(NamedTensors parameters, AdamWOptions options = {})
        : Adam(std::move(parameters),
               {options.rate, options.beta1, options.beta2, options.epsilon, options.weight_decay}) {}
};

}  // namespace RECTO::optim
