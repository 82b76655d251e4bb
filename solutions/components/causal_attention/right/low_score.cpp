// Hidden keys get a score of minus 10^300, which no seen score can reach; the root is a factor.
#include "causal_attention.hpp"

namespace {

void softmax(std::vector<double>& row) {
    double largest = row.front(), sum = 0;
    for (const double score : row) largest = std::fmax(largest, score);
    for (double& score : row) score = std::exp(score - largest);
    for (std::size_t j = row.size(); j-- > 0;) sum += row[j];
    for (double& power : row) power /= sum;
}

template <class F>
void each_row(const Matrix& q, const Matrix& k, int first, F use) {
    const double factor = std::pow(double(q.cols), -0.5);
    std::vector<double> row(std::size_t(k.rows), 0);
    for (int i = 0; i < q.rows; ++i) {
        for (int j = 0; j < k.rows; ++j) {
            const auto query = q.numbers.begin() + std::ptrdiff_t(i) * q.cols;
            const double dot =
                std::inner_product(query, query + q.cols, k.numbers.begin() + std::ptrdiff_t(j) * k.cols, 0.0);
            row[std::size_t(j)] = j > first + i ? -1e300 : dot * factor;
        }
        softmax(row);
        use(i, row);
    }
}

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) {
    Matrix all(q.rows, k.rows);
    each_row(q, k, first, [&](int i, const std::vector<double>& row) {
        for (int j = 0; j < k.rows; ++j) all(i, j) = row[std::size_t(j)];
    });
    return all;
}

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    each_row(q, k, first, [&](int i, const std::vector<double>& row) {
        for (int j = 0; j < k.rows; ++j)
            for (int c = 0; c < v.cols; ++c) y(i, c) += row[std::size_t(j)] * v(j, c);
    });
    return y;
}
