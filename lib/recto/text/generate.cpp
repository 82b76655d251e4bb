#include <recto/text/generate.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace RECTO::text {

std::vector<Real> chances(std::span<const Real> scores, const Sampling& sampling) {
    check(sampling.temperature >= 0 && std::isfinite(sampling.temperature),
          "generate: wanted a temperature of at least 0, got {}", sampling.temperature);
    check(sampling.top_k >= 0, "generate: wanted top_k of at least 0, got {}", sampling.top_k);
    for (std::size_t i = 0; i < scores.size(); ++i)
        check(scores[i] < INFINITY, "generate: wanted scores below inf, got {} for symbol {}", scores[i], i);
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    const std::size_t all = order.size(), wanted = sampling.temperature == 0 ? 1 : std::size_t(sampling.top_k),
                      kept = wanted == 0 ? all : std::min(wanted, all);
    std::ranges::partial_sort(
        order, order.begin() + std::ptrdiff_t(kept == all ? std::min<std::size_t>(1, all) : kept),
        [&](std::size_t a, std::size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
    check(all > 0 && scores[order[0]] > -INFINITY, "generate: wanted a symbol with a score above -inf, got none of {}",
          all);
    const Real highest = scores[order[0]];
    const double temperature = sampling.temperature == 0 ? 1 : sampling.temperature;
    std::vector<double> weights(all, 0);
    double total = 0;
    for (std::size_t i = 0; i < kept; ++i)
        total += weights[order[i]] = std::exp(double(scores[order[i]] - highest) / temperature);
    std::vector<Real> made;
    for (const double weight : weights) made.push_back(Real(weight / total));
    return made;
}

std::vector<Index> generate(const NextScores& next, std::vector<Index> prompt, Generator& random,
                            const Sampling& sampling) {
    check(sampling.most >= 0, "generate: wanted a number of symbols of at least 0, got {}", sampling.most);
    const std::size_t begin = prompt.size();
    for (Index i = 0; i < sampling.most; ++i) {
        const std::vector<Real> possible = chances(next(prompt), sampling);
        prompt.push_back(random.multinomial(possible, 1)[0]);
        if (prompt.back() == sampling.stop) break;
    }
    return {prompt.begin() + std::ptrdiff_t(begin), prompt.end()};
}

}  // namespace RECTO::text
