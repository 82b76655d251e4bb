// # Saturation and dead units: where gradients stop
//
// ```{rows} claim-sigmoid-bounded claim-relu-no-vanish claim-relu-cheap claim-leaky-avoids-dead
// ```
//
// In the backward pass an [activation function](activations.cpp) multiplies the gradient by its derivative. Where the
// curve is flat, the gradient stops. A sigmoid is flat at both ends: a unit with such inputs is **saturated**. ReLU is
// flat below zero: if a unit's input is negative for every sample, its weights get no gradient, and the unit is
// **dead**. How often does each happen, and what does it cost? In {numref}`fig-saturated` the slider widens the
// distribution of the inputs of a sigmoid. Watch the dots leave the steep middle of the curve.
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/math.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::timing_claim;
using data::even_grid;
using figure::Figure;

const book::Option<Index> depth("depth", 30, "layers that the gradient passes",
                                {.least = 2, .most = 500});
const book::Option<Index> width("width", 64, "units of each layer",
                                {.quick = 32, .least = 2, .most = 1024});
const book::Option<double> bias("bias", -4, "bias of all hidden units at the start");
const book::Option<Index> training("steps", 500, "training steps after that start",
                                   {.quick = 20, .least = 1, .most = 100'000});
const book::Option<int> seeds("seeds", 5, "repetitions of each experiment",
                              {.quick = 1, .least = 1, .most = 100});

Tensor leaky(const Tensor& x) { return leaky_relu(x); }
struct Named {
    const char* name;
    Activation f;
};
const std::vector<Named> four = {
    {"sigmoid", sigmoid}, {"tanh", tanh}, {"ReLU", relu}, {"leaky ReLU", leaky}};
double mean_slope(Activation f, double scale);
//-

//- how the figure is drawn
// Even quantiles of the standard normal distribution, by bisection.
std::vector<double> normal_quantiles(int count) {
    std::vector<double> found;
    for (int i = 0; i < count; ++i) {
        const double share = (i + 0.5) / count;
        double low = -10, high = 10;
        for (int halving = 0; halving < 60; ++halving) {
            const double middle = (low + high) / 2;
            (std::erfc(-middle / std::sqrt(2.0)) / 2 < share ? low : high) = middle;
        }
        found.push_back(low);
    }
    return found;
}
const std::vector<double> scales = {0.1, 0.3, 1, 2, 3, 5, 10, 30};
void saturated_figure() {
    const std::vector<double> at = even_grid(241, -12, 12),
                              normal = normal_quantiles(41);
    Figure figure("fig-saturated");
    figure
        .describe(
            "Left: the sigmoid with 41 dots, the outputs for normal inputs whose scale "
            "a "
            "slider sets. At small scales all dots lie in the steep middle; at scale "
            "30 "
            "nearly all lie on the flat ends. Right: the mean derivative against the "
            "scale. It falls for sigmoid and tanh and is constant for ReLU and leaky "
            "ReLU.")
        .slider("scale", scales, "scale of the inputs", 1)
        .height(285)
        .panel("41 inputs of a sigmoid")
        .line("", at, sigmoid(Tensor({241}, at)).values(),
              {.color = figure::grey, .points = false})
        .xlim(-12, 12)
        .ylim(-0.05, 1.05)
        .x("input")
        .y("output");
    for (const double scale : scales) {
        std::vector<double> x;
        for (const double z : normal)
            if (std::abs(scale * z) <= 12) x.push_back(scale * z);
        figure.at(scale).dots("", x, sigmoid(Tensor({Index(x.size())}, x)).values(),
                              {.color = figure::blue});
    }
    figure.always()
        .panel("four functions")
        .log_axes()
        .x("scale of the inputs")
        .y("mean derivative")
        .ylim(0.01, 1.2);
    for (const auto& [name, f] : four) {
        std::vector<double> means;
        for (const double scale : scales) means.push_back(mean_slope(f, scale));
        figure.always().line(name, scales, means, {.points = false});
        for (std::size_t i = 0; i < scales.size(); ++i)
            figure.at(scales[i]).dots(name, {scales[i]}, {means[i]});
    }
    figure.always().save(
        "Outputs of a sigmoid for normally distributed inputs (dots beyond ±12 are not "
        "drawn), and the mean derivative of four activation functions for such inputs. "
        "Wider inputs saturate more sigmoids and tanhs; the mean derivatives of ReLU "
        "and leaky ReLU stay near one half.");
    book::shows("claim-relu-no-vanish/a", "fig-saturated");
}
//-

// ## Saturated units
//
// The derivative of the sigmoid is $\sigma'(x) = \sigma(x)\,(1 - \sigma(x))$. At $x = 0$ it is $0.25$, its largest
// value; at $x = 5$ it is $0.0066$, at $x = 10$ it is $0.000045$. So the mean derivative depends on how wide the inputs
// are. Let the inputs be $s Z$ with a standard normal $Z$ and a scale $s$. For large $s$ only inputs near zero
// contribute, and there the density of $sZ$ is $1/(s\sqrt{2\pi})$. The integral of the derivative is 1, because the
// sigmoid rises from 0 to 1. Therefore
//
// $$ \mathbb E\big[\sigma'(s Z)\big] \approx \frac{1}{s \sqrt{2\pi}} \approx \frac{0.4}{s} . $$
//
// Once $s$ is large, ten times wider inputs let a tenth of the gradient pass. ReLU has the derivative 1 for every
// positive input, large or small. Half of the inputs are positive, so its mean derivative is $\frac12$ at every scale.
// The tape computes these means, with 1,001 evenly spaced quantiles in place of random inputs:
double mean_slope(Activation f, double scale) {
    static const std::vector<double> z = normal_quantiles(1001);
    const Tensor x = (Tensor({1001}, z) * scale).detach().requires_grad_();
    sum(f(x)).backward();
    return double(mean(abs(x.grad())).item());
}
//- a table
void mean_slopes() {
    std::vector<std::vector<book::Cell>> rows;
    for (const auto& [name, f] : four) {
        rows.push_back({name});
        for (const double scale : {0.1, 1.0, 10.0, 30.0})
            rows.back().push_back(fmt::format("{:.3f}", mean_slope(f, scale)));
    }
    book::table("slopes", "Mean derivative for normal inputs of four scales.",
                {"", "0.1", "1", "10", "30"}, rows);
}
//-

// ## Thirty layers
//
// [An earlier page](../training/vanishing.cpp) followed the gradient through fifty layers: each sigmoid layer divided
// the norm by 4.2. There all functions had the same weights. Here each gets the scale that is usual for it. The weights
// have the standard deviation $s/\sqrt m$ for $m$ units, with $s = \sqrt2$ for ReLU, after {cite:t}`he2015`, and
// $s = 1$ for sigmoid and tanh, after {cite:t}`glorot2010`. A leaf of zeros is added to the input of each layer: its
// gradient is the gradient of that input.
//- the random weights, and what is measured
double norm_of(const Tensor& x) { return std::sqrt(double(sum(square(x)).item())); }

struct Stack {
    std::vector<double> norms;  // of the gradient of each layer's input
    double square_mean = 0;     // of the derivatives in the last layer
    double flat = 0;            // the share of derivatives below a hundredth there
    double kept() const { return norms.front() / norms.back(); }
};
Tensor weights(double scale, Generator& random) {
    const double deviation = scale / std::sqrt(double(width()));
    return random.normal({width(), width()}, 0, Real(deviation));
}
//-
Stack gradients(Activation f, double scale, std::uint64_t run) {
    Generator random(book::seed() + run);
    std::vector<Tensor> listeners;
    Tensor x = random.normal({32, width()}), z;
    for (Index d = 0; d < depth(); ++d) {
        listeners.push_back(zeros(x.shape()).requires_grad_());
        z = linear(x + listeners.back(), weights(scale, random));
        x = f(z);
    }
    mean(x * random.normal(x.shape())).backward();  // a random loss
    //- the norms from the first layer to the last, and what is checked
    Stack found;
    for (const Tensor& e : listeners) found.norms.push_back(norm_of(e.grad()));
    const Tensor last = z.detach().requires_grad_();
    sum(f(last)).backward();
    for (const Real slope : last.grad().values()) {
        found.square_mean += slope * slope / double(last.numel());
        found.flat += (slope < 0.01) / double(last.numel());
    }
    return found;
}
std::vector<double> over_runs(const std::function<double(std::uint64_t)>& measure) {
    std::vector<double> found;
    for (int run = 0; run < seeds(); ++run)
        found.push_back(measure(std::uint64_t(run)));
    return found;
}

void thirty_layers() {
    claim(
        "claim-relu-no-vanish/d",
        "thirty layers: the norm of the gradient with ReLU, as a multiple of that with "
        "the sigmoid",
        over_seeds(over_runs([](std::uint64_t run) {
            const double with_relu = gradients(relu, std::sqrt(2), run).norms[0];
            return with_relu / gradients(sigmoid, 1, run).norms[0];
        })),
        ">=", 1e6);
}
//-

// The norm with ReLU exceeds that with the sigmoid by a factor of $8.5\times10^{18}$ in the median. Is the sigmoid
// useless in deep networks? Its derivative is at most $\frac14$. But the backward pass also multiplies by the weights,
// which you choose.
//- the question
std::vector<double> kept(double scale) {
    return over_runs(
        [&](std::uint64_t run) { return gradients(sigmoid, scale, run).kept(); });
}
void which_scale() {
    const auto keeps = [](double scale) {
        const double share = book::median(kept(scale));
        return share > 0.05 && share < 20;
    };
    const bool four = keeps(4), ten = keeps(10);
    ask("Thirty layers of sigmoids, with weights of standard deviation s/√m. For which "
        "s does the gradient keep its norm, up to a factor of 20, from the last layer "
        "to the first?",
        {{"For none: larger weights only saturate the units.", !four && !ten,
          "Larger weights saturate many units. But the units that remain steep pass on "
          "more, and for large s this wins."},
         {"For s = 4, because 4 · 1/4 = 1.", four,
          "This would be right if every input were zero. With s = 4 the inputs are "
          "wide. The root mean square of the derivative is 0.16, and 4 · 0.16 = 0.64."},
         {"For s = 10.", ten && !four,
          "Half of the units are saturated then, and the others are multiplied by "
          "large weights. The mean square of the derivative is about 1/100, and 10² "
          "times this is 1."}});
}
//-

// In each layer the backward pass multiplies the squared norm by about $s^2$ times the mean of the squared derivative.
// For example, if all inputs were zero, the sigmoid with $s = 1$ would have the factor
// $1^2 \cdot \big(\frac14\big)^2 = \frac1{16}$. The measured factors are:
//- what is printed, and how the figure is drawn
void scales_of_weights() {
    for (const double scale : {1.0, 4.0, 10.0}) {
        const Stack one = gradients(sigmoid, scale, 0);
        say("s = {:>2}: mean square of the derivative {:.4f}, times s² {:.3f}; {:.0f} "
            "% of the derivatives below 0.01; 30 layers keep {:.1e} of the norm",
            scale, one.square_mean, scale * scale * one.square_mean, 100 * one.flat,
            book::median(kept(scale)));
    }
    std::vector<double> layers;
    for (Index d = 1; d <= depth(); ++d) layers.push_back(double(d));
    const std::vector<double> tried = {0.5, 0.7, 1, 1.4, 2, 3, 4, 6, 8, 10, 12, 16};
    Figure figure("fig-thirty-layers");
    figure
        .describe(
            "Left: the norm of the gradient against the layer, logarithmic. ReLU with "
            "scale 1.41 and tanh with scale 1 are nearly level; the sigmoid with scale "
            "1 falls by about eighteen powers of ten from the last layer to the first, "
            "with scale 10 by less than one. Right: the share of the norm that is "
            "left, against the scale of the weights. All three curves rise; they cross "
            "1 near 1.4 for ReLU, near 1.2 for tanh and near 10 for the sigmoid.")
        .panel("the gradient, layer by layer");
    const auto norms = [&](const char* name, Activation f, double scale,
                           figure::Style style) {
        figure.line(name, layers, gradients(f, scale, 0).norms, style);
    };
    norms("ReLU", relu, std::sqrt(2), {.color = figure::green, .points = false});
    norms("tanh", tanh, 1, {.color = figure::red, .points = false});
    norms("sigmoid", sigmoid, 1, {.color = figure::blue, .points = false});
    norms("sigmoid, s = 10", sigmoid, 10,
          {.color = figure::plum, .dash = figure::dashed, .points = false});
    figure.log_y()
        .x("layer")
        .y("norm of the gradient")
        .panel("what thirty layers leave");
    const auto shares = [&](const char* name, Activation f, figure::Color color) {
        std::vector<double> left;
        for (const double scale : tried) left.push_back(gradients(f, scale, 0).kept());
        figure.line(name, tried, left, {.color = color, .points = false});
    };
    shares("ReLU", relu, figure::green);
    shares("tanh", tanh, figure::red);
    shares("sigmoid", sigmoid, figure::blue);
    figure.rule_y(1)
        .log_axes()
        .x("scale s of the weights")
        .y("share of the norm")
        .save(
            "*the gradient, layer by layer*: the loss is at layer 30, so read from "
            "right to left. *what thirty layers leave*: the norm of the first layer's "
            "gradient as a share of the last one's. For every function there is a "
            "scale that keeps the norm; for the sigmoid it is near 10, where half of "
            "the units are saturated.");
    book::shows("claim-relu-no-vanish/a", "fig-thirty-layers");
}
//-

// Near $s = 10$ the sigmoid keeps the norm too, although half of its units are saturated. So the huge factor holds for
// the usual scale of weights. Keeping the norm is necessary for learning, not sufficient: at $s = 10$ nearly all of the
// gradient passes through the units with inputs near zero. ReLU keeps the norm with a derivative of exactly 1 in every
// active unit.
//
// ## Bounded outputs: the good side of saturation
//
// A sigmoid is flat at both ends because its outputs are bounded: they stay between 0 and 1 whatever the weights are.
// ReLU is not bounded. With $s = 10$ each layer multiplies the size of its input by about $10/\sqrt2 = 7.1$, so a
// hundred layers make the input $7.1^{100} \approx 10^{85}$ times as large. We measure both:
//- what is checked
struct Range {
    double low, high;
};
Range after_hundred_layers(Activation f, std::uint64_t run) {
    const NoGrad only_asking;
    Generator random(book::seed() + run);
    Tensor x = random.normal({32, width()});
    for (int d = 0; d < 100; ++d) x = linear(x, weights(10, random), {}, f);
    return {double(min(x).item()), double(max(x).item())};
}
void hundred_layers() {
    const auto from_the_ends = [](std::uint64_t run) {
        const Range found = after_hundred_layers(sigmoid, run);
        return std::min(found.low, 1 - found.high);
    };
    claim(
        "claim-sigmoid-bounded/a",
        "sigmoid: the distance of the outputs of layer 100 from 0 and 1, the smallest",
        over_seeds(over_runs(from_the_ends)), ">", 0);
    claim("claim-sigmoid-bounded/b", "ReLU: the largest output of layer 100",
          over_seeds(over_runs(
              [](std::uint64_t run) { return after_hundred_layers(relu, run).high; })),
          ">", 1e20);
}
//-

// This page computes in double precision; single precision ends at $3.4\times10^{38}$. So ReLU needs the right scale of
// weights, or layers that normalise.
//
// ReLU is also cheap. It needs one comparison, the sigmoid an exponential and a division:
//- two timings
void price() {
    const NoGrad only_asking;
    const Tensor x =
        Generator(book::seed()).normal({book::quick() ? 100'000 : 10'000'000});
    const book::Comparison times =
        book::compare_seconds([&] { relu(x); }, [&] { sigmoid(x); }, 9);
    timing_claim("claim-relu-cheap/a",
                 "ten million numbers: the time of ReLU, as a multiple of that of the "
                 "sigmoid",
                 times.ratio, "<=", 1);
}
//-

// In a dense layer with $m$ inputs each output costs $m$ products besides its activation, so in wide layers the
// difference matters little.
//
// ## Dead units
//
// The derivative of a saturated sigmoid is tiny; that of ReLU below zero is exactly 0. Take a unit with the weights
// $(1, 2)$ and the bias $-4$, and inputs between $-1$ and $1$. Its sum is at most $1 + 2 - 4 = -1$, so its output is 0
// for every sample. The derivative is 0 as well, so the unit gets no gradient and stays as it is: a {term}`dead unit`.
// [An earlier page](../training/clipping.cpp) killed units with a learning rate that was too large. Here a hundred
// hidden units start with the bias $-4$, and the network learns a smooth function of ten numbers. **Leaky ReLU** has
// the derivative 0.01 in place of 0 {cite:p}`maas2013`. After 500 steps with Adam we count the units whose weights have
// not changed by a single bit. This measures whether the weights of a unit still learn, not whether its input is ever
// above zero:
double share_unchanged(const Tensor& before, const Tensor& after) {
    const std::vector<Real> changes = max(abs(after - before), {1}).values();
    return double(std::ranges::count(changes, 0)) / double(changes.size());
}
//- the training
struct Course {
    std::vector<double> at, loss;
    double dead, silent;  // shares of units: unchanged; below zero for every sample
    double affine;        // the loss of the best affine function
};
double best_affine(const Tensor& x, const Tensor& y) {
    const linalg::Matrix inputs = linalg::matrix_of(x);
    linalg::Matrix phi(x.size(0), x.size(1) + 1);
    for (Index i = 0; i < x.size(0); ++i) {
        for (Index j = 0; j < x.size(1); ++j) phi(i, j) = inputs(i, j);
        phi(i, x.size(1)) = 1;
    }
    const std::vector<Real> drawn = y.values();
    const std::vector<double> targets(drawn.begin(), drawn.end());
    return classic::squared_error(phi, targets,
                                  classic::normal_equations(phi, targets));
}
Course trained(Activation f, std::uint64_t run) {
    Generator random(book::seed() + run);
    const Tensor x = random.normal({100, 10});
    const Tensor y = tanh(linear(x, random.normal({1, 10}, 0, 0.5)));
    const nn::Mlp net({10, 100, 1}, f, random, {.weights = nn::lecun_init});
    const nn::Linear& hidden = net.layers[0];
    hidden.bias.detach().copy_(full({100}, Real(bias())));
    const Tensor before = clone(hidden.weight.detach());
    Course course;
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
    optim::fit(
        adam, [&] { return mse_loss(net(x), y); }, {.steps = training()},
        [&](const optim::Progress& now) {
            if (now.step % 10 == 1)
                course.at.push_back(double(now.step)), course.loss.push_back(now.loss);
        });
    course.affine = best_affine(x, y);
    course.dead = share_unchanged(before, hidden.weight.detach());
    const NoGrad only_asking;
    const std::vector<Real> largest = max(hidden(x), {0}).values();
    course.silent =
        double(std::ranges::count_if(largest, [](Real z) { return z < 0; })) / 100;
    return course;
}
//-
//- what is checked, and how the figure is drawn
void dead_units() {
    struct Side {
        const char *part, *name;
        Activation f;
        figure::Color color;
    };
    std::vector<std::vector<book::Cell>> with_relu, with_leaky;
    Figure figure("fig-dead");
    figure
        .describe(
            "The loss against the training step, logarithmic, for five networks of "
            "each kind. With ReLU three of the five lines are level; with leaky ReLU "
            "all five fall to about a tenth.")
        .log_y()
        .x("step")
        .y("loss");
    for (const Side& side : {Side{"a", "ReLU", relu, figure::green},
                             Side{"b", "leaky ReLU", leaky, figure::plum}}) {
        std::vector<double> dead, silent, last, affine;
        std::vector<std::vector<double>> losses;
        std::vector<double> at;
        for (int run = 0; run < seeds(); ++run) {
            const Course one = trained(side.f, std::uint64_t(run));
            dead.push_back(one.dead), silent.push_back(one.silent);
            last.push_back(one.loss.back());
            affine.push_back(one.affine);
            losses.push_back(one.loss), at = one.at;
        }
        figure.lines(side.name, at, losses, {.color = side.color});
        const std::string part = std::string("claim-leaky-avoids-dead/") + side.part;
        const std::string words = fmt::format(
            "{}: the share of units whose weights have not changed", side.name);
        if (side.f == relu)
            claim(part, words, over_seeds(dead), ">", 0.3);
        else
            claim(part, words, over_seeds(dead), "<", 0.01);
        for (std::size_t i = 0; i < dead.size(); ++i) {
            const auto loss = fmt::format("{:.3f}", last[i]);
            const double never = std::round(100 * dead[i]),
                         below = std::round(100 * silent[i]);
            if (side.f == relu)
                with_relu.push_back({i + 1, never, below, loss});
            else
                with_leaky.push_back(
                    {i + 1, never, below, loss, fmt::format("{:.3f}", affine[i])});
        }
    }
    figure.save(
        "The loss of five networks of each kind whose hidden units start with the bias "
        "−4. With ReLU only the few units that are active for some sample learn. With "
        "leaky ReLU all units do.");
    book::table("dead",
                "Five networks with ReLU: the units that never changed and those that "
                "are below zero for every sample at the end, in per cent, and the last "
                "loss.",
                {"run", "unchanged", "below zero", "loss"}, with_relu);
    book::table("dead-leaky",
                "The same with leaky ReLU, and the loss of the best affine function.",
                {"run", "unchanged", "below zero", "loss", "affine"}, with_leaky);
}
//-

// With ReLU, 94 to 100 of the hundred units never change. In runs 1, 3 and 4 the loss stays level: none to three units
// ever received a gradient, and they did not help. In runs 2 and 5 the three and six units that changed learned most of
// the function. Run 5 even ends with a loss of 0.037, below all five networks with leaky ReLU, because a few units
// suffice for this smooth function. The random weights decide which of these happens.
//
// With leaky ReLU every unit changes, and every network learns. But at the end 89 to 98 % of the units are *still*
// below zero for every sample. There leaky ReLU is the straight line $0.01 x$, so the network is nearly affine, and its
// loss becomes level within 150 steps, close to that of the best affine function. Leaky ReLU keeps units trainable; it
// does not make them bend.
//
// ## Limits
//
// The bias of $-4$ is an artificial start, chosen so that nearly all units are dead. With biases near zero few units
// are dead at first, and the learning rate decides how many die. Dead units do not always hurt, as the run with a loss
// of 0.037 shows. The stacks above are untrained, with independent random weights; training can move the units into
// saturation or out of it.

void page() {
    saturated_figure();
    mean_slopes();
    thirty_layers();
    which_scale();
    scales_of_weights();
    hundred_layers();
    price();
    dead_units();
}

// ## Summary
//
// Where an activation function is flat, no gradient passes: at both ends of a sigmoid, and below zero for ReLU. Sigmoid
// layers divide the gradient by about four at the usual scale of weights, and keep it only at a scale that saturates
// half of the units; ReLU keeps it with a derivative of 1 in every active unit, but its outputs are unbounded and its
// units can die. A small slope below zero keeps every unit trainable.
//
// ## What is missing
//
// This page measured gradients. Do networks with better gradients also learn faster, and do they answer better in the
// end? [The next page](choosing_an_activation.cpp) trains them side by side.
//
// ```{try}
// - More layers: `--depth 100`. At which scale does the sigmoid keep the norm now?
// - A milder start: `--bias -2`. How many units are dead with ReLU?
// - More patience: `--steps 5000`. Do dead units come back?
// ```
