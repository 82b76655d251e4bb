#pragma once
/// @file
/// The loss of classification.
#include <optional>

#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// What the loss of classification may be told.
struct CrossEntropyOptions {
    std::optional<Index> ignored = {};  ///< samples with this label count for nothing; it may be out of range
    double smoothing = 0;               ///< how much of a target is spread evenly over all classes
};

/// The mean over all samples of the negative log-probability of the right class.
///
/// \f[ \mathscr L = -\frac1N \sum_{n=1}^N \log \mathrm{softmax}(x_n)_{t_n} \f]
///
/// With smoothing \f$ \varepsilon \f$ (Szegedy et al., 2016) the target of K classes is
/// \f$ q_{nj} = (1 - \varepsilon) [j = t_n] + \varepsilon / K \f$ and the loss
/// \f$ -\frac1N \sum_n \sum_j q_{nj} \log \mathrm{softmax}(x_n)_j \f$. N counts the samples that are not ignored; when all
/// are, the loss is NaN, a mean of nothing, and the gradient 0.
///
/// Softmax, logarithm and choice are one kernel, so that large scores neither overflow nor underflow.
/// Backward: \f$ dx_{nj} = \frac1N \left(\mathrm{softmax}(x_n)_j - q_{nj}\right) d\mathscr L \f$, and 0 for ignored samples.
///
/// @param scores   (..., classes): at least one axis and one sample
/// @param labels   (...): the right class of every sample, from 0 to classes - 1
/// @param options  what to ignore, how much to smooth
/// @return         a single number, without axes, in nats
/// @throws Error when shapes or devices do not fit, a label is out of range, there is no sample, or the smoothing is
///         not from 0 to 1
Tensor cross_entropy(const Tensor& scores, const Integers& labels, const CrossEntropyOptions& options = {});

}  // namespace RECTO
