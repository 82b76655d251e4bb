// # What the step adds
//
// ```{rows} eq-implicit-gd eq-implicit-sgd
// ```
//
// [The last page](penalties.cpp) put a price on weights and wrote it into the loss. But networks that are trained
// without any price, far larger than their data would allow, often do well on new data. Something prefers
// simple solutions, and nobody wrote it down. It is called *implicit regularisation*. One of its sources can be
// computed exactly. It is the one thing about gradient descent that we have taken for a mere inconvenience: that
// a step has a length.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/classic/flow.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace recto;
using book::ask, book::claim_in, book::claim_true, book::over_seeds, book::say;
using classic::Gradient, classic::Point;
using figure::Figure;
//-

// Four numbers can be changed, the last two for the stochastic case:
const book::Option<double> rate("rate", 0.1,
                                "the largest rate at which errors are measured",
                                {.least = 1e-3, .most = 0.25});
const book::Option<double> travelled("time", 2,
                                     "steps times rate: how far descent goes",
                                     {.least = 0.1, .most = 20.0});
const book::Option<double> batch_rate("batch-rate", 0.2,
                                      "the same for one epoch in batches",
                                      {.least = 1e-3, .most = 1.0});
const book::Option<int> batches("batches", 3, "in how many batches of one sample",
                                {.least = 1, .most = 5});

// ## Steps against a stream
//
// Follow the slope of a loss downhill in steps that become ever shorter and ever more. In the limit the walk is a
// smooth curve, the *gradient flow*: $\frac{d w}{d t} = -\nabla \Loss(w)$. A step of rate $\eta$ takes as much
// time as the flow takes for $\eta$. The shorter the steps, the nearer descent keeps to the flow; the rest is an
// error of the method. So one would think.
//
// To look at it we take a loss of two weights, not a bowl, because in a bowl everything is easy:
//
// $$ \Loss(a, b) = \tfrac12 (ab - 1)^2 + \tfrac1{20} \big(a - \tfrac3{10}\big)^2 . $$
//
// The first part is the smallest deep network there is: input 1, two layers of one weight each, wanted output 1. The
// second makes one of its minima better than the others. The loss is written once, and the tape knows its slope.
Tensor two_layers(const Tensor& w) {
    const Tensor a = select(w, 0, 0), b = select(w, 0, 1);
    return square(a * b - 1.0) * 0.5 + square(a - 0.3) * 0.05;
}

template <class Loss>
Gradient gradient_of(const Loss& loss) {
    return [=](const Point& at) {
        Tensor w({Index(at.size())}, std::vector<Real>(at.begin(), at.end()));
        w.requires_grad_();
        loss(w).backward();
        const std::vector<Real> g = w.grad().values();
        return Point(g.begin(), g.end());
    };
}

// {cpp:func}`~recto::classic::descend` walks in steps, and {cpp:func}`~recto::classic::flow` follows the stream, with so fine a
// method that its own error does not matter here. How far are they apart when both have gone for the same time? Five
// rates, each half of the one before:
double distance(const Point& p, const Point& q) {
    return std::hypot(p[0] - q[0], p[1] - q[1]);
}

std::vector<double> halved(double first, int count) {
    std::vector<double> rates;
    for (int i = 0; i < count; ++i) rates.push_back(first / double(1 << i));
    return rates;
}

// On logarithmic axes an error that falls as $\eta^p$ is a line of slope $p$, once $\eta$ is small. So we measure the
// slope between the two smallest rates:
double slope(const std::vector<double>& rates, const std::vector<double>& errors) {
    const std::size_t n = rates.size();
    return std::log(errors[n - 2] / errors[n - 1]) /
           std::log(rates[n - 2] / rates[n - 1]);
}

