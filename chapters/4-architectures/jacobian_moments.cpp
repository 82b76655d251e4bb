// # Thin layers: the moments of the Jacobian
//
// ```{rows} eq-hanin-second-moment eq-hanin-fourth-moment claim-avoid-thin-layers
// ```
//
// With [the right variance](signal_propagation.cpp) a signal keeps its size *on average*. Does your network? Training
// starts from a single draw of the weights, and a single draw may be far from the average. The **input–output
// Jacobian** $J$ tells you how far: its entries are the derivatives of the outputs with respect to the inputs.
// {numref}`fig-jacobian-spread` draws a thousand networks and shows the size of their Jacobians. The average is 1 for
// all of them. Make the layers narrow, or make them many, and most networks move to the left of it. A single sum says
// how bad it is: add up $1/n$ over the layers, where $n$ is the width of a layer.
//
// ```{opening} fig-jacobian-spread
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/named_tensors.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using figure::Figure, figure::Names;

const book::Option<Index> width("width", 20, "units of a layer, in the first figure",
                                {.least = 2, .most = 50});
const book::Option<Index> layers("layers", 5, "hidden layers, in the first figure",
                                 {.least = 1, .most = 20});
const book::Option<Index> draws("draws", 8'000, "number of networks for each seed",
                                {.quick = 1'000, .least = 1'000, .most = 1'000'000});
const book::Option<int> seeds("seeds", 5, "repetitions", {.quick = 1, .least = 1});
const book::Option<Index> trained("trained", 16, "networks trained for each seed",
                                  {.quick = 4, .least = 1});
const book::Option<Index> steps("steps", 300, "steps of training",
                                {.quick = 20, .least = 1});

const Index inputs = 10, outputs = 4;
using Widths = std::vector<Index>;

// The curve that is fitted, for all networks of a batch.
struct Curve {
    Tensor x, y;
};
Curve curve() {
    const std::vector<double> at = data::even_grid(32, -1, 1);
    std::vector<Real> x, y;
    for (const double v : at)
        x.push_back(Real(v)), y.push_back(Real(data::smooth_curve((v + 1) / 2)));
    return {Tensor({1, 32, 1}, x), Tensor({1, 32, 1}, y)};
}

// Weights and biases of networks with one input and one output, for all networks of a
// batch.
NamedTensors random_weights(const Widths& widths, std::uint64_t seed) {
    Generator random(seed);
    NamedTensors parts;
    Index in = 1;
    const auto add = [&](Index n, double variance) {
        const auto spread = Real(std::sqrt(variance / double(in)));
        parts.push_back({"w", random.normal({trained(), in, n}, 0, spread)});
        in = n;
    };
    for (const Index n : widths) {
        add(n, 2);
        parts.push_back({"b", zeros({trained(), 1, n})});
    }
    add(1, 1);
    for (NamedTensor& part : parts) part.tensor.requires_grad_();
    return parts;
}

// Defined further down:
double sum_of_inverses(const Widths& widths);
struct Behind {
    Tensor hidden;    // derivatives of a layer's activations, (networks, inputs, units)
    Tensor outputs;   // of a linear layer that reads these activations
    Tensor jacobian;  // derivatives of these outputs, (networks, inputs, outputs)
};
std::vector<Behind> derivatives(Tensor h, const Widths& widths, Generator& random);
//-

