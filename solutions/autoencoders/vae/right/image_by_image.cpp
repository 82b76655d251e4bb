// Every image alone, forward and backward.
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
    double sum = 0;
    for (int image = 0; image < x.rows; ++image) {
        Matrix one(1, x.cols), draw(1, noise.cols);
        for (int p = 0; p < x.cols; ++p) one(0, p) = x(image, p);
        for (int k = 0; k < noise.cols; ++k) draw(0, k) = noise(image, k);
        const Code code = code_of(vae.encoder.forward(one));
        Matrix dy = vae.decoder.forward(latents(code, draw));
        sum += divergence(code)[0];
        for (int p = 0; p < x.cols; ++p) {
            const double s = dy(0, p), target = one(0, p);
            sum += s > 0 ? s * (1 - target) + std::log1p(std::exp(-s)) : std::log1p(std::exp(s)) - s * target;
            dy(0, p) = ((1 + std::tanh(s / 2)) / 2 - target) / x.rows;
        }
        const Matrix dz = vae.decoder.backward(dy);
        Matrix out(1, 2 * noise.cols);
        for (int k = 0; k < noise.cols; ++k) {
            const double v = code.log_variance(0, k);
            out(0, k) = dz(0, k) + code.mean(0, k) / x.rows;
            out(0, noise.cols + k) = 0.5 * dz(0, k) * std::exp(0.5 * v) * draw(0, k) + 0.5 * std::expm1(v) / x.rows;
        }
        vae.encoder.backward(out);
    }
    return sum / x.rows;
}
