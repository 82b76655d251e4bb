#pragma once
/// @file
/// The quasi-recurrent layer (QRNN): gates from a convolution, then a recurrence without products.
#include <recto/core/random.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/sequences/recurrent.hpp>

namespace RECTO::nn {

/// Options of Qrnn.
struct QrnnOptions {
    Index window = 2;             ///< inputs that a gate reads: the present one and those before it
    Device device = Device::cpu;  ///< device of its parameters
};

/// What a Qrnn computes from the inputs alone, each (batch, time, hidden).
struct QrnnGates {
    Tensor value;   ///< z, what may be written, from -1 to 1
    Tensor forget;  ///< f, the share of the memory that is kept
    Tensor output;  ///< o, the share of the memory that shows
};

/// A quasi-recurrent layer with a forget gate and an output gate (Bradbury et al., 2017). A causal convolution computes
/// the gates; no gate reads the state. So the recurrence is affine, and affine_scan() runs it:
///
/// \f[ (z, f, o) = (\tanh, \sigma, \sigma)(W * x + b), \quad
///     c_t = f_t \odot c_{t-1} + (1 - f_t) \odot z_t, \quad h_t = o_t \odot c_t \f]
///
/// Inputs before the first step count as zero.
struct Qrnn {
    Tensor weight;  ///< (3 hidden, in, window): rows for z, f and o; the last tap reads the present input
    Tensor bias;    ///< (3 hidden)

    /// Draws the weights uniformly from \f$ \pm 1/\sqrt{\mathrm{in} \cdot \mathrm{window}} \f$; the biases are 0.
    /// @throws Error when a size is negative or the window is below 1
    Qrnn(Index in, Index hidden, Generator& random, QrnnOptions options = {});

    /// The gates at all times. @param x  (batch, time, in)
    /// @throws Error when the shapes do not fit
    QrnnGates gates(const Tensor& x) const;

    /// The states of a sequence (batch, time, in), from the memory `c` (batch, hidden), or zeros if undefined.
    /// @throws Error when the shapes do not fit
    Recurrent operator()(const Tensor& x, const Tensor& c = Tensor()) const;

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

}  // namespace RECTO::nn
