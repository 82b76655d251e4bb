#pragma once
/// @file
/// Layer: any layer of the library behind one interface, for code that treats all layers alike.
#include <type_traits>
#include <utility>
#include <variant>

#include <recto/nn/attention.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/positions.hpp>
#include <recto/nn/recurrent.hpp>
#include <recto/nn/regularise.hpp>
#include <recto/nn/sequential.hpp>

namespace RECTO::nn {

/// A layer of any kind: a function with parameters whose result has a shape known in advance.
///
///     const std::vector<nn::Layer> layers = {nn::Linear(784, 100, random), nn::Relu(), nn::Linear(100, 10, random)};
///
/// It is a module: counting, training, saving and clone() work as for every model, and its parameters are called
/// `Linear.weight`, ... As with every module, a copy shares its parameters.
struct Layer {
    /// The kinds: all layers of the library that map one tensor to one tensor. A recurrent layer starts from zeros and
    /// returns the states after all steps.
    using Kind =
        std::variant<Linear, Conv1d, Conv2d, ConvTranspose2d, MaxPool2d, AvgPool2d, Flatten, Relu, Tanh, Sigmoid, Gelu,
                     Silu, LeakyRelu, Elu, Selu, PRelu, LayerNorm, RmsNorm, GroupNorm, BatchNorm, Dropout,
                     SpatialDropout, LearnedPositions, SinusoidalPositions, MultiHeadAttention, Rnn, Lstm, Gru>;

    Kind kind;  ///< the layer itself

    /// Converts a layer of any kind.
    template <class One>
    requires std::is_constructible_v<Kind, One> Layer(One layer) : kind(std::move(layer)) {}

    Tensor operator()(const Tensor& x) const;  ///< The layer's result. @throws Error as the layer
    /// The shape of the result for inputs of a shape, without computing it. @throws Error for a shape that does not fit
    Shape result_shape(const Shape& x) const;
    std::string name() const;  ///< The kind, such as `Conv2d`.

    /// Names its part: the layer, by its kind.
    void visit(auto&& part) {
        std::visit([&](auto& layer) { part(name(), layer); }, kind);
    }
};

/// A layer, and the shape of an input that it accepts.
struct LayerExample {
    Layer layer;  ///< with random sizes and weights
    Shape input;  ///< random where the layer accepts several
};

/// An example of each kind of layer, small and random, in the order of Layer::Kind.
/// @param random  must exist as long as the examples, whose dropout draws from it
std::vector<LayerExample> layer_examples(Generator& random);

}  // namespace RECTO::nn
