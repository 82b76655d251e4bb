#pragma once
/// @file
/// Initialisation of weights.
///
/// Weights have shape (out, in) or (out, in, ...): `in` counts all numbers that one output reads.
#include <recto/core/random.hpp>

namespace RECTO::nn {

/// The number of inputs of one output: the product of all axes but the first.
Index fan_in(const Shape& shape);
/// The number of outputs of one input: the first axis times those after the second.
Index fan_out(const Shape& shape);

/// Initial parameters, drawn from a distribution that keeps a signal's size from layer to layer.
using Init = Tensor (*)(const Shape& shape, Generator& random, Device device);

/// Uniform on \f$ \pm 1/\sqrt{\mathrm{in}} \f$: the default of all layers.
Tensor uniform_init(const Shape& shape, Generator& random, Device device = Device::cpu);

/// Normal with variance \f$ 2/\mathrm{in} \f$, for layers before a relu (He et al., 2015).
Tensor he_init(const Shape& shape, Generator& random, Device device = Device::cpu);

/// Normal with variance \f$ 2/(\mathrm{in} + \mathrm{out}) \f$, for layers before a tanh (Glorot and Bengio, 2010).
Tensor glorot_init(const Shape& shape, Generator& random, Device device = Device::cpu);

/// Normal with variance \f$ 1/\mathrm{in} \f$: outputs have the variance of the inputs, without an activation or before
/// a selu (LeCun et al., 1998).
Tensor lecun_init(const Shape& shape, Generator& random, Device device = Device::cpu);

/// A random orthogonal matrix, uniformly distributed (Haar): a signal keeps its length through any number of layers
/// (Saxe et al., 2014). Weights are read as a matrix of `out` rows; its columns are orthonormal, or its rows if it has
/// fewer rows. Computed in double on the host, with the same bits on every machine.
Tensor orthogonal_init(const Shape& shape, Generator& random, Device device = Device::cpu);
/// `gain` times a random orthogonal matrix; Saxe et al. use a gain above 1 before a tanh. For a layer's options:
///
///     .weights = [](const Shape& s, Generator& r, Device d) { return nn::orthogonal_init(s, 1.3, r, d); }
///
/// @throws Error when the gain is not finite
Tensor orthogonal_init(const Shape& shape, double gain, Generator& random, Device device = Device::cpu);

/// All zeros; draws no numbers.
Tensor zeros_init(const Shape& shape, Generator& random, Device device = Device::cpu);

}  // namespace RECTO::nn
