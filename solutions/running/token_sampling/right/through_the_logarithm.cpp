// Logarithms of probabilities until the end, and the sum from the largest partial one.
#include "token_sampling.hpp"

namespace {

double log_sum(const std::vector<double>& z) {
    const double top = *std::max_element(z.begin(), z.end());
    return top + std::log(std::accumulate(z.begin(), z.end(), 0.0,
                                          [top](double s, double one) { return s + std::exp(one - top); }));
}

}  // namespace

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    std::vector<int> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&scores](int a, int b) {
        return std::pair(-scores[std::size_t(a)], a) < std::pair(-scores[std::size_t(b)], b);
    });
    std::vector<double> z, p(scores.size(), 0);
    if (temperature == 0) {
        p[std::size_t(order[0])] = 1;
        return p;
    }
    for (const int token : order) z.push_back(scores[std::size_t(token)] / temperature);
    if (top_k > 0) z.resize(std::min(z.size(), std::size_t(top_k)));
    double whole = log_sum(z), sum = 0;
    std::size_t count = 0;
    while (count < z.size() && (sum < top_p || top_p >= 1)) sum += std::exp(z[count++] - whole);
    z.resize(count);
    whole = log_sum(z);
    for (std::size_t n = 0; n < count; ++n) p[std::size_t(order[n])] = std::exp(z[n] - whole);
    return p;
}

int draw(const std::vector<double>& chances, double u) {
    long double sum = 0;
    int found = -1, possible = 0;
    for (int i = 0; i < int(chances.size()) && found < 0; ++i) {
        sum += chances[std::size_t(i)];
        if (sum > u && chances[std::size_t(i)] > 0) found = i;
        if (chances[std::size_t(i)] > 0) possible = i;
    }
    return found < 0 ? possible : found;
}
