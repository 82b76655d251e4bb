#pragma once
/// @file
/// Tensors with names: what a model is to those who train, count, move or save it.
#include <string>
#include <vector>

#include <recto/core/tensor.hpp>

namespace RECTO {

/// A tensor and what it is called.
struct NamedTensor {
    std::string name;  ///< dotted, such as `layers.0.weight`
    Tensor tensor;     ///< a handle: it shares its numbers with the model
};

using NamedTensors = std::vector<NamedTensor>;  ///< In the order in which a model names them.

/// Do both hold the same numbers, seen through the same shape, as tied weights do?
bool same_tensor(const Tensor& a, const Tensor& b);

/// The list without what it names again, such as tied weights: each tensor under its first name.
NamedTensors each_once(const NamedTensors& tensors);

}  // namespace RECTO
