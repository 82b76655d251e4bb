#pragma once
/// @file
/// The gated block around a state-space layer, as in Mamba.
#include <cmath>
#include <utility>

#include <recto/nn/linear.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/state_space.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

/// A residual block around a layer that mixes times, `Core`, such as StateSpace or SelectiveStateSpace:
///
/// \f[ (u, g) = W x', \quad v = \mathrm{silu}(w * u + b), \quad y = x + V (\mathrm{Core}(v) \odot \mathrm{silu}(g)),
///     \qquad x' = \mathrm{LayerNorm}(x) \f]
///
/// The convolution is causal and reads a few times of each channel. With SelectiveStateSpace it has the structure of
/// Mamba's block (Gu and Dao, 2023), with three differences: a LayerNorm where Mamba has an RMSNorm, a full matrix for
/// the time steps where Mamba has one of low rank, and biases in the products that give B and C.
template <class Core>
struct GatedBlock {
    LayerNorm norm;      ///< before the block
    Linear in;           ///< (width) to (2 inner): what is mixed, and its gate
    Tensor conv_weight;  ///< (inner, 1, window): the last tap reads the present time
    Tensor conv_bias;    ///< (inner)
    Core core;           ///< (batch, time, inner) to the same shape
    Linear out;          ///< (inner) to (width)

    /// Initialises the weights, those of the convolution uniformly from \f$ \pm 1/\sqrt{\mathrm{window}} \f$.
    /// @throws Error when the width is negative or the window is below 1
    GatedBlock(Index width, Core mixer, Generator& random, Index window = 4, Device device = Device::cpu)
        : norm({width}, {.device = device}),
          in(width, 2 * mixer.skip.numel(), random, {.device = device}),
          core(std::move(mixer)),
          out(core.skip.numel(), width, random, {.device = device}) {
        check(window >= 1, "GatedBlock: wanted a window of at least 1, got {}", window);
        const Real bound = Real(1 / std::sqrt(double(window)));
        conv_weight = random.uniform({core.skip.numel(), 1, window}, -bound, bound, device).requires_grad_();
        conv_bias = zeros({core.skip.numel()}, device).requires_grad_();
    }

    /// (batch, time, width) to the same shape. @throws Error when the shapes do not fit
    Tensor operator()(const Tensor& x) const;

    /// What the core reads: (batch, time, width) to (batch, time, inner).
    Tensor mixed(const Tensor& x) const { return neighbours(in(norm(x))); }

    /// Names its parts.
    void visit(auto&& part) {
        part("norm", norm), part("in", in), part("conv_weight", conv_weight), part("conv_bias", conv_bias);
        part("core", core), part("out", out);
    }

private:
    /// The convolution of the first half of the channels.
    Tensor neighbours(const Tensor& both) const {
        const Index inner = conv_bias.numel();
        const Tensor before = pad(transpose(slice(both, 2, 0, inner)), {{conv_weight.size(2) - 1, 0}});
        return silu(transpose(conv1d(before, conv_weight, conv_bias, {.groups = inner})));
    }
};

template <class Core>
Tensor GatedBlock<Core>::operator()(const Tensor& x) const {
    const Index inner = conv_bias.numel();
    const Tensor both = in(norm(x)), gate = slice(both, 2, inner, 2 * inner);
    return x + out(core(neighbours(both)) * silu(gate));
}

/// A GatedBlock around a SelectiveStateSpace: the block of Mamba, with the differences that GatedBlock names.
using MambaBlock = GatedBlock<SelectiveStateSpace>;

}  // namespace RECTO::nn
