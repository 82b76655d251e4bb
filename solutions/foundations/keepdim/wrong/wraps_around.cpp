// wrong: wraps-around
#include "keepdim.hpp"

#include <algorithm>
#include <stdexcept>

Tensor divide(const Tensor& a, const Tensor& b) {
    Tensor y = a;
    for (std::size_t i = 0; i < y.numbers.size(); ++i) y.numbers[i] /= b.numbers[i % b.numbers.size()];
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    const int rows = p.shape[0], cols = p.shape[1];
    Tensor sums{keepdim ? std::vector{rows, 1} : std::vector{rows}, std::vector<float>(std::size_t(rows), 0.0f)};
    for (int place = 0; place < rows * cols; ++place)
        sums.numbers[std::size_t(place / cols)] += p.numbers[std::size_t(place)];
    return sums;
}

Tensor normalize_rows(const Tensor& p) { return divide(p, row_sums(p, true)); }

Tensor trapped(const Tensor& p) { return divide(p, row_sums(p, false)); }
