// # Model classes: a family and a choice
//
// ```{rows} eq-training-argmin
// ```
//
// A model is a function $f(x; w)$ of an input $x$ with numbers $w$ left open, its **parameters** or weights. With the
// parameters filled in it is one function. With the parameters open it is a whole family of functions, the **model
// class**, also called **hypothesis space** because each member is one hypothesis about the data. Training chooses one
// member of the family. What decides the choice: the family, the loss, or the algorithm that searches?
//
// Here the family is all straight lines, and three algorithms search it. Do they choose the same line? Move the slider:
//
// ```{opening} fig-walks
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/losses/pairwise_loss.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace recto;
using book::ask, book::claim, book::say;
using data::even_grid;
using figure::Figure;

const book::Option<Index> steps_allowed("steps", 2000,
                                        "largest number of steps of an optimiser",
                                        {.quick = 200, .least = 1});
const book::Option<double> noise("noise", 0.3,
                                 "standard deviation of the noise around the line",
                                 {.least = 0.0});
//-

//- how the figure is drawn
struct Walk {
    std::vector<double> a, b;  // where the optimiser went, in two of the parameters
    Index steps = 0;
    std::vector<double> line;  // what it chose: slope and height
};
struct Walks {
    Walk descent, momentum, adam;
    double apart() const {  // the largest difference of slope or height
        double most = 0;
        for (const Walk* p : {&descent, &momentum, &adam})
            for (const Walk* q : {&descent, &momentum, &adam})
                for (const std::size_t i : {0, 1})
                    most = std::max(most, std::abs(p->line[i] - q->line[i]));
        return most;
    }
};

void draw_paths(Figure& figure, const Walks& walks) {
    const std::vector<double> stops = {0, 1, 2, 3, 5, 10, 20, 40, 80, 400};
    figure.slider("steps", stops, "steps", stops.back());
    for (const double stop : stops) {
        figure.at(stop);
        const auto path = [&](const char* label, const Walk& w, figure::Color color) {
            const auto until = [&](const std::vector<double>& all) {
                const std::size_t count = std::min(std::size_t(stop) + 1, all.size());
                return std::vector(all.begin(), all.begin() + std::ptrdiff_t(count));
            };
            const std::vector<double> a = until(w.a), b = until(w.b);
            figure.line(label, a, b, {.color = color, .points = false})
                .dots("", {a.back()}, {b.back()}, {.color = color, .width = 4});
        };
        path("descent", walks.descent, figure::red);
        path("with momentum", walks.momentum, figure::ochre);
        path("Adam", walks.adam, figure::blue);
    }
    figure.always();
}

void draw_walks(const Walks& walks, const Tensor& x, const Tensor& y) {
    std::vector<double> landscape;
    const int across = 160, down = 120;
    const double left = -1.6, right = 2.2, low = -1.6, high = 2.0;
    for (int i = 0; i < down; ++i)
        for (int j = 0; j < across; ++j) {
            const double slope = left + (j + 0.5) * (right - left) / across;
            const double height = high - (i + 0.5) * (high - low) / down;
            const Tensor errors = x * slope + height - y;
            landscape.push_back(
                std::log(double(mse_loss(errors, zeros({50, 1})).item())));
        }
    Figure figure("fig-walks");
    figure
        .describe(
            "A landscape over slope and height: a long, narrow oval valley. Three "
            "paths start at its left edge. Gradient descent jumps from side to side; "
            "momentum swings past the minimum and back; Adam takes a smooth path. All "
            "end at the same place.")
        .field(left, right, low, high, across, landscape, "log of the loss");
    draw_paths(figure, walks);
    figure.x("slope").y("height").save(
        "Each point of this plane is a line, and its colour is the logarithm of its "
        "loss on fifty samples: dark is low. Three optimisers start at the same bad "
        "line and take different paths.");
}
//-

