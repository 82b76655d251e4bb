// # Initialisation backwards: one variance for two directions
//
// ```{rows} eq-he-backward eq-he-compromise
// ```
//
// [The last page](initialisation.cpp) chose the variance of the weights so that *activations* keep their size.
// Training needs *gradients* as well, and they go through the same matrices in the other direction. If all layers are
// equally wide, nothing changes. But if a layer turns 50 numbers into 200, activations want one variance and
// gradients another, four times as small. What should you choose: one side, the other, or something between?
// {numref}`fig-init-directions` shows twenty layers whose widths alternate. The slider sets the width of every second
// layer, and each line stands for a rule that this page explains. Before you move it, guess which rule fails.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> narrow("narrow", 50, "units of the narrow layers",
                                 {.least = 2, .most = 1000});
const book::Option<Index> wide("wide", 200, "units of the wide layers",
                               {.least = 2, .most = 1000});
const book::Option<Index> layers("layers", 20, "number of layers",
                                 {.least = 2, .most = 200});
const book::Option<double> depth("depth", 20,
                                 "layers of equal width in the figure on depth",
                                 {.least = 1.0, .most = 100.0});
const book::Option<int> draws("draws", 400, "number of draws of a single layer",
                              {.quick = 20, .least = 2, .most = 100'000});
const book::Option<int> stacks("stacks", 30, "number of stacks of layers",
                               {.quick = 3, .least = 1, .most = 10'000});

const Index batch = 8;
enum class Scaling { forward, backward, compromise, geometric };

// Defined further down:
double variance(Scaling rule, Index in, Index out);
Tensor weights(Scaling rule, Index in, Index out, Generator& random);
//-

//- how the figure is drawn
double mean_square(const Tensor& x) {
    double sum = 0;
    for (const Real v : x.values()) sum += double(v) * double(v);
    return sum / double(x.numel());
}

const char* const names[] = {"forward, 2/in", "backward, 2/out", "compromise",
                             "geometric mean"};
const Scaling rules[] = {Scaling::forward, Scaling::backward, Scaling::compromise,
                         Scaling::geometric};

// Mean squares along a stack, mean over the stacks: of the pre-activations, and of their gradients.
struct Stack {
    std::vector<double> forward, backward;
};
using Draw = std::function<Tensor(Index in, Index out, Generator& random)>;
Stack follow(const std::vector<Index>& widths, const Draw& draw, Generator& random) {
    Stack found;
    found.forward.resize(widths.size());
    found.backward = found.forward;
    for (int stack = 0; stack < stacks(); ++stack) {
        std::vector<Tensor> f = {random.normal({batch, widths[0]}).requires_grad_()};
        std::vector<Tensor> listeners;
        for (std::size_t k = 1; k < widths.size(); ++k) {
            const Tensor sums =
                linear(relu(f.back()), draw(widths[k - 1], widths[k], random));
            listeners.push_back(zeros(sums.shape()).requires_grad_());
            f.push_back(sums + listeners.back());
        }
        sum(f.back() * random.normal(f.back().shape())).backward();
        for (std::size_t k = 0; k < f.size(); ++k) {
            found.forward[k] += mean_square(f[k]) / stacks();
            const Tensor& g = k == 0 ? f[0] : listeners[k - 1];
            found.backward[k] += mean_square(g.grad()) / stacks();
        }
    }
    return found;
}
Stack follow(Scaling rule, Index other_width, Generator& random) {
    std::vector<Index> widths;
    for (Index k = 0; k <= layers(); ++k)
        widths.push_back(k % 2 == 0 ? narrow() : other_width);
    const auto draw = [rule](Index in, Index out, Generator& from) {
        return weights(rule, in, out, from);
    };
    return follow(widths, draw, random);
}

// The largest logarithm of a mean square along a stack, in either direction.
double drift(const Stack& s) {
    double found = 0;
    for (const double v : s.forward) found = std::max(found, std::abs(std::log(v)));
    for (const double v : s.backward) found = std::max(found, std::abs(std::log(v)));
    return found;
}
// The same at the far ends alone.
double end_drift(const Stack& s) {
    return std::max(std::abs(std::log(s.forward.back())),
                    std::abs(std::log(s.backward.front())));
}
// That of the compromise over that of the worse one-sided rule; the stacks stand in the order of the rules.
template <class F>
double over_one_sided(std::span<const Stack> of, F size) {
    return size(of[2]) / std::max(size(of[0]), size(of[1]));
}

// Returns the stacks of the standard widths, a rule after another.
std::vector<Stack> directions() {
    std::vector<double> stops = {double(narrow()), 100, double(wide()), 400}, numbers;
    std::ranges::sort(stops);
    stops.erase(std::ranges::unique(stops).begin(), stops.end());
    for (Index k = 0; k <= layers(); ++k) numbers.push_back(double(k));
    const figure::Color colors[] = {figure::red, figure::blue, figure::ochre,
                                    figure::green};
    std::vector<Stack> all, kept;
    for (const double stop : stops)
        for (const Scaling rule : rules) {
            Generator random(book::seed() + std::uint64_t(stop));
            all.push_back(follow(rule, Index(stop), random));
            if (Index(stop) == wide()) kept.push_back(all.back());
        }
    Figure figure("fig-init-directions");
    figure
        .describe(
            "Two panels with logarithmic axes, four lines each, over twenty layers. "
            "Left the mean "
            "square of the pre-activations, right that of the gradients. If all widths "
            "agree, all "
            "lines stay near one. With widths that alternate, the lines of one-sided "
            "rules are "
            "zigzags around one in one panel and level in the other; that of the "
            "compromise falls "
            "steadily, to the right in the left panel and to the left in the right "
            "panel.")
        .slider("other", stops, "width of every second layer", double(wide()));
    for (const bool forward : {true, false}) {
        figure.always().panel(forward ? "pre-activations" : "gradients");
        for (std::size_t i = 0; i < all.size(); ++i)
            figure.at(stops[i / 4])
                .line(names[i % 4], numbers, forward ? all[i].forward : all[i].backward,
                      {.color = colors[i % 4], .points = false});
        figure.always().log_y().ylim(1e-4, 20).x("layer");
        if (forward) figure.y("mean square");
    }
    figure.save(
        "Mean squares in stacks of twenty layers whose widths alternate between 50 and "
        "the width on the slider, mean over 30 stacks. Activations start at the left, "
        "gradients at the right. A one-sided rule is level in its own panel and "
        "zigzags in the other; and the compromise, between them? Guess before you read "
        "on.");
    return kept;
}
//-

// ## Equal widths: depth alone
//
// Begin with layers of 100 units each. A sum has 100 terms in either direction, so a layer multiplies the mean square of
// the activations *and* that of the gradient by $\frac12 \cdot 100 \cdot \sigma^2_\Omega$. The default of
// {cpp:class}`~recto::nn::Linear` has the variance $1/300$, which gives the factor $\frac16$. The initialisation of
// Glorot, which a section below explains, has $1/100$ and the factor $\frac12$; that of He has $2/100$ and the factor 1.
// A stack multiplies the factors of its layers. Move the slider of {numref}`fig-init-depth` to make the stack deeper:
//- how the figure is drawn
void depths() {
    const std::vector<std::pair<const char*, nn::Init>> initialisations = {
        {"default, uniform", nn::uniform_init},
        {"Glorot", nn::glorot_init},
        {"He", nn::he_init}};
    const std::vector<double> stops = figure::settings(depth, {10, 20, 30, 40, 50});
    const figure::Color colors[] = {figure::ochre, figure::red, figure::blue};
    std::vector<std::vector<Stack>> all;
    for (const double stop : stops) {
        all.emplace_back();
        for (const auto& [name, init] : initialisations) {
            Generator random(book::seed() + std::uint64_t(stop));
            const auto draw = [&](Index in, Index out, Generator& from) {
                return init({out, in}, from, Device::cpu);
            };
            const std::vector<Index> widths(std::size_t(std::lround(stop) + 1), 100);
            all.back().push_back(follow(widths, draw, random));
        }
    }
    Figure figure("fig-init-depth");
    figure
        .describe(
            "Two panels with logarithmic axes and three lines each. In one panel the "
            "mean square of the pre-activations falls from the first layer on, in the "
            "other that of the gradients falls from the last layer back to the first. "
            "With the default it falls fastest, with Glorot's weights more slowly, and "
            "with He's it stays near one. A slider sets the number of layers.")
        .slider(depth, stops, "number of layers");
    for (const bool forward : {true, false}) {
        figure.always().panel(forward ? "pre-activations" : "gradients");
        for (std::size_t s = 0; s < stops.size(); ++s)
            for (std::size_t i = 0; i < initialisations.size(); ++i) {
                const Stack& stack = all[s][i];
                std::vector<double> numbers;
                for (std::size_t k = 0; k < stack.forward.size(); ++k)
                    numbers.push_back(double(k));
                figure.at(stops[s]).line(initialisations[i].first, numbers,
                                         forward ? stack.forward : stack.backward,
                                         {.color = colors[i], .points = false});
            }
        figure.always().log_y().ylim(1e-40, 100).x("layer");
        if (forward) figure.y("mean square");
    }
    figure.save(
        "Mean squares in stacks of layers with 100 units, mean over 30 stacks; the "
        "slider sets their number of layers. Activations start at layer 0, gradients "
        "at "
        "the last layer. With equal widths each initialisation treats both directions "
        "alike: what reaches the end of a stack, and what comes back to its beginning, "
        "is the factor to the power of the depth.");
    for (std::size_t s = 0; s < stops.size(); ++s)
        if (stops[s] == depth())
            for (std::size_t i = 0; i < initialisations.size(); ++i)
                say("{} layers, {}: activations end at {:.1e}, gradients at {:.1e}",
                    std::lround(depth()), initialisations[i].first,
                    all[s][i].forward.back(), all[s][i].backward.front());
}
//-

// ## One matrix, two directions
//
// Now let the widths differ. Take a layer with 50 inputs and 200 outputs, its *fan-in* and *fan-out*. Forward, each of
// the 200 sums has 50 terms, and a ReLU has halved their mean square. The mean square stays if
// $\frac12 \cdot 50 \cdot \sigma^2_\Omega = 1$, so the variance must be 0.04. Backward, the gradient of each of the 50
// inputs is a sum of 200 terms, one for each output that reads it, and the ReLU sets half of the gradients to zero. Here
// $\frac12 \cdot 200 \cdot \sigma^2_\Omega = 1$, so the variance must be 0.01.
//
// In general, let $g_k$ be the gradient of the loss with respect to the pre-activations $f_k$. The backward pass
// multiplies by the transposed matrix:
//
// $$ \sigma^2_{g_k} = \tfrac12 \, D_{h_{k+1}} \, \sigma^2_\Omega \, \sigma^2_{g_{k+1}} . $$
//
// Gradients keep their mean square if
//
// ```{equation} eq-he-backward
// :function: variance
// :test: init: distributions
// \sigma^2_\Omega = \frac{2}{D_{h_{k+1}}}
// ```
//
// and the compromise replaces the width by the mean of both widths:
//
// ```{equation} eq-he-compromise
// :function: variance; recto::nn::glorot_init
// :test: init: distributions
// \sigma^2_\Omega = \frac{4}{D_{h_k} + D_{h_{k+1}}}
// ```
//
// {cite:t}`glorot2010` proposed this compromise for the tanh, without the factor of the ReLU: half of this variance.
// We add a fourth rule that takes the *geometric* mean $\sqrt{D_{h_k} D_{h_{k+1}}}$ of the widths. For the layer
// above, the four rules give 0.04, 0.01, 0.016 and 0.02.
double variance(Scaling rule, Index in, Index out) {
    if (rule == Scaling::forward) return 2.0 / double(in);
    if (rule == Scaling::backward) return 2.0 / double(out);
    if (rule == Scaling::compromise) return 4.0 / double(in + out);
    return 2.0 / std::sqrt(double(in) * double(out));
}
Tensor weights(Scaling rule, Index in, Index out, Generator& random) {
    return random.normal({out, in}, 0, Real(std::sqrt(variance(rule, in, out))));
}

// ## One layer at a time
//
// First we check the two formulas. We draw one layer many times, send random numbers forward and random gradients
// backward, and divide mean squares:
struct Factors {
    double forward = 0, backward = 0;  // mean square behind a layer over that before it
};
Factors factors(Scaling rule, Index in, Index out, Generator& random) {
    Factors sums;
    for (int draw = 0; draw < draws(); ++draw) {
        const Tensor f = random.normal({batch, in}).requires_grad_();
        const Tensor next = linear(relu(f), weights(rule, in, out, random));
        sum(next * random.normal(next.shape()))
            .backward();  // gradients of mean square 1
        sums.forward += mean_square(next) / draws();
        sums.backward += mean_square(f.grad()) / draws();
    }
    return sums;
}
//- what is checked, and how the figure is drawn
struct Both {  // from narrow to wide, and from wide to narrow
    Factors out, back;
    // The largest and the smallest deviation from one, of the two layers.
    static double most(double a, double b) {
        return std::max(std::abs(a - 1), std::abs(b - 1));
    }
    static double least(double a, double b) {
        return std::min(std::abs(a - 1), std::abs(b - 1));
    }
    // The largest logarithm of a factor, in either direction.
    double drift() const {
        double found = 0;
        for (const double v : {out.forward, out.backward, back.forward, back.backward})
            found = std::max(found, std::abs(std::log(v)));
        return found;
    }
};

void single_layers() {
    std::vector<double> kept_back, kept_forth, missed, ratio;
    std::vector<Both> first;
    for (int run = 0; run < 3; ++run) {
        std::vector<Both> of;
        for (const Scaling rule : rules) {
            Generator random(book::seed() + 10 * std::uint64_t(run));
            of.push_back({factors(rule, narrow(), wide(), random),
                          factors(rule, wide(), narrow(), random)});
        }
        const Both &forward = of[0], &backward = of[1], &compromise = of[2];
        kept_back.push_back(Both::most(backward.out.backward, backward.back.backward));
        kept_forth.push_back(Both::most(forward.out.forward, forward.back.forward));
        missed.push_back(
            std::min(Both::least(forward.out.backward, forward.back.backward),
                     Both::least(backward.out.forward, backward.back.forward)));
        ratio.push_back(compromise.drift() /
                        std::max(forward.drift(), backward.drift()));
        if (run == 0) first = of;
    }
    claim("eq-he-backward/a",
          "backward rule: the deviation of the gradient's mean square from that behind "
          "the layer, "
          "the larger of 50 to 200 and 200 to 50 units",
          over_seeds(kept_back), "<=", 0.05);
    claim("eq-he-backward/b", "forward rule: the same for the activations",
          over_seeds(kept_forth), "<=", 0.05);
    claim("eq-he-backward/c",
          "the smallest deviation in the direction that a rule does not serve",
          over_seeds(missed), ">", 0.05);
    bool equal = true;
    for (Index m = 1; m <= 1000; ++m)
        for (const Scaling rule : {Scaling::forward, Scaling::backward})
            equal =
                equal && variance(Scaling::compromise, m, m) == variance(rule, m, m);
    claim_true(
        "eq-he-compromise/a",
        "for layers with as many inputs as outputs, from 1 to 1000, all rules agree",
        equal);
    claim("",
          "a single layer: the largest log factor with the compromise, over that with "
          "the worse one-sided rule",
          over_seeds(ratio), "<=", 1);
    const Both &c = first[2], &g = first[3];
    say("compromise: activations times {:.2f} and {:.2f}, gradients times {:.2f} and "
        "{:.2f}",
        c.out.forward, c.back.forward, c.out.backward, c.back.backward);
    say("geometric mean: activations times {:.2f} and {:.2f}, gradients times {:.2f} "
        "and {:.2f}",
        g.out.forward, g.back.forward, g.out.backward, g.back.backward);
    Figure figure("fig-init-factors");
    figure.describe(
        "Two panels of bars, the logarithm to base two of the factor by which a layer "
        "changes a "
        "mean square. For activations the forward rule has no bar to speak of, the "
        "backward rule "
        "minus two and plus two. For gradients it is the other way round. The "
        "compromise has about "
        "minus 1.3 and plus 0.7.");
    const figure::Color colors[] = {figure::red, figure::blue, figure::ochre,
                                    figure::green};
    const Names steps = {"50 to 200", "200 to 50"};
    for (const bool forward : {true, false}) {
        figure.panel(forward ? "activations" : "gradients");
        for (std::size_t r = 0; r < 4; ++r)
            figure.bars(names[r], steps,
                        forward ? std::vector{std::log2(first[r].out.forward),
                                              std::log2(first[r].back.forward)}
                                : std::vector{std::log2(first[r].out.backward),
                                              std::log2(first[r].back.backward)},
                        {.color = colors[r]});
        figure.ylim(-2.5, 2.5).x("units of a layer");
        if (forward) figure.y("log₂ of the factor");
    }
    figure.save(
        "By how much a single layer changes the mean square, as a power of two, for "
        "both shapes of "
        "layers. Each one-sided rule is exact in its direction and wrong by a factor "
        "of four in the "
        "other. The compromise is wrong by less, in both.");
}
//-

// The output shows the factors of a single layer. The compromise multiplies activations by 0.40 where the layer widens,
// and by 1.60 where it narrows; for gradients the two numbers change places. The measured deviations of the one-sided
// rules, in their own direction, are below one per cent. In the other direction a factor of 4 or of a quarter is
// exactly what the formulas say: the forward rule has 0.04 where gradients want 0.01.
//
// For a single layer, the compromise does what its name says: its largest error is smaller than that of a one-sided
// rule in the wrong direction. Does this make it the best rule for a stack?
//- the question
void question(const std::vector<Stack>& of) {
    ask("The widths alternate between 50 and 200 over twenty layers. With which rule "
        "does a signal end "
        "farthest from its original size, activations and gradients considered?",
        {{"The forward rule: its gradients are wrong by a factor of four in each "
          "layer.",
          end_drift(of[0]) > std::max(end_drift(of[1]), end_drift(of[2])),
          "They are, by 4 in one layer and by a quarter in the next. Both cancel."},
         {"The backward rule: its activations are wrong by a factor of four in each "
          "layer.",
          end_drift(of[1]) > std::max(end_drift(of[0]), end_drift(of[2])),
          "They are, by a quarter in one layer and by 4 in the next. Both cancel."},
         {"The compromise.",
          end_drift(of[2]) > std::max(end_drift(of[0]), end_drift(of[1])),
          "Its factors are 0.4 and 1.6. They do not cancel: two layers multiply by "
          "0.64, in both "
          "directions, and twenty layers by 0.64 to the tenth power, about 0.01."}});
    for (std::size_t r = 0; r < 4; ++r)
        say("{}: activations end at {:.3f}, gradients at {:.3f}", names[r],
            of[r].forward.back(), of[r].backward.front());
}
//-

// The compromise should keep both directions closer to their size than the worse of the one-sided rules does. We
// measure the largest **drift**, the logarithm of a mean square, at any layer and in either direction:
//- what is checked
// Twenty layers, five times: the compromise against the worse one-sided rule.
void over_stacks() {
    std::vector<double> largest, at_end;
    for (int run = 0; run < 5; ++run) {
        std::vector<Stack> of;
        for (const Scaling rule : {rules[0], rules[1], rules[2]}) {
            Generator random(book::seed() + 1000 + std::uint64_t(run));
            of.push_back(follow(rule, wide(), random));
        }
        largest.push_back(over_one_sided(of, drift));
        at_end.push_back(over_one_sided(of, end_drift));
        if (run > 0) continue;
        const double worse = std::max(drift(of[0]), drift(of[1]));
        std::size_t k = 0;
        while (k + 1 < of[2].forward.size() &&
               std::abs(std::log(of[2].forward[k])) <= worse)
            ++k;
        say("the compromise has drifted farther from layer {} on", k);
    }
    for (const Index other : {Index(100), Index(400)}) {
        std::vector<Stack> of;
        for (const Scaling rule : {rules[0], rules[1], rules[2]}) {
            Generator random(book::seed() + std::uint64_t(other));
            of.push_back(follow(rule, other, random));
        }
        say("widths {} and {}: {:.1f} times as far", narrow(), other,
            over_one_sided(of, drift));
    }
    say("at the far ends alone: {} times as far", book::brief(over_seeds(at_end)));
    book::not_reproduced(
        "eq-he-compromise/b",
        "the largest drift over twenty layers, the compromise over the worse one-sided "
        "rule",
        over_seeds(largest), "<=", 1,
        "alternating widths of 50 and 100 and of 50 and 400; the drift at the far ends "
        "in "
        "place of the largest; a single layer, for which the statement holds; more "
        "layers "
        "make the ratio larger, since every pair multiplies by 0.64");
}

void page() {
    depths();
    const std::vector<Stack> of = directions();
    single_layers();
    question(of);
    over_stacks();
}
//-

// The expectation fails: over twenty layers the compromise drifts 3.2 times as far as the worse one-sided rule. In the
// first four layers it is ahead, and from layer 5 on it is behind. With widths of 50 and 100 the ratio is 1.7, with 50
// and 400 it is 4.3, and if only the far ends count it is 24. More layers make it worse, as you will see.
//
// ## Why one side is enough
//
// Why do the one-sided errors stay small? With the forward rule, layer $k$ multiplies the mean square of the gradient
// by $D_{h_{k+1}} / D_{h_k}$. Over many layers these fractions form a product in which each width stands once above
// and once below the line. All of them cancel, except the first and the last:
//
// $$ \frac{D_{h_1}}{D_{h_0}} \cdot \frac{D_{h_2}}{D_{h_1}} \cdots \frac{D_{h_n}}{D_{h_{n-1}}} = \frac{D_{h_n}}{D_{h_0}} . $$
//
// Take the widths 50, 200, 100, 50. The three fractions are 4, one half and one half, and their product is 1. So the
// gradient of a network that begins and ends with 50 units comes out as large as it went in, however the widths change
// between. This is why {cite:t}`he2015` call either rule sufficient; PyTorch's function `kaiming_normal_` counts the
// inputs unless you ask for the outputs. The factors of the compromise do not cancel, because an arithmetic mean is at
// least the geometric mean of the same widths: if they differ, both directions shrink. The geometric mean shares the
// errors evenly, 2 and one half, *and* cancels over the stack. In {numref}`fig-init-directions` it ends at 0.87 for
// activations and at 0.89 for gradients, and so do both one-sided rules, because all three multiply to the same number
// over two layers. The compromise ends at 0.01.
//
// ## Limits
//
// The compromise is not always worse. In a stack that widens and widens, such as 50, 100, 200, 400, nothing cancels
// before the end, and the forward rule multiplies the gradient by $400/50 = 8$ in total. The compromise spreads this
// mismatch over both directions, as its inventors intended. What you should not expect is that it preserves anything:
// it is exact for square matrices alone, where all rules agree.
//
// Real networks change their width a few times, often by a factor of two, and not in every layer. A layer of twice as
// many outputs as inputs makes the compromise wrong by $\frac23$ forward and $\frac43$ backward, and a few such factors
// do no harm. The formulas assume that the gradient is independent of the weights that it passes. Random weights
// fulfil this roughly, and trained weights do not, so all of it is about the first step.
//
// ## Summary and what is missing
//
// Activations want the variance $2/D_{h_k}$ and gradients $2/D_{h_{k+1}}$; one matrix cannot serve both, unless it is
// square. The compromise has the smaller error in a single layer. Over many layers of alternating widths either
// one-sided rule is better, because its errors cancel, and the arithmetic compromise lets both directions vanish.
//
// Initialisation sets the sizes before the first step, and training is free to spoil them. [The next
// page](batch_norm.cpp) puts a layer into the network that restores the size in every step.
//
// ```{try}
// - A deeper stack of equal widths: `--depth 100`. Which initialisation still passes anything on?
// - Equal widths: `--wide 50`. Why do the rules agree?
// - Very unequal widths: `--wide 400`. How small do the signals of the compromise become?
// ```
