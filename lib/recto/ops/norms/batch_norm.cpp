#include <recto/ops/norms/batch_norm.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/activations.hpp>
#include <recto/kernels/moments.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO {
namespace {

/// The numbers of one channel: dense planes; or, with one position per sample, one plane with gaps.
struct Planes {
    Index planes, width, plane_step, step, channel_step;
    Planes(Index batch, Index channels, Index places)
        : planes(places == 1 ? 1 : batch),
          width(places == 1 ? batch : places),
          plane_step(channels * places),
          step(places == 1 ? channels : 1),
          channel_step(places) {}
    RECTO_HD Index count() const { return planes * width; }
    /// Where plane `p` of a channel begins.
    RECTO_HD Index begin(Index channel, Index p) const { return channel * channel_step + p * plane_step; }
};

using activations::Relu;

/// A normalisation of channels in three parts: `measure` a plane, `settle` what the planes of a channel give together, and
/// `write` a plane. Here one team does all of it for one channel, whose blocks stay in the first-level cache.
template <class Work>
struct Whole {
    Work work;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index channel) const {
        typename Work::Part all;
        for (Index p = 0; p < work.measured(); ++p) all.merge(work.measure(team, channel, p));
        work.settle(team, channel, all);
        for (Index p = 0; p < work.written(); ++p) work.write(team, channel, p);
    }
};

/// On a GPU, where channels are few and teams are many, a team measures one plane ...
template <class Work>
struct Measure {
    Work work;
    typename Work::Part* parts;
    Index planes;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index plane) const {
        const auto part = work.measure(team, plane / planes, plane % planes);
        team.each(1, [&](Index) { parts[plane] = part; });
    }
};
/// ... then one adds up the parts of a channel, in the same order ...
template <class Work>
struct Settle {
    Work work;
    const typename Work::Part* parts;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index channel) const {
        typename Work::Part all;
        const Index planes = work.measured();
        for (Index p = 0; p < planes; ++p) all.merge(parts[channel * planes + p]);
        work.settle(team, channel, all);
    }
};
/// ... and a team writes one plane.
template <class Work>
struct Write {
    Work work;
    Index planes;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index plane) const {
        work.write(team, plane / planes, plane % planes);
    }
};

/// Runs `work` for all channels.
template <class Work>
void over_channels(Device device, Index channels, const Work& work) {
    const Index planes = work.at.planes, width = work.at.width;
    if (device == Device::cpu || planes == 1) return rows(device, channels, planes * width, Whole<Work>{work});
    using Part = typename Work::Part;
    Tensor parts = empty({channels * work.measured(), Index(sizeof(Part) / sizeof(Real))}, device);
    Part* const to = reinterpret_cast<Part*>(parts.write());
    if (work.measured()) rows(device, channels * planes, width, Measure<Work>{work, to, planes});
    rows(device, channels, planes, Settle<Work>{work, to});
    if (work.written()) rows(device, channels * planes, width, Write<Work>{work, planes});
}

/// The moments of each channel, then the result, with an optional sum and relu.
template <bool gaps, bool rectify>
struct BatchNorm {
    using Part = Moments;
    const Real *x, *weight, *bias, *skip;
    const Real *given_mean, *given_variance;  // in evaluation, otherwise null
    Real *running_mean, *running_variance;    // in training, or null
    Real *y, *stats;                          // stats: mean and 1 / sqrt(variance + eps) of every channel
    Planes at;
    Real momentum, eps;
    RECTO_HD static Index place(Index j, Index step) { return gaps ? j * step : j; }
    RECTO_HD static Real last(Real y) { return rectify ? Relu::of(y) : y; }
    RECTO_HD Index measured() const { return given_mean ? 0 : at.planes; }
    RECTO_HD Index written() const { return at.planes; }
    template <class Team>
    RECTO_HD Moments measure(const Team& team, Index channel, Index p) const {
        const Real* in = x + at.begin(channel, p);
        return moments(team, at.width, [in, step = at.step](Index j) { return in[place(j, step)]; });
    }
    template <class Team>
    RECTO_HD void settle(const Team& team, Index channel, const Moments& m) const {
        team.each(running_mean ? 1 : 0, [&](Index) {
            Real &u = running_mean[channel], &v = running_variance[channel];
            u += momentum * (m.mean - u), v += momentum * (m.squares / (m.count - 1) - v);
        });
        const Real mean = given_mean ? given_mean[channel] : m.mean;
        const Real variance = given_mean ? given_variance[channel] : m.squares / m.count;
        team.each(1, [&](Index) { stats[2 * channel] = mean, stats[2 * channel + 1] = 1 / sqrt(variance + eps); });
    }
    template <class Team>
    RECTO_HD void write(const Team& team, Index channel, Index p) const {
        const Index step = at.step, begin = at.begin(channel, p);
        const Real mean = stats[2 * channel], factor = stats[2 * channel + 1];
        const Real scale = weight ? factor * weight[channel] : factor, shift = bias ? bias[channel] : 0;
        const Real* in = x + begin;
        Real* out = y + begin;
        if (skip) {
            const Real* more = skip + begin;
            team.each(at.width, [&](Index j) {
                const Index i = place(j, step);
                out[i] = last((in[i] - mean) * scale + shift + more[i]);
            });
        } else {
            team.each(at.width, [&](Index j) {
                const Index i = place(j, step);
                out[i] = last((in[i] - mean) * scale + shift);
            });
        }
    }
};

