// Data and noise are mixed by an angle: the roots are its cosine and its sine.
#include "noising.hpp"

namespace {

double angle(const std::vector<double>& left, int t) {
    const double a = left[std::size_t(t)];
    return std::atan2(std::sqrt(1 - a), std::sqrt(a));
}

}  // namespace

std::vector<double> linear_schedule(int steps, double first, double last) {
    std::vector<double> beta(std::size_t(steps) + 1);
    beta.back() = steps > 1 ? last : first;
    for (int t = steps - 1; t > 0; --t) beta[std::size_t(t)] = beta[std::size_t(t) + 1] - (last - first) / (steps - 1);
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> left = beta;
    for (double product = 1; double& value : left) value = product *= 1 - value;
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    std::vector<double> x;
    for (std::size_t i = 0; i < x0.size(); ++i) {
        const double by = angle(left, t[i]);
        x.push_back(std::cos(by) * x0[i] + std::sin(by) * noise[i]);
    }
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    std::vector<double> x0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double by = angle(left, t[i]);
        x0.push_back(x[i] / std::cos(by) - std::tan(by) * noise[i]);
    }
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    const std::vector<double> left = kept(beta);
    const double now = std::sin(angle(left, t)), before = std::sin(angle(left, t - 1)), b = beta[std::size_t(t)];
    const double part = before / now;
    return {std::cos(angle(left, t - 1)) * b / (now * now) * x0 + std::sqrt(1 - b) * part * part * x, b * part * part};
}
