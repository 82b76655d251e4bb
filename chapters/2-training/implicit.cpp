// # Implicit regularisation: what the step adds
//
// ```{rows} eq-implicit-gd eq-implicit-sgd
// ```
//
// [The last page](penalties.cpp) added a penalty on the weights to the loss. But networks trained without any penalty,
// with many more weights than samples, often do well on new data too. Training itself seems to prefer some solutions
// over others, although the loss does not say so. This is **implicit regularisation**. One source of it can be
// computed, and it is a property of gradient descent that looks like a mere inaccuracy: a step has a length.
//
// Where does gradient descent go if its steps are not infinitely short? Move the slider:
//
// ```{opening} fig-own-flow
// ```
//- includes, names and options
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

const book::Option<double> rate("rate", 0.1,
                                "largest learning rate at which errors are measured",
                                {.least = 1e-3, .most = 0.25});
const book::Option<double> travelled("time", 2, "number of steps times learning rate",
                                     {.least = 0.1, .most = 20.0});
const book::Option<double> batch_rate("batch-rate", 0.2,
                                      "largest learning rate for one epoch in batches",
                                      {.least = 1e-3, .most = 1.0});
const book::Option<int> batches("batches", 3, "number of batches, each of one sample",
                                {.least = 1, .most = 5});
//-

// ## Gradient descent and gradient flow
//
// Make the steps of gradient descent ever shorter, and take more of them. In the limit the path is a smooth curve, the
// {term}`gradient flow`: $\frac{\mathrm{d} w}{\mathrm{d} t} = -\nabla \Loss(w)$. A step with learning rate
// $\eta$ corresponds to a time $\eta$ of the flow.
//
// A parabola shows the difference. For $\Loss(w) = \frac12 w^2$ the flow is $w(t) = w(0)\, e^{-t}$. With $\eta = 0.1$ a step
// from $w = 1$ leads to $1 - 0.1 = 0.9$. In the time 0.1 the flow gets only to $e^{-0.1} = 0.905$, because the gradient gets
// smaller along the way and the step does not notice.
//
// Now take a loss of two weights:
//
// $$ \Loss(a, b) = \tfrac12 (ab - 1)^2 + \tfrac1{20} \big(a - \tfrac3{10}\big)^2 . $$
//
// The first part is the smallest deep network: input 1, two layers of one weight each, target output 1. The second part
// prefers some of its minima to others.
Tensor two_layers(const Tensor& w) {
    const Tensor a = select(w, 0, 0), b = select(w, 0, 1);
    return square(a * b - 1.0) * 0.5 + square(a - 0.3) * 0.05;
}

//- its gradient
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

//-

// {cpp:func}`~recto::classic::descend` takes the steps. {cpp:func}`~recto::classic::flow` follows the flow, by a method
// so exact that its error does not matter here. How far apart do they end after the same time? We measure this for five
// learning rates, each half of the one before. On logarithmic axes an error proportional to $\eta^k$ is a line of slope
// $k$ for small $\eta$. So we take the slope between the two smallest rates.
//- distances, rates, slopes
double distance(const Point& p, const Point& q) {
    return std::hypot(p[0] - q[0], p[1] - q[1]);
}

std::vector<double> halved(double first, int count) {
    std::vector<double> rates;
    for (int i = 0; i < count; ++i) rates.push_back(first / double(1 << i));
    return rates;
}

double slope(const std::vector<double>& rates, const std::vector<double>& errors) {
    const std::size_t n = rates.size();
    return std::log(errors[n - 2] / errors[n - 1]) /
           std::log(rates[n - 2] / rates[n - 1]);
}

