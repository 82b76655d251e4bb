// # A better step
//
// ```{rows} sys-momentum sys-adam claim-adam-scale-free sys-lr-schedule
// ```
//
// [Two pages ago](descent.cpp) the largest curvature of a loss decided how long a step may be, and [the last
// page](batches.cpp) made the steps noisy. Both leave something to be wished for. Most losses are steep in some
// directions and nearly flat in others, and one rate has to do for all. This page improves the last line of the loop
// three times: with a memory of where we came from, with a rate of its own for every weight, and with a rate
// that changes over time. No other line changes.
//- includes and names
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
//-

// Four numbers can be changed:
const book::Option<double> narrow("narrow", 100,
                                  "how many times as steep the valley is across",
                                  {.least = 1.0, .most = 1e6});
const book::Option<double> rate("rate", 0.1, "rate of Adam in the valley",
                                {.least = 1e-4, .most = 10.0});
const book::Option<Index> horizon("steps", 2000, "steps on the noisy bowl",
                                  {.quick = 1000, .least = 100, .most = 100'000});
const book::Option<int> seeds("seeds", 5, "how often the noisy bowl is walked",
                              {.quick = 1, .least = 1, .most = 100});

// ## A narrow valley
//
// The smallest loss with the trouble has two weights and two curvatures, 1 along the valley and $\kappa$ across, and
// we shall want to turn it in the plane later. The number $\kappa$, the largest curvature over the smallest, is the
// {term}`condition number`.
Tensor valley(const Tensor& w, double kappa, double turn = 0) {  // w is (1, 2)
    const Tensor x = select(w, 1, 0), y = select(w, 1, 1);
    const Tensor along = std::cos(turn) * x + std::sin(turn) * y,
                 across = std::cos(turn) * y - std::sin(turn) * x;
    return 0.5 * sum(square(along) + kappa * square(across));
}

// Every walker of this page comes from the library and goes through {cpp:func}`~recto::optim::fit`:
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

// Plain descent multiplies the distance along the valley by $1 - \eta$ in each step and that across by
// $1 - \eta\kappa$. The best compromise makes both equally bad, $\eta = 2/(1 + \kappa)$. Then each step leaves a share of
// $(\kappa - 1)/(\kappa + 1)$ of the distance. For $\kappa = 100$ that is 98 percent. The walker crosses the
// valley all the time and hardly moves along it.
//
// ## Momentum
//
// Look at what it does: across the valley the slopes change their sign with every step, along the valley they all agree.
// So keep a running sum of them. What alternates cancels out, what agrees adds up:
//
// $$ v \leftarrow \beta v + \nabla \Loss(w), \qquad w \leftarrow w - \eta\, v . $$
//
// This is {term}`momentum` {cite:p}`polyak1964`: a ball that rolls, with a little friction, since $\beta$ is below one.
// With $\beta = 0$ it must be plain descent again, to the last bit; here is one written by hand, without an optimiser.
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

    // How much does it gain? For a quadratic the best rate and the best $\beta$ are known too, and they leave a share of
    // $(\sqrt\kappa - 1)/(\sqrt\kappa + 1)$: the same formula, with the *root* of $\kappa$. Measured, over three hundred steps:
    const double descent = measured_factor(
        walk<optim::Sgd>(loss, start, SgdOptions{.lr = plain.rate}, 600));
    const double rolling = measured_factor(walk<optim::Sgd>(
        loss, start, SgdOptions{.lr = heavy.rate, .momentum = heavy.beta}, 600));
    say("a step leaves: descent {:.4f}, by formula {:.4f}", descent, plain.factor);
    say("             momentum {:.4f}, by formula {:.4f}", rolling, heavy.factor);
    claim_in("sys-momentum/b",
             "what a step with momentum leaves, as a multiple of (√κ − 1)/(√κ + 1)",
             rolling / heavy.factor, 0.95, 1.05);
    ask_number(
        "The valley gets steeper across: κ grows from 100 to 10,000. The best plain "
        "descent now needs a hundred times as many steps. How many times as many does "
        "the best momentum need?",
        std::log(best_momentum(100).factor) / std::log(best_momentum(10'000).factor), 1,
        "What is left of the distance after a step is about 1 − 2/κ without momentum "
        "and 1 − 2/√κ with it. So the steps grow like √κ, and the root of a hundred is "
        "ten.");
}

// A variant looks ahead: it takes the slope where the momentum is about to carry it {cite:p}`nesterov1983`. In
// {cpp:class}`~recto::optim::Sgd` it is the option `nesterov`. It overshoots less, and on losses that curve only upwards its gain is
// proved, whereas a ball of Polyak's can be led astray there {cite:p}`lessard2016`.

// ## A rate for every weight
//
// Momentum still has one rate for all. Why not one for each weight: short steps where it is steep, long ones where it is
// flat? {term}`Adam` {cite:p}`kingma2015` does not measure the curvature for that, only how large a weight's slopes
// have been of late. It keeps two running means for each weight, of its slopes $g$ and of their squares:
//
// $$ m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2 . $$
//
// Both begin with zero, so after $t$ steps they are too small, by the factors $1 - \beta_1^t$ and $1 - \beta_2^t$. Adam
// divides by these (the {term}`bias correction`), and then one mean by the root of the other:
//
// $$ w \leftarrow w - \eta \, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \varepsilon} . $$
//
// Look at the fraction. The slope stands above and below: its size cancels. In the first step the corrected means are $g$ and
// $g^2$ themselves, and the step is $\eta$ times the *sign* of the slope. Later, a weight whose slopes agree moves by about
// $\eta$ a step, and one whose slopes alternate moves less. The tiny $\varepsilon$ only keeps zero from being divided by zero. So
// $\eta$ is no longer a rate but nearly a distance. {numref}`fig-valley` lets you go step by step.
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
    const double wide = 5.8, high = 2.4;
    for (int i = 0; i < across * across; ++i) {
        const double x = -2.9 + (i % across + 0.5) * wide / across;
        const double y = high / 2 - (i / across + 0.5) * high / across;
        map.push_back(std::sqrt(x * x + kappa * y * y));
    }

    // At each stop of the slider the walks are drawn up to there, over the map of the valley:
    Figure figure("fig-valley");
    figure
        .describe(
            "A long valley from left to right and three walks from its upper left. "
            "Plain descent jumps from one side to the other and moves slowly along; "
            "momentum swings too, and gets along ever faster; Adam goes down at an "
            "angle of 45 degrees, then along the bottom. A slider sets how many steps "
            "are shown.")
        .slider("step", stops, "steps", 8)
        .height(330)
        .field(-2.9, 2.9, -1.2, 1.2, across, map)
        .xlim(-2.9, 2.9)
        .ylim(-1.2, 1.2)
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
        "Three walkers in one valley, 25 times as steep across as along. Move the "
        "slider, step by step: the first never gets out of its zigzag, the second "
        "gathers speed, the third does not notice that the valley is narrow.");
}

// ## What Adam does not see
//
// If the size of the slopes cancels, then the loss may be multiplied by anything. And so may the loss of a single weight: in a
// network the slopes of one layer are often a hundred times those of another, and with one rate for all, the layers
// learn at speeds as different {cite:p}`fleuret2023`. Five weights with curvatures from 1 to 10,000, and the same loss times
// a thousand:
Tensor scaled(const Tensor& w, double factor) {
    const Tensor curvature({5}, {1, 10, 100, 1000, 10'000});
    return factor / 2 * sum(curvature * square(w));
}
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
        say("ε = {:.0e}: with the loss times 1000, Adam's walk is off by {:.1e}",
            epsilon, adam);
    }
    claim("claim-adam-scale-free/a",
          "the farthest that Adam's walk is off, with the smallest ε", adam,
          "<=", 1e-4);
    const double plain =
        farthest(walk<optim::Sgd>(once, start, SgdOptions{.lr = 1e-7}, 500),
                 walk<optim::Sgd>(thousand, start, SgdOptions{.lr = 1e-7}, 500));
    claim("claim-adam-scale-free/b",
          "and that of plain descent, at a rate that bears both", plain, ">", 0.01);

    // How many steps does each of the five weights need, to come within a hundredth of zero? Their starts differ by up to a
    // half, so the counts will too. Five draws of the starts:
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
          "steps of the slowest weight, as a multiple of the fastest's",
          over_seeds(ratios), "<", 2);
}

