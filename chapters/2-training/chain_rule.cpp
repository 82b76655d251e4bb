// # The chain rule: derivatives multiply
//
// ```{rows} eq-scalar-chain-rule eq-three-stage-chain fig-003-lol-graph eq-lol-gradient-descent claim-grad-accumulation claim-forward-values-needed claim-backprop-shares-products
// ```
//
// Every step of the last pages went against a gradient, and a library call computed it. This is the expensive part of
// training. A network has a million weights, and for each we need the derivative of the loss. Trying out every weight
// takes a million runs. This page finds all derivatives in one pass, with one rule from school and some care about the
// order of multiplications. This is {term}`backpropagation`: Linnainmaa published it in 1970 for general programs, Werbos
// proposed it for training in 1974, and Rumelhart, Hinton and Williams made it known {cite:p}`rumelhart1986`. The
// networks of this page are tiny, but the method is complete.
//
// How does the derivative of a composition follow from the derivatives of its parts? Move the slider:
//
// ```{opening} fig-gears
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/autograd/value.hpp>
#include <recto/book/page.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/graph.hpp>
#include <recto/ops/elementwise/binary.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

using namespace recto;
using book::ask_number, book::claim, book::claim_true, book::say;
using data::even_grid, figure::Figure;
const figure::Style red{.color = figure::red,
                        .dash = figure::solid,
                        .shape = figure::Shape::circle,
                        .width = 3,
                        .points = false};

const book::Option<int> depth("depth", 64, "number of stages of the longest chain",
                              {.quick = 32, .least = 3, .most = 500});
const book::Option<double> product("product", 6,
                                   "target for the product of the two weights",
                                   {.least = 0.5, .most = 20.0});
const book::Option<double> rate("rate", 0.02, "learning rate",
                                {.least = 0.0, .most = 1.0});
const book::Option<int> steps_made("steps", 40, "number of gradient descent steps",
                                   {.least = 1, .most = 300});
//-

// ## Functions in sequence
//
// Let $u = g(x)$ and $y = f(u)$. Move $x$ by a small $h$. Then $u$ moves by about $g'(x)\,h$, and $y$ moves by
// $f'(u)$ times *that*. Two gears behave in the same way: their ratios multiply. This is the {term}`chain rule`.
//
// ```{equation} eq-scalar-chain-rule
// :function: recto::Value::backward
// :test: Value: every operation against differences
// y = f(g(x)) \quad\Rightarrow\quad y' = g'(x) \, f'(g(x))
// ```
//
// Note where the outer derivative is taken: at $g(x)$, not at $x$. Five functions with their derivatives give
// twenty ordered pairs. For each pair we compare the rule with a direct measurement,
// {term}`central differences <central difference>`: move $x$ a little to both sides, and divide the change of $y$
// by that of $x$.
//- five functions and their derivatives
struct Function {
    const char* name;
    double (*at)(double);
    double (*slope)(double);
};
constexpr std::array<Function, 5> functions = {{
    {"sin", [](double x) { return std::sin(x); }, [](double x) { return std::cos(x); }},
    {"exp", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }},
    {"tanh", [](double x) { return std::tanh(x); },
     [](double x) { return 1 - std::tanh(x) * std::tanh(x); }},
    {"x^2", [](double x) { return x * x; }, [](double x) { return 2 * x; }},
    {"1/(1+x^2)", [](double x) { return 1 / (1 + x * x); },
     [](double x) { return -2 * x / ((1 + x * x) * (1 + x * x)); }},
}};
//-

double chained(const Function& f, const Function& g, double x) {
    return g.slope(x) * f.slope(g.at(x));
}

//- central differences
double difference(const std::function<double(double)>& y, double x) {
    const double h = 1e-3;  // four points: the error shrinks like h^4
    return (y(x - 2 * h) - 8 * y(x - h) + 8 * y(x + h) - y(x + 2 * h)) / (12 * h);
}

//-

