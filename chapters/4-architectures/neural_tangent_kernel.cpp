// # The neural tangent kernel: infinitely wide networks
//
// ```{rows} eq-ntk claim-overparametrised-easier
// ```
//
// The last pages looked at depth. What if the *width* of a layer grows and grows? Two surprising things happen. A
// random network becomes predictable: although all its weights are random, one function of two inputs, the **neural
// tangent kernel**, is nearly the same for every draw. And training becomes easier: very wide networks succeed from
// nearly every start, although the loss is still not convex. {numref}`fig-ntk` shows the kernel of five random
// networks. Move the slider to widen them.
//
// ```{opening} fig-ntk
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/core/named_tensors.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using figure::Figure;

const book::Option<int> draws("draws", 20, "random networks of each width",
                              {.quick = 10, .least = 10, .most = 1000});
const book::Option<Index> trained("trained", 50, "students of each width",
                                  {.quick = 5, .least = 5, .most = 1000});
const book::Option<Index> steps("steps", 1000, "steps of a student",
                                {.quick = 50, .least = 1});

const std::vector<Index> widths = {16, 64, 256, 1024, 4096};

// Defined further down:
struct Network;
Tensor kernel(const Network& net, const Tensor& x);
double closed_form(double angle);

// Answers of one teacher for each student, with mean 0 and variance 1.
Tensor teachers(const Tensor& x, Generator& random) {
    const Tensor w = random.normal({trained(), 3, 4}),
                 v = random.normal({trained(), 4, 1});
    const Tensor y = matmul(relu(matmul(x, w)), v);
    const Tensor centred = y - mean(y, {1, 2}, Keep::yes);
    return centred / sqrt(mean(square(centred), {1, 2}, Keep::yes));
}
NamedTensors random_students(Index m, Generator& random) {
    const Index count = trained();
    NamedTensors parts;
    const auto in = Real(std::sqrt(2.0 / 3)), out = Real(std::sqrt(1 / double(m)));
    parts.push_back({"w", random.normal({count, 3, m}, 0, in)});
    parts.push_back({"b", zeros({count, 1, m})});
    parts.push_back({"v", random.normal({count, m, 1}, 0, out)});
    parts.push_back({"c", zeros({count, 1, 1})});
    for (NamedTensor& part : parts) part.tensor.requires_grad_();
    return parts;
}
// Inputs on the unit circle, at these angles.
Tensor on_circle(const std::vector<double>& angles) {
    std::vector<Real> x;
    for (const double a : angles)
        x.push_back(Real(std::cos(a))), x.push_back(Real(std::sin(a)));
    return Tensor({Index(angles.size()), 2}, x);
}
// Of each line, the slope against the width, in logarithms.
std::vector<double> slopes_of(const std::vector<std::vector<double>>& lines) {
    double mid = 0;
    for (const Index m : widths) mid += std::log(double(m)) / double(widths.size());
    std::vector<double> found;
    for (const std::vector<double>& y : lines) {
        double xy = 0, xx = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double dx = std::log(double(widths[i])) - mid;
            xy += dx * std::log(y[i]), xx += dx * dx;
        }
        found.push_back(xy / xx);
    }
    return found;
}
//-

// ## Moved by a sample
//
// Take the model $f(x) = w_1 x + w_2$. Its gradient with respect to the weights is $(x, 1)$. A step of gradient descent
// on a single sample $x'$ with error $e$ changes the weights by $-\eta e \cdot (x', 1)$. What does this do to the
// answer for *another* input $x$? It changes by $-\eta e \, (x x' + 1)$. For $x = 2$ and $x' = 3$, the factor is $2
// \cdot 3 + 1 = 7$. This factor is the scalar product of two gradients, and it exists for every model:
//
// ```{equation} eq-ntk
// :function: kernel
// K(x, x') = \nabla_w f(x; w) \cdot \nabla_w f(x'; w)
// ```
//
// The **kernel** $K$ says how much a step on one input moves the answer for another. For a linear model, $K$ does not
// depend on the weights. For a network it does, and it changes during training. {cite:t}`jacot2018` found that both
// dependences vanish as the width grows.
//
// We use the smallest network that shows it: two inputs, one hidden layer of $m$ ReLU units, one output. All weights
// are standard normal, and the sum over the units is divided by $\sqrt m$:
struct Network {
    Tensor w, v;

    Network(Index m, Generator& random)
        : w(random.normal({2, m})), v(random.normal({m, 1})) {
        w.requires_grad_(), v.requires_grad_();
    }
    Tensor operator()(const Tensor& x) const {
        return matmul(relu(matmul(x, w)), v) / std::sqrt(double(v.size(0)));
    }
};

