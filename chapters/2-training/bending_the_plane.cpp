// # Hidden layers and activation functions: bending the plane
//
// ```{rows} eq-depth-toy fig-3.4 claim-linearly-separable-last claim-2d-misleading
// ```
//
// Depth has a price: every further layer is one more factor in the gradient, and [a product of many
// factors](vanishing.cpp) vanishes or explodes. What do we get for it? This page takes the smallest network in which
// depth does something: two numbers go in, and every **hidden layer** turns two numbers into two others. So a point
// stays a point of the plane, and you can watch it move. Each layer bends the plane with its **activation function**,
// and after the last layer one straight line must separate the classes. At the end you see what two numbers per layer
// cannot do.
//
// What do eight layers make of a plane with two arcs? Move the slider from layer to layer:
//
// ```{opening} fig-bending
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/math.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/binary_cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace recto;
using book::ask, book::claim, book::say;
using data::even_grid;
using figure::Figure;

const book::Option<Index> depth("depth", 8, "how many layers bend the plane",
                                {.least = 1, .most = 50});
const book::Option<Index> points("points", 200, "how many points are classified",
                                 {.quick = 60, .least = 4, .most = 400});
const book::Option<double> gain("gain", 1.3, "scale of the first weights",
                                {.least = 0.1, .most = 10});
const book::Option<int> seeds("seeds", 6, "how often each experiment is repeated",
                              {.quick = 2, .least = 2, .most = 100});