//- how the figure is drawn
void jacobian_spread() {
    Generator random(book::seed());
    const Widths widths(std::size_t(layers()), width());
    const Tensor j =
        derivatives(random.normal({1000, 1, inputs}), widths, random).back().jacobian;
    const std::vector<Real> sizes = (double(inputs) * mean(square(j), {1, 2})).values();
    std::vector<double> places, heights(28), all(sizes.begin(), sizes.end());
    for (std::size_t i = 0; i < heights.size(); ++i)
        places.push_back(-5 + (double(i) + 0.5) / 4);
    for (const double v : all) {
        const double at = std::clamp((std::log10(v) + 5) * 4, 0.0, 27.0);
        ++heights[std::size_t(at)];
    }
    const double median = std::log10(book::median(all));
    Figure("fig-jacobian-spread")
        .describe(
            "A histogram of the logarithm of the mean square of the Jacobian's "
            "entries, times the number of inputs, for a thousand networks with five "
            "layers of 20 units. The bars reach from one tenth to ten, with a longer "
            "tail to the left. A vertical line at the median stands left of zero. "
            "Sliders set the width and the number of layers.")
        .slider(width, "units of a layer")
        .slider(layers, "hidden layers")
        .bars("networks", places, heights, {.color = figure::blue})
        .rule_x(median, "", {.color = figure::red})
        .words("", std::vector<double>{median - 0.5}, std::vector<double>{310},
               Names{"median"}, {.color = figure::red})
        .rule_x(0, "", {.color = figure::green})
        .words("", std::vector<double>{0.9}, std::vector<double>{360},
               Names{"average, by formula"}, {.color = figure::green})
        .words("", std::vector<double>{-3.5}, std::vector<double>{360},
               Names{fmt::format("Σ 1/n = {:.2f}", sum_of_inverses(widths))},
               {.color = figure::ink})
        .ylim(0, 400)
        .x("log₁₀ of the Jacobian's mean square, times the number of inputs")
        .y("number of networks")
        .save(
            "The size of the Jacobian in a thousand random ReLU networks. Drag the "
            "sliders: the average of the formula stays at 1 (0 in logarithms), and the "
            "median falls as Σ 1/n grows. Networks beyond the ends are counted in the "
            "first and the last bar.");
}
//-

// ## The second moment does not depend on the widths
//
// Take the smallest example: one input $x$, one hidden unit with a ReLU, one output, $y = v \, \max(w x, 0)$. The
// derivative of $y$ is $v w$ if the unit is active and 0 if not, each with probability $\frac12$. Let the variance of
// $w$ be 2, as in [the initialisation of He](../components/initialisation.cpp) for one input, and that of $v$ be 1. Then
// the mean square of the derivative is $\frac12 \cdot 2 \cdot 1 = 1$.
//
// A network has many paths from input $i$ to an output, and an entry of $J$ is the sum over all paths. The signs of the
// weights are random, so products of different paths cancel on average. A layer of width $n_l$ multiplies the number of
// paths by
// $n_l$, a ReLU is active with probability $\frac12$, and the weights behind the layer have the variance $2/n_l$. These
// factors multiply to 1. What remains is the first variance $2/n_0$ with its $\frac12$, since the last layer, which no
// ReLU follows, has the variance $1/n_L$:
//
// ```{equation} eq-hanin-second-moment
// :function: derivatives
// \mathbb E\big[J_{ki}^2\big] = \frac1{n_0}
// ```
//
// This is a result of {cite:t}`hanin2018gradients`. To check it, we need many networks. One batched product holds a
// thousand of them. The tensor `t` holds the derivative of the activations `h` with respect to all inputs, and passes
// through the same layers. Behind each layer we close the network with an output layer of its own:
std::vector<Behind> derivatives(Tensor h, const Widths& widths, Generator& random) {
    std::vector<Behind> found;
    Tensor t;
    for (const Index n : widths) {
        const Index count = h.size(0), in = h.size(2);
        const double variance = 2 / double(in);
        const Tensor w = random.normal({count, in, n}, 0, Real(std::sqrt(variance)));
        h = relu(matmul(h, w));
        t = where(h, t.defined() ? matmul(t, w) : w, zeros({}));  // 0 if not active
        const Tensor v =
            random.normal({count, n, outputs}, 0, Real(std::sqrt(1 / double(n))));
        found.push_back({t, matmul(h, v), matmul(t, v)});
    }
    return found;
}
//- moments over many networks
struct Moments {
    double second = 0, fourth = 0, spread = 0;  // of the entries, times n₀ and n₀²
    double factor = 0;  // of the fourth moment, by this layer alone
};
// Behind every layer, over `draws` networks in blocks of a thousand.
std::vector<Moments> moments(const Widths& widths, std::uint64_t seed) {
    const Index block = 1000, blocks = draws() / block;
    const double share = 1 / double(blocks), n0 = double(inputs);
    std::vector<Moments> found(widths.size());
    Generator random(seed);
    for (Index k = 0; k < blocks; ++k) {
        const Tensor x = random.normal({block, 1, inputs});
        const std::vector<Behind> all = derivatives(x, widths, random);
        for (std::size_t l = 0; l < all.size(); ++l) {
            const Tensor squares = n0 * square(all[l].jacobian);
            found[l].second += share * double(mean(squares).item());
            found[l].fourth += share * double(mean(square(squares)).item());
            found[l].spread += share * double(variance(squares).item());
            if (l == 0) continue;
            const std::vector<Real> now = sum(square(all[l].hidden), {2}).values(),
                                    last = sum(square(all[l - 1].hidden), {2}).values();
            double sum = 0, alive = 0;  // without networks that no longer pass a signal
            for (std::size_t i = 0; i < now.size(); ++i)
                if (last[i] > 0)
                    sum += std::pow(double(now[i]) / double(last[i]), 2), ++alive;
            found[l].factor += share * sum / alive;
        }
    }
    return found;
}

