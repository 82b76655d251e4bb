// # Gradient descent: downhill
//
// ```{rows} eq-3.1 fig-3.2 claim-gd-needs-differentiable claim-lr-too-small claim-lr-too-large claim-local-minima
// ```
//
// Every program so far had a line that began with `fit`, and after this line the loss was smaller. What happens
// there? For the [very first curve](../foundations/fit_curve.cpp) a formula gave the best weights. For a network no such
// formula exists. But at any weights you can compute which direction leads downhill, and take a small step. This is
// **gradient descent**, the method by which almost every network is trained. This page explains why it works, how large
// its **learning rate** may be, what it needs of a loss, and where it ends. Drag the slider of {numref}`fig-3.2` to see
// what the learning rate does.
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
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using data::even_grid;
using figure::Figure;
using std::numbers::pi;
//-

const book::Option<double> ridge("ridge", 2.0, "height of the ridge in the landscape",
                                 {.least = 0.0, .most = 10.0});
const book::Option<int> starts("starts", 20,
                               "number of starts along each side of the square",
                               {.quick = 6, .least = 2, .most = 100});
const book::Option<double> kinked_rate(
    "rate", 0.3, "learning rate on the smooth and the kinked loss",
    {.least = 0.001, .most = 1.9});

// ## A landscape
//
// Real losses have millions of weights. Ours has two, so that you can see it: a slightly tilted bowl with a ridge of
// height $h$ across.
//
// $$ \Loss(w) = 0.15\, w_1^2 + 0.4\, w_2^2 + 0.15\, w_1 + h\, e^{-q^2/2}, \qquad q = 1.4\, w_1 + 0.5\, w_2 . $$
//
// The function takes any number of points at once, one per row, and returns the height of each:
Tensor landscape(const Tensor& w) {  // (points, 2) to (points)
    const Tensor x = select(w, 1, 0), y = select(w, 1, 1);
    const Tensor q = 1.4 * x + 0.5 * y;
    return 0.15 * square(x) + 0.4 * square(y) + 0.15 * x +
           ridge() * exp(-0.5 * square(q));
}
//- a point and its height
using Point = std::array<double, 2>;
double height(Point p) {
    const NoGrad only_asking;
    return double(landscape(Tensor({1, 2}, {Real(p[0]), Real(p[1])})).item());
}

//-

// The {term}`gradient` $\nabla \Loss(w)$ is the list of all partial derivatives. Each says how fast the loss grows when
// one weight grows and the others stay fixed. At the origin our $q$ is zero, the ridge is level, and only the tilt
// remains: the gradient is $(0.15, 0)$. The program gets it from the *tape*, which records what `landscape` computes and
// then reads the record backwards. [A later page](chain_rule.cpp) explains how. Until then these lines are enough:
Point gradient(Point p) {
    const Tensor w = Tensor({1, 2}, {Real(p[0]), Real(p[1])}).requires_grad_();
    sum(landscape(w)).backward();
    return {double(w.grad().at({0, 0})), double(w.grad().at({0, 1}))};
}
//- the length of a gradient
double length(Point p) { return std::hypot(p[0], p[1]); }

//-

// ## Which direction is downhill
//
// Take a tiny step $v$ from $w$. The loss changes by $\nabla \Loss(w) \cdot v$, which is a product of three numbers: the
// length of the gradient, the length of the step, and the cosine of the angle between them. The cosine is largest along
// the gradient, so there the loss grows fastest, and it falls fastest in the opposite direction. At a right angle the
// loss does not change. These are the directions of the {term}`level curve`, the line of equal height on a map of
// mountains.
//
// So the gradient must be perpendicular to the level curve at every point. We check this with heights alone. On a tiny
// circle around a point, a search by bisection finds where the height is that of the centre; this is the direction of
// the level curve. We measure its angle to the gradient at a hundred random points:
//- the direction of a level curve, and a hundred angles
double level_direction(Point p) {
    const auto higher = [&](double turn) {
        const double radius = 1e-5;
        return height({p[0] + radius * std::cos(turn),
                       p[1] + radius * std::sin(turn)}) > height(p);
    };
    double low = 0, high = pi;  // opposite places: one is higher, the other lower
    const bool before = higher(low);
    for (int halving = 0; halving < 40; ++halving) {
        const double half = (low + high) / 2;
        (higher(half) == before ? low : high) = half;
    }
    return low;
}

