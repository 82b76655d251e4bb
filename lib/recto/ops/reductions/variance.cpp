#include <recto/ops/reductions/variance.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/base/axes.hpp>
#include <recto/device/launch.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO {
namespace {

/// 1 / y, and 0 for y = 0, where the norm has its minimum.
struct InverseOrZero {
    const Real* y;
    Real* out;
    RECTO_HD void operator()(Index i) const { out[i] = y[i] == 0 ? 0 : 1 / y[i]; }
};

}  // namespace

Tensor variance(const Tensor& x, std::span<const int> axes, int correction, Keep keep) {
    check_defined("variance", x);
    const ChosenAxes chosen("variance", x.shape(), axes);
    check(correction == 0 || correction == 1, "variance: wanted a correction of 0 or 1, got {}", correction);
    const Index n = chosen.together(x.shape());
    const double parts = n > correction ? double(n - correction) : double(not_a_number);
    const Tensor in = x.detach(), mean = recto::mean(in, axes, Keep::yes);
    const Tensor y = sum(square(in - mean), axes, keep) / parts;
    return record("variance", y, {x}, [in = Saved(in), mean, parts](const Tensor& dy) {
        return Grads{(*in - mean) * (reshape(dy, mean.shape()) * (2 / parts))};
    });
}

Tensor norm(const Tensor& x, std::span<const int> axes, Keep keep) {
    check_defined("norm", x);
    const ChosenAxes chosen("norm", x.shape(), axes);
    const Tensor in = x.detach(), y = sqrt(sum(square(in), axes, keep));
    return record("norm", y, {x},
                  [in = Saved(in), y = Saved(y), kept = chosen.result(x.shape(), true)](const Tensor& dy) {
                      Tensor inverse = empty_like(*y);
                      each(dy.device(), inverse.numel(), InverseOrZero{y->data(), inverse.write()});
                      return Grads{*in * reshape(dy * inverse, kept)};
                  });
}

Tensor variance(const Tensor& x, std::initializer_list<int> axes, int correction, Keep keep) {
    return variance(x, std::span(axes), correction, keep);
}
Tensor norm(const Tensor& x, std::initializer_list<int> axes, Keep keep) { return norm(x, std::span(axes), keep); }

Tensor variance(const Tensor& x, int correction) {
    check_defined("variance", x);
    return variance(reshape(x, {x.numel()}), {0}, correction);
}
Tensor norm(const Tensor& x) {
    check_defined("norm", x);
    return norm(reshape(x, {x.numel()}), {0});
}

}  // namespace RECTO
