// # Gradient descent: downhill
//
// ```{rows} eq-3.1 fig-3.2 claim-lr-too-small claim-lr-too-large
// ```
//
// Many programs so far called `fit`, and afterwards the loss was smaller. What happens in this call? For the
// [very first curve](../foundations/fit_curve.cpp) a formula gave the best weights. For a network no such formula
// exists. But at any weights you can compute which direction leads downhill, and take a small step. This is **gradient
// descent**, and almost every network is trained by a variant of it. This page explains why it works, and how large its
// **learning rate** may be. {numref}`fig-3.2` shows a loss with two weights as a map. Move the slider: it sets the
// learning rate of a descent of forty steps.
//
// ```{opening} fig-3.2
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

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using data::even_grid;
using figure::Figure;
using std::numbers::pi;

const book::Option<double> ridge("ridge", 2.0, "height of the ridge in the landscape",
                                 {.least = 0.0, .most = 10.0});
const book::Option<double> start_x("start-x", -0.4,
                                   "first weight where the figure starts",
                                   {.least = -3.0, .most = 3.0});
const book::Option<double> start_y("start-y", 2.6, "second weight there",
                                   {.least = -3.0, .most = 3.0});
const book::Option<int> starts("starts", 20,
                               "number of starts along each side of the square",
                               {.quick = 6, .least = 2, .most = 100});

// Defined further down:
using Point = std::array<double, 2>;
using Loss = std::function<Tensor(const Tensor&)>;
struct Walk {
    std::vector<std::vector<Real>> at;  // before the first step, and after each
    std::vector<double> loss;           // at the same places, but for the last
};
Tensor landscape(const Tensor& w);  // (points, 2) to (points)
Point gradient(Point p);
Walk descend(const Loss& loss, const Tensor& start, double rate, Index steps);
double length(Point p) { return std::hypot(p[0], p[1]); }
//-

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
            "Two maps of a landscape with a minimum at the left, another at the right, "
            "and a ridge between them. On the first map level curves, with arrows that "
            "leave them at a right angle and point to the minima. On the second map "
            "the path of one descent, for the learning rate that a slider sets: short "
            "steps that stop half-way, a smooth path to the bottom, a zigzag, or leaps "
            "without end.")
        .height(285)
        .slider("rate", rates, "learning rate", 0.1)
        .panel("level curves, and the way down");
    figure.field(-3, 3, -3, 3, across, map).line("", curves.x, curves.y, thin);
    figure.line("", arrows.x, arrows.y, arrow).xlim(-3, 3).ylim(-3, 3);
    figure.panel("forty steps")
        .field(-3, 3, -3, 3, across, map, "loss")
        .line("", curves.x, curves.y, thin)
        .xlim(-3, 3)
        .ylim(-3, 3)
        .dragged(start_x(), start_y(), start_x, start_y);

    const Loss loss = [](const Tensor& w) { return sum(landscape(w)); };
    const Tensor start({1, 2}, {Real(start_x()), Real(start_y())});
    for (const double rate : rates) {
        Strokes steps;
        for (const auto& w : descend(loss, start, rate, 40).at) steps.to({w[0], w[1]});
        figure.at(rate).line("", steps.x, steps.y, path);
    }
    figure.save(
        "First panel: arrows against the gradient, each at a right angle to its level "
        "curve. Second panel: forty steps from one start (red dot). Move the slider: "
        "the steps are too short, good, zigzagging, and wild. Drag the start to the "
        "other side of the ridge. After Figure 3.2 of {cite:t}`fleuret2023`.");
    book::shows("fig-3.2/c", "fig-3.2");
}

//-

// ## A landscape
//
// Real losses have millions of weights. Ours has two, so that you can see it: a slightly tilted bowl with a ridge of
// height $h$ across.
//
// $$ \Loss(w) = 0.15\, w_1^2 + 0.4\, w_2^2 + 0.15\, w_1 + h\, e^{-q^2/2}, \qquad q = 1.4\, w_1 + 0.5\, w_2 . $$
//
// The function takes any number of points, one per row, and returns the height of each:
Tensor landscape(const Tensor& w) {  // (points, 2) to (points)
    const Tensor x = select(w, 1, 0), y = select(w, 1, 1);
    const Tensor q = 1.4 * x + 0.5 * y;
    return 0.15 * square(x) + 0.4 * square(y) + 0.15 * x +
           ridge() * exp(-0.5 * square(q));
}
//- the height of one point
double height(Point p) {
    const NoGrad only_asking;
    return double(landscape(Tensor({1, 2}, {Real(p[0]), Real(p[1])})).item());
}

//-

