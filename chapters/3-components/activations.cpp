// # Activation functions: what bends a network
//
// ```{rows} claim-need-nonlinearity fig-4.5 eq-relu eq-tanh eq-sigmoid eq-leaky-relu
// ```
//
// Convolutions and fully connected layers have one thing in common: both multiply by numbers and add. If a network had
// only such layers, a thousand of them could do no more than one. So an **activation function** stands between them
// and bends what passes. How much must it bend? Try it in {numref}`fig-bend`. Its activation function is two
// half-lines that meet at zero. The right one has slope 1, and the slider sets that of the left one. At slope 1
// there is no bend. The network learns **XOR**, a small task that a single layer cannot solve: answer 1 if
// exactly one of two inputs is 1, and else 0.
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using data::even_grid;
using figure::Figure;

const book::Option<Index> training("steps", 300, "training steps on XOR",
                                   {.quick = 50, .least = 1, .most = 100'000});
const book::Option<Index> units("units", 16, "hidden units of the network for XOR",
                                {.least = 1, .most = 1000});
const book::Option<int> seeds("seeds", 5, "networks for each slope",
                              {.quick = 2, .least = 1, .most = 100});
//-

//- XOR, and a network with one hidden layer
const Tensor inputs({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}), answers({4, 1}, {0, 1, 1, 0});

double error_of(const auto& net) {
    const NoGrad only_asking;
    return double(mse_loss(net(inputs), answers).item());
}
template <class Net>
Net learned(Net net) {
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
    optim::fit(adam, [&] { return mse_loss(net(inputs), answers); },
               {.steps = training()});
    return net;
}

struct Bent {
    nn::Linear hidden, out;
    double a;  // its activation function's slope below zero

    Tensor operator()(const Tensor& x) const { return out(leaky_relu(hidden(x), a)); }
    void visit(auto&& part) { part("hidden", hidden), part("out", out); }
};
Bent bent(double a, int draw) {
    Generator random(book::seed() + std::uint64_t(draw));
    const nn::Linear hidden(2, units(), random), out(units(), 1, random);
    return learned(Bent{hidden, out, a});
}

//-
//- how the figure is drawn
const std::vector<double> slopes = {-1, 0, 0.25, 0.5, 0.8, 0.9, 1};
void bend_figure() {
    const int side = 9;
    figure::Names rightwards, downwards;
    std::vector<Real> places;
    for (const double up : even_grid(side, 1, 0)) {
        downwards.push_back(fmt::format("{:.3g}", up));
        for (const double right : even_grid(side, 0, 1))
            places.push_back(Real(right)), places.push_back(Real(up));
    }
    rightwards.assign(downwards.rbegin(), downwards.rend());
    Figure figure("fig-bend");
    figure
        .describe(
            "Left: an activation function of two half-lines; a slider sets the slope "
            "of the left one. Right: the answers of a trained network at 81 places of "
            "the unit square. Without a bend all answers are one half. With a bend, "
            "two opposite corners are near 0 and the other two near 1.")
        .slider("slope", slopes, "slope below zero", 1)
        .height(285)
        .panel("the activation function")
        .xlim(-2, 2)
        .ylim(-2, 2)
        .x("input")
        .y("output");
    const Tensor x({3}, {-2, 0, 2});
    for (const double a : slopes)
        figure.at(a).line("", x.values(), leaky_relu(x, a).values(),
                          {.color = figure::blue, .points = false});
    figure.always().panel("the answers of the network").x("input 1").y("input 2");
    for (const double a : slopes)
        figure.at(a).heatmap("answer", rightwards, downwards,
                             bent(a, 0)(Tensor({side * side, 2}, places)).values(), 0,
                             1);
    figure.always().save(
        "The activation function of a network with one hidden layer, and the network's "
        "answers after 300 steps of training on XOR, whose four inputs are the "
        "corners. At slope 1 the network answers one half everywhere. Move the slider "
        "to the left: the four corners separate.");
}

//-
// ## Many linear layers are one
//
// Take two layers of one number each. The first makes $3x + 1$ of $x$; the second doubles its input and adds 4.
// Together they make $2(3x + 1) + 4 = 6x + 6$, and a single layer could have done this. With matrices it is the same:
//
// $$ W_2\,(W_1 x + b_1) + b_2 = (W_2 W_1)\, x + (W_2\, b_1 + b_2) . $$
//
// The right side is again a matrix and a bias: an *affine* function. A convolution is affine too, as is every average.
// So any stack of such layers collapses into one layer, which you can compute:
struct Affine {
    Tensor w, b;
};
Affine collapse(const nn::Mlp& net) {
    Affine all{net.layers[0].weight, net.layers[0].bias};
    for (std::size_t d = 1; d < net.layers.size(); ++d) {
        const nn::Linear& layer = net.layers[d];
        all = {matmul(layer.weight, all.w), layer(all.b)};
    }
    return all;
}

// We collapse five layers of a hundred units and compare the answers. Then we train five linear layers on XOR:
//- what is checked
void linear_networks() {
    Generator random(book::seed());
    const nn::Mlp deep({20, 100, 100, 100, 100, 10}, nullptr, random);
    const Tensor x = random.normal({100, 20});
    const Affine one = collapse(deep);
    const Tensor y = deep(x);
    claim("claim-need-nonlinearity/a",
          "five linear layers against the one layer into which they collapse: the "
          "largest difference of an output, as a share of the largest output",
          double((max(abs(y - linear(x, one.w, one.b))) / max(abs(y))).item()),
          "<=", 1e-5);
    const nn::Mlp net = learned(nn::Mlp({2, 8, 8, 8, 8, 1}, nullptr, random));
    claim("claim-need-nonlinearity/b",
          "five linear layers, trained on XOR: the mean squared error", error_of(net),
          ">=", 0.25);
}
//-

// With an error of 0.25 the network answers $\frac12$ to everything. More training would not help, for the following
// reason. An affine function has $f(0,0) + f(1,1) = f(0,1) + f(1,0)$, since both sides are twice its value in the
// middle of the square. For the right answers the left sum is 0 and the right sum is 2. So the four errors, two of
// them with a minus sign, add up to 2, and their squares are smallest if each error is $\frac12$. The mean square is
// then $\frac14$, however many layers there are.
//
// ## How much bend is enough?
//
// The activation function of {numref}`fig-bend` is called **leaky ReLU**, and $a$ is its slope below zero.
//- the question
void how_much() {
    const NoGrad only_asking;
    const double a = 0.9;
    const Tensor z({1}, {1});
    const double error = double(
        max(abs((leaky_relu(z, a) + leaky_relu(-z, a)) / (1 - a) - abs(z))).item());
    ask("With slope a = 0.9, the activation function is almost a straight line. How "
        "small can a network with two hidden units make its mean squared error on XOR?",
        {{"Hardly below 0.25: the function is nearly linear, and so is the network.",
          error > 0.5,
          "This would hold if the weights had to be small. But the next layer can "
          "multiply a small bend by a large weight."},
         {"About a tenth of the way: 0.225.", error > 1e-3 && error <= 0.5,
          "The bend is a tenth of that of ReLU, but the weights of the next layer are "
          "free to make up for it."},
         {"Zero, as with ReLU.", error <= 1e-3,
          "Two units make the absolute value of a difference, up to a factor of 1 - a. "
          "The next layer divides by it."}});
}
//-

// One bend makes another. Add the function to its mirror image: a positive $z$ gives $z + a \cdot (-z)$, and a
// negative $z$ gives $az - z$. Both are $(1 - a)\, |z|$. With $a = 0.9$ and $z = 2$ the two terms are $2$ and $-1.8$,
// and their sum $0.2$ is a tenth of $|2|$. Now XOR is $|x_1 - x_2|$, so two hidden units and the output weight
// $1/(1-a)$ solve it exactly:
Tensor exact_xor(const Tensor& x, double a) {
    const Tensor w({2, 2}, {1, -1, -1, 1});  // x1 - x2, and x2 - x1
    const Tensor bends = leaky_relu(linear(x, w), a);
    return sum(bends, {1}, Keep::yes) / (1 - a);
}

// For $a = 0.9$ the output weights are 10, for $a = 0.99$ they are 100. In exact arithmetic any bend is enough; in
// practice you pay for a small bend with large weights, and gradient descent must find them. {numref}`fig-bend-speed`
// shows what 300 training steps achieve.
//- what is checked, and how the figure is drawn
void price_of_a_small_bend() {
    for (const double a : {0.9, 0.99})
        say("a = {}: mean squared error of the two units {:.1e}", a,
            error_of([&](const Tensor& x) { return exact_xor(x, a); }));
    std::vector<double> at, errors, middles;
    for (const double a : slopes) {
        std::vector<double> draws;
        for (int draw = 0; draw < seeds(); ++draw) {
            draws.push_back(error_of(bent(a, draw)));
            at.push_back(a), errors.push_back(draws.back());
        }
        middles.push_back(book::median(draws));
        say("slope {:>5}: mean squared error {}", a, book::brief(over_seeds(draws)));
    }
    Figure("fig-bend-speed")
        .describe(
            "The mean squared error on XOR after training, on a logarithmic axis, "
            "against "
            "the slope below zero. Dots for single networks and a line through their "
            "medians: tiny at slope minus one and zero, rising towards slope one, "
            "where "
            "all networks end at one quarter.")
        .line("median", slopes, middles, {.color = figure::blue})
        .dots("one network", at, errors, {.color = figure::grey})
        .rule_y(0.25, "1/4")
        .log_y()
        .x("slope below zero")
        .y("mean squared error")
        .save(
            "The error on XOR after 300 steps, for five random starts at each slope. A "
            "strong bend is learned to many digits; near slope 1 training is slow, and "
            "at "
            "slope 1 nothing can be learned.");
}
//-

// With slopes up to 0.5, all five networks end with an error below $10^{-8}$. At 0.9 the median error is still
// 0.19, not because the network could do no better, but because its weights have not yet grown large enough.
// {numref}`fig-bend` shows one of these networks.
//
// ## Four activation functions
//
// All activation functions in common use bend far more. These four you will meet most often.
//
// **ReLU**, the *rectified linear unit*, keeps positive numbers and replaces negative ones by zero. It maps $-2, 0, 3$
// to $0, 0, 3$:
//
// ```{equation} eq-relu
// :function: recto::relu
// :test: equations: activations
// \mathrm{relu}(x) = \begin{cases} x & \text{if } x \ge 0 \cr 0 & \text{if } x < 0 \end{cases}
// ```
//
// At zero it has no derivative. The library takes 0 there, as PyTorch does. {cite:t}`fukushima1969` used this function
// in a network that extracts features from images, and {cite:t}`nair2010` and {cite:t}`glorot2011` brought it into
// deep learning.
//
// **Leaky ReLU** keeps a small slope below zero, so that negative numbers still make a difference {cite:p}`maas2013`.
// With $a = 0.01$ it maps $-2$ to $-0.02$:
//
// ```{equation} eq-leaky-relu
// :function: recto::leaky_relu
// :test: equations: activations
// \mathrm{leakyrelu}_a(x) = \begin{cases} x & \text{if } x \ge 0 \cr a x & \text{if } x < 0 \end{cases}
// ```
//
// The **hyperbolic tangent** bends smoothly and *saturates*: it maps every number into the interval from $-1$ to $1$,
// and $0, 1, 2, 3$ to $0, 0.76, 0.96, 0.995$. It is odd, $\tanh(-x) = -\tanh x$, so it treats both signs alike:
//
// ```{equation} eq-tanh
// :function: recto::tanh
// :test: equations: activations
// \tanh x = \frac{e^x - e^{-x}}{e^x + e^{-x}}, \qquad \tanh' x = 1 - \tanh^2 x
// ```
//
// The **sigmoid** is the same curve between 0 and 1, half as high and twice as wide: $\tanh x = 2\sigma(2x) - 1$. As
// the [probability of a yes](../training/predicting_distributions.cpp) it stands at the end of many networks:
//
// ```{equation} eq-sigmoid
// :function: recto::sigmoid
// :test: equations: activations
// \sigma(x) = \frac{1}{1 + e^{-x}}, \qquad \sigma'(x) = \sigma(x)\,\big(1 - \sigma(x)\big)
// ```
//
// Read literally, this formula computes $e^{1000}$ at $x = -1000$, which overflows to infinity. The library rewrites
// the formula so that only negative numbers are exponentiated.
//
// {numref}`fig-4.5` shows three of them and GELU, a smooth relative of ReLU that the next page introduces. Dotted
// lines are the derivatives, which the library computes with the tape:
std::vector<Real> derivative(Tensor (*f)(const Tensor&), const Tensor& at) {
    const Tensor x = clone(at).requires_grad_();
    sum(f(x)).backward();
    return x.grad().values();
}
//- the curves, how they are checked and drawn
Tensor leaky(const Tensor& x) { return leaky_relu(x, 0.1); }
void four_curves() {
    struct Curve {
        const char* name;
        Activation f;
        double (*reference)(double);
    };
    const std::vector<Curve> curves = {
        {"Tanh", tanh,
         [](double x) { return (std::exp(2 * x) - 1) / (std::exp(2 * x) + 1); }},
        {"ReLU", relu, [](double x) { return x < 0 ? 0 : x; }},
        {"Leaky ReLU, a = 0.1", leaky, [](double x) { return x < 0 ? x / 10 : x; }},
        {"GELU", gelu,
         [](double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; }},
    };
    const std::vector<double> grid = even_grid(1001, -3, 3);
    const Tensor x({1001}, std::vector<Real>(grid.begin(), grid.end()));
    double worst = 0;
    Figure figure("fig-4.5");
    figure
        .describe(
            "Four panels with a curve and its derivative each. Tanh rises from -1 to 1 "
            "and is flat at both ends. ReLU is zero below zero and rises with slope 1 "
            "above. Leaky ReLU falls with a small slope below zero. GELU looks like a "
            "ReLU with a rounded corner that dips a little below zero.")
        .height(200);
    for (const Curve& curve : curves) {
        const std::vector<Real> drawn = curve.f(x).values();
        for (std::size_t i = 0; i < grid.size(); ++i)
            worst = std::max(worst, std::abs(drawn[i] - curve.reference(grid[i])));
        figure.panel(curve.name)
            .line("activation function", grid, drawn,
                  {.color = figure::blue, .points = false})
            .line("derivative", grid, derivative(curve.f, x),
                  {.color = figure::grey, .dash = figure::dotted, .points = false})
            .xlim(-3, 3)
            .ylim(-1.1, 3)
            .x("x");
    }
    figure.save(
        "Three activation functions and GELU, with their derivatives. The derivative "
        "of "
        "tanh vanishes at both ends, that of ReLU jumps from 0 to 1, that of leaky "
        "ReLU is "
        "nowhere zero. After Figure 4.5 of {cite:t}`fleuret2023`.");
    book::shows("fig-4.5/a", "fig-4.5");
    claim("fig-4.5/b",
          "the drawn values against the formulas in the standard library, the largest "
          "of 4004 differences",
          worst, "<=", 1e-6);
}
//-

// ## Where the bend is not enough
//
// {cite:t}`leshno1993` showed how little is needed in theory: with a single hidden layer, wide enough, a network comes
// as close as you like to any continuous function on a bounded region exactly if its activation function is not a
// polynomial. So all activation functions of this page are equal in *what* a wide network can approximate. The theorem
// says nothing about how many units you need, or whether training finds the weights: there the functions differ,
// because their derivatives decide how much of a gradient passes. That is what the next three pages measure.

void page() {
    bend_figure();
    linear_networks();
    how_much();
    price_of_a_small_bend();
    four_curves();
}

// ## Summary
//
// Without an activation function, any stack of linear layers is one linear layer, and cannot even learn XOR. Any bend
// lifts this limit, but a small bend needs large weights and long training. ReLU and leaky ReLU bend at one corner;
// tanh and sigmoid bend smoothly and become flat.
//
// ## What is missing
//
// ReLU has a corner, and below zero it passes nothing on. [The next page](rectifiers.cpp) meets its relatives, most of
// which are smooth.
//
// ```{try}
// - Only two hidden units: `--units 2`. At which slopes does training still solve XOR?
// - Ten times the steps: `--steps 3000`. How small is the error at slope 0.9 now?
// ```
