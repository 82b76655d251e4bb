#pragma once
/// @file
/// Likelihoods: a network's outputs as parameters of a distribution over targets.
///
/// A likelihood is a struct with three functions and no parameters of its own. Each takes `outputs` (samples, width),
/// one row of any real numbers for every sample, as a linear layer returns them: the function that turns them into
/// valid parameters (an exponential, a sigmoid, a softmax) is part of the likelihood. log_prob() is on the tape with
/// respect to the outputs; targets are constants. Which likelihood fits depends on the possible targets:
///
/// | targets            | likelihood          | width   | outputs                         |
/// |--------------------|---------------------|---------|---------------------------------|
/// | any number         | Normal              | 1       | mean                            |
/// | any number         | SpreadNormal        | 2       | mean, log of the deviation      |
/// | 0 or 1             | Bernoulli           | 1       | log-odds of 1                   |
/// | one of K classes   | Categorical         | K       | scores                          |
/// | 0, 1, 2, ...       | Poisson             | 1       | log of the mean                 |
/// | an angle           | VonMises            | 2       | direction times concentration   |
#include <concepts>

#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/core/tensor.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO::nn {

/// The interface of a likelihood, described at the top of this file.
///
/// * `log_prob(outputs, targets)`: the logarithm of the probability, or of its density, of every target, (samples)
/// * `mode(outputs)`: the most probable target of every sample, (samples)
/// * `sample(outputs, random)`: a random target for every sample, (samples); draws on the host, one row after another
///
/// All throw an Error when the outputs do not have the likelihood's width, or the numbers of targets and rows differ.
template <class L>
concept Likelihood = requires(const L& l, const Tensor& outputs, const typename L::Target& targets, Generator& random) {
    { l.log_prob(outputs, targets) } -> std::same_as<Tensor>;
    { l.mode(outputs) } -> std::same_as<typename L::Target>;
    { l.sample(outputs, random) } -> std::same_as<typename L::Target>;
};

/// The normal distribution with a predicted mean and one deviation for all samples.
///
/// \f[ \log p(y) = -\frac{(y - \mu)^2}{2 \sigma^2} - \log \sigma - \tfrac12 \log 2\pi \f]
struct Normal {
    using Target = Tensor;  ///< Any numbers.
    double deviation = 1;   ///< sigma, above 0

    Tensor log_prob(const Tensor& outputs, const Tensor& targets) const;  ///< See Likelihood.
    Tensor mode(const Tensor& outputs) const;                             ///< The mean.
    Tensor sample(const Tensor& outputs, Generator& random) const;        ///< See Likelihood.
};

/// The normal distribution with a predicted mean and a predicted deviation (*heteroscedastic* noise). The outputs are
/// \f$ \mu \f$ and \f$ \log \sigma \f$.
struct SpreadNormal {
    using Target = Tensor;  ///< Any numbers.

    Tensor log_prob(const Tensor& outputs, const Tensor& targets) const;  ///< See Likelihood.
    Tensor mode(const Tensor& outputs) const;                             ///< The mean.
    Tensor sample(const Tensor& outputs, Generator& random) const;        ///< See Likelihood.
};

/// The Bernoulli distribution of a binary target. The output is a score \f$ s \f$, the log-odds of 1.
///
/// \f[ p(y) = (1 - \lambda)^{1 - y} \lambda^y, \qquad \lambda = \frac1{1 + e^{-s}} \f]
///
/// The mean of the negative logarithms is binary_cross_entropy().
struct Bernoulli {
    using Target = Tensor;  ///< 0 or 1; other values give meaningless results.

    Tensor log_prob(const Tensor& outputs, const Tensor& targets) const;  ///< See Likelihood.
    Tensor mode(const Tensor& outputs) const;                             ///< 1 where the score is above 0.
    Tensor sample(const Tensor& outputs, Generator& random) const;        ///< See Likelihood.
};

/// The categorical distribution over K >= 1 classes: softmax() of the outputs are their probabilities. The mean of the
/// negative logarithms is cross_entropy().
struct Categorical {
    using Target = Integers;  ///< From 0 to K - 1.

    Tensor log_prob(const Tensor& outputs, const Integers& targets) const;  ///< See Likelihood.
    Integers mode(const Tensor& outputs) const;                             ///< The first of the largest scores.
    Integers sample(const Tensor& outputs, Generator& random) const;        ///< See Likelihood.
};

/// The Poisson distribution of a count. The output is the logarithm of the mean \f$ \lambda \f$.
///
/// \f[ p(y) = \frac{\lambda^y}{y!} e^{-\lambda} \f]
struct Poisson {
    using Target = Tensor;  ///< Integers of at least 0.

    /// See Likelihood. @throws Error also for a target that is not a count; reads targets on the host
    Tensor log_prob(const Tensor& outputs, const Tensor& targets) const;
    Tensor mode(const Tensor& outputs) const;  ///< The mean, rounded down.
    /// Tries the counts from the mode outwards until their total probability exceeds a uniform number, which takes
    /// about as many steps as the standard deviation. @throws Error when a mean is above 10^9
    Tensor sample(const Tensor& outputs, Generator& random) const;
};

/// An angle in radians: the von Mises distribution, the analogue of the normal distribution on a circle (von Mises,
/// 1918). The outputs (a, b) are a vector in the direction of the most probable angle \f$ \mu \f$; its length \f$
/// \kappa \f$ is the concentration, 0 for a uniform distribution.
///
/// \f[ p(y) = \frac{e^{a \cos y + b \sin y}}{2\pi I_0(\kappa)} = \frac{e^{\kappa \cos(y - \mu)}}{2\pi I_0(\kappa)} \f]
///
/// with the modified Bessel function \f$ I_0 \f$. The loss is smooth: angles that differ by a full turn have the same
/// probability, and the vector may pass through zero.
struct VonMises {
    using Target = Tensor;  ///< Any angles, also beyond a full turn. Modes and samples are in [-pi, pi].

    Tensor log_prob(const Tensor& outputs, const Tensor& targets) const;  ///< See Likelihood; cosines on the host.
    Tensor mode(const Tensor& outputs) const;                             ///< The direction of the vector.
    /// See Likelihood; by rejection from a wrapped Cauchy distribution (Best and Fisher, 1979).
    Tensor sample(const Tensor& outputs, Generator& random) const;
};

/// \f$ \log I_0(\sqrt{a^2 + b^2}) \f$ for rows (a, b), (samples, 2) to (samples): with \f$ \log 2\pi \f$, the
/// normalisation of VonMises. Up to a length of 100 it is the mean of \f$ e^{a \cos t + b \sin t} \f$ over 128 evenly
/// spaced angles, which is exact to rounding; beyond, the asymptotic series.
Tensor log_bessel(const Tensor& arrows);

/// The loss of a likelihood, in nats: the mean of the negative log-likelihoods of the samples.
///
/// \f[ \mathscr L(w) = -\frac1N \sum_{n=1}^N \log p(y_n \mid f(x_n; w)) \f]
///
/// @throws Error as log_prob(), and when there is no sample
template <Likelihood L>
Tensor nll(const L& likelihood, const Tensor& outputs, const typename L::Target& targets) {
    const Tensor each = likelihood.log_prob(outputs, targets);
    check(each.numel() > 0, "nll: wanted at least one sample, got none");
    return negative(mean(each));
}

}  // namespace RECTO::nn
