#pragma once
/// @file
/// A trained scale and offset, for a whole layer or for each of its units.
#include <recto/nn/module.hpp>

namespace RECTO::nn {

/// Options of Scale.
struct ScaleOptions {
    double start = 1;             ///< initial value of the scale
    bool bias = true;             ///< whether a trained offset, initially 0, is added
    Device device = Device::cpu;  ///< device of the parameters
};

/// Multiplies by a trained scale and adds a trained offset, x s + b. It normalises nothing: what LayerNorm does after it has
/// divided by the standard deviation.
struct Scale {
    Tensor weight;  ///< s: (1) for a whole layer, or (units) for the last axis
    Tensor bias;    ///< b: the same shape, or undefined

    /// @param units  1 for one scale, or the extent of the last axis for one scale for each unit
    /// @throws Error when the number of units is negative
    explicit Scale(Index units = 1, ScaleOptions options = {});

    /// (..., units) to the same shape; with one scale, any shape. @throws Error when the last axis does not have as many
    /// units as there are scales
    Tensor operator()(const Tensor& x) const;

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

}  // namespace RECTO::nn
