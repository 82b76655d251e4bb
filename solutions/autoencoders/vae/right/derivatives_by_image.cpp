// Unscaled derivatives, divided by the number of images at the end.
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
    const Matrix scores = vae.decoder.forward(latents(code, noise));
    const std::vector<double> prices = divergence(code);
    double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
    const auto softplus = [](double s) { return s > 30 ? s + std::exp(-s) : std::log1p(std::exp(s)); };
    Matrix dy(x.rows, x.cols);
    for (std::size_t i = 0; i < x.numbers.size(); ++i) {
        const double s = scores.numbers[i], p = x.numbers[i];
        sum += p * softplus(-s) + (1 - p) * softplus(s);
        dy.numbers[i] = 1 / (1 + std::exp(-s)) - p;
    }
    for (double& one : dy.numbers) one /= x.rows;
    const Matrix dz = vae.decoder.backward(dy);
    Code back = code;
    for (int row = 0; row < dz.rows; ++row)
        for (int k = 0; k < dz.cols; ++k) {
            const double deviation = std::exp(code.log_variance(row, k) / 2),
                         by_deviation = dz(row, k) * noise(row, k) + (deviation - 1 / deviation) / x.rows;
            back.mean(row, k) = dz(row, k) + code.mean(row, k) / x.rows;
            back.log_variance(row, k) = by_deviation * deviation / 2;  // the chain rule through the deviation
        }
    vae.encoder.backward(joined(back));
    return sum / x.rows;
}
