#pragma once
/// @file
/// The convolutional LSTM: a recurrent layer whose state is an image.
#include <recto/nn/conv.hpp>

namespace RECTO::nn {

/// The state of a ConvLstm; both undefined before the first step.
struct ConvLstmState {
    Tensor h;  ///< (batch, hidden, height, width): what the layer returns
    Tensor c;  ///< (batch, hidden, height, width): its memory
};

/// Options of ConvLstm.
struct ConvLstmOptions {
    double forget = 1;            ///< initial bias of the forget gate
    Device device = Device::cpu;  ///< device of its parameters
};

/// An LSTM whose products are convolutions (Shi et al., 2015, without their connections from the memory to the gates).
/// Each place of the state reads a square of places of the input and of the state before:
///
/// \f[ (i, f, g, o) = W * [x, h] + b, \quad c' = \sigma(f)\, c + \sigma(i) \tanh(g), \quad h' = \sigma(o) \tanh(c') \f]
///
/// The border is padded with zeros, so that the state has the size of the input.
struct ConvLstm {
    Conv2d gates;  ///< (in + hidden) to (4 hidden): the gates i, f, g, o

    /// @param kernel  rows and columns of the kernels, odd
    /// @throws Error when a size is negative or the kernel is even
    ConvLstm(Index in, Index hidden, Index kernel, Generator& random, ConvLstmOptions options = {});

    Index hidden() const;  ///< Channels of the state.

    /// One time step: x (batch, in, height, width) and the state before it to the state after it. An undefined state
    /// stands for zeros.
    /// @throws Error when the shapes do not fit
    ConvLstmState operator()(const Tensor& x, const ConvLstmState& before = {}) const;

    /// Names its part.
    void visit(auto&& part) { part("gates", gates); }
};

}  // namespace RECTO::nn
