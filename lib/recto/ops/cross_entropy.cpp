#include <recto/ops/cross_entropy.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/core/scaled_sum.hpp>

namespace RECTO {
namespace {

/// One team per sample: softmax into p, the negative log-probability of the label into losses.
struct NegativeLogLikelihood {
    const Real* x;
    const Index* labels;
    Real *p, *losses;
    Index cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* in = x + row * cols;
        Real* out = p + row * cols;
        const Real largest = team.max(cols, [&](Index j) { return in[j]; });
        team.each(cols, [&](Index j) { out[j] = exp(in[j] - largest); });
        const Real total = team.sum(cols, [&](Index j) { return out[j]; });
        team.each(cols, [&](Index j) { out[j] /= total; });
        team.each(1, [&](Index) { losses[row] = log(total) - (in[labels[row]] - largest); });
    }
};

/// dx = scale dL (p - one_hot(label)), row by row.
struct CrossEntropyGrad {
    const Real* p;
    const Index* labels;
    const Real* loss_grad;
    Real* dx;
    Index cols;
    Real scale;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real* from = p + row * cols;
        Real* to = dx + row * cols;
        const Real factor = scale * loss_grad[0];
        const Index label = labels[row];
        team.each(cols, [&](Index j) { to[j] = factor * (from[j] - (j == label ? Real(1) : Real(0))); });
    }
};

}  // namespace

Tensor cross_entropy(const Tensor& scores, const Integers& labels) {
    check(scores.rank() >= 1, "cross_entropy: wanted scores with at least one axis, got shape {}", scores.shape());
    const Shape samples = scores.shape().without(-1);
    check(labels.shape() == samples, "cross_entropy: scores of shape {} want labels of shape {}, got {}",
          scores.shape(), samples, labels.shape());
    const Index n = samples.count(), cols = scores.dim(-1);
    check(n > 0, "cross_entropy: wanted at least one sample, got scores of shape {}", scores.shape());
    check(scores.device() == labels.device(), "cross_entropy: wanted scores and labels on one device, got {} and {}",
          scores.device(), labels.device());
    check_labels(labels, cols, "cross_entropy");

    const Tensor x = dense(scores);
    Tensor p = empty_like(x), losses = empty({n}, x.device());
    rows(x.device(), n, cols, NegativeLogLikelihood{x.data(), labels.data(), p.write(), losses.write(), cols});
    const Tensor loss = scaled_sum(x.device(), n, NumberTerm{losses.data()}, 1 / Real(n));
    return record("cross_entropy", loss, {scores}, [p, labels, n, cols](const Tensor& dl) {
        Tensor dx = empty_like(p);
        rows(p.device(), n, cols, CrossEntropyGrad{p.data(), labels.data(), dl.data(), dx.write(), cols, 1 / Real(n)});
        return Grads{dx};
    });
}

}  // namespace RECTO
