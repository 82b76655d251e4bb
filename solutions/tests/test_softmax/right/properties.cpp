// No expected numbers: sums, signs and the ratio of any two probabilities of a row say all that there is to say.
#include "test_softmax.hpp"

#include <cmath>
#include <vector>

bool test_softmax(Softmax softmax) {
    const double out = -HUGE_VAL;
    const std::vector<Matrix> inputs = {{{1, 2, -1}, {0, 0, 3}},
                                        {{2}, {1}, {0}},
                                        {{710, 712, 1e4}, {-800, -1e5, -801}},
                                        {{-900, -902}},
                                        {{out, 1, out, 2}},
                                        {{1, out}, {out, -3}},
                                        {{4, 1}, {2, 2}, {-5, -7}},
                                        Matrix(4, 0),
                                        Matrix(0, 4),
                                        {{1e300, -1e300}},
                                        {{0, 1, 2}, {2, 1, 0}}};
    for (const Matrix& x : inputs) {
        const Matrix y = softmax(x);
        if (y.rows != x.rows || y.cols != x.cols || y.numbers.size() != x.numbers.size()) return false;
        for (int row = 0; row < x.rows; ++row) {
            double sum = x.cols == 0 ? 1 : 0;
            for (int i = 0; i < x.cols; ++i) {
                if (!(y(row, i) >= 0)) return false;
                if (x(row, i) == out && y(row, i) != 0) return false;
                sum += y(row, i);
                for (int j = 0; j < x.cols; ++j)
                    if (x(row, i) <= x(row, j) && x(row, j) != out &&
                        !(std::fabs(y(row, i) - y(row, j) * std::exp(x(row, i) - x(row, j))) <= 1e-11))
                        return false;
            }
            if (!(std::fabs(sum - 1) <= 1e-11)) return false;
        }
    }
    return true;
}