// Of the errors at 41 places we keep the largest:
//- twenty pairs of functions
void one_after_the_other() {
    int pairs = 0;
    double farthest = 0;
    for (const Function& f : functions)
        for (const Function& g : functions) {
            if (&f == &g) continue;
            ++pairs;
            for (const double x : even_grid(41, -1, 1)) {
                const auto y = [&](double at) { return f.at(g.at(at)); };
                const double off = std::abs(chained(f, g, x) - difference(y, x));
                farthest = std::max(farthest, off);
            }
        }
    say("{} pairs of functions, each at 41 places", pairs);
    claim("eq-scalar-chain-rule/a",
          "the largest gap between the chain rule and the differences", farthest,
          "<=", 1e-7);

    //-

    // {numref}`fig-gears` shows one of the pairs, with a slider.
    //- how the figure is drawn
    const Function &g = functions[3], &f = functions[0];
    const std::vector<double> stops = even_grid(37, -18, 18);
    Figure gears("fig-gears");
    gears.columns(3)
        .height(230)
        .slider("stop", stops, "x, in tenths", 10)
        .describe(
            "Three curves with tangents: u is x squared, y the sine of u, and y over "
            "x. The third tangent's slope is the product of the other two.");
    using Curve = std::function<double(double)>;
    const auto panel = [&](const char* title, double from, double to,
                           const Curve& curve, const Curve& place, const Curve& slope) {
        std::vector<double> xs = even_grid(121, from, to), ys;
        for (const double x : xs) ys.push_back(curve(x));
        gears.always().panel(title).line(
            "", xs, ys,
            {.color = figure::ink, .dash = figure::solid, .width = 1, .points = false});
        for (const double stop : stops) {
            const double x = place(stop / 10), s = slope(stop / 10),
                         h = 0.6 / std::hypot(1, s / 2);
            gears.at(stop)
                .line("", {x - h, x + h}, {curve(x) - s * h, curve(x) + s * h}, red)
                .dots("", {x}, {curve(x)}, red);
        }
    };
    const Curve itself = [](double x) { return x; };
    panel("first: u = x²", -2, 2, g.at, itself, g.slope);
    gears.x("x").y("u").ylim(-0.5, 4);
    panel("then: y = sin u", -0.5, 4, f.at, g.at,
          [&](double x) { return f.slope(g.at(x)); });
    gears.x("u").y("y").ylim(-1.5, 1.5);
    panel(
        "together", -2, 2, [&](double x) { return f.at(g.at(x)); }, itself,
        [&](double x) { return chained(f, g, x); });
    gears.x("x").y("y").ylim(-1.5, 1.5);
    gears.save(
        "Move $x$. The third tangent's slope is the product of the other two. Where "
        "one of them is flat, the third is flat as well: at $x = 0$ because of the "
        "square, at the top of the sine because of the sine.");
}
//-

