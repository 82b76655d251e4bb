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

}  // namespace RECTO
