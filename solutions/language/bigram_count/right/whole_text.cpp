// One list of symbols for all words, a running mean, and words by recursion.
#include "bigram_count.hpp"

#include <cmath>
#include <functional>
#include <numeric>

namespace {

struct Text {
    explicit Text(const std::vector<std::string>& words) {
        for (const std::string& word : words) {
            const std::size_t first = symbols.size();
            symbols.resize(first + word.size() + 2, 0);
            for (std::size_t k = 0; k < word.size(); ++k) symbols[first + k + 1] = word[k] - 96;
            ends.push_back(symbols.size());
        }
    }
    void pairs(const std::function<void(int, int)>& take) const {
        std::size_t first = 0;
        for (const std::size_t end : ends) {
            for (std::size_t k = first; k + 1 < end; ++k) take(symbols[k], symbols[k + 1]);
            first = end;
        }
    }
    std::vector<int> symbols;
    std::vector<std::size_t> ends;
};

}  // namespace

Matrix count(const std::vector<std::string>& words) {
    Matrix table(27, 27, 0);
    Text(words).pairs([&table](int i, int j) { table(i, j)++; });
    return table;
}

Matrix probabilities(const Matrix& counts, double smoothing) {
    Matrix sums(counts.rows, 1), p = counts;
    for (int i = 0; i < p.rows; ++i)
        for (int j = 0; j < p.cols; ++j) {
            p(i, j) += smoothing;
            sums(i, 0) += p(i, j);
        }
    for (int i = 0; i < p.rows; ++i)
        for (int j = 0; j < p.cols; ++j)
            if (sums(i, 0) != 0)
                p(i, j) *= 1 / sums(i, 0);
            else
                p(i, j) = 1 / double(p.cols);
    return p;
}

// A running mean: each pair moves it by its share.
double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words) {
    double mean = 0;
    double seen = 0;
    bool impossible = false;
    Text(words).pairs([&](int i, int j) {
        seen += 1;
        if (p(i, j) == 0)
            impossible = true;
        else
            mean += (-std::log(p(i, j)) - mean) / seen;
    });
    return impossible ? HUGE_VAL : mean;
}

std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms) {
    std::vector<std::string> words;
    std::size_t used = 0;
    const auto draw = [&](int row) {
        const double u = randoms.at(used++);
        double sum = 0;
        for (int j = 0; j < p.cols; ++j)
            if ((sum += p(row, j)) > u) return j;
        int last = p.cols - 1;
        while (!(p(row, last) > 0)) --last;
        return last;
    };
    std::function<std::string(int)> rest = [&](int before) -> std::string {
        const int next = draw(before);
        return next == 0 ? "" : char(96 + next) + rest(next);
    };
    while (int(words.size()) < how_many) words.push_back(rest(0));
    return words;
}