void right_angles() {
    Generator random(book::seed());
    double least = 180, most = 0;
    for (int i = 0; i < 100; ++i) {
        const Point p{6 * random.next_uniform() - 3, 6 * random.next_uniform() - 3},
            g = gradient(p);
        const double turn = level_direction(p);
        const double cosine =
            (std::cos(turn) * g[0] + std::sin(turn) * g[1]) / length(g);
        const double degrees = std::acos(cosine) * 180 / pi;
        least = std::min(least, degrees), most = std::max(most, degrees);
    }
    claim("fig-3.2/a", "the smallest of a hundred angles, in degrees", least,
          ">=", 89.9);
    claim("fig-3.2/a", "the largest of a hundred angles, in degrees", most, "<=", 90.1);
}

//-

// ## The step
//
// Gradient descent repeats one move: from where you are, step against the gradient. {cite:t}`cauchy1847` proposed
// it for computing the orbits of planets. The update of {term}`gradient descent` is one line:
//
// ```{equation} eq-3.1
// :function: recto::optim::Sgd
// :test: Sgd: steps on a quadratic follow the closed form
// w_{n+1} = w_n - \eta \, \nabla \Loss(w_n)
// ```
//
// The number $\eta$ is the {term}`learning rate`, the length of a step per unit of gradient. An example with one weight:
// the loss $\frac12 w^2$ has the gradient $w$. From $w = 1$ and with $\eta = 0.1$, the first step leads to
// $1 - 0.1 \cdot 1 = 0.9$, the second to $0.9 - 0.1 \cdot 0.9 = 0.81$. The step gets shorter with the gradient.
//
// The class {cpp:class}`~recto::optim::Sgd` takes this step, and {cpp:func}`~recto::optim::fit` repeats it. We record
// every place of a descent and the loss there:
//- what is recorded
using Loss = std::function<Tensor(const Tensor&)>;

struct Walk {
    std::vector<std::vector<Real>> at;  // before the first step, and after each
    std::vector<double> loss;           // at the same places, but for the last
};
//-
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

// For one kind of loss the whole descent is known in advance: a quadratic bowl around $w^\ast$ with a symmetric
// matrix $H$, $\Loss(w) = \frac12 (w - w^\ast)^\top H (w - w^\ast)$. Its gradient is $H (w - w^\ast)$, so each step
// multiplies the offset from the bottom by the same matrix:
//
// $$ w_n - w^\ast = (I - \eta H)^n \, (w_0 - w^\ast) . $$
//
// With one weight and $H = 1$ this is the example above: the offset after $n$ steps is $0.9^n$.
//
// ## How large a learning rate is safe
//
// A gradient is exact only where it was computed. Farther away the slope changes, and a step that is too long ends
// higher than it began. Let $L$ be the largest upward curvature of the loss, at any point and in any direction: the
// rate at which a slope can increase per unit of length. Then a step of gradient descent ends at least this low:
//
// $$ \Loss(w_{n+1}) \le \Loss(w_n) - \eta \Big(1 - \frac{\eta L}{2}\Big) \|\nabla \Loss(w_n)\|^2 . $$
//
// The bracket is positive if $\eta < 2 / L$. Below this rate *every* step goes down, from any start, until the gradient
// is zero. For our landscape $L$ can be computed. The bowl has the same curvature everywhere. The ridge curves upwards
// most at its two feet, where $q^2 = 3$, and only in the direction across. So $L$ is the larger eigenvalue of a
// $2 \times 2$ matrix. At its crest the ridge curves more strongly, but downwards, and downward curvature only makes a
// step end lower.
double lipschitz() {
    const double foot = ridge() * 2 * std::exp(-1.5);
    const double xx = 0.3 + foot * 1.4 * 1.4, xy = foot * 1.4 * 0.5,
                 yy = 0.8 + foot * 0.5 * 0.5;
    return (xx + yy + std::hypot(xx - yy, 2 * xy)) / 2;
}

