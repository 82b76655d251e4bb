// # Slopes multiply
//
// ```{rows} eq-scalar-chain-rule eq-three-stage-chain fig-003-lol-graph eq-lol-gradient-descent claim-grad-accumulation claim-forward-values-needed claim-backprop-shares-products
// ```
//
// Every step of the last pages went against a gradient, and every time the gradient was simply there. It is the
// expensive part. A network has a million weights, and each of them wants to know how the loss would change if it
// changed a little. To try it out takes a million runs. This page finds all the answers in one go, with one rule
// from school and some care about the order of multiplications. That is {term}`backpropagation`
// {cite:p}`rumelhart1986`, and nothing of it is left out here except size.
//- includes and names
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
//-

// Four numbers can be changed:
const book::Option<int> depth("depth", 64, "stages of the longest chain",
                              {.quick = 32, .least = 3, .most = 500});
const book::Option<double> product("product", 6,
                                   "what the two numbers are to multiply to",
                                   {.least = 0.5, .most = 20.0});
const book::Option<double> rate("rate", 0.02, "how far a step goes",
                                {.least = 0.0, .most = 1.0});
const book::Option<int> steps_made("steps", 40, "how many steps down the hill",
                                   {.least = 1, .most = 300});

// ## One after the other
//
// Let $u = g(x)$ and $y = f(u)$. Move $x$ by a small $h$. Then $u$ moves by about $g'(x)\,h$, and $y$ moves by
// $f'(u)$ times *that*. Two gears behave in the same way: the ratios multiply. That is the {term}`chain rule`.
//
// ```{equation} eq-scalar-chain-rule
// :function: recto::Value::backward
// :test: Value: every operation against differences
// y = f(g(x)) \quad\Rightarrow\quad y' = g'(x) \, f'(g(x))
// ```
//
// Mind where the outer slope is taken: at $g(x)$, not at $x$. Five functions with their slopes give twenty pairs
// of different ones. For each we put the rule beside what nobody can argue with, {term}`central differences
// <central difference>`: move $x$ a little to both sides and look.
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

double chained(const Function& f, const Function& g, double x) {
    return g.slope(x) * f.slope(g.at(x));
}

double difference(const std::function<double(double)>& y, double x) {
    const double h = 1e-3;  // four points: what is left of the error goes with h^4
    return (y(x - 2 * h) - 8 * y(x - h) + 8 * y(x + h) - y(x + 2 * h)) / (12 * h);
}

// The farthest of 41 places counts:
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
          "the farthest that the rule and the differences are apart", farthest,
          "<=", 1e-7);

    // {numref}`fig-gears` is one of the pairs, to turn by hand.
    //- how the figure is drawn
    const Function &g = functions[3], &f = functions[0];
    const std::vector<double> stops = even_grid(37, -18, 18);
    Figure gears("fig-gears");
    gears.columns(3)
        .height(230)
        .slider("stop", stops, "x, in tenths", 10)
        .describe(
            "Three curves with tangents: u is x squared, y the sine of u, and y over "
            "x. The slope of the third is the product of the other two.");
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
        "Move $x$. The third tangent is as steep as the other two together. Where one "
        "of them is flat, the third is flat as well: at $x = 0$ because of the square, "
        "at the top of the sine because of the sine.");
    //-
}

// A flat gear stops the whole train. Keep that in mind; [a later page](vanishing.cpp) is about what it does to
// deep networks.
//
// ## Three stages, two weights
//
// A loss is more than two functions, and its weights enter in the middle. Take the smallest network there is. A
// neuron squeezes $\omega_1 x$ through a tanh, a second weight multiplies the result, and the loss is the square
// of what remains to the target:
//
// $$ f_1 = \tanh(\omega_1 x), \;\; f_2 = \omega_2 f_1, \;\; f_3 = f_2 - y, \;\; \ell = f_3^2 . $$
//
// Which way does a change of $\omega_1$ take to the loss? Through $f_1$, $f_2$ and $f_3$. The change of
// $\omega_2$ joins it on the way, at $f_2$. So we multiply along each way:
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
// Each factor is the slope of a single operation, and those we know from school:
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
    claim("eq-three-stage-chain/a", "by hand and by the tape, the larger gap",
          std::max(std::abs(a.grad() - by_hand1), std::abs(b.grad() - by_hand2)),
          "<=", 1e-8);
    const double there1 = difference([&](double v) { return loss(v, b).data(); }, w1),
                 there2 = difference([&](double v) { return loss(a, v).data(); }, w2);
    claim("eq-three-stage-chain/b", "by hand and by differences, the larger gap",
          std::max(std::abs(there1 - by_hand1), std::abs(there2 - by_hand2)),
          "<=", 1e-8);
}