// ## A choice
//
// A small family has two parameters, the slope $a$ and the **intercept** $b$, the line's height at $x = 0$. It holds
// all straight lines $f(x; a, b) = a x + b$. The loss of a line is its [mean squared error](fit_curve.cpp) on the
// samples. Take three samples, $(0, 0)$, $(1, 1)$ and $(2, 1)$. The line with $a = 1$, $b = 0$ misses them by 0, 0 and
// 1, so its loss is $\frac13 = 0.33$. The line with $a = 0.5$, $b = 0.17$ misses them by 0.17, 0.33 and 0.17, so its
// loss is $0.056$. No line has a smaller loss. Training is one line of mathematics:
//
// ```{equation} eq-training-argmin
// :function: recto::optim::fit
// :test: fit: three optimisers, one minimum
// w^\ast = \operatorname*{argmin}_w \Loss(w)
// ```
//
// Read: $w^\ast$ is the $w$ with the smallest loss. The formula says *what* is chosen, and leaves open *how*. An
// algorithm that searches for the minimum is an **optimiser**. The next chapter explains them; here we test whether the
// choice depends on them. The simplest one, gradient descent, computes the derivatives of the loss and changes each
// parameter a little in the opposite direction. At the line $a = 1$, $b = 0$ above, the derivative is $\frac43$ with
// respect to $a$ and $\frac23$ with respect to $b$. We subtract a tenth of these derivatives; the factor 0.1 is the
// **learning rate**. This leads to $a = 0.867$, $b = -0.067$, and the one step halves the loss, from 0.33 to 0.16.
//
// Three optimisers start at the same bad line: plain gradient descent; gradient descent with momentum, which also keeps
// part of its last step; and Adam {cite:p}`kingma2015`, which adapts the step size of each parameter. Fifty points lie
// around a line with $a = 0.8$ and $b = -0.5$, with noise.
//- the samples, and the paths of three optimisers
struct Points {
    Tensor x, y;
};
Points points() {
    Generator random(book::seed());
    const Tensor x = random.uniform({50, 1}, 0, 2);
    return {x, Real(0.8) * x - Real(0.5) + random.normal({50, 1}, 0, Real(noise()))};
}

optim::FitOptions until_flat() { return {.steps = steps_allowed(), .tolerance = 1e-6}; }
//-
template <class Optimiser>
Index search(const NamedTensors& w, auto options, const std::function<Tensor()>& loss,
             const optim::Callback& look) {
    Optimiser optimiser(w, options);
    return optim::fit(optimiser, loss, until_flat(), look).steps;
}
//- three times from a bad line, and what is checked
template <class Optimiser>
Walk walk(const Points& data, auto options) {
    Generator random(0);
    nn::Linear line(1, 1, random);
    nn::assign(nn::parameters(line), {{"weight", Tensor({1, 1}, {Real(-1.4)})},
                                      {"bias", Tensor({1}, {Real(-0.2)})}});
    Walk path;
    const auto look = [&](const auto&...) {
        path.a.push_back(double(line.weight.item()));
        path.b.push_back(double(line.bias.item()));
    };
    look();
    path.steps = search<Optimiser>(
        nn::parameters(line), options, [&] { return mse_loss(line(data.x), data.y); },
        look);
    path.line = {path.a.back(), path.b.back()};
    return path;
}

void choice() {
    const Points data = points();
    const Walks walks = {
        walk<optim::Sgd>(data, optim::SgdOptions{.lr = 0.35}),
        walk<optim::Sgd>(data, optim::SgdOptions{.lr = 0.05, .momentum = 0.85}),
        walk<optim::Adam>(data, optim::AdamOptions{.lr = 0.1})};
    const auto arrived = [](const char* name, const Walk& w) {
        say("{:<13} {:>4} steps to slope {:.4f}, height {:.4f}", name, w.steps,
            w.line[0], w.line[1]);
    };
    arrived("descent", walks.descent);
    arrived("with momentum", walks.momentum);
    arrived("Adam", walks.adam);
    claim("eq-training-argmin/a",
          "the largest difference of a parameter between two of the three optimisers",
          walks.apart(), "<=", 1e-4);
    draw_walks(walks, data.x, data.y);
}
//-

