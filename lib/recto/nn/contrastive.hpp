#pragma once
/// @file
/// Contrastive learning of pairs: two encoders map the two halves of a pair to nearby directions.
#include <recto/nn/module.hpp>

namespace RECTO::nn {

/// Scales every row (last axis) to length 1; a row of zeros, which has no direction, becomes NaN.
/// @param x  (..., columns): any number of axes, at least one
/// @throws Error when `x` has no axes
Tensor unit_rows(const Tensor& x);

/// The cosine of the angle between every row of `a` and every row of `b`: between -1 and 1 up to rounding.
/// @param a  (rows, width)
/// @param b  (columns, width)
/// @return   (rows, columns)
/// @throws Error unless both are matrices of the same width
Tensor cosine_similarities(const Tensor& a, const Tensor& b);

/// The mean of two cross-entropies of a square matrix: row n must predict n, and column n must predict n.
///
/// \f[ \mathscr L = -\frac{1}{2N} \sum_n \Bigl( \log \mathrm{softmax}(l_{n\cdot})_n + \log \mathrm{softmax}(l_{\cdot n})_n
/// \Bigr) \f]
///
/// @param scores  (pairs, pairs): one pair at least
/// @return        a single number, in nats
/// @throws Error unless the matrix is square and has a row
Tensor symmetric_cross_entropy(const Tensor& scores);

/// The scores and the loss of CLIP: cosines of two batches of embeddings, multiplied by a trained factor, the inverse
/// temperature. The factor is the exponential of a trained number, so that it stays positive.
///
/// Radford et al. 2021, *Learning transferable visual models from natural language supervision*, who start the factor at
/// 1 / 0.07 and keep it below 100.
struct ContrastiveHead {
    Tensor log_factor;  ///< (): the logarithm of the factor of all cosines
    double most;        ///< the factor is kept at or below this number

    /// @param factor  of the cosines before training: one divided by the temperature
    /// @param most    the largest factor
    /// @throws Error unless 0 < factor <= most, and both are finite
    explicit ContrastiveHead(double factor = 1 / 0.07, double most = 100, Device device = Device::cpu);

    Tensor factor() const;  ///< The factor of all cosines, shape ().

    /// The score of every pair of a row of `a` and a row of `b`: (rows, width) and (columns, width) to (rows, columns).
    /// @throws Error as cosine_similarities()
    Tensor scores(const Tensor& a, const Tensor& b) const;

    /// symmetric_cross_entropy() of the scores of pairs: row n of `a` belongs to row n of `b`.
    /// @throws Error unless both have the same shape (pairs, width) with at least one pair
    Tensor loss(const Tensor& a, const Tensor& b) const;

    /// Names its trained number.
    void visit(auto&& part) { part("log_factor", log_factor); }
};

}  // namespace RECTO::nn