/// The sums of dy and of dy x^ over some planes.
struct Slopes {
    Real of_shift = 0, of_scale = 0;
    RECTO_HD void merge(const Slopes& other) { of_shift += other.of_shift, of_scale += other.of_scale; }
};

/// db and dw of each channel, then dx. With a relu, the gradient first goes back through it: the relu's input is
/// recomputed from x; or, after a sum, dz gets the gradient of the sum, whose sign is known from y.
template <bool gaps, bool rectify>
struct BatchNormGrad {
    using Part = Slopes;
    const Real *x, *dy, *weight, *bias, *stats;
    const Real* y;       // with a sum, otherwise null
    Real* dz;            // with a sum, otherwise null
    Real *dx, *dw, *db;  // dx is null if it is not required
    Planes at;
    bool training;
    RECTO_HD static Index place(Index j, Index step) { return gaps ? j * step : j; }
    RECTO_HD Index measured() const { return at.planes; }
    RECTO_HD Index written() const { return dx ? at.planes : 0; }
    /// The gradient below the relu, from that above it and the input.
    struct Slope {
        Real mean, scale, shift;
        RECTO_HD Real operator()(Real g, Real in) const {
            return rectify ? g * Relu::slope(Relu::of((in - mean) * scale + shift)) : g;
        }
    };
    RECTO_HD Slope slope_of(Index channel) const {
        const Real factor = stats[2 * channel + 1];
        return {stats[2 * channel], weight ? factor * weight[channel] : factor, bias ? bias[channel] : 0};
    }
    template <class Team>
    RECTO_HD Slopes measure(const Team& team, Index channel, Index p) const {
        const Index step = at.step, from = at.begin(channel, p);
        const Slope slope = slope_of(channel);
        const Real mean = slope.mean, factor = stats[2 * channel + 1];
        const Real *in = x + from, *g = (dz ? dz : dy) + from;
        if (dz) {
            const Real *above = dy + from, *sum = y + from;
            Real* to = dz + from;
            team.each(at.width, [&](Index j) {
                const Index i = place(j, step);
                to[i] = above[i] * Relu::slope(sum[i]);
            });
        }
        const TwoSums sums = two_sums_by_blocks(team, at.width, [&](Index j) {
            const Index i = place(j, step);
            const Real below = slope(g[i], in[i]);
            return TwoSums{below, below * ((in[i] - mean) * factor)};
        });
        return {sums.first, sums.second};
    }
    template <class Team>
    RECTO_HD void settle(const Team& team, Index channel, const Slopes& all) const {
        team.each(1, [&](Index) { dw[channel] = all.of_scale, db[channel] = all.of_shift; });
    }
    template <class Team>
    RECTO_HD void write(const Team& team, Index channel, Index p) const {
        const Index step = at.step, begin = at.begin(channel, p);
        const Slope slope = slope_of(channel);
        const Real n = Real(at.count()), mean = slope.mean, scale = slope.scale;
        const Real constant = training ? db[channel] / n : 0;
        const Real tilt = training ? dw[channel] / n * stats[2 * channel + 1] : 0;
        const Real *in = x + begin, *g = (dz ? dz : dy) + begin;
        Real* out = dx + begin;
        team.each(at.width, [&](Index j) {
            const Index i = place(j, step);
            out[i] = scale * (slope(g[i], in[i]) - constant - (in[i] - mean) * tilt);
        });
    }
};