struct Measurement {
    Widths widths;
    figure::Color color;
    std::vector<std::vector<Moments>> runs = {};  // of each seed, behind each layer

    std::vector<double> at(std::size_t layer, double Moments::*which) const {
        std::vector<double> found;
        for (const auto& run : runs) found.push_back(run[layer].*which);
        return found;
    }
    // Over all networks of all seeds, behind the last layer; the range is that of single
    // seeds.
    book::Measured mean(double Moments::*which) const {
        const std::vector<double> of_seeds = at(widths.size() - 1, which);
        const auto [low, high] = std::ranges::minmax(of_seeds);
        const double sum = std::accumulate(of_seeds.begin(), of_seeds.end(), 0.0);
        return {sum / double(of_seeds.size()), low, high, int(of_seeds.size())};
    }
    std::string name() const {
        return fmt::format("{} layers of {} units", widths.size(), widths[0]);
    }
};
std::vector<Measurement> measure() {
    std::vector<Measurement> all = {{Widths(5, 50), figure::blue},
                                    {Widths(5, 20), figure::green},
                                    {Widths(10, 10), figure::red}};
    for (Measurement& one : all)
        for (int run = 0; run < seeds(); ++run)
            one.runs.push_back(moments(one.widths, book::seed() + std::uint64_t(run)));
    return all;
}

