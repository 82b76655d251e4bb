#pragma once
/// @file
/// Describes a device (name, driver, clocks) beside the numbers measured on it.
#include <string>

#include <recto/device/device.hpp>

namespace RECTO::bench {

/// A device in words.
struct About {
    std::string name;        ///< name, such as `NVIDIA H200`; devices on the CPU have their own names
    double gibibytes = 0;    ///< memory
    std::string capability;  ///< compute capability of a GPU, such as `9.0`
    std::string toolkit;     ///< toolkit that compiled its code, such as `CUDA 13.0`
    std::string driver;      ///< newest CUDA that its driver supports, such as `CUDA 13.0`
};

/// Describes this device. @throws Error when it is not here
About about(Device device);

}  // namespace RECTO::bench
