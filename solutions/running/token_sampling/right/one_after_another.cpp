// The best of those that are left is looked for again and again, and stops as soon as one of the limits is reached.
#include "token_sampling.hpp"

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    std::vector<bool> taken(scores.size(), false);
    const auto next = [&] {
        std::size_t best = scores.size();
        for (std::size_t i = 0; i < scores.size(); ++i)
            if (!taken[i] && (best == scores.size() || scores[i] > scores[best])) best = i;
        taken[best] = true;
        return best;
    };
    std::vector<double> p(scores.size(), 0.0);
    std::vector<std::size_t> list{next()};
    if (temperature == 0) {
        p[list[0]] = 1;
        return p;
    }
    while (list.size() < scores.size() && (top_k == 0 || list.size() < std::size_t(top_k))) list.push_back(next());
    const double top = scores[list[0]];
    const auto weight = [&](std::size_t token) { return std::exp((scores[token] - top) / temperature); };
    double kept = 0;
    for (const std::size_t token : list) kept += weight(token);
    double sum = 0, end = 0;
    std::size_t count = 0;
    for (; count < list.size() && (top_p == 1 || sum / kept < top_p); ++count) sum += weight(list[count]);
    for (std::size_t n = 0; n < count; ++n) end += weight(list[n]);
    for (std::size_t n = 0; n < count; ++n) p[list[n]] = weight(list[n]) / end;
    return p;
}

int draw(const std::vector<double>& chances, double u) {
    const int n = int(chances.size());
    for (int i = 0; i < n; ++i) {  // the sum is computed again for each token
        const double sum = std::accumulate(chances.begin(), chances.begin() + i + 1, 0.0);
        if (u < sum) return i;
    }
    int i = n - 1;
    while (chances[std::size_t(i)] <= 0) --i;
    return i;
}
