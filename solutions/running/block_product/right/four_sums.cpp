// Four sums for each block, as a processor with vectors has them.
#include "block_product.hpp"

namespace {

template <class Number, class Sum>
Sum dot(const Number* x, const std::int8_t* w) {
    Sum sums[4] = {};
    for (int k = 0; k < 32; k += 4)
        for (int lane = 0; lane < 4; ++lane) sums[lane] += Sum(x[k + lane]) * Sum(w[k + lane]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Blocks quantise(const Matrix& x) {
    Blocks made{x.rows, x.cols, {}, {}};
    std::vector<double> sizes(32);
    for (auto at = x.numbers.begin(); at != x.numbers.end(); at += 32) {
        std::transform(at, at + 32, sizes.begin(), [](double number) { return std::abs(number); });
        const double most = *std::max_element(sizes.begin(), sizes.end());
        made.scales.push_back(most * (1.0 / 127));
        for (int k = 0; k < 32; ++k) {
            const double code = most == 0 ? 0 : 127 * (at[k] / most);
            made.codes.push_back(std::int8_t(code < 0 ? int(code - 0.5) : int(code + 0.5)));
        }
    }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int j = 0; j < w.rows; ++j)
        for (int i = 0; i < x.rows; ++i)
            for (int k = 0; k < w.cols; k += 32)
                y(i, j) += dot<double, double>(&x.numbers[std::size_t(i * x.cols + k)],
                                               &w.codes[std::size_t(j * w.cols + k)]) *
                           w.scales[std::size_t(j * w.cols + k) / 32];
    return y;
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int j = 0; j < w.rows; ++j)
        for (int i = 0; i < x.rows; ++i)
            for (int k = 0; k < w.cols; k += 32)
                y(i, j) += dot<std::int8_t, int>(&x.codes[std::size_t(i * x.cols + k)],
                                                 &w.codes[std::size_t(j * w.cols + k)]) *
                           w.scales[std::size_t(j * w.cols + k) / 32] * x.scales[std::size_t(i * x.cols + k) / 32];
    return y;
}
