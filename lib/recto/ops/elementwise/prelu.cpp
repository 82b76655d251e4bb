#include <recto/ops/elementwise/prelu.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO {
namespace {

/// Which slope number i uses: x is (outer, channels, inner).
struct Channels {
    Index outer, channels, inner;
    RECTO_HD Index operator()(Index i) const { return channels == 1 ? 0 : i / inner % channels; }
};

struct Prelu {
    Channels channel;
    const Real *x, *weight;
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = x[i] > 0 ? x[i] : weight[channel(i)] * x[i]; }
};

struct PreluGrad {
    Channels channel;
    const Real *x, *weight, *dy;
    Real* dx;
    RECTO_HD void operator()(Index i) const { dx[i] = x[i] > 0 ? dy[i] : weight[channel(i)] * dy[i]; }
};

/// The contribution of each number to the gradient of its slope.
struct SlopeTerms {
    const Real *x, *dy;
    Real* to;
    RECTO_HD void operator()(Index i) const { to[i] = x[i] > 0 ? 0 : x[i] * dy[i]; }
};

}  // namespace

Tensor prelu(const Tensor& x, const Tensor& weight) {
    check_defined("prelu", x, weight);
    const bool one = weight.shape() == Shape{1};
    check(one || (x.dim() >= 2 && weight.shape() == Shape{x.size(1)}),
          "prelu: wanted one slope, of shape (1), or one for each channel, got shape {} for x of shape {}",
          weight.shape(), x.shape());
    check(x.device() == weight.device(), "prelu: wanted both on one device, got {} and {}", x.device(),
          weight.device());
    Channels channel{1, 1, x.numel()};
    if (!one) channel = {x.size(0), x.size(1), x.shape().without(0).without(0).numel()};
    const Tensor in = dense(x), w = dense(weight);
    const bool need_dx = x.requires_grad(), need_dw = weight.requires_grad();
    Tensor y = empty_like(x);
    each(x.device(), x.numel(), Prelu{channel, in.data(), w.data(), y.write()});
    return record("prelu", y, {x, weight}, [channel, in = Saved(in), w = Saved(w), need_dx, need_dw](const Tensor& dy) {
        const Tensor g = dense(dy);
        Grads grads(2);
        if (need_dw) {
            Tensor terms = empty({channel.outer, channel.channels, channel.inner}, g.device());
            each(g.device(), g.numel(), SlopeTerms{in->data(), g.data(), terms.write()});
            grads[1] = sum(terms, {0, 2});
        }
        if (need_dx) {
            grads[0] = empty_like(g);
            each(g.device(), g.numel(), PreluGrad{channel, in->data(), w->data(), g.data(), grads[0].write()});
        }
        return grads;
    });
}

}  // namespace RECTO
