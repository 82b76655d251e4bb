// # Local minima and saddle points: where descent ends
//
// ```{rows} claim-local-minima claim-lr-too-small claim-gd-needs-differentiable
// ```
//
// Below the rate $2/L$, every step of [gradient descent](descent.cpp) goes down. Does the descent end at the lowest place
// of the loss? In {numref}`fig-basins` four hundred descents start on a grid over the landscape of the last page. The
// colour of each dot shows at which of two minima its descent ends; about half end at the worse one. Move the slider,
// which counts the steps, and watch the dots go down. This page looks at the places where the gradient is zero: **local
// minima**, **saddle points** and flat places. It also shows what gradient descent needs of a loss.
//
// ```{opening} fig-basins
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
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>

using namespace recto;
using book::ask, book::claim, book::say;
using data::even_grid;
using figure::Figure;

const book::Option<double> ridge("ridge", 2.0, "height of the ridge in the landscape",
                                 {.least = 0.0, .most = 10.0});
const book::Option<int> starts("starts", 20,
                               "number of starts along each side of the square",
                               {.quick = 6, .least = 2, .most = 100});
const book::Option<double> kinked_rate(
    "rate", 0.3, "learning rate on the smooth and the kinked loss",
    {.least = 0.001, .most = 1.9});

Tensor descend_all(const Tensor& from, Index steps);  // defined further down
//-

//- the landscape of the last page, and a grid of starts
Tensor landscape(const Tensor& w) {  // (points, 2) to (points)
    const Tensor x = select(w, 1, 0), y = select(w, 1, 1);
    const Tensor q = 1.4 * x + 0.5 * y;
    return 0.15 * square(x) + 0.4 * square(y) + 0.15 * x +
           ridge() * exp(-0.5 * square(q));
}
const int across = 90;  // cells of the map, from its top row on
std::vector<Real> map_of_heights() {
    const NoGrad only_asking;
    Tensor places = empty({across * across, 2});
    for (Index i = 0; i < across * across; ++i) {
        places.write()[2 * i] = Real(-3 + (double(i % across) + 0.5) * 6 / across);
        places.write()[2 * i + 1] = Real(3 - (double(i / across) + 0.5) * 6 / across);
    }
    return landscape(places).values();
}
Tensor grid_of_starts() {
    const auto side = even_grid(starts(), -2.85, 2.85);
    std::vector<Real> places;
    for (const double y : side)
        for (const double x : side) places.push_back(x), places.push_back(y);
    return Tensor({starts() * starts(), 2}, places);
}
//-

//- how the figure is drawn
void basins() {
    const std::vector<double> stops = {0, 2, 5, 10, 20, 30, 40, 60};
    Figure figure("fig-basins");
    figure
        .describe(
            "A square of dots, one for each start, over the landscape. The dots left "
            "of the ridge have one colour and shape, and those to the right another, "
            "with one clean border. A slider sets the number of steps: the dots of "
            "each colour move away from the border and gather at one point.")
        .height(640)
        .slider("steps", stops, "steps", 0)
        .field(-3, 3, -3, 3, across, map_of_heights(), "loss")
        .x("first weight")
        .y("second weight")
        .xlim(-3, 3)
        .ylim(-3, 3);
    const Tensor from = grid_of_starts(), end = descend_all(from, 400);
    for (const double steps : stops) {
        const Tensor w = descend_all(from, Index(steps));
        std::vector<double> x[2], y[2];
        for (Index i = 0; i < from.size(0); ++i) {
            const int side = end.at({i, 0}) > 0;
            x[side].push_back(w.at({i, 0})), y[side].push_back(w.at({i, 1}));
        }
        figure.at(steps);
        for (const int side : {0, 1})  // without a ridge only one side is reached
            if (!x[side].empty())
                figure.dots(side ? "ends right" : "ends left", x[side], y[side]);
    }
    figure.save(
        "Every dot is a descent; its colour and shape show where it ends. At 0 steps "
        "the dots are the starts, and each basin is one side of the ridge. Move the "
        "slider: the dots leave the ridge and gather at the two minima. The one at the "
        "right is worse.");
    book::shows("claim-local-minima/c", "fig-basins");
}
//-

// ## Local minima: the start decides
//
// The four hundred descents run at once and do not affect each other: the loss is the sum of their heights, one term for
// each start. The learning rate is 0.1:
Tensor descend_all(const Tensor& from, Index steps) {
    const Tensor w = clone(from).requires_grad_();
    optim::Sgd descent({{"w", w}}, {.lr = 0.1});
    optim::fit(descent, [&] { return sum(landscape(w)); }, {.steps = steps});
    return w;
}

