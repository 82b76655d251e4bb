#include "noising.hpp"

std::vector<double> linear_schedule(int steps, double first, double last) {
    std::vector<double> beta(std::size_t(steps) + 1);
    for (int t = 1; t <= steps; ++t) {
        const double share = steps > 1 ? double(t - 1) / (steps - 1) : 0;
        beta[std::size_t(t)] = first + share * (last - first);
    }
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> left(beta.size(), 1);
    for (std::size_t t = 1; t < beta.size(); ++t) left[t] = left[t - 1] * (1 - beta[t]);
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    std::vector<double> x(x0.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double a = left[std::size_t(t[i])];
        x[i] = std::sqrt(a) * x0[i] + std::sqrt(1 - a) * noise[i];
    }
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    std::vector<double> x0(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double a = left[std::size_t(t[i])];
        x0[i] = (x[i] - std::sqrt(1 - a) * noise[i]) / std::sqrt(a);
    }
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    const std::vector<double> left = kept(beta);
    const double b = beta[std::size_t(t)], now = left[std::size_t(t)], before = left[std::size_t(t) - 1];
    const double mean = (std::sqrt(before) * b * x0 + std::sqrt(1 - b) * (1 - before) * x) / (1 - now);
    return {mean, b * (1 - before) / (1 - now)};
}
