#pragma once
/// @file
/// Short signals in ten classes: small enough that a study of training takes seconds, and hard enough that a linear
/// classifier does not solve it.
///
/// The idea is that of MNIST-1D (Greydanus and Kobak, 2024); the templates, the steps and their sizes are our own.
#include <array>

#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>

namespace RECTO::data {

inline constexpr Index signal_length = 40;   ///< Numbers in a signal.
inline constexpr Index signal_classes = 10;  ///< Kinds of signals.

/// A template: the signal of a class without randomness.
using SignalTemplate = std::array<double, 12>;

/// The template of a class, twelve points with mean 0 and standard deviation 1, joined by straight lines.
/// @throws Error unless 0 <= label < signal_classes
SignalTemplate signal_template(Index label);

/// The random differences of a signal from its template.
struct SignalOptions {
    double scale = 0.4;   ///< standard deviation of the factor of its height, around 1
    double shear = 0.75;  ///< standard deviation of the rise of its end relative to its start
    double noise = 0.45;  ///< standard deviation of the noise, which changes slowly along the signal
    bool shift = true;    ///< random width and position; if false, 36 of the 60 positions in the middle
};

/// Signals made from the templates: x (n, 40), labels (n), all classes equally likely.
///
/// A signal has 60 positions at first. Its template is stretched to 24 to 48 of them, multiplied by a factor, sheared
/// by a straight line, and placed at random; outside it is 0. Noise is added everywhere, and 40 numbers are read at
/// equal distances. Every number is drawn in double from `random`, so that both precisions see the same signals.
/// @throws Error unless count >= 1 and no option is negative or not finite
Examples signals(Index count, Generator& random, const SignalOptions& options = {});

}  // namespace RECTO::data