// The kernel comes from backward passes, one for each input. The gradient of each pass becomes a row of a matrix $G$,
// and $K = G\,G^\top$ holds all scalar products:
Tensor kernel(const Network& net, const Tensor& x) {
    std::vector<Tensor> rows;
    for (Index i = 0; i < x.size(0); ++i) {
        net.w.zero_grad(), net.v.zero_grad();
        sum(net(slice(x, 0, i, i + 1))).backward();
        const Tensor w = reshape(net.w.grad(), {1, net.w.numel()});
        rows.push_back(concat({w, reshape(net.v.grad(), {1, net.v.numel()})}, 1));
    }
    const Tensor g = concat(rows, 0);
    return matmul(g, transpose(g));
}

// ## The kernel of an infinite network
//
// $K$ is a mean over the $m$ units. Each unit has its own random weights, so the law of large numbers holds: the mean
// tends to an expectation. For two inputs of length 1 with the angle $\alpha$ between them, this expectation is known
// {cite:p}`cho2009`:
//
// $$ K_\infty(\alpha) = \frac{\sin \alpha + 2 (\pi - \alpha) \cos \alpha}{2 \pi} $$
double closed_form(double angle) {
    const double pi = std::numbers::pi;
    return (std::sin(angle) + 2 * (pi - angle) * std::cos(angle)) / (2 * pi);
}
//- how the figure is drawn
void ntk() {
    const std::vector<double> angles = data::even_grid(25, 0, std::numbers::pi);
    std::vector<double> limit, settings;
    for (const double a : angles) limit.push_back(closed_form(a));
    for (const Index m : widths) settings.push_back(double(m));
    Figure figure("fig-ntk");
    figure
        .describe(
            "The kernel against the angle between two inputs. A dashed curve falls "
            "from 1 at angle 0 to about 0 at angle π, slightly below zero on the way. "
            "Five lines for five random networks scatter widely around it at width 16 "
            "and lie on it at width 4096.")
        .slider("units", settings, "width of the network", 16);
    for (const Index m : widths) {
        std::vector<std::vector<double>> lines;
        for (int draw = 0; draw < 5; ++draw) {
            Generator random(book::seed() + std::uint64_t(draw));
            const Network net(m, random);
            const std::vector<Real> k =
                select(kernel(net, on_circle(angles)), 0, 0).values();
            lines.emplace_back(k.begin(), k.end());
        }
        figure.at(double(m)).lines("five networks", angles, lines,
                                   {.color = figure::blue});
    }
    figure.always()
        .line("infinite width", angles, limit,
              {.color = figure::red, .dash = figure::dashed, .points = false})
        .ylim(-0.5, 2)
        .x("angle between the two inputs")
        .y("kernel K")
        .save(
            "The neural tangent kernel of five random networks, for inputs on the unit "
            "circle. Move the slider: the wider the networks, the nearer all of them "
            "are to "
            "the kernel of infinite width.");
}
//-
//- spread and drift, how they are drawn and checked
// Trains on ten points of the circle, in full batches.
double drift(Network& net, const Tensor& x, const Tensor& y) {
    const Tensor before = kernel(net, x);
    optim::Sgd sgd({{"w", net.w}, {"v", net.v}}, {.lr = 0.1});
    optim::fit(sgd, [&] { return sum(square(net(x) - y)) / 2.0; }, {.steps = 200});
    return double(norm(kernel(net, x) - before).item() / norm(before).item());
}