// We check this with four hundred descents from a grid of starts. At four rates, the largest almost $2/L$, we compare the
// height before and after every step:
//- four hundred descents at four rates
// They run at once and do not affect each other: the loss is the sum of their heights, one term for each start.
Tensor grid_of_starts() {
    const auto side = even_grid(starts(), -2.85, 2.85);
    std::vector<Real> places;
    for (const double y : side)
        for (const double x : side) places.push_back(x), places.push_back(y);
    return Tensor({starts() * starts(), 2}, places);
}
void every_step_down() {
    Index steps_seen = 0, rises = 0;
    for (const double share : {0.1, 0.5, 0.9, 0.999}) {
        const Tensor w = grid_of_starts().requires_grad_();
        optim::Sgd descent({{"w", w}}, {.lr = share * 2 / lipschitz()});
        for (int step = 0; step < 60; ++step) {
            const std::vector<Real> before = landscape(w.detach()).values();
            optim::train_step(descent, [&] { return sum(landscape(w)); });
            const std::vector<Real> after = landscape(w.detach()).values(),
                                    slopes = w.grad().values();
            for (std::size_t i = 0; i < after.size(); ++i) {
                if (std::hypot(slopes[2 * i], slopes[2 * i + 1]) < 1e-5)
                    continue;  // near the bottom rounding errors decide
                ++steps_seen, rises += after[i] >= before[i];
            }
        }
    }
    say("2 / L = {:.3f}; {} steps were checked", 2 / lipschitz(), steps_seen);
    claim("fig-3.2/b", "steps below the rate 2/L after which the loss was not lower",
          rises, "==", 0);
}

//-

// {numref}`fig-3.2` shows the landscape from above. Its level curves are drawn by always going at a right angle to the
// gradient. On the right you see forty steps of one descent, at the learning rate that the slider sets.
//- the map, its level curves and arrows
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
struct Strokes {  // lines with gaps between them
    std::vector<double> x, y;
    void to(Point p) { x.push_back(p[0]), y.push_back(p[1]); }
};
Point beside(Point p, Point v, double along, double across_it = 0) {
    return {p[0] + along * v[0] - across_it * v[1],
            p[1] + along * v[1] + across_it * v[0]};
}
void add_arrow(Strokes& arrows, Point from) {  // downhill, longer where it is steep
    const Point g = gradient(from);
    const Point v = beside({0, 0}, g, -0.28 / std::sqrt(length(g)));
    for (const Point& p : {from,
                           beside(from, v, 1),
                           beside(from, v, 0.7, 0.2),
                           beside(from, v, 1),
                           beside(from, v, 0.7, -0.2),
                           {NAN, NAN}})
        arrows.to(p);
}
// Each step uses the gradient half a step ahead, to follow the bend (the midpoint method).
void add_level_curve(Strokes& curves, Strokes& arrows, Point start, double step) {
    Point p = start;
    for (int i = 0; i < 700 && std::max(std::abs(p[0]), std::abs(p[1])) < 3; ++i) {
        curves.to(p);
        if (i % 30 == 6) add_arrow(arrows, p);
        const Point g = gradient(p), ahead = beside(p, g, 0, step / 2 / length(g)),
                    bend = gradient(ahead);
        p = beside(p, bend, 0, step / length(bend));
        if (i > 9 && length(beside(p, start, -1)) < std::abs(step)) break;  // all round
    }
    curves.to({NAN, NAN});
}

