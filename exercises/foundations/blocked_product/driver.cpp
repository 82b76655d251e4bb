#include "blocked_product.hpp"
#include "driver.hpp"

#include <stdexcept>
#include <utility>

namespace {

// The slow memory: the student's file cannot name it, so every read is counted.
struct Kept {
    Matrix numbers;
    int first = 0;  // the address of its first number
};
Kept kept[2];
std::vector<int> reads;  // addresses, in the order in which they were read

SlowMatrix keep(int number, Matrix numbers, int first) {
    kept[number] = {std::move(numbers), first};
    return {number, kept[number].numbers.rows, kept[number].numbers.cols};
}

Matrix multiply(kit::Arguments& in) {
    reads.clear();
    Matrix left = in.next<Matrix>(), right = in.next<Matrix>();
    const int after = left.rows * left.cols;
    const SlowMatrix a = keep(0, std::move(left), 0), b = keep(1, std::move(right), after);
    return blocked_product(a, b, in.next<int>());
}

// The product alone.
void product(kit::Arguments& in, kit::Answer& out) { out.write(multiply(in)); }

// The product, and the addresses in the order in which they were read: first those of a, then those of b.
void watched_product(kit::Arguments& in, kit::Answer& out) {
    out.write(multiply(in));
    out.write(reads);
}

const kit::Function product_("blocked_product", product), order_("watched_product", watched_product);

}  // namespace

double SlowMatrix::operator()(int row, int col) const {
    if (number_ != 0 && number_ != 1) throw std::out_of_range("SlowMatrix: the driver keeps matrices 0 and 1");
    const Kept& matrix = kept[number_];
    const double value = matrix.numbers(row, col);
    reads.push_back(matrix.first + row * matrix.numbers.cols + col);  // cols_ is the handle's, which a student can make
    return value;
}
