// Writes both operands out in full before anything is divided.
#include "keepdim.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

static Tensor stretched(Tensor x, const std::vector<int>& shape) {
    x.shape.insert(x.shape.begin(), shape.size() - x.shape.size(), 1);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (x.shape[axis] == shape[axis]) continue;
        std::size_t inner = 1;
        for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= std::size_t(x.shape[i]);
        std::vector<float> longer;
        for (std::size_t block = 0; block + inner <= x.numbers.size() && inner > 0; block += inner)
            for (int copy = 0; copy < shape[axis]; ++copy)
                longer.insert(longer.end(), x.numbers.begin() + long(block), x.numbers.begin() + long(block + inner));
        x.numbers = longer;
        x.shape[axis] = shape[axis];
    }
    return x;
}

Tensor divide(const Tensor& a, const Tensor& b) {
    std::vector<int> shape = a.shape.size() > b.shape.size() ? a.shape : b.shape;
    const std::vector<int>& other = a.shape.size() > b.shape.size() ? b.shape : a.shape;
    for (std::size_t i = 1; i <= other.size(); ++i) {
        int& mine = shape[shape.size() - i];
        const int theirs = other[other.size() - i];
        if (mine != theirs && mine != 1 && theirs != 1) throw std::invalid_argument("divide: the shapes do not fit");
        if (mine == 1) mine = theirs;
    }
    Tensor y = stretched(a, shape);
    const Tensor below = stretched(b, shape);
    std::transform(y.numbers.begin(), y.numbers.end(), below.numbers.begin(), y.numbers.begin(), std::divides<>());
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    Tensor sums{keepdim ? std::vector<int>{p.shape[0], 1} : std::vector<int>{p.shape[0]}, {}};
    const long cols = p.shape[1];
    for (auto at = p.numbers.begin(); at != p.numbers.end(); at += cols) {
        float sum = 0;
        std::for_each(at, at + cols, [&](float v) { sum += v; });
        sums.numbers.push_back(sum);
    }
    return sums;
}

Tensor normalize_rows(const Tensor& p) { return divide(p, row_sums(p, true)); }
Tensor trapped(const Tensor& p) { return divide(p, row_sums(p, false)); }
