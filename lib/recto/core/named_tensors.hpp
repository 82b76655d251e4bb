#pragma once
/// @file
/// Tensors with names: the form in which models are trained, counted, moved and saved.
#include <string>
#include <vector>

#include <recto/core/tensor.hpp>

namespace RECTO {

/// A tensor and its name.
struct NamedTensor {
    std::string name;  ///< dotted, such as `layers.0.weight`
    Tensor tensor;     ///< a handle: it shares its numbers with the model
};

using NamedTensors = std::vector<NamedTensor>;  ///< In the order in which a model names them.

/// Whether both share the same elements with the same shape, as tied weights do.
bool same_tensor(const Tensor& a, const Tensor& b);

/// The list without repeated tensors, such as tied weights: each tensor under its first name.
NamedTensors each_once(const NamedTensors& tensors);

}  // namespace RECTO