void against_backward() {
    Generator random(book::seed());
    Tensor x = random.normal({8, 1, inputs});
    x.requires_grad_();
    const Behind last = derivatives(x, {20, 30, 20}, random).back();
    double worst = 0;
    for (Index k = 0; k < outputs; ++k) {
        x.zero_grad();
        sum(select(last.outputs, 2, k)).backward();
        const Tensor off =
            x.grad() - reshape(select(last.jacobian, 2, k).detach(), x.shape());
        worst = std::max(worst, double(max(abs(off)).item()));
    }
    claim("", "the Jacobian against the backward pass, largest difference", worst,
          "<=", 1e-5);
}
//-
//- how the figure is drawn, and what is checked
void second_moment(const std::vector<Measurement>& all) {
    Figure figure("fig-second-moment");
    figure.describe(
        "The number of inputs times the mean square of the Jacobian's entries against "
        "the number of layers, with bands for five repetitions. The lines for layers "
        "of 50 and of 20 units stay within a few hundredths of 1 for five layers, the "
        "one for layers of 10 units stays near 1 for ten, with a wider band.");
    for (const Measurement& one : all) {
        std::vector<double> places, middle, low, high;
        for (std::size_t l = 0; l < one.widths.size(); ++l) {
            const std::vector<double> at = one.at(l, &Moments::second);
            places.push_back(double(l + 1)), middle.push_back(book::median(at));
            low.push_back(std::ranges::min(at)), high.push_back(std::ranges::max(at));
        }
        figure.band("", places, low, high, {.color = one.color})
            .line(one.name(), places, middle,
                  {.color = one.color, .dash = figure::solid});
    }
    figure.ylim(0.8, 1.2)
        .x("hidden layers")
        .y("n₀ times the mean square")
        .save(fmt::format(
            "n₀ times the mean square of the Jacobian's entries: median and "
            "range of {} repetitions with {} networks each, {} in all. It "
            "stays near 1 for every depth and every width.",
            seeds(), draws(), seeds() * draws()));
    book::shows("eq-hanin-second-moment/a", "fig-second-moment");
    for (const Measurement& one : all) {
        if (sum_of_inverses(one.widths) > 0.251) continue;
        claim_in("eq-hanin-second-moment/b",
                 fmt::format("n₀ times the mean square, {}", one.name()),
                 one.mean(&Moments::second), 0.97, 1.03);
    }
}
//-

// ## The fourth moment grows
//
// The mean is 1 because a few large Jacobians make up for many small ones. The **fourth moment** $\mathbb E[J_{ki}^4]$
// measures this: large entries dominate it. In a layer of $n$ units, look at the squared length $S$ of a derivative
// vector. It is a sum of $n$ terms, one for each unit. A term is 0 with probability $\frac12$, and otherwise the square
// of a normal number with the variance $\frac2n$. The mean square of such a term is
// $\frac12 \cdot 3 \cdot \frac4{n^2} = \frac6{n^2}$, and the mean product of two different terms is $\frac1{n^2}$. There are
// $n$ squares and $n(n - 1)$ products, so $\mathbb E[S^2] = \frac{6n + n^2 - n}{n^2} = 1 + \frac5n$. Layer by layer
// these factors multiply, and the last normal weight adds a factor of 3:
//
// ```{equation} eq-hanin-fourth-moment
// :function: fourth_moment
// \mathbb E\big[J_{ki}^4\big] = \frac3{n_0^2} \prod_{l=1}^L \Big(1 + \frac5{n_l}\Big), \qquad
// e^{\ln 6 \, \Sigma} \le \prod_{l=1}^L \Big(1 + \frac5{n_l}\Big) \le e^{5 \Sigma}, \qquad \Sigma = \sum_{l=1}^L \frac1{n_l}
// ```
//
// The right bound is $1 + u \le e^u$. The left bound says that $6^{1/n} \le 1 + \frac5n$. It follows from
// $(1 + \frac5n)^n \ge 1 + n \cdot \frac5n = 6$, the inequality of Bernoulli. Both bounds depend on the widths through
// $\Sigma$ alone:
double sum_of_inverses(const Widths& widths) {
    double sum = 0;
    for (const Index n : widths) sum += 1 / double(n);
    return sum;
}
double growth(const Widths& widths) {
    double factor = 1;
    for (const Index n : widths) factor *= 1 + 5 / double(n);
    return factor;
}
double fourth_moment(const Widths& widths) {
    return 3 * growth(widths) / double(inputs * inputs);
}

