// One string with dots between all words; where two dots meet, nothing is counted twice.
#include "bigram_count.hpp"

#include <cmath>

namespace {

// What the dots around a word make of it: one more number at each end.
std::vector<int> symbols(const std::string& word) {
    std::vector<int> found{0};
    for (const char letter : word) found.push_back(letter - 'a' + 1);
    found.push_back(0);
    return found;
}

}  // namespace

Matrix count(const std::vector<std::string>& words) {
    Matrix counts(27, 27);
    std::string all = ".";
    for (const std::string& word : words) all += word + ".";
    const auto symbol = [](char letter) { return letter == '.' ? 0 : letter - 'a' + 1; };
    for (std::size_t at = 1; at < all.size(); ++at) ++counts(symbol(all[at - 1]), symbol(all[at]));
    return counts;
}

Matrix probabilities(const Matrix& counts, double smoothing) {
    Matrix p = counts;
    for (int row = 0; row < p.rows; ++row) {
        double sum = 0;
        for (int col = 0; col < p.cols; ++col) sum += p(row, col) += smoothing;
        for (int col = 0; col < p.cols; ++col) p(row, col) = sum == 0 ? 1.0 / p.cols : p(row, col) / sum;
    }
    return p;
}

double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words) {
    double sum = 0;
    long pairs = 0;
    for (const std::string& word : words) {
        const std::vector<int> s = symbols(word);
        for (std::size_t at = 1; at < s.size(); ++at) {
            sum -= std::log(p(s[at - 1], s[at]));
            ++pairs;
        }
    }
    return sum / double(pairs);
}

std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms) {
    std::vector<std::string> words;
    std::size_t used = 0;
    for (int n = 0; n < how_many; ++n) {
        std::string word;
        for (int before = 0;;) {
            const double u = randoms[used++];
            double sum = 0;
            int next = 0;
            for (int j = 0; j < p.cols && sum <= u; ++j) {
                sum += p(before, j);
                if (p(before, j) > 0) next = j;
            }
            if (next == 0) break;
            word += char('a' + next - 1);
            before = next;
        }
        words.push_back(word);
    }
    return words;
}
