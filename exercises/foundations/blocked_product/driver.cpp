#include "blocked_product.hpp"
#include "driver.hpp"

namespace {

// The product alone.
void product(kit::Arguments& in, kit::Answer& out) {
    std::vector<int> reads;
    const SlowMatrix a(in.next<Matrix>(), 0, reads), b(in.next<Matrix>(), 0, reads);
    out.write(blocked_product(a, b, in.next<int>()));
}

// The product, and the addresses in the order in which they were read: first those of a, then those of b.
void watched_product(kit::Arguments& in, kit::Answer& out) {
    std::vector<int> reads;
    const auto left = in.next<Matrix>(), right = in.next<Matrix>();
    const SlowMatrix a(left, 0, reads), b(right, left.rows * left.cols, reads);
    out.write(blocked_product(a, b, in.next<int>()));
    out.write(reads);
}

const kit::Function product_("blocked_product", product), order_("watched_product", watched_product);

}  // namespace