void page() {
    //-
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
             "distance to the flow of the loss: its slope against the learning rate",
             slope(rates, to_flow), 0.8, 1.2);

    // Slope 1: half the learning rate, half the error. So far, this is mere inaccuracy. But in which direction does the
    // error point? Expand one step, and the flow over the same time, from the same $w$. Let $g$ be the gradient and $H$
    // the matrix of second derivatives there:
    //
    // $$ \text{step:} \quad w - \eta\, g, \qquad\qquad
    //    \text{flow:} \quad w - \eta\, g + \tfrac{\eta^2}{2} H g - \dots $$
    //
    // Along the flow, the gradient changes by $-\eta H g$ in the time $\eta$. The step ignores this change, and
    // misses by $\frac{\eta^2}{2} H g$, each time in the same way. In the parabola, $g = w = 1$ and $H = 1$, so the miss is
    // $0.1^2 / 2 = 0.005$: the flow is at 0.905, and the step at 0.900. Now $H g$ is itself a gradient, up to a factor:
    // that of the squared length of $g$, since $\nabla |g|^2 = 2 H g$.
    //
    // So change the loss. Add $\frac\eta4 |g|^2$, and take the flow of the sum. Its gradient is $g + \frac\eta2 H g$. In the
    // time $\eta$ the addition moves $w$ by $-\frac{\eta^2}{2} H g$, which cancels the term that the step lacks. An
    // error of order $\eta^3$ remains in each step. There are $1/\eta$ steps per unit of time, so their sum is of order
    // $\eta^2$.
    //
    // ```{equation} eq-implicit-gd
    // :function: recto::classic::descended_loss
    // :test: flow: the loss that gradient descent descends; flow: gradient descent follows its own loss one order further
    // \Loss_{\mathrm{GD}}(w) = \Loss(w) + \frac{\eta}{4} \, \big|\nabla \Loss(w)\big|^2
    // ```
    claim_in("eq-implicit-gd/b",
             "distance to the flow of the modified loss: its slope against the "
             "learning rate",
             slope(rates, to_own_flow), 1.85, 2.15);

    // Slope 2: half the learning rate, a quarter of the error. So gradient descent with steps of finite length follows
    // the flow of your loss poorly. It follows that of another loss well, which also contains the squared gradient
    // {cite:p}`barrett2021`. {numref}`fig-own-flow` shows all three paths.
    //- how the figure is drawn
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
    Figure ways("fig-own-flow");
    ways.describe(
            "First panel: the plane of two weights. From one start the flow of the "
            "loss, the steps of gradient descent and the flow of the modified loss run "
            "side by side. The larger the learning rate, the farther the steps leave "
            "the flow of the loss; they stay close to the flow of the modified loss. "
            "Second panel: both distances against the learning rate on logarithmic "
            "axes, two straight lines, one twice as steep as the other.")
        .slider("rate", hundredths, "learning rate in hundredths", 8)
        .panel("the paths")
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
    ways.always()
        .panel("their distance at the end")
        .line("flow of the loss", rates, to_flow, {.color = figure::ink, .width = 1})
        .line("flow of the modified loss", rates, to_own_flow, {.color = figure::red})
        .log_axes()
        .x("learning rate")
        .y("distance from the last step")
        .save(
            "Move the slider. Short steps follow both flows. Longer steps leave the "
            "flow of the loss and stay with the flow of the modified loss. Second "
            "panel: the distance from the last step to the ends of both flows; the "
            "red line is twice as steep.");
    book::shows("eq-implicit-gd/c", "fig-own-flow");
    //-

    // ## Which minimum
    //
    // The addition has no effect at a minimum, where the gradient is zero. But it changes the path, and where there are many
    // minima, the path decides which of them you reach. Leave out the second part of our loss. Now *every* pair with $ab = 1$
    // is a minimum of loss 0: a curved valley of minima. Its floor is level, but its width varies. Across the valley the
    // curvature is $a^2 + b^2$. The valley is widest at $a = b = 1$, and narrow where one weight is large and the other
    // small.
    const Gradient valley = gradient_of([](const Tensor& w) {
        return square(select(w, 0, 0) * select(w, 0, 1) - 1.0) * 0.5;
    });
    const auto curvature = [](const Point& w) { return w[0] * w[0] + w[1] * w[1]; };
    const Point far = {2.2, -0.5};
    //- descents and flows in the valley
    const double streamed = curvature(classic::flow(valley, far, 40, 1000));
    const std::vector<double> lengths = {0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25};
    std::vector<double> reached, foreseen;
    for (const double eta : lengths) {
        reached.push_back(curvature(classic::descend(valley, far, eta, 2000)));
        foreseen.push_back(curvature(
            classic::flow(classic::descended_loss(valley, eta), far, 40, 1000)));
    }
    //-
    ask("All minima have loss 0. Gradient descent starts at the same point with small "
        "and with large steps, and always arrives at a minimum. At which?",
        {{"At the same one: the nearest one downhill.",
          reached.front() == reached.back(),
          "This would be so if the steps followed the flow of the loss. But they "
          "also reduce the squared gradient."},
         {"Larger steps end in a narrower part of the valley.",
          reached.front() < reached.back(),
          "Narrow parts are steep, and the added term penalises steep places."},
         {"Larger steps end in a wider part of the valley.",
          reached.front() > reached.back(),
          "The squared gradient is larger on the steep sides of a narrow part, and "
          "its weight grows with the learning rate."}});

    // {numref}`fig-wide-valley` compares gradient descent with the flow of the modified loss.
    Figure("fig-wide-valley")
        .describe(
            "Curvature of the minimum against the learning rate. A horizontal line for "
            "the flow of the loss. The curvature that descent reaches falls with the "
            "learning rate, at first along the line of the flow of the modified loss, "
            "then faster.")
        .line("descent", lengths, reached)
        .line("flow of the modified loss", lengths, foreseen)
        .rule_y(streamed, "flow of the loss")
        .x("learning rate")
        .ylim(3.5, 5.2)
        .y("curvature of the minimum")
        .save(
            "The same start, the same loss, and every end is a minimum of loss 0. The "
            "larger the steps, the wider the valley where they end. The modified loss "
            "predicts this for small steps; for large steps it is only a first "
            "approximation, and descent ends in a still wider part.");
    say("curvature where the flow ends: {:.4f}; where descent ends: {:.4f} to {:.4f}",
        streamed, reached.front(), reached.back());
    claim_true(
        "", "the larger the learning rate, the wider the valley in which descent ends",
        std::ranges::is_sorted(reached, std::greater()));

    // The flow ends at a curvature of 5.01, and the longest steps at 3.87. In a wide valley a small change of the weights
    // changes the loss little. Whether such a {term}`wide minimum` is better on new data is still debated. Here we measured
    // only that longer steps end in a wider one.
    //
    // ## One epoch, in all orders
    //
    // In practice each step sees a batch. Let an epoch have $M$ batches, so that smaller batches mean a larger $M$. Batch $i$ has the
    // loss $\Loss_i$. The mean of these is the loss, $\Loss = \frac1M \sum_i \Loss_i$, and the order of the batches is random.
    //
    // Within an epoch, a later batch computes its gradient where an earlier one has moved the weights: after batch $i$, batch
    // $j$ sees $g_j - \eta H_j\, g_i$. Among all orders, $i$ comes before $j$ in half. So on average an epoch moves the
    // weights by
    //
    // $$ -\eta \sum_i g_i + \frac{\eta^2}{2} \sum_{i \ne j} H_j\, g_i
    //    = -\eta \sum_i g_i + \frac{\eta^2}{2} \Big( \sum_j H_j \sum_i g_i - \sum_i H_i\, g_i \Big) . $$
    //
    // The product of the two sums is also in the flow. The last sum is what the epoch lacks, and it is a gradient again,
    // that of the squared gradients of the *batches*. Their mean is the squared mean gradient plus the variance around it:
    //
    // ```{equation} eq-implicit-sgd
    // :function: recto::classic::stochastically_descended_loss
    // :test: flow: the loss that an epoch of stochastic descent descends
    // \begin{aligned}
    //   & \Loss_{\mathrm{SGD}}(w) = \Loss(w) + \frac{\eta}{4M} \sum_{i=1}^M \big|\nabla \Loss_i(w)\big|^2 \cr
    //     & \quad = \Loss(w) + \frac\eta4 \, \big|\nabla \Loss(w)\big|^2 \cr
    //     & \qquad + \frac{\eta}{4M} \sum_{i=1}^M \big|\nabla \Loss_i(w) - \nabla \Loss(w)\big|^2
    // \end{aligned}
    // ```
    //
    // We test this with three samples, each a batch of its own, and the network $b \tanh(a x)$. Three batches have six orders,
    // so we can take the mean over all of them exactly.
    //- three samples, and the gradient of each
    const std::vector<std::pair<double, double>> samples = {
        {1.0, 1.2}, {0.5, -0.4}, {-1.3, 0.7}, {2.0, 0.1}, {-0.4, -0.9}};
    std::vector<Gradient> parts;
    for (int i = 0; i < batches(); ++i)
        parts.push_back(
            gradient_of([sample = samples[std::size_t(i)]](const Tensor& w) {
                const auto [x, y] = sample;
                return square(select(w, 0, 1) * tanh(select(w, 0, 0) * x) - y) * 0.5;
            }));
    //-
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

    // From each of five starts we compare the mean of one epoch with three flows over the same time, $M\eta$:
    //- five starts, three flows
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

    //-

    // The slopes on logarithmic axes are the powers of the learning rate. For a single epoch each is one more than over a
    // given time, which takes $1/\eta$ times as many steps.
    claim_in("eq-implicit-sgd/a", "distance to the flow of the loss: its slope",
             over_seeds(plain_slopes), 1.85, 2.15);
    claim_in(
        "eq-implicit-sgd/b",
        "distance to the flow of the loss that gradient descent follows: its slope",
        over_seeds(gd_slopes), 1.85, 2.15);
    claim_in(
        "eq-implicit-sgd/c",
        "distance to the flow of the loss that stochastic descent follows: its slope",
        over_seeds(sgd_slopes), 2.85, 3.15);
    //- how the figure is drawn
    measure(starts[0]);
    Figure("fig-epoch")
        .describe(
            "Distance against the learning rate on logarithmic axes, three straight "
            "lines. Two are nearly parallel; the third, for the loss of stochastic "
            "descent, lies "
            "lowest and is steeper.")
        .line("flow of the loss", etas, plain_gap, {.color = figure::ink})
        .line("... plus squared gradient", etas, gd_gap, {.color = figure::blue})
        .line("... plus variance", etas, sgd_gap, {.color = figure::red})
        .log_axes()
        .x("learning rate")
        .y("distance from the mean epoch")
        .save(
            "How far three flows end from one epoch, averaged over all orders. Only "
            "the "
            "flow that includes the variance of the batches (red) has a distance that "
            "falls with the third power of the learning rate.");
}
//-

