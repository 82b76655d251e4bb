// Recursion from the first letter to the last, in long double.
#include <cmath>
#include <string_view>

#include "bigram_count.hpp"

static int symbol(char letter) { return letter - 'a' + 1; }

static void count_rest(Matrix& counts, int before, std::string_view rest) {
    const int now = rest.empty() ? 0 : symbol(rest[0]);
    ++counts(before, now);
    if (now) count_rest(counts, now, rest.substr(1));
}

static long double loss_of_rest(const Matrix& p, int before, std::string_view rest) {
    const int now = rest.empty() ? 0 : symbol(rest[0]);
    const long double here = -std::log(static_cast<long double>(p(before, now)));
    return now ? here + loss_of_rest(p, now, rest.substr(1)) : here;
}

static std::string sample_rest(const Matrix& p, int before, const double*& u) {
    int now = 0;
    for (long double sum = p(before, 0); sum <= *u && now < 26;) sum += p(before, ++now);
    ++u;
    return now ? char('a' + now - 1) + sample_rest(p, now, u) : "";
}

Matrix count(const std::vector<std::string>& words) {
    Matrix counts(27, 27);
    for (const std::string& word : words) count_rest(counts, 0, word);
    return counts;
}

Matrix probabilities(const Matrix& counts, double smoothing) {
    Matrix p(counts.rows, counts.cols, 1.0 / counts.cols);
    for (int row = 0; row < p.rows; ++row) {
        long double sum = 0;
        for (int col = p.cols - 1; col >= 0; --col) sum += counts(row, col) + static_cast<long double>(smoothing);
        for (int col = 0; col < p.cols && sum > 0; ++col) p(row, col) = double((counts(row, col) + smoothing) / sum);
    }
    return p;
}

double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words) {
    long double sum = 0;
    std::size_t pairs = 0;
    for (const std::string& word : words) {
        sum += loss_of_rest(p, 0, word);
        pairs += word.size() + 1;
    }
    return double(sum / pairs);
}

std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms) {
    std::vector<std::string> words;
    const double* u = randoms.data();
    while (how_many-- > 0) words.push_back(sample_rest(p, 0, u));
    return words;
}
