// A score from which on tokens stay, and how many of those with exactly this score.
#include "token_sampling.hpp"

namespace {

// Keeps the first `count` in the order of the scores: all above a threshold, and the first few at it.
void keep(const std::vector<double>& scores, std::size_t count, std::vector<double>& p) {
    if (count >= scores.size()) return;
    std::vector<double> sorted = scores;
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(count) - 1, sorted.end(), std::greater<>());
    const double least = sorted[count - 1];
    auto above = std::size_t(std::count_if(scores.begin(), scores.end(), [&](double z) { return z > least; }));
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (scores[i] > least) continue;
        if (scores[i] == least && above < count)
            ++above;
        else
            p[i] = 0;
    }
}
void normalise(std::vector<double>& p) {
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    std::transform(p.begin(), p.end(), p.begin(), [sum](double one) { return one / sum; });
}

}  // namespace

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    std::vector<double> p(scores.size(), 1.0);
    if (temperature == 0) {
        keep(scores, 1, p);
        return p;
    }
    const double top = *std::max_element(scores.begin(), scores.end());
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = std::exp((scores[i] - top) * (1 / temperature));
    if (top_k > 0) keep(scores, std::size_t(top_k), p);
    normalise(p);
    std::vector<double> falling = p;
    std::sort(falling.rbegin(), falling.rend());
    std::size_t count = 0;
    for (double sum = 0; count < falling.size() && (sum < top_p || top_p == 1); ++count) sum += falling[count];
    keep(scores, count, p);
    normalise(p);
    return p;
}

int draw(const std::vector<double>& chances, double u) {
    double sum = std::accumulate(chances.begin(), chances.end(), 0.0);
    int i = int(chances.size()) - 1;
    while (i > 0 && chances[std::size_t(i)] == 0) --i;
    if (sum <= u) return i;
    double before = 0;
    for (int j = 0; j <= i; before += chances[std::size_t(j++)])
        if (chances[std::size_t(j)] > 0 && before <= u && u < before + chances[std::size_t(j)]) return j;
    return i;
}
