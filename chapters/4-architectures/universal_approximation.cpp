// # Universal approximation: wide enough for any function
//
// ```{rows} claim-universal-approximation claim-uat-width-unbounded
// ```
//
// A single dense layer computes straight lines and planes. [An MLP](mlp.cpp) puts an activation function between two of
// them. How much does this add? By the **universal approximation theorem** one hidden layer is enough for every
// continuous function, to any accuracy, if you may make the layer wide. In {numref}`fig-uat-fit` a curve with a corner
// is the target. Choose the number of hidden units and their activation function. Does the error always fall? And how
// wide is wide enough?
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using data::even_grid;
using figure::Figure;
using linalg::Matrix, linalg::Vector;

const book::Option<Index> the_width("width", 8, "hidden units of the first figure",
                                    {.least = 1, .most = 64});
const book::Option<Index> the_activation("activation", 1,
                                         "their activation: 1 tanh, 2 ReLU, 3 square",
                                         {.least = 1, .most = 3});
const book::Option<Index> the_draw("draw", 1, "which random units they are",
                                   {.least = 1, .most = 20});
const book::Option<int> seeds("seeds", 15, "how often the units are drawn",
                              {.quick = 3, .least = 1, .most = 100});
const book::Option<double> steepness("steepness", 2,
                                     "standard deviation of the hidden weights",
                                     {.least = 0.01, .most = 100.0});
