#include <recto/core/device.hpp>

#include <recto/core/capture.hpp>
#ifdef RECTO_CUDA
#include <recto/cuda/memory.hpp>
#endif

namespace RECTO {

std::string_view name(Device device) { return device == Device::cpu ? "cpu" : device == Device::sim ? "sim" : "cuda"; }

Device device_named(std::string_view word) {
    for (const Device device : {Device::cpu, Device::sim, Device::cuda})
        if (word == name(device)) return device;
    refuse("device: wanted cpu, sim or cuda, got '{}'", fmt::make_format_args(word));
}

std::string_view missing(Device device) {
    if (device != Device::cuda) return "";
#ifdef RECTO_CUDA
    return cuda::missing();
#else
    return "this build has no CUDA; configure with -DRECTO_CUDA=ON where nvcc is installed";
#endif
}

void require(Device device) {
    const std::string_view reason = missing(device);
    check(reason.empty(), "device {}: {}", device, reason);
}

void synchronize(Device device) {
    require(device);
    detail::refuse_in_capture("synchronize");
#ifdef RECTO_CUDA
    if (device == Device::cuda) cuda::synchronize();
#endif
}

}  // namespace RECTO
