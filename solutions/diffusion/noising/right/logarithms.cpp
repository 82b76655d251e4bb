// Adds logarithms instead of multiplying.
#include "noising.hpp"

std::vector<double> linear_schedule(int steps, double first, double last) {
    std::vector<double> beta{0};
    for (int t = 0; t < steps; ++t) beta.push_back(std::lerp(first, last, t == 0 ? 0.0 : double(t) / (steps - 1)));
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> left;
    double sum = 0;
    for (const double b : beta) left.push_back(std::exp(sum += std::log1p(-b)));
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    std::vector<double> x = x0;
    for (std::size_t i = x.size(); i-- > 0;) {
        const double whole = std::log(left[std::size_t(t[i])]);
        x[i] = std::exp(whole / 2) * x0[i] + std::sqrt(-std::expm1(whole)) * noise[i];
    }
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    std::vector<double> x0 = x;
    for (std::size_t i = x.size(); i-- > 0;) {
        const double whole = std::log(left[std::size_t(t[i])]);
        x0[i] = std::exp(-whole / 2) * x[i] - std::sqrt(std::expm1(-whole)) * noise[i];
    }
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    if (t == 1) return {x0, 0};
    const double b = beta[std::size_t(t)], before = kept(beta)[std::size_t(t - 1)];
    const double precision = (1 - b) / b + 1 / (1 - before);
    return {(std::sqrt(1 - b) / b * x + std::sqrt(before) / (1 - before) * x0) / precision, 1 / precision};
}
