#include <recto/ops/images/conv.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/convolve.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO {
namespace {

constexpr Index most = 1 << 30;  // for every option, so that sums of a few options do not overflow

/// The options by axis: 0 for the height, 1 for the width.
struct Settings {
    Index stride[2], padding[2], output_padding[2], dilation[2], groups;

    Settings(const ConvOptions& o)
        : stride{o.stride.height, o.stride.width},
          padding{o.padding.height, o.padding.width},
          output_padding{o.output_padding.height, o.output_padding.width},
          dilation{o.dilation.height, o.dilation.width},
          groups(o.groups) {}
};

/// The options of a series, which is an image of height 1.
ConvOptions along_width(const char* name, const ConvOptions& o) {
    const auto one = [name](const char* option, Pair pair) { return one_number(name, option, pair); };
    return {.stride = {1, one("stride", o.stride)},
            .padding = {0, one("padding", o.padding)},
            .output_padding = {0, one("output padding", o.output_padding)},
            .dilation = {1, one("dilation", o.dilation)},
            .groups = o.groups};
}

/// Checks the arguments of both directions, and computes all extents: those of the convolution, or, if transposed, of
/// the convolution whose backward pass this is.
Convolution geometry(const char* name, const Tensor& x, const Tensor& weight, const Tensor& bias, const Settings& s,
                     int axes, bool transposed) {
    check_defined(name, x, weight);
    const char* place = axes == 2 ? "height, width" : "time";
    check(x.dim() == axes + 2, "{}: wanted an input (batch, channels, {}), got shape {}", name, place, x.shape());
    check(weight.dim() == axes + 2, "{}: wanted weights with {} axes, got shape {}", name, axes + 2, weight.shape());
    check(s.groups >= 1, "{}: wanted at least one group, got {}", name, s.groups);
    const Index first = weight.size(0), second = weight.size(1), channels = x.size(1);
    check(first % s.groups == 0, "{}: {} groups do not divide the {} channels of weights {}, got an input of shape {}",
          name, s.groups, first, weight.shape(), x.shape());
    const Index wanted = transposed ? first : checked_product(second, s.groups, name);
    check(channels == wanted, "{}: weights {} in {} groups want {} channels, got an input of shape {}", name,
          weight.shape(), s.groups, wanted, x.shape());
    const Index results = transposed ? checked_product(second, s.groups, name) : first;
    check(!bias.defined() || bias.shape() == Shape{results}, "{}: weights {} want a bias of shape ({}), got {}", name,
          weight.shape(), results, bias.shape());
    check(x.device() == weight.device() && (!bias.defined() || bias.device() == x.device()),
          "{}: wanted input, weights and bias on one device, got {}, {} and {}", name, x.device(), weight.device(),
          bias.defined() ? bias.device() : weight.device());

    Convolution c{};
    c.batch = x.size(0), c.groups = s.groups, c.out = first / s.groups, c.in = second;
    for (int i = 0; i < 2; ++i) {
        check(s.stride[i] >= 1 && s.stride[i] <= most, "{}: wanted a stride of at least 1, got {}", name, s.stride[i]);
        check(s.dilation[i] >= 1 && s.dilation[i] <= most, "{}: wanted a dilation of at least 1, got {}", name,
              s.dilation[i]);
        check(s.padding[i] >= 0 && s.padding[i] <= most, "{}: wanted a padding of at least 0, got {}", name,
              s.padding[i]);
        const Index extent = axes == 1 && i == 0 ? 1 : x.size(i - 2);
        c.kernel[i] = axes == 1 && i == 0 ? 1 : weight.size(i - 2);
        check(c.kernel[i] >= 1 && c.kernel[i] <= most, "{}: wanted a kernel of at least 1, got weights {}", name,
              weight.shape());
        check(extent <= most, "{}: wanted extents of at most 2^30, got shape {}", name, x.shape());
        c.stride[i] = s.stride[i], c.padding[i] = s.padding[i], c.dilation[i] = s.dilation[i];
        const Index reach = s.dilation[i] * (c.kernel[i] - 1) + 1, whole = extent + 2 * s.padding[i];
        if (transposed) {
            const Index extra = s.output_padding[i];
            check(extra >= 0 && (extra < s.stride[i] || extra < s.dilation[i]),
                  "{}: wanted an output padding below stride {} or dilation {}, got {}", name, s.stride[i],
                  s.dilation[i], extra);
            c.result[i] = extent;
            c.size[i] = (extent - 1) * s.stride[i] - 2 * s.padding[i] + reach + extra;
            check(extent >= 1 && c.size[i] >= 1, "{}: a padding of {} leaves nothing of an input of shape {}", name,
                  s.padding[i], x.shape());
        } else {
            check(s.output_padding[i] == 0,
                  "{}: wanted an output padding of 0, as in every convolution that is not transposed, got {}", name,
                  s.output_padding[i]);
            c.size[i] = extent;
            check(extent >= 1 && whole >= reach,
                  "{}: a kernel that spans {} does not fit into {} with a padding of {}, got an input of shape {}",
                  name, reach, extent, s.padding[i], x.shape());
            c.result[i] = (whole - reach) / s.stride[i] + 1;
        }
    }
    return c;
}

/// The shape with these extents, as a series or as images.
Shape shape_of(Index batch, Index channels, const Index* extents, int axes) {
    return axes == 2 ? Shape{batch, channels, extents[0], extents[1]} : Shape{batch, channels, extents[1]};
}

/// dy summed over all axes except the channels.
Tensor bias_gradient(const Tensor& dy) { return dy.dim() == 4 ? sum(dy, {0, 2, 3}) : sum(dy, {0, 2}); }

/// The four functions: a convolution, or the backward pass of one.
Tensor convolution(const char* name, const Tensor& x, const Tensor& weight, const Tensor& bias, const Settings& s,
                   int axes, bool transposed) {
    const Convolution c = geometry(name, x, weight, bias, s, axes, transposed);
    const Tensor a = dense(x), w = dense(weight), b = bias.defined() ? dense(bias) : Tensor();
    const Device device = x.device();
    const Real* add = b.defined() ? b.data() : nullptr;
    Tensor y = empty(transposed ? shape_of(c.batch, c.groups * c.in, c.size, axes)
                                : shape_of(c.batch, c.groups * c.out, c.result, axes),
                     device);
    if (transposed)
        convolve_back(device, c, a.data(), w.data(), add, y.write());
    else
        convolve(device, c, a.data(), w.data(), add, y.write());

    const bool need_dx = x.requires_grad(), need_dw = weight.requires_grad(), need_db = bias.requires_grad();
    return record(name, y, {x, weight, bias},
                  [=, a = Saved(a), w = Saved(w), from = x.shape(), of_w = weight.shape()](const Tensor& dy) {
                      const Tensor g = dense(dy);
                      Grads grads(3);
                      if (need_dx) {
                          grads[0] = empty(from, device);
                          if (transposed)
                              convolve(device, c, g.data(), w->data(), nullptr, grads[0].write());
                          else
                              convolve_back(device, c, g.data(), w->data(), nullptr, grads[0].write());
                      }
                      const bool together = need_dw && need_db && !transposed;  // one pass over dy
                      if (together) grads[2] = empty({of_w[0]}, device);
                      if (need_dw) {
                          grads[1] = empty(of_w, device);
                          const Tensor &read = transposed ? g : *a, &result = transposed ? *a : g;
                          convolve_weights(device, c, read.data(), result.data(), grads[1].write(),
                                           together ? grads[2].write() : nullptr);
                      }
                      if (need_db && !together) grads[2] = bias_gradient(g);
                      return grads;
                  });
}

}  // namespace

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, ConvOptions options) {
    return convolution("conv2d", x, weight, bias, options, 2, false);
}

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, ConvOptions options) {
    return convolution("conv1d", x, weight, bias, along_width("conv1d", options), 1, false);
}

Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias, ConvOptions options) {
    return convolution("conv_transpose2d", x, weight, bias, options, 2, true);
}

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias, ConvOptions options) {
    return convolution("conv_transpose1d", x, weight, bias, along_width("conv_transpose1d", options), 1, true);
}

}  // namespace RECTO
