#include "kernels.hpp"
#include "transpose.hpp"

using recto::kernels::Buffer;

static kit::Floats transposed(const kit::Floats& x) {
    const int rows = x.shape[0], cols = x.shape[1];
    const Buffer<float> on_x(x.numbers, "x"), on_y(x.numbers.size(), "y");
    const dim3 grid{unsigned((cols + side - 1) / side), unsigned((rows + side - 1) / side)};
    recto::kernels::launch({grid, {unsigned(side), unsigned(lines)}}, transpose, on_x, on_y, rows, cols);
    return {{cols, rows}, on_y.values()};
}
static const kit::Function transpose_("transpose", kit::with_kernels<transposed>);