// But there is something that Adam does not see: a direction that is not a weight's own. Turn the valley in the
// plane, and no rate for either weight fits it any more. Plain descent and momentum cannot even tell that it was turned, since
// they use the slopes as one arrow. How many steps until the distance stays below a hundredth?
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

    // Nineteen angles, from along one axis to along the other:
    claim("",
          "Adam's steps in the valley turned by 45 degrees, as a multiple of those in "
          "the valley along an axis",
          steps[2][9] / steps[2][0], ">", 2);
    Figure("fig-turned")
        .describe(
            "Steps against the angle by which the valley is turned. Plain descent and "
            "momentum are level lines, momentum far lower. Adam needs few steps at 0 "
            "and 90 degrees and several times as many between.")
        .line("descent", degrees, steps[0], {.points = false})
        .line("momentum", degrees, steps[1], {.points = false})
        .line("Adam", degrees, steps[2], {.points = false})
        .x("the valley is turned by degrees")
        .y("steps")
        .ylim(0, 1.1 * std::max(std::ranges::max(steps[0]), std::ranges::max(steps[2])))
        .save(
            "What each needs to come within a hundredth, in a valley that is turned. "
            "Adam's rates belong to the weights, and only along the axes do they fit.");
}

// So {numref}`fig-turned` says when to expect much of Adam: when weights differ in scale one by one, as those of different
// layers do, or those of rare words and frequent ones. In practice its constants hardly need a thought, and that has made it the
// first choice in much of this book.
//
// ## A rate for every time
//
// The third improvement is about noise. On a random batch the slope at the bottom is right on average and never zero, so
// a walker with a constant rate keeps trembling. How much? Add noise of variance 1 to the slope of the bowl
// $\frac12 w^2$. Each step leaves $(1 - \eta)^2$ of the variance and adds $\eta^2$, and the two balance at
// $\eta / (2 - \eta)$. A small rate trembles little and takes forever; a large one is quick and trembles. Who wants both must
// begin with the one and end with the other. The rate becomes a function of the step, a {term}`schedule`:
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

