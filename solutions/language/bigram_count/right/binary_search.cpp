// A map of pairs, Kahan's sum, running sums of the rows that are made once, and std::upper_bound.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "bigram_count.hpp"

Matrix count(const std::vector<std::string>& words) {
    std::map<std::pair<char, char>, int> found;
    for (const std::string& word : words) {
        const std::string whole = '`' + word + '`';  // the character before 'a'
        for (auto at = whole.begin() + 1; at != whole.end(); ++at) ++found[{at[-1], at[0]}];
    }
    Matrix counts(27, 27);
    for (const auto& [pair, times] : found) counts(pair.first - '`', pair.second - '`') = times;
    return counts;
}

Matrix probabilities(const Matrix& counts, double smoothing) {
    Matrix p(counts.rows, counts.cols);
    for (int row = 0; row < p.rows; ++row) {
        const double* line = counts.numbers.data() + row * p.cols;
        const double sum = std::accumulate(line, line + p.cols, smoothing * p.cols);
        for (int col = 0; col < p.cols; ++col) p(row, col) = sum > 0 ? (line[col] + smoothing) / sum : 1.0 / p.cols;
    }
    return p;
}

double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words) {
    const Matrix counts = count(words);
    double sum = 0, lost = 0;
    for (std::size_t at = 0; at < p.numbers.size(); ++at) {
        if (counts.numbers[at] == 0) continue;
        if (p.numbers[at] == 0) return INFINITY;
        const double term = -counts.numbers[at] * std::log(p.numbers[at]) - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum / std::accumulate(counts.numbers.begin(), counts.numbers.end(), 0.0);
}

std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms) {
    std::vector<double> sums(p.numbers.size());
    for (int row = 0; row < p.rows; ++row)
        std::partial_sum(p.numbers.begin() + row * p.cols, p.numbers.begin() + (row + 1) * p.cols,
                         sums.begin() + row * p.cols);
    std::vector<std::string> words(std::size_t(how_many), "");
    auto u = randoms.begin();
    for (std::string& word : words)
        for (long before = 0;;) {
            const auto row = sums.begin() + before * p.cols;
            before = std::upper_bound(row, row + p.cols - 1, *u++) - row;
            if (before == 0) break;
            word += char('`' + before);
        }
    return words;
}
