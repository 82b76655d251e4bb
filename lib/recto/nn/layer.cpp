#include <recto/nn/layer.hpp>

#include <array>
#include <string_view>

namespace RECTO::nn {
namespace {

/// Names in the order of Layer::Kind.
constexpr std::array<std::string_view, std::variant_size_v<Layer::Kind>> names = {"Linear",
                                                                                  "Conv1d",
                                                                                  "Conv2d",
                                                                                  "ConvTranspose2d",
                                                                                  "MaxPool2d",
                                                                                  "AvgPool2d",
                                                                                  "Flatten",
                                                                                  "Relu",
                                                                                  "Tanh",
                                                                                  "Sigmoid",
                                                                                  "Gelu",
                                                                                  "Silu",
                                                                                  "LeakyRelu",
                                                                                  "Elu",
                                                                                  "Selu",
                                                                                  "PRelu",
                                                                                  "LayerNorm",
                                                                                  "RmsNorm",
                                                                                  "GroupNorm",
                                                                                  "BatchNorm",
                                                                                  "Dropout",
                                                                                  "SpatialDropout",
                                                                                  "LearnedPositions",
                                                                                  "SinusoidalPositions",
                                                                                  "MultiHeadAttention",
                                                                                  "Rnn",
                                                                                  "Lstm",
                                                                                  "Gru"};

/// Rejects an input with fewer than `axes` axes or with another extent than `extent` along `axis`.
void want(std::string_view name, const Shape& x, int axes, int axis, Index extent) {
    check(x.dim() >= axes && x.size(axis) == extent,
          "{}: wanted an extent of {} along axis {}, got an input of shape {}", name, extent, axis, x);
}

/// The number of positions of a window along one axis.
Index places(std::string_view name, Index size, Index kernel, Index stride, Index padding, Index dilation = 1) {
    const Index reach = dilation * (kernel - 1) + 1, whole = size + 2 * padding;
    check(whole >= reach, "{}: a window that spans {} does not fit into {} with a padding of {}", name, reach, size,
          padding);
    return (whole - reach) / stride + 1;
}

/// The shape of a pooling layer's result.
Shape pooled(std::string_view name, const Shape& x, Pair kernel, const PoolOptions& o) {
    check(x.dim() >= 2, "{}: wanted an input of at least 2 axes, got shape {}", name, x);
    const auto step = [](Index stride, Index side) { return stride == PoolOptions::as_kernel ? side : stride; };
    return x
        .with(-2, places(name, x.size(-2), kernel.height, step(o.stride.height, kernel.height), o.padding.height,
                         o.dilation.height))
        .with(-1, places(name, x.size(-1), kernel.width, step(o.stride.width, kernel.width), o.padding.width,
                         o.dilation.width));
}

/// The shape of a recurrent layer's result.
Shape states(std::string_view name, const Shape& x, const RecurrentWeights& weights) {
    want(name, x, 2, -1, weights.weight_ih.size(1));
    return x.with(-1, weights.weight_hh.size(1));
}

/// The rules, one for each kind that changes the shape; all others keep it.
struct Rules {
    std::string_view name;
    const Shape& x;

