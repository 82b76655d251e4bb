#pragma once
/// @file
/// Colours for numbers that work on paper and on a dark screen, and for colour-blind readers.
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::figure {

/// A colour: red, green, blue.
using Rgb = std::array<std::uint8_t, 3>;

/// The colour at `part` (0 to 1) of viridis, by Smith and van der Walt (CC0); grey for NaN.
Rgb viridis(double part);

/// The smallest and the largest finite one of the numbers.
std::pair<double, double> range(std::span<const double> numbers);

/// Three bytes for each number, relative to the smallest and the largest finite one.
std::vector<std::uint8_t> ramp(std::span<const double> numbers);

}  // namespace RECTO::figure
