#pragma once
/// @file
/// Losses that compare numbers, distributions or distances. mse_loss() and the losses of classification have their own
/// files.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The mean absolute error, whose gradient is no larger for large errors than for small ones.
///
/// \f[ \mathscr L = \frac1N \sum_{n=1}^N |f_n - y_n| \f]
///
/// Backward: \f$ df_n = \frac1N \mathrm{sign}(f_n - y_n)\, d\mathscr L \f$, 0 where both are equal, and \f$ dy_n = -df_n \f$.
///
/// @param prediction  any shape with at least one number
/// @param target      the same shape
/// @return            a single number, without axes
/// @throws Error when the shapes or devices differ, or there is no number
Tensor l1_loss(const Tensor& prediction, const Tensor& target);

/// The mean Huber error (Huber, 1964): quadratic near 0, linear beyond `delta`. With \f$ d_n = f_n - y_n \f$
///
/// \f[ \mathscr L = \frac1N \sum_{n=1}^N \begin{cases} \frac12 d_n^2 & |d_n| \le \delta \cr
///     \delta\, (|d_n| - \frac12 \delta) & \text{otherwise} \end{cases} \f]
///
/// Backward: \f$ df_n = \frac1N \min(\max(d_n, -\delta), \delta)\, d\mathscr L \f$, and \f$ dy_n = -df_n \f$.
///
/// @param prediction  any shape with at least one number
/// @param target      the same shape
/// @param delta       where the quadratic part ends, above 0
/// @return            a single number, without axes
/// @throws Error when the shapes or devices differ, there is no number, or delta is not above 0
Tensor huber_loss(const Tensor& prediction, const Tensor& target, double delta = 1);

/// The Kullback-Leibler divergence of distributions given by their logarithms, the mean over the first axis.
///
/// \f[ \mathscr L = \frac1N \sum_{n=1}^N \sum_j e^{\log p_{nj}} \left(\log p_{nj} - \log q_{nj}\right) \f]
///
/// Elements with p = 0 (log p = -inf) add 0 for every q. PyTorch's kl_div takes its arguments in the opposite order.
/// Backward, with \f$ p = e^{\log p} \f$: \f$ d \log q = -\frac1N p\, d\mathscr L \f$ and \f$ d \log p = \frac1N p\,
/// (\log p - \log q + 1)\, d\mathscr L \f$.
///
/// @param log_p  (batch, ...): log-probabilities of the true distribution, such as log_softmax() returns
/// @param log_q  the same shape: log-probabilities of the model
/// @return       a single number, without axes, in nats
/// @throws Error when there is no axis or no number, or the shapes or devices differ
Tensor kl_divergence(const Tensor& log_p, const Tensor& log_q);

/// The triplet loss of metric learning: an anchor should be nearer to the positive (same class) than to the negative
/// (another class) by a margin; the mean over all triplets.
///
/// \f[ \mathscr L = \frac1N \sum_{n=1}^N \max\left(0,\; \|a_n - p_n\| - \|a_n - n_n\| + m\right) \f]
///
/// The gradient is 0 for a triplet that satisfies the margin, and for a distance of 0.
///
/// @param anchor    (..., width): at least one axis and one row
/// @param positive  the same shape
/// @param negative  the same shape
/// @param margin    m
/// @return          a single number, without axes
/// @throws Error when the shapes or devices differ or there is no row
Tensor triplet_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin = 1);

}  // namespace RECTO
