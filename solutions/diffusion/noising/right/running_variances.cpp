// Keeps what is lost instead of what is kept, and collects the numbers of one step together.
#include "noising.hpp"

std::vector<double> linear_schedule(int steps, double first, double last) {
    std::vector<double> beta(std::size_t(steps) + 1, first);
    beta[0] = 0;
    for (int t = 2; t <= steps; ++t)
        for (int later = t; later <= steps; ++later) beta[std::size_t(later)] += (last - first) / (steps - 1);
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> lost(beta.size()), left(beta.size(), 1);
    for (std::size_t t = 1; t < beta.size(); ++t) {
        lost[t] = lost[t - 1] + beta[t] - lost[t - 1] * beta[t];
        left[t] = 1 - lost[t];
    }
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    std::vector<double> x(x0.size());
    for (std::size_t step = 0; step < left.size(); ++step) {
        const double data = std::sqrt(left[step]), other = std::sqrt(1 - left[step]);
        for (std::size_t i = 0; i < x.size(); ++i)
            if (std::size_t(t[i]) == step) x[i] = data * x0[i] + other * noise[i];
    }
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    std::vector<double> x0(x.size());
    for (std::size_t step = 1; step < left.size(); ++step) {
        const double enlarged = 1 / std::sqrt(left[step]), other = std::sqrt(1 - left[step]);
        for (std::size_t i = 0; i < x.size(); ++i)
            if (std::size_t(t[i]) == step) x0[i] = enlarged * (x[i] - other * noise[i]);
    }
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    // The covariance of the number before with the number now, as in a linear regression.
    const std::vector<double> left = kept(beta);
    const double b = beta[std::size_t(t)], spread = 1 - left[std::size_t(t - 1)];
    const double common = std::sqrt(1 - b) * spread, now = 1 - left[std::size_t(t)];
    return {std::sqrt(left[std::size_t(t - 1)]) * x0 + common / now * (x - std::sqrt(left[std::size_t(t)]) * x0),
            spread - common * common / now};
}
