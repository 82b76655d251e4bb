#pragma once
/// @file
/// Cross-entropy, the loss of classification.
#include <optional>

#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// How the losses of all samples are combined.
enum class Reduction {
    mean,  ///< Their mean, one number; with class weights the weighted mean.
    sum,   ///< Their sum, one number.
    none,  ///< No reduction: one loss per sample.
};

/// Options of cross_entropy().
struct CrossEntropyOptions {
    std::optional<Index> ignored = {};      ///< samples with this label are ignored; it may be out of range
    double smoothing = 0;                   ///< label smoothing: the share of a target spread evenly over all classes
    Tensor weight = {};                     ///< (classes): class weights; undefined for 1 each
    Reduction reduction = Reduction::mean;  ///< of the samples' losses
};

/// The negative log-probability of the right class, and its mean over all samples.
///
/// \f[ \ell_n = -w_{t_n} \log \mathrm{softmax}(x_n)_{t_n}, \qquad
/// \mathscr L = \frac{\sum_n \ell_n}{\sum_n w_{t_n}} \f]
///
/// Without class weights \f$ w = 1 \f$, and \f$ \mathscr L \f$ is the plain mean. With smoothing
/// \f$ \varepsilon \f$ (Szegedy et al., 2016) the target of K classes is
/// \f$ q_{nj} = w_j \left((1 - \varepsilon) [j = t_n] + \varepsilon / K\right) \f$ and
/// \f$ \ell_n = -\sum_j q_{nj} \log \mathrm{softmax}(x_n)_j \f$; the mean divides by the same sum. Both sums run over
/// the samples that are not ignored. When all are, or their weights are 0, the mean is NaN, a mean of nothing. Ignored
/// samples have loss 0 and gradient 0.
///
/// Softmax, logarithm and choice are one kernel, so that large scores neither overflow nor underflow.
/// Backward: \f$ dx_{nj} = \left(\mathrm{softmax}(x_n)_j \sum_i q_{ni} - q_{nj}\right) d\ell_n \f$.
///
/// @param scores   (..., classes): at least one axis and one sample
/// @param labels   (...): the right class of every sample, from 0 to classes - 1
/// @param options  ignored label, label smoothing, class weights, reduction
/// @return         a single number, without axes, in nats; with Reduction::none (...), one for each sample
/// @throws Error when shapes or devices do not fit, a label is out of range, there is no sample, the smoothing is not
///         from 0 to 1, or the class weights require a gradient
Tensor cross_entropy(const Tensor& scores, const Integers& labels, const CrossEntropyOptions& options = {});

}  // namespace RECTO
