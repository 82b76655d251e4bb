#pragma once
/// @file
/// Numbers as colours that work on paper and in the dark, and for colour-blind eyes.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::figure {

/// A colour: red, green, blue.
using Rgb = std::array<std::uint8_t, 3>;

/// The colour at `part` (0 to 1) of viridis, by Smith and van der Walt (CC0); grey for NaN.
Rgb viridis(double part);

/// Three bytes for each number, from the smallest to the largest finite one.
std::vector<std::uint8_t> ramp(std::span<const double> numbers);

}  // namespace RECTO::figure
