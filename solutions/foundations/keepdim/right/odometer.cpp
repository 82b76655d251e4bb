// One counter per axis that carries into the next, and strides that are 0 where an axis is stretched.
#include "keepdim.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace {

std::vector<int> strides(std::vector<int> shape, std::size_t axes) {
    shape.insert(shape.begin(), axes - shape.size(), 1);
    std::vector<int> step(axes);
    for (std::size_t i = axes, distance = 1; i-- > 0; distance *= std::size_t(shape[i]))
        step[i] = shape[i] == 1 ? 0 : int(distance);
    return step;
}

}  // namespace

Tensor divide(const Tensor& a, const Tensor& b) {
    const std::size_t axes = std::max(a.shape.size(), b.shape.size());
    Tensor y{std::vector<int>(axes, 1), {}};
    for (const Tensor* x : {&a, &b})
        for (std::size_t i = 0; i < x->shape.size(); ++i) {
            int& size = y.shape[axes - x->shape.size() + i];
            if (size == 1) size = x->shape[i];
            if (x->shape[i] != 1 && x->shape[i] != size) throw std::invalid_argument("divide");
        }
    const std::vector<int> by_a = strides(a.shape, axes), by_b = strides(b.shape, axes);
    if (std::count(y.shape.begin(), y.shape.end(), 0)) return y;
    std::vector<int> counter(axes, 0);
    for (bool more = true; more;) {
        const int at_a = std::inner_product(counter.begin(), counter.end(), by_a.begin(), 0);
        const int at_b = std::inner_product(counter.begin(), counter.end(), by_b.begin(), 0);
        y.numbers.push_back(float(double(a.numbers.at(std::size_t(at_a))) / double(b.numbers.at(std::size_t(at_b)))));
        more = false;
        for (std::size_t i = axes; i-- > 0 && !more;) {
            more = ++counter[i] < y.shape[i];
            if (!more) counter[i] = 0;
        }
    }
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    const std::size_t rows = std::size_t(p.shape[0]), cols = std::size_t(p.shape[1]);
    std::vector<float> sums(rows);
    for (std::size_t col = 0; col < cols; ++col)
        for (std::size_t row = 0; row < rows; ++row) sums[row] += p.numbers[row * cols + col];
    std::vector<int> shape = p.shape;
    keepdim ? void(shape[1] = 1) : shape.pop_back();
    return {shape, sums};
}

Tensor normalize_rows(const Tensor& p) { return divide(p, row_sums(p, true)); }
Tensor trapped(const Tensor& p) { return divide(p, row_sums(p, false)); }
