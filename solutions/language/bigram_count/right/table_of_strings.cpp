// A map of pairs, std::find and partial sums.
#include "bigram_count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

static const std::string alphabet = ".abcdefghijklmnopqrstuvwxyz";

using Pairs = std::map<std::pair<int, int>, long>;

static Pairs pairs(const std::vector<std::string>& words) {
    Pairs found;
    for (const std::string& word : words) {
        const std::string dotted = "." + word + ".";
        for (auto at = dotted.begin(); at + 1 != dotted.end(); ++at)
            ++found[{int(alphabet.find(at[0])), int(alphabet.find(at[1]))}];
    }
    return found;
}

Matrix count(const std::vector<std::string>& words) {
    Matrix counts(27, 27);
    for (const auto& [pair, times] : pairs(words)) counts(pair.first, pair.second) = double(times);
    return counts;
}

Matrix probabilities(const Matrix& counts, double smoothing) {
    Matrix p(counts.rows, counts.cols, 1.0 / std::max(1, counts.cols));
    for (int i = 0; i < counts.rows; ++i) {
        const auto first = counts.numbers.begin() + i * counts.cols;
        const double whole = std::accumulate(first, first + counts.cols, smoothing * counts.cols);
        if (whole == 0) continue;
        for (int j = 0; j < counts.cols; ++j) p(i, j) = (counts(i, j) + smoothing) / whole;
    }
    return p;
}

// Every kind of pair once, times how often it comes.
double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words) {
    double sum = 0;
    long whole = 0;
    for (const auto& [pair, times] : pairs(words)) {
        const double share = p(pair.first, pair.second);
        if (share == 0) return std::numeric_limits<double>::infinity();
        sum += double(times) * std::log(1 / share);
        whole += times;
    }
    return sum / double(whole);
}

std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms) {
    std::vector<std::string> words;
    std::string word;
    char before = '.';
    for (const double u : randoms) {
        const int row = int(alphabet.find(before));
        std::vector<double> sums(27);
        const auto first = p.numbers.begin() + 27 * row;
        std::partial_sum(first, first + 27, sums.begin());
        auto found = std::find_if(sums.begin(), sums.end(), [u](double sum) { return sum > u; });
        int next = int(found - sums.begin());
        if (found == sums.end())
            for (next = 26; p(row, next) <= 0;) --next;
        before = alphabet[std::size_t(next)];
        if (before == '.') {
            words.push_back(word);
            word.clear();
        } else {
            word += before;
        }
    }
    words.resize(std::size_t(how_many));
    return words;
}
