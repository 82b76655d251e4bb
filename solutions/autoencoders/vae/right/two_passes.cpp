// Two passes through the encoder: one for the pixels, one for the divergence.
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
    const double images = x.rows;
    const Code code = code_of(vae.encoder.forward(x));
    const Matrix z = latents(code, noise), scores = vae.decoder.forward(z);
    Matrix gradient = scores;
    double of_pixels = 0, of_codes = 0;
    for (int row = 0; row < x.rows; ++row)
        for (int col = 0; col < x.cols; ++col) {
            const double s = scores(row, col);
            of_pixels += std::max(s, 0.0) - s * x(row, col) + std::log(1 + std::exp(-std::abs(s)));
            gradient(row, col) = 1 / (1 + std::exp(-s)) / images - x(row, col) / images;
        }
    const Matrix dz = vae.decoder.backward(gradient);
    Code back{dz, dz};
    // z - mean is the deviation times the noise.
    for (std::size_t i = 0; i < dz.numbers.size(); ++i)
        back.log_variance.numbers[i] *= (z.numbers[i] - code.mean.numbers[i]) / 2;
    vae.encoder.backward(joined(back));
    vae.encoder.forward(x);
    Code price = code;
    for (double& mean : price.mean.numbers) mean /= images;
    for (double& v : price.log_variance.numbers) v = std::expm1(v) / 2 / images;
    vae.encoder.backward(joined(price));
    for (const double one : divergence(code)) of_codes += one;
    return (of_pixels + of_codes) / images;
}