const book::Option<Index> patience(
    "patience", 4000, "training steps on the disc, with two numbers per layer",
    {.quick = 200, .least = 1, .most = 100'000});
//-

// ## Two arcs
//
// The two classes are two arcs that reach into one another, a little blurred. Each arc is a curve, a
// one-dimensional **manifold** in the plane: near each of its points it resembles a piece of a straight line. No straight
// line separates the blue points from the red ones.
//- the points
struct Cloud {
    Tensor x;        // (N, 2)
    Tensor answers;  // (N, 1): 0 or 1
};

Cloud cloud(Generator& random, const auto& place) {
    std::vector<Real> x, answers;
    for (Index n = 0; n < points(); ++n) {
        const auto [across, up, answer] = place(n, random);
        x.push_back(across), x.push_back(up), answers.push_back(answer);
    }
    return {Tensor({points(), 2}, x), Tensor({points(), 1}, answers)};
}

struct Place {
    double across, up, answer;
};

Place on_arcs(Index n, Generator& random) {
    const double turn = random.next_uniform() * std::numbers::pi;
    const double side = n % 2 == 0 ? 1 : -1, blur = 0.08;
    return {1.15 * (side * (std::cos(turn) - 0.5) + blur * random.next_normal()),
            2 * (side * (std::sin(turn) - 0.25) + blur * random.next_normal()),
            double(n % 2)};
}
//-

// ## Eight layers of two
//
// The network is as narrow as possible {cite:p}`fleuret2023`. Each hidden layer multiplies by a $2\times2$ matrix, adds
// a bias or none, and applies the hyperbolic tangent to both results. Without this **nonlinearity** eight
// matrices would be one matrix. After eight layers comes a linear classifier:
//
// ```{equation} eq-depth-toy
// :function: recto::linear
// :test: linear: with an activation function in the same pass, and one after the other
// x^{(d)} = \tanh\big(W_d\, x^{(d-1)} + b_d\big), \quad d = 1, \dots, 8, \qquad
// f(x; w) = w^\top x^{(8)} + b
// ```
//
// A matrix rotates, stretches and shears the plane; straight lines stay straight. The tanh does the bending. It
// maps 0, 1, 2, 3 to 0, 0.76, 0.96, 0.995, so the distances between neighbours shrink from 1 to 0.76, 0.20 and
// 0.03. Points near the centre keep their distances, and points far out are pressed against the edges of a square. In
// code a layer is one line, and we keep what every layer makes:
struct Bender {
    std::vector<nn::Linear> layers;
    nn::Linear classifier;

    std::vector<Tensor> stages(const Tensor& x) const {  // x, then after every layer
        std::vector<Tensor> all{x};
        for (const nn::Linear& layer : layers) all.push_back(layer(all.back(), tanh));
        return all;
    }
    Tensor operator()(const Tensor& x) const { return classifier(stages(x).back()); }
    void visit(auto&& part) { part("layers", layers), part("classifier", classifier); }
};

// A matrix that shrinks the plane in every layer would leave nothing to see after eight layers. So each matrix starts as
// a random rotation or reflection, enlarged by 1.3 because the tanh shrinks.
//- the initial weights
Bender bender(Index layers, Index width, bool biases, Generator& random) {
    const nn::LinearOptions start{
        .bias = biases, .weights = [](const Shape& s, Generator& r, Device d) {
            return nn::orthogonal_init(s, gain(), r, d);
        }};
    Bender net{{}, nn::Linear(width, 1, random, {.weights = nn::lecun_init})};
    for (Index d = 0; d < layers; ++d)
        net.layers.emplace_back(d == 0 ? 2 : width, width, random, start);
    return net;
}
//-

// ## Layers that lose nothing
//
// A layer may bend the plane; it must not fold it or merge points. If a layer maps two points of different classes to the
// same point, all later layers treat them alike. Can this happen? Near a point a layer acts like its {term}`Jacobian`,
// the matrix of its derivatives, $J = \operatorname{diag}\big(1 - \tanh^2(Wx + b)\big)\, W$. The determinant of $J$ is
// the factor by which a small area grows.
//
// Take $W = 1.3\, I$ and $b = 0$. At $x = (0, 0)$ both derivatives of the tanh are 1 and $\det J = 1.3^2 = 1.69$. At
// $x = (0, 2)$ the derivative of the second tanh is $1 - \tanh^2 2.6 = 0.022$, and $\det J = 0.037$: the area shrinks,
// but not to zero. The derivative of the tanh is never zero, so everything depends on $\det W$. If it is not zero, the
// layer can be inverted: undo the tanh number by number, and then the matrix. This function finds the smallest
// determinant among all layers and points:
double smallest_determinant(const Bender& net, const Tensor& x) {
    const NoGrad only_asking;
    double smallest = infinity;
    const std::vector<Tensor> stages = net.stages(x);
    for (std::size_t d = 0; d < net.layers.size(); ++d) {
        const std::vector<Real> w = net.layers[d].weight.values(),
                                y = stages[d + 1].values();
        for (std::size_t n = 0; n < y.size(); n += 2) {
            const double slopes = (1 - y[n] * y[n]) * (1 - y[n + 1] * y[n + 1]);
            smallest = std::min(smallest, slopes * std::abs(w[0] * w[3] - w[1] * w[2]));
        }
    }
    return smallest;
}

// ## Training
//
// The loss is the cross-entropy for two classes, and Adam makes the steps. We stop at the first check after which
// every point is on its side:
//- the share of points that are right
double share_right(const Bender& net, const Cloud& of) {
    const NoGrad only_asking;
    const std::vector<Real> scores = net(of.x).values(), answers = of.answers.values();
    Index right = 0;
    for (std::size_t n = 0; n < scores.size(); ++n)
        right += (scores[n] > 0) == (answers[n] == 1);
    return double(right) / double(scores.size());
}
//-
Index steps_to_perfection(const Bender& net, const Cloud& of, Index most) {
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
    for (Index step = 1; step <= most; ++step) {
        optim::train_step(adam,
                          [&] { return binary_cross_entropy(net(of.x), of.answers); });
        if (step % 10 == 0 && share_right(net, of) == 1) return step;
    }
    return most + 1;  // never
}

//- runs from several starts
Index perfect_runs(Index most, Index layers, Index width, bool biases,
                   const auto& place, int runs, int first = 0) {
    Index found = 0;
    for (int run = first; run < first + runs; ++run) {
        Generator random(book::seed() + std::uint64_t(run));
        const Cloud shown = cloud(random, place);
        const Bender net = bender(layers, width, biases, random);
        found += steps_to_perfection(net, shown, most) <= most;
        book::progress(run + 1 - first, runs, "training");
    }
    return found;
}
book::Measured all_of(Index runs) {  // a count over all starts
    return {double(runs), double(runs), double(runs), int(seeds())};
}

// Three things pass through a trained network: the points, a grid of lines, and the **decision boundary**, the
// points of the input plane at which the score is zero.
struct Drawing {
    std::vector<Real> x;  // x0, y0, x1, y1, ...; a NaN lifts the pen
    void to(double across, double up) { x.push_back(across), x.push_back(up); }
    Tensor points() const { return Tensor({Index(x.size()) / 2, 2}, x); }
};

Drawing lines_of_a_grid(int lines, int each, double reach) {
    Drawing made;
    for (const bool upright : {false, true})
        for (const double at : even_grid(lines, -reach, reach)) {
            for (const double t : even_grid(each, -reach, reach))
                upright ? made.to(at, t) : made.to(t, at);
            made.to(not_a_number, not_a_number);
        }
    return made;
}

// The boundary is searched along horizontal and vertical lines: where the score changes its sign, the interval is
// halved again and again.
Drawing boundary(const Bender& net, double reach) {
    const NoGrad only_asking;
    Drawing one, other;  // ends of steps between which the sign changes
    for (const bool upright : {false, true})
        for (const double at : even_grid(61, -reach, reach)) {
            Drawing walk;
            for (const double t : even_grid(401, -reach, reach))
                upright ? walk.to(at, t) : walk.to(t, at);
            const std::vector<Real>&x = walk.x, score = net(walk.points()).values();
            for (std::size_t i = 1; i < score.size(); ++i)
                if ((score[i] > 0) != (score[i - 1] > 0)) {
                    const std::size_t up = score[i] > 0 ? i : i - 1,
                                      down = 2 * i - 1 - up;
                    one.to(x[2 * up], x[2 * up + 1]);
                    other.to(x[2 * down], x[2 * down + 1]);
                }
        }
    Drawing middle = one;
    for (int halved = 0; halved < 40 && !one.x.empty(); ++halved) {
        for (std::size_t i = 0; i < one.x.size(); ++i)
            middle.x[i] = (one.x[i] + other.x[i]) / 2;
        const std::vector<Real> score = net(middle.points()).values();
        for (std::size_t i = 0; i < one.x.size(); ++i)
            (score[i / 2] > 0 ? one : other).x[i] = middle.x[i];
    }
    return middle;
}

// Columns of points, points of one class, and styles:
std::vector<double> column(const Tensor& points, int axis, double enlarged = 1) {
    std::vector<double> made;
    for (const Real v : select(points, 1, axis).values()) made.push_back(v * enlarged);
    return made;
}
Tensor of_class(const Tensor& points, const Tensor& answers, Real which) {
    std::vector<Index> places;
    const std::vector<Real> all = answers.values();
    for (std::size_t n = 0; n < all.size(); ++n)
        if (all[n] == which) places.push_back(Index(n));
    return index_rows(points, Integers({Index(places.size())}, places));
}
const figure::Style blue_dot{
    .color = figure::blue, .shape = figure::Shape::circle, .width = 2.5},
    red_dot{.color = figure::red, .shape = figure::Shape::triangle, .width = 2.5},
    ink_dot{.color = figure::ink, .shape = figure::Shape::circle, .width = 1},
    thin{.color = figure::grey, .dash = figure::solid, .width = 0.7, .points = false};

// One panel shows the plane after some layers. The input is made smaller, so that all panels fill the same square.
const double reach = 2.2;

struct Stages {
    std::vector<Tensor> dots, lines, edge;
    Tensor answers;

    Stages(const Bender& net, const Cloud& seen, int each)
        : dots(net.stages(seen.x)),
          lines(net.stages(lines_of_a_grid(13, each, reach).points())),
          edge(net.stages(boundary(net, reach).points())),
          answers(seen.answers) {}

    void draw(Figure& into, std::size_t d) const {
        const double size = d == 0 ? 1 / reach : 1;
        const auto add_dots = [&](const char* label, const Tensor& t,
                                  const figure::Style& style) {
            into.dots(label, column(t, 0, size), column(t, 1, size), style);
        };
        into.line("", column(lines[d], 0, size), column(lines[d], 1, size), thin);
        add_dots("decision boundary", edge[d], ink_dot);
        add_dots("one class", of_class(dots[d], answers, 0), blue_dot);
        add_dots("the other", of_class(dots[d], answers, 1), red_dot);
        into.xlim(-1.03, 1.03).ylim(-1.03, 1.03).bare();
    }
};
//-

// ## The best straight line after each layer
//
// The last step of the network is a weighted sum, so it can only cut along a line. If the network classifies every
// point correctly, a line separates the points after the last layer. How well could a line do after *each* layer? In the
// plane the best line can be found exactly. Shift and rotate any line until it touches two points; no other point
// changes its side. So we try the lines through all pairs. The two points themselves count as right, because a small
// shift and rotation puts each of them on its side:
double best_line(const Tensor& points, const Tensor& answers) {
    const std::vector<Real> x = points.values(), y = answers.values();
    Index best = 0;
    const std::size_t N = y.size();
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double across = x[2 * j] - x[2 * i], up = x[2 * j + 1] - x[2 * i + 1];
            Index left_is_one = 0, left_is_zero = 0;
            for (std::size_t n = 0; n < N; ++n) {
                const double turn =
                    across * (x[2 * n + 1] - x[2 * i + 1]) - up * (x[2 * n] - x[2 * i]);
                if (n == i || n == j || turn == 0) continue;
                ++((turn > 0) == (y[n] == 1) ? left_is_one : left_is_zero);
            }
            best = std::max({best, left_is_one + 2, left_is_zero + 2});
        }
    return 100 * double(best) / double(N);
}

//- the best lines of a network, after each layer
std::vector<double> best_lines(const Bender& net, const Cloud& seen) {
    const NoGrad only_asking;
    std::vector<double> percent;
    for (const Tensor& stage : net.stages(seen.x))
        percent.push_back(best_line(stage, seen.answers));
    return percent;
}

//-

void two_arcs() {
    // We count the parameters, and check that the untrained network merges no points:
    //- what is checked
    Generator random(book::seed());
    const Cloud arcs = cloud(random, on_arcs);
    const Bender net = bender(depth(), 2, false, random);
    claim("eq-depth-toy/a", "number of parameters without biases", nn::count(net),
          "==", 8 * 4 + 3);
    claim("eq-depth-toy/b", "number of parameters with biases",
          nn::count(bender(depth(), 2, true, random)), "==", 8 * 4 + 16 + 3);
    claim("eq-depth-toy/c",
          "smallest magnitude of the determinant of any layer's Jacobian at any point, "
          "before training",
          smallest_determinant(net, arcs.x), ">", 0);
    //-

    // Then we train, and draw what each of the eight layers makes of the plane at the first check at which every point was
    // right:
    //- how the figure is drawn
    say("all points are right after {} steps", steps_to_perfection(net, arcs, 400));
    const Stages small(net, arcs, 15), fine(net, arcs, 41);
    Figure nine("fig-3.4");
    nine.describe(
            "Nine small panels, the input and what each of eight layers makes of it. "
            "In the first, two arcs of dots, blue and red, reach into one another on a "
            "square grid, and a dotted curve winds between them. From panel to panel "
            "the grid turns, bends and shrinks against the edges of a square. In the "
            "last, the dots are at two ends and the curve is a straight line.")
        .columns(3)
        .height(166);  // as wide as high, so that angles and areas are true
    for (std::size_t d = 0; d < small.dots.size(); ++d) {
        nine.panel(fmt::format("d = {}", d));
        small.draw(nine, d);
    }
    nine.save(
        "The input plane (d = 0), and what the layers make of it. The decision "
        "boundary begins as a curve and ends as a straight line, and each class stays "
        "on its side: the layers straighten the boundary, and the classifier cuts "
        "along it. After Figure 3.4 of {cite:t}`fleuret2023`.");
    book::shows("fig-3.4/c", "fig-3.4");
    //-

    // {numref}`fig-3.4` shows all layers at once, {numref}`fig-bending` one layer at a time:
    //- how the figure is drawn
    std::vector<double> stops;
    for (std::size_t d = 0; d < fine.dots.size(); ++d) stops.push_back(double(d));
    Figure one("fig-bending");
    one.describe(
           "One of the nine panels at a time; a slider counts layers. At 0 the two "
           "arcs on a square grid; at the last stop the two classes at opposite ends "
           "of a bent and narrow shape, with a straight line between them.")
        .slider("d", stops, "layers", 1)
        .height(640);  // as wide as high
    for (const double d : stops) fine.draw(one.at(d), std::size_t(d));
    one.save(
        "Move the slider. Follow one corner of the grid, then the tip of one arc. The "
        "cells of the grid become small where the tanh is nearly flat, far from the "
        "centre. No cell folds over another.");
    //-

    // Does this always work? We repeat it from six starts, with other points and other weights, without biases and with
    // biases:
    claim("fig-3.4/a",
          "runs without biases that classify every point within 400 steps, of six",
          all_of(perfect_runs(400, depth(), 2, false, on_arcs, seeds())), "==", 6);
    claim("fig-3.4/b", "the same runs with biases",
          all_of(perfect_runs(400, depth(), 2, true, on_arcs, seeds())), "==", 6);

    // Six of six does not mean always. Here are thirty more starts, and more time:
    const int more = 5 * seeds();
    for (const Index most : {400, 2000})
        say("of {} further starts {} classify every point within {} steps", more,
            perfect_runs(most, depth(), 2, false, on_arcs, more, seeds()), most);

    // Is the task impossible for the remaining starts? We give the same points to a network with eight numbers per
    // layer:
    say("with eight numbers per layer {} starts succeed within 400 steps",
        perfect_runs(400, depth(), 8, false, on_arcs, more, seeds()));

    // All thirty succeed. So the narrow layers make training fail now and then, not the points. We
    // return to this below.
    //
    // Now the best lines. Before you look:
    const std::vector<double> percent = best_lines(net, arcs);
    const auto first = std::ranges::find(percent, 100) - percent.begin();
    ask("The network of the figures has eight layers. After how many of them does some "
        "straight line separate the two classes for the first time?",
        {{"After one or two.", first == 1 || first == 2,
          "These arcs are easy. The loss asks for nothing in between, but one layer "
          "can already separate most points, and the later layers move the classes "
          "further apart."},
         {"After about half of them: each layer does its share.",
          first >= 3 && first <= 6,
          "This would be fair, but the loss does not ask the layers to share the "
          "work."},
         {"Only after the last ones.", first >= 7,
          "The classes must be separable after the last layer. An earlier layer may "
          "separate them, too."}});

    // Two ends of the answer are certain: a line separates all points after the last layer, and none does at the input.
    claim("claim-linearly-separable-last/a",
          "percent of the points on the right side of the best line, after the last "
          "layer",
          percent.back(), "==", 100);
    claim("claim-linearly-separable-last/b", "the same at the input", percent.front(),
          "<", 100);

    // {numref}`fig-best-line` shows this network and five others. In all six the best line classifies 90 to 93 % of
    // the input points correctly, and all points after two layers at most.
    //- how the figure is drawn
    std::vector<std::vector<double>> others;
    for (int run = 1; run < seeds(); ++run) {
        Generator again(book::seed() + std::uint64_t(run));
        const Cloud seen = cloud(again, on_arcs);
        const Bender other = bender(depth(), 2, false, again);
        steps_to_perfection(other, seen, 400);
        others.push_back(best_lines(other, seen));
    }
    Figure("fig-best-line")
        .describe(
            "Percent right of the best straight line against the number of layers, for "
            "six networks. All begin between 90 and 93 % at the input and are at "
            "one hundred after at most two layers, and stay there.")
        .lines("five others", stops, others,
               {.color = figure::grey, .dash = figure::solid})
        .line("this network", stops, percent,
              {.color = figure::blue, .dash = figure::solid})
        .x("layers")
        .y("percent right")
        .save(
            "Percent of the points on the right side of the best straight line, after "
            "each layer. The loss judges only the last layer, yet two layers are "
            "enough here; the other six move the classes apart.");
    book::shows("claim-linearly-separable-last/c", "fig-best-line");
    //-
}

// ## What the plane cannot do
//
// Bent layers cannot do everything. Take a disc and the points that surround it:
Place on_disc(Index, Generator& random) {
    const double x = 2 * random.next_uniform() - 1, y = 2 * random.next_uniform() - 1;
    return {x, y, x * x + y * y < 2 / std::numbers::pi ? 1. : 0.};
}

// Our data are 200 of these points.
//- the runs and the question
void a_disc() {
    const Index more_steps =
                    perfect_runs(patience(), depth(), 2, true, on_disc, seeds()),
                more_layers =
                    perfect_runs(patience() / 2, 2 * depth(), 2, true, on_disc, 1),
                wider =
                    perfect_runs(patience() / 5, depth(), 3, true, on_disc, seeds());
    ask("A network with eight layers of two numbers trains on the disc for 400 steps "
        "and fails. What helps?",
        {{"Ten times as many steps.", more_steps > 0,
          "More time cannot help: no weights separate the disc from its ring."},
         {"Twice as many layers.", more_layers > 0,
          "Each further layer keeps the ring around the disc, like those before."},
         {"A third number in every layer.", more_steps == 0 && wider == seeds(),
          "In space the disc can be lifted out of its ring, and then a plane passes "
          "between them."}});
    //-

    // An invertible layer may stretch the plane in any way, but the surrounding points stay a ring around the disc:
    // every path out of the disc crosses the ring, before the layer and after it. No line has a whole ring on one side
    // and the inside of the ring on the other. If $\det W = 0$, the layer projects the plane onto a line, and each point
    // of the disc lands on the same place as some point of the ring. So no weights of this network separate disc and
    // ring, for any number of layers. Invertible layers change the shape of a region but not its **topology**
    // {cite:p}`olah2014`.
    //
    // This is an argument about the whole disc and the whole ring. Between 200 points a map might find a way, so we
    // measure whether training finds one. More steps and a third number had six starts each. Sixteen layers had only one
    // start: its failure agrees with the argument, but does not tell how often sixteen layers fail. A third number is
    // enough: the map $(x, y) \mapsto (x, y, x^2 + y^2)$, for example, lifts the ring above the disc, and then a plane
    // separates them.
    claim("claim-2d-misleading/a",
          "runs with two numbers per layer that classify every point correctly",
          all_of(more_steps), "==", 0);
    say("with three numbers per layer: {} of {}, within {} steps", wider, seeds(),
        patience() / 5);
    claim(
        "claim-2d-misleading/b",
        "runs with eight numbers per layer that classify every point correctly within "
        "800 steps",
        all_of(perfect_runs(800, depth(), 8, true, on_disc, seeds())), "==", 6);

    // {numref}`fig-disc` shows one of each at the end of its training.
    //- how the figure is drawn
    Generator random(book::seed());
    const Cloud disc = cloud(random, on_disc);
    const Bender narrow = bender(depth(), 2, true, random),
                 wide = bender(depth(), 8, true, random);
    steps_to_perfection(narrow, disc, patience());
    steps_to_perfection(wide, disc, 800);
    say("this one, with two numbers per layer, has {:.1f} % of the points right",
        100 * share_right(narrow, disc));
    const NoGrad only_looking;
    const Tensor flat = narrow.stages(disc.x).back(), high = wide.stages(disc.x).back();
    Figure end("fig-disc");
    end.describe(
        "Three panels. First a disc of red dots with blue dots all around. Second, "
        "what eight layers of two numbers made of it: the red dots are still among the "
        "blue ones. Third, the score of the network with eight numbers per layer "
        "against one of those numbers: red dots right of zero, blue dots left of it.");
    const auto draw = [&](const char* title, const Tensor& across, int i,
                          const Tensor& up, int j) {
        end.panel(title);
        for (const Real which : {0, 1})
            end.dots(which == 0 ? "surround" : "disc",
                     column(of_class(across, disc.answers, which), i),
                     column(of_class(up, disc.answers, which), j),
                     which == 0 ? blue_dot : red_dot);
    };
    end.height(166);  // as wide as high, so that the disc is round
    draw("the input", disc.x, 0, disc.x, 1);
    end.xlim(-1.03, 1.03).ylim(-1.03, 1.03);
    end.x("the first number").y("the second number");
    draw("two numbers a layer", flat, 0, flat, 1);
    end.xlim(-1.03, 1.03).ylim(-1.03, 1.03);
    end.x("the first number").y("the second number");
    draw("eight numbers a layer", wide.classifier(high), 0, high, 0);
    end.rule_x(0, "")
        .x("score")
        .y("the first number")
        .columns(3)
        .save(
            "First panel: the input. Second panel: the network with two numbers per "
            "layer, after eight layers. It stretched the ring until gaps opened "
            "between its points, and pulled the disc through them. Points on the way "
            "stay wrong. Third panel: the network with eight numbers per layer. Its "
            "score, on the horizontal axis, separates the classes at zero.");
}
//-

void page() {
    two_arcs();
    a_disc();
}

// The narrow network of the figure classifies 98.5 % of its points correctly; in none of six starts were all correct. So
// the plane misleads in one respect {cite:p}`fleuret2023`. Practical networks have hundreds or thousands of numbers in
// every layer. In this many dimensions some direction nearly always remains in which two tangled sets can be pulled apart,
// and training finds one more easily. The division of labour is the same: the hidden layers rearrange, and the last step
// cuts.
//
// ## Summary and what is missing
//
// A hidden layer applies a matrix and a nonlinearity; it bends the plane, and an invertible layer neither folds it nor merges
// points. Eight such layers turn two arcs into classes that a line separates, often after one or two
// layers. With two numbers per layer a disc cannot leave its ring; a third number is enough.
//
// This page shows that depth does something, but not that depth is *better* than width: two or three wide layers might do
// the same. [The next page](depth.cpp) looks for functions that deep networks express with few units and shallow networks
// only with very many.
//
// ```{try}
// - How narrow and shallow can it be? `--depth 2`, `--depth 1`. Why do the arcs need so few layers?
// - And how deep? `--depth 30`. Do the gradients [vanish or explode](vanishing.cpp)?
// - Start with small or large weights: `--gain 0.5`, `--gain 4`. What happens to the determinant, and to the training?
// - More points: `--points 400`. Does the plane still fail at the disc?
// ```
