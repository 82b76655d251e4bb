#include <recto/device/device.hpp>

#include <recto/device/cuda/memory.hpp>
#include <recto/device/recording.hpp>

namespace RECTO {

std::string_view name(Device device) { return device == Device::cpu ? "cpu" : device == Device::sim ? "sim" : "cuda"; }

Device device_named(std::string_view word) {
    for (const Device device : {Device::cpu, Device::sim, Device::cuda})
        if (word == name(device)) return device;
    refuse("device: wanted cpu, sim or cuda, got '{}'", fmt::make_format_args(word));
}

std::string_view missing(Device device) { return device == Device::cuda ? cuda::missing() : ""; }

void require(Device device) {
    const std::string_view reason = missing(device);
    check(reason.empty(), "device {}: {}", device, reason);
}

void synchronize(Device device) {
    require(device);
    detail::refuse_in_capture("synchronize");
    if (device == Device::cuda) cuda::synchronize();
}

}  // namespace RECTO
