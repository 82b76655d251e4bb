#pragma once
/// @file
/// Normalisation layers. Scales are initialised to 1, shifts to 0.
#include <recto/nn/module.hpp>
#include <recto/ops/norms/batch_norm.hpp>
#include <recto/ops/norms/layer_norm.hpp>

namespace RECTO::nn {

/// Options of normalisation layers.
struct NormOptions {
    bool affine = true;           ///< whether it has a trained scale and shift
    double eps = 1e-5;            ///< added to the variance
    Device device = Device::cpu;  ///< device of its parameters
};

/// Normalises every sample to mean 0 and variance 1, see layer_norm().
struct LayerNorm {
    Tensor weight;  ///< the shape of a sample, or undefined
    Tensor bias;    ///< the same shape
    int axes;       ///< how many of the last axes are a sample
    double eps;     ///< added to the variance

    /// @param sample  the extents of the last axes, such as `{width}`
    /// @throws Error when the list is empty
    explicit LayerNorm(const Shape& sample, NormOptions options = {});
    Tensor operator()(const Tensor& x) const;  ///< (..., sample) to the same shape
    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

/// Normalises every sample to root mean square 1, see rms_norm().
struct RmsNorm {
    Tensor weight;  ///< the shape of a sample, or undefined
    int axes;       ///< how many of the last axes are a sample
    double eps;     ///< added to the mean square

    /// @param sample  the extents of the last axes, such as `{width}`
    /// @throws Error when the list is empty
    explicit RmsNorm(const Shape& sample, NormOptions options = {});
    Tensor operator()(const Tensor& x) const;  ///< (..., sample) to the same shape
    /// Names its parts.
    void visit(auto&& part) { part("weight", weight); }
};

/// Normalises every group of channels of every sample to mean 0 and variance 1, see group_norm().
struct GroupNorm {
    Tensor weight;  ///< (channels), or undefined
    Tensor bias;    ///< the same shape
    Index groups;   ///< number of groups
    double eps;     ///< added to the variance

    /// @throws Error unless the number of groups divides the channels
    GroupNorm(Index groups, Index channels, NormOptions options = {});
    Tensor operator()(const Tensor& x) const;  ///< (batch, channels, ...) to the same shape
    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

/// Normalises every channel to mean 0 and variance 1 over the mini-batch, see batch_norm(). The running statistics
/// belong to its state but are not trained; set_training() chooses between them and the mini-batch's statistics.
struct BatchNorm {
    Tensor weight;            ///< (channels), or undefined
    Tensor bias;              ///< the same shape
    Tensor running_mean;      ///< (channels), initially zeros
    Tensor running_variance;  ///< (channels), initially ones
    double momentum;          ///< how far the running statistics move towards the batch's
    double eps;               ///< added to the variance
    bool training = true;     ///< whether to use the mini-batch's statistics

    /// @throws Error when the number of channels is negative
    explicit BatchNorm(Index channels, NormOptions options = {}, double momentum = 0.1);
    Tensor operator()(const Tensor& x) const;  ///< (batch, channels, ...) to the same shape
    /// relu of the result, or of its sum with `skip`, in the same pass; see batch_norm_relu().
    Tensor relu(const Tensor& x, const Tensor& skip = Tensor()) const;
    /// Names its parts.
    void visit(auto&& part) {
        part("weight", weight), part("bias", bias);
        part("running_mean", running_mean), part("running_variance", running_variance);
    }
};

}  // namespace RECTO::nn
