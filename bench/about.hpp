#pragma once
/// @file
/// Describes a device (name, driver, clocks) beside the numbers measured on it.
#include <string>

#include <recto/device/device.hpp>

namespace RECTO::bench {

/// A device in words.
struct About {
    std::string name;        ///< `NVIDIA H200`; of the CPU's devices their own name
    double gibibytes = 0;    ///< its memory
    std::string capability;  ///< of a GPU, `9.0`
    std::string toolkit;     ///< what its code was compiled with, `CUDA 13.0`
    std::string driver;      ///< the newest CUDA that its driver serves, `CUDA 13.0`
};

/// What this device is. @throws Error when it is not here
About about(Device device);

}  // namespace RECTO::bench
