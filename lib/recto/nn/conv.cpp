#include <recto/nn/conv.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace RECTO::nn {
namespace {

/// The options of conv2d() from those of a layer.
ConvOptions moving(const ConvLayerOptions& o) { return {o.stride, o.padding, o.output_padding, o.dilation, o.groups}; }

/// Rejects options that no input fits, before the first input.
void check_options(const char* name, const ConvLayerOptions& o, bool series, bool transposed) {
    for (const auto& [option, pair, least] :
         {std::tuple{"stride", o.stride, 1}, {"padding", o.padding, 0}, {"dilation", o.dilation, 1}}) {
        if (series) one_number(name, option, pair);
        check(pair.height >= least && pair.width >= least, "{}: wanted a {} of at least {}, got {}", name, option,
              least, pair);
    }
    check(transposed || o.output_padding == 0,
          "{}: wanted an output padding of 0, as in every convolution that is not transposed, got {}", name,
          o.output_padding);
}

/// Checks the sizes, and initialises weights of shape `weights` and one bias for each of `out` channels.
template <class Layer>
void draw(const char* name, Layer& layer, Index in, Index out, const Shape& kernel, bool transposed, Generator& random,
          const ConvLayerOptions& o) {
    check_options(name, o, kernel.dim() == 1, transposed);
    check(in >= 1 && out >= 1, "{}: wanted at least one channel, got {} in and {} out", name, in, out);
    check(o.groups >= 1 && in % o.groups == 0 && out % o.groups == 0,
          "{}: {} groups do not divide {} channels in and {} out", name, o.groups, in, out);
    PerAxis extents{transposed ? in : out, (transposed ? out : in) / o.groups};
    for (int axis = 0; axis < kernel.dim(); ++axis) {
        check(kernel[axis] >= 1, "{}: wanted a kernel of at least 1, got shape {}", name, kernel);
        extents[std::size_t(axis) + 2] = kernel[axis];
    }
    const Shape shape(std::span<const Index>(extents.data(), std::size_t(kernel.dim()) + 2));
    layer.weight = o.weights(shape, random, o.device).requires_grad_();
    if (!o.bias) return;
    const Real bound = o.weights == uniform_init ? Real(1 / std::sqrt(double(fan_in(shape)))) : Real(0);
    layer.bias = bound > 0 ? random.uniform({out}, -bound, bound, o.device) : zeros({out}, o.device);
    layer.bias.requires_grad_();
}

}  // namespace

Conv2d::Conv2d(Index in, Index out, Pair kernel, Generator& random, ConvLayerOptions o) : options(moving(o)) {
    draw("Conv2d", *this, in, out, {kernel.height, kernel.width}, false, random, o);
}
Tensor Conv2d::operator()(const Tensor& x) const { return conv2d(x, weight, bias, options); }

Conv1d::Conv1d(Index in, Index out, Index kernel, Generator& random, ConvLayerOptions o) : options(moving(o)) {
    draw("Conv1d", *this, in, out, {kernel}, false, random, o);
}
Tensor Conv1d::operator()(const Tensor& x) const { return conv1d(x, weight, bias, options); }

ConvTranspose2d::ConvTranspose2d(Index in, Index out, Pair kernel, Generator& random, ConvLayerOptions o)
    : options(moving(o)) {
    draw("ConvTranspose2d", *this, in, out, {kernel.height, kernel.width}, true, random, o);
}
Tensor ConvTranspose2d::operator()(const Tensor& x) const { return conv_transpose2d(x, weight, bias, options); }

}  // namespace RECTO::nn
