// Differences and products by the algorithms of the standard library.
#include "noising.hpp"

std::vector<double> linear_schedule(int steps, double first, double last) {
    std::vector<double> gaps(std::size_t(steps), steps > 1 ? (last - first) / (steps - 1) : 0.0);
    gaps[0] = first;
    std::vector<double> beta{0};
    std::partial_sum(gaps.begin(), gaps.end(), std::back_inserter(beta));
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> left;
    std::transform(beta.begin(), beta.end(), std::back_inserter(left), [](double b) { return 1 - b; });
    std::partial_sum(left.begin(), left.end(), left.begin(), std::multiplies<>());
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    std::vector<double> x;
    for (std::size_t i = 0; i < x0.size(); ++i)
        x.push_back(std::pow(left.at(std::size_t(t[i])), 0.5) * x0[i] +
                    std::pow(1 - left.at(std::size_t(t[i])), 0.5) * noise[i]);
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    const std::vector<double> part = noised(std::vector<double>(x.size()), t, noise, left);
    std::vector<double> x0(x.size());
    std::transform(x.begin(), x.end(), part.begin(), x0.begin(), std::minus<>());
    for (std::size_t i = 0; i < x.size(); ++i) x0[i] /= std::sqrt(left[std::size_t(t[i])]);
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    const std::vector<double> left = kept(beta);
    const double b = beta[std::size_t(t)], spread = 1 - left[std::size_t(t - 1)];
    const double factor = std::sqrt(1 - b) * spread / (b + (1 - b) * spread);
    const double mean = std::sqrt(left[std::size_t(t - 1)]) * x0;
    return {mean + factor * (x - std::sqrt(1 - b) * mean), spread * (1 - factor * std::sqrt(1 - b))};
}