void page() {
    const Gradient loss = gradient_of(two_layers);
    const Point start = {2, -0.7};
    const std::vector<double> rates = halved(rate(), 5);
    std::vector<double> to_flow, to_own_flow;
    for (const double eta : rates) {
        const Point walked =
            classic::descend(loss, start, eta, Index(std::lround(travelled() / eta)));
        to_flow.push_back(distance(walked, classic::flow(loss, start, travelled())));
        to_own_flow.push_back(distance(
            walked,
            classic::flow(classic::descended_loss(loss, eta), start, travelled())));
    }
    claim_in("eq-implicit-gd/a",
             "the distance to the flow of the loss: its slope against the rate",
             slope(rates, to_flow), 0.8, 1.2);

    // Half the rate, half the error. A slope of 1 is what a mere inconvenience looks like. But what *is* the error? If it
    // went in all directions at random we could leave it at that. Expand one step and the flow over the same time, both
    // from $w$, with the gradient $g$ and the matrix of second derivatives $H$ there:
    //
    // $$ \text{step:} \quad w - \eta\, g, \qquad\qquad
    //    \text{flow:} \quad w - \eta\, g + \tfrac{\eta^2}{2} H g - \dots $$
    //
    // The flow notices on its way that the slope changes, and by how much: $H g$ is the change of the gradient along
    // itself. The step does not notice, and so it is off by $\frac{\eta^2}{2} H g$, *every time in the same way*. And
    // this direction is itself a slope. Of what? Of the steepness: $\nabla |g|^2 = 2 H g$.
    //
    // So change the loss. Add a quarter of the rate times the squared length of its gradient, and take the flow of
    // *that*. Its own gradient is $g + \frac\eta2 H g$; over a time $\eta$ the addition moves $w$ by
    // $-\frac{\eta^2}{2} H g$, and this cancels the term of the flow that the step lacks. What remains is of order
    // $\eta^3$ in a step, and there are $1/\eta$ steps:
    //
    // ```{equation} eq-implicit-gd
    // :function: recto::classic::descended_loss
    // :test: flow: the loss that gradient descent descends; flow: gradient descent follows its own loss one order further
    // \Loss_{\mathrm{GD}}(w) = \Loss(w) + \frac{\eta}{4} \, \big|\nabla \Loss(w)\big|^2
    // ```
    claim_in(
        "eq-implicit-gd/b",
        "the distance to the flow of the modified loss: its slope against the rate",
        slope(rates, to_own_flow), 1.85, 2.15);

    // A slope of 2: half the rate, a quarter of the error. With steps of finite length gradient descent does not minimise
    // your loss badly. It minimises another loss, and minimises it well {cite:p}`barrett2021`. {numref}`fig-own-flow`
    // shows all three ways.
    const std::vector<double> hundredths = {2, 4, 6, 8, 10, 12};
    const auto path = [&](const Gradient& gradient, double time) {
        std::vector<std::vector<double>> xy(2);
        Point w = start;
        for (int i = 0; i <= 60; ++i) {
            xy[0].push_back(w[0]), xy[1].push_back(w[1]);
            w = classic::flow(gradient, w, time / 60, 4);
        }
        return xy;
    };
    const auto plain = path(loss, travelled());

    // A slider sets the rate:
    Figure ways("fig-own-flow");
    ways.describe(
            "Left: the plane of two weights. From one start the flow of the loss, the "
            "steps of gradient descent and the flow of the modified loss run side by "
            "side. The steps lie nearer to the flow of the modified loss and away from "
            "the other, the more the larger the rate. Right: both distances against "
            "the rate on logarithmic axes, two straight lines, one twice as steep as "
            "the other.")
        .slider("rate", hundredths, "rate in hundredths", 8)
        .panel("the ways")
        .line(
            "flow of the loss", plain[0], plain[1],
            {.color = figure::ink, .dash = figure::solid, .width = 1, .points = false})
        .x("a")
        .y("b");
    for (const double hundredth : hundredths) {
        const double eta = hundredth / 100;
        const auto own = path(classic::descended_loss(loss, eta), travelled());
        std::vector<double> a, b;
        Point w = start;
        for (double t = 0; t < travelled() + eta / 2; t += eta) {
            a.push_back(w[0]), b.push_back(w[1]);
            w = classic::descend(loss, w, eta, 1);
        }
        ways.at(hundredth)
            .line("flow of the modified loss", own[0], own[1],
                  {.color = figure::red, .dash = figure::solid, .points = false})
            .dots("steps", a, b,
                  {.color = figure::blue, .shape = figure::Shape::circle});
    }
    //- what is always seen, and the words
    ways.always()
        .panel("their distance at the end")
        .line("flow of the loss", rates, to_flow, {.color = figure::ink, .width = 1})
        .line("flow of the modified loss", rates, to_own_flow, {.color = figure::red})
        .log_axes()
        .x("rate")
        .y("distance from the last step")
        .save(
            "Move the slider. Small steps stay with both flows; longer ones leave the "
            "flow of the loss, and keep longer to the flow of the modified loss. On "
            "the right, how far from the last dot both flows end.");
    book::shows("eq-implicit-gd/c", "fig-own-flow");
    //-

    // ## Which minimum
    //
    // The addition is zero where the gradient is zero, so it does not move a minimum. What can it change? The way, and
    // where there are many minima the way decides at which of them one arrives. Leave out the second part of our
    // loss. Now *every* pair with $ab = 1$ is a minimum, with loss 0: a whole curve of them. But they are not alike. Across the
    // curve the valley has curvature $a^2 + b^2$; at $a = b = 1$ it is widest, and where one weight is large and the
    // other small it is a gorge.
    const Gradient valley = gradient_of([](const Tensor& w) {
        return square(select(w, 0, 0) * select(w, 0, 1) - 1.0) * 0.5;
    });
    const auto curvature = [](const Point& w) { return w[0] * w[0] + w[1] * w[1]; };
    const Point far = {2.2, -0.5};
    const double streamed = curvature(classic::flow(valley, far, 40, 1000));
    const std::vector<double> lengths = {0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25};
    std::vector<double> reached, foreseen;
    for (const double eta : lengths) {
        reached.push_back(curvature(classic::descend(valley, far, eta, 2000)));
        foreseen.push_back(curvature(
            classic::flow(classic::descended_loss(valley, eta), far, 40, 1000)));
    }
    ask("All minima have loss 0. Descent starts at the same place with small and with "
        "large steps, and always arrives at a minimum. At which?",
        {{"At the same one: the nearest downhill.", reached.front() == reached.back(),
          "That would be so if steps only followed the flow. They also run down their "
          "own steepness."},
         {"Larger steps end in a narrower part of the valley.",
          reached.front() < reached.back(),
          "Narrow parts are steep, and the addition makes steep places dear."},
         {"Larger steps end in a wider part of the valley.",
          reached.front() > reached.back(),
          "The addition to the loss is the squared slope, which is large in a gorge, "
          "and it counts the more the larger the rate."}});

    // We let descent arrive, and the flow of the modified loss as well:
    Figure("fig-wide-valley")
        .describe(
            "Curvature of the minimum against the rate. A horizontal line for the flow "
            "of the loss. The curvature that descent reaches falls with the rate, at "
            "first along the line of the flow of the modified loss, then faster.")
        .line("descent", lengths, reached)
        .line("flow of the modified loss", lengths, foreseen)
        .rule_y(streamed, "flow of the loss")
        .x("rate")
        .ylim(3.5, 5.2)
        .y("curvature of the minimum")
        .save(
            "The same start, the same loss, and all ends are perfect minima. The "
            "larger the steps, the wider the valley in which they end. The modified "
            "loss foresees how it begins; large steps, for which it is only a first "
            "approximation, go further the same way.");
    say("curvature where the flow ends: {:.4f}; where descent ends: {:.4f} to {:.4f}",
        streamed, reached.front(), reached.back());
    claim_true("", "the larger the rate, the wider the valley in which descent ends",
               std::ranges::is_sorted(reached, std::greater()));

    // In a wide valley a small change of the weights changes little, and one may hope that so does a small change of the
    // data. Whether that is why such minima are good on new data is still debated. That descent prefers them is a fact, and
    // {numref}`fig-wide-valley` shows how much.
    //
    // ## One epoch, all orders
    //
    // In practice a step sees a batch. An epoch has $B$ batches, each with its own loss $L_b$; their mean is the loss,
    // $\Loss = \frac1B \sum_b L_b$, and the order is random. Two notes on signs and letters: $B$ is the *number* of
    // batches here, so that smaller batches mean a larger $B$; and $L_b$ is the loss of batch $b$.
    //
    // Now the same thought. Within an epoch, a later batch takes its gradient where an earlier one has moved the weights:
    // after $i$, batch $j$ sees $g_j - \eta H_j\, g_i$. In the mean over all orders $i$ comes before $j$ in half of them. So
    // an epoch moves the weights on average by
    //
    // $$ -\eta \sum_b g_b + \frac{\eta^2}{2} \sum_{i \ne j} H_j\, g_i
    //    = -\eta \sum_b g_b + \frac{\eta^2}{2} \Big( \sum_j H_j \sum_i g_i - \sum_b H_b\, g_b \Big) . $$
    //
    // The product of the two sums is what the flow has, too. What is missing is the last sum, and it is a slope again: of
    // the squared gradients of the *batches*. Their mean is the square of the mean gradient and the variance around it:
    //
    // ```{equation} eq-implicit-sgd
    // :function: recto::classic::stochastically_descended_loss
    // :test: flow: the loss that an epoch of stochastic descent descends
    // \begin{aligned}
    //   \Loss_{\mathrm{SGD}}(w) &= \Loss(w) + \frac{\eta}{4B} \sum_{b=1}^B \big|\nabla L_b(w)\big|^2 \cr
    //     &= \Loss(w) + \frac\eta4 \, \big|\nabla \Loss(w)\big|^2
    //       + \frac{\eta}{4B} \sum_{b=1}^B \big|\nabla L_b(w) - \nabla \Loss(w)\big|^2
    // \end{aligned}
    // ```
    //
    // Three samples will do, each a batch of its own, for a network $b \tanh(a x)$. Three batches have six orders, so the
    // mean over all of them is no estimate:
    const std::vector<std::pair<double, double>> samples = {
        {1.0, 1.2}, {0.5, -0.4}, {-1.3, 0.7}, {2.0, 0.1}, {-0.4, -0.9}};
    std::vector<Gradient> parts;
    for (int i = 0; i < batches(); ++i)
        parts.push_back(
            gradient_of([sample = samples[std::size_t(i)]](const Tensor& w) {
                const auto [x, y] = sample;
                return square(select(w, 0, 1) * tanh(select(w, 0, 0) * x) - y) * 0.5;
            }));
    const auto mean_epoch = [&](Point from, double eta) {
        std::vector<std::size_t> order(parts.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        Point mean(from.size(), 0.0);
        double orders = 0;
        do {
            Point w = from;
            for (const std::size_t b : order) w = classic::descend(parts[b], w, eta, 1);
            for (std::size_t i = 0; i < w.size(); ++i) mean[i] += w[i];
            ++orders;
        } while (std::ranges::next_permutation(order).found);
        for (double& m : mean) m /= orders;
        return mean;
    };

    // One epoch from each of five places; its mean against three flows over the same time, which is $B\eta$:
    const Gradient whole = classic::mean_gradient(parts);
    const std::vector<Point> starts = {
        {0.8, 0.6}, {0.4, 0.9}, {1.2, 0.3}, {-0.7, 0.5}, {0.6, -0.8}};
    const std::vector<double> etas = halved(batch_rate(), 4);
    std::vector<double> plain_gap, gd_gap, sgd_gap;  // from the start of the moment
    std::vector<double> plain_slopes, gd_slopes, sgd_slopes;
    const auto measure = [&](const Point& from) {
        plain_gap.clear(), gd_gap.clear(), sgd_gap.clear();
        for (const double eta : etas) {
            const Point mean = mean_epoch(from, eta);
            const double time = batches() * eta;
            const auto gap = [&](const Gradient& g) {
                return distance(mean, classic::flow(g, from, time));
            };
            plain_gap.push_back(gap(whole));
            gd_gap.push_back(gap(classic::descended_loss(whole, eta)));
            sgd_gap.push_back(gap(classic::stochastically_descended_loss(parts, eta)));
        }
    };
    for (const Point& from : starts) {
        measure(from);
        plain_slopes.push_back(slope(etas, plain_gap));
        gd_slopes.push_back(slope(etas, gd_gap));
        sgd_slopes.push_back(slope(etas, sgd_gap));
    }

    // On logarithmic axes the distances lie on lines. Their slopes are the powers of the rate:
    claim_in("eq-implicit-sgd/a", "the distance to the flow of the loss: its slope",
             over_seeds(plain_slopes), 1.85, 2.15);
    claim_in("eq-implicit-sgd/b",
             "to the flow of the loss that gradient descent descends",
             over_seeds(gd_slopes), 1.85, 2.15);
    claim_in("eq-implicit-sgd/c",
             "to the flow of the loss that stochastic descent descends",
             over_seeds(sgd_slopes), 2.85, 3.15);
    measure(starts[0]);
    Figure("fig-epoch")
        .describe(
            "Distance against the rate on logarithmic axes, three straight lines. Two "
            "are nearly parallel; the third, for the loss of stochastic descent, lies "
            "lowest and is steeper.")
        .line("flow of the loss", etas, plain_gap, {.color = figure::ink})
        .line("... with the slope", etas, gd_gap, {.color = figure::blue})
        .line("... and the variance", etas, sgd_gap, {.color = figure::red})
        .log_axes()
        .x("rate")
        .y("distance from the mean epoch")
        .save(
            "The mean over all orders of one epoch, and how far from it three flows "
            "end. Only with the variance of the batches does the distance fall with "
            "the third power of the rate.");
}

// Here one epoch is measured and not a journey, so each slope is one more than it would be over many epochs.
// Without the variance the second flow is no better in kind than the first ({numref}`fig-epoch`): it knows of the
// length of the steps, but not that they disagree.
//
// Read {eq}`eq-implicit-sgd` as an offer. Stochastic descent prefers places where the slope is small *and where the batches
// agree about it* {cite:p}`smith2021`. A place where every batch is content by itself is better supported than one where
// large complaints happen to cancel. And both terms come with the rate in front, and the variance grows as
// batches shrink. So two numbers that one chooses for speed, the rate and the size of a batch, are regularisers.
//
// ## What is missing
//
// Two weights and three samples prove the mechanism, not that it matters. And the derivation holds for small rates, while
// practice takes the largest that do not explode. [The next page](step_and_batch.cpp) turns both numbers on a real
// network and measures what they do to the error on new data.
//
// ```{try}
// - Larger steps: `--rate 0.2`. Are the slopes still what they were? Which breaks first, and why?
// - A longer journey: `--time 10`. Does the error of either flow grow with it?
// - More batches: `--batches 5`. And a single one, `--batches 1`: which two of the three flows become one?
// ```
