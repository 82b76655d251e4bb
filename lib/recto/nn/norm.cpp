#include <recto/nn/norm.hpp>

namespace RECTO::nn {
namespace {

/// A parameter filled with one number; undefined if the layer has none.
Tensor parameter(const Shape& shape, Real value, const NormOptions& options) {
    return options.affine ? full(shape, value, options.device).requires_grad_() : Tensor();
}

}  // namespace

LayerNorm::LayerNorm(const Shape& sample, NormOptions options)
    : weight(parameter(sample, 1, options)), bias(parameter(sample, 0, options)), axes(sample.dim()), eps(options.eps) {
    check(axes >= 1, "LayerNorm: wanted the extents of a sample, got shape {}", sample);
}
Tensor LayerNorm::operator()(const Tensor& x) const { return layer_norm(x, axes, weight, bias, eps); }

RmsNorm::RmsNorm(const Shape& sample, NormOptions options)
    : weight(parameter(sample, 1, options)), axes(sample.dim()), eps(options.eps) {
    check(axes >= 1, "RmsNorm: wanted the extents of a sample, got shape {}", sample);
}
Tensor RmsNorm::operator()(const Tensor& x) const { return rms_norm(x, axes, weight, eps); }

GroupNorm::GroupNorm(Index groups, Index channels, NormOptions options) : groups(groups), eps(options.eps) {
    check(groups >= 1 && channels >= 0 && channels % groups == 0,
          "GroupNorm: wanted a number of groups that divides {} channels, got {}", channels, groups);
    weight = parameter({channels}, 1, options), bias = parameter({channels}, 0, options);
}
Tensor GroupNorm::operator()(const Tensor& x) const { return group_norm(x, groups, weight, bias, eps); }

BatchNorm::BatchNorm(Index channels, NormOptions options, double momentum) : momentum(momentum), eps(options.eps) {
    check(channels >= 0, "BatchNorm: wanted a number of channels of at least 0, got {}", channels);
    weight = parameter({channels}, 1, options), bias = parameter({channels}, 0, options);
    running_mean = zeros({channels}, options.device), running_variance = ones({channels}, options.device);
}
Tensor BatchNorm::operator()(const Tensor& x) const {
    return batch_norm(x, weight, bias, running_mean, running_variance,
                      {.training = training, .momentum = momentum, .eps = eps});
}
Tensor BatchNorm::relu(const Tensor& x, const Tensor& skip) const {
    return batch_norm_relu(x, weight, bias, running_mean, running_variance,
                           {.training = training, .momentum = momentum, .eps = eps}, skip);
}

}  // namespace RECTO::nn
