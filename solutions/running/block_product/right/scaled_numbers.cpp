// The scale of a block goes into the numbers of x, which are then multiplied by the codes.
#include "block_product.hpp"

Blocks quantise(const Matrix& x) {
    Blocks made{x.rows, x.cols, {}, {}};
    for (int row = 0; row < x.rows; ++row)
        for (int block = 0; block < x.cols / 32; ++block) {
            double largest = 0, smallest = 0;
            for (int k = 0; k < 32; ++k) {
                largest = std::max(largest, x(row, 32 * block + k));
                smallest = std::min(smallest, x(row, 32 * block + k));
            }
            const double m = -smallest > largest ? -smallest : largest;
            made.scales.push_back(m / 127);
            for (int k = 0; k < 32; ++k)
                made.codes.push_back(m == 0 ? std::int8_t(0)
                                            : std::int8_t(std::round(x(row, 32 * block + k) / (m / 127))));
        }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int i = 0; i < x.rows; ++i)
        for (int j = 0; j < w.rows; ++j) {
            long double sum = 0;
            for (int k = 0; k < w.cols; ++k) {
                const std::size_t at = std::size_t(j * w.cols + k);
                sum += static_cast<long double>(x(i, k) * w.scales[at / 32]) * w.codes[at];
            }
            y(i, j) = static_cast<double>(sum);
        }
    return y;
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    const std::size_t cols = std::size_t(w.cols);
    for (std::size_t i = 0; i < std::size_t(x.rows); ++i)
        for (std::size_t j = 0; j < std::size_t(w.rows); ++j)
            for (std::size_t k = 0; k < cols; ++k)
                y.numbers[i * std::size_t(w.rows) + j] += double(x.codes[i * cols + k]) *
                                                          x.scales[(i * cols + k) / 32] *
                                                          double(w.codes[j * cols + k]) * w.scales[(j * cols + k) / 32];
    return y;
}