/// The checks and extents that both operations need.
struct Channels {
    Index batch, channels, places;
    Tensor weight, bias;
    Channels(const char* op, const Tensor& x, const Tensor& w, const Tensor& b, double eps) {
        check_defined(op, x);
        check(x.dim() >= 2, "{}: wanted (batch, channels, ...), got shape {}", op, x.shape());
        batch = x.size(0), channels = x.size(1), places = x.shape().without(0).without(0).numel();
        weight = per_channel(op, x, w), bias = per_channel(op, x, b);
        check(eps >= 0, "{}: wanted an epsilon of at least 0, got {}", op, eps);
    }
    static Tensor per_channel(const char* op, const Tensor& x, const Tensor& t) {
        if (!t.defined()) return t;
        check(t.shape() == Shape{x.size(1)}, "{}: an input of shape {} wants one number per channel, got shape {}", op,
              x.shape(), t.shape());
        check(t.device() == x.device(), "{}: wanted all on one device, got {} and {}", op, x.device(), t.device());
        return dense(t);
    }
};

const Real* numbers(const Tensor& t) { return t.defined() ? t.data() : nullptr; }

/// One team per sample and group. A channel has `places` adjacent numbers.
struct GroupNorm {
    const Real *x, *weight, *bias;
    Real *y, *stats;
    Index groups, channels, places;  // channels: those in one group
    Real eps;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index n = channels * places, first = row % groups * channels;
        const Real* in = x + row * n;
        const Moments m = moments(team, n, [&](Index j) { return in[j]; });
        const Real mean = m.mean, factor = 1 / sqrt(m.squares / m.count + eps);
        for (Index c = 0; c < channels; ++c) {
            const Real scale = weight ? factor * weight[first + c] : factor, shift = bias ? bias[first + c] : 0;
            const Real* from = in + c * places;
            Real* out = y + row * n + c * places;
            team.each(places, [&](Index j) { out[j] = (from[j] - mean) * scale + shift; });
        }
        team.each(1, [&](Index) { stats[2 * row] = mean, stats[2 * row + 1] = factor; });
    }
};

/// One team per sample and group: the sums of dy x^ and dy of each channel, whose totals are those of the group; then
/// dx.
struct GroupNormGrad {
    const Real *x, *dy, *weight, *stats;
    Real *dx, *dw, *db;  // dw, db: (batch, channels)
    Index groups, channels, places;
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        const Index n = channels * places, first = row % groups * channels;
        const Real mean = stats[2 * row], factor = stats[2 * row + 1];
        Real a = 0, b = 0;
        for (Index c = 0; c < channels; ++c) {
            const Real *in = x + row * n + c * places, *g = dy + row * n + c * places;
            const TwoSums sums = two_sums_by_blocks(team, places, [&](Index j) {
                return TwoSums{g[j], g[j] * ((in[j] - mean) * factor)};
            });
            const Real w = weight ? weight[first + c] : 1;
            a += w * sums.first, b += w * sums.second;
            team.each(1, [&](Index) { db[row * channels + c] = sums.first, dw[row * channels + c] = sums.second; });
        }
        if (!dx) return;
        const Real constant = a / Real(n), slope = b / Real(n) * factor;
        for (Index c = 0; c < channels; ++c) {
            const Real *in = x + row * n + c * places, *g = dy + row * n + c * places;
            const Real w = weight ? weight[first + c] : 1;
            Real* out = dx + row * n + c * places;
            team.each(places, [&](Index j) { out[j] = factor * (w * g[j] - constant - (in[j] - mean) * slope); });
        }
    }
};