// One flat stage stops all change behind it. [A later page](vanishing.cpp) is about what this does to deep
// networks.
//
// ## Three stages, two weights
//
// A loss is made of more than two functions, and its weights enter in the middle. Take the smallest network there
// is. A neuron applies tanh to $\omega_1 x$, a second weight multiplies the result, and the loss is the squared
// distance to the target:
//
// $$ f_1 = \tanh(\omega_1 x), \;\; f_2 = \omega_2 f_1, \;\; f_3 = f_2 - y, \;\; \ell = f_3^2 . $$
//
// A change of $\omega_1$ reaches the loss through $f_1$, $f_2$ and $f_3$. A change of $\omega_2$ enters at $f_2$.
// So we multiply the derivatives along each path:
//
// ```{equation} eq-three-stage-chain
// :function: recto::Value::backward
// :test: Value: every operation against differences
// \frac{\partial\ell}{\partial\omega_1} = \frac{\partial\ell}{\partial f_3} \frac{\partial f_3}{\partial f_2}
// \frac{\partial f_2}{\partial f_1} \frac{\partial f_1}{\partial\omega_1} , \qquad
// \frac{\partial\ell}{\partial\omega_2} = \frac{\partial\ell}{\partial f_3} \frac{\partial f_3}{\partial f_2}
// \frac{\partial f_2}{\partial\omega_2} .
// ```
//
// Each factor is the derivative of a single operation:
void three_stages() {
    const double x = 0.8, y = 1, w1 = 0.5, w2 = -1.5;
    const double f1 = std::tanh(w1 * x), f2 = w2 * f1, f3 = f2 - y;

    const double loss_f3 = 2 * f3, f3_f2 = 1, f2_f1 = w2, f2_w2 = f1;
    const double f1_w1 = (1 - f1 * f1) * x;
    const double by_hand1 = loss_f3 * f3_f2 * f2_f1 * f1_w1;
    const double by_hand2 = loss_f3 * f3_f2 * f2_w2;
    say("by hand: {:.6f} and {:.6f}", by_hand1, by_hand2);

    // A {cpp:class}`~recto::Value` is a number that remembers what it was computed from. We compute the same loss
    // with such numbers, call `backward`, and compare. [The next page](micrograd.cpp) opens it up.
    const auto loss = [&](const Value& w1, const Value& w2) {
        return pow(w2 * tanh(w1 * x) - y, 2);
    };
    const Value a = w1, b = w2;
    loss(a, b).backward();
    claim("eq-three-stage-chain/a", "by hand and by the tape, the larger gap of two",
          std::max(std::abs(a.grad() - by_hand1), std::abs(b.grad() - by_hand2)),
          "<=", 1e-8);
    //- the gaps
    const double there1 = difference([&](double v) { return loss(v, b).data(); }, w1),
                 there2 = difference([&](double v) { return loss(a, v).data(); }, w2);
    claim("eq-three-stage-chain/b", "by hand and by differences, the larger gap of two",
          std::max(std::abs(there1 - by_hand1), std::abs(there2 - by_hand2)),
          "<=", 1e-8);
}
//-

// ## Shared factors
//
// Both products of {eq}`eq-three-stage-chain` begin alike. Multiplying each product out separately computes
// $\frac{\partial\ell}{\partial f_3} \frac{\partial f_3}{\partial f_2}$ twice. With two weights that hardly
// matters. With many it does.
//
// To count multiplications, we need a program that we can look into. Here is a complete one, a {term}`tape`. It
// records every number, together with the numbers it was computed from and the derivatives with respect to them.
// The backward pass reads the list from its end. When it reaches a number, everything computed from that number has
// been processed, so its gradient is complete. The backward pass multiplies this gradient by each derivative and
// passes the result on.
struct Tape {
    struct Number {
        double value, grad;
        std::array<int, 2> from;      // the inputs' places on the tape, -1 for none
        std::array<double, 2> slope;  // derivatives with respect to the inputs
    };
    std::vector<Number> all;
    int multiplications = 0;

    int put(double value, std::array<int, 2> from = {-1, -1},
            std::array<double, 2> slope = {}) {
        all.push_back({value, 0, from, slope});
        return int(all.size()) - 1;
    }
    double at(int i) const { return all[std::size_t(i)].value; }
    double grad(int i) const { return all[std::size_t(i)].grad; }

    int add(int a, int b) { return put(at(a) + at(b), {a, b}, {1, 1}); }
    int multiply(int a, int b) { return put(at(a) * at(b), {a, b}, {at(b), at(a)}); }

    // And the backward pass. (With `add_up` off it makes a mistake, which you meet further down.)
    void backward(int result, bool add_up = true) {
        for (Number& n : all) n.grad = 0;
        all[std::size_t(result)].grad = 1;
        for (int i = result; i >= 0; --i) {
            const Number n = all[std::size_t(i)];
            for (std::size_t k = 0; k < 2; ++k) {
                if (n.from[k] < 0) continue;
                double& grad = all[std::size_t(n.from[k])].grad;
                const double share = n.slope[k] * n.grad;
                ++multiplications;
                grad = add_up ? grad + share : share;
            }
        }
    }
};

// Our example is a chain of $D$ weights. Each weight multiplies the result of the stage before it. The first method
// follows each weight's path from the loss and multiplies the derivatives on it. The second calls `backward` once.
//- a chain, and both counts
struct Chain {
    Tape tape;
    std::vector<int> weights, stages;  // stage d is weight d times stage d - 1

