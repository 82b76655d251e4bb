// Pointers instead of subscripts, and variances first.
#include "noising.hpp"

std::vector<double> linear_schedule(int steps, double first, double last) {
    std::vector<double> beta(std::size_t(steps) + 1);
    double* at = beta.data() + 1;
    *at++ = first;
    for (int gap = 1; gap < steps; ++gap) *at++ = first + (last - first) * gap / (steps - 1);
    return beta;
}

std::vector<double> kept(const std::vector<double>& beta) {
    std::vector<double> left(beta.size());
    double* to = left.data();
    *to = 1;
    for (const double* from = beta.data() + 1; from != beta.data() + beta.size(); ++from, ++to)
        to[1] = *to - *to * *from;
    return left;
}

std::vector<double> noised(const std::vector<double>& x0, const std::vector<int>& t, const std::vector<double>& noise,
                           const std::vector<double>& left) {
    std::vector<double> x(x0.size());
    const int* step = t.data();
    const double* draw = noise.data();
    const double* from = x0.data();
    for (double& value : x) {
        const double variance = 1 - left.data()[*step++];
        value = *from++ * std::sqrt(1 - variance) + *draw++ * std::sqrt(variance);
    }
    return x;
}

std::vector<double> denoised(const std::vector<double>& x, const std::vector<int>& t, const std::vector<double>& noise,
                             const std::vector<double>& left) {
    std::vector<double> x0(x);
    for (double& value : x0) {
        const auto i = &value - x0.data();
        const double variance = 1 - left[std::size_t(t[std::size_t(i)])];
        value -= std::sqrt(variance) * noise[std::size_t(i)];
        value *= 1 / std::sqrt(1 - variance);
    }
    return x0;
}

Normal previous(double x, double x0, int t, const std::vector<double>& beta) {
    const std::vector<double> left = kept(beta);
    const double *at = left.data() + t, b = beta[std::size_t(t)];
    const double share = b / (1 - *at);  // 1 for step 1
    const double before = at[-1];
    return {share * std::sqrt(before) * x0 + std::sqrt(1 - b) * (1 - before) / (1 - *at) * x, share * (1 - before)};
}
