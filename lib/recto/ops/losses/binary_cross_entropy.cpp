#include <recto/ops/losses/binary_cross_entropy.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/scaled_sum.hpp>

namespace RECTO {
namespace {

/// log(1 + e^x) - t x, without the difference of two large numbers.
struct BinaryLoss {
    const Real *x, *t;
    RECTO_HD Real operator()(Index i) const {
        const Real v = x[i], away = v < 0 ? v : -v;
        return (v > 0 ? v * (1 - t[i]) : -(v * t[i])) + log1p(exp(away));
    }
};

/// dx = scale dL (sigmoid(x) - t)
struct ScoreGrad {
    const Real *x, *t, *loss_grad;
    Real* dx;
    Real scale;
    RECTO_HD void operator()(Index i) const { dx[i] = scale * loss_grad[0] * (sigmoid(x[i]) - t[i]); }
};

/// dt = -scale dL x
struct TargetGrad {
    const Real *x, *loss_grad;
    Real* dt;
    Real scale;
    RECTO_HD void operator()(Index i) const { dt[i] = -scale * loss_grad[0] * x[i]; }
};

}  // namespace

Tensor binary_cross_entropy(const Tensor& scores, const Tensor& targets) {
    check_defined("binary_cross_entropy", scores, targets);
    check(scores.shape() == targets.shape(),
          "binary_cross_entropy: wanted scores and targets of one shape, got {} and {}", scores.shape(),
          targets.shape());
    check(scores.numel() > 0, "binary_cross_entropy: wanted at least one number, got shape {}", scores.shape());
    check(scores.device() == targets.device(), "binary_cross_entropy: wanted both on one device, got {} and {}",
          scores.device(), targets.device());
    const Tensor x = dense(scores), t = dense(targets);
    const Index n = x.numel();
    const Real scale = 1 / Real(n);
    const Tensor loss = scaled_sum(x.device(), n, BinaryLoss{x.data(), t.data()}, scale);
    const bool need_dx = scores.requires_grad(), need_dt = targets.requires_grad();
    return record("binary_cross_entropy", loss, {scores, targets},
                  [x = Saved(x), t = Saved(t), n, scale, need_dx, need_dt](const Tensor& dl) {
                      Grads grads(2);
                      if (need_dx) {
                          grads[0] = empty_like(*x);
                          each(dl.device(), n, ScoreGrad{x->data(), t->data(), dl.data(), grads[0].write(), scale});
                      }
                      if (need_dt) {
                          grads[1] = empty_like(*x);
                          each(dl.device(), n, TargetGrad{x->data(), dl.data(), grads[1].write(), scale});
                      }
                      return grads;
                  });
}

}  // namespace RECTO