// ```{erratum} A variance and a fourth moment
// :row: eq-hanin-fourth-moment
// :source: {cite:t}`charpiat-notes`, §I
// :printed: the variance of $J_{ki}^2$, i.e. the fourth moment of $J_{ki}$
// :correct: \mathrm{var}\big(J_{ki}^2\big) = \mathbb E\big[J_{ki}^4\big] - \frac1{n_0^2}
// A variance is the mean square minus the square of the mean, and the mean of $J_{ki}^2$ is $1/n_0$. The bounds by
// $\Sigma$ hold for the fourth moment.
// ```
//
// Place your bet:
//- the question, how the figure is drawn, and what is checked
void fourth_moment_grows(const std::vector<Measurement>& all) {
    const double deeper = growth(Widths(10, 50)) / growth(Widths(5, 50)),
                 thinner = growth(Widths(5, 25)) / growth(Widths(5, 50));
    ask("A network has 5 layers of 50 units. You either double its depth or halve its "
        "widths. Which change raises the fourth moment of the Jacobian more?",
        {{"Doubling the depth, by far.", deeper > 1.25 * thinner,
          "Depth is a power, and the base is only 1 + 5/n. Halving n nearly doubles "
          "its "
          "logarithm."},
         {"Halving the widths, by far.", thinner > 1.25 * deeper,
          "The factor of a layer rises from 1.1 to 1.2, and there are five of them."},
         {"Both do nearly the same.", std::abs(deeper / thinner - 1) < 0.1,
          fmt::format(
              "Both double Σ 1/n. The fourth moment grows by a factor of {:.2f} "
              "for the depth and {:.2f} for the widths.",
              deeper, thinner)}});

    Figure figure("fig-fourth-moment");
    figure.describe(
        "The logarithm of the fourth moment against the sum of 1/n. Dots of five "
        "repetitions for three networks lie between a lower and an upper straight "
        "line and near the curves of the product. Beyond a sum of one half, the dots "
        "scatter.");
    std::vector<double> sigma = data::even_grid(21, 0, 1), low, high;
    for (const double s : sigma)
        low.push_back(std::log(6.0) * s), high.push_back(5 * s);
    figure
        .line("bounds", sigma, low,
              {.color = figure::grey, .dash = figure::dashed, .points = false})
        .line("bounds", sigma, high,
              {.color = figure::grey, .dash = figure::dashed, .points = false});
    double off = 0, gap = 0;  // of the averages over all networks
    std::vector<double> off_of(static_cast<std::size_t>(seeds())), gap_of(off_of);
    for (const Measurement& one : all) {
        std::vector<double> places, product, x, y;
        for (std::size_t l = 0; l < one.widths.size(); ++l) {
            const Widths so_far(one.widths.begin(), one.widths.begin() + Index(l) + 1);
            places.push_back(sum_of_inverses(so_far));
            product.push_back(std::log(growth(so_far)));
            for (const double at : one.at(l, &Moments::fourth))
                x.push_back(places.back()), y.push_back(std::log(at / 3));
        }
        figure.dots(one.name(), x, y, {.color = one.color})
            .line(one.name(), places, product, {.color = one.color, .points = false});
        if (sum_of_inverses(one.widths) > 0.251) continue;
        const double wanted = fourth_moment(one.widths) * double(inputs * inputs);
        const book::Measured fourth = one.mean(&Moments::fourth);
        off = std::max(off, std::abs(fourth.value / wanted - 1));
        gap = std::max(gap,
                       std::abs(fourth.value - one.mean(&Moments::spread).value - 1));
        for (std::size_t run = 0; run < off_of.size(); ++run) {
            const Moments& m = one.runs[run].back();
            off_of[run] = std::max(off_of[run], std::abs(m.fourth / wanted - 1));
            gap_of[run] = std::max(gap_of[run], std::abs(m.fourth - m.spread - 1));
        }
        say("{}: n₀² times the fourth moment is {}, and the formula says {:.3f}",
            one.name(), book::brief(fourth), wanted);
    }
    figure.x("Σ 1/n")
        .y("logarithm of n₀²/3 times the fourth moment")
        .save(fmt::format(
            "The fourth moment of the Jacobian, measured (dots, {} repetitions with "
            "{} networks each, {} in all) and from the formula (lines). The dashed "
            "lines are the two bounds.",
            seeds(), draws(), seeds() * draws()));
    book::shows("eq-hanin-fourth-moment/a", "fig-fourth-moment");
    const auto with_range = [](double value, const std::vector<double>& single) {
        const auto [low, high] = std::ranges::minmax(single);
        return book::Measured(value, std::min(value, low), high, int(single.size()));
    };
    claim("eq-hanin-fourth-moment/b",
          "the fourth moment over all draws against the formula for Σ up to 0.25, "
          "largest relative deviation of two networks (range: that of single seeds)",
          with_range(off, off_of), "<=", 0.10);
    claim(
        "eq-hanin-fourth-moment/e",
        "the fourth moment less the variance of the squared derivative against 1/n₀², "
        "over all draws, largest relative deviation of two networks (range: that of "
        "single seeds)",
        with_range(gap, gap_of), "<=", 0.05);

    bool within = true;
    for (Index n = 1; n <= 1'000'000; ++n) {
        const double factor = 1 + 5 / double(n), slack = 1 + 1e-12;
        within = within && std::pow(6, 1 / double(n)) <= factor * slack &&
                 factor <= std::exp(5 / double(n)) * slack;
    }
    claim_true("eq-hanin-fourth-moment/c",
               "6 to the power 1/n ≤ 1 + 5/n ≤ exp(5/n) for all n up to a million, and "
               "so for all products",
               within);
    const Measurement& deep = all.back();
    std::vector<double> misses;
    for (const auto& run : deep.runs) {
        double worst = 0;
        for (std::size_t l = 1; l < run.size(); ++l)
            worst = std::max(worst, std::abs(run[l].factor / growth({10}) - 1));
        misses.push_back(worst);
    }
    claim("eq-hanin-fourth-moment/d",
          "10 layers of 10 units, Σ = 1: the factor of one layer against 1 + 5/n, "
          "largest relative deviation of nine layers",
          over_seeds(misses), "<=", 0.10);
}
//-

