#pragma once
/// @file
/// First values of parameters.
///
/// Weights have shape (out, in) or (out, in, ...): `in` counts whatever one output reads.
#include <recto/core/random.hpp>

namespace RECTO::nn {

/// How many numbers one output reads: the product of all axes but the first.
Index fan_in(const Shape& shape);
/// How many outputs read one input: the first axis times those after the second.
Index fan_out(const Shape& shape);

/// Fresh parameters, drawn from a distribution that keeps a signal's size from layer to layer.
using Init = Tensor (*)(const Shape& shape, Generator& random, Device device);

/// Uniform on \f$ \pm 1/\sqrt{\mathrm{in}} \f$: what a layer starts with unless told otherwise.
Tensor uniform_init(const Shape& shape, Generator& random, Device device = Device::cpu);

/// Normal with variance \f$ 2/\mathrm{in} \f$, for layers before a relu (He et al., 2015).
Tensor he_init(const Shape& shape, Generator& random, Device device = Device::cpu);

/// Normal with variance \f$ 2/(\mathrm{in} + \mathrm{out}) \f$, for layers before a tanh (Glorot and Bengio, 2010).
Tensor glorot_init(const Shape& shape, Generator& random, Device device = Device::cpu);

/// All zero; the generator is not asked.
Tensor zeros_init(const Shape& shape, Generator& random, Device device = Device::cpu);

}  // namespace RECTO::nn
