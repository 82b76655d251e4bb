// Stretches one axis after the other, then divides two tensors of one shape.
#include "keepdim.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

// Repeats an axis of size 1 `times` times; the numbers behind the axis move together.
static Tensor stretched(const Tensor& x, std::size_t axis, int times) {
    std::size_t behind = 1, before = 1;
    for (std::size_t k = 0; k < axis; ++k) before *= std::size_t(x.shape[k]);
    for (std::size_t k = axis + 1; k < x.shape.size(); ++k) behind *= std::size_t(x.shape[k]);
    Tensor y{x.shape, {}};
    y.shape[axis] = times;
    for (std::size_t piece = 0; piece < before; ++piece)
        for (int again = 0; again < times; ++again)
            for (std::size_t k = 0; k < behind; ++k) y.numbers.push_back(x.numbers[piece * behind + k]);
    return y;
}

Tensor divide(const Tensor& a, const Tensor& b) {
    Tensor left = a, right = b;
    while (left.shape.size() < right.shape.size()) left.shape.insert(left.shape.begin(), 1);
    while (right.shape.size() < left.shape.size()) right.shape.insert(right.shape.begin(), 1);
    for (std::size_t axis = 0; axis < left.shape.size(); ++axis) {
        const int mine = left.shape[axis], other = right.shape[axis];
        if (mine == other) continue;
        if (mine == 1)
            left = stretched(left, axis, other);
        else if (other == 1)
            right = stretched(right, axis, mine);
        else
            throw std::invalid_argument("divide: " + std::to_string(mine) + " meets " + std::to_string(other));
    }
    std::transform(left.numbers.begin(), left.numbers.end(), right.numbers.begin(), left.numbers.begin(), std::divides<>());
    return left;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    const std::size_t rows = std::size_t(p.shape[0]), cols = std::size_t(p.shape[1]);
    Tensor y{{p.shape[0]}, std::vector<float>(rows, 0)};
    if (keepdim) y.shape = {p.shape[0], 1};
    for (std::size_t col = cols; col-- > 0;)
        for (std::size_t row = 0; row < rows; ++row) y.numbers[row] += p.numbers[row * cols + col];
    return y;
}

Tensor normalize_rows(const Tensor& p) { return divide(p, row_sums(p, true)); }

Tensor trapped(const Tensor& p) { return divide(p, row_sums(p, false)); }
