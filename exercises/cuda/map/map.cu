#include "map.hpp"

#include "not_written.hpp"

using namespace recto::kernels;

// Write the kernel here: what one thread does.

std::vector<float> scaled(const std::vector<float>& x, float factor) {
    const int n = int(x.size());
    Buffer<float> on_x(x, "x"), on_y(n, "y");
    // Launch the kernel here, and delete the next two lines.
    (void)factor;
    not_written("scaled");
    return on_y.values();
}
