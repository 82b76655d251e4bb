#pragma once
/// @file
/// Noisy samples of functions of one variable, and the functions themselves, so that a fit can be compared with the
/// truth.
#include <functional>
#include <string>
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// Points (x, y) with x ascending.
struct Samples {
    std::vector<double> x;  ///< positions
    std::vector<double> y;  ///< noisy values
    std::string source;     ///< where the samples come from, in a sentence

    Index size() const { return Index(x.size()); }  ///< Number of points.
};

/// A smooth curve on [0, 1] of size about 1, the target of the first figures.
///
/// \f[ f(x) = \tfrac45 \sin(2\pi x) + \tfrac25 \cos(3\pi x + 1) \f]
double smooth_curve(double x);

/// A curve of period 1 with two harmonics.
///
/// \f[ f(x) = \sin(2\pi x) + \tfrac12 \cos(4\pi x) \f]
double periodic_curve(double x);

/// The mean of the heteroscedastic samples: sin(2 pi x).
double heteroscedastic_mean(double x);
/// Their standard deviation, which grows fivefold from 0.1 at x = 0 to 0.5 at x = 1.
double heteroscedastic_deviation(double x);

/// `count` numbers from `low` to `high`, evenly spaced, both ends included; the midpoint if count is 1.
std::vector<double> even_grid(Index count, double low, double high);

/// Samples of `curve` at positions uniform on [low, high), with normal noise of standard deviation `noise`.
Samples noisy_samples(const std::function<double(double)>& curve, Index count, double low, double high, double noise,
                      Generator& random);

/// Samples with one random position in each of `count` equal parts of [low, high), so that no interval is without
/// samples and large bases stay well-conditioned.
Samples spread_samples(const std::function<double(double)>& curve, Index count, double low, double high, double noise,
                       Generator& random);

/// Samples whose noise depends on x: uniform on [0, 1), normal around heteroscedastic_mean(x) with standard deviation
/// heteroscedastic_deviation(x).
Samples heteroscedastic_samples(Index count, Generator& random);

/// The samples of these rows, in the order of x. @throws Error when there is no such row
Samples select(const Samples& all, std::span<const Index> which);

/// Mean squared difference of two columns. @throws Error when their lengths differ or are zero
double mean_squared_difference(std::span<const double> a, std::span<const double> b);

}  // namespace RECTO::data
