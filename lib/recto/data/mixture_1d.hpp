#pragma once
/// @file
/// Mixtures of normal distributions on a line, with everything about them in closed form: the density, its slope, and what
/// noise makes of it.
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// A normal distribution on the line, as a part of a mixture.
struct Bump {
    double weight;     ///< its fraction of the mixture
    double mean;       ///< its centre
    double deviation;  ///< its standard deviation
};

/// A mixture of normal distributions on the line, whose weights sum to one.
struct Mixture1d {
    std::vector<Bump> bumps;  ///< at least one

    double mean() const;                 ///< The mean of the mixture.
    double variance() const;             ///< The variance of the mixture.
    double density(double x) const;      ///< The density at x.
    double log_density(double x) const;  ///< The logarithm of the density, also where the density underflows.
    double cdf(double x) const;          ///< The probability of a number below x.
    /// The score: the derivative of the logarithm of the density,
    /// \f$ \sum_k r_k (\mu_k - x) / s_k^2 \f$ with the probabilities \f$ r_k \f$ that x belongs to bump k.
    double score(double x) const;

    /// The mixture, shifted and scaled to mean 0 and variance 1.
    Mixture1d standardised() const;
    /// The distribution of \f$ \sqrt{a}\, x + \sqrt{1 - a}\, \varepsilon \f$ for x of this mixture and standard normal
    /// noise: a mixture of the same weights. @throws Error unless 0 <= a <= 1
    Mixture1d noised(double a) const;
    /// Random numbers.
    std::vector<double> draw(Index count, Generator& random) const;
};

/// A mixture of three bumps of different weight and width, with mean 0 and variance 1.
Mixture1d three_bumps();

}  // namespace RECTO::data
