// The loop over blocks is the outer one: each block of the weights is read once for all rows of x.
#include "block_product.hpp"

namespace {

struct Block {
    int row, col;       // where it begins
    std::size_t first;  // its first code
    double scale;
};

std::vector<Block> row_of_blocks(const Blocks& from, int row) {
    std::vector<Block> found;
    for (int col = 0; col < from.cols; col += 32) {
        const std::size_t first = std::size_t(row) * std::size_t(from.cols) + std::size_t(col);
        found.push_back({row, col, first, from.scales[first / 32]});
    }
    return found;
}

}  // namespace

Blocks quantise(const Matrix& x) {
    Blocks made{x.rows, x.cols, std::vector<std::int8_t>(x.numbers.size(), 0),
                std::vector<double>(x.numbers.size() / 32, 0)};
    for (std::size_t b = 0; b < made.scales.size(); ++b) {
        for (std::size_t k = 32 * b; k < 32 * b + 32; ++k) {
            const double size = x.numbers[k] < 0 ? -x.numbers[k] : x.numbers[k];
            if (size > made.scales[b]) made.scales[b] = size;
        }
        made.scales[b] /= 127;
        if (made.scales[b] != 0)
            for (std::size_t k = 32 * b; k < 32 * b + 32; ++k)
                made.codes[k] = std::int8_t(std::lround(x.numbers[k] / made.scales[b]));
    }
    return made;
}

Matrix product(const Matrix& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int j = 0; j < w.rows; ++j)
        for (const Block& block : row_of_blocks(w, j))
            for (int i = 0; i < x.rows; ++i) {
                double sum = 0;
                for (int k = 31; k >= 0; --k) sum += w.codes[block.first + std::size_t(k)] * x(i, block.col + k);
                y(i, block.row) += sum * block.scale;
            }
    return y;
}

Matrix product_of_blocks(const Blocks& x, const Blocks& w) {
    Matrix y(x.rows, w.rows);
    for (int i = 0; i < x.rows; ++i)
        for (const Block& mine : row_of_blocks(x, i))
            for (int j = 0; j < w.rows; ++j)
                for (const Block& theirs : row_of_blocks(w, j)) {
                    if (mine.col != theirs.col) continue;
                    int sum = 0;
                    for (std::size_t k = 0; k < 32; ++k) sum += x.codes[mine.first + k] * w.codes[theirs.first + k];
                    y(mine.row, theirs.row) += mine.scale * theirs.scale * sum;
                }
    return y;
}
