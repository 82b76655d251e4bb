#include <recto/ops/losses/mse_loss.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/scaled_sum.hpp>

namespace RECTO {
namespace {

struct SquaredDifference {
    const Real *f, *y;
    RECTO_HD Real operator()(Index i) const {
        const Real d = f[i] - y[i];
        return d * d;
    }
};

/// out = scale dL (f - y)
struct MseGrad {
    const Real *f, *y, *loss_grad;
    Real* out;
    Real scale;
    RECTO_HD void operator()(Index i) const { out[i] = scale * loss_grad[0] * (f[i] - y[i]); }
};

}  // namespace

Tensor mse_loss(const Tensor& prediction, const Tensor& target) {
    check_defined("mse_loss", prediction, target);
    check(prediction.shape() == target.shape(), "mse_loss: wanted prediction and target of one shape, got {} and {}",
          prediction.shape(), target.shape());
    check(prediction.numel() > 0, "mse_loss: wanted at least one number, got shape {}", prediction.shape());
    check(prediction.device() == target.device(), "mse_loss: wanted both on one device, got {} and {}",
          prediction.device(), target.device());
    const Tensor f = dense(prediction), y = dense(target);
    const Tensor loss = scaled_sum(f.device(), f.numel(), SquaredDifference{f.data(), y.data()}, 1 / Real(f.numel()));
    const bool need_df = prediction.requires_grad(), need_dy = target.requires_grad();
    return record("mse_loss", loss, {prediction, target},
                  [f = Saved(f), y = Saved(y), need_df, need_dy](const Tensor& dl) {
                      const auto gradient = [&](bool needed, Real sign) {
                          if (!needed) return Tensor();
                          Tensor out = empty_like(*f);
                          each(f->device(), f->numel(),
                               MseGrad{f->data(), y->data(), dl.data(), out.write(), sign * 2 / Real(f->numel())});
                          return out;
                      };
                      return Grads{gradient(need_df, 1), gradient(need_dy, -1)};
                  });
}

}  // namespace RECTO