const book::Option<int> tries("tries", 30, "steps of each search for corners",
                              {.quick = 1, .least = 1, .most = 10'000});

constexpr double pi = std::numbers::pi;
const std::array<Activation, 3> activations = {tanh, relu, square};
const std::array<const char*, 3> names = {"tanh", "ReLU", "square"};

// Defined further down:
double target(double x);
nn::Mlp random_units(Index width, Activation f, Generator& random);
void solve_readout(nn::Mlp& net);
std::vector<double> outputs(const nn::Mlp& net, const std::vector<double>& x);
double largest_error(const nn::Mlp& net);
//-

//- how the figure is drawn
void fit_figure() {
    const auto which = std::size_t(the_activation() - 1);
    Generator random(book::seed() + 1000 * std::uint64_t(the_draw()));
    nn::Mlp net = random_units(the_width(), activations[which], random);
    solve_readout(net);
    const std::vector<double> x = even_grid(401, -pi, pi);
    std::vector<double> y;
    for (const double at : x) y.push_back(target(at));
    Figure("fig-uat-fit")
        .describe(
            "A wavy curve with a corner at zero, and the output of a network with one "
            "hidden layer. With 8 tanh units the output follows the curve roughly. "
            "Sliders set the number of units, their activation function and which "
            "random units they are.")
        .height(280)
        .slider(the_width, "hidden units")
        .slider(the_activation, "activation: 1 tanh, 2 ReLU, 3 square")
        .slider(the_draw, "random draw")
        .line("target", x, y, {.color = figure::grey, .width = 4, .points = false})
        .line("network", x, outputs(net, x),
              {.color = figure::blue, .dash = figure::solid, .points = false})
        .words("", {0}, {3.1},
               {fmt::format("{} units, {}: largest error {:.3f}", the_width(),
                            names[which], largest_error(net))},
               {.color = figure::blue})
        .x("x")
        .y("output")
        .ylim(-1, 3.5)
        .save(
            "The target $\\sin 2x + \\frac12 |x|$ (grey) and a network with one hidden "
            "layer (blue). The hidden units are random; least squares sets the output "
            "layer. More tanh or ReLU units bring the network nearer.");
}
//-

// ## Corners are enough
//
// Take hidden units $\max(0, x - c)$. Each unit is zero up to $c$ and then rises. Multiplied by a weight and added to a
// curve, it changes the slope of the curve from $c$ on. So you can draw any chain of straight pieces, corner by corner.
// A chain through the points $(0, 0)$, $(1, 1)$, $(2, 0)$ and $(3, 2)$ has the slopes $1$, $-1$ and $2$. The slope
// changes by $1$ at 0, by $-2$ at 1 and by $3$ at 2:
//
// $$ f(x) = \max(0, x) - 2 \max(0, x - 1) + 3 \max(0, x - 2) , \qquad f(3) = 3 - 4 + 3 = 2 . $$
//
// This is a network with three hidden units. Now let $f$ be any continuous function on a closed interval. A chain
// between many points of its graph comes as near to it as you like, because a continuous function changes little over a
// short piece. So ReLU networks with one hidden layer approximate every continuous function of one number. The same is
// true for other activation functions and for more inputs:
//- the example, by the library
void chain() {
    Generator unused(0);
    const nn::Mlp net({1, 3, 1}, relu, unused);
    net.layers[0].weight.detach().copy_(ones({3, 1}));
    net.layers[0].bias.detach().copy_(Tensor({3}, {0, -1, -2}));
    net.layers[1].weight.detach().copy_(Tensor({1, 3}, {1, -2, 3}));
    net.layers[1].bias.detach().copy_(zeros({1}));
    const std::vector<double> y = outputs(net, {0, 1, 2, 3});
    say("the chain at 0, 1, 2 and 3: {}, {}, {}, {}", y[0], y[1], y[2], y[3]);
    claim_true("", "the network goes through the four points",
               y == std::vector<double>{0, 1, 0, 2});
}
//-

// > **Universal approximation theorem.** Let $\sigma$ be continuous and not a polynomial, $f$ continuous on a closed and
// > bounded set $K$ of inputs, and $\varepsilon > 0$. Then there are a width $m$ and weights such that
// >
// > $$ \max_{x \in K} \Big| f(x) - b - \sum_{k=1}^{m} v_k\, \sigma(w_k^\top x + b_k) \Big| < \varepsilon . $$
//
// {cite:t}`cybenko1989` proved it for activation functions that rise from 0 to 1, at the same time as
// {cite:t}`hornik1989`. {cite:t}`leshno1993` found the exact condition: any continuous function but a polynomial.
//
// ## Random units
//
// The theorem promises good weights. It does not say how to find them. Here is a simple way, without gradient descent:
// draw the hidden units at random and never train them. Only the output layer is fitted. The network is linear in its
// weights $v_k$ and $b$, so {term}`least squares` finds the best ones in one step:
nn::Mlp random_units(Index width, Activation f, Generator& random) {
    nn::Mlp net({1, width, 1}, f, random);
    const Tensor w = random.normal({width}, 0, Real(steepness())),
                 centres = random.uniform({width}, Real(-pi), Real(pi));
    net.layers[0].weight.detach().copy_(reshape(w, {width, 1}));
    net.layers[0].bias.detach().copy_(-1 * w * centres);
    return net;
}

double target(double x) { return std::sin(2 * x) + std::abs(x) / 2; }

void solve_readout(nn::Mlp& net) {
    const std::vector<double> x = even_grid(2001, -pi, pi);
    const Tensor hidden = net.activation(net.layers[0](linalg::column_of(x)).detach());
    const Matrix phi = linalg::matrix_of(concat({hidden, ones({2001, 1})}, 1));
    Vector y(x.size());
    std::ranges::transform(x, y.begin(), target);
    const Vector v = linalg::svd_least_squares(phi, y);
    const std::vector<Real> weights(v.begin(), v.end() - 1);
    net.layers[1].weight.detach().copy_(Tensor({1, hidden.size(1)}, weights));
    net.layers[1].bias.detach().copy_(Tensor({1}, {Real(v.back())}));
}

// We measure the error as the theorem does, by its largest value, on a grid of 4,001 points. The fit saw every second of them.
//- the outputs and the largest error
std::vector<double> outputs(const nn::Mlp& net, const std::vector<double>& x) {
    const std::vector<Real> y = net(linalg::column_of(x)).detach().values();
    return {y.begin(), y.end()};
}
double largest_error(const nn::Mlp& net) {
    const std::vector<double> x = even_grid(4001, -pi, pi), y = outputs(net, x);
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        most = std::max(most, std::abs(y[i] - target(x[i])));
    return most;
}

const std::vector<double> widths = {4, 8, 16, 32, 64, 128};
// For every width the errors of all draws.
std::vector<std::vector<double>> errors(Activation f) {
    std::vector<std::vector<double>> found;
    for (const double width : widths) {
        found.emplace_back();
        for (int draw = 1; draw <= seeds(); ++draw) {
            Generator random(book::seed() + 1000 * std::uint64_t(draw));
            nn::Mlp net = random_units(Index(width), f, random);
            solve_readout(net);
            found.back().push_back(largest_error(net));
        }
    }
    return found;
}
//-

// Three activation functions, six widths, fifteen draws each. Before you see the result, place your bet:
//- the question, the figure, and what is checked
void against_width() {
    const auto by_tanh = errors(tanh), by_relu = errors(relu),
               by_square = errors(square);
    const double stuck = book::median(by_square.back());
    ask("With 4 hidden units that square their input, the largest error is 1.15. How "
        "large is it with 128 of them?",
        {{"About 0.01, as with 128 tanh units.", stuck < 0.1,
          "tanh and ReLU units reach this. But a weighted sum of squares of straight "
          "lines is a parabola, however many squares there are."},
         {"Smaller, but not by much: squares are less flexible.",
          stuck >= 0.1 && stuck < 1.1,
          "They are not less flexible but exhausted: two units already make every "
          "parabola, and the sum of parabolas is a parabola."},
         {"1.15.", stuck >= 1.1,
          "A weighted sum of squares of straight lines is a parabola, and so is the "
          "sum of 128 of them. Least squares finds the same parabola every time."}});
    Figure figure("fig-uat-width");
    figure
        .describe(
            "The largest error against the number of hidden units, on logarithmic "
            "axes. The curves of tanh and ReLU fall from above one to about a "
            "hundredth. That of square units is a horizontal line at 1.15.")
        .log_axes()
        .x("hidden units")
        .y("largest error");
    const auto draw = [&](const char* label, const auto& of, figure::Color color) {
        std::vector<double> low, high, middle;
        for (const std::vector<double>& draws : of) {
            low.push_back(std::ranges::min(draws));
            high.push_back(std::ranges::max(draws));
            middle.push_back(book::median(draws));
        }
        figure.band("", widths, low, high, {.color = color});
        figure.line(label, widths, middle, {.color = color});
        say("{}: {:.3f} with 4 units, {:.4f} with 128", label, middle.front(),
            middle.back());
        return middle;
    };
    const auto tanh_middle = draw("tanh", by_tanh, figure::blue),
               relu_middle = draw("ReLU", by_relu, figure::red);
    draw("square", by_square, figure::ochre);
    figure.save(
        "The largest error of random hidden units with a fitted output layer. Lines: "
        "median of fifteen draws, bands: all draws. Square units are stuck.");
    book::shows("claim-universal-approximation/a", "fig-uat-width");
    book::shows("claim-universal-approximation/a", "fig-uat-fit");
    std::vector<double> growth;  // of the median error, when the width grows fourfold
    for (const auto& middle : {tanh_middle, relu_middle})
        for (std::size_t i = 2; i < middle.size(); ++i)
            growth.push_back(middle[i] / middle[i - 2]);
    const auto [fastest, slowest] = std::ranges::minmax(growth);
    claim("claim-universal-approximation/b",
          "the median error divided by that of a quarter of the width, the largest of "
          "four ratios with tanh and four with ReLU",
          book::Measured(slowest, fastest, slowest, seeds()), "<", 1);
    claim("claim-universal-approximation/c", "the largest error of 128 tanh units",
          over_seeds(by_tanh.back()), "<=", 0.02);
    claim("claim-universal-approximation/d", "the largest error of 128 ReLU units",
          over_seeds(by_relu.back()), "<=", 0.03);
    std::vector<double> all;
    for (const auto& draws : by_square)
        all.insert(all.end(), draws.begin(), draws.end());
    const auto [low, high] = std::ranges::minmax(all);
    const auto of_all = [&](double one) {
        return book::Measured(one, low, high, int(all.size()));
    };
    claim_in("claim-universal-approximation/e",
             "the smallest of the errors of square units, over all widths and draws",
             of_all(low), 1.145, 1.146);
    claim_in("claim-universal-approximation/e", "the largest of them", of_all(high),
             1.145, 1.146);
}
//-

// {numref}`fig-uat-width` shows the result. Each fourfold increase of the width lowers the median error of tanh and ReLU
// units, from about 1 with 4 units to 0.0095 and 0.019 with 128. Single draws of 128 ReLU units reach 0.061. The error
// of square units stays at 1.1456.
//
// ## Why a polynomial is stuck
//
// The square of a straight line is $(w x + b)^2 = w^2 x^2 + 2 w b\, x + b^2$. A weighted sum of such squares is again
// $\alpha + \beta x + \gamma x^2$, a parabola. Two units and the bias of the output reach every parabola, since for
// example $(x + 1)^2 - (x - 1)^2 = 4x$. From then on further units add nothing new, and the error stays where it is. The
// same holds for every polynomial: if $\sigma$ has degree three, one hidden layer makes polynomials of degree three, for
// any width. This is the exception that the theorem names. A second hidden layer of squares would reach degree four.
//
// ## How wide is wide enough?
//
// The theorem names no width, and no width serves all functions. The proof is a count. A ReLU network with one hidden
// layer of $m$ units is a chain of straight pieces for one input: each unit adds at most one corner, so there are at
// most $m + 1$ pieces. On [the page about depth](../training/depth.cpp) folding a strip $d$ times made a **sawtooth**
// that runs from 0 to 1 and back, in $2^d$ pieces:
double sawtooth(double x, int d) {
    const double place = x * double(1 << d), past = place - 2 * std::floor(place / 2);
    return past <= 1 ? past : 2 - past;
}

// A network that stays within $\frac14$ of it lies below $\frac14$ at one end of each piece and above $\frac34$ at the
// other. So it must rise somewhere on the first piece, fall somewhere on the second, and so on: $2^d$ times in
// alternation. A straight piece either rises or falls, so the network has at least $2^d$ pieces and at least $2^d - 1$
// units. In fact the argument works for any error below $\frac12$. We count the rises and falls of both sides: of
// chains of random corners, and of random functions within $\frac14$ of the sawtooth.
int runs(const std::vector<double>& y) {  // how often y rises or falls, in alternation
    int found = 0;
    double before = 0;
    for (std::size_t i = 1; i < y.size(); ++i) {
        const double step = y[i] - y[i - 1];
        if (step == 0) continue;
        found += step * before <= 0;
        before = step;
    }
    return found;
}
//- both counts
// A layer whose slope changes its sign at every corner. Its third unit rises to the left of its corner, so that the first
// piece slopes as well: then m units make m + 1 pieces that rise and fall.
nn::Mlp turning(Index units, Generator& random) {
    std::vector<double> corners;
    for (Index k = 0; k < units; ++k) corners.push_back(random.next_uniform());
    std::ranges::sort(corners);
    nn::Mlp net({1, units, 1}, relu, random);
    std::vector<Real> weight, bias, out;
    const double first = units > 2 ? 2 + random.next_uniform() : 0;
    double slope = first;
    for (Index k = 0; k < units; ++k) {
        const bool left = k == 2;
        double next = (k % 2 ? 1 : -1) * (1 + random.next_uniform());
        if (left) next = slope - first;  // all that such a unit can change
        weight.push_back(left ? -1 : 1);
        bias.push_back(-weight.back() * Real(corners[std::size_t(k)]));
        out.push_back(Real(left ? -first : next - slope));
        slope = next;
    }
    net.layers[0].weight.detach().copy_(Tensor({units, 1}, weight));
    net.layers[0].bias.detach().copy_(Tensor({units}, bias));
    net.layers[1].weight.detach().copy_(Tensor({1, units}, out));
    return net;
}
void counts() {
    Generator random(book::seed());
    const std::vector<double> fine = even_grid(8193, 0, 1);
    int excess = -1000, spare = 1000;
    for (Index units = 1; units <= 64; ++units)
        for (int draw = 0; draw < 5; ++draw)
            excess = std::max(
                excess, runs(outputs(turning(units, random), fine)) - int(units + 1));
    for (int d = 1; d <= 6; ++d)
        for (int draw = 0; draw < 200; ++draw) {
            std::vector<double> near;
            for (const double x : even_grid((1 << d) + 1, 0, 1))
                near.push_back(sawtooth(x, d) + (random.next_uniform() - 0.5) / 2);
            spare = std::min(spare, runs(near) - (1 << d));
        }
    claim("claim-uat-width-unbounded/b",
          "one layer of m units, m up to 64: the largest excess of its rises and falls "
          "over m + 1",
          excess, "<=", 0);
    claim("claim-uat-width-unbounded/b",
          "functions within 1/4 of the sawtooth, d up to 6: the smallest excess of "
          "their rises and falls over 2^d",
          spare, ">=", 0);
}
//-

// With $2^d$ units a network computes the sawtooth exactly: one unit for the first rise, and one for each of the
// $2^d - 1$ corners. What if two units are missing? Place your bet:
//- the search: corners are moved at random, and the output layer is the best for them
struct Corners {
    std::vector<double> at;
    std::vector<int> side;  // 1: the unit rises to the right of its corner, -1: to
                            // the left
};
// The largest error of the best output layer. Lawson's iteration: least squares with a
// weight for each point, which grows where the error is large.
double smallest_error(const Corners& units, int d) {
    const Index m = Index(units.at.size()), points = (4 << d) + 1;
    const std::vector<double> x = even_grid(points, 0, 1);
    Matrix phi(points, m + 1, 1);
    Vector y, weights(x.size(), 1 / double(points));
    for (Index i = 0; i < points; ++i) {
        y.push_back(sawtooth(x[std::size_t(i)], d));
        for (Index k = 0; k < m; ++k)
            phi(i, k) =
                std::max(0.0, units.side[std::size_t(k)] *
                                  (x[std::size_t(i)] - units.at[std::size_t(k)]));
    }
    double least = 0.5;  // of the constant 1/2
    for (int round = 0; round < 30; ++round) {
        Matrix weighted = phi;
        Vector wanted = y;
        for (Index i = 0; i < points; ++i) {
            const double root = std::sqrt(weights[std::size_t(i)]);
            wanted[std::size_t(i)] *= root;
            for (Index k = 0; k <= m; ++k) weighted(i, k) *= root;
        }
        Vector error = linalg::matvec(phi, linalg::svd_least_squares(weighted, wanted));
        linalg::add_scaled(error, -1, y);
        const double most = linalg::largest(error);
        least = std::min(least, most);
        if (most < 1e-9) break;
        double total = 0;
        for (std::size_t i = 0; i < weights.size(); ++i)
            total += weights[i] *= std::abs(error[i]) / most;
        for (double& weight : weights) weight /= total;
    }
    return least;
}
double best_fit(int d, Index units, Generator& random) {
    const Index teeth = Index(1) << d;
    std::vector<Index> chosen = random.permutation(teeth);
    chosen.resize(std::size_t(units));
    Corners now;
    for (const Index place : chosen)
        now.at.push_back(double(place) / double(teeth)), now.side.push_back(1);
    double least = smallest_error(now, d);
    for (int step = 0; units > 0 && step < tries() && least > 1e-9; ++step) {
        Corners moved = now;
        const auto k = std::size_t(random.next_integer(0, units));
        const double by = random.next_normal() / double(2 * teeth);
        moved.at[k] = std::clamp(moved.at[k] + by, 0.0, 1.0);
        if (random.next_uniform() < 0.3) moved.side[k] *= -1;
        const double error = smallest_error(moved, d);
        if (error <= least) least = error, now = moved;
    }
    return least;
}

void two_units_fewer() {
    const int deepest = book::quick() ? 4 : 6;
    Generator random(book::seed());
    std::vector<double> at, bound, deep, found, units, errors;
    double fewer = 1, enough = 0;
    for (int d = 1; d <= deepest; ++d) {
        const Index pieces = Index(1) << d;
        at.push_back(d), bound.push_back(double(pieces - 1)), deep.push_back(2 * d);
        found.push_back(NAN);
        for (Index n = d == 3 ? 0 : pieces - 2; n <= pieces; ++n) {
            const double error = best_fit(d, n, random);
            if (d == 3) units.push_back(double(n)), errors.push_back(error);
            if (n < pieces - 1) fewer = std::min(fewer, error);
            if (n == pieces - 1)
                say("d = {}: with 2^d - 1 units the error is {:.2f}", d, error);
            if (n == pieces) enough = std::max(enough, error);
            if (error < 0.25 && std::isnan(found.back())) found.back() = double(n);
        }
    }
    ask(fmt::format("A network with {0} hidden ReLU units computes the sawtooth of {0} "
                    "pieces exactly. How near to it can {1} units come, by their "
                    "largest error?",
                    1 << deepest, (1 << deepest) - 2),
        {{"About 0.03: two units of 64 are one part in 32.", fewer < 0.06,
          "Each unit has its own corner, and every other corner can stay where it is. "
          "But where the missing two were, a straight piece has to serve three pieces "
          "of the sawtooth, and the largest error looks there."},
         {"About 0.2: the corners move together and share the loss.",
          fewer >= 0.06 && fewer < 0.4,
          "However the corners move, some straight piece serves a rise and a fall of "
          "the sawtooth. The error is at least 1/2 there."},
         {"1/2, no nearer than a constant.", fewer >= 0.4,
          "With too few pieces, one straight piece must serve both a rise and a fall "
          "of the sawtooth, whose ends are 0 and 1. The constant 1/2 is as good as "
          "anything."}});
    Figure("fig-uat-sawtooth")
        .describe(
            "Two panels. Left, the smallest error found for the sawtooth of eight "
            "pieces against the number of units: one half from 0 to 6 units, less at "
            "7, and zero at 8. Right, units against d on a logarithmic axis: a line "
            "for the lower bound, dots for the fits just above it, both doubling with "
            "every step, and a slowly rising line for a deep network.")
        .panel("8 pieces")
        .line("best fit found", units, errors, {.color = figure::blue})
        .x("hidden units")
        .y("largest error")
        .ylim(0, 0.6)
        .panel("units needed")
        .line("at least needed", at, bound, {.color = figure::red, .points = false})
        .dots("best fit found", at, found, {.color = figure::blue})
        .line("deep network", at, deep, {.color = figure::green, .points = false})
        .x("d")
        .y("units for an error below 1/4")
        .log_y()
        .save(
            "Left: with fewer than seven units no fit of the sawtooth of eight pieces "
            "is better than the constant 1/2. Right: one hidden layer needs twice as "
            "many units for every further fold, a deep network two more.");
    book::shows("claim-uat-width-unbounded/a", "fig-uat-sawtooth");
    claim("claim-uat-width-unbounded/c",
          "the smallest error of the fits that a search finds with 2^d - 2 units, d up "
          "to 6",
          fewer, ">=", 0.25);
    claim("", "the largest error of the fits with 2^d units", enough, "<=", 1e-9);
}
//-

// {numref}`fig-uat-sawtooth` shows a search for the best corners. With $2^d - 2$ units it finds no fit better than
// $\frac12$, and with $2^d$ units it finds the sawtooth. The proof is the count above. The search alone proves little: with
// $2^d - 1$ units, where better fits exist, it finds them for $d = 2$ and $d = 3$ only. So for this family of functions the width must double with every
// $d$. A bound on the width would be a bound on what the layer can approximate. A deep network of $d$ layers with two
// units each folds the same sawtooth, which {cite:t}`telgarsky2016` turned into a theorem on the value of depth.
//
// ## Limits
//
// The theorem is about what a network *can* compute. It says nothing about what gradient descent finds, how many
// samples this takes, or what the network answers between and beyond the samples: outside $K$ a ReLU network is
// straight. Many classes of functions can approximate everything continuous, polynomials of growing degree and Fourier
// series among them. So universal approximation is no reason to prefer networks.

void page() {
    fit_figure();
    chain();
    against_width();
    counts();
    two_units_fewer();
}

// ## Summary
//
// One hidden layer with any continuous activation function but a polynomial approximates every continuous function on a
// closed and bounded set. With random units and a fitted output layer, the median of the largest error on a curve with a
// corner falls from about 1 with 4 units to 0.0095 (tanh) or 0.019 (ReLU) with 128. How wide the layer must be depends on the function: a sawtooth of
// $2^d$ pieces needs at least $2^d - 1$ ReLU units.
//
// ## What is missing
//
// The theorem says what weights exist. Which weights are found is another matter, and it depends on the optimiser.
// [The next page](architecture_and_optimiser.cpp) asks whether the optimiser also decides which network is the better one.
//
// ```{try}
// - Steeper tanh units: `--steepness 4`, or flatter ones: `--steepness 0.5`. Which error changes, and why not that of ReLU?
// - Search longer: `--tries 300`. Does a fit with $2^d - 1$ units come within $\frac14$?
// ```