    explicit Chain(int count) {
        stages.push_back(tape.put(0.7));
        for (int d = 0; d < count; ++d) {
            weights.push_back(tape.put(0.9 + 0.01 * (d % 20)));
            stages.push_back(tape.multiply(weights.back(), stages.back()));
        }
    }
    double one_product(std::size_t weight) {  // of all derivatives on the path
        double grad = 1;
        for (std::size_t d = weights.size(); d > weight; --d) {
            const bool leave = d == weight + 1;
            grad *= tape.all[std::size_t(stages[d])].slope[leave ? 0 : 1];
            ++tape.multiplications;
        }
        return grad;
    }
};

struct Counts {
    int apart, together;
    bool same = true;  // both methods find the same gradients
};
Counts count(int stages) {
    Chain chain(stages);
    std::vector<double> one_by_one;
    for (std::size_t d = 0; d < chain.weights.size(); ++d)
        one_by_one.push_back(chain.one_product(d));
    Counts counts{std::exchange(chain.tape.multiplications, 0), 0};
    chain.tape.backward(chain.stages.back());
    counts.together = chain.tape.multiplications;
    for (std::size_t d = 0; d < one_by_one.size(); ++d)
        counts.same = counts.same && chain.tape.grad(chain.weights[d]) == one_by_one[d];
    return counts;
}

//-

// Before we count, guess:
void share_the_front() {
    const Counts hundred = count(100);
    ask_number(
        "A chain has 100 weights. The first method treats each weight separately. How "
        "many times as many multiplications does it need?",
        double(hundred.apart) / hundred.together, 3,
        "The paths have 1, 2, ... 100 factors, about 50 for each weight. The "
        "backward pass multiplies twice per weight. Twice the depth doubles the "
        "ratio.");

    // The path of weight number $d$ has $D - d + 1$ factors. Summed over all weights this is $D(D+1)/2$. The
    // backward pass multiplies twice at each stage, once for the weight and once for the rest of the chain.
    //- both counts for all depths, and how the figure is drawn
    std::vector<double> depths, apart, together;
    double off_square = 0, off_line = 0;
    bool same = true;
    for (int D = 1; D <= depth(); ++D) {
        const Counts c = count(D);
        depths.push_back(D), apart.push_back(c.apart), together.push_back(c.together);
        off_square = std::max(off_square, std::abs(c.apart - D * (D + 1) / 2.0));
        off_line = std::max(off_line, std::abs(c.together - 2.0 * D));
        same = same && c.same;
    }
    claim_true("", "both methods find the same gradients, to the last bit", same);
    claim("claim-backprop-shares-products/a",
          "separate products: the largest difference of the count from D(D+1)/2",
          off_square, "==", 0);
    claim("claim-backprop-shares-products/b",
          "one backward pass: the largest difference of the count from 2D", off_line,
          "==", 0);
    Figure("fig-shared")
        .describe(
            "Two counts against the depth of the chain. Separate products rise as a "
            "parabola; the backward pass is a straight line that soon lies far below.")
        .line("separate products", depths, apart, {.points = false})
        .line("one backward pass", depths, together, {.points = false})
        .x("depth D of the chain")
        .y("multiplications")
        .save(
            "The cost of all gradients of a chain, counted. Separate products cost "
            "$D(D+1)/2$ multiplications, one backward pass $2D$.");
    book::shows("claim-backprop-shares-products/c", "fig-shared");
}
//-

// In computer science, storing and reusing such partial results is called **dynamic programming**. Here it has a
// direction. Products that share their front must be multiplied from the front, that is, from the loss backwards:
// **reverse mode**. Multiplying from a weight forwards (**forward mode**) gives the derivative of every value with
// respect to one weight. We want the derivative of one value, the loss, with respect to every weight.
//
// These are the two modes of **automatic differentiation**: a program computes derivatives from the operations that it
// has carried out. It needs to know the derivative of each single operation, but no formula for the whole, so it works
// through loops and branches. And it has no error beyond rounding, whereas a central difference is only an approximation.
//
// ## A graph, and a descent
//
// Most computations are more than chains. They form a {term}`graph <computational graph>`: every number is a node,
// and arrows lead to it from the numbers it was computed from. Here is about the smallest interesting loss with two
// weights. We want two numbers whose product is $x$, and a product costs the square of its distance from $x$:
Value lol(const Value& w1, const Value& w2) { return pow(w1 * w2 - product(), 2); }

