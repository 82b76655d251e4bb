// Every product from its definition, and the walk's own variance instead of 1 minus what is kept.
#include "noising.hpp"

std::vector<double> linear_schedule(int steps, double first, double last) {
    if (steps == 1) return {0, first};
    std::vector<double> beta{0};
    for (int t = 1; t <= steps; ++t) beta.push_back(((steps - t) * first + (t - 1) * last) / (steps - 1));
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> left;
    for (std::size_t t = 0; t < beta.size(); ++t) {
        double product = 1;
        for (std::size_t s = t; s > 0; --s) product *= 1 - beta[s];
        left.push_back(product);
    }
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    std::vector<double> x;
    for (std::size_t i = 0; i < t.size(); ++i) {
        double factor = 1, variance = 0;
        for (int s = 1; s <= t[i]; ++s) {
            const double b = 1 - left[std::size_t(s)] / left[std::size_t(s - 1)];
            factor *= std::sqrt(1 - b);
            variance = (1 - b) * variance + b;
        }
        x.push_back(factor * x0[i] + std::sqrt(variance) * noise[i]);
    }
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    // noised is linear in x0: two of its results give the line.
    const std::vector<double> at0 = noised(std::vector<double>(x.size(), 0), t, noise, left);
    const std::vector<double> none =
        noised(std::vector<double>(x.size(), 1), t, std::vector<double>(x.size(), 0), left);
    std::vector<double> x0;
    for (std::size_t i = 0; i < x.size(); ++i) x0.push_back((x[i] - at0[i]) / none[i]);
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    double factor = 1, variance = 0;
    for (int s = 1; s < t; ++s) {
        factor *= std::sqrt(1 - beta[std::size_t(s)]);
        variance = (1 - beta[std::size_t(s)]) * variance + beta[std::size_t(s)];
    }
    const double b = beta[std::size_t(t)], whole = (1 - b) * variance + b;  // the variance after step t
    return {(factor * b * x0 + std::sqrt(1 - b) * variance * x) / whole, variance * b / whole};
}
