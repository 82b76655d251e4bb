#include "kernels.hpp"
#include "tiled_convolution.hpp"

using recto::kernels::Buffer;

static kit::Floats convolution_of(const kit::Floats& x, const kit::Floats& w) {
    const int channels = x.shape[0], height = x.shape[1], width = x.shape[2];
    const Buffer<float> on_x(x.numbers, "x"), on_w(w.numbers, "w"), on_y(std::size_t(height) * std::size_t(width), "y");
    const dim3 grid{unsigned((width + tile - 1) / tile), unsigned((height + tile - 1) / tile)};
    recto::kernels::launch({grid, {unsigned(tile), unsigned(tile)}}, convolution, on_x, on_w, on_y, channels, height,
                           width);
    return {{height, width}, on_y.values()};
}
static const kit::Function convolution_("convolution", kit::with_kernels<convolution_of>);