// After four hundred steps we look at the ends. Are both minima reached, is the gradient zero there, and is each end a
// minimum? To know where the minima are we use no gradient: of a grid of places 0.01 apart, we take those that are lower
// than their eight neighbours. At each end we compare the loss with that at eight places around it, at a distance of 0.01.
//- the minima of a grid, and what is checked and printed
std::vector<std::array<double, 2>> minima_of_grid() {
    const Index side = 601;
    const std::vector<double> axis = even_grid(int(side), -3, 3);
    Tensor places = empty({side * side, 2});
    for (Index i = 0; i < side * side; ++i) {
        places.write()[2 * i] = Real(axis[std::size_t(i % side)]);
        places.write()[2 * i + 1] = Real(axis[std::size_t(i / side)]);
    }
    const NoGrad only_asking;
    const std::vector<Real> heights = landscape(places).values();
    std::vector<std::array<double, 2>> found;
    for (Index row = 1; row < side - 1; ++row)
        for (Index column = 1; column < side - 1; ++column) {
            const Index at = row * side + column;
            bool lowest = true;
            for (const Index up : {-side, Index(0), side})
                for (const Index right : {-1, 0, 1})
                    lowest = lowest &&
                             (up + right == 0 || heights[std::size_t(at + up + right)] >
                                                     heights[std::size_t(at)]);
            if (lowest)
                found.push_back({axis[std::size_t(column)], axis[std::size_t(row)]});
        }
    return found;
}

void ends() {
    const Tensor w = descend_all(grid_of_starts(), 400).detach().requires_grad_();
    const Index count = w.size(0);
    const auto minima = minima_of_grid();
    std::vector<double> shares;
    for (const auto& [x, y] : minima) {
        double near = 0;
        for (Index i = 0; i < count; ++i)
            near += std::hypot(w.at({i, 0}) - x, w.at({i, 1}) - y) < 0.02;
        shares.push_back(near / double(count));
        say("minimum at ({:+.2f}, {:+.2f}): {:.1f} % of the starts end within 0.02", x,
            y, 100 * shares.back());
    }
    std::ranges::sort(shares, std::greater());
    claim("claim-local-minima/a",
          "the share of the starts that end at the minimum found second most often",
          shares.size() == 2 ? shares[1] : 0, ">", 0.1);
    sum(landscape(w)).backward();
    const std::vector<Real> slopes = w.grad().values();
    double steepest = 0;
    for (std::size_t i = 0; i < slopes.size(); i += 2)
        steepest = std::max(steepest, std::hypot(slopes[i], slopes[i + 1]));
    claim("claim-local-minima/b", "the longest gradient at any end", steepest, "<",
          1e-4);
    const std::vector<Real> heights = landscape(w.detach()).values();
    Index not_higher = 0;
    for (int k = 0; k < 8; ++k) {
        const double turn = k * std::numbers::pi / 4;
        const Tensor aside({2},
                           {Real(0.01 * std::cos(turn)), Real(0.01 * std::sin(turn))});
        const std::vector<Real> around = landscape(w.detach() + aside).values();
        for (std::size_t i = 0; i < heights.size(); ++i)
            not_higher += !(around[i] > heights[i]);
    }
    claim("claim-local-minima/b",
          "places around the ends, eight for each, that are not higher than the end",
          not_higher, "==", 0);
    const auto [lowest, highest] = std::ranges::minmax(heights);
    say("loss at the ends: {:.4f} in the better basin, {:.4f} in the worse", lowest,
        highest);
}
//-

