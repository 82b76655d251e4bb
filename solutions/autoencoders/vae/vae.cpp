#include "vae.hpp"

std::vector<double> divergence(const Code& code) {
    std::vector<double> found;
    for (int row = 0; row < code.mean.rows; ++row) {
        double sum = 0;
        for (int k = 0; k < code.mean.cols; ++k) {
            const double mean = code.mean(row, k), log_variance = code.log_variance(row, k);
            sum += (mean * mean + std::exp(log_variance) - 1 - log_variance) / 2;
        }
        found.push_back(sum);
    }
    return found;
}

Matrix latents(const Code& code, const Matrix& noise) {
    Matrix z = code.mean;
    for (std::size_t i = 0; i < z.numbers.size(); ++i)
        z.numbers[i] += std::exp(code.log_variance.numbers[i] / 2) * noise.numbers[i];
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