void spread_and_drift() {
    const std::vector<double> angles = data::even_grid(10, 0, 1.8 * std::numbers::pi);
    const Tensor x = on_circle(angles);
    std::vector<Real> targets, limits;
    for (const double a : angles) targets.push_back(Real(std::sin(2 * a)));
    for (const double a : angles)
        for (const double b : angles)
            limits.push_back(Real(closed_form(std::acos(std::cos(a - b)))));
    const Tensor y({10, 1}, targets), limit({10, 10}, limits);
    std::vector<double> spreads, off;
    Tensor middle;           // the mean kernel of the widest networks
    const Index groups = 5;  // of the draws, to see how far the slope is certain
    std::vector<std::vector<double>> all(static_cast<std::size_t>(draws())),
        parts(static_cast<std::size_t>(groups));
    const auto spread_of = [](const Tensor& kernels) {
        return std::sqrt(double(sum(variance(kernels, {0})).item())) /
               double(norm(mean(kernels, {0})).item());
    };
    for (const Index m : widths) {
        std::vector<Tensor> kernels;
        std::vector<double> moved;
        for (int draw = 0; draw < draws(); ++draw) {
            Generator random(book::seed() + std::uint64_t(100 + draw));
            Network net(m, random);
            kernels.push_back(reshape(kernel(net, x), {1, 10, 10}));
            if (m == widths.back())
                off.push_back(
                    double(norm(kernels.back() - limit).item() / norm(limit).item()));
            moved.push_back(drift(net, x, y));
            all[std::size_t(draw)].push_back(moved.back());
        }
        const Tensor joined = concat(kernels, 0);
        spreads.push_back(spread_of(joined));
        for (Index g = 0; g < groups; ++g)
            parts[std::size_t(g)].push_back(
                spread_of(slice(joined, 0, g, joined.size(0), groups)));
        middle = reshape(mean(joined, {0}), {10, 10});
        say("width {}: spread {:.3f}, drift {:.4f}", m, spreads.back(),
            book::median(moved));
    }
    std::vector<double> places;
    for (const Index m : widths) places.push_back(double(m));
    Figure("fig-ntk-width")
        .describe(
            "Two lines on logarithmic axes against the width from 16 to 4096. The "
            "spread over initialisations and the drift during training both fall along "
            "nearly straight lines, the spread by a factor of 16 and the drift by "
            "nearly 50.")
        .line("spread over draws", places, spreads,
              {.color = figure::blue, .dash = figure::solid, .points = true})
        .lines("drift during training", places, all,
               {.color = figure::ochre, .dash = figure::solid})
        .log_axes()
        .x("width")
        .y("relative to the size of the kernel")
        .save(
            "Blue: the standard deviation of the kernel over twenty random networks, "
            "relative to its mean. Ochre: how far the kernel of each network moves in "
            "200 steps of gradient descent.");
    book::shows("eq-ntk/a", "fig-ntk-width");
    claim_in("eq-ntk/b", "the exponent of the width in the spread over draws",
             over_seeds(slopes_of(parts)), -0.6, -0.4);
    claim("eq-ntk/c", "the exponent of the width in the drift",
          over_seeds(slopes_of(all)), "<", -0.3);
    claim("eq-ntk/d", "width 4096: the kernel against that of infinite width, relative",
          over_seeds(off), "<=", 0.03);
    claim("", "width 4096: the mean kernel of all draws against that of infinite width",
          double(norm(middle - limit).item() / norm(limit).item()), "<=", 0.015);
}
//-

// Both lines of {numref}`fig-ntk-width` fall. The spread over draws falls as the root of the width, as the spread of
// any mean of $m$ independent terms does: at width 4096 it is 0.029 of the kernel. A single network of
// this width differs from the limit by as much: by 0.028 in the median of twenty draws, and by 0.016 to 0.045 in single
// draws. The mean kernel of the twenty differs from it by 0.005 only. The drift falls even faster here,
// from 0.39 to 0.008. Why does the kernel hardly move, although the network learns? The answer moves by a fixed amount,
// and $m$ units share the work. The more units there are, the less each weight has to move, and a small move changes
// hardly any ReLU from active to inactive. Training with a fixed kernel is a *linear* problem: in the limit of infinite
// width gradient descent on a network is kernel regression.
//
// ## Wide students succeed more often
//
// A fixed kernel leaves no bad local minimum. Real networks are far from the limit. Does width help them to train? We
// test it with a **teacher** and a **student**. The teacher is a random network with three inputs and 4 hidden units.
// The student has $m$ hidden units and learns the teacher's answers to 100 inputs, shifted and scaled to mean 0 and
// variance 1. So the student has biases in both layers, and the teacher has none. With $m = 4$ a
// perfect student exists: a copy of the teacher. Place your bet:
//- the question
void bet(const std::vector<double>& rates) {
    ask("A student with 4 hidden units learns from a teacher with 4 hidden units. In "
        "what share of 50 pairs does its mean squared error end below a thousandth of "
        "the variance of the answers, at the best learning rate?",
        {{"In nearly all: the student can represent the teacher exactly.",
          rates[0] > 0.9,
          "A solution exists. Gradient descent must also find it, with no unit to "
          "spare."},
         {"In about half.", rates[0] >= 0.3 && rates[0] <= 0.7,
          "The other half end at a higher loss. With 64 units, sixteen for each unit "
          "of "
          "the teacher, nearly all succeed."},
         {"In nearly none: no unit is to spare.", rates[0] < 0.1,
          "Four units suffice from many starts."}});
}
//-

