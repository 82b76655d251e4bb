// Pairs of negated score and number, in a sorted range of pairs.
#include "token_sampling.hpp"

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    std::vector<std::pair<double, int>> list;
    for (int i = 0; i < static_cast<int>(scores.size()); ++i)
        list.emplace_back(-scores[static_cast<std::size_t>(i)], i);
    std::sort(list.begin(), list.end());
    std::vector<double> result(scores.size(), 0.0);
    if (temperature <= 0) {
        result[static_cast<std::size_t>(list.front().second)] = 1.0;
        return result;
    }
    if (top_k != 0 && list.size() > static_cast<std::size_t>(top_k)) list.resize(static_cast<std::size_t>(top_k));
    const double least = list.front().first;
    double total = 0;
    for (auto& [negated, token] : list) {
        negated = std::exp((least - negated) / temperature);
        total += negated;
    }
    double sum = 0;
    auto end = list.begin();
    do {
        sum += end->first / total;
        ++end;
    } while (end != list.end() && sum < top_p);
    list.erase(end, list.end());
    double rest = 0;
    for (const auto& [weight, token] : list) rest += weight;
    for (const auto& [weight, token] : list) result[static_cast<std::size_t>(token)] = weight / rest;
    return result;
}

int draw(const std::vector<double>& chances, double u) {
    int token = -1, last = -1;
    double sum = 0;
    for (const double chance : chances) {
        ++token;
        if (chance <= 0) continue;
        last = token;
        sum += chance;
        if (u < sum) break;
    }
    return last;
}
