#include "about.hpp"

#include <unistd.h>

#ifdef RECTO_CUDA
#include <cuda_runtime_api.h>
#endif

namespace RECTO::bench {
namespace {

constexpr double gibibyte = 1024. * 1024 * 1024;

#ifdef RECTO_CUDA
std::string cuda_version(int number) { return fmt::format("CUDA {}.{}", number / 1000, number % 1000 / 10); }

About gpu() {
    cudaDeviceProp found{};
    int driver = 0;
    check(cudaGetDeviceProperties(&found, 0) == cudaSuccess && cudaDriverGetVersion(&driver) == cudaSuccess,
          "about: the GPU does not say what it is");
    return {found.name, double(found.totalGlobalMem) / gibibyte, fmt::format("{}.{}", found.major, found.minor),
            cuda_version(CUDART_VERSION), cuda_version(driver)};
}
#endif

}  // namespace

About about(Device device) {
    require(device);
#ifdef RECTO_CUDA
    if (device == Device::cuda) return gpu();
#endif
    const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)) / gibibyte;
    return {std::string(name(device)), memory, "", "", ""};
}

}  // namespace RECTO::bench
