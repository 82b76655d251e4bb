// # KL divergence: how far from the truth
//
// ```{rows} eq-kl eq-empirical-dirac eq-kl-to-nll claim-nll-is-cross-entropy fig-udl-5.12 eq-density-nll
// ```
//
// [Maximum likelihood](likelihood.cpp) makes the observed data as probable as possible, and [a
// network](predicting_distributions.cpp) trained in this way describes its data well. But the data are only a few
// samples of a *true* distribution, and you want a model that is close to the truth. This page defines how far one
// distribution is from another, by the **Kullback-Leibler divergence**, and then puts the data in the place of the
// truth. The result is the loss that we already have, the negative log-likelihood, and a lower limit for it: the
// **entropy** of the truth.
//
// How far is one normal distribution from another? Move the slider, and compare the two directions:
//
// ```{opening} fig-kl
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/clouds.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/likelihood.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/gather.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::even_grid, figure::Figure;
using std::numbers::pi;

const book::Option<Index> spikes("spikes", 12, "number of samples that become spikes",
                                 {.least = 2, .most = 200});
const book::Option<int> seeds("seeds", 5, "number of draws of the spikes",
                              {.quick = 1, .least = 1, .most = 100});
const book::Option<Index> points("points", 20'000,
                                 "number of samples on which a density is judged",
                                 {.quick = 2000, .least = 10, .most = 1'000'000});
//-

// ## Average surprise
//
// An event of probability $p$ occurs. Its **surprise** is $-\log p$: zero for what had to happen, large for what was
// unlikely. Now samples come from a true distribution $q$, but you expect those of a model $p$. Your average surprise
// is the sum of $-q \log p$ over all events. If you knew the true distribution, your average surprise would be the sum
// of $-q \log q$, the {term}`entropy` of $q$. The difference is what the model costs, the **Kullback-Leibler (KL)
// divergence** {cite:p}`kullback1951`.
//
// Take a fair coin, $q = (\frac12, \frac12)$, and a model that gives heads a probability of only a quarter,
// $p = (\frac14, \frac34)$. The surprise of the model is $\frac12 \log 4 + \frac12 \log \frac43 = 0.837$ **nats**, the
// unit of the natural logarithm. The entropy of the fair coin is $\log 2 = 0.693$ nats. The divergence of the model is
// the difference, 0.144 nats for each toss. For densities the sums become integrals:
//
// ```{equation} eq-kl
// :function: recto::kl_divergence
// :test: kl_divergence: never negative, 0 for equals alone, not symmetric
// D_{\mathrm{KL}}(q \,\Vert\, p) = \int q(y) \log q(y) \, \mathrm{d}y - \int q(y) \log p(y) \, \mathrm{d}y
// ```
//
// For two normal distributions (*bells*, for short) the integrals have a closed form, `on_paper`. For all other densities
// `divergence` sums over narrow stripes. It takes the logarithms of both densities, and skips the stripes where $q$ is
// below $e^{-700}$: they add nothing to the sum, and $\log q$ may be infinite there.
//- a bell, and the formula for two bells
struct Bell {
    double mean, deviation;
    double operator()(double y) const {  // the logarithm of its density
        const double z = (y - mean) / deviation;
        return -z * z / 2 - std::log(deviation) - std::log(2 * pi) / 2;
    }
};

double on_paper(const Bell& q, const Bell& p) {
    const double gap = (q.mean - p.mean) / p.deviation,
                 ratio = q.deviation / p.deviation;
    return (gap * gap + ratio * ratio - 1) / 2 - std::log(ratio);
}

using Log = std::function<double(double y)>;  // the logarithm of a density
//-
double divergence(const Log& log_q, const Log& log_p, double low, double high,
                  Index stripes = 3000) {
    const double width = (high - low) / double(stripes);
    double sum = 0;
    for (Index i = 0; i < stripes; ++i) {
        const double y = low + (double(i) + 0.5) * width, log = log_q(y);
        if (log > -700) sum += width * std::exp(log) * (log - log_p(y));
    }
    return sum;
}

