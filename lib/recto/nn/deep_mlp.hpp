#pragma once
/// @file
/// A deep network of equal blocks, with or without residual connections, to compare the two.
#include <vector>

#include <recto/nn/sequential.hpp>

namespace RECTO::nn {

/// A fully connected network of many equal blocks, each relu() followed by a Linear layer. With residual connections, a
/// block's result is added to its input; without them, it replaces the input. Both networks have the same parameters.
///
/// Initial weights are those of He et al. (2015), which keep the size of a signal from block to block. With residual
/// connections they are divided by the root of the number K of blocks, so that all blocks together multiply the
/// variance by (1 + 1/K)^K, which is less than e. The first and the last layer have lecun_init() weights; biases start
/// at 0.
struct DeepMlp {
    using Block = Sequential<Relu, Linear>;  ///< A block.

    Linear enter;               ///< (in) to (width)
    std::vector<Block> blocks;  ///< (width) to (width) each
    Linear leave;               ///< (width) to (out)
    bool residual;              ///< whether a block adds to its input

    /// Sizes of a DeepMlp.
    struct Sizes {
        Index in;      ///< width of the input
        Index width;   ///< units of every hidden layer
        Index blocks;  ///< number of blocks
        Index out;     ///< width of the result
    };

    /// Initialises the weights. @throws Error when a size is negative
    DeepMlp(Sizes sizes, bool residual, Generator& random);

    /// The result of one block: h + f(h), or f(h).
    Tensor after(const Block& block, const Tensor& h) const;
    Tensor operator()(const Tensor& x) const;  ///< (..., in) to (..., out)

    /// Names its parts: `enter.weight`, `blocks.0.1.weight`, ...
    void visit(auto&& part) { part("enter", enter), part("blocks", blocks), part("leave", leave); }
};

}  // namespace RECTO::nn