// The {term}`gradient` $\nabla \Loss(w)$ is the list of all partial derivatives. Each says how fast the loss grows when
// one weight grows and the others stay fixed. At the origin $q = 0$, where the crest of the ridge is level, and only the
// tilt remains: the gradient is $(0.15, 0)$. The program gets it from the *tape*, which records what `landscape` computes
// and reads the record backwards. [A later page](chain_rule.cpp) explains how. Until then these lines are enough:
Point gradient(Point p) {
    const Tensor w = Tensor({1, 2}, {Real(p[0]), Real(p[1])}).requires_grad_();
    sum(landscape(w)).backward();
    return {double(w.grad().at({0, 0})), double(w.grad().at({0, 1}))};
}

// ## Which direction is downhill
//
// At the origin, a step of 0.001 along the first weight raises the loss by about $0.15 \cdot 0.001$; along the second it
// hardly changes the loss. In general a tiny step $v$ changes the loss by $\nabla \Loss(w) \cdot v$, the product of
// three numbers: the length of the gradient, the length of the step, and the cosine of the angle between them. So the loss
// grows fastest along the gradient and falls fastest against it. At a right angle it does not change: this is the
// direction of the {term}`level curve`, the line of equal height on a map of mountains.
//
// So the gradient must be perpendicular to the level curve everywhere. We find the direction of the level curve without a
// gradient: on a tiny circle around a point we halve an arc again and again, until it has shrunk to a place as high as the
// centre. The angle between this direction and the gradient, at a hundred random points:
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
// Gradient descent repeats one move: step against the gradient. {cite:t}`cauchy1847` proposed it for computing the
// orbits of heavenly bodies. Take a loss with one weight, $\frac12 w^2$, whose gradient is $w$, and let each step be a
// tenth of the gradient. From $w = 1$ the first step leads to $1 - 0.1 \cdot 1 = 0.9$, the second to
// $0.9 - 0.1 \cdot 0.9 = 0.81$: the steps get shorter with the gradient. In general, the update of
// {term}`gradient descent` is
//
// ```{equation} eq-3.1
// :function: recto::optim::Sgd
// :test: Sgd: steps on a quadratic follow the closed form
// w_{n+1} = w_n - \eta \, \nabla \Loss(w_n)
// ```
//
// The number $\eta$ is the {term}`learning rate`, the length of a step per unit of gradient. The class
// {cpp:class}`~recto::optim::Sgd` takes the step, and {cpp:func}`~recto::optim::fit` repeats it. We record each place and
// its loss:
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

// In the example the offset after $n$ steps is $0.9^n$. Any quadratic bowl around $w^\ast$ behaves so:
// $\Loss(w) = \frac12 (w - w^\ast)^\top H (w - w^\ast)$ with a symmetric matrix $H$ has the gradient $H (w - w^\ast)$, so
// each step multiplies the offset by the same matrix, in which $I$ is the identity:
//
// $$ w_n - w^\ast = (I - \eta H)^n \, (w_0 - w^\ast) . $$
//
// ## How large a learning rate is safe
//
// A gradient is exact only where it was computed. Farther away the slope changes, and a step that is too long ends
// higher than it began. Let $L$ be the largest upward curvature of the loss, at any point and in any direction: how much
// a slope can increase per unit of length. Then a step ends at least this low:
//
// $$ \Loss(w_{n+1}) \le \Loss(w_n) - \eta \Big(1 - \frac{\eta L}{2}\Big) \|\nabla \Loss(w_n)\|^2 . $$
//
// In the example $L = 1$, and the first step lowers the loss from 0.5 to $\frac12 \cdot 0.9^2 = 0.405$: by 0.095,
// exactly the $0.1 \cdot (1 - 0.05) \cdot 1^2$ of the formula. The bracket is positive if $\eta < 2 / L$. Below this
// rate *every* step goes down, from any start, until the gradient is zero.
//
// For our landscape $L$ can be computed. The bowl has the same curvature everywhere, and the ridge curves upwards most at
// its two feet, where $q^2 = 3$, in the direction across. So $L$ is the larger eigenvalue of a $2 \times 2$ matrix. The
// crest curves more strongly, but downwards, and downward curvature only makes a step end lower. (Many texts take the
// {term}`Lipschitz constant` of the gradient for $L$. It counts downward curvature as well, so here it is larger, and $2/L$
// smaller than it need be.)
double upward_curvature() {
    const double foot = ridge() * 2 * std::exp(-1.5);
    const double xx = 0.3 + foot * 1.4 * 1.4, xy = foot * 1.4 * 0.5,
                 yy = 0.8 + foot * 0.5 * 0.5;
    return (xx + yy + std::hypot(xx - yy, 2 * xy)) / 2;
}