// We call it $\mathrm{lol}(x; \omega_1, \omega_2) = (\omega_1 \omega_2 - x)^2$, a loss with little ambition. To
// check its gradients, we compare them with differences:
//- the larger gap of the two gradients
double gap(const std::function<Value(const Value&, const Value&)>& loss, double w1,
           double w2) {
    const Value a = w1, b = w2;
    loss(a, b).backward();
    const auto first = [&](double v) { return loss(v, w2).data(); };
    const auto second = [&](double v) { return loss(w1, v).data(); };
    return std::max(std::abs(a.grad() - difference(first, w1)),
                    std::abs(b.grad() - difference(second, w2)));
}

//-

// The library draws the recorded graph. Read {numref}`fig-003-lol-graph` downwards for the values and upwards for
// the gradients: each arrow contributes its number times `grad` of the node at its tip.
//- the graph, and the gaps at 81 points
void a_graph() {
    const Value w1 = 0.5, w2 = 2, loss = lol(w1, w2);
    loss.backward();
    figure::value_diagram("fig-003-lol-graph", loss,
                          {{"ω1", w1}, {"ω2", w2}, {"lol", loss}})
        .describe(fmt::format(
            "A graph of six numbers. Omega 1, {:.4g}, and omega 2, {:.4g}, meet in a "
            "product; a constant is subtracted; the square is the loss, {:.4g}. The "
            "gradient of omega 1 is {:.4g}, that of omega 2 {:.4g}.",
            w1.data(), w2.data(), loss.data(), w1.grad(), w2.grad()))
        .save(
            "The computational graph of lol. Each node shows its value and, below, "
            "the gradient of the loss; each arrow the derivative of that step.");
    book::shows("fig-003-lol-graph/b", "fig-003-lol-graph");

    double off = 0;
    for (const double a : even_grid(9, -3, 3))
        for (const double b : even_grid(9, -3, 3)) off = std::max(off, gap(lol, a, b));
    claim("fig-003-lol-graph/a",
          "gradients of lol and differences, the largest gap at 81 points", off,
          "<=", 1e-8);
}

//-

// With gradients we can descend. Both weights move at once, each against its own derivative, scaled by the
// {term}`learning rate` $\eta$:
//
// ```{equation} eq-lol-gradient-descent
// :function: recto::optim::Sgd
// :test: Sgd: steps by the definition
// \omega_i \leftarrow \omega_i - \eta \, \frac{\partial \Loss}{\partial \omega_i} , \qquad i = 1, 2 .
// ```
//
// *At once* is part of the rule: both derivatives belong to the same point. Moving the first weight and computing
// the gradient again before moving the second is a different method (a form of *coordinate descent*), with a
// different path.
//- what is kept of a descent
struct Walk {
    std::vector<double> w1, w2, loss;
};
//-

// The call of `zero_grad` clears the gradients of the pass before; the [next page](micrograd.cpp) explains why.
Walk descend(bool at_once) {
    Value w1 = 0.5, w2 = 2;
    Walk walk;
    const auto look = [&] {
        const Value loss = lol(w1, w2);
        w1.zero_grad(), w2.zero_grad();
        loss.backward();
        return loss.data();
    };
    for (int step = 0; step <= steps_made(); ++step) {
        walk.loss.push_back(look());
        walk.w1.push_back(w1.data()), walk.w2.push_back(w2.data());
        w1.set(w1.data() - rate() * w1.grad());
        if (!at_once) look();  // a fresh gradient for the second
        w2.set(w2.data() - rate() * w2.grad());
    }
    return walk;
}