// The dots follow the curve of their widths, which runs between the two bounds. For $\Sigma \le 0.25$ the average over
// all 40,000 networks is within 2.9 % of the formula. The difference between fourth moment and variance is the square of
// the second moment, so it agrees with $1/n_0^2$ as well as the second moment does. Beyond $\Sigma = 0.25$ the dots
// scatter, although each is a mean over 8,000 networks with 40 entries of $J$ each: most of the fourth moment sits in
// networks so rare that 8,000 draws hold few of them. There we check the factor of a single layer, which has no such
// tail. In ten layers of ten units, $\Sigma = 1$, it is within 2.7 % of $1 + \frac5{10} = 1.5$ in each layer and each
// repetition.
//
// What does a large fourth moment mean for you? The average of the squared entries is fixed. If a few networks have
// huge Jacobians, most others must have small ones. In {numref}`fig-jacobian-spread` the median falls below the average
// as
// $\Sigma$ grows: more and more draws start with a vanishing gradient, and a few with an exploding one.
//
// ## Avoid thin layers
//
// The widths enter through $\Sigma$ only, and $\frac1n$ punishes small $n$. Suppose you may spend 40 units on four
// layers. Ten units in each layer give $\Sigma = 0.4$. Widths of 17, 17, 3 and 3 give 0.78. The program tries all ways
// to write 40 as a sum of four widths:
Widths best_of_four(Index units) {
    Widths best = {units - 3, 1, 1, 1};
    for (Index a = 1; a <= units - 3; ++a)
        for (Index b = 1; b <= units - 2 - a; ++b)
            for (Index c = 1; c <= units - 1 - a - b; ++c) {
                const Widths now = {a, b, c, units - a - b - c};
                if (sum_of_inverses(now) < sum_of_inverses(best)) best = now;
            }
    return best;
}

