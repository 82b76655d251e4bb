#include <recto/ops/reductions/log_softmax.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>

namespace RECTO {
namespace {

/// One team per row: finds the maximum, sums the exponentials, subtracts both.
struct LogSoftmax {
    const Real* x;
    Real* y;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* in = x + row * cols;
        Real* out = y + row * cols;
        const Real largest = team.max(cols, [&](Index j) { return in[j]; });
        const Real log_total = log(team.sum(cols, [&](Index j) { return exp(in[j] - largest); }));
        team.each(cols, [&](Index j) { out[j] = in[j] - largest - log_total; });
    }
};

/// dx = dy - e^y sum(dy), row by row.
struct LogSoftmaxGrad {
    const Real *y, *dy;
    Real* dx;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index at = row * cols;
        const Real total = team.sum(cols, [&](Index j) { return dy[at + j]; });
        team.each(cols, [&](Index j) { dx[at + j] = dy[at + j] - exp(y[at + j]) * total; });
    }
};

}  // namespace

Tensor log_softmax(const Tensor& x) {
    check(x.dim() >= 1, "log_softmax: wanted at least one axis, got shape {}", x.shape());
    const Index cols = x.size(-1), n = cols ? x.numel() / cols : 0;
    const Tensor in = dense(x);
    Tensor y = empty_like(x);
    rows(x.device(), n, cols, LogSoftmax{in.data(), y.write(), cols});
    return record("log_softmax", y, {x}, [y = Saved(y), cols, n](const Tensor& dy) {
        const Tensor g = dense(dy);
        Tensor dx = over(dy, g);
        rows(g.device(), n, cols, LogSoftmaxGrad{y->data(), g.data(), dx.write(), cols});
        return Grads{dx};
    });
}

}  // namespace RECTO
