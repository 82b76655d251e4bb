// Recursive functions, and a list of pairs of factors made before it is used.
#include "noising.hpp"

namespace {

struct Factors {
    double data, noise;
};

std::vector<Factors> all(const std::vector<double>& left) {
    std::vector<Factors> found;
    for (const double a : left) found.push_back({std::sqrt(a), std::sqrt((1 - std::sqrt(a)) * (1 + std::sqrt(a)))});
    return found;
}

double product(const std::vector<double>& beta, std::size_t t) {
    return t == 0 ? 1 : (1 - beta[t]) * product(beta, t - 1);
}

}  // namespace

std::vector<double> linear_schedule(int steps, double first, double last) {
    if (steps == 0) return {0};
    if (steps == 1) return {0, first};
    std::vector<double> beta = linear_schedule(steps - 1, first, last - (last - first) / (steps - 1));
    beta.push_back(last);
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> left;
    while (left.size() < beta.size()) left.push_back(product(beta, left.size()));
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    const std::vector<Factors> factors = all(left);
    std::vector<double> x;
    for (std::size_t i = 0; i < x0.size(); ++i)
        x.push_back(factors[std::size_t(t[i])].noise * noise[i] + factors[std::size_t(t[i])].data * x0[i]);
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    const std::vector<Factors> factors = all(left);
    std::vector<double> x0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Factors f = factors[std::size_t(t[i])];
        x0.push_back(x[i] / f.data - f.noise / f.data * noise[i]);
    }
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    const double b = beta[std::size_t(t)];
    const double before = product(beta, std::size_t(t - 1)), now = product(beta, std::size_t(t));
    const double guess = (x - std::sqrt(1 - now) * ((x - std::sqrt(now) * x0) / std::sqrt(1 - now))) / std::sqrt(now);
    return {(std::sqrt(before) * b * guess + std::sqrt(1 - b) * (1 - before) * x) / (1 - now),
            (1 - before) / (1 - now) * b};
}