// The same function {cpp:func}`~recto::optim::fit` runs all three. It takes an optimiser and a loss, and stops when
// no component of the gradient exceeds $10^{-6}$. The next pages train with it, too. The three optimisers
// need 134, 172 and 279 steps and end at the same line, up to $5 \times 10^{-6}$. The line is not the one that made
// the points, with slope 0.8 and height $-0.5$: with noise, another line fits these fifty points better.
//
// {numref}`fig-walks` shows the **parameter space**, in which each point is a line. This loss has a single minimum, so the
// optimiser decides the path and not the end.
//
// ## The same family with other parameters
//
// Write the slope as a product of two parameters, $f(x; u, v, b) = u v x + b$. This is the same family: every line can
// be written so, and nothing else. But now many parameters mean one line. The slope 0.6, for example, is $1 \cdot 0.6$,
// $2 \cdot 0.3$ and $-1 \cdot (-0.6)$. The three optimisers start at $u = 1.4$, $v = -1$, the same bad line as before.
//- three optimisers on a product, what is asked, and how the figure is drawn
template <class Optimiser>
Walk walk_product(const Points& data, auto options) {
    const auto one = [](double value) {
        return Tensor({1}, {Real(value)}).requires_grad_();
    };
    const Tensor u = one(1.4), v = one(-1), b = one(-0.2);
    Walk path;
    const auto look = [&](const auto&...) {
        path.a.push_back(double(u.item()));
        path.b.push_back(double(v.item()));
    };
    look();
    path.steps = search<Optimiser>(
        {{"u", u}, {"v", v}, {"b", b}}, options,
        [&] { return mse_loss(u * v * data.x + b, data.y); }, look);
    path.line = {path.a.back() * path.b.back(), double(b.item())};
    return path;
}

void product() {
    const Points data = points();
    const Walks walks = {
        walk_product<optim::Sgd>(data, optim::SgdOptions{.lr = 0.2}),
        walk_product<optim::Sgd>(data, optim::SgdOptions{.lr = 0.05, .momentum = 0.85}),
        walk_product<optim::Adam>(data, optim::AdamOptions{.lr = 0.1})};
    const double lines = walks.apart(),
                 parameters = std::abs(walks.descent.a.back() - walks.adam.a.back());
    ask("The family is the same, and so are the samples and the loss. Where do the "
        "three optimisers end?",
        {{"At the same parameters, and so at the same line.",
          lines <= 1e-3 && parameters <= 1e-3,
          "All parameters with the same product have the same loss, so the loss does "
          "not choose among them."},
         {"At other parameters, but at the same line.",
          lines <= 1e-3 && parameters > 1e-3,
          "The loss depends on the product alone and has one minimum as a function of "
          "the line. Each optimiser stops where its path meets the best product."},
         {"At different lines: this loss has many minima.", lines > 1e-3,
          "It has many minima, but all of them are the same line."}});
    const auto arrived = [](const char* name, const Walk& w) {
        say("{:<13} u {:.3f}, v {:.3f}, their product {:.4f}", name, w.a.back(),
            w.b.back(), w.line[0]);
    };
    arrived("descent", walks.descent);
    arrived("with momentum", walks.momentum);
    arrived("Adam", walks.adam);
    claim("",
          "a product: the largest difference of slope or height between two of them",
          lines, "<=", 1e-4);
    claim("", "a product: the difference of u between descent and Adam", parameters,
          ">=", 0.05);
    const double slope = walks.descent.line[0];
    std::vector<double> u, v;
    for (const double sign : {-1., 1.}) {
        for (const double at : even_grid(80, 0.25, 2))
            u.push_back(sign * at), v.push_back(sign * slope / at);
        u.push_back(NAN), v.push_back(NAN);
    }
    Figure figure("fig-product");
    figure
        .describe(
            "The plane of u and v with a hyperbola, on which the product is the best "
            "slope. Three paths start below it at u = 1.4 and v = −1, and each ends at "
            "another point of the hyperbola.")
        .line("best product", u, v,
              {.color = figure::ink, .dash = figure::dashed, .points = false});
    draw_paths(figure, walks);
    figure.xlim(-1.2, 2.6).ylim(-1.2, 2.6).height(640).x("u").y("v").save(
        "Every point of the dashed curve is the same best line. Three optimisers from "
        "one start reach it at different points.");
}
//-

