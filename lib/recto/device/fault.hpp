#pragma once
/// @file
/// How a kernel complains about a value that the host never sees.
#include <recto/device/device.hpp>

namespace RECTO {

/// The first complaint of a device since it was last asked. Kernels fill it in while `text` is null; its texts are
/// literals of the host, which the device only hands on.
struct Fault {
    const char* text = nullptr;  ///< a message in fmt syntax: {0} is `op`, {1} `most`, {2} `value`, {3} `position`
    const char* op = nullptr;    ///< who asked
    Index most = 0;              ///< the largest value that was wanted
    Index value = 0;             ///< what was there instead
    Index position = 0;          ///< the first place where it was
};

/// Where the kernels of `device`, sim or cuda, complain.
Fault* fault_of(Device device);

/// Throws the complaint as an Error, if there is one, and forgets it.
void raise_fault(Fault& fault);

}  // namespace RECTO
