#pragma once
/// @file
/// The fast Fourier transform and the spectrogram, made of operations on tensors: on every device, and with gradients.
#include <recto/core/tensor.hpp>

namespace RECTO::classic {

/// Complex numbers as two tensors of one shape.
struct Complex {
    Tensor re;  ///< real parts
    Tensor im;  ///< imaginary parts
};

/// The discrete Fourier transform of every row, computed by halving (Cooley and Tukey, 1965):
///
/// \f[ X_k = \sum_{n=0}^{N-1} x_n e^{-2 \pi i k n / N} \f]
///
/// A transform of N numbers is made of two of N/2, those of the even and of the odd places. So N log N operations are
/// enough. All rows are transformed at once, in log N rounds of elementwise operations.
/// @param x  (..., N), N a power of two
/// @return   (..., N)
/// @throws Error unless both parts have one shape, and N is a power of two
Complex fourier(const Complex& x);

/// fourier() of real rows.
Complex fourier(const Tensor& x);

/// \f$ |X_k|^2 \f$ for k from 0 to N/2; the other half of the spectrum of real numbers is the same in reverse order.
/// @param x  (..., N), N a power of two
/// @return   (..., N/2 + 1)
/// @throws Error as fourier()
Tensor power_spectrum(const Tensor& x);

/// Frequencies on the mel scale, on which equal steps sound about equally large: \f$ 2595 \log_{10}(1 + f/700) \f$ for a
/// frequency f in hertz (O'Shaughnessy, 1987).
double mel(double hertz);
/// The inverse of mel().
double hertz(double mel);

/// The window of Hann, \f$ \sin^2(\pi n / N) \f$ for n from 0 to N - 1: it lets a piece of sound begin and end softly.
/// @throws Error unless N is at least 1
Tensor hann_window(Index length, Device device = Device::cpu);

/// Options of a Spectrogram.
struct SpectrogramOptions {
    Index window = 256;  ///< samples of a frame, a power of two
    Index hop = 128;     ///< samples from the beginning of one frame to that of the next
    Index bands = 32;    ///< number of frequency bands D
    double rate = 8000;  ///< samples of a second
};

/// Sound as T x D energies: T frames in time, D bands of frequency that have equal widths on the mel scale.
///
/// Band d is a triangle with its top at centre d and its feet at the centres of the neighbours, from 0 to half the rate.
/// A frame is multiplied by the Hann window and transformed, and a band sums the power of the frequencies under its
/// triangle. The power is divided by the sum of the squared window, so that white noise has the same energy for any
/// window.
struct Spectrogram {
    SpectrogramOptions options;   ///< sizes
    std::vector<double> centres;  ///< of the bands, in hertz
    Tensor window;                ///< (window): the Hann window, divided by the root of the sum of its squares
    Tensor filters;               ///< (window / 2 + 1, bands): the triangles

    /// Computes window and filters.
    /// @throws Error unless sizes are positive, the window is a power of two, and every band holds a frequency
    explicit Spectrogram(const SpectrogramOptions& options = {}, Device device = Device::cpu);

    /// The number T of whole frames in a sound. @throws Error without one
    Index frames(Index samples) const;

    /// Frames of a sound: (batch, samples) to (batch, T, window). @throws Error when the sound is shorter than a frame
    Tensor cut(const Tensor& sound) const;

    /// (batch, samples) to energies (batch, T, bands). @throws Error as cut()
    Tensor operator()(const Tensor& sound) const;
};

}  // namespace RECTO::classic
