#include <recto/ops/elementwise/round_to.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

struct RoundTo {
    const Real* x;
    Real* y;
    FloatFormat format;
    RECTO_HD void operator()(Index i) const { y[i] = rounded(x[i], format); }
};

Tensor apply(const Tensor& x, FloatFormat format) {
    const Tensor in = dense(x);
    Tensor y = empty_like(in);
    each(in.device(), in.numel(), RoundTo{in.data(), y.write(), format});
    return y;
}

}  // namespace

Tensor round_to(const Tensor& x, FloatFormat format) {
    check_defined("round_to", x);
    return record("round_to", apply(x, format), {x}, [format](const Tensor& dy) { return Grads{apply(dy, format)}; });
}

}  // namespace RECTO