// Each end is a {term}`local minimum`: lower than its surroundings, though perhaps not lower than a distant place. Here
// 49 % of the starts end at the right, with a loss of 0.754, and the others at the left, with 0.286. A descent cannot
// compare the two, because it reads the gradient only along its own path. All starts that lead to one minimum form its
// {term}`basin <basin of attraction>`. The border between the two basins lies close to the crest of the ridge, and on which
// side of it a descent starts decides where it ends.
//
// A network starts at random weights, and we have no map of its loss. We trust that most minima within reach are good
// enough. On small puzzles [most descents missed the solution](../foundations/hard_and_rich.cpp); that training works so
// often for large networks was the first surprise of that page.
//
// ## Saddle points: a delay
//
// The gradient is zero at a {term}`saddle point` too, where the loss curves upwards in one direction and downwards in
// another, as at a mountain pass. The simplest saddle is that of $\frac12 (w_1^2 - w_2^2)$ at zero, with the gradient
// $(w_1, -w_2)$. At a rate of 0.1 each step multiplies $w_1$ by 0.9 and $w_2$ by 1.1. From $(1, 0)$ the descent converges
// to the saddle. From $(1, 0.001)$ it comes near and leaves again. We count the steps until $w_2$ is above 1:
//- a descent, recorded as on the last page
using Loss = std::function<Tensor(const Tensor&)>;
struct Walk {
    std::vector<std::vector<Real>> at;  // before the first step, and after each
    std::vector<double> loss;           // at the same places, but for the last
};
Walk descend(const Loss& loss, const Tensor& start, double rate, Index steps) {
    const Tensor w = clone(start).requires_grad_();
    optim::Sgd descent({{"w", w}}, {.lr = rate});
    Walk made{{w.values()}, {}};
    optim::fit(
        descent, [&] { return loss(w); }, {.steps = steps},
        [&](const optim::Progress& now) {
            made.at.push_back(w.values());
            made.loss.push_back(now.loss);
        });
    return made;
}

//-
void saddle() {
    const Loss pass = [](const Tensor& w) {
        return 0.5 * (square(select(w, 0, 0)) - square(select(w, 0, 1)));
    };
    const auto steps_to_leave = [&](double offset) {
        const Walk walk = descend(pass, Tensor({2}, {1, Real(offset)}), 0.1, 200);
        const auto left =
            std::ranges::find_if(walk.at, [](const auto& w) { return w[1] > 1; });
        return left - walk.at.begin();
    };
    const auto near = steps_to_leave(1e-3), nearer = steps_to_leave(1e-6);
    say("from an offset of 0.001 it takes {} steps", near);
    ask("How many steps does it take from an offset that is a thousand times smaller, "
        "0.000001?",
        {{"About a thousand times as many.", nearer > 500 * near,
          "Steps of the same length would take so long. But each step is a tenth of "
          "the offset, so the offset grows by a constant factor."},
         {"About twice as many.", nearer > near && nearer <= 2 * near,
          "The offset has to grow by a factor of 1,000 twice, and 1.1 to the power of "
          "73 is about 1,000."},
         {"It never leaves: so near the saddle the gradient is practically zero.",
          nearer >= 200,
          "The gradient is tiny but not zero, and it grows by a tenth with every "
          "step."}});
    say("from an offset of 0.000001 it takes {} steps", nearer);
}

// So a saddle delays a descent and does not hold it: at a small learning rate, almost no start leads to a saddle exactly
// {cite:p}`lee2016`. But near a saddle the gradient is short and the loss hardly falls, so a level loss curve need not mean
// a minimum. {cite:t}`dauphin2014` argue that in large networks most points with zero gradient and a high loss are saddles,
// because a minimum must curve upwards in *every* one of a million directions.
//
// ## Small steps are caught in dents
//
// The start decides where a descent ends, but the learning rate decides, too. We put a dent into the wall of a bowl: a
// narrow, shallow basin, with a wide and deep one behind it.
Tensor dented(const Tensor& w) {
    return 0.25 * square(w - 2) - exp(-8 * square(w + 1));
}

