// Runs everything, counts what is wrong, and decides at the end; its inputs grow out of one another.
#include "test_softmax.hpp"

#include <cmath>
#include <deque>

static int complaints(const Matrix& x, const Matrix& y) {
    int count = 0;
    count += y.rows != x.rows;
    count += y.cols != x.cols;
    if (count > 0) return count;
    for (int row = 0; row < x.rows; ++row) {
        double top = -HUGE_VAL, sum = 0;
        for (int col = 0; col < x.cols; ++col) top = x(row, col) > top ? x(row, col) : top;
        for (int col = x.cols; col-- > 0;) sum += std::exp(x(row, col) - top);
        for (int col = 0; col < x.cols; ++col)
            count += std::abs(y(row, col) * sum - std::exp(x(row, col) - top)) <= 1e-11 ? 0 : 1;
    }
    return count;
}

bool test_softmax(Softmax softmax) {
    std::deque<Matrix> waiting{{{3, 1, 2}, {5, 5, 4}}, {{2}, {6}, {4}}, {{-1, -2}}};
    int count = 0;
    for (int done = 0; done < 60; ++done) {
        const Matrix x = waiting.front();
        waiting.pop_front();
        count += complaints(x, softmax(x));
        Matrix larger = x, excluded = x;
        for (double& value : larger.numbers) value *= std::isinf(value) ? 1 : -17;
        waiting.push_back(larger);
        if (x.cols > 1 && done % 10 < 5) {
            for (int row = 0; row < x.rows; ++row)
                for (int col = 0; col < x.cols; ++col)
                    excluded(row, col) = col == (row + done) % x.cols ? -HUGE_VAL : 3 * col + row;
            waiting.push_back(excluded);
        }
        if (done % 10 == 9) waiting.push_front(Matrix(done % 4, 0));
        if (done % 10 == 8) waiting.push_front(Matrix(0, done % 4));
    }
    return count == 0;
}