// The three lines differ by less than $5 \times 10^{-6}$, the parameters by as much as 1.3 ({numref}`fig-product`).
// Nothing in the loss prefers one point of the curve, so the path decides where an optimiser stops. Networks, which
// the next page builds, have this freedom, too. Exchange two terms of a sum together with their weights, and the
// function stays the same. Double the weights of a random feature like those of [double descent](double_descent.cpp)
// and halve the weight of its output, and the function stays the same again. So compare models by what they compute,
// not by their weights.
//
// ## Another loss, another family
//
// The optimiser did not change the line. What does? We keep the samples and change one thing at a time. First the loss:
// the **absolute error** counts an error of 2 twice as much as an error of 1, the squared error four times. Near zero we
// round its corner (the *Huber loss*), so that the gradient can vanish. Then the family: parabolas $a x + b + c x^2$, a
// family that contains every line, and constants, a family with a single parameter.
//- four choices, and how the table is made
struct Chosen {
    double at[3];  // the function at 0, 1 and 2
    double loss;   // its mean squared error
};

Chosen choose(const Points& data, Index degree, bool huber) {
    const Tensor powers[] = {data.x, square(data.x)};
    std::vector<Tensor> w;
    NamedTensors named;
    for (Index k = 0; k <= degree; ++k) {
        w.push_back(zeros({1}).requires_grad_());
        named.push_back({fmt::format("w{}", k), w.back()});
    }
    const auto f = [&](const Tensor& x) {
        Tensor sum = w[0] + 0 * x, power = x;
        for (Index k = 1; k <= degree; ++k, power = power * x)
            sum = sum + w[std::size_t(k)] * power;
        return sum;
    };
    optim::Adam adam(named, {.lr = 0.1});
    optim::fit(
        adam,
        [&] {
            return huber ? huber_loss(f(data.x), data.y, 0.05)
                         : mse_loss(f(data.x), data.y);
        },
        until_flat());
    const NoGrad only_asking;
    const std::vector<Real> at = f(Tensor({3}, {0, 1, 2})).values();
    return {{at[0], at[1], at[2]}, double(mse_loss(f(data.x), data.y).item())};
}

void other_choices() {
    const Points data = points();
    std::vector<std::vector<book::Cell>> rows;
    const auto add = [&](const char* changed, Index degree, bool huber) {
        const Chosen c = choose(data, degree, huber);
        const auto brief = [](double n) { return std::round(1000 * n) / 1000; };
        rows.push_back(
            {changed, brief(c.at[0]), brief(c.at[1]), brief(c.at[2]), brief(c.loss)});
        return c;
    };
    const Chosen line = add("lines, squared error", 1, false);
    const Chosen absolute = add("lines, absolute error", 1, true);
    const Chosen parabola = add("parabolas, squared error", 2, false);
    const Chosen constant = add("constants, squared error", 0, false);
    book::table(
        "four-choices",
        "The chosen function at three inputs, and its mean squared error on the "
        "samples.",
        {"family and loss", "f(0)", "f(1)", "f(2)", "squared error"}, rows);
    const auto moved = [&](const Chosen& c) {
        double most = 0;
        for (const std::size_t i : {0, 1, 2})
            most = std::max(most, std::abs(c.at[i] - line.at[i]));
        return most;
    };
    claim("", "the least move of the function by another loss or another family",
          std::min({moved(absolute), moved(parabola), moved(constant)}), ">=", 0.01);
}
//-

// Both changes move the answer. With the absolute error large deviations pull less, and here the slope is 0.88 in place of
// 0.96. The best parabola bends upwards. The best constant is the mean of the targets, and its error is more than three
// times that of a line: this family does not hold a good answer. The parabola has the smallest error of all four, as it
// must, since every line is a parabola with $c = 0$. That does not make it the best choice. The points come from a line,
// and the bend follows their noise. Which family to take is the subject of [overfitting](overfitting.cpp).
void page() {
    choice();
    product();
    other_choices();
}

// ## Summary
//
// A model class is a family of functions with open parameters, and training takes the member with the smallest loss. The
// family, the samples and the loss decide which function is chosen. If the loss has one minimum, the optimiser decides
// only the path; if several parameters mean one function, it also decides which of them you get.
//
// ## What is missing
//
// Losses of networks have many minima that are different functions, and then the result depends on the path: [a later
// page](hard_and_rich.cpp) is about that. And real families have not three parameters but millions. [The next
// page](modules.cpp) builds such families from parts, and counts.
//
// ```{try}
// - Stop the optimisers early: `--steps 20`. Which one is closest to the minimum?
// - Remove the noise: `--noise 0`. What is the loss at the minimum, and where do the optimisers end?
// ```
