// Keeps the coordinates of every place of the result in a table, and looks both operands up by them.
#include "keepdim.hpp"

#include <algorithm>
#include <stdexcept>

using Place = std::vector<int>;

static float at(const Tensor& x, const Place& place) {
    std::size_t flat = 0;
    const std::size_t skip = place.size() - x.shape.size();
    for (std::size_t i = 0; i < x.shape.size(); ++i)
        flat = flat * std::size_t(x.shape[i]) + std::size_t(x.shape[i] > 1 ? place[skip + i] : 0);
    return x.numbers.at(flat);
}

Tensor divide(const Tensor& a, const Tensor& b) {
    if (a.shape.size() < b.shape.size()) {
        Tensor longer = a;
        longer.shape.insert(longer.shape.begin(), 1);
        return divide(longer, b);
    }
    Tensor y;
    std::vector<Place> places(1);
    for (std::size_t i = 0; i < a.shape.size(); ++i) {
        const std::size_t lacks = a.shape.size() - b.shape.size();
        const int mine = a.shape[i], other = i < lacks ? 1 : b.shape[i - lacks];
        if (std::min(mine, other) != 1 && std::max(mine, other) != 1 && mine != other)
            throw std::invalid_argument("no");
        y.shape.push_back(mine == 1 ? other : mine);
        std::vector<Place> longer;
        for (const Place& place : places)
            for (int index = 0; index < y.shape.back(); ++index) {
                longer.push_back(place);
                longer.back().push_back(index);
            }
        places = longer;
    }
    for (const Place& place : places) y.numbers.push_back(at(a, place) / at(b, place));
    return y;
}

Tensor row_sums(const Tensor& p, bool keepdim) {
    Tensor y;
    y.shape = {p.shape[0]};
    if (keepdim) y.shape = {p.shape[0], 1};
    y.numbers.assign(std::size_t(p.shape[0]), 0.0f);
    for (int i = 0; i < p.shape[0]; ++i)
        for (int j = 0; j < p.shape[1]; ++j) y.numbers[std::size_t(i)] += at(p, {i, j});
    return y;
}

Tensor normalize_rows(const Tensor& p) { return divide(p, row_sums(p, true)); }
Tensor trapped(const Tensor& p) { return divide(p, row_sums(p, false)); }
