// Sums and mixes by the algorithms of the standard library.
#include "vae.hpp"

std::vector<double> divergence(const Code& code) {
    std::vector<double> terms(code.mean.numbers.size());
    std::transform(code.mean.numbers.begin(), code.mean.numbers.end(), code.log_variance.numbers.begin(), terms.begin(),
                   [](double m, double v) { return 0.5 * m * m + 0.5 * (std::expm1(v) - v); });
    std::vector<double> found;
    for (int row = 0; row < code.mean.rows; ++row) {
        const auto first = terms.begin() + std::ptrdiff_t(row) * code.mean.cols;
        found.push_back(std::accumulate(first, first + code.mean.cols, 0.0));
    }
    return found;
}

Matrix latents(const Code& code, const Matrix& noise) {
    Matrix z(noise.rows, noise.cols);
    std::transform(code.log_variance.numbers.begin(), code.log_variance.numbers.end(), noise.numbers.begin(),
                   z.numbers.begin(), [](double v, double e) { return std::sqrt(std::exp(v)) * e; });
    std::transform(z.numbers.begin(), z.numbers.end(), code.mean.numbers.begin(), z.numbers.begin(), std::plus<>());
    return z;
}

double loss(Vae& vae, const Matrix& x, const Matrix& noise) {
    const Code code = code_of(vae.encoder.forward(x));
    Matrix scores = vae.decoder.forward(latents(code, noise));
    double sum = 0;
    for (const double kl : divergence(code)) sum += kl;
    for (std::size_t i = 0; i < x.numbers.size(); ++i) {
        const double s = scores.numbers[i], small = std::exp(-std::abs(s));  // never overflows
        sum += std::max(s, 0.0) + std::log1p(small) - x.numbers[i] * s;
        const double probability = s > 0 ? 1 / (1 + small) : small / (1 + small);
        scores.numbers[i] = (probability - x.numbers[i]) / x.rows;
    }
    const Matrix dz = vae.decoder.backward(scores);
    Code gradients = code;
    for (std::size_t i = 0; i < dz.numbers.size(); ++i) {
        const double deviation = std::exp(code.log_variance.numbers[i] / 2);
        gradients.mean.numbers[i] = dz.numbers[i] + code.mean.numbers[i] / x.rows;
        gradients.log_variance.numbers[i] =
            (dz.numbers[i] * deviation * noise.numbers[i] + (deviation * deviation - 1) / x.rows) / 2;
    }
    vae.encoder.backward(joined(gradients));
    return sum / x.rows;
}
