#pragma once
/// @file
/// The Kolmogorov-Smirnov distance: how far samples are from a distribution on the line.
#include <functional>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::classic {

/// The largest difference between the share of the samples below x and the probability of a number below x, over all x
/// (Kolmogorov, 1933; Smirnov, 1948). For n samples of the distribution itself it is about \f$ 0.87 / \sqrt n \f$, and in
/// one case of a hundred above \f$ 1.63 / \sqrt n \f$.
/// @param samples  in any order
/// @param cdf      the probability of a number below x
/// @throws Error without samples, or if one is NaN
double kolmogorov_smirnov(std::vector<double> samples, const std::function<double(double x)>& cdf);

}  // namespace RECTO::classic
