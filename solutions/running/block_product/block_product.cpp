#include "block_product.hpp"

Blocks quantise(const Matrix& x) {
    Blocks made{x.rows, x.cols, {}, {}};
    for (std::size_t at = 0; at < x.numbers.size(); at += 32) {
        double largest = 0;
        for (std::size_t k = at; k < at + 32; ++k) largest = std::max(largest, std::abs(x.numbers[k]));
        const double scale = largest / 127;
        made.scales.push_back(scale);
        for (std::size_t k = at; k < at + 32; ++k)
            made.codes.push_back(std::int8_t(scale == 0 ? 0 : std::lround(x.numbers[k] / scale)));
    }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int i = 0; i < x.rows; ++i)
        for (int j = 0; j < w.rows; ++j)
            for (int block = 0; block < w.cols; block += 32) {
                double sum = 0;
                for (int k = block; k < block + 32; ++k) sum += x(i, k) * w.codes[std::size_t(j * w.cols + k)];
                y(i, j) += sum * w.scales[std::size_t((j * w.cols + block) / 32)];
            }
    return y;
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int i = 0; i < x.rows; ++i)
        for (int j = 0; j < w.rows; ++j)
            for (int block = 0; block < w.cols; block += 32) {
                const int mine = i * x.cols + block, theirs = j * w.cols + block;
                int sum = 0;
                for (int k = 0; k < 32; ++k) sum += x.codes[std::size_t(mine + k)] * w.codes[std::size_t(theirs + k)];
                y(i, j) += sum * x.scales[std::size_t(mine / 32)] * w.scales[std::size_t(theirs / 32)];
            }
    return y;
}