// We compute it for two hundred pairs of bells with random means and deviations, in both directions:
//- two hundred pairs of bells
void two_bells(Generator& random) {
    double gap = 0, itself = 0, least = INFINITY, unequal = INFINITY;
    for (int i = 0; i < 200; ++i) {
        const Bell q{random.next_normal(), 0.5 + random.next_uniform()},
            p{random.next_normal(), 0.5 + random.next_uniform()};
        const double there = divergence(q, p, -15, 15),
                     back = divergence(p, q, -15, 15);
        gap = std::max(gap, std::abs(there - on_paper(q, p)));
        itself = std::max(
            {itself, std::abs(divergence(q, q, -15, 15)), std::abs(on_paper(q, q))});
        least = std::min({least, there, back});
        unequal = std::min(unequal, std::abs(there - back));
    }
    claim("eq-kl/a", "sum over stripes against formula, the largest difference", gap,
          "<=", 1e-6);
    claim("eq-kl/b", "the smallest of 400 divergences", least, ">=", 0);
    claim_true(
        "eq-kl/c",
        "the divergence of a bell from itself is 0, that of two different ones is not",
        itself == 0 && least > 0);
    claim("eq-kl/d", "the smallest change when q and p are exchanged", unequal, ">", 0);
}

//-

// The divergence is never negative: no model has a smaller average surprise than the truth. It is zero only if the
// model equals the truth. But it is not symmetric, unlike the distance between two places on a map. {numref}`fig-kl`
// shows why. The divergence is the shaded area; where the model gives more probability than the truth, the area counts
// as negative. The slider moves the model away from the truth, and the panel *divergence* shows the area in both
// directions.
//- how the figure is drawn
const figure::Style true_line{
    .color = figure::ink, .dash = figure::dashed, .points = false},
    blue_line{.color = figure::blue, .dash = figure::solid, .points = false},
    red_line{.color = figure::red, .dash = figure::dash_dot, .points = false},
    ochre_line{.color = figure::ochre, .dash = figure::long_dashed, .points = false};
figure::Style dot(figure::Color color) {
    return {.color = color, .shape = figure::Shape::circle};
}
std::vector<double> heights(const std::vector<double>& y, const Log& log) {
    std::vector<double> h;
    for (const double at : y) h.push_back(std::exp(log(at)));
    return h;
}

void draw_two_bells() {
    const std::vector<double> y = even_grid(141, -5, 9), gaps = even_grid(17, 0, 4);
    const Bell q{0, 1};
    std::vector<double> there, back;
    Figure figure("fig-kl");
    figure.slider("gap", gaps, "gap of the means", 2).panel("the integrand");
    for (const double gap : gaps) {
        const Bell p{gap, 2};
        there.push_back(on_paper(q, p)), back.push_back(on_paper(p, q));
        std::vector<double> cost, nothing(y.size(), 0.0);
        for (const double at : y) cost.push_back(std::exp(q(at)) * (q(at) - p(at)));
        figure.at(gap)
            .band("", y, nothing, cost, {.color = figure::blue, .opacity = 0.3})
            .line("model p", y, heights(y, p), ochre_line);
    }
    figure.always().line("truth q", y, heights(y, q), true_line).x("y").y("density");

    figure.panel("divergence")
        .line("D(q‖p)", gaps, there, blue_line)
        .line("D(p‖q)", gaps, back, red_line)
        .x("gap of the means")
        .y("nats");
    for (std::size_t i = 0; i < gaps.size(); ++i)
        figure.at(gaps[i])
            .dots("", {gaps[i]}, {there[i]}, dot(figure::blue))
            .dots("", {gaps[i]}, {back[i]}, dot(figure::red));
    figure
        .describe(
            "First panel: a narrow bell, the truth, and a broad bell, the model, which "
            "a slider moves away; a shaded area shows where the model's lack of "
            "probability costs. Second panel: the divergence against the gap of the "
            "means, a curve for each direction. Both rise like parabolas, the one that "
            "averages over the narrow bell much more slowly.")
        .save(
            "The truth is a bell of deviation 1, the model one of deviation 2. Move "
            "the slider. First panel: the integrand of $D(q\\Vert p)$; second panel: "
            "both directions. A broad model is seldom surprised by samples of a "
            "narrow truth; a narrow model often is by samples of a broad one.");
    book::shows("eq-kl/e", "fig-kl");
}
//-

