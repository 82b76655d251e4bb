#pragma once
/// @file
/// State-space layers: a time-invariant one with a diagonal matrix (S4D), and a selective one (S6, of Mamba).
#include <recto/nn/linear.hpp>

namespace RECTO::nn {

/// Options of StateSpace and SelectiveStateSpace.
struct StateSpaceOptions {
    double shortest = 1e-3;       ///< shortest first time step of a channel; a short step means a long memory
    double longest = 1e-1;        ///< longest first time step; channels are spread evenly in the logarithm
    bool real = false;            ///< whether the modes only decay; SelectiveStateSpace has no others
    Device device = Device::cpu;  ///< device of its parameters
};

/// The numbers of a state, one for each mode of each channel.
struct Modes {
    Tensor re;  ///< (batch, channels, states): real parts
    Tensor im;  ///< the same shape: imaginary parts; undefined if the modes only decay
};

/// A time-invariant state-space layer with a diagonal matrix (S4D: Gu et al., 2022). Each channel has its own N modes
/// \f$ h_n' = A_n h_n + x \f$, which it samples with a time step \f$ \Delta \f$ of its own:
///
/// \f[ h_{t,n} = \bar A_n h_{t-1,n} + \bar B_n x_t, \quad y_t = \mathrm{Re} \sum_n C_n h_{t,n} + D x_t, \qquad
///     y = K * x + D x, \quad K_l = \mathrm{Re} \sum_n C_n \bar A_n^l \bar B_n \f]
///
/// Modes that oscillate start at \f$ A_n = -\frac12 + i \pi n \f$ (S4D-Lin) and use the bilinear rule, as S4:
/// \f$ \bar A = (1 + \Delta A / 2) / (1 - \Delta A / 2) \f$ and \f$ \bar B = \Delta / (1 - \Delta A / 2) \f$.
/// Modes that only decay start at \f$ A_n = -(n + 1) \f$, the eigenvalues of the HiPPO-LegS matrix (S4D-Real), and hold
/// the input constant during a step, as Mamba: \f$ \bar A = e^{\Delta A} \f$ and \f$ \bar B = (\bar A - 1) / A \f$.
struct StateSpace {
    Tensor log_step;   ///< (channels): \f$ \log \Delta \f$
    Tensor log_decay;  ///< (channels, states): the logarithm of the real part of \f$ -A \f$
    Tensor frequency;  ///< (channels, states): the imaginary part of A; undefined if the modes only decay
    Tensor read_re;    ///< (channels, states): the real part of C
    Tensor read_im;    ///< (channels, states): the imaginary part of C; undefined if the modes only decay
    Tensor skip;       ///< (channels): D

    /// Draws C from a normal distribution of variance 1 / N, and sets the rest as above and D to 1.
    /// @throws Error when a size is below 1, or unless 0 < shortest <= longest
    StateSpace(Index channels, Index states, Generator& random, StateSpaceOptions options = {});

    /// The answer of every channel to a single input of 1, without D: (channels, time). Powers are computed by doubling:
    /// \f$ \log_2 \f$ of the time rounds. Keeps channels x states x time complex numbers, and more for the gradient.
    /// @throws Error when the time is below 1
    Tensor kernel(Index time) const;

    /// The convolutional view: (batch, time, channels) to the same shape, one convolution with kernel(). The kernel is
    /// as long as the sequence: each channel of a sequence takes about time x time products, and the layer as much
    /// memory as kernel().
    /// @throws Error when the shapes do not fit
    Tensor operator()(const Tensor& x) const;

    /// The recurrent view: one step of a sequence, with little work and memory, for the generation of sequences.
    /// @param x      (batch, channels): the input of this time
    /// @param modes  the state, which is replaced by the next; start with `Modes{}`, which stands for zeros
    /// @return       (batch, channels)
    Tensor step(const Tensor& x, Modes& modes) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("log_step", log_step), part("log_decay", log_decay), part("frequency", frequency);
        part("read_re", read_re), part("read_im", read_im), part("skip", skip);
    }
};

/// A selective state-space layer (S6 of Mamba: Gu and Dao, 2023): time step, input matrix and output matrix depend on
/// the input, so that each input says how much of the state it replaces.
///
/// \f[ \Delta_t = \mathrm{softplus}(W_\Delta x_t + b_\Delta), \quad B_t = W_B x_t + b_B, \quad C_t = W_C x_t + b_C \f]
/// \f[ h_{t,n} = e^{\Delta_t A_n} h_{t-1,n} + \frac{e^{\Delta_t A_n} - 1}{A_n} B_{t,n}\, x_t, \quad
///     y_t = \sum_n C_{t,n} h_{t,n} + D x_t \f]
///
/// Each channel has its own \f$ \Delta_t \f$ and \f$ A_n < 0 \f$; all channels share \f$ B_t \f$ and \f$ C_t \f$. The
/// recurrence is affine, and affine_scan() runs it. It keeps all states, batch x time x channels x states numbers.
struct SelectiveStateSpace {
    Tensor log_decay;  ///< (channels, states): \f$ \log(-A) \f$, at first \f$ \log(n + 1) \f$
    Linear step;       ///< (channels) to (channels): the scores of the time steps
    Linear write;      ///< (channels) to (states): B
    Linear read;       ///< (channels) to (states): C
    Tensor skip;       ///< (channels): D

    /// Draws the weights as Linear does; at first an input of 0 gives the steps of StateSpace, and D is 1.
    /// @throws Error when a size is below 1, or unless 0 < shortest <= longest
    SelectiveStateSpace(Index channels, Index states, Generator& random, StateSpaceOptions options = {});

    /// The time steps that the layer chooses. @param x  (batch, time, channels)   @return  the same shape
    Tensor steps(const Tensor& x) const;

    /// (batch, time, channels) to the same shape, by a scan. @throws Error when the shapes do not fit
    Tensor operator()(const Tensor& x) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("log_decay", log_decay), part("step", step), part("write", write), part("read", read), part("skip", skip);
    }
};

}  // namespace RECTO::nn
