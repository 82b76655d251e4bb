#pragma once
/// @file
/// Normalisation of channels: over a batch, or in groups within a sample.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Options of batch_norm().
struct BatchNormOptions {
    bool training = true;   ///< use the batch's statistics and update the running ones; if false, use the running ones
    double momentum = 0.1;  ///< how far the running statistics move towards the batch's, from 0 to 1
    double eps = 1e-5;      ///< added to the variance; at least 0; with 0 a channel of variance 0 becomes NaN
};

/// Batch normalisation (Ioffe and Szegedy, 2015): normalises every channel to mean 0 and variance 1 over the samples
/// and positions of a mini-batch; then applies a scale and a shift to every channel.
///
/// \f[ y = w_c\, \frac{x - \mu_c}{\sqrt{\sigma_c^2 + \varepsilon}} + b_c \f]
///
/// In training, \f$ \mu_c \f$ and \f$ \sigma_c^2 \f$ are the mean and variance (divided by the count n) over the batch,
/// and the running statistics move: \f$ r \leftarrow (1 - m)\, r + m\, s \f$, where s is the mean or the unbiased
/// variance (divided by n - 1). In evaluation, the running statistics are used and do not change. A channel of variance
/// 0 becomes the bias.
///
/// Backward, with \f$ \hat x = (x - \mu_c) / \sqrt{\sigma_c^2 + \varepsilon} \f$: \f$ db_c = \sum dy \f$,
/// \f$ dw_c = \sum dy\, \hat x \f$, \f$ dx = w_c \left(dy - \frac1n db_c - \frac1n \hat x\, dw_c\right) /
/// \sqrt{\sigma_c^2 + \varepsilon} \f$; in evaluation \f$ dx = w_c\, dy / \sqrt{\sigma_c^2 + \varepsilon} \f$.
///
/// @param x                 (batch, channels, ...)
/// @param weight            (channels), or undefined for ones
/// @param bias              (channels), or undefined for zeros
/// @param running_mean      (channels), changed in training; or undefined
/// @param running_variance  (channels), changed in training; or undefined
/// @param options           training or evaluation, momentum, eps
/// @return                  the shape of `x`
/// @throws Error when shapes or devices do not fit, when training has less than two elements per channel, when
///         evaluation lacks its statistics, or for an option out of range
Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_variance, const BatchNormOptions& options = {});

/// The end of a residual block (He et al., 2015), relu(batch_norm(x) + skip), in one pass over memory.
///
/// Backward: the gradient of `skip` is dy where the result is positive, otherwise 0; it continues as in batch_norm().
///
/// @param x, weight, bias, running_mean, running_variance, options  as in batch_norm()
/// @param skip  the shape of `x`; or undefined for none
/// @return      the shape of `x`
/// @throws Error as batch_norm(), or when `skip` does not fit
Tensor batch_norm_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                       const Tensor& running_variance, const BatchNormOptions& options = {},
                       const Tensor& skip = Tensor());

/// Group normalisation (Wu and He, 2018): normalises every group of neighbouring channels of every sample to mean 0 and
/// variance 1; then applies a scale and a shift to every channel. With one group, it is layer normalisation over
/// channels and positions; with one group per channel, it is instance normalisation. The formulas are those of
/// layer_norm().
///
/// @param x        (batch, channels, ...)
/// @param groups   at least 1; must divide the number of channels
/// @param weight   (channels), or undefined for ones
/// @param bias     (channels), or undefined for zeros
/// @param eps  at least 0; with 0 a group of variance 0 becomes NaN
/// @return         the shape of `x`
/// @throws Error when shapes or devices do not fit
Tensor group_norm(const Tensor& x, Index groups, const Tensor& weight = Tensor(), const Tensor& bias = Tensor(),
                  double eps = 1e-5);

}  // namespace RECTO