// Now put one layer of 4 units among four layers of 64. The thin layer alone multiplies the fourth moment by $1 +
// \frac54 = 2.25$. Does this matter for training? We fit a smooth curve at 32 points. A network with the thin layer
// competes with three others, of five equal layers: with 64 units each, with 52 units, which makes as many units in
// total, and with 47 units, which makes nearly as many parameters. Each gets the same three learning rates and the same
// number of steps of Adam. A run succeeds if its mean squared error ends below 0.01. All networks of one setting train
// at once, as a batch:
std::vector<double> final_losses(const Widths& widths, double lr, Index rounds,
                                 std::uint64_t seed) {
    const NamedTensors parts = random_weights(widths, seed);
    const auto [x, y] = curve();
    const auto losses = [&] {
        Tensor h = x;
        for (std::size_t l = 0; l + 1 < parts.size(); l += 2)
            h = relu(matmul(h, parts[l].tensor) + parts[l + 1].tensor);
        return mean(square(matmul(h, parts.back().tensor) - y), {1, 2});
    };
    optim::Adam adam(parts, {.lr = lr});
    optim::fit(adam, [&] { return sum(losses()); }, {.steps = rounds});
    const std::vector<Real> found = losses().values();
    return {found.begin(), found.end()};
}
//- what is checked
using Answers = std::vector<bool>;  // for each network
double share(const Answers& of) {
    return double(std::ranges::count(of, true)) / double(of.size());
}
Answers succeed(const Widths& widths, double lr, Index rounds, int run) {
    Answers found;
    for (const double loss :
         final_losses(widths, lr, rounds, book::seed() + 100 * std::uint64_t(run)))
        found.push_back(loss < 0.01);
    return found;
}
// Whether the network starts constant for all positive or for all negative inputs.
Answers silent(const Widths& widths, int run) {
    const NamedTensors parts =
        random_weights(widths, book::seed() + 100 * std::uint64_t(run));
    Tensor h({1, 2, 1}, {-1, 1});
    for (std::size_t l = 0; l + 1 < parts.size(); l += 2)
        h = relu(matmul(h, parts[l].tensor));
    const std::vector<Real> sums = sum(h, {2}).detach().values();
    Answers found;
    for (std::size_t k = 0; k < sums.size(); k += 2)
        found.push_back(sums[k] == 0 || sums[k + 1] == 0);
    return found;
}
Index parameters(const Widths& widths) {
    Index count = widths.back(), in = 1;
    for (const Index n : widths) count += (in + 1) * n, in = n;
    return count;
}

