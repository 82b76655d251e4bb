// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ops/elementwise/binary.hpp>

#include "keepdim.hpp"

recto::Tensor given(const Tensor& x) {
    return {recto::Shape(x.shape.begin(), x.shape.end()), std::vector<recto::Real>(x.numbers.begin(), x.numbers.end())};
}

Tensor divide(const Tensor& a, const Tensor& b) {
    const recto::Tensor y = given(a) / given(b);
    const auto values = y.values();
    return {std::vector<int>(y.shape().begin(), y.shape().end()), std::vector<float>(values.begin(), values.end())};
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
