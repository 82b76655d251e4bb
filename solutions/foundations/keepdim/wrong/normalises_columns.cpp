// wrong: normalises-columns
#include "keepdim.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace {

// The size of an axis, counted from the right; an axis that is missing has size 1.
int size(const Tensor& x, int from_right) {
    const int axis = int(x.shape.size()) - 1 - from_right;
    return axis < 0 ? 1 : x.shape[std::size_t(axis)];
}

}  // namespace

Tensor divide(const Tensor& a, const Tensor& b) {
    const int axes = int(std::max(a.shape.size(), b.shape.size()));
    Tensor y{std::vector<int>(std::size_t(axes)), {}};
    int count = 1;
    for (int axis = 0; axis < axes; ++axis) {
        const int mine = size(a, axis), other = size(b, axis);
        if (mine != other && mine != 1 && other != 1)
            throw std::invalid_argument("divide: sizes " + std::to_string(mine) + " and " + std::to_string(other) +
                                        " meet");
        count *= y.shape[std::size_t(axes - 1 - axis)] = other == 1 ? mine : other;
    }
    for (int flat = 0; flat < count; ++flat) {
        int rest = flat, from_a = 0, from_b = 0, step_a = 1, step_b = 1;
        for (int axis = 0; axis < axes; ++axis) {
            const int index = rest % size(y, axis);
            rest /= size(y, axis);
            if (size(a, axis) != 1) from_a += index * step_a;
            if (size(b, axis) != 1) from_b += index * step_b;
            step_a *= size(a, axis);
            step_b *= size(b, axis);
        }
        y.numbers.push_back(a.numbers[std::size_t(from_a)] / b.numbers[std::size_t(from_b)]);
    }
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    const int rows = p.shape[0], cols = p.shape[1];
    Tensor sums{keepdim ? std::vector{rows, 1} : std::vector{rows}, std::vector<float>(std::size_t(rows), 0.0f)};
    for (int place = 0; place < rows * cols; ++place)
        sums.numbers[std::size_t(place / cols)] += p.numbers[std::size_t(place)];
    return sums;
}

Tensor column_sums(const Tensor& p) {
    const int cols = p.shape[1];
    Tensor sums{{cols}, std::vector<float>(std::size_t(cols), 0.0f)};
    for (std::size_t place = 0; place < p.numbers.size(); ++place)
        sums.numbers[place % std::size_t(cols)] += p.numbers[place];
    return sums;
}

Tensor normalize_rows(const Tensor& p) { return divide(p, column_sums(p)); }

Tensor trapped(const Tensor& p) { return divide(p, row_sums(p, false)); }
