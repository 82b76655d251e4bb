// A softmax that knows minus infinity: what must go gets this score, and the softmax is computed again.
#include "token_sampling.hpp"

namespace {

const double never = -std::numeric_limits<double>::infinity();

std::vector<double> softmax(std::vector<double> z) {
    const double top = *std::max_element(z.begin(), z.end());
    double sum = 0;
    for (double& one : z) {
        one = std::exp(one - top);
        sum += one;
    }
    for (double& one : z) one /= sum;
    return z;
}

std::size_t best_of(const std::vector<double>& z) {
    return std::size_t(std::max_element(z.begin(), z.end()) - z.begin());  // the first of equal ones
}

}  // namespace

std::vector<double> chances(const std::vector<double>& scores, double temperature, int top_k, double top_p) {
    std::vector<double> z = scores, kept(scores.size(), never), few(scores.size(), never);
    if (temperature == 0) {
        std::vector<double> one(scores.size(), 0.0);
        one[best_of(scores)] = 1;
        return one;
    }
    for (double& score : z) score /= temperature;
    if (top_k == 0 || std::size_t(top_k) >= z.size()) {
        kept = z;
    } else {
        for (int n = 0; n < top_k; ++n) {
            const std::size_t best = best_of(z);
            kept[best] = std::exchange(z[best], never);
        }
    }
    const std::vector<double> p = softmax(kept);
    if (top_p == 1.0) return p;
    std::vector<double> left = kept;
    for (double sum = 0; sum < top_p;) {
        const std::size_t best = best_of(left);
        if (left[best] == never) break;
        sum += p[best];
        few[best] = kept[best];
        left[best] = never;
    }
    return softmax(few);
}

int draw(const std::vector<double>& chances, double u) {
    std::size_t i = 0, last = chances.size() - 1;
    while (chances[last] == 0) --last;
    for (double rest = u - chances[0]; rest >= 0 && i < last;) rest -= chances[++i];
    return int(i);
}
