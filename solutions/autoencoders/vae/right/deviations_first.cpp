// A matrix of deviations, made once, and the divergence from it.
#include "vae.hpp"

namespace {

Matrix deviations(const Code& code) {
    Matrix found = code.log_variance;
    for (double& value : found.numbers) value = std::exp(0.5 * value);
    return found;
}

}  // namespace

std::vector<double> divergence(const Code& code) {
    const Matrix deviation = deviations(code);
    std::vector<double> found(std::size_t(code.mean.rows), -0.5 * code.mean.cols);
    for (int k = 0; k < code.mean.cols; ++k)
        for (int row = 0; row < code.mean.rows; ++row)
            found[std::size_t(row)] += 0.5 * std::pow(code.mean(row, k), 2) + 0.5 * std::pow(deviation(row, k), 2) -
                                       std::log(deviation(row, k));
    return found;
}

Matrix latents(const Code& code, const Matrix& noise) {
    Matrix z = deviations(code);
    for (int row = z.rows; row-- > 0;)
        for (int k = z.cols; k-- > 0;) z(row, k) = z(row, k) * noise(row, k) + code.mean(row, k);
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