// ## Forward or reverse: which direction
//
// The direction matters most when the model cannot be right. Let the true distribution have two bumps, and the
// model be a single bell. We try bells of many means and deviations, and keep the best for each direction:
//- the two bumps, and what is kept
struct TwoWays {
    Bell there{0, 1}, back{0, 1};
    double least_there = INFINITY, least_back = INFINITY;
};
const auto bumps = [](double y) {
    const double a = Bell{-2, 0.5}(y), b = Bell{2, 0.5}(y);
    return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))) - std::log(2.0);
};

//-
TwoWays try_all_bells() {
    TwoWays best;
    for (const double mean : even_grid(61, -3, 3))
        for (const double deviation : even_grid(28, 0.3, 3)) {
            const Bell p{mean, deviation};
            const double there = divergence(bumps, p, -12, 12, 400),
                         back = divergence(p, bumps, -12, 12, 400);
            if (there < best.least_there) best.least_there = there, best.there = p;
            if (back < best.least_back) best.least_back = back, best.back = p;
        }
    return best;
}
//- the best of each direction
void which_way() {
    const TwoWays best = try_all_bells();
    const double mean = best.there.mean, deviation = best.there.deviation;
    //-
    ask("The truth q has two bumps of deviation 0.5, at -2 and at 2. Which single "
        "bell p costs least, that is, has the smallest $D(q \\Vert p)$?",
        {{"A bell on one of the bumps: half of the samples are described perfectly.",
          std::abs(mean) > 1,
          "The other half would be nearly impossible: 8 deviations away, a surprise "
          "of about 32 nats, half of the time."},
         {"A narrow bell in the middle, the mean of both.",
          std::abs(mean) < 1 && deviation < 1,
          "The mean is right. But no samples fall there, and all samples would be "
          "far out in its tails."},
         {"A broad bell around both, highest where there are almost no samples.",
          std::abs(mean) < 1 && deviation > 1,
          "It is never much surprised. Much of its probability is wasted in the "
          "valley, but this costs less than a nat."}});

    // The average surprise makes a model *cover* everything that happens. The other direction, $D(p \Vert q)$, punishes
    // a model that puts probability where the truth has little. Its best bell settles on one bump and ignores the other,
    // at a cost of only $\log 2 = 0.69$ nats. {numref}`fig-two-ways` shows both.
    //- what is printed, and how the figure is drawn
    say("D(q || p) is least, {:.2f} nats, for mean {:.1f}, deviation {:.1f}",
        best.least_there, mean, deviation);
    say("D(p || q) is least, {:.2f} nats, for mean {:.1f}, deviation {:.1f}",
        best.least_back, best.back.mean, best.back.deviation);
    const std::vector<double> y = even_grid(241, -6, 6);
    Figure("fig-two-ways")
        .describe(
            "Two equal bumps, dashed. A broad bell spans both and is highest between "
            "them; a narrow bell lies exactly on one of the bumps, twice as high.")
        .line("truth q", y, heights(y, bumps), true_line)
        .line("least D(q‖p)", y, heights(y, best.there), blue_line)
        .line("least D(p‖q)", y, heights(y, best.back), red_line)
        .x("y")
        .y("density")
        .height(230)
        .save(
            "One bell for two bumps. The bell of least $D(q\\Vert p)$ also draws "
            "samples that never occur; the bell of least $D(p\\Vert q)$ never draws "
            "half of the samples that do occur.");
}
//-

