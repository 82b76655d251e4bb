#include <recto/classic/basis.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <recto/linalg/products.hpp>

namespace RECTO::classic {

Basis gaussian_bumps(Index count, double low, double high, double width) {
    check(count >= 1, "gaussian_bumps: wanted at least one bump, got {}", count);
    check(low < high, "gaussian_bumps: wanted low below high, got {} and {}", low, high);
    const double step = (high - low) / double(std::max<Index>(1, count - 1));
    if (width == 0) width = step;
    Basis basis;
    for (Index k = 0; k < count; ++k) {
        const double centre = count == 1 ? (low + high) / 2 : low + step * double(k);
        basis.push_back([=](double x) { return std::exp(-(x - centre) * (x - centre) / (2 * width * width)); });
    }
    return basis;
}

Basis fourier(Index count, double period) {
    check(period > 0, "fourier: wanted a period above 0, got {}", period);
    Basis basis;
    for (Index k = 0; k < count; ++k) {
        const double frequency = 2 * std::numbers::pi / period * double((k + 1) / 2);
        if (k % 2 == 0 && k > 0)
            basis.push_back([=](double x) { return std::sin(frequency * x); });
        else
            basis.push_back([=](double x) { return std::cos(frequency * x); });
    }
    return basis;
}

Basis cosines(Index count, double low, double high) {
    check(low < high, "cosines: wanted low below high, got {} and {}", low, high);
    Basis basis;
    for (Index k = 0; k < count; ++k)
        basis.push_back([=](double x) { return std::cos(double(k) * std::numbers::pi * (x - low) / (high - low)); });
    return basis;
}

Basis legendre(Index count, double low, double high) {
    check(low < high, "legendre: wanted low below high, got {} and {}", low, high);
    Basis basis;
    for (Index degree = 0; degree < count; ++degree)
        basis.push_back([=](double x) {
            const double t = (2 * x - low - high) / (high - low);
            double before = 0, now = 1;
            for (Index n = 0; n < degree; ++n) {  // Bonnet's recursion
                const double next = (double(2 * n + 1) * t * now - double(n) * before) / double(n + 1);
                before = now, now = next;
            }
            return now;
        });
    return basis;
}

Basis ramps(Index count, double low, double high) {
    check(count >= 1, "ramps: wanted at least one ramp, got {}", count);
    check(low < high, "ramps: wanted low below high, got {} and {}", low, high);
    Basis basis = {[](double) { return 1.0; }};
    for (Index k = 0; k < count; ++k) {
        const double joint = low + (high - low) * double(k) / double(count);
        basis.push_back([=](double x) { return std::max(0.0, x - joint); });
    }
    return basis;
}

Matrix design_matrix(const Basis& basis, std::span<const double> x) {
    Matrix phi(Index(x.size()), Index(basis.size()));
    for (Index n = 0; n < phi.rows; ++n)
        for (Index k = 0; k < phi.cols; ++k) phi(n, k) = basis[std::size_t(k)](x[std::size_t(n)]);
    return phi;
}

double mix(const Basis& basis, std::span<const double> weights, double x) {
    check(weights.size() == basis.size(), "mix: {} functions want as many weights, got {}", basis.size(),
          weights.size());
    double y = 0;
    for (std::size_t k = 0; k < basis.size(); ++k) y += weights[k] * basis[k](x);
    return y;
}

Vector mix(const Basis& basis, std::span<const double> weights, std::span<const double> x) {
    check(weights.size() == basis.size(), "mix: {} functions want as many weights, got {}", basis.size(),
          weights.size());
    return linalg::matvec(design_matrix(basis, x), weights);
}

}  // namespace RECTO::classic