    Shape operator()(const Linear& layer) const {
        want(name, x, 1, -1, layer.weight.size(1));
        return x.with(-1, layer.weight.size(0));
    }
    Shape operator()(const Conv1d& layer) const {
        const ConvOptions& o = layer.options;
        want(name, x, 3, 1, layer.weight.size(1) * o.groups);
        return {x[0], layer.weight.size(0),
                places(name, x[2], layer.weight.size(2), o.stride.width, o.padding.width, o.dilation.width)};
    }
    Shape operator()(const Conv2d& layer) const {
        const ConvOptions& o = layer.options;
        want(name, x, 4, 1, layer.weight.size(1) * o.groups);
        return {x[0], layer.weight.size(0),
                places(name, x[2], layer.weight.size(2), o.stride.height, o.padding.height, o.dilation.height),
                places(name, x[3], layer.weight.size(3), o.stride.width, o.padding.width, o.dilation.width)};
    }
    Shape operator()(const ConvTranspose2d& layer) const {
        const ConvOptions& o = layer.options;
        want(name, x, 4, 1, layer.weight.size(0));
        const auto extent = [](Index size, Index kernel, Index stride, Index padding, Index dilation, Index extra) {
            return (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1 + extra;
        };
        return {x[0], layer.weight.size(1) * o.groups,
                extent(x[2], layer.weight.size(2), o.stride.height, o.padding.height, o.dilation.height,
                       o.output_padding.height),
                extent(x[3], layer.weight.size(3), o.stride.width, o.padding.width, o.dilation.width,
                       o.output_padding.width)};
    }
    Shape operator()(const MaxPool2d& layer) const { return pooled(name, x, layer.kernel, layer.options); }
    Shape operator()(const AvgPool2d& layer) const { return pooled(name, x, layer.kernel, layer.options); }
    Shape operator()(const Flatten&) const {
        check(x.dim() >= 1, "{}: wanted an input of at least 1 axis, got shape {}", name, x);
        Index all = 1;
        for (int axis = 1; axis < x.dim(); ++axis) all *= x[axis];
        return {x[0], all};
    }
    Shape operator()(const Rnn& layer) const { return states(name, x, layer.weights); }
    Shape operator()(const Lstm& layer) const { return states(name, x, layer.weights); }
    Shape operator()(const Gru& layer) const { return states(name, x, layer.weights); }
    template <class Other>
    Shape operator()(const Other&) const {
        return x;
    }
};

}  // namespace

Tensor Layer::operator()(const Tensor& x) const {
    return std::visit(
        [&](const auto& layer) -> Tensor {
            if constexpr (requires { layer.weights; })  // a recurrent layer
                return layer(x).y;
            else
                return layer(x);
        },
        kind);
}

Shape Layer::result_shape(const Shape& x) const {
    const std::string called = name();
    return std::visit(Rules{called, x}, kind);
}

std::string Layer::name() const { return std::string(names[kind.index()]); }

std::vector<LayerExample> layer_examples(Generator& random) {
    const auto some = [&](Index low, Index high) { return random.next_integer(low, high + 1); };
    const Index batch = some(1, 2), in = some(1, 2), out = some(1, 3), groups = some(1, 2), time = some(5, 7),
                width = 2 * some(1, 3);
    const Shape image{batch, 2 * in, some(5, 6), some(5, 6)}, series{batch, 2 * in, time}, row{batch, time, width};
    const Pair kernel{some(1, 3), some(1, 3)};
    const auto moving = [&]() -> ConvLayerOptions {
        return {.stride = {some(1, 3), some(1, 3)},
                .padding = {some(0, 1), some(0, 1)},
                .dilation = {some(1, 2), some(1, 2)},
                .groups = groups};
    };
    ConvLayerOptions along = moving(), spread = moving();
    along.stride = along.stride.width, along.padding = along.padding.width, along.dilation = along.dilation.width;
    spread.output_padding = {spread.stride.height - 1, spread.stride.width - 1};
    const PoolOptions window{.stride = {some(1, 3), some(1, 3)},
                             .padding = {kernel.height / 2, kernel.width / 2},
                             .dilation = {some(1, 2), some(1, 2)}};
    return {{Linear(width, out, random), row},
            {Conv1d(2 * in, 2 * out, some(1, 3), random, along), series},
            {Conv2d(2 * in, 2 * out, kernel, random, moving()), image},
            {ConvTranspose2d(2 * in, 2 * out, {3, 3}, random, spread), image},
            {MaxPool2d{kernel, window}, image},
            {AvgPool2d{kernel}, image},
            {Flatten(), image},
            {Relu(), row},
            {Tanh(), row},
            {Sigmoid(), row},
            {Gelu(), row},
            {Silu(), row},
            {LeakyRelu(), row},
            {Elu(), row},
            {Selu(), row},
            {PRelu(2 * in), series},
            {LayerNorm({width}), row},
            {RmsNorm({width}), row},
            {GroupNorm(2, 2 * in), image},
            {BatchNorm(2 * in), image},
            {Dropout(0.5, random), row},
            {SpatialDropout(0.5, random), image},
            {LearnedPositions(10, width, random), row},
            {SinusoidalPositions(10, width), row},
            {MultiHeadAttention(width, 2, random), row},
            {Rnn(width, out, random), row},
            {Lstm(width, out, random), row},
            {Gru(width, out, random), row}};
}

}  // namespace RECTO::nn
