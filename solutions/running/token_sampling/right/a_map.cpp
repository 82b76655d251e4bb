// A map from the score to the tokens that have it; long double in every sum.
#include "token_sampling.hpp"

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    std::map<double, std::vector<std::size_t>, std::greater<double>> tokens;
    for (std::size_t i = 0; i < scores.size(); ++i) tokens[scores[i]].push_back(i);
    std::vector<std::size_t> order;
    for (const auto& [score, some] : tokens) order.insert(order.end(), some.begin(), some.end());
    std::vector<double> p(scores.size());
    if (temperature == 0) {
        p[order.front()] = 1;
        return p;
    }
    if (top_k > 0 && std::size_t(top_k) < order.size()) order.erase(order.begin() + top_k, order.end());
    std::vector<long double> weights, sums;
    const long double top = tokens.begin()->first;
    for (const std::size_t token : order) weights.push_back(std::exp((scores[token] - top) / temperature));
    std::partial_sum(weights.begin(), weights.end(), std::back_inserter(sums));
    std::size_t last = 0;
    while (last + 1 < order.size() && (top_p == 1 || sums[last] < top_p * sums.back())) ++last;
    for (std::size_t n = 0; n <= last; ++n) p[order[n]] = double(weights[n] / sums[last]);
    return p;
}

int draw(const std::vector<double>& chances, double u) {
    std::map<double, int> ends;  // the first token that ends at each sum
    double sum = 0;
    for (int i = 0; i < int(chances.size()); ++i) ends.emplace(sum += chances[std::size_t(i)], i);
    const auto found = ends.upper_bound(u);
    return found == ends.end() ? std::prev(found)->second : found->second;
}
