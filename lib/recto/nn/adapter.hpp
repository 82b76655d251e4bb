#pragma once
/// @file
/// Bottleneck adapters: small trained layers between the layers of a frozen network.
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/unary.hpp>

namespace RECTO::nn {

/// An adapter (Houlsby et al., 2019): two small layers, down to a few units and up again, whose result is added to the
/// input:
///
/// \f[ y = x + W_2\, f(W_1 x + b_1) + b_2 \f]
///
/// The second layer is zero at the start, so that the adapter returns its input.
struct Adapter {
    Linear down;            ///< W_1 and b_1: (width) to (bottleneck)
    Linear up;              ///< W_2 and b_2: (bottleneck) to (width), zero at the start
    Activation activation;  ///< f

    /// Initialises the weights. @throws Error unless the bottleneck has at least one unit
    Adapter(Index width, Index bottleneck, Generator& random, Activation activation = relu,
            Device device = Device::cpu);

    Tensor operator()(const Tensor& x) const;  ///< (..., width) to the same shape.

    /// Names its parts.
    void visit(auto&& part) { part("down", down), part("up", up); }
};

/// Takes all tensors of a model off the tape, so that they are no longer trained; their numbers stay. Tensors of other
/// models that share these numbers are trained as before.
template <class Model>
void freeze(Model& model) {
    walk("", model, [](const std::string&, Tensor& t) { t = t.detach(); });
}

}  // namespace RECTO::nn
