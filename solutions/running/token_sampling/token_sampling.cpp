#include "token_sampling.hpp"

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t one, std::size_t other) { return scores[one] > scores[other]; });
    std::vector<double> found(scores.size(), 0);
    if (temperature == 0) {
        found[order[0]] = 1;
        return found;
    }
    std::size_t kept = scores.size();
    if (top_k > 0) kept = std::min(kept, std::size_t(top_k));
    double sum = 0;
    for (std::size_t n = 0; n < kept; ++n)
        sum += found[order[n]] = std::exp((scores[order[n]] - scores[order[0]]) / temperature);
    std::size_t enough = 0;
    double reached = 0;
    while (enough < kept && (top_p == 1 || reached < top_p * sum)) reached += found[order[enough++]];
    for (std::size_t n = enough; n < kept; ++n) found[order[n]] = 0;
    for (double& one : found) one /= reached;
    return found;
}

int draw(const std::vector<double>& chances, double u) {
    double sum = 0;
    int possible = 0;
    for (int i = 0; i < int(chances.size()); ++i) {
        sum += chances[std::size_t(i)];
        if (sum > u) return i;
        if (chances[std::size_t(i)] > 0) possible = i;
    }
    return possible;
}
