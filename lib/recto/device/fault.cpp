#include <recto/device/fault.hpp>

#include <utility>

#include <recto/device/cuda/memory.hpp>

namespace RECTO {

Fault* fault_of(Device device) {
    if (device == Device::cuda) return cuda::fault();
    static Fault simulated;
    return &simulated;
}

void raise_fault(Fault& fault) {
    if (!fault.text) return;
    const Fault found = std::exchange(fault, Fault{});
    refuse(found.text, fmt::make_format_args(found.op, found.most, found.value, found.position));
}

}  // namespace RECTO
