// Extended precision inside, and the noise found first in the step back.
#include "noising.hpp"

using Long = long double;

std::vector<double> linear_schedule(int steps, double first, double last) {
    std::vector<double> beta(1);
    const Long gap = steps > 1 ? (Long(last) - first) / (steps - 1) : 0;
    while (int(beta.size()) <= steps) beta.push_back(double(first + gap * Long(beta.size() - 1)));
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> left(beta.size(), 1.0);
    Long product = 1;
    for (std::size_t t = 1; t < beta.size(); ++t) left[t] = double(product *= 1 - Long(beta[t]));
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    std::vector<double> x;
    for (std::size_t i = 0; i < x0.size(); ++i) {
        const Long a = left[std::size_t(t[i])];
        x.push_back(double(std::sqrt(a) * x0[i] + std::sqrt(1 - a) * noise[i]));
    }
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    std::vector<double> x0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Long a = left[std::size_t(t[i])];
        x0.push_back(double((x[i] - std::sqrt(1 - a) * noise[i]) / std::sqrt(a)));
    }
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    const std::vector<double> left = kept(beta);
    const Long b = beta[std::size_t(t)], now = left[std::size_t(t)], before = left[std::size_t(t) - 1];
    const Long noise = (x - std::sqrt(now) * x0) / std::sqrt(1 - now);
    const Long variance = b * (1 - before) / (1 - now);
    const Long along = std::sqrt(std::max(Long(0), 1 - before - variance));
    return {double(std::sqrt(before) * x0 + along * noise), double(variance)};
}
