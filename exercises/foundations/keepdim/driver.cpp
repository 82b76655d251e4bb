#include <stdexcept>

#include "driver.hpp"
#include "keepdim.hpp"

namespace {

Tensor take(kit::Arguments& in) {
    auto [shape, numbers] = in.next<kit::Floats>();
    return {shape, numbers};
}

void give(kit::Answer& out, const Tensor& y) { out.write(kit::Floats{y.shape, y.numbers}); }

void divide_(kit::Arguments& in, kit::Answer& out) {
    const Tensor a = take(in), b = take(in);
    give(out, divide(a, b));
}

// Whether this division throws std::invalid_argument.
void divide_refuses_(kit::Arguments& in, kit::Answer& out) {
    const Tensor a = take(in), b = take(in);
    try {
        divide(a, b);
        out.write(false);
    } catch (const std::invalid_argument&) {
        out.write(true);
    }
}

void row_sums_(kit::Arguments& in, kit::Answer& out) {
    const Tensor p = take(in);
    const bool keepdim = in.next<bool>();
    give(out, row_sums(p, keepdim));
}

void normalize_rows_(kit::Arguments& in, kit::Answer& out) { give(out, normalize_rows(take(in))); }
void trapped_(kit::Arguments& in, kit::Answer& out) { give(out, trapped(take(in))); }

const kit::Function functions[] = {{"divide", divide_},
                                   {"divide_refuses", divide_refuses_},
                                   {"row_sums", row_sums_},
                                   {"normalize_rows", normalize_rows_},
                                   {"trapped", trapped_}};

}  // namespace