// ## The data as the truth
//
// In practice you do not know $q$; you have samples. Put the samples in the place of the truth: each one has probability
// $1/N$, and nothing else occurs. This is the {term}`empirical distribution`. As a density it is a row of infinitely
// narrow spikes, each a Dirac $\delta$:
//
// ```{equation} eq-empirical-dirac
// :function: Spikes
// q(y) = \frac1N \sum_{n=1}^N \delta[y - y_n]
// ```
//
// We never need its height, only averages, and an average over spikes is an average over samples:
struct Spikes {
    std::vector<double> at;

    double expectation(const auto& f) const {
        double sum = 0;
        for (const double y : at) sum += f(y);
        return sum / double(at.size());
    }
};

// Put the spikes into {eq}`eq-kl`, for a model $p_w$ with the weights $w$ and the density $p(y; w)$. The first term
// belongs to the truth and does not contain $w$. The second term is called the **cross-entropy** of $q$ and $p$, and
// for spikes it is a sum:
//
// ```{equation} eq-kl-to-nll
// :function: nearest_bell
// \begin{aligned}
// w^\ast &= \operatorname*{argmin}_w \; D_{\mathrm{KL}}(q \,\Vert\, p_w) \cr
// &= \operatorname*{argmin}_w - \int q(y) \log p(y; w) \, \mathrm{d}y \cr
// &= \operatorname*{argmin}_w - \int \frac1N \sum_{n=1}^N \delta[y - y_n] \log p(y; w) \, \mathrm{d}y \cr
// &= \operatorname*{argmin}_w - \frac1N \sum_{n=1}^N \log p(y_n; w)
// \end{aligned}
// ```
//
// The result is the {term}`negative log-likelihood`. *Making the samples as probable as possible brings the model as near
// to them as possible*, in the direction that covers.
//
// You may object that the first term is infinite for spikes. So give the spikes a width: a narrow bell of deviation $h$
// around each. We fit a bell to this mixture by gradient descent on $-\int q_h \log p$, for smaller and smaller $h$. We
// replace each narrow bell by 49 weighted points; with $h = 0$ they coincide, and the integral is the sum over samples.
//- the nearest bell
Bell nearest_bell(const Spikes& spikes, double h) {
    std::vector<Real> y, weight;  // each narrow bell as 49 weighted points
    for (const double at : spikes.at)
        for (int k = -24; k <= 24; ++k) {
            y.push_back(Real(at + h * k / 4)),
                weight.push_back(std::exp(-k * k / 32.0));
        }
    const Index rows = Index(y.size());
    const Tensor targets({rows}, y), unscaled({rows}, weight),
        weights = unscaled / double(sum(unscaled).item());
    Tensor w = zeros({1, 2});  // mean, log of the deviation
    w.requires_grad_();
    //-
    optim::Sgd descent({{"w", w}}, {.lr = 0.2});
    optim::fit(descent,
               [&] {
                   return -sum(weights * nn::SpreadNormal{}.log_prob(
                                             expand(w, {rows, 2}), targets));
               },
               {.steps = 5000, .tolerance = 1e-10});
    //- the density of the blurred spikes, and the draws
    return {double(w.at({0, 0})), std::exp(double(w.at({0, 1})))};
}

// For the divergence itself: the density of the blurred spikes is an expectation under the sharp spikes.
Log blurred(const Spikes& spikes, double h) {
    return [&spikes, h](double y) {
        return std::log(spikes.expectation([&](double at) {
            return std::exp(Bell{at, h}(y));
        }));
    };
}

Spikes draw_spikes(Generator& random) {
    Spikes made;
    for (Index n = 0; n < spikes(); ++n) made.at.push_back(1 + random.next_normal());
    return made;
}

//-

