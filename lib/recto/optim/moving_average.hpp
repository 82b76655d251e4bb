#pragma once
/// @file
/// Weights averaged over steps.
#include <recto/core/named_tensors.hpp>

namespace RECTO::optim {

/// An exponential moving average of weights: \f$ \bar w \leftarrow \beta \bar w + (1 - \beta) w \f$. A model with these
/// weights is often better than the model of the last step (Polyak and Juditsky, 1992).
///
///     optim::MovingAverage average(nn::state(model), 0.99);   // after each step: average.update();
///     nn::assign(nn::state(other), average.tensors());
class MovingAverage {
public:
    /// Starts with the present weights. @throws Error unless there are some and 0 <= beta < 1
    explicit MovingAverage(NamedTensors weights, double beta = 0.999);

    void update();                                             ///< Includes the present weights.
    const NamedTensors& tensors() const { return averages_; }  ///< The averages, under the names of the weights.

private:
    NamedTensors weights_, averages_;
    double beta_;
};

}  // namespace RECTO::optim