// ## Share the front
//
// Look at {eq}`eq-three-stage-chain` again. Both products begin alike. Whoever works out each one for itself
// computes $\frac{\partial\ell}{\partial f_3} \frac{\partial f_3}{\partial f_2}$ twice. With two weights that is
// a trifle. How does it grow?
//
// To count, we need a machine that we can look into. Here is the whole of one, a {term}`tape`. It writes down
// every number, with the numbers it was computed from and the slopes by them. The way back reads the list from
// its end. Whenever it comes to a number, all that was computed from it has been dealt with, so its gradient is
// complete. It multiplies it by each slope and hands it on.
struct Tape {
    struct Number {
        double value, grad;
        std::array<int, 2> from;  // places on the tape, -1 for none
        std::array<double, 2> slope;
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

// Ours is a chain of $D$ weights, each multiplying what the one before it made. One student follows each weight's
// way to the loss from the loss down and multiplies what is on it. The other calls `backward`, once.
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
    double one_product(std::size_t weight) {  // of the slopes on its way
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
    bool same = true;  // do both find the same?
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

// Before we count, guess:
void share_the_front() {
    const Counts hundred = count(100);
    ask_number(
        "A chain of 100 weights. How many times as many multiplications does the "
        "student need who treats each weight by itself?",
        double(hundred.apart) / hundred.together, 3,
        "The ways have 1, 2, ... 100 slopes, about 50 for each weight. The way back "
        "multiplies twice for each. Twice the depth makes twice the factor.");

    // Weight number $d$ lies $D - d + 1$ slopes from the loss. Added over all weights that is $D(D+1)/2$. The way
    // back multiplies twice at each stage, once for the weight and once for the rest of the chain.
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
    claim_true("", "both find the same gradients, to the last bit", same);
    claim("claim-backprop-shares-products/a",
          "one product for each weight: the farthest that the count is from D(D+1)/2",
          off_square, "==", 0);
    claim("claim-backprop-shares-products/b",
          "one way back for all: the farthest that the count is from 2D", off_line,
          "==", 0);
    Figure("fig-shared")
        .describe(
            "Two counts against the depth of the chain. Separate products rise as a "
            "parabola; the way back is a straight line that soon lies far below.")
        .line("each by itself", depths, apart, {.points = false})
        .line("one way back", depths, together, {.points = false})
        .x("depth D of the chain")
        .y("multiplications")
        .save(
            "The price of all gradients of a chain, counted. The parabola asks again "
            "and again for what it already had.");
    book::shows("claim-backprop-shares-products/c", "fig-shared");
}

// The trick has a name in computer science, dynamic programming, and a direction. Products that share their front
// must be multiplied from the front, that is, from the loss backwards. From the other end, from a weight
// forwards, we would get the slopes of *everything* by *one* weight. We want the slope of one thing by
// everything.
//
// ## A graph, and down the hill
//
// Chains are rare. What a computation really makes is a {term}`graph <computational graph>`: every number is a
// node, and arrows lead to it from what it was computed from. We take the smallest hill with two weights that is
// not dull. Two numbers are wanted whose product is $x$, and a number that is off by $d$ costs $d^2$:
Value lol(const Value& w1, const Value& w2) { return pow(w1 * w2 - product(), 2); }

// We call it $\mathrm{lol}(x; \omega_1, \omega_2) = (\omega_1 \omega_2 - x)^2$, a loss with little ambition. To
// know whether its gradients are right, we ask how far they are from differences.
double gap(const std::function<Value(const Value&, const Value&)>& loss, double w1,
           double w2) {
    const Value a = w1, b = w2;
    loss(a, b).backward();
    const auto first = [&](double v) { return loss(v, w2).data(); };
    const auto second = [&](double v) { return loss(w1, v).data(); };
    return std::max(std::abs(a.grad() - difference(first, w1)),
                    std::abs(b.grad() - difference(second, w2)));
}

// The library draws what was recorded. Read {numref}`fig-003-lol-graph` downwards for the values and upwards for
// the gradients: `grad` of a node is the number on an arrow times `grad` of the node at its tip.
void a_graph() {
    const Value w1 = 0.5, w2 = 2, loss = lol(w1, w2);
    loss.backward();
    figure::value_diagram("fig-003-lol-graph", loss,
                          {{"ω1", w1}, {"ω2", w2}, {"lol", loss}})
        .describe(fmt::format(
            "A graph of six numbers. Omega 1, {:.4g}, and omega 2, {:.4g}, meet in a "
            "product; a constant is taken off; the square is the loss, {:.4g}. The "
            "gradient of omega 1 is {:.4g}, that of omega 2 {:.4g}.",
            w1.data(), w2.data(), loss.data(), w1.grad(), w2.grad()))
        .save(
            "What lol was computed from. In each node the value and, under it, the "
            "gradient of the loss; on each arrow the slope of that step.");
    book::shows("fig-003-lol-graph/b", "fig-003-lol-graph");

    double off = 0;
    for (const double a : even_grid(9, -3, 3))
        for (const double b : even_grid(9, -3, 3)) off = std::max(off, gap(lol, a, b));
    claim("fig-003-lol-graph/a",
          "gradients of lol and differences, the largest gap at 81 places", off,
          "<=", 1e-8);
}

// With gradients at hand, down we go. Both numbers move at once, each against its own slope, as far as the
// {term}`learning rate` $\eta$ says:
//
// ```{equation} eq-lol-gradient-descent
// :function: recto::optim::Sgd
// :test: Sgd: steps by the definition
// \omega_i \leftarrow \omega_i - \eta \, \frac{\partial \Loss}{\partial \omega_i} , \qquad i = 1, 2 .
// ```
//
// *At once* is part of the rule. Both slopes belong to the place where we stood. If the first number moves, and
// we then look again before the second one moves, we walk another way. It is a method too, only not this one.
struct Walk {
    std::vector<double> w1, w2, loss;
};

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
        if (!at_once) look();  // a fresh slope for the second
        w2.set(w2.data() - rate() * w2.grad());
    }
    return walk;
}

// On a small enough step the loss must fall, and it does so at every one:
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
    say("one after the other: {:.4f} x {:.4f}", other.w1.back(), other.w2.back());
    claim("eq-lol-gradient-descent/a", "steps at which the loss did not fall", rises,
          "==", 0);
    claim("eq-lol-gradient-descent/b", "the loss at the end", walk.loss.back(), "<",
          1e-6);
    claim("eq-lol-gradient-descent/c",
          "the farthest that the other way of walking leads away from this one", apart,
          ">", 0);
    //- how the figure is drawn
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
        .field(0, right, low, high, across, hill)
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
        "The hill of lol; colours are the logarithm of the loss. Every point of the "
        "dark hyperbola is a solution. Move the slider: steps are long where the hill "
        "is steep, and the two ways of walking end at different solutions.");
    //-
}