// We draw twelve samples as spikes. First we compare three averages over them with the library's means over the samples,
// and look at the nearest bell for width zero:
//- three averages, and the nearest bell
void narrower(const Spikes& seen, Generator& random) {
    const Tensor y({spikes()}, std::vector<Real>(seen.at.begin(), seen.at.end()));
    const auto off = [&](const auto& f, const Tensor& of_samples) {
        return std::abs(seen.expectation(f) - double(mean(of_samples).item()));
    };
    claim("eq-empirical-dirac/a",
          "the expectation under the spikes, minus the mean over the samples, of y, "
          "y² and the exponential of y: the largest difference",
          std::max({off([](double v) { return v; }, y),
                    off([](double v) { return v * v; }, square(y)),
                    off([](double v) { return std::exp(v); }, exp(y))}),
          "<=", 1e-14);
    const double own = seen.expectation([](double v) { return v; });

    const Bell end = nearest_bell(seen, 0);
    const double variance =
        seen.expectation([&](double y) { return (y - own) * (y - own); });
    claim("fig-udl-5.12/a",
          "mean and variance of the nearest bell, minus those of the samples",
          std::max(std::abs(end.mean - own),
                   std::abs(end.deviation * end.deviation - variance)),
          "<=", 1e-6);

    //-
    // At width zero the nearest bell has the mean of the samples, and their variance (the sum of squares divided by
    // $N$): it is the maximum-likelihood bell. Now for other widths:
    //- narrower and narrower
    const auto apart = [](const Bell& a, const Bell& b) {
        return std::max(std::abs(a.mean - b.mean), std::abs(a.deviation - b.deviation));
    };
    std::vector<std::vector<book::Cell>> rows;
    for (const double h : {1.0, 0.3, 0.1, 0.03, 0.01}) {
        const Bell bell = nearest_bell(seen, h);
        const double far = divergence(blurred(seen, h), bell, -8, 10, 20'000);
        rows.push_back({fmt::format("{}", h), fmt::format("{:.3f}", far),
                        fmt::format("{:.1e}", apart(bell, end))});
    }
    book::table("tab-narrower",
                "Bells of deviation h in place of the samples: the divergence of the "
                "nearest bell from them, and its distance from the "
                "maximum-likelihood bell (h = 0).",
                {"h", "divergence, nats", "from maximum likelihood"}, rows);

    //-
    // The divergence grows without bound as the spikes get narrow, here from 0.009 to 2.3 nats: no smooth model is near
    // to spikes. But the bell with the smallest divergence converges to the maximum-likelihood bell: from a width of 0.1 on,
    // the two are less than 0.01 apart. For a width of 0.01 we repeat this with other samples:
    //- what is checked and printed
    std::vector<double> gaps;
    for (int s = 0; s < seeds(); ++s) {
        const Spikes other = draw_spikes(random);
        gaps.push_back(apart(nearest_bell(other, 0.01), nearest_bell(other, 0)));
    }
    claim("eq-kl-to-nll/a",
          "width 0.01: distance of the nearest bell from the maximum-likelihood bell",
          over_seeds(gaps), "<", 1e-3);
}
//-

// {numref}`fig-udl-5.12` lets you find the nearest bell by hand.
//- how the figure is drawn
void draw_spikes_and_bells(const Spikes& seen) {
    const Bell best = nearest_bell(seen, 0);
    std::vector<double> stops, x, up, y = even_grid(121, -3, 5);
    for (int i = 3; i <= 24; ++i) stops.push_back(i / 10.0);
    const double share = 1 / double(spikes());
    for (const double at : seen.at)
        x.insert(x.end(), {at, at, NAN}), up.insert(up.end(), {0, share, NAN});
    const double h = 0.1;
    const double entropy = -divergence(
        blurred(seen, h), [](double) { return 0; }, -8, 10);  // of the blurred spikes
    const auto nll = [&](double mean, double s) {
        return -seen.expectation([&](double at) { return Bell{mean, s}(at); });
    };
    Figure figure("fig-udl-5.12");
    figure.slider("deviation", stops, "deviation of the bells", 0.4)
        .columns(3)
        .height(230);
    figure.panel("the data")
        .line("", x, up,
              {.color = figure::ink,
               .dash = figure::solid,
               .width = 1.5,
               .points = false})
        .dots("", seen.at, std::vector(seen.at.size(), share),
              {.color = figure::ink, .shape = figure::Shape::triangle, .width = 3})
        .xlim(-3, 5)
        .ylim(0, 2 * share)
        .x("y")
        .y("share");
    //-
    //- the bells and their losses
    figure.panel("two bells");
    std::vector<double> at_mean, off_mean, far;
    for (const double s : stops) {
        figure.at(s)
            .line("at the mean", y, heights(y, Bell{best.mean, s}), blue_line)
            .line("one unit to the left", y, heights(y, Bell{best.mean - 1, s}),
                  ochre_line);
        at_mean.push_back(nll(best.mean, s)), off_mean.push_back(nll(best.mean - 1, s));
        far.push_back(at_mean.back() + h * h / (2 * s * s) - entropy);
    }
    figure.always().xlim(-3, 5).x("y").y("density");
    figure.panel("loss")
        .line("at the mean", stops, at_mean, blue_line)
        .line("one unit to the left", stops, off_mean, ochre_line)
        .line("divergence, h = 0.1", stops, far,
              {.color = figure::blue, .dash = figure::dotted, .points = false})
        .rule_x(best.deviation)
        .ylim(0, 6)
        .x("deviation")
        .y("nats");
    for (std::size_t i = 0; i < stops.size(); ++i)
        figure.at(stops[i])
            .dots("", {stops[i]}, {at_mean[i]}, dot(figure::blue))
            .dots("", {stops[i]}, {off_mean[i]}, dot(figure::ochre));
    figure
        .describe(
            "Three panels with a slider for a deviation. First panel: twelve arrows, "
            "one at each sample, all of one height. Second panel: a bell at the mean "
            "of the samples and one a unit to its left. Third panel: the negative "
            "log-likelihood of both against the deviation, two valleys, that of the "
            "bell at the mean lower and with its bottom further left; below it, nearly "
            "parallel, the divergence from slightly blurred samples.")
        .save(
            "First panel: the data as spikes; second: two bells; third: their negative "
            "log-likelihood. Move the slider to the bottom of the blue valley "
            "(vertical line): this bell is the nearest. The dotted line is its "
            "divergence from spikes of width 0.1: the same valley, shifted by the "
            "entropy of those spikes. After Figure 5.12 of {cite:t}`prince2023`.");
    book::shows("fig-udl-5.12/b", "fig-udl-5.12");
}
//-

// ## One loss, two names
//
// For classes the first term is finite. The empirical distribution is a table of shares, $q_k = n_k / N$, with $n_k$
// samples of class $k$. A hundred times we draw fifty labels and random probabilities of six classes, and compute both
// losses:
void shares_of_letters(Generator& random) {
    double gap = 0;
    for (int i = 0; i < 100; ++i) {
        const std::vector<Real> p = exp(log_softmax(random.normal({6}, 0, 2))).values();
        std::vector<double> share(6);
        double likelihood = 0, cross_entropy = 0;
        for (const Index y : random.integers({50}, 0, 6).values()) {
            share[std::size_t(y)] += 1 / 50.0;
            likelihood -= std::log(p[std::size_t(y)]) / 50;
        }
        for (std::size_t k = 0; k < 6; ++k) cross_entropy -= share[k] * std::log(p[k]);
        gap = std::max(gap, std::abs(likelihood - cross_entropy));
    }
    claim("eq-kl-to-nll/b",
          "six classes: largest difference of cross-entropy and mean negative "
          "log-likelihood",
          gap, "<=", 1e-12);
}

// This is why the loss of classification has two names. As a likelihood it *picks* the logarithm of the right class. As
// a cross-entropy it *sums* over all classes, weighted by a $q$ that is 1 for the right class and 0 for the others. We
// train two copies of a network, one with each formula:
//- the data and two equal networks
void two_names(Generator& random) {
    const Tensor x = random.normal({200, 4});
    const Integers labels = argmax(x + random.normal({200, 4}), 1);
    const Tensor q = one_hot(labels, 4);
    const nn::Linear one(4, 4, random), other = nn::clone(one);
    optim::Adam adam(nn::parameters(one), {.lr = 0.05}),
        again(nn::parameters(other), {.lr = 0.05});
    int different = 0;
    //-
    for (int step = 0; step < 200; ++step) {
        optim::train_step(adam,
                          [&] { return nn::nll(nn::Categorical{}, one(x), labels); });
        optim::train_step(again,
                          [&] { return -mean(sum(q * log_softmax(other(x)), {1})); });
        //- what is checked and printed
        different += one.weight.values() != other.weight.values() ||
                     one.bias.values() != other.bias.values();
    }
    claim_true("claim-nll-is-cross-entropy/a",
               "after each of 200 steps both have the same weights, bit for bit",
               different == 0);
}
//-

// ## Density modelling
//
// The same loss, without an input $x$ to condition on, trains a density $f$. [Density
// estimation](../foundations/density.cpp) did so with bells in the plane:
//
// ```{equation} eq-density-nll
// :function: Bells
// \Loss(w) = - \frac1N \sum_{n=1}^N \log f(x_n; w)
// ```
//
// Now we can say how low this loss can get. Its expectation is $-\int q \log f = D_{\mathrm{KL}}(q \Vert f) + H(q)$, so
// never less than the entropy $H(q)$ of the truth, and equal to it only if $f$ *is* the truth. We check this with the
// three bells of that page, whose weights we know. Their density is a weighted sum of bells, computed by its logarithm:
struct Bells {
    Tensor log_shares, x, y, across, along, slant;

    Tensor log_density(const Tensor& points) const {
        const Tensor dx = slice(points, 1, 0, 1) - x, dy = slice(points, 1, 1, 2) - y;
        const Tensor u = dx * exp(across), v = dx * slant + dy * exp(along);
        return logsumexp(log_softmax(log_shares) + across + along -
                             (square(u) + square(v)) / 2,
                         {1}) -
               std::log(2 * pi);
    }
    Tensor nll(const Tensor& points) const { return -mean(log_density(points)); }
    //- the weights, and those of the true bells
    void visit(auto&& part) {
        part("log_shares", log_shares), part("x", x), part("y", y);
        part("across", across), part("along", along), part("slant", slant);
    }
};

// Each bell is given by its axes; the model needs a triangular matrix A such that AᵀA is the inverse of the covariance.
Bells weights_of(const data::Mixture& world) {
    std::vector<Real> numbers[6];
    for (const data::Bell& b : world.bells) {
        const double c = std::cos(b.angle), s = std::sin(b.angle),
                     l = 1 / (b.along * b.along), m = 1 / (b.across * b.across);
        const double yy = s * s * l + c * c * m, xy = c * s * (l - m),
                     xx = c * c * l + s * s * m;
        const double row[] = {std::log(b.weight),
                              b.x,
                              b.y,
                              std::log(xx - xy * xy / yy) / 2,
                              std::log(yy) / 2,
                              xy / std::sqrt(yy)};
        for (int i = 0; i < 6; ++i) numbers[i].push_back(Real(row[i]));
    }
    const auto row = [&](int i) {
        return Tensor({Index(numbers[i].size())}, numbers[i]);
    };
    return {row(0), row(1), row(2), row(3), row(4), row(5)};
}

//-

// The entropy is an integral over a fine grid. Beside it we compute the loss of the true weights on 20,000 samples:
//- the entropy, and the loss of the true weights
void bells(Generator& random) {
    const data::Mixture world = data::three_bells();
    Bells truth = weights_of(world);
    double entropy = 0;
    const double width = 0.02;
    for (const double x : even_grid(601, -6, 6))
        for (const double y : even_grid(601, -6, 6)) {
            const double log = world.log_density(x, y);
            entropy -= std::exp(log) * log * width * width;
        }
    const Tensor seen = world.draw(points(), random).x, logs = truth.log_density(seen);
    const double loss = double(truth.nll(seen).item()),
                 error = std::sqrt(double(mean(square(logs + loss)).item()) /
                                   double(points()));
    say("entropy {:.4f}, loss of the true weights {:.4f} nats", entropy, loss);
    claim("eq-density-nll/a",
          "loss of the true weights minus entropy, in standard errors",
          std::abs(loss - entropy) / error, "<=", 3);

    //-
    // The loss is 2.545 nats, and the entropy 2.532. The loss is a mean over samples, so it fluctuates around the
    // entropy; here it is 1.95 standard errors above it, a deviation that chance alone exceeds about once in twenty
    // draws. We also compare its gradient, which training needs, with differences, for all eighteen weights, at a point
    // away from the minimum:
    //- what is checked and printed
    const Tensor few = world.draw(200, random).x;
    double worst = 0;
    for (NamedTensor& part : nn::state(truth))
        for (Index k = 0; k < part.tensor.numel(); ++k)
            part.tensor.set({k}, part.tensor.at({k}) + 0.1 * random.next_normal());
    truth.visit([](const char*, Tensor& t) { t.requires_grad_(); });
    truth.nll(few).backward();
    for (NamedTensor& part : nn::state(truth))
        for (Index k = 0; k < part.tensor.numel(); ++k) {
            const NoGrad only_asking;
            const Real here = part.tensor.at({k});
            const auto at = [&](double value) {
                return part.tensor.set({k}, Real(value)), double(truth.nll(few).item());
            };
            const double slope = (at(here + 1e-5) - at(here - 1e-5)) / 2e-5;
            at(here);
            worst = std::max(worst, std::abs(slope - part.tensor.grad().at({k})));
        }
    claim("eq-density-nll/b", "gradient against central differences, the largest gap",
          worst, "<=", 1e-6);
}

//-
void page() {
    Generator random(book::seed());
    two_bells(random);
    draw_two_bells();
    which_way();
    const Spikes seen = draw_spikes(random);
    narrower(seen, random);
    draw_spikes_and_bells(seen);
    shares_of_letters(random);
    two_names(random);
    bells(random);
}

// So the expected negative log-likelihood is the sum of two terms: the divergence, which training can reduce, and the
// entropy, which it cannot change. A loss that no longer falls may simply have reached the entropy of the data. On the
// training set a loss can fall clearly *below* the entropy: then the model has begun to fit the spikes.
//
// ## Summary
//
// The KL divergence is the average surprise of a model minus the entropy of the truth: never negative, zero only for the
// true model, and different in the two directions. With the samples in the place of the truth, the divergence is smallest
// where the negative log-likelihood is, and for classes this loss is the cross-entropy. On new data no model has
// an expected loss below the entropy.
//
// ## What is missing
//
// Now you know where losses come from. The cross-entropy of classes is the loss that this book uses most. [The next
// page](softmax.cpp) makes the probabilities that it needs from the scores of a network, and [the page after
// it](cross_entropy.cpp) shows what value the loss starts from, and what its gradient does.
//
// ```{try}
// - Fewer samples, other spikes: `--spikes 3 --seed 2`. How far is the nearest bell from the true one?
// - Many samples: `--spikes 200`. Does the divergence in the table still grow when the spikes get narrow? From
//   which width on?
// - Judge the density on few samples: `--points 100`. How far from the entropy may its loss be?
// ```
