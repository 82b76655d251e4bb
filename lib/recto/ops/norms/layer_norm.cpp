#include <recto/ops/norms/layer_norm.hpp>

#include <algorithm>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/moments.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO {
namespace {

/// One team per sample: its moments, then the result. `centred` means layer_norm, otherwise the mean is taken as 0. The
/// loops test for weight and bias, which the compiler does once before each loop.
template <bool centred>
struct Normalise {
    const Real *x, *weight, *bias;
    Real *y, *stats;  // stats: mean and 1 / sqrt(variance + eps) of every sample
    Index cols;
    Real eps;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Real *in = x + row * cols, *w = weight, *b = bias;
        Real* out = y + row * cols;
        Real mean = 0, squares;
        if constexpr (centred) {
            const Moments m = moments(team, cols, [&](Index j) { return in[j]; });
            mean = m.mean, squares = m.squares;
        } else {
            squares = sum_by_blocks(team, cols, [&](Index j) { return in[j] * in[j]; });
        }
        const Real factor = 1 / sqrt(squares / Real(cols) + eps);
        if (w && b)
            team.each(cols, [&](Index j) { out[j] = (in[j] - mean) * factor * w[j] + b[j]; });
        else if (w)
            team.each(cols, [&](Index j) { out[j] = (in[j] - mean) * factor * w[j]; });
        else
            team.each(cols, [&](Index j) { out[j] = (in[j] - mean) * factor + (b ? b[j] : Real(0)); });
        team.each(1, [&](Index) { stats[2 * row] = mean, stats[2 * row + 1] = factor; });
    }
};

constexpr Index together = 16;  // samples whose weight gradients are summed before they are written

/// One team per 16 samples: dx of each, and the sums of dy x^ and dy over them, in one pass.
template <bool centred>
struct NormaliseGrad {
    const Real *x, *dy, *weight, *stats;
    Real *dx, *dw, *db;  // null if not required
    Index n, cols;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index block) const {
        Real *to_w = dw ? dw + block * cols : nullptr, *to_b = db ? db + block * cols : nullptr;
        if (dw) team.each(cols, [&](Index j) { to_w[j] = 0; });
        if (db) team.each(cols, [&](Index j) { to_b[j] = 0; });
        const Index begin = block * together, end = begin + together < n ? begin + together : n;
        for (Index row = begin; row < end; ++row) {
            const Real *in = x + row * cols, *g = dy + row * cols;
            const Real mean = stats[2 * row], factor = stats[2 * row + 1];
            if (dw && db)
                team.each(cols, [&](Index j) { to_w[j] += g[j] * ((in[j] - mean) * factor), to_b[j] += g[j]; });
            else if (dw)
                team.each(cols, [&](Index j) { to_w[j] += g[j] * ((in[j] - mean) * factor); });
            else if (db)
                team.each(cols, [&](Index j) { to_b[j] += g[j]; });
            if (!dx) continue;
            if (weight)
                row_grad(team, row, [w = weight](Index j) { return w[j]; });
            else
                row_grad(team, row, [](Index) { return Real(1); });
        }
    }
    template <class Team, class Weight>
    RECTO_HD void row_grad(const Team& team, Index row, const Weight& w) const {
        const Real *in = x + row * cols, *g = dy + row * cols;
        const Real mean = stats[2 * row], factor = stats[2 * row + 1];
        Real* out = dx + row * cols;
        const auto tilt = [&](Index j) { return g[j] * w(j) * ((in[j] - mean) * factor); };
        TwoSums sums;
        if constexpr (centred)
            sums = two_sums_by_blocks(team, cols, [&](Index j) { return TwoSums{g[j] * w(j), tilt(j)}; });
        else
            sums.second = sum_by_blocks(team, cols, tilt);
        const Real a = sums.first / Real(cols), b = sums.second / Real(cols) * factor;
        team.each(cols, [&](Index j) { out[j] = factor * (g[j] * w(j) - a - (in[j] - mean) * b); });
    }
};

template <bool centred>
Tensor normalise(const char* name, const Tensor& x, int axes, const Tensor& weight, const Tensor& bias, double eps) {
    check(axes >= 1 && axes <= x.dim(), "{}: wanted from 1 to {} of the last axes of shape {}, got {}", name, x.dim(),
          x.shape(), axes);
    const Shape sample(std::span<const Index>(x.shape().end() - axes, std::size_t(axes)));
    for (const Tensor& t : {weight, bias}) {
        if (!t.defined()) continue;
        check(t.shape() == sample, "{}: samples of shape {} want a weight and a bias of that shape, got {}", name,
              sample, t.shape());
        check(t.device() == x.device(), "{}: wanted all on one device, got {} and {}", name, x.device(), t.device());
    }
    check(eps >= 0, "{}: wanted an epsilon of at least 0, got {}", name, eps);

    const Index cols = sample.numel(), n = cols ? x.numel() / cols : 0;
    const Tensor in = dense(x), w = weight.defined() ? dense(weight) : Tensor(),
                 b = bias.defined() ? dense(bias) : Tensor();
    const auto numbers = [](const Tensor& t) { return t.defined() ? t.data() : nullptr; };
    Tensor y = empty_like(x), stats = empty({n, 2}, x.device());
    rows(x.device(), n, cols,
         Normalise<centred>{in.data(), numbers(w), numbers(b), y.write(), stats.write(), cols, Real(eps)});

    const bool need_dx = x.requires_grad(), need_dw = weight.requires_grad(), need_db = bias.requires_grad();
    return record(name, y, {x, weight, bias}, [=, in = Saved(in), w = Saved(w)](const Tensor& dy) {
        const Tensor g = dense(dy);
        const Index blocks = (n + together - 1) / together;
        Tensor dx = need_dx ? over(dy, g) : Tensor();
        Tensor dw = need_dw ? empty({blocks, cols}, g.device()) : Tensor();
        Tensor db = need_db ? empty({blocks, cols}, g.device()) : Tensor();
        const auto target = [](Tensor& t) { return t.defined() ? t.write() : nullptr; };
        rows(g.device(), blocks, together * cols,
             NormaliseGrad<centred>{in->data(), g.data(), numbers(*w), stats.data(), target(dx), target(dw), target(db),
                                    n, cols});
        const auto total = [&](const Tensor& t) {
            return t.defined() ? sum(t, {0}).view(sample, sample.strides(), 0) : Tensor();
        };
        return Grads{dx, total(dw), total(db)};
    });
}

}  // namespace

Tensor layer_norm(const Tensor& x, int axes, const Tensor& weight, const Tensor& bias, double eps) {
    return normalise<true>("layer_norm", x, axes, weight, bias, eps);
}
Tensor rms_norm(const Tensor& x, int axes, const Tensor& weight, double eps) {
    return normalise<false>("rms_norm", x, axes, weight, Tensor(), eps);
}

}  // namespace RECTO
