#pragma once
/// @file
/// Do these counts come from that distribution?
#include <span>

#include <recto/core/tensor.hpp>

namespace RECTO::classic {

/// \f$ P(\chi^2_k \ge x) \f$: how often a sum of \f$ k \f$ squared standard normal numbers is that large, in
/// closed form. (Abramowitz and Stegun, 1964, 26.4.4 and 26.4.5.)
/// @throws Error unless freedom >= 1
double chi_squared_tail(double x, Index freedom);

/// The chance of counts that lie at least as far from what was expected, were they drawn with these probabilities
/// (Pearson, 1900); 0 when something was drawn that cannot be.
///
/// \f[ \chi^2 = \sum_k \frac{(n_k - N p_k)^2}{N p_k} \f]
///
/// @param drawn          indices into `probabilities`
/// @param probabilities  need not sum to 1; those that are 0 do not count
/// @throws Error when an index is outside, or fewer than two probabilities are positive
double chi_squared_p_value(std::span<const Index> drawn, std::span<const Real> probabilities);

}  // namespace RECTO::classic
