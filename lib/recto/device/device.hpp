#pragma once
/// @file
/// Devices: where numbers are stored and operations run.
#include <string_view>

#include <recto/base/check.hpp>

namespace RECTO {

/// Where a tensor's numbers are stored and where its operations run.
enum class Device {
    cpu,   ///< Loops over host memory.
    sim,   ///< A simulated GPU: own memory, teams of 128 lanes.
    cuda,  ///< A real GPU.
};

/// `cpu`, `sim` or `cuda`.
std::string_view name(Device device);

/// The device with this name. @throws Error for any other word
Device device_named(std::string_view word);

/// Why `device` cannot be used here, or an empty text when it can.
std::string_view missing(Device device);

/// Throws an Error for a device that this machine or this build lacks; nothing falls back silently.
void require(Device device);

/// Waits until `device` has finished its work; only cuda runs asynchronously.
/// @throws Error when a kernel has reported an error, such as a label out of range
void synchronize(Device device);

}  // namespace RECTO

/// Prints a Device as its name.
template <>
struct fmt::formatter<recto::Device> {
    /// No options.
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    /// Writes the name.
    template <class Context>
    auto format(recto::Device device, Context& context) const {
        const std::string_view word = recto::name(device);
        return fmt::format_to(context.out(), "{}", fmt::string_view(word.data(), word.size()));
    }
};
