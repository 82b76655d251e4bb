#pragma once
/// @file
/// Skip connections: a tensor bypasses a module, and is added to the module's result or concatenated with it.
#include <utility>

#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/shapes/concat.hpp>

namespace RECTO::nn {

/// A residual connection, x + part(x):
///
///     nn::Residual(nn::Sequential(nn::Linear(64, 64, random), nn::Relu(), nn::Linear(64, 64, random)))
///
/// He et al. 2016, *Deep residual learning for image recognition*.
template <class Part>
struct Residual {
    Part part;  ///< computes the residual

    /// Takes the module that computes the residual.
    explicit Residual(Part part) : part(std::move(part)) {}

    /// Returns the shape of x. @throws Error unless the part keeps it
    Tensor operator()(const Tensor& x) const {
        const Tensor added = part(x);
        check(added.shape() == x.shape(), "Residual: wanted a part that keeps the shape {}, got the shape {}",
              x.shape(), added.shape());
        return x + added;
    }
    /// Names its part.
    void visit(auto&& visitor) { visitor("part", part); }
};

/// A skip connection by concatenation: x followed by part(x) along an axis, by default the channels of (batch,
/// channels, ...). Ronneberger et al. 2015, *U-Net*.
template <class Part>
struct SkipConcat {
    Part part;     ///< computes the second half of the result
    int axis = 1;  ///< axis of the concatenation

    /// Takes the module that computes the second half.
    explicit SkipConcat(Part part, int axis = 1) : part(std::move(part)), axis(axis) {}

    /// Returns the shape of x except for the axis, whose extents are added.
    /// @throws Error unless the part keeps all other axes
    Tensor operator()(const Tensor& x) const { return concat({x, part(x)}, axis); }
    /// Names its part.
    void visit(auto&& visitor) { visitor("part", part); }
};

}  // namespace RECTO::nn
