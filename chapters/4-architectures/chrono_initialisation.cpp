// # Chrono initialisation: how long a gate remembers
//
// ```{rows} eq-chrono-init
// ```
//
// A [gate](gates.cpp) keeps a share of the memory at each step. Before training, this share is set by the bias of the
// gate. If the share is 0.9, about 4 % is left after 30 steps, and the gradient from there is as small. Gates that keep
// nearly everything from the start let a gradient come back from far away. Which bias does this? It depends on the
// length of memory that the task needs, and **chrono initialisation** gives different units different lengths.
// {numref}`fig-gate-decay` shows what is left of a memory. Move the slider to change the bias.
//
// ```{opening} fig-gate-decay
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/recurrent.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::say;
using figure::Figure;

const book::Option<double> bias("bias", 1, "bias of the forget gate",
                                {.least = -10.0, .most = 10.0});
const book::Option<Index> units("units", 200, "units of the drawn layer",
                                {.quick = 50, .least = 10, .most = 2000});

// Defined further down:
Tensor left_after(const Tensor& keep_bias, Index steps);
//-

//- how the figure is drawn
void draw_decay() {
    const std::vector<double> all = {-2, 0, 1, 2, 3, 4, 5, 6, 7};
    std::vector<double> times;
    for (int k = 0; k <= 60; ++k) times.push_back(std::pow(10, k / 15.0));
    const auto decay = [&](double b) {
        const double keep = 1 / (1 + std::exp(-b));
        std::vector<double> left;
        for (const double t : times) left.push_back(std::pow(keep, t));
        return left;
    };
    Figure figure("fig-gate-decay");
    figure
        .describe(
            "The share of a memory that is left against the number of steps, from 1 to "
            "10,000 on a logarithmic axis. Three thin curves fall at 10, at 100 and at "
            "1,000 steps. A thick one belongs to the bias of the slider.")
        .slider(bias, all, "bias of the forget gate");
    for (const double b : figure::settings(bias, all))
        figure.at(b).line("bias of the slider", times, decay(b),
                          {.color = figure::red, .width = 4.0, .points = false});
    figure.always();
    const figure::Color colors[] = {figure::blue, figure::green, figure::ochre};
    for (int k = 0; k < 3; ++k) {
        const double T = std::pow(10, k + 1);
        figure.line(fmt::format("for T = {}", T), times, decay(std::log(T - 1)),
                    {.color = colors[k], .points = false});
    }
    figure.rule_y(std::exp(-1), "1/e")
        .log_x()
        .ylim(0, 1)
        .x("steps")
        .y("share that is left")
        .save(
            "What a constant gate leaves of a memory. With the bias log(T − 1) about "
            "1/e is left after T steps.");
    book::shows("eq-chrono-init/a", "fig-gate-decay");
}
//-

