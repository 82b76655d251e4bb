#include <recto/ops/reductions/softmax.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// One team per row: finds the maximum, sums the exponentials, divides.
struct Softmax {
    const Real* x;
    Real* y;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* in = x + row * cols;
        Real* out = y + row * cols;
        const Real largest = team.max(cols, [&](Index j) { return in[j]; });
        team.each(cols, [&](Index j) { out[j] = exp(in[j] - largest); });
        const Real total = team.sum(cols, [&](Index j) { return out[j]; });
        team.each(cols, [&](Index j) { out[j] /= total; });
    }
};

/// dx = y (dy - <y, dy>), row by row.
struct SoftmaxGrad {
    const Real *y, *dy;
    Real* dx;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index at = row * cols;
        const Real dot = team.sum(cols, [&](Index j) { return y[at + j] * dy[at + j]; });
        team.each(cols, [&](Index j) { dx[at + j] = y[at + j] * (dy[at + j] - dot); });
    }
};

}  // namespace

Tensor softmax(const Tensor& x) {
    check(x.dim() >= 1, "softmax: wanted at least one axis, got shape {}", x.shape());
    const Index cols = x.size(-1), n = cols ? x.numel() / cols : 0;
    const Tensor in = dense(x);
    Tensor y = empty_like(x);
    rows(x.device(), n, cols, Softmax{in.data(), y.write(), cols});
    return record("softmax", y, {x}, [y = Saved(y), cols, n](const Tensor& dy) {
        const Tensor g = dense(dy);
        Tensor dx = over(dy, g);
        rows(g.device(), n, cols, SoftmaxGrad{y->data(), g.data(), dx.write(), cols});
        return Grads{dx};
    });
}

}  // namespace RECTO
