// Every token counts how many are better; partial sums and a binary search draw.
#include "token_sampling.hpp"

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    const int n = int(scores.size());
    auto better = [&](int a, int b) {
        const double one = scores[std::size_t(a)], other = scores[std::size_t(b)];
        return one > other || (one == other && a < b);
    };
    std::vector<int> at(scores.size());  // the token of each rank
    for (int i = 0; i < n; ++i) {
        int rank = 0;
        for (int j = 0; j < n; ++j) rank += better(j, i);
        at[std::size_t(rank)] = i;
    }
    std::vector<double> p(scores.size());
    const double top = scores[std::size_t(at[0])];
    if (!(temperature > 0)) {
        p[std::size_t(at[0])] = 1;
        return p;
    }
    const int most = top_k == 0 ? n : std::min(top_k, n);
    double whole = 0;
    for (int rank = 0; rank < most; ++rank) {
        const auto token = std::size_t(at[std::size_t(rank)]);
        p[token] = std::exp(scores[token] / temperature - top / temperature);
        whole += p[token];
    }
    for (double& one : p) one /= whole;
    if (top_p == 1) return p;
    double sum = 0;
    for (int rank = 0; rank < most; ++rank) {
        double& one = p[std::size_t(at[std::size_t(rank)])];
        if (sum >= top_p)
            one = 0;
        else
            sum += one;
    }
    for (double& one : p) one /= sum;
    return p;
}

int draw(const std::vector<double>& chances, double u) {
    std::vector<double> sums(chances.size());
    std::partial_sum(chances.begin(), chances.end(), sums.begin());
    auto found = std::upper_bound(sums.begin(), sums.end(), u);
    if (found == sums.end()) found = std::lower_bound(sums.begin(), sums.end(), sums.back());
    return int(found - sums.begin());
}
