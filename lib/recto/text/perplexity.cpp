#include <recto/text/perplexity.hpp>

#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/ops/losses/cross_entropy.hpp>

namespace RECTO::text {

double perplexity(std::span<const double> log_probabilities) {
    check(!log_probabilities.empty(), "perplexity: wanted at least one probability, got none");
    double sum = 0;
    for (const double p : log_probabilities) {
        check(p <= 0, "perplexity: wanted logarithms of probabilities, at most 0, got {}", p);
        sum += p;
    }
    return std::exp(-sum / double(log_probabilities.size()));
}

double perplexity(const Tensor& scores, const Integers& symbols) {
    const NoGrad only_asking;
    return std::exp(double(cross_entropy(scores, symbols).item()));
}

}  // namespace RECTO::text
