// Multiplies by inverses, in double and long double.
#include "keepdim.hpp"

#include <algorithm>
#include <stdexcept>

namespace {

// Where place `flat` of the shape `whole` lies in a tensor of the shape `own`.
long place_in(const std::vector<int>& own, const std::vector<int>& whole, long flat) {
    long at = 0, step = 1;
    for (std::size_t back = 1; back <= whole.size(); ++back) {
        const int size = whole[whole.size() - back];
        const long index = flat % size;
        flat /= size;
        if (back > own.size()) continue;
        const int mine = own[own.size() - back];
        at += (mine == 1 ? 0 : index) * step;
        step *= mine;
    }
    return at;
}

}  // namespace

Tensor divide(const Tensor& a, const Tensor& b) {
    const bool a_longer = a.shape.size() >= b.shape.size();
    Tensor y{a_longer ? a.shape : b.shape, {}};
    const std::vector<int>& other = a_longer ? b.shape : a.shape;
    long count = 1;
    for (std::size_t back = 1; back <= y.shape.size(); ++back) {
        int& size = y.shape[y.shape.size() - back];
        const int met = back <= other.size() ? other[other.size() - back] : 1;
        if (size != met && size != 1 && met != 1) throw std::invalid_argument("divide: shapes do not fit");
        if (size == 1) size = met;
        count *= size;
    }
    y.numbers.resize(std::size_t(count));
    for (long flat = 0; flat < count; ++flat)
        y.numbers[std::size_t(flat)] = float(double(a.numbers[std::size_t(place_in(a.shape, y.shape, flat))]) *
                                             (1 / double(b.numbers[std::size_t(place_in(b.shape, y.shape, flat))])));
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    Tensor y;
    y.shape = keepdim ? std::vector<int>{p.shape[0], 1} : std::vector<int>{p.shape[0]};
    const float* number = p.numbers.data();
    for (int row = 0; row < p.shape[0]; ++row) {
        long double sum = 0;
        for (int col = 0; col < p.shape[1]; ++col) sum += *number++;
        y.numbers.push_back(float(sum));
    }
    return y;
}

Tensor normalize_rows(const Tensor& p) {
    Tensor y = p;
    for (int row = 0; row < p.shape[0]; ++row) {
        float* const from = y.numbers.data() + row * p.shape[1];
        float sum = 0;
        for (int col = 0; col < p.shape[1]; ++col) sum += from[col];
        for (int col = 0; col < p.shape[1]; ++col) from[col] *= 1 / sum;
    }
    return y;
}

Tensor trapped(const Tensor& p) { return divide(p, row_sums(p, false)); }
