#pragma once
/// @file
/// Why no method can guarantee to find a loss's minimum in reasonable time: finding the minimum of this loss answers an
/// NP-complete question.
///
/// The question: can some numbers be split into two groups of equal sum? With a weight per number, \f[ \mathscr L(w) =
/// \sum_i (w_i^2 - 1)^2 + \Big(\sum_i a_i w_i\Big)^2 \f] is 0 exactly where all weights are +1 or -1 and the two groups
/// are balanced (after Murty and Kabadi, 1987).
#include <recto/core/random.hpp>
#include <recto/linalg/matrix.hpp>

namespace RECTO::classic {

using linalg::Vector;

/// The value of the loss. @throws Error unless there is one weight per number
double partition_loss(std::span<const Index> numbers, std::span<const double> w);
/// The gradient of partition_loss().
Vector partition_loss_gradient(std::span<const Index> numbers, std::span<const double> w);

/// The result of trying every choice of signs.
struct PartitionSearch {
    bool exists;                ///< whether a partition with equal sums exists
    Index smallest_difference;  ///< the smallest difference of the two sums; 0 if a partition exists
    Index candidates;           ///< number of choices tried: 2 to the power of the number of weights
    Vector signs;               ///< the first choice with the smallest difference, +1 and -1
};

/// Tries all choices in an order in which one sign changes at a time.
/// @throws Error with more than 30 numbers, none, or one that is not from 1 to 10^12
PartitionSearch search_partitions(std::span<const Index> numbers);

/// The result of gradient descent.
struct PartitionDescent {
    Vector w;     ///< the weights
    double loss;  ///< their loss
};

/// Gradient descent from `start`, with the step halved until the loss falls (Armijo, 1966), until the gradient is below
/// 1e-9 or for `steps` steps.
PartitionDescent descend_partition(std::span<const Index> numbers, Vector start, Index steps = 10000);

}  // namespace RECTO::classic