// All students of one width train at once, in one batched product, each with its own teacher:
std::vector<double> student_losses(Index m, double lr, Index total) {
    Generator random(book::seed());
    const Tensor x = random.normal({1, 100, 3});
    const Tensor y = teachers(x, random);
    const NamedTensors parts = random_students(m, random);
    const auto losses = [&] {
        const Tensor h = relu(matmul(x, parts[0].tensor) + parts[1].tensor);
        return mean(square(matmul(h, parts[2].tensor) + parts[3].tensor - y), {1, 2});
    };
    optim::Adam adam(parts);
    const auto falling = [&](Index k) { return lr * (1 - double(k) / double(total)); };
    optim::fit(adam, [&] { return sum(losses()); }, {.steps = total, .lr = falling});
    const std::vector<Real> found = losses().values();
    return {found.begin(), found.end()};
}
//- how the figure is drawn, and what is checked
void students() {
    const std::vector<double> sizes = {4, 8, 16, 32, 64};
    std::vector<double> rates, errors;
    for (const double m : sizes) {
        double best = 0, best_lr = 0;
        for (const double lr : {0.01, 0.03, 0.1, 0.3}) {
            double good = 0;
            for (const double loss : student_losses(Index(m), lr, steps()))
                good += loss < 1e-3;
            if (good > best) best = good, best_lr = lr;
        }
        const double rate = best / double(trained());
        rates.push_back(rate);
        errors.push_back(std::sqrt(rate * (1 - rate) / double(trained())));
        say("{} units: {} of {} students succeed, at the learning rate {}", m, best,
            trained(), best_lr);
        if (m == sizes.front()) {
            double good = 0;
            for (const double loss : student_losses(Index(m), best_lr, 5 * steps()))
                good += loss < 1e-3;
            say("{} units, {} steps: {} of {} students succeed", m, 5 * steps(), good,
                trained());
        }
    }
    bet(rates);
    std::vector<double> low, high;
    double fall =
        -INFINITY;  // the largest from one width to the next, in standard errors
    for (std::size_t k = 0; k < rates.size(); ++k) {
        low.push_back(rates[k] - errors[k]), high.push_back(rates[k] + errors[k]);
        if (k == 0) continue;
        const double noise = std::hypot(errors[k], errors[k - 1]);
        const double lower = rates[k - 1] - rates[k];
        fall = std::max(fall, lower == 0 ? 0 : lower / noise);
    }
    Figure("fig-students")
        .describe(
            "The rate of success against the width of the student, on a logarithmic "
            "axis, with a band of a standard error. It rises from about one half at 4 "
            "units to 1 at 32 and 64 units.")
        .band("", sizes, low, high, {.color = figure::blue})
        .line("", sizes, rates,
              {.color = figure::blue, .dash = figure::solid, .points = true})
        .log_x()
        .ylim(0, 1.05)
        .x("hidden units of the student")
        .y("rate of success")
        .save(
            "The share of students whose mean squared error ends below a thousandth of "
            "the variance, of 50 with a teacher of their own, at the best of four "
            "learning rates. The band is one standard error. The teachers have 4 "
            "units.");
    book::shows("claim-overparametrised-easier/a", "fig-students");
    const int count = int(trained());
    claim("claim-overparametrised-easier/b",
          "the largest fall of the rate from one width to the next, in standard errors",
          book::Measured(fall, fall, fall, count), "<=", 2);
    claim("claim-overparametrised-easier/c", "the rate of success with 64 units",
          book::Measured(rates.back(), low.back(), high.back(), count), ">=", 0.9);
    claim("claim-overparametrised-easier/d", "the rate of success with 4 units",
          book::Measured(rates[0], low[0], high[0], count), "<=", 0.6);
}
//-

// Half of the students with 4 units succeed. Would they only need more time? With 5,000 steps it is again 25 of 50.

void page() {
    ntk();
    spread_and_drift();
    students();
}

// ## Limits
//
// The kernel describes networks whose weights hardly move. Networks that learn useful features move their weights, so
// the limit explains why wide networks *train*, not why they are good. The factor $1/\sqrt m$ belongs to the result:
// with other scalings the features move at every width {cite:p}`yang2021`. And success of the students is measured on the
// training set of one small task.
//
// ## Summary
//
// The neural tangent kernel is the scalar product of the gradients for two inputs. As the width grows, its spread over
// random draws and its drift during training vanish, and it tends to a closed form. Finite networks show the benefit:
// wider students reach a small training loss more often, although narrow ones could.
//
// ## What is missing
//
// Does a larger network that fits its training set also answer well on new inputs? [Double
// descent](../foundations/double_descent.cpp) measured it. The kernel also says which functions are learned soon and which
// late. [The next page](low_frequencies.cpp) watches this happen.
//
// ```{try}
// - Shorter training: `--steps 300`. Which width loses most?
// - More draws: `--draws 100`. Which exponent does the spread have now?
// ```
