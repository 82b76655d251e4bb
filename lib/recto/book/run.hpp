#pragma once
/// @file
/// The settings that the running page received on its command line.
#include <cstdint>

#include <recto/device/device.hpp>

namespace RECTO::book {

/// `--seed S`: the seed of all random numbers; 1 by default.
std::uint64_t seed();

/// `--device cpu|sim|cuda`: the device for tensors.
Device device();

/// `--quick`: the page should do only as much as a test needs.
bool quick();

/// Whether these are the settings that the book shows: no option changed, the standard seed, not quick. Only then are
/// claims judged.
bool standard();

}  // namespace RECTO::book
