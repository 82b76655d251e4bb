// Strides as NumPy has them, 0 along an axis that is stretched.
#include "keepdim.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>

using Numbers = std::vector<int>;

// How far apart neighbours along each axis lie; 0 where the axis is stretched.
static Numbers strides(const Numbers& shape, std::size_t axes) {
    Numbers steps(axes, 0);
    int step = 1;
    for (std::size_t back = 1; back <= shape.size(); ++back) {
        const int size = shape[shape.size() - back];
        steps[axes - back] = size == 1 ? 0 : step;
        step *= size;
    }
    return steps;
}

Tensor divide(const Tensor& a, const Tensor& b) {
    Numbers left = a.shape, right = b.shape;
    const std::size_t axes = std::max(left.size(), right.size());
    left.insert(left.begin(), axes - left.size(), 1);
    right.insert(right.begin(), axes - right.size(), 1);
    Tensor y;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (left[axis] == right[axis] || right[axis] == 1)
            y.shape.push_back(left[axis]);
        else if (left[axis] == 1)
            y.shape.push_back(right[axis]);
        else
            throw std::invalid_argument("these shapes do not fit");
    }
    const Numbers of_a = strides(left, axes), of_b = strides(right, axes);
    const int count = std::accumulate(y.shape.begin(), y.shape.end(), 1, [](int x, int size) { return x * size; });
    Numbers place(axes, 0);
    for (int done = 0; done < count; ++done) {
        const int at_a = std::inner_product(place.begin(), place.end(), of_a.begin(), 0);
        const int at_b = std::inner_product(place.begin(), place.end(), of_b.begin(), 0);
        y.numbers.push_back(a.numbers.at(std::size_t(at_a)) / b.numbers.at(std::size_t(at_b)));
        for (std::size_t axis = axes; axis-- > 0;) {
            if (++place[axis] < y.shape[axis]) break;
            place[axis] = 0;
        }
    }
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    Tensor y;
    y.shape = {p.shape.at(0)};
    if (keepdim) y.shape.push_back(1);
    auto row = p.numbers.begin();
    for (int i = 0; i < p.shape[0]; ++i, row += p.shape[1])
        y.numbers.push_back(float(std::accumulate(row, row + p.shape[1], 0.0)));
    return y;
}

Tensor normalize_rows(const Tensor& p) {
    const Tensor sums = row_sums(p, true);
    return divide(p, sums);
}

Tensor trapped(const Tensor& p) {
    const Tensor sums = row_sums(p, false);
    return divide(p, sums);
}
