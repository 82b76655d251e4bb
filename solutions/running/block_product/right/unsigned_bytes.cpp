// As some processors multiply: codes plus 128 as unsigned bytes, and the sum of the others is taken off again.
#include "block_product.hpp"

Blocks quantise(const Matrix& x) {
    Blocks made{x.rows, x.cols, {}, {}};
    made.codes.reserve(x.numbers.size());
    for (std::size_t b = 0; b < x.numbers.size() / 32; ++b) {
        std::vector<double> block(x.numbers.begin() + std::ptrdiff_t(32 * b),
                                  x.numbers.begin() + std::ptrdiff_t(32 * b + 32));
        const double most = std::abs(*std::max_element(
            block.begin(), block.end(), [](double one, double other) { return std::abs(one) < std::abs(other); }));
        made.scales.push_back(most / 127);
        for (const double number : block)
            made.codes.push_back(std::int8_t(most > 0 ? std::lround(number / made.scales.back()) : 0));
    }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int i = 0; i < x.rows; ++i)
        for (int b = 0; b < w.cols / 32; ++b) {
            double all = 0;
            for (int k = 0; k < 32; ++k) all += x(i, 32 * b + k);
            for (int j = 0; j < w.rows; ++j) {
                double sum = 0;
                for (int k = 0; k < 32; ++k) {
                    const unsigned code = unsigned(w.codes[std::size_t(j * w.cols + 32 * b + k)] + 128);
                    sum += code * x(i, 32 * b + k);
                }
                y(i, j) += (sum - 128 * all) * w.scales[std::size_t(j * (w.cols / 32) + b)];
            }
        }
    return y;
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int i = 0; i < x.rows; ++i)
        for (int j = 0; j < w.rows; ++j)
            for (int b = 0; b < w.cols / 32; ++b) {
                int sum = 0, others = 0;
                for (int k = 0; k < 32; ++k) {
                    const int mine = x.codes[std::size_t(i * x.cols + 32 * b + k)] + 128;
                    const int theirs = w.codes[std::size_t(j * w.cols + 32 * b + k)];
                    sum += mine * theirs;
                    others += theirs;
                }
                y(i, j) += double(sum - 128 * others) * w.scales[std::size_t(j * w.cols / 32 + b)] *
                           x.scales[std::size_t(i * x.cols / 32 + b)];
            }
    return y;
}
