// Without top_p and top_k it is a softmax; with them, a call without them for the tokens that stay.
#include "token_sampling.hpp"

namespace {

std::vector<std::size_t> order_of(const std::vector<double>& scores) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return scores[a] > scores[b] || (scores[a] == scores[b] && a < b); });
    return order;
}

std::vector<double> only(const std::vector<double>& scores, std::size_t count) {
    const std::vector<std::size_t> order = order_of(scores);
    std::vector<double> some = scores;
    for (std::size_t n = count; n < order.size(); ++n) some[order[n]] = -HUGE_VAL;
    return some;
}

}  // namespace

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    const std::vector<std::size_t> order = order_of(scores);
    if (temperature == 0) return chances(only(scores, 1), 1, 0, 1);
    if (top_k != 0) return chances(only(scores, std::size_t(top_k)), temperature, 0, top_p);
    std::vector<double> p;
    double whole = 0;
    for (const double score : scores) {
        p.push_back(std::exp((score - scores[order[0]]) / temperature));
        whole += p.back();
    }
    for (double& one : p) one /= whole;
    if (top_p == 1) return p;
    double sum = 0;
    std::size_t count = 0;
    for (const std::size_t token : order) {
        if (sum >= top_p || p[token] == 0) break;
        sum += p[token];
        ++count;
    }
    return chances(only(scores, count), temperature, 0, 1);
}

int draw(const std::vector<double>& chances, double u) {
    const int n = int(chances.size());
    for (int i = 0; i < n; ++i) {
        const double here = chances[std::size_t(i)];
        if (here > u) return i;
        u -= here;
    }
    for (int i = n;;)
        if (chances[std::size_t(--i)] > 0) return i;
}