// ## From a bias to a length
//
// Let the gate be constant, $\alpha = 0.9$, and write nothing. A memory of 1 becomes 0.9, then 0.81, and after ten
// steps 0.35. The **time constant** $\tau$ is the number of steps after which $1/e = 0.37$ is left. From
// $\alpha^\tau = 1/e$ follows $\tau = -1/\log \alpha$, and for 0.9 this is 9.49 steps. So a gate of $1 - 1/T$ remembers
// for about $T$ steps.
//
// The gate is the sigmoid of its bias $b$, if we leave out state and input for now. The sigmoid of $\log(T - 1)$ is
// $(T - 1) / T = 1 - 1/T$. For $T = 10$ the bias is $\log 9 = 2.2$, and for $T = 1000$ it is 6.9. We let the library's
// {cpp:func}`~recto::lstm` run from a memory of 1 in each unit, with a given bias at its forget gate and no other weights:
Tensor left_after(const Tensor& keep_bias, Index steps) {
    const Index size = keep_bias.numel();
    const Tensor none = zeros({size});
    const RecurrentWeights w = {zeros({4 * size, 1}), zeros({4 * size, size}),
                                concat({none, keep_bias, none, none}), Tensor()};
    const Tensor nothing = zeros({1, steps, 1});
    return lstm(nothing, w, zeros({1, size}), full({1, size}, 1)).c;
}
double time_constant(double left, Index steps) {
    return -double(steps) / std::log(left);
}
double bias_for(double T) { return std::log(T - 1); }
//- what is checked
void lengths() {
    std::vector<Real> biases;
    const std::vector<double> T = {10, 100, 1000}, want = {9.49, 99.5, 999.5};
    for (const double t : T) biases.push_back(Real(bias_for(t)));
    const Tensor b({3}, biases), one = left_after(b, 1), many = left_after(b, 20);
    double gate_off = 0, length_off = 0;
    std::vector<std::vector<book::Cell>> rows;
    for (Index k = 0; k < 3; ++k) {
        const auto i = std::size_t(k);
        const double keep = double(one.at({0, k})),
                     tau = time_constant(double(many.at({0, k})), 20);
        gate_off = std::max(gate_off, std::abs(keep - (1 - 1 / T[i])));
        length_off = std::max(length_off, std::abs(tau / want[i] - 1));
        rows.push_back({T[i], fmt::format("{:.3f}", double(biases[i])),
                        fmt::format("{:.4f}", keep), fmt::format("{:.2f}", tau)});
    }
    book::table("chrono-lengths", "The bias for a memory of about T steps.",
                {"T", "bias", "gate", "time constant"}, rows);
    claim("eq-chrono-init/b",
          "the gate of the library's LSTM against 1 − 1/T, largest "
          "deviation",
          gate_off, "<=", 1e-6);
    claim("eq-chrono-init/c",
          "its time constants against 9.49, 99.5 and 999.5 steps, largest relative "
          "deviation",
          length_off, "<=", 1e-3);
    const double usual = time_constant(double(left_after(ones({1}), 20).item()), 20);
    //-
    ask("A common choice is a bias of 1 for every forget gate. What is its time "
        "constant?",
        {{"About 3 steps.", usual < 10,
          "The sigmoid of 1 is 0.73, and 0.73 to the third power is 0.39. Still, this "
          "is more than with a bias of 0, where half is lost at each step."},
         {"About 30 steps.", usual >= 10 && usual < 100,
          "That needs a gate of 0.967 and a bias of 3.4."},
         {"About 300 steps.", usual >= 100,
          "That needs a gate of 0.9967 and a bias of 5.7. A sigmoid comes near to 1 "
          "slowly."}});
    //- what is printed
    say("a bias of 1: a time constant of {:.2f} steps", usual);
}
//-

// ## Many lengths at once
//
// How long must a network remember? You rarely know, and different things must be kept for different times.
// {cite:t}`tallec2018` draw a length for each unit, uniformly up to the longest that the task can need:
//
// ```{equation} eq-chrono-init
// :function: chrono_bias
// b \sim \log U, \qquad U \text{ uniform on } [1, T_{\max}]
// ```
//
// (They draw up to $T_{\max} - 1$; the difference is one step.) This $b$ is the bias of the **forget gate**, which
// *keeps*. The bias of the input gate, which *writes*, is $-b$: what is kept long is written slowly. For a draw of 9 the forget gate is $\frac{9}{10}$ and the input gate $\frac{1}{10}$.
Tensor chrono_bias(Index count, double longest, Generator& random) {
    return log(random.uniform({count}, 1, Real(longest)));
}

