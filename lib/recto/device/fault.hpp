#pragma once
/// @file
/// How a kernel reports an invalid value that only the device sees.
#include <recto/device/device.hpp>

namespace RECTO {

/// The first error that a device's kernels reported since the last check. Kernels fill it in while `text` is null;
/// texts are string literals on the host.
struct Fault {
    const char* text = nullptr;  ///< a message in fmt syntax: {0} is `op`, {1} `most`, {2} `value`, {3} `position`
    const char* op = nullptr;    ///< the operation's name
    Index most = 0;              ///< the largest valid value
    Index value = 0;             ///< the invalid value
    Index position = 0;          ///< the first position with an invalid value
};

/// Where the kernels of `device`, sim or cuda, report errors.
Fault* fault_of(Device device);

/// Throws the reported error, if any, as an Error and clears it.
void raise_fault(Fault& fault);

}  // namespace RECTO