//-
//- how the figure is drawn
void landscape_figure() {
    Strokes curves, arrows;
    // Rings around both minima, and some curves that leave the square:
    for (const double out : {0.35, 0.75, 1.2}) {
        add_level_curve(curves, arrows, {-1.68 - out, -0.16}, 0.025);
        add_level_curve(curves, arrows, {1.45 + out, 0.26}, 0.025);
    }
    for (const Point& p :
         {Point{0, 0.9}, Point{-0.4, 2.2}, Point{0.8, -1.8}, Point{0.8, -2.5}})
        for (const double step : {0.025, -0.025})
            add_level_curve(curves, arrows, p, step);
    const std::vector<double> rates = {0.02, 0.1, 0.3, 0.6, 0.85, 1.0, 1.2, 1.4};
    const std::vector<Real> map = map_of_heights();
    const figure::Style thin{
        .color = figure::grey, .dash = figure::solid, .width = 0.8, .points = false},
        arrow{.color = figure::blue,
              .dash = figure::solid,
              .width = 1.5,
              .points = false},
        path{.color = figure::red, .dash = figure::solid, .points = true};
    Figure figure("fig-3.2");
    figure
        .describe(
            "Two maps of a landscape with a minimum at the left, another at the "
            "right, and a ridge between them. On the left map level curves, with "
            "arrows that leave them at a right angle and point to the minima. On the "
            "right map the path of one descent, for the learning rate that a slider "
            "sets: short steps that stop half-way, a smooth path to the bottom, a "
            "zigzag, or leaps without end.")
        .height(285)
        .slider("rate", rates, "learning rate", 0.1)
        .panel("level curves, and the way down");
    figure.field(-3, 3, -3, 3, across, map).line("", curves.x, curves.y, thin);
    figure.line("", arrows.x, arrows.y, arrow).xlim(-3, 3).ylim(-3, 3);
    figure.panel("forty steps")
        .field(-3, 3, -3, 3, across, map)
        .line("", curves.x, curves.y, thin)
        .xlim(-3, 3)
        .ylim(-3, 3);

    const Loss loss = [](const Tensor& w) { return sum(landscape(w)); };
    for (const double rate : rates) {
        Strokes steps;
        for (const auto& w : descend(loss, Tensor({1, 2}, {-0.4, 2.6}), rate, 40).at)
            steps.to({w[0], w[1]});
        figure.at(rate).line("", steps.x, steps.y, path);
    }
    figure.save(
        "Left: arrows against the gradient, each at a right angle to its level "
        "curve. Right: forty steps from one start. Move the slider: the steps are "
        "too short, good, zigzagging, and wild. After Figure 3.2 of "
        "{cite:t}`fleuret2023`.");
    book::shows("fig-3.2/c", "fig-3.2");
}

//-

