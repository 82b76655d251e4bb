// # Optimisers: better steps with momentum and Adam
//
// ```{rows} sys-momentum sys-adam claim-adam-scale-free sys-lr-schedule
// ```
//
// Gradient descent has one learning rate for all weights and all times. [Three pages ago](descent.cpp) the largest
// curvature of the loss limited this rate, so in flat directions the steps are far too short. And [the noise of
// mini-batches](batches.cpp) keeps the weights from settling. An **optimiser** is the rule that turns a gradient into a
// step. This page improves the rule three times: with **momentum**, which remembers earlier gradients; with **Adam**,
// which gives every weight a step size of its own; and with a **learning rate schedule**.
//
// Three rules turn gradients into steps. Which way does each of them take through a narrow valley? Move the slider:
//
// ```{opening} fig-valley
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/ranges.h>

using namespace recto;
using book::ask_number, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using data::even_grid;
using figure::Figure;
using optim::AdamOptions, optim::SgdOptions;
using std::numbers::pi;

const book::Option<double> narrow(
    "narrow", 100, "curvature across the valley, as a multiple of that along it",
    {.least = 1.0, .most = 1e6});
const book::Option<double> rate("rate", 0.1, "learning rate of Adam in the valley",
                                {.least = 1e-4, .most = 10.0});
