#pragma once
/// @file
/// Diffusion: a noise schedule, the steps that add noise, and the steps that remove it.
#include <functional>
#include <vector>

#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>

namespace RECTO::nn {

/// A network that predicts the noise in x: (batch, ...) and the step of each sample, (batch), to the shape of x.
using NoisePredictor = std::function<Tensor(const Tensor& x, const Integers& t)>;

/// The noise schedule of a diffusion process with the steps 1 to T (Ho et al., 2020):
///
/// \f[ x_t = \sqrt{1 - \beta_t}\, x_{t-1} + \sqrt{\beta_t}\, \varepsilon_t, \qquad
///     x_t = \sqrt{\bar\alpha_t}\, x_0 + \sqrt{1 - \bar\alpha_t}\, \varepsilon, \qquad
///     \bar\alpha_t = \prod_{s \le t} (1 - \beta_s) \f]
///
/// with standard normal \f$ \varepsilon \f$. Step 0 is the data.
class NoiseSchedule {
public:
    /// @param beta  the variance of the noise of steps 1 to T
    /// @throws Error without steps, or unless every variance is above 0 and below 1
    explicit NoiseSchedule(const std::vector<double>& beta);

    /// The schedule of Ho et al.: variances that rise linearly from 0.0001 to 0.02 in 1000 steps. With another number of
    /// steps, step t has the \f$ \bar\alpha \f$ of step 1000 t / T there, interpolated.
    /// @throws Error unless there is at least one step
    static NoiseSchedule linear(Index steps = 1000);

    Index steps() const { return Index(alpha_bar_.size()) - 1; }  ///< The number of steps, T.
    double beta(Index t) const;                                   ///< \f$ \beta_t \f$. @throws Error unless 1 <= t <= T
    double alpha_bar(Index t) const;  ///< \f$ \bar\alpha_t \f$, 1 for step 0. @throws Error unless 0 <= t <= T

    /// One step of the process: \f$ x_{t-1} \f$ to \f$ x_t \f$. @param noise  standard normal, of the shape of x
    /// @throws Error unless 1 <= t <= T and the shapes are equal
    Tensor step(const Tensor& x, Index t, const Tensor& noise) const;
    /// All steps up to t at once, in closed form: \f$ x_0 \f$ to \f$ x_t \f$.
    /// @throws Error unless 0 <= t <= T and the shapes are equal
    Tensor noised(const Tensor& x, Index t, const Tensor& noise) const;
    /// The same with a step for each sample, as a training needs it.
    /// @param x  (batch, ...)   @param t  (batch)   @param noise  the shape of x
    /// @throws Error when a step is out of range, or shapes do not fit
    Tensor noised(const Tensor& x, const Integers& t, const Tensor& noise) const;

    /// One step back, \f$ x_t \f$ to \f$ x_{t-1} \f$ (ancestral sampling):
    ///
    /// \f[ x_{t-1} = \frac{1}{\sqrt{1 - \beta_t}} \Bigl(x_t - \frac{\beta_t}{\sqrt{1 - \bar\alpha_t}}\,
    ///     \hat\varepsilon\Bigr) + \sqrt{\beta_t}\, z, \f]
    ///
    /// without noise z in step 1.
    /// @param predicted  \f$ \hat\varepsilon \f$: the noise in \f$ x_t \f$, \f$ -\sqrt{1 - \bar\alpha_t} \f$ times the score
    /// @param noise      z: standard normal
    /// @throws Error unless 1 <= t <= T and all shapes are equal
    Tensor step_back(const Tensor& x, Index t, const Tensor& predicted, const Tensor& noise) const;
    /// New samples: standard normal noise, and all steps back. Records nothing on the tape.
    /// @param shape  (batch, ...)
    Tensor sample(const NoisePredictor& model, const Shape& shape, Generator& random,
                  Device device = Device::cpu) const;

private:
    std::vector<double> beta_, alpha_bar_;  // of steps 0 to T; beta_[0] is not used
};

/// The mean squared error of the predicted noise, for a random step of each sample: the training objective of Ho et al.
///
/// \f[ \mathbb E \bigl( \hat\varepsilon(\sqrt{\bar\alpha_t}\, x_0 + \sqrt{1 - \bar\alpha_t}\, \varepsilon,\; t) -
///     \varepsilon \bigr)^2 \f]
/// @param x  (batch, ...): data
Tensor noise_prediction_loss(const NoisePredictor& model, const NoiseSchedule& schedule, const Tensor& x,
                             Generator& random);

/// The time as inputs of a network: a row of sinusoidal_positions() for each step.
/// @param t  (batch), from 0 to `steps`   @return  (batch, width)
/// @throws Error when a step is out of range, or the width is negative
Tensor time_features(const Integers& t, Index steps, Index width);

}  // namespace RECTO::nn