// With a rate of 0.02 the descent is still under way after forty steps. With 0.3 it is at the bottom after about twenty,
// and with 0.85, just below $2/L = 0.853$, after five. Beyond $2/L$ nothing is guaranteed, but the descent need not fail
// at once: $L$ is the curvature at the worst place, and this valley is wider. With 1.0 the path zigzags across the valley
// and still arrives; with 1.2 it jumps from side to side without end.
//
// ## Too large: divergence
//
// In one dimension you can see exactly what happens beyond the border. The bowl $\frac12 c\, w^2$ has the curvature $c$
// and the gradient $c\, w$, so a step turns $w$ into $(1 - \eta c)\, w$. Everything depends on one number: gradient descent
// converges if $|1 - \eta c| < 1$ and diverges if $|1 - \eta c| > 1$, and the border is at $\eta = 2/c$. In more
// dimensions each eigenvalue of the matrix $H$ is such a curvature with its own factor, and the largest decides.
// We try the rate $1.5/c$, and twice that rate:
void too_far() {
    const double c = 4;
    const Loss bowl = [&](const Tensor& w) { return sum(0.5 * c * square(w)); };
    const Tensor start({1}, {1});
    const double once = descend(bowl, start, 1.5 / c, 1).at[1][0],
                 twice = descend(bowl, start, 3 / c, 1).at[1][0];
    ask("Gradient descent on this bowl starts at a distance of 1 from the bottom. "
        "With a rate of 1.5/c, one step lands on the other side, half as far away. "
        "You double the rate. Where does the step end?",
        {{"At the bottom.", twice == 0,
          "That would be the rate 1/c. Above it every step overshoots, and a longer "
          "step overshoots more."},
         {"On the other side, at the same distance: 1.", twice == -1,
          "The offset is multiplied by 1 − ηc, which would have to be −1. This "
          "happens at 2/c."},
         {"On the other side, twice as far away as it began.",
          once == -0.5 && twice == -2,
          "1 − 3 is −2. The slope there is twice as large, and so is the next step."}});

    // Now a thousand steps at three rates: just below the border, on it, and just above.
    //- three rates, and how the figure is drawn
    const int steps = 1000;
    const std::vector<double> shares = {1.99, 2, 2.01};
    std::vector<Walk> walks;
    for (const double share : shares)
        walks.push_back(descend(bowl, start, share / c, steps));
    const auto grown = [](const Walk& w) { return w.loss.back() / w.loss.front(); };
    claim("claim-lr-too-large/a",
          "rate 1.99/c: the loss after 1000 steps, as a share of the first",
          grown(walks[0]), "<", 1e-6);
    bool cycle = true;
    for (std::size_t i = 0; i + 2 < walks[1].at.size(); ++i)
        cycle = cycle && walks[1].at[i + 2] == walks[1].at[i] &&
                walks[1].at[i + 1][0] == -walks[1].at[i][0];
    claim_true("claim-lr-too-large/b",
               "rate 2/c: the weight alternates between two values, bit for bit",
               cycle);
    claim("claim-lr-too-large/c",
          "rate 2.01/c: the loss after 1000 steps, as a share of the first",
          grown(walks[2]), ">", 1e6);
    Figure figure("fig-too-far");
    figure
        .describe(
            "The loss against the step on a logarithmic axis, for three rates: one "
            "line falls, one is level, one rises, all straight.")
        .x("step")
        .y("loss")
        .log_y();
    for (std::size_t i = 0; i < shares.size(); ++i)
        figure.line(fmt::format("{}/c", shares[i]), even_grid(steps, 0, steps - 1),
                    walks[i].loss, {.points = false});
    figure.save(
        "One bowl and three rates half a percent apart: one converges, one "
        "oscillates, one diverges.");
    book::shows("claim-lr-too-large/d", "fig-too-far");
}

//-

// Every line in {numref}`fig-too-far` is straight, because each step multiplies the loss by the same factor. In practice
// $c$ is unknown. If the loss grows from the first steps on, the learning rate is above $2/c$: lower it.
//
// ## Too small: slow, and caught by dips
//
// A tiny rate is always safe, but it has two costs. The first is time. Each step multiplies the distance to the
// bottom by $1 - \eta c$, which for small rates means: half the rate, twice the steps. On the bowl with $c = 1$ we count
// the steps until a thousandth of the distance is left:
void price_of_small() {
    const Loss bowl = [](const Tensor& w) { return sum(0.5 * square(w)); };
    std::vector<double> products;
    for (const double rate : {0.001, 0.003, 0.01, 0.03, 0.1}) {
        const Walk walk = descend(bowl, Tensor({1}, {1}), rate, Index(8 / rate));
        const auto there = std::ranges::find_if(
            walk.at, [](const auto& w) { return std::abs(w[0]) < 1e-3; });
        const Index steps = there - walk.at.begin();
        //- what is checked and printed
        say("rate {:<6} {:>5} steps to a thousandth of the initial distance", rate,
            steps);
        products.push_back(double(steps) * rate);
    }
    claim_in("claim-lr-too-small/c",
             "steps times rate, the largest product as a multiple of the smallest",
             std::ranges::max(products) / std::ranges::min(products), 1, 1.1);
}

//-