const book::Option<Index> horizon("steps", 2000, "number of steps on the noisy bowl",
                                  {.quick = 1000, .least = 100, .most = 100'000});
const book::Option<int> seeds("seeds", 5,
                              "number of repetitions with other noise or other starts",
                              {.quick = 1, .least = 1, .most = 100});
//-

// ## A narrow valley
//
// The simplest loss with this difficulty has two weights and two curvatures: 1 along the valley and $\kappa$ across it.
// The number $\kappa$, the largest curvature divided by the smallest, is the {term}`condition number`. Later we turn
// the valley in the plane, so the function takes an angle, too:
Tensor valley(const Tensor& w, double kappa, double turn = 0) {  // w is (1, 2)
    const Tensor x = select(w, 1, 0), y = select(w, 1, 1);
    const Tensor along = std::cos(turn) * x + std::sin(turn) * y,
                 across = std::cos(turn) * y - std::sin(turn) * x;
    return 0.5 * sum(square(along) + kappa * square(across));
}

// All descents on this page use the library's optimisers and {cpp:func}`~recto::optim::fit`:
//- how a descent is run and recorded
using Places = std::vector<std::vector<Real>>;  // before the first step, and after each
using Loss = std::function<Tensor(const Tensor&)>;
template <class Optimiser>
Places walk(const Loss& loss, const Tensor& start, auto options, Index steps,
            std::function<double(Index)> schedule = {}) {
    const Tensor w = clone(start).requires_grad_();
    Optimiser optimiser({{"w", w}}, options);
    Places at = {w.values()};
    optim::fit(
        optimiser, [&] { return loss(w); }, {.steps = steps, .lr = schedule},
        [&](const auto&) { at.push_back(w.values()); });
    return at;
}
double distance(const std::vector<Real>& w) {  // from the bottom, which is at zero
    double squares = 0;
    for (const Real x : w) squares += double(x * x);
    return std::sqrt(squares);
}
//-

// Gradient descent multiplies the distance along the valley by $1 - \eta$ in each step, and the distance across by
// $1 - \eta\kappa$. The best rate, $\eta = 2/(1 + \kappa)$, makes both factors equally large. Then a step leaves the
// share $(\kappa - 1)/(\kappa + 1)$ of the distance. For $\kappa = 100$ that is 98 %: the descent crosses the valley in
// every step and hardly moves along it.
//
// ## Momentum
//
// Across the valley the gradient changes its sign in every step; along the valley all gradients agree. So keep a decaying
// sum of them. With $\beta = 0.9$, gradients $1, 1, 1, \dots$ sum to $1, 1.9, 2.71, \dots$ and finally to
// $1/(1-\beta) = 10$. Gradients $1, -1, 1, \dots$ cancel: their sum alternates and settles at
// $\pm 1/(1+\beta) = \pm 0.53$. This is {term}`momentum` {cite:p}`polyak1964`:
//
// $$ v \leftarrow \beta v + \nabla \Loss(w), \qquad w \leftarrow w - \eta\, v . $$
//
// The weights move like a ball that rolls with friction. With $\beta = 0$ it must be plain gradient descent, to the last
// bit:
//- the best rates by formula, and the measured factor
struct Best {
    double rate, beta, factor;  // and what they leave of the distance in a step
};
Best best_descent(double kappa) {
    return {2 / (1 + kappa), 0, (kappa - 1) / (kappa + 1)};
}
Best best_momentum(double kappa) {
    const double root = std::sqrt(kappa), factor = (root - 1) / (root + 1);
    return {4 / ((1 + root) * (1 + root)), factor * factor, factor};
}
double measured_factor(const Places& at) {  // per step, over the second half
    const std::size_t last = at.size() - 1, middle = last / 2;
    return std::pow(distance(at[last]) / distance(at[middle]),
                    1.0 / double(last - middle));
}
//-
void momentum() {
    const Tensor start({1, 2}, {-2.5, 0.8});
    const Loss loss = [](const Tensor& w) { return valley(w, narrow()); };
    const Best plain = best_descent(narrow()), heavy = best_momentum(narrow());
    const Places none =
        walk<optim::Sgd>(loss, start, SgdOptions{.lr = plain.rate, .momentum = 0}, 50);
    Tensor w = clone(start);
    bool same = true;
    for (const auto& place : none) {
        same = same && w.values() == place;
        const Tensor here = clone(w).requires_grad_();
        loss(here).backward();
        w = w - Real(plain.rate) * here.grad();
    }
    claim_true("sys-momentum/a",
               "with β = 0, fifty steps are those of plain descent, bit for bit", same);

    // How much does momentum gain? For a quadratic loss the best $\eta$ and $\beta$ are known, too. With them a step leaves,
    // in the long run, the share $(\sqrt\kappa - 1)/(\sqrt\kappa + 1)$: the same formula with the *root* of $\kappa$. For
    // $\kappa = 100$ that is 82 % instead of 98. Early steps leave more, because after $t$ steps the distance is
    // about $t$ times a power of this share. So we measure over the last three hundred of six hundred steps:
    const double descent = measured_factor(
        walk<optim::Sgd>(loss, start, SgdOptions{.lr = plain.rate}, 600));
    const double rolling = measured_factor(walk<optim::Sgd>(
        loss, start, SgdOptions{.lr = heavy.rate, .momentum = heavy.beta}, 600));
    say("a step leaves: descent {:.4f}, by formula {:.4f}", descent, plain.factor);
    say("             momentum {:.4f}, by formula {:.4f}", rolling, heavy.factor);
    claim_in(
        "sys-momentum/b",
        "the share left by a step with momentum, as a multiple of (√κ − 1)/(√κ + 1)",
        rolling / heavy.factor, 0.95, 1.05);
    ask_number(
        "The valley gets steeper across: κ grows from 100 to 10,000. Gradient descent "
        "at its best rate now needs a hundred times as many steps. How many times as "
        "many does momentum at its best settings need?",
        std::log(best_momentum(100).factor) / std::log(best_momentum(10'000).factor), 1,
        "A step leaves about 1 − 2/κ of the distance without momentum and 1 − 2/√κ "
        "with it. So the number of steps grows like √κ, and the root of a hundred is "
        "ten.");
}

// A variant evaluates the gradient at the point to which the momentum is about to move {cite:p}`nesterov1983`; in
// {cpp:class}`~recto::optim::Sgd` it is the option `nesterov`. On convex losses its gain is proved; Polyak's momentum,
// with the settings that are best for quadratics, can cycle endlessly there {cite:p}`lessard2016`.
//
// ## Adam: a step size for every weight
//
// Momentum still has one learning rate for all weights. A weight with a steep loss should take small steps, and a weight
// with a flat loss large ones. {term}`Adam` {cite:p}`kingma2015` does not measure the curvature for this. It uses the
// recent size of the weight's gradient $g$, and keeps two running means for each weight, of the gradients and of their
// squares:
//
// $$ m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2 . $$
//
// (By custom the letter $v$ serves twice; here it is a mean of squares.) Both means start at zero, so after $t$ steps
// they are too small, by the factors $1 - \beta_1^t$ and $1 - \beta_2^t$. Adam divides by these factors (the
// {term}`bias correction`), and then divides one mean by the root of the other:
//
// $$ w \leftarrow w - \eta \, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \varepsilon} . $$
//
// The gradient appears in the numerator and in the denominator, so its size cancels. Suppose that the first gradient is
// 100 and $\eta = 0.1$: the corrected means are 100 and 10,000, and the step is $0.1 \cdot 100 / 100 = 0.1$. For a first
// gradient of 0.01 the step is 0.1 as well. Later, a weight whose gradients agree moves by about $\eta$ a step, and a
// weight whose gradients alternate moves less. So $\eta$ is nearly a distance. The $\varepsilon$ prevents a division by
// zero. It also shortens the steps where gradients are not much larger than $\varepsilon$, so it should be tiny. Without
// $m$ and without the corrections this is **RMSProp** {cite:p}`tieleman2012`, named after the root of the mean square by
// which it divides; Adam grew from it. {numref}`fig-valley` compares three optimisers step by step. Only gradient
// descent runs at its best rate there, so compare the shapes of the paths, not the times of arrival.
//- how the figure is drawn
void valley_figure() {
    const double kappa = 25;
    const Tensor start({1, 2}, {-2.6, 0.9});
    const Loss loss = [&](const Tensor& w) { return valley(w, kappa); };
    const Best plain = best_descent(kappa);
    const Index last = 60;
    const std::vector<std::pair<std::string, Places>> walks = {
        {"descent", walk<optim::Sgd>(loss, start, SgdOptions{.lr = plain.rate}, last)},
        {"momentum",
         walk<optim::Sgd>(loss, start, SgdOptions{.lr = 1 / kappa, .momentum = 0.7},
                          last)},
        {"Adam", walk<optim::Adam>(loss, start, AdamOptions{.lr = rate()}, last)}};
    std::vector<double> stops = even_grid(16, 1, 16), map;
    for (const double later : {20, 25, 30, 40, 50, 60}) stops.push_back(later);
    const int across = 120;
    const double side = 5.8;
    for (int i = 0; i < across * across; ++i) {
        const double x = -2.9 + (i % across + 0.5) * side / across;
        const double y = 2.9 - (i / across + 0.5) * side / across;
        map.push_back(std::sqrt(0.5 * (x * x + kappa * y * y)));
    }

    // Each stop of the slider draws the descents up to that step, over the map of the valley:
    Figure figure("fig-valley");
    figure
        .describe(
            "A long valley from left to right and three descents from its upper left. "
            "Gradient descent jumps from one side to the other and moves slowly along; "
            "momentum swings, too, and gains speed along the valley; Adam moves down "
            "at an angle of 45 degrees, overshoots the floor and swings back. A slider "
            "sets how many steps are shown.")
        .slider("step", stops, "steps", 8)
        .height(640)  // as wide as high, so that 45 degrees are 45 degrees
        .field(-2.9, 2.9, -2.9, 2.9, across, map, "root of the loss")
        .xlim(-2.9, 2.9)
        .ylim(-2.9, 2.9)
        .x("along")
        .y("across");
    for (const double stop : stops) {
        figure.at(stop);
        for (const auto& [name, places] : walks) {
            std::vector<double> x, y;
            for (std::size_t i = 0; i <= std::size_t(stop); ++i)
                x.push_back(places[i][0]), y.push_back(places[i][1]);
            figure.line(name, x, y, {.dash = figure::solid, .points = true});
        }
    }
    figure.save(
        "Three optimisers in one valley, 25 times as steep across as along. Move the "
        "slider: gradient descent never leaves its zigzag, momentum gathers speed "
        "along the valley, and Adam starts at 45 degrees, because both weights move by "
        "the same step whatever their gradients are. Then its momentum carries Adam "
        "past the floor and back.");
}
//-

// ## Adam ignores scale, but not rotation
//
// If the size of the gradient cancels, you may multiply the loss by any factor. You may also multiply the gradient of a
// single weight. In networks this matters, because the gradients of one layer can be many times larger than those of
// another {cite:p}`fleuret2023`. We test five weights with curvatures from 1 to 10,000, and the same loss multiplied by
// a thousand:
Tensor scaled(const Tensor& w, double factor) {
    const Tensor curvature({5}, {1, 10, 100, 1000, 10'000});
    return factor / 2 * sum(curvature * square(w));
}
//- how Adam and gradient descent are compared on both losses
double farthest(const Places& a, const Places& b) {
    double apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < a[i].size(); ++k)
            apart = std::max(apart, double(std::abs(a[i][k] - b[i][k])));
    return apart;
}
void scale_free() {
    Generator random(book::seed());
    const Loss once = [](const Tensor&w) { return scaled(w, 1); },
               thousand = [](const Tensor&w) { return scaled(w, 1000); };
    const Tensor start = random.uniform({5}, 1, 1.5);
    const Places step = walk<optim::Adam>(once, start, AdamOptions{.lr = 0.01}, 1);
    double off = 0;
    for (std::size_t k = 0; k < 5; ++k)
        off = std::max(off, std::abs(step[0][k] - step[1][k] - 0.01));
    claim("sys-adam/a", "the largest difference of Adam's first step from η, downhill",
          off, "<=", 1e-6);
    double adam = 0;
    for (const double epsilon : {1e-4, 1e-8, 1e-16}) {
        const AdamOptions options{.lr = 0.01, .eps = epsilon};
        adam = farthest(walk<optim::Adam>(once, start, options, 500),
                        walk<optim::Adam>(thousand, start, options, 500));
        say("ε = {:.0e}: multiplying the loss by 1000 moves Adam's weights by at most "
            "{:.1e}",
            epsilon, adam);
    }
    claim("claim-adam-scale-free/a",
          "the largest change of Adam's weights at any step, with the smallest ε", adam,
          "<=", 1e-4);
    const double plain =
        farthest(walk<optim::Sgd>(once, start, SgdOptions{.lr = 1e-7}, 500),
                 walk<optim::Sgd>(thousand, start, SgdOptions{.lr = 1e-7}, 500));
    claim("claim-adam-scale-free/b",
          "the same for gradient descent, at a rate that is stable on both losses",
          plain, ">", 0.01);
    //-

    // How many steps does each of the five weights need to come within a hundredth of zero? Their initial values differ by
    // up to a half, so the counts differ as well. We draw the initial values five times:
    //- how the steps are counted
    const auto arrival = [](const Places& at, std::size_t k) {
        std::size_t i = at.size();
        while (i > 0 && std::abs(at[i - 1][k]) < 0.01) --i;
        return double(i);  // the first step from which on it stays there
    };
    std::vector<double> ratios;
    for (int seed = 0; seed < seeds(); ++seed) {
        const Places at = walk<optim::Adam>(once, random.uniform({5}, 1, 1.5),
                                            AdamOptions{.lr = 0.01}, 1500);
        std::vector<double> counts;
        for (std::size_t k = 0; k < 5; ++k) counts.push_back(arrival(at, k));
        if (seed == 0)
            say("Adam's steps, from curvature 1 to 10,000: {}",
                fmt::join(counts, ", "));
        ratios.push_back(std::ranges::max(counts) / std::ranges::min(counts));
    }
    claim("claim-adam-scale-free/c",
          "steps of the slowest weight, as a multiple of the steps of the fastest",
          over_seeds(ratios), "<", 2);
}
//-

// But Adam's step sizes belong to single weights. If the steep direction is a mixture of two weights, no step size for
// either weight fits it. To see this we turn the valley in the plane. Gradient descent and momentum do not notice,
// because their steps are sums of gradients, and gradients turn with the valley. We count the steps until the distance
// stays below a hundredth, at nineteen angles from 0 to 90 degrees.
//- how the steps are counted, and how the figure is drawn
void turned() {
    const Best plain = best_descent(narrow()), heavy = best_momentum(narrow());
    const std::vector<double> degrees = even_grid(19, 0, 90);
    std::vector<std::vector<double>> steps(3);
    for (const double angle : degrees) {
        const double turn = angle * pi / 180;
        const Loss loss = [&](const Tensor& w) { return valley(w, narrow(), turn); };
        const Tensor start({1, 2},
                           {Real(-2.5 * std::cos(turn) - 0.8 * std::sin(turn)),
                            Real(-2.5 * std::sin(turn) + 0.8 * std::cos(turn))});
        const Index most = 2000;
        const Places walks[] = {
            walk<optim::Sgd>(loss, start, SgdOptions{.lr = plain.rate}, most),
            walk<optim::Sgd>(loss, start,
                             SgdOptions{.lr = heavy.rate, .momentum = heavy.beta},
                             most),
            walk<optim::Adam>(loss, start, AdamOptions{.lr = rate()}, most)};
        for (std::size_t i = 0; i < 3; ++i) {
            std::size_t last = walks[i].size();
            while (last > 0 && distance(walks[i][last - 1]) < 0.01) --last;
            steps[i].push_back(double(last));
        }
    }

    claim("",
          "Adam's steps in the valley turned by 45 degrees, as a multiple of its steps "
          "in the valley along an axis",
          steps[2][9] / steps[2][0], ">", 2);
    Figure("fig-turned")
        .describe(
            "Steps against the angle by which the valley is turned. Gradient descent "
            "and momentum are level lines, momentum far lower. Adam's line rises from "
            "0 to 45 degrees to about four times its value, above that of gradient "
            "descent, and falls again to 90 degrees.")
        .line("descent", degrees, steps[0], {.points = false})
        .line("momentum", degrees, steps[1], {.points = false})
        .line("Adam", degrees, steps[2], {.points = false})
        .x("the valley is turned by degrees")
        .y("steps")
        .ylim(0, 1.1 * std::max(std::ranges::max(steps[0]), std::ranges::max(steps[2])))
        .save(
            "Steps until the distance stays below a hundredth, for a valley turned by "
            "the angle on the axis. Adam, at the rate 0.1, is fast only where the "
            "valley lies along an axis. Momentum is fastest at every angle, but it "
            "uses the best settings for a known κ.");
}
//-

// Read {numref}`fig-turned` with care. Gradient descent and momentum run at the rates that are best for this $\kappa$,
// which in practice you don't know; Adam runs at one untuned rate, 0.1. A larger rate flattens Adam's peak; try
// `--rate 0.3`. What the figure does show is where Adam's advantage comes from: weights whose gradients differ in scale,
// such as those of different layers, or those of rare and frequent words.
//
// ## Learning rate schedules
//
// The third improvement deals with noise. On a random mini-batch the gradient at the minimum is zero on average but never
// exactly, so with a constant rate the weights keep fluctuating. How much? Add noise of variance 1 to the gradient of the
// bowl $\frac12 w^2$. Each step multiplies the variance of $w$ by $(1 - \eta)^2$ and adds $\eta^2$. The two balance at the
// variance $\eta / (2 - \eta)$: for $\eta = 0.2$ this is $0.2 / 1.8 = 0.111$, for $\eta = 0.02$ it is 0.0101. A small rate
// ends close to the minimum but moves slowly; a large rate moves fast but fluctuates. To have both, start with a large rate
// and end with a small one. The learning rate becomes a function of the step, a {term}`schedule`:
using Schedule = std::function<double(Index)>;
const double full_rate = 0.2;
std::vector<std::pair<std::string, Schedule>> schedules(Index n) {
    return {{"constant", [](Index) { return full_rate; }},
            {"steps",
             [=](Index t) { return optim::step_decay(t, full_rate, n / 4, 0.25); }},
            {"cosine", [=](Index t) { return optim::cosine(t, n, full_rate); }},
            {"warm-up",
             [=](Index t) { return optim::warmup_cosine(t, n / 10, n, full_rate); }}};
}

// The step schedule reduces the rate by a factor at fixed intervals. The cosine schedule lets it fall smoothly to zero
// along half a cosine {cite:p}`loshchilov2017`. The third schedule does the same after a {term}`warm-up`, in which the
// rate grows from nearly zero: at first the gradients are large, and Adam's means rest on a few of them, so that long
// steps could do lasting damage. The library's fourth schedule, `one_cycle`, rises and falls along half cosines. We
// check all four against values worked out by hand:
//- the values by hand
void values_by_hand() {
    const double root = std::sqrt(2.0);
    const std::vector<Index> at = {0, 100, 200, 300, 400};
    const std::vector<std::pair<std::vector<double>, Schedule>> known = {
        {{1, 0.5, 0.25, 0.125, 0.0625},
         [](Index t) { return optim::step_decay(t, 1, 100, 0.5); }},
        {{1, (2 + root) / 4, 0.5, (2 - root) / 4, 0},
         [](Index t) { return optim::cosine(t, 400, 1); }},
        {{1.0 / 101, 1, 0.75, 0.25, 0},
         [](Index t) { return optim::warmup_cosine(t, 100, 400, 1); }},
        {{0.04, 0.52, 1, 0.500002, 4e-6},
         [](Index t) { return optim::one_cycle(t, 401, 1, {.rising = 201.0 / 401}); }}};
    double off = 0;
    for (const auto& [values, schedule] : known)
        for (std::size_t i = 0; i < 5; ++i)
            off = std::max(off, std::abs(schedule(at[i]) - values[i]));
    claim("sys-lr-schedule/a",
          "the largest difference of four schedules from their values at five steps",
          off, "<=", 1e-12);
}
//-

// Now we run five hundred noisy bowls at once with each schedule, and record the mean square of their weights:
std::vector<double> noisy_bowls(const Schedule& schedule, Generator& random) {
    const Tensor w = full({500}, 3).requires_grad_();
    optim::Sgd sgd({{"w", w}});
    std::vector<double> squares;
    optim::fit(
        sgd,
        [&] {  // the noise in the slope is a random tilt of the bowl
            return sum(0.5 * square(w) + random.normal({500}) * w);
        },
        {.steps = horizon(), .lr = schedule},
        [&](const auto&) {
            squares.push_back(double(mean(square(w.detach())).item()));
        });
    return squares;
}

// We repeat this for every schedule and with other noise:
//- how the schedules are compared
void fading() {
    const auto plans = schedules(horizon());
    std::vector<double> every;
    for (Index t = 0; t < horizon(); t += horizon() / 100) every.push_back(double(t));
    std::vector<std::vector<double>> rates(plans.size()), curves(plans.size()),
        shares(plans.size());
    for (int seed = 0; seed < seeds(); ++seed) {
        Generator random(book::seed() + std::uint64_t(seed));
        double plateau = 0;  // of the constant rate, which comes first
        for (std::size_t i = 0; i < plans.size(); ++i) {
            const std::vector<double> squares = noisy_bowls(plans[i].second, random);
            const std::size_t half = squares.size() / 2;
            if (i == 0)
                for (std::size_t t = half; t < squares.size(); ++t)
                    plateau += squares[t] / double(squares.size() - half);
            shares[i].push_back(squares.back() / plateau);
            if (seed > 0) continue;
            if (i == 0)
                say("with the constant rate the mean square settles at {:.4f}; by "
                    "formula {:.4f}",
                    plateau, full_rate / (2 - full_rate));
            for (const double t : every) {
                rates[i].push_back(plans[i].second(Index(t)));
                curves[i].push_back(squares[std::size_t(t)]);
            }
        }
    }
    //-

    // With the constant rate the mean square agrees with the formula. How much smaller do the other schedules make it?
    for (std::size_t i = 1; i < plans.size(); ++i)
        claim("sys-lr-schedule/b",
              fmt::format("the final mean square with \"{}\", as a share of the "
                          "constant rate's plateau",
                          plans[i].first),
              over_seeds(shares[i]), "<=", 0.1);
    //- how the figure is drawn
    Figure figure("fig-schedules");
    figure
        .describe(
            "First panel: four rates against the step: a constant, stairs down, a "
            "falling half cosine, and a cosine that first rises. Second panel: the "
            "mean square of the weights on a logarithmic axis. All fall fast at first; "
            "with the constant rate it stays level at about a tenth, with the others "
            "it keeps falling as the rate does.")
        .panel("the rate")
        .x("step")
        .y("rate");
    for (std::size_t i = 0; i < plans.size(); ++i)
        figure.line(plans[i].first, every, rates[i], {.points = false});
    figure.panel("what is left").x("step").y("mean square").log_y();
    for (std::size_t i = 0; i < plans.size(); ++i)
        figure.line(plans[i].first, every, curves[i], {.points = false});
    figure.save(
        "Four schedules on noisy bowls. While the rate is high, the noise keeps the "
        "weights away from the minimum; when the rate falls, the mean square follows. "
        "All schedules have the same number of steps.");
    book::shows("sys-lr-schedule/c", "fig-schedules");
}
//-

void page() {
    momentum();
    valley_figure();
    scale_free();
    turned();
    values_by_hand();
    fading();
}

// In {numref}`fig-schedules` the three schedules that fall at the end reach 1.6 to 2.8 % of the constant rate's mean
// square, after the same number of steps.
//
// ## Summary
//
// Momentum sums gradients, so that steps add up where gradients agree and cancel where they alternate; in a narrow valley
// the number of steps grows with $\sqrt\kappa$ instead of $\kappa$. Adam divides by the recent size of each weight's
// gradient, which makes it independent of scale but not of rotation. A schedule reduces the learning rate, because the
// noise of mini-batches keeps the weights at a distance from the minimum that is set by the rate.
//
// ## What is missing
//
// Large models are usually trained with *AdamW* {cite:p}`loshchilov2019`, Adam with a weight decay that acts on the
// weights directly, after the division; [a later page](penalties.cpp) explains weight decay. *Muon* {cite:p}`jordan2024`
// answers the problem of rotation: it treats a weight matrix as a whole and makes its momentum orthogonal, so that all
// directions move equally far. And where does the gradient come from? [The next page](chain_rule.cpp) finds the
// derivatives for all weights in one backward pass.
//
// ```{try}
// - A narrower valley: `--narrow 10000`. Which line of {numref}`fig-turned` suffers the least?
// - Other rates for Adam: `--rate 0.02`, `--rate 0.3`, `--rate 1`. Which rate is best at 0 degrees, and which at 45?
// - Fewer steps: `--steps 200`. Do the falling schedules still win?
// ```