// ## Twice is a sum
//
// One thing a chain cannot show. A number may be used twice, and then two ways lead from it to the loss. The
// change goes both ways and arrives twice, so the gradient is the *sum* over the ways. That is why our tape says
// `grad + share`. The commonest mistake of those who write their first tape is an assignment in that place. It
// works for chains, and so for the first test, and fails as soon as a number is used again:
void twice_is_a_sum() {
    Tape tape;
    const int a = tape.put(3), b = tape.put(-2), doubled = tape.add(a, a);
    tape.backward(doubled, false);
    claim("claim-grad-accumulation/a",
          "with an assignment, the derivative of a + a by a", tape.grad(a), "==", 1);
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

// ## The way back needs the way there
//
// The way there is called the {term}`forward pass`, the way back the {term}`backward pass`. The second one reads
// what the first one wrote. A slope of a product is the *other* factor: if $s = f d$, then $\partial\ell/\partial
// f = \partial\ell/\partial s \cdot d$. The way back does not ask what $d$ is now. It uses the $d$ that was there
// when $s$ was computed, and `multiply` wrote it down for that. Two things follow. All those numbers must be kept
// until the way back has passed, which costs [memory](memory.cpp). And once a weight has moved they are out of
// date.
void the_way_there() {
    const Value f = 1.5, e = 0.25;
    const Value d = e + 0.5, s = f * d, end = pow(s, 2);
    end.backward();
    claim_true("claim-forward-values-needed/a",
               "the gradient by f is that by s, times the d that was kept",
               f.grad() == d.data() * s.grad());

    // Suppose that somebody moves both weights of lol and, to save time, goes back once more through the old
    // numbers. The slope by $\omega_1$ should be $2(\omega_1\omega_2 - x)\,\omega_2$ with the new weights and
    // comes out with the old ones. So we know beforehand by how much it is wrong. (All numbers here are sums of a
    // few powers of two, so nothing is rounded.)
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
    pow(w1 * w2 - 6, 2).backward();  // a new way there, then back
    say("the slope by the first weight is {}, and the old numbers say {}", w1.grad(),
        stale);
    claim("claim-forward-values-needed/b",
          "how far the stale gradient is off, against the prediction",
          (stale - w1.grad()) - (before - after), "==", 0);

    // The library's tape for whole tensors takes no chances. For every tensor that a rule will read it keeps a count of
    // changes, and compares the counts on the way back:
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

void page() {
    one_after_the_other();
    three_stages();
    share_the_front();
    a_graph();
    down_the_hill();
    twice_is_a_sum();
    the_way_there();
}

// ## What is missing
//
// Our tape knows sums and products and numbers have no names but places. [The next page](micrograd.cpp) makes it
// comfortable: one writes a formula, and the tape writes itself. Then it builds neurons from single numbers, and
// trains them, to find out how far one gets in this way.
//
// ```{try}
// - Take longer steps down the hill: `--rate 0.07`, then `--rate 0.09`. What do the paths do in the valley? Which claims break?
// - Ask for another product: `--product 2`. Do the two walks still end at different places?
// - Count to greater depths: `--depth 500`. By which factor do the two counts differ?
// ```