// The second cost: short steps are caught by every small dip. We put a dent into the wall of a bowl, a narrow and shallow
// basin with a wide and deep one behind it.
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
    claim("claim-lr-too-small/a",
          "where the rate 0.001 ends: in the dent, left of -0.5", ends[0], "<", -0.5);
    claim("claim-lr-too-small/b",
          "where the rate 1 ends: in the deep basin, right of -0.5", ends[4], ">",
          -0.5);

    Figure figure("fig-dent");
    const Tensor line({320}, even_grid(320, -3.2, 5));
    figure
        .describe(
            "Left: a wide bowl with a narrow dent in its left wall, and dots where "
            "one descent has been, for the learning rate that a slider sets. Right: "
            "the place against the step for five rates. The three small rates end in "
            "the dent; the two large ones leave it behind and end at the bottom of "
            "the bowl.")
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
// so leaves it. A large rate avoids narrow basins. [A later page](step_and_batch.cpp) asks whether it also prefers *good* ones.
//
// ## What gradient descent needs of a loss
//
// Gradient descent needs a gradient that gets smaller near the bottom, because nothing else shortens the steps. Compare
// three losses with their minimum at zero: a smooth one; one with a kink, the absolute value; and stairs. The error
// rate, the share of wrong answers, is a loss like stairs, because a small change of the weights changes no answer at
// all. The derivative of stairs is zero, except at the edges; `record` tells the tape so:
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
    const auto& [smooth, kinked, still] = std::tie(places[0], places[1], places[2]);
    double off = 0, widest = 0, moved = 0;
    for (std::size_t i = 1; i < smooth.size(); ++i)
        off = std::max(off, std::abs(smooth[i] / smooth[i - 1] - (1 - rate)));
    claim("claim-gd-needs-differentiable/a",
          "smooth loss: the largest difference of a step's factor from 1 − η", off,
          "<=", 1e-12);

    //-
    // On the kinked loss every derivative is 1 or −1, so all steps have the same length. The weight comes near zero
    // and then alternates around it:
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
    // On stairs it stays where it started. Differences of heights confirm, without a tape, that the derivative is zero at
    // a thousand random places:
    //- what is checked and printed
    for (const double place : still)
        moved = std::max(moved, std::abs(place - still[0]));
    Generator random(book::seed());
    const Tensor places_tried = random.uniform({1000}, -3, 3);
    const double rise = double(
        sum(abs(stairs(places_tried + 1e-9) - stairs(places_tried - 1e-9))).item());
    claim("claim-gd-needs-differentiable/c",
          "stairs: the distance moved in sixty steps", moved, "==", 0);
    claim("claim-gd-needs-differentiable/c",
          "stairs: the sum of all rises over 2e-9 at a thousand random places", rise,
          "==", 0);
    const std::vector<double> grid = even_grid(401, -2.5, 2.5),
                              step = even_grid(31, 0, 30);
    const Tensor line({401}, grid);
    Figure figure("fig-three-losses");
    figure
        .describe(
            "Left: a parabola, an absolute value and stairs, all lowest at zero. "
            "Right: descents on them. The smooth one approaches zero ever more "
            "slowly; the kinked one comes straight down and then jumps back and "
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

// This is why classifiers are not trained on their error rate, but on a [surrogate loss](surrogate.cpp), the
// cross-entropy. Kinks, in contrast, are everywhere in networks and do little harm: a descent hardly ever lands exactly on
// one. To settle at a minimum that *is* a kink, the learning rate must fade, since the gradient does not. [Two pages
// on](optimisers.cpp) you see how.
//
// ## Where it ends: local minima
//
// A descent ends where the gradient is zero. This can be a **saddle point**: the gradient is zero, but in some direction
// the ground falls away to both sides. Hardly any descent hits a saddle point exactly, so the end is nearly always a
// {term}`local minimum`, lower than its surroundings. Nothing says that it is the lowest of all. On the landscape with its
// ridge we run all four hundred descents once more, and colour each start by its end.
void basins() {
    //- how the figure is drawn
    const std::vector<double> rates = {0.1, 0.5, 0.8, 1.0, 1.15};
    Figure figure("fig-basins");
    figure
        .describe(
            "A square of dots, one for each start, over the landscape. For a small "
            "rate the dots left of the ridge have one colour, and those to the right "
            "another, with one clean border. For large rates the border frays, and "
            "dots of either colour are mixed.")
        .height(400)
        .slider("rate", rates, "learning rate", 0.1)
        .field(-3, 3, -3, 3, across, map_of_heights())
        .x("first weight")
        .y("second weight")
        .xlim(-3, 3)
        .ylim(-3, 3);
    //-
    for (const double rate : rates) {
        const Tensor from = grid_of_starts(), w = clone(from).requires_grad_();
        optim::Sgd descent({{"w", w}}, {.lr = rate});
        optim::fit(descent, [&] { return sum(landscape(w)); }, {.steps = 400});
        //- where they ended, and how the figure is drawn
        std::vector<double> x[2], y[2];
        for (Index i = 0; i < from.size(0); ++i) {
            const int side = w.at({i, 0}) > 0;
            x[side].push_back(from.at({i, 0})), y[side].push_back(from.at({i, 1}));
        }
        figure.at(rate);
        for (const int side : {0, 1})  // without a ridge only one side is reached
            if (!x[side].empty())
                figure.dots(side ? "ends right" : "ends left", x[side], y[side]);
        if (rate != rates[0]) continue;

        // At the smallest rate we check the ends: are both basins reached, and is the gradient zero there?
        const double right = double(x[1].size()) / double(from.size(0));
        const std::vector<Real> slopes = w.grad().values();
        double steepest = 0;
        for (std::size_t i = 0; i < slopes.size(); i += 2)
            steepest = std::max(steepest, std::hypot(slopes[i], slopes[i + 1]));
        claim("claim-local-minima/a", "the share of starts that end left", 1 - right,
              ">", 0.1);
        claim("claim-local-minima/a", "the share of starts that end right", right, ">",
              0.1);
        claim("claim-local-minima/b", "the longest gradient at any end", steepest, "<",
              1e-4);
        const std::vector<Real> heights = landscape(w.detach()).values();
        const auto [lowest, highest] = std::ranges::minmax(heights);
        say("loss at the ends: {:.4f} in the better basin, {:.4f} in the worse", lowest,
            highest);
    }
    figure.save(
        "Every dot is a start; its colour and shape show the end. At a small rate "
        "each basin collects its own side of the ridge, and one basin is worse. With "
        "a larger rate the first steps cross the ridge, and neighbouring starts end "
        "in different basins.");
    book::shows("claim-local-minima/c", "fig-basins");
}
//-

void page() {
    right_angles();
    every_step_down();
    landscape_figure();
    too_far();
    price_of_small();
    stopped_early();
    three_losses();
    basins();
}

// So gradient descent finds a local minimum, and the start decides which. At the smallest rate, 49 % of our starts end in
// the worse basin, with a loss of 0.754 instead of 0.286. A network has no map to look at. You start at
// random, and trust that most reachable minima are good enough. That training works so often was the first surprise on
// [the page about NP-hard training](../foundations/hard_and_rich.cpp).
//
// ## Summary
//
// Gradient descent steps against the gradient, the direction in which the loss falls fastest. Below a learning rate of
// $2/L$, with the largest upward curvature $L$, every step goes down; far below it the descent is slow, and beyond it the
// descent can diverge. It needs a loss whose gradient is not zero almost everywhere, and it ends in a local minimum that
// the start decides.
//
// ## What is missing
//
// On this page a gradient cost almost nothing, because each loss was a formula of one line. A real loss is a mean over all
// the data: with sixty thousand images, one exact gradient reads all of them for a single step. [The next
// page](batches.cpp) estimates the gradient from a **mini-batch** of a few samples. Also, one rate had to serve all
// directions, steep and flat; [the page after it](optimisers.cpp) changes that.
//
// ```{try}
// - Remove the ridge: `--ridge 0`. What is $2/L$ now, and how many basins are left?
// - Make the ridge high: `--ridge 8`. At which rates of {numref}`fig-3.2` does every step still go down?
// - A finer map of the basins: `--starts 60`. Look at the border for a rate of 1.15.
// - Give the kinked loss a shorter step: `--rate 0.05`. How close to zero does it come, and after how many steps?
// ```
