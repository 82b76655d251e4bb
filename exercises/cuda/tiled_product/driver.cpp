#include "kernels.hpp"
#include "tiled_product.hpp"

using recto::kernels::Buffer;

static kit::Floats product_of(const kit::Floats& a, const kit::Floats& b) {
    const int m = a.shape[0], k = a.shape[1], n = b.shape[1];
    const Buffer<float> on_a(a.numbers, "a"), on_b(b.numbers, "b"), on_c(std::size_t(m) * std::size_t(n), "c");
    const dim3 grid{unsigned((n + tile - 1) / tile), unsigned((m + tile - 1) / tile)};
    recto::kernels::launch({grid, {unsigned(tile), unsigned(tile)}}, product, on_a, on_b, on_c, m, k, n);
    return {{m, n}, on_c.values()};
}
static const kit::Function product_("product", kit::with_kernels<product_of>);
