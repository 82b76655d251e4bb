#include "driver.hpp"

#include <stdexcept>

#include "token_cache.hpp"

namespace {

// The first rows of a matrix.
Matrix top(const Matrix& from, int rows) {
    Matrix some(std::clamp(rows, 0, from.rows), from.cols);
    for (int row = 0; row < some.rows; ++row)
        for (int col = 0; col < some.cols; ++col) some(row, col) = from(row, col);
    return some;
}

Matrix between(const Matrix& from, int begin, int end) {
    Matrix some(end - begin, from.cols);
    for (int row = begin; row < end; ++row)
        for (int col = 0; col < from.cols; ++col) some(row - begin, col) = from(row, col);
    return some;
}

// One call with this cache: the result, the rows of the cache that count, and its length.
std::tuple<Matrix, Matrix, Matrix, int> once(const Matrix& q, const Matrix& k, const Matrix& v, int heads,
                                             const Matrix& keys, const Matrix& values, int length) {
    Cache cache{keys, values, length};
    Matrix y = attend(q, k, v, heads, cache);
    return {std::move(y), top(cache.keys, cache.length), top(cache.values, cache.length), cache.length};
}

// A whole text with one cache, cut into pieces of these lengths. A piece of length -n sets the cache back by n tokens
// before the pieces that follow, which read these tokens again.
Matrix in_pieces(const Matrix& q, const Matrix& k, const Matrix& v, int heads, int capacity,
                 const std::vector<int>& pieces) {
    Cache cache{Matrix(capacity, k.cols, 1000), Matrix(capacity, v.cols, -1000), 0};
    Matrix all(q.rows, q.cols);
    int at = 0;
    for (const int piece : pieces) {
        if (piece < 0) {
            at += piece;
            cache.length = at;
            continue;
        }
        const Matrix y =
            attend(between(q, at, at + piece), between(k, at, at + piece), between(v, at, at + piece), heads, cache);
        if (y.rows != piece || y.cols != q.cols) return y;
        for (int row = 0; row < piece; ++row)
            for (int col = 0; col < q.cols; ++col) all(at + row, col) = y(row, col);
        at += piece;
    }
    return all;
}

// A call for which the cache is too small: whether it threw, and the cache afterwards.
std::tuple<bool, Matrix, Matrix, int> too_many(const Matrix& q, const Matrix& k, const Matrix& v, int heads,
                                               const Matrix& keys, const Matrix& values, int length) {
    Cache cache{keys, values, length};
    bool threw = false;
    try {
        attend(q, k, v, heads, cache);
    } catch (const std::length_error&) {
        threw = true;
    }
    return {threw, top(cache.keys, cache.length), top(cache.values, cache.length), cache.length};
}

const kit::Function attend_("attend", once), pieces_("in_pieces", in_pieces), too_many_("too_many", too_many);

}  // namespace
