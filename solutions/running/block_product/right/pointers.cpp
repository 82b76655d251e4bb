// Pointers that run through the bytes, and sums in long.
#include "block_product.hpp"

Blocks quantise(const Matrix& x) {
    Blocks made;
    made.rows = x.rows;
    made.cols = x.cols;
    const double* from = x.numbers.data();
    for (const double* const end = from + x.numbers.size(); from != end; from += 32) {
        const auto [low, high] = std::minmax_element(from, from + 32);
        const double scale = std::max(-*low, *high) / 127, times = scale > 0 ? 1 / scale : 0;
        made.scales.push_back(scale);
        std::transform(from, from + 32, std::back_inserter(made.codes),
                       [times](double number) { return static_cast<std::int8_t>(std::rint(number * times)); });
    }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    double* to = y.numbers.data();
    for (int i = 0; i < x.rows; ++i) {
        const std::int8_t* code = w.codes.data();
        const double* scale = w.scales.data();
        for (int j = 0; j < w.rows; ++j, ++to) {
            const double* number = x.numbers.data() + std::ptrdiff_t(i) * x.cols;
            for (int b = 0; b < w.cols / 32; ++b, number += 32, code += 32)
                *to += *scale++ * std::inner_product(code, code + 32, number, 0.0);
        }
    }
    return y;
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    const int blocks = w.cols / 32;
    for (int i = 0; i < x.rows; ++i)
        for (int j = 0; j < w.rows; ++j)
            for (int b = blocks - 1; b >= 0; --b) {
                const std::int8_t* one = &x.codes[std::size_t(32 * (i * blocks + b))];
                const std::int8_t* other = &w.codes[std::size_t(32 * (j * blocks + b))];
                const long sum = std::inner_product(one, one + 32, other, 0L);
                y(i, j) +=
                    double(sum) * (x.scales[std::size_t(i * blocks + b)] * w.scales[std::size_t(j * blocks + b)]);
            }
    return y;
}
