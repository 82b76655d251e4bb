#include <recto/nn/vae.hpp>

#include <cmath>
#include <numbers>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO::nn {
namespace {

std::vector<Index> encoder_sizes(std::vector<Index> sizes) {
    check(sizes.size() >= 2, "Vae: wanted at least an input and a latent size, got {} sizes", sizes.size());
    sizes.back() *= 2;
    return sizes;
}

}  // namespace

Tensor LatentNormal::sample(const Tensor& noise) const {
    check(noise.shape() == mean.shape(), "LatentNormal: wanted noise of shape {}, got {}", mean.shape(), noise.shape());
    return mean + exp(log_deviation) * noise;
}

Tensor LatentNormal::divergence() const { return (exp(2 * log_deviation) + square(mean) - 1) * 0.5 - log_deviation; }

Vae::Vae(const std::vector<Index>& sizes, Activation activation, Generator& random, LinearOptions options, double noise)
    : encoder(encoder_sizes(sizes), activation, random, options),
      decoder(std::vector<Index>(sizes.rbegin(), sizes.rend()), activation, random, options) {
    check(noise > 0 && std::isfinite(noise), "Vae: wanted a finite noise above 0, got {}", noise);
    log_noise = full({1}, Real(std::log(noise)), options.device).requires_grad_();
}

Index Vae::latents() const { return decoder.layers.front().weight.size(1); }

LatentNormal Vae::encode(const Tensor& x) const {
    check(x.dim() == 2, "Vae: wanted (batch, inputs), got shape {}", x.shape());
    const Tensor both = encoder(x);
    return {slice(both, 1, 0, latents()), slice(both, 1, latents(), 2 * latents())};
}

Tensor Vae::log_likelihood(const Tensor& x, const Tensor& z) const {
    check(x.dim() == 2 && z.dim() == 2 && x.size(0) == z.size(0),
          "Vae: wanted (batch, inputs) and (batch, latents), got shapes {} and {}", x.shape(), z.shape());
    const double numbers = double(x.size(1)), log_2pi = std::log(2 * std::numbers::pi);
    const Tensor squares = sum(square(x - decoder(z)), {1});
    return (squares * exp(-2 * log_noise) + numbers * (2 * log_noise + log_2pi)) * -0.5;
}

Tensor Vae::bound(const Tensor& x, const Tensor& noise) const {
    const LatentNormal code = encode(x);
    return log_likelihood(x, code.sample(noise)) - sum(code.divergence(), {1});
}

}  // namespace RECTO::nn
