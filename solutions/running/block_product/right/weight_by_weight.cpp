// Every weight is restored for the moment in which it is multiplied.
#include "block_product.hpp"

namespace {

double weight(const Blocks& of, int row, int col) {
    const std::size_t at = std::size_t(row) * std::size_t(of.cols) + std::size_t(col);
    return of.scales.at(at / 32) * of.codes.at(at);
}

}  // namespace

Blocks quantise(const Matrix& x) {
    Blocks made;
    made.rows = x.rows, made.cols = x.cols;
    made.codes.resize(x.numbers.size());
    for (int row = 0; row < x.rows; ++row)
        for (int from = 0; from < x.cols; from += 32) {
            double most = std::abs(x(row, from));
            for (int col = from + 1; col < from + 32; ++col) most = std::fmax(most, std::fabs(x(row, col)));
            made.scales.push_back(most / 127.0);
            for (int col = from; col < from + 32; ++col)
                if (most > 0)
                    made.codes[std::size_t(row * x.cols + col)] = std::int8_t(std::nearbyint(x(row, col) * 127 / most));
        }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int k = 0; k < w.cols; ++k)
        for (int j = 0; j < w.rows; ++j)
            for (int i = 0; i < x.rows; ++i) y(i, j) += x(i, k) * weight(w, j, k);
    return y;
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    Matrix plain(x.rows, x.cols);
    for (int i = 0; i < x.rows; ++i)
        for (int k = 0; k < x.cols; ++k) plain(i, k) = weight(x, i, k);
    return product(plain, w);
}
