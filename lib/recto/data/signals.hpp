#pragma once
/// @file
/// Short signals in ten classes: small enough that a study of training costs seconds, and hard enough that a linear
/// classifier is not the end of it.
///
/// The idea is that of MNIST-1D (Greydanus and Kobak, 2024); the templates, the steps and their sizes are our own.
#include <array>

#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>

namespace RECTO::data {

inline constexpr Index signal_length = 40;   ///< Numbers in a signal.
inline constexpr Index signal_classes = 10;  ///< Kinds of signals.

/// A template: the signal that a class would be, if nothing were random.
using SignalTemplate = std::array<double, 12>;

/// The template of a class, twelve points with mean 0 and standard deviation 1, joined by straight lines.
/// @throws Error unless 0 <= label < signal_classes
SignalTemplate signal_template(Index label);

/// How much a signal differs from its template.
struct SignalOptions {
    double scale = 0.4;   ///< standard deviation of the factor of its height, around 1
    double shear = 0.75;  ///< standard deviation of the height by which its end is lifted above its beginning
    double noise = 0.45;  ///< standard deviation of the noise, which changes slowly along the signal
    bool shift = true;    ///< is its width and its place random? If not, it is 36 of 60 places wide, in the middle
};

/// Signals made from the templates: x (n, 40), labels (n), each class as likely as any other.
///
/// A signal is written into 60 places. Its template is stretched to 24 to 48 of them, multiplied by a factor, sheared by
/// a straight line, and put somewhere; outside it is 0. Noise is added everywhere, and 40 numbers are read off at equal
/// distances. Every number is drawn in double from `random`, so that both precisions see the same signals.
/// @throws Error unless count >= 1 and no option is negative or not finite
Examples signals(Index count, Generator& random, const SignalOptions& options = {});

}  // namespace RECTO::data
