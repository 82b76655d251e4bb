#pragma once
/// @file
/// What the running page was asked for on its command line.
#include <cstdint>

#include <recto/device/device.hpp>

namespace RECTO::book {

/// `--seed S`: where everything random starts; 1 unless said otherwise.
std::uint64_t seed();

/// `--device cpu|sim|cuda`: where tensors should live.
Device device();

/// `--quick`: the page should do less, as little as a test needs.
bool quick();

/// Whether these are the settings that the book shows: no option changed, the standard seed, not
/// quick. Only then are claims judged.
bool standard();

}  // namespace RECTO::book