// Five descents, with five learning rates, start at the same place on the wall above the dent:
//- five descents
void stopped_early() {
    const std::vector<double> rates = {0.001, 0.01, 0.1, 0.3, 1};
    const Loss loss = [](const Tensor& w) { return sum(dented(w)); };
    std::vector<std::size_t>
        looks;  // the steps that are plotted: 1, 2, 3, ..., then ever fewer
    for (double next = 1; next < 8000;
         next = std::max(next + 1, std::floor(1.12 * next)))
        looks.push_back(std::size_t(next));
    std::vector<std::vector<double>> places(rates.size()), heights(rates.size());
    std::vector<double> ends;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        const Walk walk = descend(loss, Tensor({1}, {-3}), rates[i], 8000);
        for (const std::size_t look : looks) {
            places[i].push_back(walk.at[look - 1][0]);
            heights[i].push_back(walk.loss[look - 1]);
        }
        ends.push_back(walk.at.back()[0]);
        say("rate {:<5} ends at w = {:+.4f}", rates[i], ends.back());
    }
    double low = -1.2, high = -0.8;  // ends of an interval around the dent's minimum
    for (int cut = 0; cut < 60; ++cut) {
        const double third = (high - low) / 3;
        const Tensor two({2}, {Real(low + third), Real(high - third)});
        const std::vector<Real> seen = dented(two).values();
        (seen[0] < seen[1] ? high : low) += (seen[0] < seen[1] ? -third : third);
    }
    const Real bottom = Real((low + high) / 2), aside = Real(1e-4);
    const Tensor three({3}, {bottom - aside, bottom, bottom + aside});
    const std::vector<Real> around = dented(three).values();
    say("curvature at the minimum of the dent: {:.1f}",
        (around[0] - 2 * around[1] + around[2]) / (aside * aside));
    say("the minimum of the dent is at {:+.4f}, that of the bowl at +2", bottom);
    claim("claim-lr-too-small/a",
          "the distance between the minimum of the dent and where the rate 0.001 ends",
          std::abs(ends[0] - bottom), "<=", 1e-3);
    claim("claim-lr-too-small/b",
          "the distance between the minimum of the bowl and where the rate 0.3 ends",
          std::abs(ends[3] - 2), "<=", 1e-3);
    claim("claim-lr-too-small/b", "the same for the rate 1", std::abs(ends[4] - 2),
          "<=", 1e-3);

    Figure figure("fig-dent");
    const Tensor line({320}, even_grid(320, -3.2, 5));
    figure
        .describe(
            "First panel: a wide bowl with a narrow dent in its left wall, and dots "
            "where one descent has been, for the learning rate that a slider sets. "
            "Second panel: the place against the step for five rates. The three small "
            "rates end in the dent; the two large ones leave it behind and end at the "
            "bottom of the bowl.")
        .slider("rate", rates, "learning rate", 0.1)
        .panel("the loss, and the places visited")
        .x("w")
        .y("loss")
        .xlim(-3.2, 5)
        .line(
            "", line.values(), dented(line).values(),
            {.color = figure::ink, .dash = figure::solid, .width = 1, .points = false});
    for (std::size_t i = 0; i < rates.size(); ++i)
        figure.at(rates[i]).dots(
            "", places[i], heights[i],
            {.color = figure::red, .shape = figure::Shape::circle});
    figure.always().panel("place against step").x("step").y("w").log_x();
    for (std::size_t i = 0; i < rates.size(); ++i)
        figure.line(fmt::format("rate {}", rates[i]), looks, places[i],
                    {.points = false});
    figure.save(
        "Five rates, one start above a dent. Small rates follow the wall into the "
        "dent and stay. Move the slider to 0.3, which enters the dent and is thrown "
        "out again, and to 1, which steps over it.");
    book::shows("claim-lr-too-small/d", "fig-dent");
}
//-

// With the rate 0.3 the descent of {numref}`fig-dent` does step into the dent, and cannot stay there. At the minimum of
// the dent the curvature is about 13, and $2/13 \approx 0.15$ is less than 0.3: near this minimum the descent diverges, and
// so leaves it. A large rate avoids narrow basins. [A later page](step_and_batch.cpp) asks whether a large rate also
// prefers *good* basins.
//
// ## What gradient descent needs of a loss
//
// The gradient must get smaller near the bottom, because nothing else shortens the steps, and it must not be zero
// elsewhere. Compare three losses with their minimum at zero: a smooth one; one with a kink, the absolute value; and
// stairs, such as [the error rate](surrogate.cpp). The derivative of stairs is zero, except at the edges, where it does
// not exist. `record` gives the tape this derivative:
Tensor stairs(const Tensor& w) {
    std::vector<Real> heights = w.values();
    for (Real& h : heights) h = std::floor(2 * std::abs(h)) / 2;
    const Shape shape = w.shape();  // flat off the edges
    return record("stairs", Tensor(shape, heights), {w},
                  [shape](const Tensor&) { return Grads{zeros(shape)}; });
}

