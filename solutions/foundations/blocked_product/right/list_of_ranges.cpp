// Lists of ranges instead of nested starts, and the inner axis outermost.
#include "blocked_product.hpp"

#include <algorithm>
#include <vector>

struct Range {
    int first, last;
};

static std::vector<Range> cut(int size, int block) {
    std::vector<Range> ranges;
    for (int first = 0; first < size; first += block) ranges.push_back({first, std::min(size, first + block)});
    return ranges;
}

static void add(const SlowMatrix& a, const SlowMatrix& b, Matrix& c, Range rows, Range inner, Range cols) {
    for (int j = cols.first; j < cols.last; ++j)
        for (int i = rows.first; i < rows.last; ++i) {
            double sum = 0;
            for (int k = inner.first; k < inner.last; ++k) sum += a(i, k) * b(k, j);
            c(i, j) += sum;
        }
}

Matrix blocked_product(const SlowMatrix& a, const SlowMatrix& b, int block) {
    Matrix c(a.rows(), b.cols());
    const auto all_rows = cut(a.rows(), block), all_inner = cut(a.cols(), block), all_cols = cut(b.cols(), block);
    for (const Range& inner : all_inner)
        for (const Range& cols : all_cols)
            for (const Range& rows : all_rows) add(a, b, c, rows, inner, cols);
    return c;
}