// We check sixty steps of four hundred descents from a grid of starts, at four rates, the largest almost $2/L$: does every
// step end lower than it began? About two in five of the 96,000 steps are so near a minimum that the fall in the formula is
// below $10^{-14}$, and rounding errors decide. After these steps the loss may not be higher by more than $10^{-14}$.
//- four hundred descents at four rates
// All descents run at once and do not affect each other: the loss is the sum of their heights, one term for each start.
Tensor grid_of_starts() {
    const auto side = even_grid(starts(), -2.85, 2.85);
    std::vector<Real> places;
    for (const double y : side)
        for (const double x : side) places.push_back(x), places.push_back(y);
    return Tensor({starts() * starts(), 2}, places);
}
void every_step_down() {
    const double rounding = 1e-14;
    Index steps_seen = 0, rises = 0, tiny_steps = 0, tiny_rises = 0;
    for (const double share : {0.1, 0.5, 0.9, 0.999}) {
        const double rate = share * 2 / upward_curvature();
        const Tensor w = grid_of_starts().requires_grad_();
        optim::Sgd descent({{"w", w}}, {.lr = rate});
        for (int step = 0; step < 60; ++step) {
            const std::vector<Real> before = landscape(w.detach()).values();
            optim::train_step(descent, [&] { return sum(landscape(w)); });
            const std::vector<Real> after = landscape(w.detach()).values(),
                                    slopes = w.grad().values();
            for (std::size_t i = 0; i < after.size(); ++i) {
                const double slope = length({slopes[2 * i], slopes[2 * i + 1]}),
                             fall = rate * (1 - share) * slope * slope;
                if (fall > rounding)
                    ++steps_seen, rises += !(after[i] < before[i]);
                else
                    ++tiny_steps, tiny_rises += !(after[i] <= before[i] + rounding);
            }
        }
    }
    say("2 / L = {:.3f}", 2 / upward_curvature());
    claim("fig-3.2/b",
          fmt::format("of {} steps below the rate 2/L with a fall above 1e-14 in the "
                      "formula, those after which the loss was not lower",
                      steps_seen),
          rises, "==", 0);
    claim("fig-3.2/b",
          fmt::format("of the other {} steps, those after which the loss was higher by "
                      "more than 1e-14",
                      tiny_steps),
          tiny_rises, "==", 0);
}

//-

// Look at {numref}`fig-3.2` again. With a rate of 0.02 the descent is still under way after forty steps. With 0.3 it is at
// the bottom after about twenty, and with 0.85, just below $2/L = 0.853$, after five. Beyond $2/L$ nothing is guaranteed,
// but the descent need not fail at once: $L$ is the curvature at the worst place, and the bottom of this valley curves
// less. With 1.0 the path zigzags across the valley and still arrives; with 1.2 it jumps from side to side without end.
//
// ## Too large: divergence
//
// In one dimension you see exactly what happens beyond $2/L$. The bowl $\frac12 c\, w^2$ has the curvature $c$
// and the gradient $c\, w$, so a step turns $w$ into $(1 - \eta c)\, w$. Gradient descent converges if $|1 - \eta c| < 1$
// and diverges if $|1 - \eta c| > 1$; the border is at $\eta = 2/c$. In a bowl of more dimensions each eigenvalue of $H$ is
// such a curvature with its own factor, and the largest eigenvalue decides. We try the rate $1.5/c$, and twice that rate:
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

// Every line in {numref}`fig-too-far` is straight on its logarithmic axis, because each step multiplies the loss by the
// same factor. For a network $c$ is unknown. If the loss grows from the first steps on, the learning rate is too large:
// lower it.
//
// ## Too small: slow
//
// A tiny rate always goes down, but it costs time: for small rates, half the rate means twice the steps. On the bowl with
// $c = 1$ we count the steps until less than a thousandth of the distance is left:
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

// Steps times rate approaches 6.9, the logarithm of 1,000, because $(1 - \eta)^n$ is close to $e^{-\eta n}$ for small
// rates.

void page() {
    landscape_figure();
    right_angles();
    every_step_down();
    too_far();
    price_of_small();
}

// ## Summary
//
// Gradient descent steps against the gradient, the direction in which the loss falls fastest. Below a learning rate of
// $2/L$, with the largest upward curvature $L$, every step goes down; beyond it the descent can diverge. A rate far below
// $2/L$ is slow: half the rate takes twice the steps.
//
// ## What is missing
//
// Below $2/L$ every step goes down. Where does the descent end? Our landscape has two valleys, and the descent of
// {numref}`fig-3.2` found only one. [The next page](minima.cpp) looks at the ends. Also, one rate had to serve all
// directions, steep and flat; [the page on optimisers](optimisers.cpp) changes that.
//
// ```{try}
// - Remove the ridge: `--ridge 0`. What is $2/L$ now?
// - Make the ridge high: `--ridge 8`. At which rates of {numref}`fig-3.2` is every step sure to go down?
// - Look for a rising step from more starts: `--starts 60`.
// ```
