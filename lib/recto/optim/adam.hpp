#pragma once
/// @file
/// Steps of a size of their own for every parameter.
#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// What Adam may be told.
struct AdamOptions {
    double rate = 1e-3;     ///< about how far a parameter moves in a step
    double beta1 = 0.9;     ///< how slowly the mean of the gradients forgets
    double beta2 = 0.999;   ///< how slowly the mean of their squares forgets
    double epsilon = 1e-8;  ///< keeps the division from a vanishing denominator
};

/// Divides a running mean of the gradients by the root of a running mean of their squares (Kingma and Ba, 2015,
/// Algorithm 1):
///
/// \f[ m \leftarrow \beta_1 m + (1-\beta_1) g, \quad v \leftarrow \beta_2 v + (1-\beta_2) g^2, \quad
///     w \leftarrow w - \eta \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} \f]
class Adam {
public:
    /// @param parameters  what to train, such as nn::parameters(model)
    /// @throws Error when there are none, or one does not want a gradient
    explicit Adam(NamedTensors parameters, AdamOptions options = {});

    AdamOptions options;  ///< may be changed between steps

    /// One step with the gradients that backward() left; a parameter without one stays.
    /// @throws Error when none has a gradient
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

}  // namespace RECTO::optim
