// Tokens come out of a priority queue, the best one first.
#include "token_sampling.hpp"

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    const auto worse = [&](int a, int b) {
        const double one = scores[std::size_t(a)], other = scores[std::size_t(b)];
        return one != other ? one < other : a > b;
    };
    std::priority_queue<int, std::vector<int>, decltype(worse)> queue(worse);
    for (int i = 0; i < int(scores.size()); ++i) queue.push(i);
    std::vector<double> p(scores.size());
    const int best = queue.top();
    if (temperature == 0.0) return p[std::size_t(best)] = 1.0, p;
    std::vector<int> kept;
    while (!queue.empty() && (top_k == 0 || int(kept.size()) < top_k)) {
        kept.push_back(queue.top());
        queue.pop();
    }
    double all = 0;
    for (auto token = kept.rbegin(); token != kept.rend(); ++token)  // the small ones first
        all += std::exp((scores[std::size_t(*token)] - scores[std::size_t(best)]) / temperature);
    double sum = 0;
    for (const int token : kept) {
        if (top_p < 1 && sum >= top_p) break;
        p[std::size_t(token)] = std::exp((scores[std::size_t(token)] - scores[std::size_t(best)]) / temperature) / all;
        sum += p[std::size_t(token)];
    }
    for (double& one : p) one /= sum;
    return p;
}

int draw(const std::vector<double>& chances, double u) {
    const auto last = std::find_if(chances.rbegin(), chances.rend(), [](double p) { return p > 0; });
    const auto end = chances.rend() - last;  // one behind the last possible token
    std::ptrdiff_t i = 0;
    for (double sum = chances[0]; sum <= u && i + 1 < end; sum += chances[std::size_t(++i)]) {
    }
    return int(i);
}
