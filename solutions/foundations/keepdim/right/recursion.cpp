// Goes down one axis after the other; on a stretched axis the pointer stays.
#include "keepdim.hpp"

#include <stdexcept>

using Shape = std::vector<int>;

static std::size_t volume(const Shape& shape, std::size_t from) {
    std::size_t count = 1;
    for (std::size_t i = from; i < shape.size(); ++i) count *= std::size_t(shape[i]);
    return count;
}

static void walk(std::size_t axis, const Shape& a, const Shape& b, const float* at, const float* bt, const Shape& y,
                 std::vector<float>& out) {
    if (axis == y.size()) {
        out.push_back(*at / *bt);
        return;
    }
    for (int i = 0; i < y[axis]; ++i) {
        walk(axis + 1, a, b, at, bt, y, out);
        if (a[axis] != 1) at += volume(a, axis + 1);
        if (b[axis] != 1) bt += volume(b, axis + 1);
    }
}

Tensor divide(const Tensor& a, const Tensor& b) {
    Shape left = a.shape, right = b.shape;
    while (left.size() < right.size()) left.insert(left.begin(), 1);
    while (right.size() < left.size()) right.insert(right.begin(), 1);
    Tensor y;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] == right[i] || right[i] == 1) {
            y.shape.push_back(left[i]);
        } else if (left[i] == 1) {
            y.shape.push_back(right[i]);
        } else {
            throw std::invalid_argument("these shapes do not fit");
        }
    }
    walk(0, left, right, a.numbers.data(), b.numbers.data(), y.shape, y.numbers);
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    Tensor sums{{p.shape[0]}, {}};
    if (keepdim) sums.shape.push_back(1);
    for (int row = 0; row < p.shape[0]; ++row) {
        double sum = 0;
        for (int col = 0; col < p.shape[1]; ++col) sum += p.numbers[std::size_t(row * p.shape[1] + col)];
        sums.numbers.push_back(float(sum));
    }
    return sums;
}

Tensor normalize_rows(const Tensor& p) { return divide(p, row_sums(p, true)); }
Tensor trapped(const Tensor& p) { return divide(p, row_sums(p, false)); }
