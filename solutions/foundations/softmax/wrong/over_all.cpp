// wrong: over-all
#include "softmax.hpp"

#include <algorithm>
#include <cmath>

Matrix softmax(const Matrix& x) {
    Matrix y = x;
    const double largest = *std::max_element(x.numbers.begin(), x.numbers.end());
    double sum = 0;
    for (double& value : y.numbers) sum += value = std::exp(value - largest);
    for (double& value : y.numbers) value /= sum;
    return y;
}
