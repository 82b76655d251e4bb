#include <recto/ops/cross_entropy.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/core/scaled_sum.hpp>

namespace RECTO {
namespace {

/// What a sample's kernel knows besides its numbers.
struct Target {
    const Index* labels;
    Index cols, ignored;
    bool ignores;
    Real smoothing;
    RECTO_HD bool skip(Index row) const { return ignores && labels[row] == ignored; }
};

/// One team per sample: softmax into p, the negative log-probability of the target into losses. With s the mean of
/// the shifted scores, smoothing mixes log(total) - s into it.
struct NegativeLogLikelihood {
    const Real* x;
    Real *p, *losses;
    Target target;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index cols = target.cols;
        const Real* in = x + row * cols;
        Real* out = p + row * cols;
        if (target.skip(row)) {
            team.each(1, [&](Index) { losses[row] = 0; });
            return;
        }
        const Real largest = team.max(cols, [&](Index j) { return in[j]; });
        team.each(cols, [&](Index j) { out[j] = exp(in[j] - largest); });
        const Real total = team.sum(cols, [&](Index j) { return out[j]; });
        team.each(cols, [&](Index j) { out[j] /= total; });
        const Real e = target.smoothing;  // 0 must not meet a score of -inf
        const Real s = e > 0 ? team.sum(cols, [&](Index j) { return in[j] - largest; }) / Real(cols) : 0;
        team.each(1, [&](Index) {
            const Real right = in[target.labels[row]] - largest;
            losses[row] = log(total) - (e > 0 ? (e < 1 ? (1 - e) * right : 0) + e * s : right);
        });
    }
};

/// dx = scale dL (p - q), row by row.
struct CrossEntropyGrad {
    const Real *p, *loss_grad;
    Real* dx;
    Target target;
    Real scale;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index cols = target.cols, label = target.labels[row];
        const Real* from = p + row * cols;
        Real* to = dx + row * cols;
        if (target.skip(row)) {
            team.each(cols, [&](Index j) { to[j] = 0; });
            return;
        }
        const Real factor = scale * loss_grad[0], each_class = target.smoothing / Real(cols);
        const Real right = 1 - target.smoothing + each_class;
        team.each(cols, [&](Index j) { to[j] = factor * (from[j] - (j == label ? right : each_class)); });
    }
};

}  // namespace

Tensor cross_entropy(const Tensor& scores, const Integers& labels, const CrossEntropyOptions& options) {
    check(scores.rank() >= 1, "cross_entropy: wanted scores with at least one axis, got shape {}", scores.shape());
    const Shape samples = scores.shape().without(-1);
    check(labels.shape() == samples, "cross_entropy: scores of shape {} want labels of shape {}, got {}",
          scores.shape(), samples, labels.shape());
    const Index n = samples.count(), cols = scores.dim(-1);
    check(n > 0, "cross_entropy: wanted at least one sample, got scores of shape {}", scores.shape());
    check(scores.device() == labels.device(), "cross_entropy: wanted scores and labels on one device, got {} and {}",
          scores.device(), labels.device());
    check(options.smoothing >= 0 && options.smoothing <= 1, "cross_entropy: wanted a smoothing from 0 to 1, got {}",
          options.smoothing);
    const Index counted = check_labels(labels, cols, "cross_entropy", options.ignored);

    const Tensor x = dense(scores);
    Tensor p = empty_like(x), losses = empty({n}, x.device());
    const Target target{labels.data(), cols, options.ignored.value_or(0), options.ignored.has_value(),
                        Real(options.smoothing)};
    const Real scale = counted > 0 ? 1 / Real(counted) : not_a_number;
    rows(x.device(), n, cols, NegativeLogLikelihood{x.data(), p.write(), losses.write(), target});
    const Tensor loss = scaled_sum(x.device(), n, NumberTerm{losses.data()}, scale);
    return record("cross_entropy", loss, {scores}, [p, labels, target, n, scale](const Tensor& dl) {
        Tensor dx = empty_like(p);
        rows(p.device(), n, target.cols, CrossEntropyGrad{p.data(), dl.data(), dx.write(), target, scale});
        return Grads{dx};
    });
}

}  // namespace RECTO
