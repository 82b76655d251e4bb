#pragma once
/// @file
/// Recurrent layers (RNN, LSTM, GRU), which read a sequence from left to right and carry a state.
///
/// Each takes x (batch, time, in), or (batch, in) for a single step (a cell). The states before the first step are
/// (batch, hidden), or undefined for zeros. Weights are PyTorch's: the gates one below the other, in the order of the
/// formulas. A single product multiplies the inputs of all steps; each step then takes one product and one kernel. All
/// throw an Error when shapes or devices do not fit.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The parameters of a recurrent layer; `gates` is 1 (RNN), 4 (LSTM) or 3 (GRU).
struct RecurrentWeights {
    Tensor weight_ih;  ///< (gates hidden, in)
    Tensor weight_hh;  ///< (gates hidden, hidden)
    Tensor bias_ih;    ///< (gates hidden), or undefined
    Tensor bias_hh;    ///< (gates hidden), or undefined

    /// Appends the parameters under their names.
    void visit(auto&& part) {
        part("weight_ih", weight_ih), part("weight_hh", weight_hh), part("bias_ih", bias_ih), part("bias_hh", bias_hh);
    }
};

/// The results of a recurrent layer.
struct Recurrent {
    Tensor y;  ///< (batch, time, hidden): the state h after every step; (batch, hidden) for a single step
    Tensor h;  ///< (batch, hidden): after the last step
    Tensor c;  ///< (batch, hidden): the cell after the last step, of lstm() only
};

/// \f$ h_t = \tanh(W_{ih} x_t + b_{ih} + W_{hh} h_{t-1} + b_{hh}) \f$ (Elman, 1990).
Recurrent rnn(const Tensor& x, const RecurrentWeights& weights, const Tensor& h0 = Tensor());

/// Long short-term memory (Hochreiter and Schmidhuber, 1997; with forget gate). The quarters of \f$ W_{ih} x_t + b_{ih}
/// + W_{hh} h_{t-1} + b_{hh} \f$ are i, f, g and o: \f$ c_t = \sigma(f)\, c_{t-1} + \sigma(i) \tanh(g), \; h_t =
/// \sigma(o) \tanh(c_t) \f$.
Recurrent lstm(const Tensor& x, const RecurrentWeights& weights, const Tensor& h0 = Tensor(),
               const Tensor& c0 = Tensor());

/// Gated recurrent unit (Cho et al., 2014) with thirds r, z and n:
/// \f$ n_t = \tanh(W_{in} x_t + b_{in} + \sigma(r) (W_{hn} h_{t-1} + b_{hn})), \;
///     h_t = (1 - \sigma(z)) n_t + \sigma(z) h_{t-1} \f$.
Recurrent gru(const Tensor& x, const RecurrentWeights& weights, const Tensor& h0 = Tensor());

}  // namespace RECTO
