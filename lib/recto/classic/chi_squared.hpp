#pragma once
/// @file
/// Pearson's chi-squared test: whether counts fit a distribution.
#include <span>

#include <recto/core/tensor.hpp>

namespace RECTO::classic {

/// \f$ P(\chi^2_k \ge x) \f$: the probability that a sum of \f$ k \f$ squared standard normal numbers is at least x, in
/// closed form. (Abramowitz and Stegun, 1964, 26.4.4 and 26.4.5.)
/// @throws Error unless freedom >= 1
double chi_squared_tail(double x, Index freedom);

/// The p-value of counts: the probability of at least this deviation from the expected counts, if they are drawn with
/// these probabilities (Pearson, 1900); 0 if an index of probability 0 was drawn.
///
/// \f[ \chi^2 = \sum_k \frac{(n_k - N p_k)^2}{N p_k} \f]
///
/// @param drawn          indices into `probabilities`
/// @param probabilities  need not sum to 1; those equal to 0 do not count
/// @throws Error when an index is out of range, or fewer than two probabilities are positive
double chi_squared_p_value(std::span<const Index> drawn, std::span<const Real> probabilities);

}  // namespace RECTO::classic
