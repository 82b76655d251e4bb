#include "kernels.hpp"
#include "tile.hpp"

using recto::kernels::Buffer;

static std::vector<float> sums_of_three(const std::vector<float>& x) {
    const int n = int(x.size());
    const Buffer<float> on_x(x, "x"), on_y(x.size(), "y");
    recto::kernels::launch({unsigned((n + tile - 1) / tile), unsigned(tile)}, sum_of_three, on_x, on_y, n);
    return on_y.values();
}
static const kit::Function sum_of_three_("sum_of_three", kit::with_kernels<sums_of_three>);
