#pragma once
/// @file
/// Clouds of points in the plane: a mixture of normal distributions with its exact density, and two clouds that a line
/// separates. Also tables of numbers in which only a few columns matter.
#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>
#include <recto/linalg/matrix.hpp>

namespace RECTO::data {

/// A normal distribution in the plane: an ellipse of probability.
struct Bell {
    double weight;  ///< its fraction of the mixture
    double x;       ///< horizontal coordinate of its centre
    double y;       ///< vertical coordinate of its centre
    double along;   ///< standard deviation along its long axis
    double across;  ///< standard deviation along its short axis
    double angle;   ///< angle between the long axis and the x axis, in radians
};

/// A mixture of normal distributions, whose weights sum to one.
struct Mixture {
    std::vector<Bell> bells;  ///< at least one

    double log_density(double x, double y) const;  ///< The logarithm of the exact density.
    /// Random points, x (n, 2), without labels: density modelling has none.
    Examples draw(Index count, Generator& random) const;
};

/// A mixture of three normal distributions of different size and direction within [-4, 4] x [-4, 4].
Mixture three_bells();

/// Points of [-1, 1] x [-1, 1], x (n, 2), labelled 0 below and 1 above a slanted line, none of them nearer to it than
/// gap / 2; if n is at least 2, both classes occur.
/// @throws Error unless 0 <= gap <= 1
Examples separable_clouds(Index count, double gap, Generator& random);

/// A linear model of many inputs of which few are relevant.
struct SparseTable {
    linalg::Matrix x;            ///< (rows, inputs), standard normal
    linalg::Vector y;            ///< sum of the relevant inputs, each with a random sign, and normal noise
    std::vector<Index> support;  ///< the relevant inputs, ascending
    std::string source;          ///< where the set comes from, in a sentence
};

/// Draws such a table; the variance of the signal is `signal_to_noise` times that of the noise.
/// @throws Error unless 0 < relevant <= inputs and signal_to_noise > 0
SparseTable sparse_table(Index rows, Index inputs, Index relevant, double signal_to_noise, Generator& random);

}  // namespace RECTO::data
