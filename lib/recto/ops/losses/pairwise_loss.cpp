#include <recto/ops/losses/pairwise_loss.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/kernels/scaled_sum.hpp>

namespace RECTO {
namespace {

// A loss has a value for two numbers, and its derivatives with respect to the first and the second.
struct Absolute {
    RECTO_HD Real of(Real f, Real y) const { return abs(f - y); }
    RECTO_HD Real first(Real f, Real y) const { return f > y ? 1 : f < y ? -1 : f - y; }  // NaN stays NaN
    RECTO_HD Real second(Real f, Real y) const { return -first(f, y); }
};
struct Huber {
    Real delta;
    RECTO_HD Real of(Real f, Real y) const {
        const Real d = abs(f - y);
        return d > delta ? delta * (d - delta / 2) : d * d / 2;
    }
    RECTO_HD Real first(Real f, Real y) const { return max(min(f - y, delta), -delta); }
    RECTO_HD Real second(Real f, Real y) const { return -first(f, y); }
};
struct Divergence {
    RECTO_HD Real of(Real log_p, Real log_q) const { return log_p == -infinity ? 0 : exp(log_p) * (log_p - log_q); }
    RECTO_HD Real first(Real log_p, Real log_q) const {
        return log_p == -infinity ? 0 : exp(log_p) * (log_p - log_q + 1);
    }
    RECTO_HD Real second(Real log_p, Real) const { return -exp(log_p); }
};

template <class Cost>
struct CostOf {
    Cost cost;
    const Real *a, *b;
    RECTO_HD Real operator()(Index i) const { return cost.of(a[i], b[i]); }
};

/// dx = scale dL times the derivative with respect to the first number or the second.
template <class Cost>
struct CostGrad {
    Cost cost;
    const Real *a, *b, *loss_grad;
    Real* dx;
    Real scale;
    bool second;
    RECTO_HD void operator()(Index i) const {
        const Real slope = second ? cost.second(a[i], b[i]) : cost.first(a[i], b[i]);
        dx[i] = scale * loss_grad[0] * slope;
    }
};

void check_alike(const char* op, const Tensor& a, const Tensor& b) {
    check_defined(op, a, b);
    check(a.shape() == b.shape(), "{}: wanted both of one shape, got {} and {}", op, a.shape(), b.shape());
    check(a.numel() > 0, "{}: wanted at least one number, got shape {}", op, a.shape());
    check(a.device() == b.device(), "{}: wanted both on one device, got {} and {}", op, a.device(), b.device());
}

/// The losses of all pairs, summed and divided by n.
template <class Cost>
Tensor total(const char* name, const Cost& cost, const Tensor& first, const Tensor& second, Index n) {
    const Tensor a = dense(first), b = dense(second);
    const Real scale = 1 / Real(n);
    const Tensor loss = scaled_sum(a.device(), a.numel(), CostOf<Cost>{cost, a.data(), b.data()}, scale);
    const bool wanted[] = {first.requires_grad(), second.requires_grad()};
    return record(name, loss, {first, second},
                  [=, a = Saved(a), b = Saved(b), one = wanted[0], other = wanted[1]](const Tensor& dl) {
                      const auto gradient = [&](bool want, bool of_second) {
                          if (!want) return Tensor();
                          Tensor dx = empty_like(*a);
                          each(a->device(), a->numel(),
                               CostGrad<Cost>{cost, a->data(), b->data(), dl.data(), dx.write(), scale, of_second});
                          return dx;
                      };
                      return Grads{gradient(one, false), gradient(other, true)};
                  });
}

/// One team per triplet: its loss, and the factors of the two differences in the backward pass.
struct Triplet {
    const Real *anchor, *positive, *negative;
    Real *losses, *factors;
    Index cols;
    Real margin;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real *a = anchor + row * cols, *p = positive + row * cols, *n = negative + row * cols;
        const Real near = sqrt(team.sum(cols, [&](Index j) { return (a[j] - p[j]) * (a[j] - p[j]); }));
        const Real far = sqrt(team.sum(cols, [&](Index j) { return (a[j] - n[j]) * (a[j] - n[j]); }));
        team.each(1, [&](Index) {
            const Real loss = max(near - far + margin, Real(0)), open = loss > 0 ? 1 : loss;  // NaN stays NaN
            losses[row] = loss;
            factors[2 * row] = open != 0 && near > 0 ? open / near : 0;
            factors[2 * row + 1] = open != 0 && far > 0 ? open / far : 0;
        });
    }
};

/// da, dp and dn of one triplet, where required.
struct TripletGrad {
    const Real *anchor, *positive, *negative, *factors, *loss_grad;
    Real *da, *dp, *dn;
    Index cols;
    Real scale;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index at = row * cols;
        const Real *a = anchor + at, *p = positive + at, *n = negative + at;
        const Real s = scale * loss_grad[0], near = s * factors[2 * row], far = s * factors[2 * row + 1];
        if (da) team.each(cols, [&](Index j) { da[at + j] = near * (a[j] - p[j]) - far * (a[j] - n[j]); });
        if (dp) team.each(cols, [&](Index j) { dp[at + j] = near * (p[j] - a[j]); });
        if (dn) team.each(cols, [&](Index j) { dn[at + j] = far * (a[j] - n[j]); });
    }
};

}  // namespace

Tensor l1_loss(const Tensor& prediction, const Tensor& target) {
    check_alike("l1_loss", prediction, target);
    return total("l1_loss", Absolute{}, prediction, target, prediction.numel());
}

Tensor huber_loss(const Tensor& prediction, const Tensor& target, double delta) {
    check_alike("huber_loss", prediction, target);
    check(delta > 0, "huber_loss: wanted a delta above 0, got {}", delta);
    return total("huber_loss", Huber{Real(delta)}, prediction, target, prediction.numel());
}

Tensor kl_divergence(const Tensor& log_p, const Tensor& log_q) {
    check(log_p.dim() >= 1, "kl_divergence: wanted at least one axis, got shape {}", log_p.shape());
    check_alike("kl_divergence", log_p, log_q);
    return total("kl_divergence", Divergence{}, log_p, log_q, log_p.size(0));
}

Tensor triplet_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin) {
    check(anchor.dim() >= 1, "triplet_loss: wanted at least one axis, got shape {}", anchor.shape());
    check_alike("triplet_loss", anchor, positive);
    check_alike("triplet_loss", anchor, negative);
    const Index cols = anchor.size(-1), n = anchor.numel() / cols;
    const Tensor a = dense(anchor), p = dense(positive), q = dense(negative);
    Tensor losses = empty({n}, a.device()), factors = empty({n, 2}, a.device());
    rows(a.device(), n, cols,
         Triplet{a.data(), p.data(), q.data(), losses.write(), factors.write(), cols, Real(margin)});
    const Tensor loss = scaled_sum(a.device(), n, NumberTerm{losses.data()}, 1 / Real(n));
    const std::array<bool, 3> wanted{anchor.requires_grad(), positive.requires_grad(), negative.requires_grad()};
    return record("triplet_loss", loss, {anchor, positive, negative},
                  [=, a = Saved(a), p = Saved(p), q = Saved(q)](const Tensor& dl) {
                      Grads grads(3);
                      Real* to[3] = {};
                      for (std::size_t i = 0; i < 3; ++i)
                          if (wanted[i]) grads[i] = empty_like(*a), to[i] = grads[i].write();
                      rows(a->device(), n, cols,
                           TripletGrad{a->data(), p->data(), q->data(), factors.data(), dl.data(), to[0], to[1], to[2],
                                       cols, 1 / Real(n)});
                      return grads;
                  });
}

}  // namespace RECTO