void thin_layers() {
    claim_true("claim-avoid-thin-layers/a",
               "of all ways to spend 40 units on four layers, equal widths have the "
               "smallest Σ 1/n",
               best_of_four(40) == Widths(4, 10));
    const Widths thin = {64, 64, 4, 64, 64};
    claim("claim-avoid-thin-layers/b",
          "the factor of the fourth moment by 64, 64, 4, 64 and 64 units",
          std::round(100 * growth(thin)) / 100, "==", 3.04);
    claim("claim-avoid-thin-layers/c", "the factor by five layers of 64 units",
          std::round(100 * growth(Widths(5, 64))) / 100, "==", 1.46);

    std::vector<std::vector<double>> best;  // success rates, for each seed
    std::vector<std::vector<book::Cell>> rows;
    double best_rate = 0;       // of the network with the thin layer
    std::vector<Answers> runs;  // of this network at this rate
    for (const Widths& widths : {thin, Widths(5, 47), Widths(5, 52), Widths(5, 64)}) {
        rows.push_back({fmt::format("{}", fmt::join(widths, ", ")), parameters(widths),
                        fmt::format("{:.2f}", sum_of_inverses(widths))});
        best.emplace_back();
        for (const double lr : {0.001, 0.003, 0.01}) {
            std::vector<double> rates;
            std::vector<Answers> all;
            for (int run = 0; run < seeds(); ++run) {
                all.push_back(succeed(widths, lr, steps(), run));
                rates.push_back(share(all.back()));
            }
            if (best.back().empty() ||
                book::median(rates) > book::median(best.back())) {
                best.back() = rates;
                if (widths == thin) best_rate = lr, runs = all;
            }
            rows.back().push_back(
                fmt::format("{:.3f} ({:.3f} to {:.3f})", book::median(rates),
                            std::ranges::min(rates), std::ranges::max(rates)));
        }
    }
    book::table("rates",
                fmt::format("The rate of runs that end below a mean squared error of "
                            "0.01 after {} steps of Adam: median and range of {} seeds "
                            "with {} networks each, for three learning rates.",
                            steps(), seeds(), trained()),
                {"widths", "parameters", "Σ 1/n", "0.001", "0.003", "0.01"}, rows);
    Index fail = 0, start_silent = 0, both = 0;
    std::vector<double> longer;
    for (int run = 0; run < seeds(); ++run) {
        const Answers good = runs[std::size_t(run)], quiet = silent(thin, run);
        for (std::size_t k = 0; k < good.size(); ++k)
            fail += !good[k], start_silent += quiet[k], both += !good[k] && quiet[k];
        longer.push_back(share(succeed(thin, best_rate, 10 * steps() / 3, run)));
    }
    say("with the thin layer, of {} networks: {} start constant on one side, {} fail "
        "at "
        "a learning rate of {}, {} do both",
        trained() * seeds(), start_silent, fail, best_rate, both);
    say("success rate with the thin layer after {} steps: {}", 10 * steps() / 3,
        book::brief(over_seeds(longer)));
    std::vector<double> lead;
    for (std::size_t run = 0; run < best[0].size(); ++run)
        lead.push_back(std::min({best[1][run], best[2][run], best[3][run]}) -
                       best[0][run]);
    claim("claim-avoid-thin-layers/d",
          "success rate of the networks without a thin layer, the lowest of the three, "
          "less that of the network with one, each at its best learning rate",
          over_seeds(lead), ">", 0);
}
//-

void page() {
    jacobian_spread();
    against_backward();
    const std::vector<Measurement> all = measure();
    second_moment(all);
    fourth_moment_grows(all);
    thin_layers();
}

// With the thin layer, 87.5 % of the runs succeed at the best learning rate. Without it, nearly all do, with 47, 52 or 64
// units a layer. Longer training does not help: after 1,000 steps it is still 87.5 %.
//
// One reason can be counted. The biases start at zero, so all positive inputs switch the same units on, and so do all
// negative ones. With four units, each side finds no active unit in one draw of sixteen. Then the network starts constant
// on this side, and no gradient passes the thin layer there. This happens in 12 of our 80 networks, and 5 of them fail.
// But 6 others fail as well, so this is only a part of the answer.
//
// ## Limits
//
// The formulas hold for dense ReLU layers with independent normal weights and biases of zero, at the first step. Other
// distributions of the weights change the 5. Shortcuts change all of this: [residual
// networks](../components/residual_networks.cpp) pass a signal around each layer. And the experiment in training is a
// small one, with one curve and one optimiser. A thin layer also limits what the network can represent, and the
// experiment does not separate this from a bad start.
//
// ## Summary
//
// At the start the entries of the input–output Jacobian have the mean square $1/n_0$, for every depth and all widths.
// Their fourth moment grows with every layer by $1 + 5/n_l$, and $\Sigma = \sum 1/n_l$ bounds the product from both
// sides. For a fixed number of units, equal widths keep $\Sigma$ smallest.
//
// ## What is missing
//
// Even wide layers with the best variance drift with depth. Can the weights be chosen such that no direction grows or
// shrinks at all? [The next page](orthogonal_initialisation.cpp) uses rotations.
//
// ```{try}
// - Many thin layers: `--width 4 --layers 20`. Where is the median?
// - More networks: `--trained 64`. How many with the thin layer start constant on one side?
// ```
