#pragma once
/// @file
/// Modules one after another: Sequential for any modules, Mlp for fully connected layers.
#include <tuple>
#include <utility>

#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/prelu.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

/// relu() as a module.
struct Relu {
    Tensor operator()(const Tensor& x) const { return relu(x); }  ///< Same shape.
};
/// tanh() as a module.
struct Tanh {
    Tensor operator()(const Tensor& x) const { return tanh(x); }  ///< Same shape.
};
/// sigmoid() as a module.
struct Sigmoid {
    Tensor operator()(const Tensor& x) const { return sigmoid(x); }  ///< Same shape.
};
/// gelu() as a module.
struct Gelu {
    Tensor operator()(const Tensor& x) const { return gelu(x); }  ///< Same shape.
};
/// silu() as a module.
struct Silu {
    Tensor operator()(const Tensor& x) const { return silu(x); }  ///< Same shape.
};
/// leaky_relu() as a module.
struct LeakyRelu {
    double slope = 0.01;                                                       ///< factor below 0
    Tensor operator()(const Tensor& x) const { return leaky_relu(x, slope); }  ///< Same shape.
    void visit(auto&&) {}                                                      ///< Has no parameters.
};
/// elu() as a module.
struct Elu {
    double alpha = 1;                                                   ///< the limit at -inf is -alpha
    Tensor operator()(const Tensor& x) const { return elu(x, alpha); }  ///< Same shape.
    void visit(auto&&) {}                                               ///< Has no parameters.
};
/// selu() as a module.
struct Selu {
    Tensor operator()(const Tensor& x) const { return selu(x); }  ///< Same shape.
};
/// prelu() as a module, with learned slopes.
struct PRelu {
    Tensor weight;  ///< (1), or (channels)

    /// Every slope starts at `slope`. @param channels  1 for one slope, or the extent of axis 1 for one each
    explicit PRelu(Index channels = 1, double slope = 0.25, Device device = Device::cpu)
        : weight(full({channels}, Real(slope), device).requires_grad_()) {}

    Tensor operator()(const Tensor& x) const { return prelu(x, weight); }  ///< Same shape.
    void visit(auto&& part) { part("weight", weight); }                    ///< Names its parameter.
};
/// flatten() as a module: one row for each sample.
struct Flatten {
    Tensor operator()(const Tensor& x) const { return flatten(x); }  ///< (batch, ...) to (batch, all)
};

/// Modules of any types, each applied to the result of the one before: `Sequential(Linear(...), Relu(), ...)`. Their
/// parameters are called `0.weight`, `2.weight`, ...
template <class... Parts>
struct Sequential {
    std::tuple<Parts...> parts;  ///< in order

    /// Takes its parts, in order.
    explicit Sequential(Parts... parts) : parts(std::move(parts)...) {}

    /// Applies all parts, in order.
    Tensor operator()(Tensor x) const {
        std::apply([&](const auto&... part) { ((x = part(x)), ...); }, parts);
        return x;
    }
    /// Names its parts by their index.
    void visit(auto&& part) {
        int place = 0;
        std::apply([&](auto&... inner) { (part(std::to_string(place++), inner), ...); }, parts);
    }
};

/// A multi-layer perceptron: fully connected layers with an activation function between them, none after the last.
struct Mlp {
    std::vector<Linear> layers;  ///< one fewer than there are sizes
    Activation activation;       ///< applied between the layers; nullptr for none

    /// @param sizes  of the input, of every hidden layer, and of the output: `{784, 100, 10}`
    /// @throws Error with fewer than two sizes
    Mlp(std::initializer_list<Index> sizes, Activation activation, Generator& random, LinearOptions options = {})
        : Mlp(std::vector<Index>(sizes), activation, random, options) {}
    /// A perceptron from computed sizes.
    Mlp(const std::vector<Index>& sizes, Activation activation, Generator& random, LinearOptions options = {});

    Tensor operator()(Tensor x) const;  ///< (..., first size) to (..., last size)

    /// Names its parts: `layers.0.weight`, ...
    void visit(auto&& part) { part("layers", layers); }
};

}  // namespace RECTO::nn
