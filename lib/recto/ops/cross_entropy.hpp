#pragma once
/// @file
/// The loss of classification.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The mean over all samples of the negative log-probability of the right class.
///
/// \f[ \mathscr L = -\frac1N \sum_{n=1}^N \log \mathrm{softmax}(x_n)_{t_n} \f]
///
/// Softmax, logarithm and choice are one kernel, so that large scores neither overflow nor underflow.
/// Backward: \f$ dx_{nj} = \frac1N \left(\mathrm{softmax}(x_n)_j - [j = t_n]\right) d\mathscr L \f$.
///
/// @param scores  (..., classes): at least one axis and one sample
/// @param labels  (...): the right class of every sample, from 0 to classes - 1
/// @return        a single number, without axes, in nats
/// @throws Error when shapes or devices do not fit, a label is out of range, or there is no sample
Tensor cross_entropy(const Tensor& scores, const Integers& labels);

}  // namespace RECTO