// Without the variance, the second flow has the same power as the first ({numref}`fig-epoch`): it accounts for the length of
// the steps, but not for the disagreement of the batches.
//
// {eq}`eq-implicit-sgd` says what stochastic gradient descent prefers: points where the gradient is small *and the batches
// agree about it* {cite:p}`smith2021`. Where large gradients of single batches only cancel, the added term is large. Both
// added terms have the learning rate as a factor, and the variance grows as batches shrink. So two settings that you choose
// for speed, learning rate and batch size, are also regularisers.
//
// ## Summary and what is missing
//
// A step of gradient descent misses the flow by the same term each time, and this term is a gradient. So descent follows the
// flow of a modified loss, with the squared gradient added. Stochastic descent adds the variance of the batches as well.
//
// Two weights and three samples show the mechanism, not how much it matters. And the derivation holds for small learning
// rates, while practice takes the largest that do not diverge. [The next page](step_and_batch.cpp) varies both settings on
// a real network, and measures the error on new data.
//
// ```{try}
// - Take larger steps: `--rate 0.2`. Are the slopes still the same? Which one breaks first, and why?
// - Go farther: `--time 10`. Does the error of either flow grow with the time?
// - Take more batches: `--batches 5`. And with a single one, `--batches 1`, which two of the three flows become one?
// ```
