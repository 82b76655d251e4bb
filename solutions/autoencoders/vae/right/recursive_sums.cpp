// Sums by halves, and pointers.
#include "vae.hpp"

namespace {

double by_halves(const double* first, const double* last) {
    if (last - first < 2) return first == last ? 0 : *first;
    const double* const middle = first + (last - first) / 2;
    return by_halves(first, middle) + by_halves(middle, last);
}

double total(const std::vector<double>& terms) { return by_halves(terms.data(), terms.data() + terms.size()); }

}  // namespace

std::vector<double> divergence(const Code& code) {
    std::vector<double> found;
    const double *mean = code.mean.numbers.data(), *spread = code.log_variance.numbers.data();
    for (int row = 0; row < code.mean.rows; ++row) {
        std::vector<double> terms;
        for (int k = 0; k < code.mean.cols; ++k, ++mean, ++spread)
            terms.push_back(*mean * *mean + std::exp(*spread) - *spread - 1);
        found.push_back(total(terms) / 2);
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
    std::vector<double> terms = divergence(code);
    for (std::size_t i = 0; i < x.numbers.size(); ++i) {
        const double s = scores.numbers[i], small = std::exp(-std::abs(s));  // never overflows
        terms.push_back(std::max(s, 0.0) + std::log1p(small) - x.numbers[i] * s);
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
    return total(terms) / x.rows;
}
