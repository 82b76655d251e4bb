// One row of the weights is restored at a time, and its memory is used again.
#include "block_product.hpp"

Blocks quantise(const Matrix& x) {
    Blocks made{x.rows, x.cols, std::vector<std::int8_t>(x.numbers.size()), std::vector<double>(x.numbers.size() / 32)};
    for (std::size_t n = 0; n < x.numbers.size(); ++n)
        made.scales[n / 32] = std::max(made.scales[n / 32], std::abs(x.numbers[n]) / 127);
    for (std::size_t n = 0; n < x.numbers.size(); ++n) {
        const double scale = made.scales[n / 32];
        if (scale == 0) continue;
        made.codes[n] = std::int8_t(std::floor(x.numbers[n] / scale + 0.5));
    }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    std::vector<double> row(std::size_t(w.cols), 0);
    for (int j = 0; j < w.rows; ++j) {
        const std::size_t from = std::size_t(j) * row.size();
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = w.codes[from + k] * w.scales[(from + k) / 32];
        for (int i = 0; i < x.rows; ++i)
            for (std::size_t k = 0; k < row.size(); ++k) y(i, j) += row[k] * x(i, int(k));
    }
    return y;
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int b = 0; b < x.cols / 32; ++b)
        for (int i = 0; i < x.rows; ++i)
            for (int j = 0; j < w.rows; ++j) {
                std::int32_t sum = 0;
                for (int k = 32 * b; k < 32 * b + 32; ++k)
                    sum += std::int32_t(x.codes[std::size_t(i * x.cols + k)]) *
                           std::int32_t(w.codes[std::size_t(j * w.cols + k)]);
                y(i, j) +=
                    x.scales[std::size_t(i * (x.cols / 32) + b)] * sum * w.scales[std::size_t(j * (w.cols / 32) + b)];
            }
    return y;
}