/// batch_norm, and relu(batch_norm(x) + skip), whose skip may be absent.
template <bool rectify>
Tensor normalise(const char* name, const Tensor& x, const Tensor& weight, const Tensor& bias,
                 const Tensor& running_mean, const Tensor& running_variance, const BatchNormOptions& options,
                 const Tensor& skip) {
    const Channels c(name, x, weight, bias, options.eps);
    check(running_mean.defined() == running_variance.defined(),
          "{}: wanted a running mean and a running variance or neither, got one", name);
    check(options.training || running_mean.defined(), "{}: evaluation wants a running mean and variance, got none",
          name);
    for (const Tensor& t : {running_mean, running_variance}) {
        Channels::per_channel(name, x, t);
        check(!t.defined() || t.is_contiguous(), "{}: wanted running statistics that are dense, got strides", name);
    }
    check(options.momentum >= 0 && options.momentum <= 1, "{}: wanted a momentum from 0 to 1, got {}", name,
          options.momentum);
    check(!options.training || c.channels == 0 || c.batch * c.places > 1,
          "{}: wanted more than one number per channel to train on, got shape {}", name, x.shape());
    if (skip.defined()) {
        check(skip.shape() == x.shape(), "{}: wanted a skip of the shape {} of the input, got {}", name, x.shape(),
              skip.shape());
        check(skip.device() == x.device(), "{}: wanted all on one device, got {} and {}", name, x.device(),
              skip.device());
    }

    const Tensor in = dense(x), w = c.weight, b = c.bias, more = skip.defined() ? dense(skip) : Tensor();
    Tensor y = empty_like(x), stats = empty({c.channels, 2}, x.device()), u = running_mean, v = running_variance;
    const Planes at(c.batch, c.channels, c.places);
    const bool training = options.training, gaps = at.step > 1, follow = training && u.defined();
    const auto run = [&]<bool with_gaps>() {
        over_channels(x.device(), c.channels,
                      BatchNorm<with_gaps, rectify>{
                          in.data(), numbers(w), numbers(b), numbers(more), training ? nullptr : u.data(),
                          training ? nullptr : v.data(), follow ? u.write() : nullptr, follow ? v.write() : nullptr,
                          y.write(), stats.write(), at, Real(options.momentum), Real(options.eps)});
    };
    gaps ? run.template operator()<true>() : run.template operator()<false>();

    const bool need_dx = x.requires_grad(), summed = more.defined();
    // Named variables, since nvcc does not support captures created in nested templates.
    const Saved<Tensor> saved_x(in), saved_w(w), saved_b(rectify && !summed ? b : Tensor()),
        saved_y(summed ? y : Tensor());
    return record(name, y, {x, weight, bias, skip}, [=](const Tensor& dy) {
        const Tensor g = dense(dy);
        const Shape shape{stats.size(0)};
        Tensor dz = summed ? over(dy, g) : Tensor();
        Tensor dx = !need_dx ? Tensor() : summed ? empty_like(g) : over(dy, g);
        Tensor dw = empty(shape, g.device()), db = empty(shape, g.device());
        const Real *from = saved_x->data(), *scale = numbers(*saved_w), *shift = numbers(*saved_b),
                   *result = numbers(*saved_y);
        const auto back = [&]<bool with_gaps, bool through_relu>() {
            over_channels(g.device(), stats.size(0),
                          BatchNormGrad<with_gaps, through_relu>{
                              from, g.data(), scale, shift, stats.data(), result, summed ? dz.write() : nullptr,
                              need_dx ? dx.write() : nullptr, dw.write(), db.write(), at, training});
        };
        if (rectify && !summed)
            gaps ? back.template operator()<true, rectify>() : back.template operator()<false, rectify>();
        else
            gaps ? back.template operator()<true, false>() : back.template operator()<false, false>();
        return Grads{dx, dw, db, dz};
    });
}

}  // namespace

Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_variance, const BatchNormOptions& options) {
    return normalise<false>("batch_norm", x, weight, bias, running_mean, running_variance, options, Tensor());
}
Tensor batch_norm_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                       const Tensor& running_variance, const BatchNormOptions& options, const Tensor& skip) {
    return normalise<true>("batch_norm_relu", x, weight, bias, running_mean, running_variance, options, skip);
}

Tensor group_norm(const Tensor& x, Index groups, const Tensor& weight, const Tensor& bias, double eps) {
    const Channels c("group_norm", x, weight, bias, eps);
    check(groups >= 1 && c.channels % groups == 0,
          "group_norm: wanted a number of groups that divides {} channels, got {}", c.channels, groups);
    const Index inside = c.channels / groups, n = c.batch * groups, width = inside * c.places;
    const Tensor in = dense(x), w = c.weight;
    Tensor y = empty_like(x), stats = empty({n, 2}, x.device());
    rows(x.device(), n, width,
         GroupNorm{in.data(), numbers(w), numbers(c.bias), y.write(), stats.write(), groups, inside, c.places,
                   Real(eps)});
    const bool need_dx = x.requires_grad(), need_dw = weight.requires_grad(), need_db = bias.requires_grad();
    const Shape each_channel{c.batch, c.channels};
    const Index places = c.places;
    return record("group_norm", y, {x, weight, bias}, [=, in = Saved(in), w = Saved(w)](const Tensor& dy) {
        const Tensor g = dense(dy);
        Tensor dx = need_dx ? over(dy, g) : Tensor();
        Tensor dw = empty(each_channel, g.device()), db = empty(each_channel, g.device());
        rows(g.device(), n, width,
             GroupNormGrad{in->data(), g.data(), numbers(*w), stats.data(), need_dx ? dx.write() : nullptr, dw.write(),
                           db.write(), groups, inside, places});
        return Grads{dx, need_dw ? sum(dw, {0}) : Tensor(), need_db ? sum(db, {0}) : Tensor()};
    });
}

}  // namespace RECTO
