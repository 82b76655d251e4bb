#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "adam_network.hpp"
#include "matrix.hpp"

// A normal distribution of latents for each image: its mean and the logarithm of its variance, number by number. Both
// are (images, latents).
struct Code {
    Matrix mean, log_variance;
};

struct Vae {
    Network encoder;  // from pixels to 2 x latents numbers
    Network decoder;  // from latents to one score for each pixel
};

// The codes in the outputs of an encoder: the first half of the columns holds the means, the second half the
// logarithms of the variances.
inline Code code_of(const Matrix& outputs) {
    const int latents = outputs.cols / 2;
    Code code{Matrix(outputs.rows, latents), Matrix(outputs.rows, latents)};
    for (int row = 0; row < outputs.rows; ++row)
        for (int k = 0; k < latents; ++k) {
            code.mean(row, k) = outputs(row, k);
            code.log_variance(row, k) = outputs(row, latents + k);
        }
    return code;
}

// The reverse of code_of.
inline Matrix joined(const Code& code) {
    const int latents = code.mean.cols;
    Matrix outputs(code.mean.rows, 2 * latents);
    for (int row = 0; row < outputs.rows; ++row)
        for (int k = 0; k < latents; ++k) {
            outputs(row, k) = code.mean(row, k);
            outputs(row, latents + k) = code.log_variance(row, k);
        }
    return outputs;
}

// For each image the Kullback-Leibler divergence of its code from the standard normal distribution.
std::vector<double> divergence(const Code& code);

// A latent for each image, drawn from its code: `noise`, (images, latents), holds standard normal draws.
Matrix latents(const Code& code, const Matrix& noise);

// The mean over the images of the negative evidence lower bound, with one draw of the latents each. x is (images,
// pixels), with numbers from 0 to 1. It adds the derivatives of this loss to the gradients of both networks.
double loss(Vae& vae, const Matrix& x, const Matrix& noise);
