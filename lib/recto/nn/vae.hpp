#pragma once
/// @file
/// The variational autoencoder: an autoencoder whose encoder returns a distribution of latents instead of a point.
#include <recto/nn/sequential.hpp>

namespace RECTO::nn {

/// For each sample of a batch a normal distribution of latents, independent from latent to latent.
struct LatentNormal {
    Tensor mean;           ///< (batch, latents)
    Tensor log_deviation;  ///< (batch, latents): the logarithms of the standard deviations

    /// Latents \f$ m + s\,\varepsilon \f$ from the distribution, differentiable in its parameters.
    /// @param noise  (batch, latents): standard normal numbers
    /// @return       (batch, latents)
    /// @throws Error unless the noise has the shape of the mean
    Tensor sample(const Tensor& noise) const;

    /// The Kullback-Leibler divergence from the standard normal distribution, in nats: \f$ \frac12 (s^2 + m^2 - 1) -
    /// \log s \f$ for each latent, (batch, latents).
    Tensor divergence() const;
};

/// The model of Kingma and Welling 2014, *Auto-Encoding Variational Bayes*, with fully connected networks. Latents have a
/// standard normal distribution, and the decoder returns the mean of an output whose numbers have normal noise with one
/// trained deviation.
struct Vae {
    Mlp encoder;       ///< (inputs) to (2 latents): the means, then the logarithms of the deviations
    Mlp decoder;       ///< (latents) to (inputs): the mean of the output
    Tensor log_noise;  ///< (1): the logarithm of the noise's deviation

    /// @param sizes  of the input, of the encoder's hidden layers, and of the latents: `{784, 128, 8}`; the decoder has
    ///               the hidden layers in reverse order
    /// @param noise  initial deviation of the noise; the training is short if it is about the final error of a number
    /// @throws Error with fewer than two sizes, or unless the noise is above 0 and finite
    Vae(const std::vector<Index>& sizes, Activation activation, Generator& random, LinearOptions options = {},
        double noise = 1);

    Index latents() const;  ///< Number of latents.

    /// The distribution of the latents of each input: (batch, inputs) to (batch, latents).
    LatentNormal encode(const Tensor& x) const;

    /// \f$ \log p(x \mid z) \f$ in nats, (batch): minus \f$ \frac{1}{2 \sigma^2} \lVert x - g(z) \rVert^2 + \frac n2 \log
    /// 2\pi\sigma^2 \f$ for a sample of n numbers, the decoder g and the noise's deviation \f$ \sigma \f$.
    /// @param x  (batch, inputs)   @param z  (batch, latents)
    /// @throws Error when the shapes do not fit
    Tensor log_likelihood(const Tensor& x, const Tensor& z) const;

    /// An estimate of the evidence lower bound from one latent for each sample, in nats: (batch).
    /// @param x      (batch, inputs)
    /// @param noise  (batch, latents): standard normal numbers
    /// @throws Error when the shapes do not fit
    Tensor bound(const Tensor& x, const Tensor& noise) const;

    /// Names its parts.
    void visit(auto&& part) { part("encoder", encoder), part("decoder", decoder), part("log_noise", log_noise); }
};

}  // namespace RECTO::nn