// With a small enough learning rate the loss must fall at every step, and it does:
//- two descents, and how the figure is drawn
void down_the_hill() {
    const Walk walk = descend(true), other = descend(false);
    int rises = 0;
    double apart = 0;
    for (std::size_t i = 1; i < walk.loss.size(); ++i) {
        rises += walk.loss[i] >= walk.loss[i - 1];
        const double dx = walk.w1[i] - other.w1[i], dy = walk.w2[i] - other.w2[i];
        apart = std::max(apart, std::hypot(dx, dy));
    }
    say("after {} steps: {:.4f} x {:.4f} = {:.4f}", steps_made(), walk.w1.back(),
        walk.w2.back(), walk.w1.back() * walk.w2.back());
    say("one weight after the other: {:.4f} x {:.4f}", other.w1.back(),
        other.w2.back());
    claim("eq-lol-gradient-descent/a", "steps at which the loss did not fall", rises,
          "==", 0);
    claim("eq-lol-gradient-descent/b", "the loss at the end", walk.loss.back(), "<",
          1e-6);
    claim("eq-lol-gradient-descent/c",
          "the largest distance between the paths of the two methods", apart, ">", 0);
    // how the figure is drawn
    const double right = 4, low = 1, high = 4;
    const int across = 120, down = 90;
    std::vector<double> hill, stops;
    for (int i = 0; i < down; ++i)
        for (int j = 0; j < across; ++j) {
            const double a = (j + 0.5) * right / across;
            const double b = high - (i + 0.5) * (high - low) / down;
            hill.push_back(std::log(std::pow(a * b - product(), 2) + 0.02));
        }
    for (int step = 0; step <= std::min(20, steps_made()); ++step)
        stops.push_back(step);
    Figure drawn("fig-lol");
    drawn.slider("step", stops, "step", stops.back())
        .field(0, right, low, high, across, hill, "log of the loss")
        .describe(
            "A valley curved like a hyperbola, over the plane of two weights. A slider "
            "counts steps. Two paths start at the left edge, move apart and stop at "
            "different places on the floor of the valley.");
    for (const double step : stops) {
        const auto path = [&](const char* who, const Walk& w, figure::Color color) {
            const auto end = std::ptrdiff_t(step) + 1;
            drawn.at(step).line(
                who, std::vector(w.w1.begin(), w.w1.begin() + end),
                std::vector(w.w2.begin(), w.w2.begin() + end),
                {.color = color, .dash = figure::solid, .points = true});
        };
        path("both at once", walk, figure::red);
        path("one after the other", other, figure::ink);
    }
    drawn.xlim(0, right).ylim(low, high).x("ω1").y("ω2").save(
        "The loss lol; colours show its logarithm. Every point of the dark hyperbola "
        "is a solution. Move the slider: steps are long where the loss is steep, and "
        "the two methods end at different solutions.");
}
//-

// ## Gradients add up
//
// A chain cannot show one thing. A number may be used twice, and then two paths lead from it to the loss. A change
// travels along both paths and arrives twice, so the gradient is the *sum* over the paths. This is why our tape
// says `grad + share`. A common mistake in a first tape is an assignment in that place. It works for chains, and so
// passes the first test, and fails as soon as a number is used again:
//- an assignment and a sum, compared
void twice_is_a_sum() {
    Tape tape;
    const int a = tape.put(3), b = tape.put(-2), doubled = tape.add(a, a);
    tape.backward(doubled, false);
    claim("claim-grad-accumulation/a",
          "with an assignment, the derivative of a + a with respect to a (it should "
          "be 2)",
          tape.grad(a), "==", 1);
    tape.backward(doubled);
    double off = std::abs(tape.grad(a) - difference([](double t) { return t + t; }, 3));
    tape.backward(tape.add(tape.multiply(a, b), a));
    const double by_a = difference([](double t) { return t * -2 + t; }, 3),
                 by_b = difference([](double t) { return 3 * t + 3; }, -2);
    off = std::max({off, std::abs(tape.grad(a) - by_a), std::abs(tape.grad(b) - by_b)});
    say("d(ab + a)/da = {}, d(ab + a)/db = {}", tape.grad(a), tape.grad(b));
    claim("claim-grad-accumulation/b",
          "with a sum, for a + a and ab + a: the largest gap to differences", off,
          "<=", 1e-8);
}

