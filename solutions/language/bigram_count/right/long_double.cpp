// A function for each pair, and sums in long double.
#include "bigram_count.hpp"

#include <cmath>

template <class F>
static void for_each_pair(const std::vector<std::string>& words, F f) {
    for (const std::string& word : words) {
        int before = 0;
        for (std::size_t at = 0; at <= word.size(); ++at) {
            const int next = at == word.size() ? 0 : word[at] - '`';  // '`' stands before 'a'
            f(before, next);
            before = next;
        }
    }
}

Matrix count(const std::vector<std::string>& words) {
    std::vector<int> table(27 * 27, 0);
    for_each_pair(words, [&](int i, int j) { ++table[std::size_t(27 * i + j)]; });
    Matrix counts(27, 27);
    counts.numbers.assign(table.begin(), table.end());
    return counts;
}

Matrix probabilities(const Matrix& counts, double smoothing) {
    Matrix p(counts.rows, counts.cols);
    for (int i = counts.rows - 1; i >= 0; --i) {
        long double sum = 0;
        for (int j = counts.cols - 1; j >= 0; --j) sum += (long double)counts(i, j) + smoothing;
        for (int j = 0; j < counts.cols; ++j)
            p(i, j) = sum > 0 ? double(((long double)counts(i, j) + smoothing) / sum) : 1 / double(counts.cols);
    }
    return p;
}

double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words) {
    long double sum = 0;
    long pairs = 0;
    for_each_pair(words, [&](int i, int j) {
        sum += std::log((long double)p(i, j));
        ++pairs;
    });
    return double(-sum / pairs);
}

std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms) {
    std::vector<std::string> words(std::size_t(how_many), "");
    auto u = randoms.begin();
    for (std::string& word : words)
        while (true) {
            const int row = word.empty() ? 0 : word.back() - '`';
            int next = -1, last = 0;
            double sum = 0;
            for (int j = 0; j < 27 && next < 0; ++j) {
                sum += p(row, j);
                last = p(row, j) > 0 ? j : last;
                if (sum > *u) next = j;
            }
            ++u;
            if (next < 0) next = last;
            if (next == 0) break;
            word.push_back(char('`' + next));
        }
    return words;
}
