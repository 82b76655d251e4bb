// A table of numbers that were worked out elsewhere, to fourteen digits; the implementation is called backwards through it.
#include "test_softmax.hpp"

#include <cmath>
#include <iterator>

namespace {
struct Line {
    Matrix x, y;
};
}  // namespace

bool test_softmax(Softmax softmax) {
    const double a = 0.09003057317038, b = 0.24472847105480, c = 0.66524095577482;  // of (0, 1, 2)
    const double p = 0.26894142137000, q = 0.73105857863000;                        // of (0, 1)
    const double inf = INFINITY;
    const Line lines[] = {
        {{{0, 1, 2}, {7, 5, 6}}, {{a, b, c}, {c, a, b}}},
        {{{1, 0}, {3, 3}, {-1, 0}}, {{q, p}, {0.5, 0.5}, {p, q}}},
        {{{5000, 5001, 5002}, {-5000, -5001, -5002}}, {{a, b, c}, {c, b, a}}},
        {{{-5000, -5001, -5002}}, {{c, b, a}}},
        {{{-inf, 0, 1}, {0, -inf, 1}, {1, 0, -inf}}, {{0, p, q}, {p, 0, q}, {q, p, 0}}},
        {{{9}, {8}}, {{1}, {1}}},
        {Matrix(0, 2), Matrix(0, 2)},
        {Matrix(5, 0), Matrix(5, 0)},
    };
    for (auto line = std::rbegin(lines); line != std::rend(lines); ++line) {
        const Matrix got = softmax(line->x);
        bool same = got.rows == line->y.rows && got.cols == line->y.cols;
        for (std::size_t at = 0; same && at < got.numbers.size(); ++at)
            same = std::abs(got.numbers[at] - line->y.numbers[at]) < 5e-11;
        if (!same) return false;
    }
    return true;
}
