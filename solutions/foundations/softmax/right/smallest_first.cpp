// Sorts each row and adds the smallest exponentials first.
#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

// The exponentials are added from the smallest to the largest.
Matrix softmax(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    for (int i = 0; i < x.rows; ++i) {
        std::vector<double> scores;
        for (int j = 0; j < x.cols; ++j) scores.push_back(x(i, j));
        std::sort(scores.begin(), scores.end());
        double sum = 0;
        for (const double score : scores) sum += std::exp(score - scores.back());
        for (int j = 0; j < x.cols; ++j) y(i, j) = std::exp(x(i, j) - scores.back()) / sum;
    }
    return y;
}