// All three descents start at 2.05:
void three_losses() {
    const Tensor start({1}, {2.05});
    const Index steps = 60;
    const double rate = kinked_rate();
    const std::vector<std::pair<std::string, Loss>> losses = {
        {"smooth", [](const Tensor& w) { return 0.5 * sum(square(w)); }},
        {"kinked", [](const Tensor& w) { return sum(abs(w)); }},
        {"stairs", [](const Tensor& w) { return sum(stairs(w)); }}};
    //- the descents
    std::vector<std::vector<double>> places;
    for (const auto& [name, loss] : losses) {
        places.emplace_back();
        for (const auto& w : descend(loss, start, rate, steps).at)
            places.back().push_back(w[0]);
    }

    //-
    // On the smooth loss every step shrinks the distance by the same factor, to the last digits:
    //- what is checked and printed
    const auto& [smooth, kinked] = std::tie(places[0], places[1]);
    double off = 0, widest = 0;
    for (std::size_t i = 1; i < smooth.size(); ++i)
        off = std::max(off, std::abs(smooth[i] / smooth[i - 1] - (1 - rate)));
    claim("claim-gd-needs-differentiable/a",
          "smooth loss: the largest difference of a step's factor from 1 − η", off,
          "<=", 1e-12);

    //-
    // On the kinked loss every derivative is 1 or −1, so all steps have the same length. The weight comes near zero
    // and then alternates between two values on either side:
    //- what is checked and printed
    for (std::size_t i = kinked.size() / 2; i < kinked.size(); ++i)
        widest = std::max(widest, std::abs(kinked[i]));
    claim("claim-gd-needs-differentiable/b",
          "kinked loss: the largest distance from zero in the second half, in units "
          "of η",
          widest / rate, "<=", 1);
    say("on the kinked loss w alternates between {:+.3f} and {:+.3f}",
        kinked[steps - 1], kinked[steps]);

    //-
    // On stairs the weight stays where it started. But we *told* the tape that the derivative is zero. So we check it
    // against differences of heights, which need no tape, at a thousand random places. And from each of these places a
    // descent takes sixty steps against such differences:
    //- what is checked and printed
    Generator random(book::seed());
    const Tensor tried = random.uniform({1000}, -3, 3);
    const auto difference = [](const Tensor& w) {
        return (stairs(w + 1e-9) - stairs(w - 1e-9)) / 2e-9;
    };
    const Tensor at = clone(tried).requires_grad_();
    sum(stairs(at)).backward();
    claim("claim-gd-needs-differentiable/c",
          "stairs: the largest gap between derivative and difference",
          max(abs(at.grad() - difference(tried))).item(), "==", 0);
    Tensor walked = tried;
    for (Index step = 0; step < steps; ++step)
        walked = walked - rate * difference(walked);
    claim("claim-gd-needs-differentiable/c",
          "stairs: the largest distance of the descents by differences",
          max(abs(walked - tried)).item(), "==", 0);
    const std::vector<double> grid = even_grid(401, -2.5, 2.5),
                              step = even_grid(31, 0, 30);
    const Tensor line({401}, grid);
    Figure figure("fig-three-losses");
    figure
        .describe(
            "First panel: a parabola, an absolute value and stairs, all lowest at "
            "zero. Second panel: descents on them. The smooth one approaches zero ever "
            "more slowly; the kinked one comes straight down and then jumps back and "
            "forth across zero; the one on stairs does not move.")
        .panel("three losses")
        .line("smooth", grid, (0.5 * square(line)).values(), {.points = false})
        .line("kinked", grid, abs(line).values(), {.points = false})
        .line("stairs", grid, stairs(line).values(), {.points = false})
        .x("w")
        .y("loss")
        .panel("the descents")
        .x("step")
        .y("w");
    for (std::size_t i = 0; i < 3; ++i)
        figure.line(losses[i].first, step,
                    std::vector(places[i].begin(), places[i].begin() + 31),
                    {.points = false});
    figure.save(
        "On the smooth loss the steps shorten by themselves. On the kinked one they "
        "never do. On stairs the derivative is zero, and so is every step.");
    book::shows("claim-gd-needs-differentiable/d", "fig-three-losses");
}
//-

void page() {
    basins();
    ends();
    saddle();
    stopped_early();
    three_losses();
}

// Because the error rate has the form of stairs, classifiers are trained on a surrogate loss. Kinks, in contrast, are
// everywhere in networks and do little harm: a descent hardly ever lands exactly on one. To settle at a minimum that *is* a
// kink, the learning rate must fade, since the gradient does not. [Two pages on](optimisers.cpp) you see how.
//
// ## Summary
//
// Gradient descent ends where the gradient is zero, in a local minimum that need not be the lowest: the start and the
// learning rate decide which. A saddle point only delays a descent; a flat place stops it. Gradient descent needs a
// loss whose gradient gets smaller towards the minimum and is zero almost nowhere else.
//
// ## What is missing
//
// On these two pages a gradient cost almost nothing, because each loss was a formula of one line. A real loss is a mean
// over all the data: with sixty thousand images, one exact gradient reads all of them for a single step. [The next
// page](batches.cpp) estimates the gradient from a **mini-batch** of a few samples.
//
// ```{try}
// - Remove the ridge: `--ridge 0`. How many basins are left?
// - A finer map of the basins: `--starts 60`. How straight is the border between them?
// - Give the kinked loss a shorter step: `--rate 0.1`. How close to zero does it come, and after how many steps?
// ```
