#pragma once
/// @file
/// Skip connections: a tensor goes around a module, and is added to its result or put beside it.
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
    Part part;  ///< computes what is added

    /// Takes the module that computes what is added.
    explicit Residual(Part part) : part(std::move(part)) {}

    /// Same shape. @throws Error unless the part keeps the shape of x
    Tensor operator()(const Tensor& x) const {
        const Tensor added = part(x);
        check(added.shape() == x.shape(), "Residual: wanted a part that keeps the shape {}, got the shape {}",
              x.shape(), added.shape());
        return x + added;
    }
    /// Names its part.
    void visit(auto&& visitor) { visitor("part", part); }
};

/// A skip connection by concatenation: x and part(x), one after the other along an axis, by default that of the channels
/// in (batch, channels, ...). Ronneberger et al. 2015, *U-Net*.
template <class Part>
struct SkipConcat {
    Part part;     ///< computes what is put after x
    int axis = 1;  ///< of the concatenation

    /// Takes the module that computes what is put after x.
    explicit SkipConcat(Part part, int axis = 1) : part(std::move(part)), axis(axis) {}

    /// The shape of x but for the axis, whose extents are added.
    /// @throws Error unless the part keeps all other axes
    Tensor operator()(const Tensor& x) const { return concat({x, part(x)}, axis); }
    /// Names its part.
    void visit(auto&& visitor) { visitor("part", part); }
};

}  // namespace RECTO::nn
