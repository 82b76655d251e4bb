#include <recto/ops/losses/cross_entropy.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/scaled_sum.hpp>

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

/// 1 / N, where N counts the labels that are not ignored.
struct Share {
    const Index* labels;
    Index n, ignored;
    Real* share;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index) const {
        constexpr Index block = 1 << 20;  // a float counts as far
        Index counted = 0;
        for (Index begin = 0; begin < n; begin += block)
            counted += Index(team.sum(n - begin < block ? n - begin : block,
                                      [&](Index i) { return labels[begin + i] == ignored ? Real(0) : Real(1); }));
        team.each(1, [&](Index) { share[0] = counted > 0 ? 1 / Real(counted) : not_a_number; });
    }
};

struct Scale {
    Real* y;
    const Real* by;
    RECTO_HD void operator()(Index i) const { y[i] *= by[0]; }
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
            const Index label = target.labels[row];  // check_labels may not have spoken yet
            const Real right = (label >= 0 && label < cols ? in[label] : not_a_number) - largest;
            losses[row] = log(total) - (e > 0 ? (e < 1 ? (1 - e) * right : 0) + e * s : right);
        });
    }
};

/// dx = share dL (p - q), row by row.
struct CrossEntropyGrad {
    const Real *p, *loss_grad, *share;
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
        const Real factor = share[0] * loss_grad[0], each_class = target.smoothing / Real(cols);
        const Real right = 1 - target.smoothing + each_class;
        team.each(cols, [&](Index j) { to[j] = factor * (from[j] - (j == label ? right : each_class)); });
    }
};

}  // namespace

Tensor cross_entropy(const Tensor& scores, const Integers& labels, const CrossEntropyOptions& options) {
    check_defined("cross_entropy", scores, labels);
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
    check_labels(labels, cols, "cross_entropy", options.ignored);

    const Tensor x = dense(scores);
    Tensor p = empty_like(x), losses = empty({n}, x.device());
    const Target target{labels.data(), cols, options.ignored.value_or(0), options.ignored.has_value(),
                        Real(options.smoothing)};
    Tensor share = full({}, 1 / Real(n), x.device());
    if (options.ignored) rows(x.device(), 1, n, Share{labels.data(), n, *options.ignored, share.write()});
    rows(x.device(), n, cols, NegativeLogLikelihood{x.data(), p.write(), losses.write(), target});
    Tensor loss = scaled_sum(x.device(), n, NumberTerm{losses.data()}, 1);
    each(x.device(), 1, Scale{loss.write(), share.data()});
    return record("cross_entropy", loss, {scores}, [p, labels = Saved(labels), target, n, share](const Tensor& dl) {
        labels.check();  // the kernel has their address from `target`
        Tensor dx = empty_like(p);
        rows(p.device(), n, target.cols, CrossEntropyGrad{p.data(), dl.data(), share.data(), dx.write(), target});
        return Grads{dx};
    });
}

}  // namespace RECTO