//-

// ## The backward pass needs the forward pass
//
// Computing the values is called the {term}`forward pass`, computing the gradients the {term}`backward pass`. The
// backward pass reads what the forward pass recorded. The derivative of a product is the *other* factor: if
// $s = f d$, then $\partial\ell/\partial f = \partial\ell/\partial s \cdot d$. The backward pass uses the $d$ from
// which $s$ was computed, which `multiply` recorded for this purpose, even if $d$ has changed since. Two things
// follow. All recorded values must be kept until the backward pass has used them, which costs [memory](memory.cpp).
// And once a weight has changed, they are out of date.
//- the gradient of a factor
void the_way_there() {
    const Value f = 1.5, e = 0.25;
    const Value d = e + 0.5, s = f * d, end = pow(s, 2);
    end.backward();
    claim_true("claim-forward-values-needed/a",
               "the gradient of f is that of s, times the recorded d",
               f.grad() == d.data() * s.grad());

    //-

    // Suppose that you change both weights of lol and, to save time, repeat only the backward pass, with the old
    // records. The derivative with respect to $\omega_1$ should be $2(\omega_1\omega_2 - x)\,\omega_2$ with the new
    // weights, but comes out with the old ones. So we can predict the error. (All numbers here are sums of a few
    // powers of two, so nothing is rounded.)
    //- the stale gradient, and the predicted error
    const auto slope = [](double w1, double w2) { return 2 * (w1 * w2 - 6) * w2; };
    Value w1 = 0.5, w2 = 2;
    const Value loss = pow(w1 * w2 - 6, 2);
    loss.backward();
    const double before = slope(0.5, 2), after = slope(0.75, 2.25);
    w1.set(0.75), w2.set(2.25);
    w1.zero_grad(), w2.zero_grad();
    loss.backward();  // through the old numbers
    const double stale = w1.grad();
    w1.zero_grad(), w2.zero_grad();
    pow(w1 * w2 - 6, 2).backward();  // a new forward pass, then backward
    say("derivative with respect to the first weight: {}, from the old records: {}",
        w1.grad(), stale);
    claim("claim-forward-values-needed/b",
          "the error of the stale gradient, minus the predicted error",
          (stale - w1.grad()) - (before - after), "==", 0);

    //-

    // The library's tape for whole tensors guards against this mistake. It counts the changes of every tensor that
    // the backward pass will read, and compares the counts during the backward pass:
    //- a tensor that changes before the backward pass
    Tensor v({1}, {Real(0.5)});
    v.requires_grad_();
    const Tensor squared = v * v;
    v.set({0}, Real(0.75));
    try {
        squared.backward();
    } catch (const Error& error) {
        say("{}", error.what());
    }
}
//-

void page() {
    one_after_the_other();
    three_stages();
    share_the_front();
    a_graph();
    down_the_hill();
    twice_is_a_sum();
    the_way_there();
}

// ## Summary
//
// The derivative of a composition is the product of the derivatives along the path, and where several
// paths meet, their products add up. One pass from the loss backwards shares the common factors, so a chain of $D$
// weights costs $2D$ multiplications in place of $D(D+1)/2$. This pass reads the values that the forward pass
// recorded.
//
// ## What is missing
//
// Our tape knows only sums and products, and refers to numbers by position. [The next page](micrograd.cpp) makes it
// comfortable: you write a formula, and the tape records itself. [The page after it](tiny_network.cpp) builds neurons
// from single numbers, and trains them, to find out how far this goes.
//
// ```{try}
// - Descend with longer steps: `--rate 0.07`, then `--rate 0.09`. What do the paths do in the valley? Which claims
//   break?
// - Ask for another product: `--product 2`. Do the two methods still end at different places?
// - Count to greater depths: `--depth 500`. What is the ratio of the two counts?
// ```
