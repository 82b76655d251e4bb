#pragma once
/// @file
/// Residual blocks that train without normalisation.
#include <vector>

#include <recto/nn/linear.hpp>

namespace RECTO::nn {

/// A residual block of two fully connected layers without normalisation, with the initialisation and the scalars of Fixup
/// (Zhang, Dauphin and Ma, 2019, *Fixup initialization: residual learning without normalization*):
///
/// \f[ y = x + s\, W_2 \bigl(\mathrm{relu}(W_1\, (\mathrm{relu}(x + b_1) + b_2) + b_3) + b_4\bigr) + b_5 \f]
///
/// The weights W_1 start as those of He et al. (2015), divided by the root of the number of blocks, and W_2 starts at 0, so
/// that the block starts as the identity. The five biases are single numbers, initially 0; the scale s starts at 1.
struct FixupBlock {
    Linear first;                ///< W_1, without a bias: (width) to (width)
    Linear second;               ///< W_2, without a bias: (width) to (width)
    std::vector<Tensor> biases;  ///< b_1 to b_5, each (1)
    Tensor scale;                ///< s: (1)

    /// Draws the first weights. @param blocks  number of blocks of the network that this block is part of
    /// @throws Error when the width is negative, or there is no block
    FixupBlock(Index width, Index blocks, Generator& random, Device device = Device::cpu);

    Tensor branch(const Tensor& x) const;      ///< What is added to x: (..., width) to the same shape.
    Tensor operator()(const Tensor& x) const;  ///< `x + branch(x)`: (..., width) to the same shape.

    /// Names its parts: `first.weight`, `second.weight`, `biases.0`, ..., `scale`.
    void visit(auto&& part) {
        part("first", first), part("second", second), part("biases", biases), part("scale", scale);
    }
};

}  // namespace RECTO::nn
