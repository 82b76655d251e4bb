#include <recto/ops/losses/cross_entropy.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/scaled_sum.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO {
namespace {

/// The target distribution of each sample.
struct Target {
    const Index* labels;
    Index cols, ignored;
    bool ignores;
    Real smoothing;
    const Real *weights, *mean_weight;  // of the classes; null if all are 1

    RECTO_HD bool skip(Index row) const { return ignores && labels[row] == ignored; }
    RECTO_HD Real weight(Index label) const { return weights ? weights[label] : Real(1); }
    /// check_labels reports asynchronously, so the label may still be out of range here.
    RECTO_HD bool has(Index label) const { return label >= 0 && label < cols; }
    /// The part of the target on the label itself ...
    RECTO_HD Real on_label(Index label) const { return has(label) ? (1 - smoothing) * weight(label) : not_a_number; }
    /// ... on every class, per unit of its weight ...
    RECTO_HD Real on_each() const { return smoothing / Real(cols); }
    /// ... and the sum over all classes.
    RECTO_HD Real together(Index label) const {
        return smoothing > 0 ? on_label(label) + smoothing * (mean_weight ? *mean_weight : Real(1)) : on_label(label);
    }
};

struct Inverse {
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = 1 / y[i]; }
};

struct Scale {
    Real* y;
    const Real* by;
    RECTO_HD void operator()(Index i) const { y[i] *= by[0]; }
};

/// One team per sample: writes softmax to p, -sum_j q_j log p_j to losses for the target q, and the sample's weight in
/// the mean to counts, unless that is null.
struct NegativeLogLikelihood {
    const Real* x;
    Real *p, *losses, *counts;
    Target target;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index cols = target.cols;
        const Real* in = x + row * cols;
        Real* out = p + row * cols;
        if (target.skip(row)) {
            team.each(1, [&](Index) {
                losses[row] = 0;
                if (counts) counts[row] = 0;
            });
            return;
        }
        const Real largest = team.max(cols, [&](Index j) { return in[j]; });
        team.each(cols, [&](Index j) { out[j] = exp(in[j] - largest); });
        const Real total = team.sum(cols, [&](Index j) { return out[j]; });
        team.each(cols, [&](Index j) { out[j] /= total; });
        const Real e = target.smoothing;  // skipped if 0, since 0 times a score of -inf is NaN
        const Real all =
            e > 0 ? target.on_each() * team.sum(cols, [&](Index j) { return target.weight(j) * (in[j] - largest); })
                  : 0;
        team.each(1, [&](Index) {
            const Index label = target.labels[row];
            const Real right = e < 1 ? target.on_label(label) * (target.has(label) ? in[label] - largest : 0) : 0;
            if (counts) counts[row] = target.has(label) ? target.weight(label) : not_a_number;
            losses[row] = target.together(label) * log(total) - (right + all);
        });
    }
};

/// dx = share dL (p sum_j q_j - q), row by row.
struct CrossEntropyGrad {
    const Real *p, *loss_grad, *share;
    bool each_sample;  // whether every sample has its own loss
    Real* dx;
    Target target;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index cols = target.cols, label = target.labels[row];
        const Real* from = p + row * cols;
        Real* to = dx + row * cols;
        if (target.skip(row)) {
            team.each(cols, [&](Index j) { to[j] = 0; });
            return;
        }
        const Real factor = each_sample ? loss_grad[row] : share[0] * loss_grad[0];
        const Real on_label = target.on_label(label), on_each = target.on_each(), together = target.together(label);
        team.each(cols, [&](Index j) {
            to[j] = factor * (together * from[j] - on_each * target.weight(j) - (j == label ? on_label : 0));
        });
    }
};

}  // namespace

Tensor cross_entropy(const Tensor& scores, const Integers& labels, const CrossEntropyOptions& options) {
    check_defined("cross_entropy", scores, labels);
    check(scores.dim() >= 1, "cross_entropy: wanted scores with at least one axis, got shape {}", scores.shape());
    const Shape samples = scores.shape().without(-1);
    check(labels.shape() == samples, "cross_entropy: scores of shape {} want labels of shape {}, got {}",
          scores.shape(), samples, labels.shape());
    const Index n = samples.numel(), cols = scores.size(-1);
    check(n > 0, "cross_entropy: wanted at least one sample, got scores of shape {}", scores.shape());
    check(scores.device() == labels.device(), "cross_entropy: wanted scores and labels on one device, got {} and {}",
          scores.device(), labels.device());
    check(options.smoothing >= 0 && options.smoothing <= 1, "cross_entropy: wanted a smoothing from 0 to 1, got {}",
          options.smoothing);
    const bool weighted = options.weight.defined();
    check(!weighted || options.weight.shape() == Shape{cols},
          "cross_entropy: scores of shape {} want class weights of shape ({}), got {}", scores.shape(), cols,
          options.weight.shape());
    check(!weighted || options.weight.device() == scores.device(),
          "cross_entropy: wanted scores and class weights on one device, got {} and {}", scores.device(),
          weighted ? options.weight.device() : scores.device());
    check(!options.weight.requires_grad(),
          "cross_entropy: wanted class weights without a gradient, got shape {} with one", options.weight.shape());
    check_labels(labels, cols, "cross_entropy", options.ignored);

    const Tensor x = dense(scores), weight = weighted ? dense(options.weight) : Tensor();
    const Tensor mean_weight = weighted && options.smoothing > 0 ? mean(weight) : Tensor();
    const bool counted = options.reduction == Reduction::mean && (options.ignored || weighted);
    Tensor p = empty_like(x), losses = empty({n}, x.device()), counts = counted ? empty({n}, x.device()) : Tensor();
    const Target target{labels.data(),
                        cols,
                        options.ignored.value_or(0),
                        options.ignored.has_value(),
                        Real(options.smoothing),
                        weighted ? weight.data() : nullptr,
                        mean_weight.defined() ? mean_weight.data() : nullptr};
    rows(x.device(), n, cols,
         NegativeLogLikelihood{x.data(), p.write(), losses.write(), counted ? counts.write() : nullptr, target});

    const bool each_sample = options.reduction == Reduction::none;
    Tensor loss = losses.view(samples, samples.strides(), 0), share;
    if (!each_sample) {
        share = full({}, options.reduction == Reduction::sum ? 1 : 1 / Real(n), x.device());
        if (counted) {
            share = scaled_sum(x.device(), n, NumberTerm{counts.data()}, 1);
            each(x.device(), 1, Inverse{share.write()});
        }
        loss = scaled_sum(x.device(), n, NumberTerm{losses.data()}, 1);
        each(x.device(), 1, Scale{loss.write(), share.data()});
    }
    return record("cross_entropy", loss, {scores},
                  [p, labels = Saved(labels), weight = Saved(weight), mean_weight, target, n, share,
                   each_sample](const Tensor& dl) {
                      labels.check();  // the kernel reads both through addresses in `target`
                      weight.check();
                      const Tensor g = dense(dl);
                      Tensor dx = empty_like(p);
                      rows(p.device(), n, target.cols,
                           CrossEntropyGrad{p.data(), g.data(), share.defined() ? share.data() : nullptr, each_sample,
                                            dx.write(), target});
                      return Grads{dx};
                  });
}

}  // namespace RECTO