// The first falls by a factor now and then. The second glides to zero along half a cosine
// {cite:p}`loshchilov2017`. The third does too, but begins with a {term}`warm-up`: at first the weights are bad and the slopes
// large, and Adam's means rest on a few of them, so that long steps do harm that is not easily undone. There is no magic in any
// of them; each is one line. At five steps we know the values by other means:
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

// Now five hundred noisy bowls at once, with each schedule. What we look at is the mean square of the weights:
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

// Each schedule walks them, and the whole is repeated with other noise:
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
                say("the constant rate trembles at {:.4f}; by formula {:.4f}", plateau,
                    full_rate / (2 - full_rate));
            for (const double t : every) {
                rates[i].push_back(plans[i].second(Index(t)));
                curves[i].push_back(squares[std::size_t(t)]);
            }
        }
    }

    // With a constant rate the walk trembles as much as the formula says. What do the others leave of that?
    for (std::size_t i = 1; i < plans.size(); ++i)
        claim("sys-lr-schedule/b",
              fmt::format(
                  "what is left with \"{}\", as a share of the constant rate's plateau",
                  plans[i].first),
              over_seeds(shares[i]), "<=", 0.1);
    //- how the figure is drawn
    Figure figure("fig-schedules");
    figure
        .describe(
            "Left: four rates against the step: a constant, stairs down, a falling "
            "half cosine, and one that climbs first. Right: the mean square of the "
            "weights on a logarithmic axis. All fall fast; the constant rate stays "
            "level at about a tenth, the others keep falling as their rates do.")
        .panel("the rate")
        .x("step")
        .y("rate");
    for (std::size_t i = 0; i < plans.size(); ++i)
        figure.line(plans[i].first, every, rates[i], {.points = false});
    figure.panel("what is left").x("step").y("mean square").log_y();
    for (std::size_t i = 0; i < plans.size(); ++i)
        figure.line(plans[i].first, every, curves[i], {.points = false});
    figure.save(
        "Four schedules on noisy bowls. As long as the rate is high the noise keeps "
        "the walker up; what the rate gives up, the loss follows.");
    book::shows("sys-lr-schedule/c", "fig-schedules");
    //-
}

void page() {
    momentum();
    valley_figure();
    scale_free();
    turned();
    values_by_hand();
    fading();
}

// All three that fade in {numref}`fig-schedules` end far below the constant rate, and lose no time by it. Which of them is best is a matter of the
// problem, and of taste; that the rate should fade at all is not.
//
// ## What is missing
//
// The step is now the one that most programs take; many add a weight decay of its own kind, which [comes later](penalties.cpp). What it is fed with still came from nowhere: the gradient. A
// model of a million weights has a million slopes, and to find each by a small push would take a million runs of the
// model. There is a way to get them all for the price of about two. [The next page](chain_rule.cpp) begins with one
// rule of calculus.
//
// ```{try}
// - A narrower valley: `--narrow 10000`. Which line of {numref}`fig-turned` suffers the least?
// - Other rates for Adam: `--rate 0.02`, `--rate 1`. What happens at the bottom of the valley, and why?
// - Little time: `--steps 200`. Do the schedules still win?
// ```
