// Five hundred random matrices of all shapes and scales from a fixed seed, and an answer in long double.
#include "test_softmax.hpp"

#include <cmath>
#include <random>

bool test_softmax(Softmax softmax) {
    std::mt19937 dice(7);
    const auto below = [&](int n) { return int(dice() % unsigned(n)); };
    for (int round = 0; round < 500; ++round) {
        const double scales[] = {1, 4, 1000, 1e6}, shifts[] = {0, 0, 900, -900, 1e7, -1e7};
        Matrix x(below(5), below(5));
        const double scale = scales[below(4)];
        for (int row = 0; row < x.rows; ++row) {
            const double shift = shifts[below(6)];
            for (int col = 0; col < x.cols; ++col) x(row, col) = shift + scale * (below(2001) - 1000) / 1000.0;
            if (x.cols > 1 && below(3) == 0) x(row, below(x.cols)) = -INFINITY;
        }
        const Matrix y = softmax(x);
        if (y.rows != x.rows || y.cols != x.cols) return false;
        for (int row = 0; row < x.rows; ++row)
            for (int col = 0; col < x.cols; ++col) {
                long double sum = 0;  // of exp(x_j - x_i): the probability is one over it
                if (std::isinf(x(row, col))) sum = INFINITY;
                for (int j = 0; j < x.cols && !std::isinf(sum); ++j)
                    sum += std::exp((long double)(x(row, j)) - (long double)(x(row, col)));
                if (!(std::abs((long double)(y(row, col)) - 1 / sum) <= 1e-10L)) return false;
            }
    }
    return true;
}