// ```{erratum} The sign of the bias
// :row: eq-chrono-init
// :source: {cite:t}`charpiat-notes`, §II
// :printed: $-\log U$ as the bias of the gate $\alpha$ that multiplies the old state
// :correct: $+\log U$ for this gate, and $-\log U$ for the gate that writes
//
// With the printed sign the gate is $1 / (1 + U)$, at most one half. The memory then lasts at most
// $1 / \log 2 = 1.44$ steps.
// ```
//
// {numref}`fig-chrono-sign` shows both signs and a bias of 1 for all units {cite:p}`jozefowicz2015`, for layers whose longest memory is to be 1,000
// steps:
//- how the figure is drawn, and what is checked
void signs() {
    Generator random(book::seed());
    const Tensor b = chrono_bias(units(), 1000, random);
    std::vector<double> times, right, printed, one;
    for (Index t = 1; t <= 1024; t *= 2) {
        const auto share = [&](const Tensor& of) {
            return double(mean(left_after(of, t)).item());
        };
        times.push_back(double(t));
        right.push_back(share(b)), printed.push_back(share(negative(b)));
        one.push_back(share(ones({1})));
    }
    Figure("fig-chrono-sign")
        .describe(
            "The mean share that is left against the number of steps, on a logarithmic "
            "axis. The curve for the bias log U falls slowly between 100 and 1,000 "
            "steps. That of a bias of 1 is near 0 after 16 steps, and that of minus "
            "log "
            "U is near 0 from the first step on.")
        .line("log U", times, right, {.color = figure::blue})
        .line("1 for all", times, one, {.color = figure::ochre})
        .line("−log U, as printed", times, printed, {.color = figure::red})
        .log_x()
        .ylim(0, 1)
        .x("steps")
        .y("mean share that is left")
        .save(fmt::format(
            "What is left of the memories of {} units, mean over the units, "
            "for three choices of the forget gate's bias. The longest "
            "memory is 1,000 steps.",
            units()));
    say("left after 128 steps: log U {:.2f}, a bias of 1 {:.2g}, −log U {:.2g}",
        right[7], one[7], printed[7]);
    const auto longest = [](const Tensor& of) {
        return time_constant(double(max(left_after(of, 1)).item()), 1);
    };
    say("longest time constant with log U: {:.1f} steps", longest(b));
    const double extreme = longest(zeros({1}));  // U = 1: no other draw lasts as long
    double most = extreme;
    for (const double memory : {2.0, 10.0, 100.0, 1000.0})
        most = std::max(most, longest(negative(chrono_bias(units(), memory, random))));
    claim("eq-chrono-init/d",
          "the longest time constant with −log U at the forget gate, in steps, for "
          "longest memories from 1 to 1,000 steps",
          most, "<=", 1.443);
    claim("", "its distance to 1 / log 2 for U = 1",
          std::abs(extreme - 1 / std::log(2)), "<=", 1e-6);
}
//-

// ## Why uniform?
//
// A uniform draw on $[1, 1000]$ is above 100 in nine of ten cases. So most units get a long memory and a few a short
// one. The logarithm is not a choice: it is what turns a length into the bias of a sigmoid. {cite:t}`tallec2018` arrive
// at gates from a question about time: if a sequence is stretched by a factor of ten, can the network still read it?
// Gates of $1 - 1/T$ in place of $1 - 10/T$ make the same network ten times as slow.
//
// ## Limits
//
// All this holds before training, and for gates that do not see state and input. With random weights the scores of the
// gates move around their biases, and training may change both. A long memory at the start is a wager that long delays
// matter. If the task needs only the last three inputs, the network must first learn to forget.

void page() {
    draw_decay();
    lengths();
    signs();
}

// ## Summary
//
// A constant gate $\alpha$ remembers for $-1/\log\alpha$ steps. The bias $\log(T - 1)$ of the forget gate makes it
// $1 - 1/T$, a memory of about $T$ steps. Chrono initialisation draws $T$ for each unit; its sign belongs to the gate that
// keeps, and the opposite sign to the gate that writes.
//
// ## What is missing
//
// We have not trained an LSTM with this start on a task with long delays.
//
// All states so far are lists of numbers. On [the next page](conv_lstm.cpp) the state is an image, and the network reads
// video.
//
// ```{try}
// - A bias of 9: `--bias 9`. How long is the memory?
// - Ten units: `--units 10`. Does the mean still fall evenly?
// ```
