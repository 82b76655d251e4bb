#include "driver.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "block_product.hpp"

namespace {

std::atomic<long> held = 0, most = 0;  // bytes that `new` has given out: now, and at the peak

}  // namespace

// Every `new` of the program passes here and is counted.
void* operator new(std::size_t bytes) {
    void* const found = std::malloc(bytes);
    if (!found) throw std::bad_alloc();
    held += long(malloc_usable_size(found));
    most = std::max(most.load(), held.load());
    return found;
}
void operator delete(void* pointer) noexcept {
    if (pointer) held -= long(malloc_usable_size(pointer));
    std::free(pointer);
}
void operator delete(void* pointer, std::size_t) noexcept { operator delete(pointer); }

namespace {

Blocks blocks_of(int rows, int cols, const std::vector<int>& codes, const std::vector<double>& scales) {
    return {rows, cols, std::vector<std::int8_t>(codes.begin(), codes.end()), scales};
}

std::tuple<int, int, std::vector<int>, std::vector<double>> quantise_(const Matrix& x) {
    const Blocks made = quantise(x);
    return {made.rows, made.cols, std::vector<int>(made.codes.begin(), made.codes.end()), made.scales};
}

Matrix product_(const Matrix& x, int rows, int cols, const std::vector<int>& codes, const std::vector<double>& scales) {
    return product(x, blocks_of(rows, cols, codes, scales));
}

Matrix integers_(int n, int cols, const std::vector<int>& x_codes, const std::vector<double>& x_scales, int rows,
                 const std::vector<int>& codes, const std::vector<double>& scales) {
    return product_of_blocks(blocks_of(n, cols, x_codes, x_scales), blocks_of(rows, cols, codes, scales));
}

// The product, and how many bytes the call held at its peak.
std::pair<Matrix, long> counted(const Matrix& x, int rows, int cols, const std::vector<int>& codes,
                                const std::vector<double>& scales) {
    const Blocks w = blocks_of(rows, cols, codes, scales);
    const long before = held;
    most = before;
    Matrix y = product(x, w);
    return {std::move(y), most - before};
}

const kit::Function quantise_it("quantise", quantise_), product_it("product", product_),
    integers_it("product_of_blocks", integers_), counted_it("counted", counted);

}  // namespace
