// The product with numbers and the product of blocks are one function, which takes a block of either.
#include "block_product.hpp"

namespace {

template <class Take>
Matrix both(int rows, const Blocks& w, const Take& take) {
    Matrix y(rows, w.rows);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < w.rows; ++j) {
            std::vector<double> parts;
            for (int b = 0; b < w.cols / 32; ++b) {
                double sum = 0;
                for (int k = 0; k < 32; ++k) sum += take(i, 32 * b + k) * w.codes[std::size_t(j * w.cols + 32 * b + k)];
                parts.push_back(sum * w.scales[std::size_t(j * (w.cols / 32) + b)]);
            }
            y(i, j) = std::accumulate(parts.rbegin(), parts.rend(), 0.0);
        }
    return y;
}

}  // namespace

Blocks quantise(const Matrix& x) {
    Blocks made{x.rows, x.cols, {}, {}};
    for (std::size_t n = 0; n < x.numbers.size(); n += 32) {
        std::vector<double> sorted;
        for (std::size_t k = n; k < n + 32; ++k) sorted.push_back(std::abs(x.numbers[k]));
        std::sort(sorted.begin(), sorted.end());
        made.scales.push_back(sorted[31] / 127);
        for (std::size_t k = n; k < n + 32; ++k) {
            const double exact = sorted[31] == 0 ? 0.0 : x.numbers[k] / made.scales.back();
            int code = int(exact);
            if (exact - code > 0.5) ++code;
            if (code - exact > 0.5) --code;
            made.codes.push_back(static_cast<std::int8_t>(code));
        }
    }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    return both(x.rows, w, [&](int i, int k) { return x(i, k); });
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    return both(x.rows, w, [&](int i, int k) {
        const std::size_t at = std::size_t(i * x.cols + k);
        return x.codes[at] * x.scales[at / 32];
    });
}
