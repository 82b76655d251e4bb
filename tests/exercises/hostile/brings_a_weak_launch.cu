// exercise: transpose
// part: *
// outcome: wrong answer
// says: values: wanted elements that were written
// The same as brings_its_own_launch.cu, weak: then the definition of the driver is the one that counts.
#include "transpose.hpp"

namespace recto::kernels {
template <>
[[gnu::weak]] Counts launch(const Config& config, void (*)(const float*, float*, int, int), const Buffer<float>& x,
                            const Buffer<float>& y, const int& rows, const int& cols) {
    const std::vector<float> from = x.values();
    std::vector<float> to(from.size());
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) to[std::size_t(col * rows + row)] = from[std::size_t(row * cols + col)];
    detail::to_device(y.data(), to.data(), to.size() * sizeof(float), nullptr);
    Counts counts;
    counts.counted = true;
    settings().after(config, counts);
    return counts;
}
}  // namespace recto::kernels

__global__ void transpose(const float*, float*, int, int) {}
