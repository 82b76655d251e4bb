// # Initialisation: the size of the first weights
//
// ```{rows} claim-init-keeps-variance eq-preactivation-recursion eq-init-variance-recursion eq-he-init claim-init-explode-vanish
// ```
//
// [Vanishing gradients](../training/vanishing.cpp) showed that a deep network can be dead before its first step: at
// the wrong scale of the random weights, no signal gets through fifty layers. There, the right scale was found by
// trial. This page computes it. The question is simple: if the numbers that enter a layer have a certain size, what
// size do the numbers have that leave it? The answer is one factor per layer, and fifty layers raise it to the
// fiftieth power. {numref}`fig-init-scale` shows five networks at each of five scales. Move the slider a little away
// from 1.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say;
using figure::Figure;

const book::Option<Index> depth("depth", 50, "number of layers",
                                {.least = 3, .most = 500});
const book::Option<Index> width("width", 512, "number of units of a wide layer",
                                {.quick = 64, .least = 8, .most = 2048});
const book::Option<int> draws("draws", 50, "number of draws of the weights",
                              {.quick = 5, .least = 5, .most = 10'000});
const book::Option<int> seeds("seeds", 5, "number of wide networks at each scale",
                              {.quick = 2, .least = 1, .most = 100});

const Index batch = 16;

// Defined further down:
double mean_square(const Tensor& x);
Tensor kaiming_uniform(const Shape& shape, Generator& random, Device device);
//-

//- how the figure is drawn
std::vector<double> layer_numbers() {
    std::vector<double> found;
    for (Index k = 1; k <= depth(); ++k) found.push_back(double(k));
    return found;
}

// The standard deviation of the activations of each layer, relative to the first, with uniform weights.
std::vector<double> deviations(nn::Init weights, double scale, Generator& random) {
    Tensor x = random.normal({batch, width()});
    std::vector<double> found;
    for (Index k = 0; k <= depth(); ++k) {
        const nn::Linear layer(width(), width(), random,
                               {.bias = false, .weights = weights});
        x = relu(linear(x, layer.weight.detach() * scale));
        double sum = 0, squares = 0;
        for (const Real v : x.values())
            sum += double(v), squares += double(v) * double(v);
        const double n = double(x.numel());
        found.push_back(std::sqrt(squares / n - sum / n * (sum / n)));
    }
    for (std::size_t k = 1; k < found.size(); ++k) found[k] /= found[0];
    found.erase(found.begin());
    return found;
}

void five_scales() {
    const std::vector<double> scales = {0.5, 0.8, 1, 1.25, 2};
    Figure figure("fig-init-scale");
    figure
        .describe(
            "The standard deviation of the activations against the layer, on a "
            "logarithmic axis, "
            "five lines for five networks, and a straight dashed line. At scale 1 the "
            "lines stay "
            "near 1. At one half they fall to ten to the minus fifteen, at two they "
            "rise to ten to "
            "the fifteen.")
        .slider("scale", scales, "scale of the weights", 1);
    std::vector<double> proper, half, twice;
    for (const double scale : scales) {
        std::vector<std::vector<double>> all;
        std::vector<double> power;
        for (int run = 0; run < seeds(); ++run) {
            Generator random(book::seed() + std::uint64_t(run));
            all.push_back(deviations(kaiming_uniform, scale, random));
            const double factor = all.back().back();
            if (scale == 1) proper.push_back(factor);
            if (scale == 0.5) half.push_back(factor);
            if (scale == 2) twice.push_back(factor);
        }
        for (Index k = 1; k <= depth(); ++k)
            power.push_back(std::pow(scale, double(k)));
        figure.at(scale)
            .lines("five networks", layer_numbers(), all, {.color = figure::blue})
            .line("prediction", layer_numbers(), power,
                  {.color = figure::red, .dash = figure::dashed, .points = false});
    }
    figure.always()
        .log_y()
        .ylim(1e-16, 1e16)
        .x("layer")
        .y("standard deviation")
        .save(
            "The standard deviation of the activations, relative to the first layer, "
            "in networks of "
            "512 units a layer. The slider multiplies all weights. Only near scale 1 "
            "does a signal "
            "of the usual size come out of fifty layers.");
    book::shows("claim-init-keeps-variance/a", "fig-init-scale");
    claim_in("claim-init-keeps-variance/b",
             "the factor by which 50 layers of width 512 change the standard deviation",
             over_seeds(proper), 0.3, 3);
    claim("claim-init-keeps-variance/c", "the same at half the scale", over_seeds(half),
          "<", 1e-6);
    claim("claim-init-keeps-variance/c", "the same at double the scale",
          over_seeds(twice), ">", 1e6);
    Generator random(book::seed());
    say("weights from -1/√D to 1/√D, a common default: {}",
        book::brief(deviations(nn::uniform_init, 1, random).back()));
}
//-

// ## Why random
//
// Why not begin with zeros, or with equal weights? If two units of a layer have equal weights, they compute the same
// output and receive the same gradient. After the step they are equal again, and so on: the layer works like a layer
// with a single unit. Random weights make all units different. Only their mean is obvious: with mean zero, no sign is
// preferred. What remains to be chosen is one number for each layer, the variance. In two or three layers many
// variances work, because a wrong factor is raised to a small power. In fifty layers a factor of 0.9 leaves half a
// per cent.
//
// Biases do not have this problem, since their units differ already. They begin at zero.
//
// ## A recursion
//
// Follow the **pre-activations**, the numbers before the activation function. Layer $k$ computes them from those of
// the layer before:
//
// ```{equation} eq-preactivation-recursion
// :function: recto::nn::Mlp
// :test: Mlp: layers and activations between them
// f_k = \beta_k + \Omega_k \, a[f_{k-1}]
// ```
//
// This is the notation of {cite:t}`prince2023` and of the slides of the course; a table translates it. Only the
// grouping is new. A layer begins with its activation function here, so that the recursion goes from one sum to the
// next. Unrolled by hand, with plain loops:
std::vector<double> unroll(const nn::Mlp& net, std::vector<double> f) {
    for (std::size_t k = 0; k < net.layers.size(); ++k) {
        const Tensor &omega = net.layers[k].weight, &beta = net.layers[k].bias;
        std::vector<double> next;
        for (Index i = 0; i < omega.size(0); ++i) {
            next.push_back(double(beta.at({i})));
            for (Index j = 0; j < omega.size(1); ++j) {
                const double v = f[std::size_t(j)], h = k == 0 ? v : std::max(v, 0.0);
                next.back() += double(omega.at({i, j})) * h;
            }
        }
        f = next;
    }
    return f;
}
//- compared with the library, and the table
void recursion() {
    Generator random(book::seed());
    const nn::Mlp net({3, 5, 4, 2}, relu, random);
    double worst = 0;
    for (int trial = 0; trial < 20; ++trial) {
        const std::vector<Real> x = random.normal({3}).values();
        const std::vector<Real> y = net(Tensor({1, 3}, x)).values();
        const std::vector<double> f = unroll(net, {x.begin(), x.end()});
        for (std::size_t i = 0; i < f.size(); ++i)
            worst = std::max(worst, std::abs(f[i] - double(y[i])));
    }
    claim("eq-preactivation-recursion/a",
          "the largest difference between the library's stack of layers and the "
          "recursion by hand",
          worst, "<=", 1e-6);
    book::table(
        "notation", "The notation of the slides, and that of this book.",
        {"slides", "this book", "meaning"},
        {{"fₖ", "z of layer k + 1", "the sums before the activation function"},
         {"hₖ = a[fₖ₋₁]", "x⁽ᵏ⁾", "the output of layer k"},
         {"Ωₖ, βₖ", "W, b of layer k + 1", "its weights and biases"},
         {"D, index hₖ", "the width m of layer k", "the number of its units"},
         {"σ², index Ω", "no symbol", "the variance of the weights at the start"}});
    book::shows("eq-preactivation-recursion/b", "notation");
}
//-

// ## What one layer does to the size
//
// Measure size by the **mean square**. Take 100 inputs whose mean square is 1, and draw 100 weights with mean 0 and
// variance 0.01. The weighted sum has 100 terms. Their signs are random, so the mixed products cancel on average, and
// the mean square of the sum is $100 \cdot 0.01 \cdot 1 = 1$.
//
// Then comes a ReLU. The sample $-2, -1, 1, 2$ has a mean square of $(4 + 1 + 1 + 4)/4 = 2.5$. After the ReLU it is
// $0, 0, 1, 2$, with a mean square of 1.25: exactly half, for any sample that is symmetric around zero. And
// pre-activations are symmetric, because a sign change of all weights of a unit is as likely as none.
//
// Both together give, for biases of zero and a ReLU,
//
// ```{equation} eq-init-variance-recursion
// :function: recto::relu; recto::linear
// :test: init: distributions
// \sigma^2_{f_{k+1}} = \tfrac12 \, D_{h_k} \, \sigma^2_\Omega \, \sigma^2_{f_k}
// ```
//
// The factor $\tfrac12 D_{h_k} \sigma^2_\Omega$ is 1 for
//
// ```{equation} eq-he-init
// :function: recto::nn::he_init
// :test: init: distributions
// \sigma^2_\Omega = \frac{2}{D_{h_k}}
// ```
//
// This is the **initialisation of He** {cite:p}`he2015`, also called Kaiming initialisation after his first name. The
// rule for a tanh, which is nearly linear around zero and halves nothing, is $1/D_{h_k}$ {cite:p}`lecun1998backprop`.
// The shape of the distribution does not matter for the variance. A uniform distribution from $-r$ to $r$ has the
// variance $r^2/3$:
Tensor kaiming_uniform(const Shape& shape, Generator& random, Device device) {
    const Real r = Real(std::sqrt(3 * 2.0 / double(nn::fan_in(shape))));
    return random.uniform(shape, -r, r, device);
}

// These weights are those of {numref}`fig-init-scale`, at scale 1. A common default in libraries, and that of
// {cpp:class}`~recto::nn::Linear`, draws from $-1/\sqrt{D}$ to $1/\sqrt{D}$. Its variance is a sixth of He's, and
// after fifty layers about $4.0\times10^{-20}$ of the signal is left. In networks of two or three layers this hardly
// matters.
//
// Does the recursion hold? We draw two layers of 512 units fifty times, and divide the measured mean square by the
// predicted one. And we follow stacks of 50 layers for three variances:
double mean_square(const Tensor& x) {
    double sum = 0;
    for (const Real v : x.values()) sum += double(v) * double(v);
    return sum / double(x.numel());
}
std::vector<double> mean_squares(Index units, double factor, Generator& random) {
    Tensor f = random.normal({batch, units});  // mean square 1
    std::vector<double> found;
    for (Index k = 0; k < depth(); ++k) {
        const Tensor omega = nn::he_init({units, units}, random) * std::sqrt(factor);
        f = linear(relu(f), omega);
        found.push_back(mean_square(f));
    }
    return found;
}
//- what is checked: one layer, and lines over fifty layers
double slope(const std::vector<double>& y) {  // of the line that fits best
    const double n = double(y.size()), middle = (n - 1) / 2;
    double xy = 0, xx = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double dx = double(i) - middle;
        xy += dx * y[i], xx += dx * dx;
    }
    return xy / xx;
}

void one_layer() {
    Generator random(book::seed());
    const double variance = 0.003;  // of the weights
    std::vector<double> ratios;
    double sum = 0;
    for (int draw = 0; draw < draws(); ++draw) {
        const Tensor x = random.normal({batch, width()});  // compilers differ in which
        const Tensor before =                              // argument they draw first
            linear(relu(x), nn::he_init({width(), width()}, random));
        const Tensor omega =
            random.normal({width(), width()}, 0, Real(std::sqrt(variance)));
        const double predicted = double(width()) * variance * mean_square(before) / 2;
        ratios.push_back(mean_square(linear(relu(before), omega)) / predicted);
        sum += ratios.back();
    }
    const auto [low, high] = std::ranges::minmax(ratios);
    claim_in(
        "eq-init-variance-recursion/a",
        "the mean square after a layer over the predicted one, mean over the draws",
        book::Measured(sum / draws(), low, high, draws()), 0.97, 1.03);
    const Tensor z = random.normal({100'000});
    const double whole = mean_square(z),
                 both = mean_square(relu(z)) + mean_square(relu(-z));
    claim("eq-init-variance-recursion/b",
          "over a symmetric sample, the mean square after a ReLU against half of that "
          "before it, "
          "relative deviation",
          std::abs(both / 2 / (whole / 2) - 1), "<=", 1e-6);
}

void slopes() {
    Figure figure("fig-init-slopes");
    figure.describe(
        "The logarithm of the standard deviation of the pre-activations against the "
        "layer, five "
        "lines for each of three variances. They rise for twice the variance of He, "
        "stay level "
        "for that of He, and fall for half of it, along straight dashed lines.");
    std::vector<double> worst(static_cast<std::size_t>(seeds()));
    const figure::Color colors[] = {figure::ochre, figure::blue, figure::plum};
    std::size_t color = 0;
    for (const double factor : {0.5, 1.0, 2.0}) {
        std::vector<std::vector<double>> all;
        std::vector<double> line;
        for (int run = 0; run < seeds(); ++run) {
            Generator random(book::seed() + 100 * std::uint64_t(run) +
                             std::uint64_t(10 * factor));
            all.push_back(mean_squares(width(), factor, random));
            for (double& v : all.back()) v = std::log(v) / 2;
            const double off = slope(all.back()) - std::log(factor) / 2;
            double& most = worst[std::size_t(run)];
            most = std::max(most, std::abs(off) / (std::log(2.0) / 2));
        }
        for (Index k = 1; k <= depth(); ++k)
            line.push_back(double(k) * std::log(factor) / 2);
        figure
            .lines(fmt::format("{} × He", factor), layer_numbers(), all,
                   {.color = colors[color++]})
            .line("predicted", layer_numbers(), line,
                  {.color = figure::grey, .dash = figure::dashed, .points = false});
    }
    figure.x("layer")
        .y("log of the standard deviation")
        .save(
            "The natural logarithm of the standard deviation of the pre-activations in "
            "networks of "
            "width 512, five for each variance. Its slope per layer is half the "
            "logarithm of the "
            "factor (dashed): a wrong variance makes signals explode or vanish "
            "exponentially.");
    book::shows("claim-init-explode-vanish/a", "fig-init-slopes");
    claim("claim-init-explode-vanish/b",
          "slope per layer against half the log of the factor, the largest deviation "
          "of three, "
          "relative to half of log 2",
          over_seeds(worst), "<=", 0.05);
}
//-
//- a hundred units, for three variances
struct Ends {
    std::vector<double> all;
    double mean = 0;
};
Ends ends(double factor, int count, std::uint64_t seed) {
    Generator random(seed);
    Ends found;
    for (int draw = 0; draw < count; ++draw) {
        found.all.push_back(mean_squares(100, factor, random).back());
        found.mean += found.all.back() / count;
    }
    return found;
}

void narrow() {
    const auto claim_mean = [](const char* part, const char* words, double factor,
                               double low, double high) {
        const Ends of = ends(factor, draws(), book::seed());
        const auto [least, most] = std::ranges::minmax(of.all);
        claim_in(part, words, book::Measured(of.mean, least, most, draws()), low, high);
    };
    const Ends many = ends(1, 8 * draws(), book::seed() + 1);
    const double middle = book::median(many.all);
    //-

    // Before you see the numbers for 100 units:
    //- the question
    ask("With the variance of He, the mean square of the pre-activations stays 1 on "
        "average, at any "
        "depth. Draw many networks of 50 layers with 100 units. What is the mean "
        "square in the last layer of "
        "the median network?",
        {{"About 1: that is what the initialisation is for.",
          middle > 0.7 && middle < 1.5,
          "The mean over all networks is 1. Few networks with a very large value make "
          "up for many "
          "with a small one."},
         {"About a third.", middle >= 0.15 && middle <= 0.5,
          "The factors of the layers scatter around 1, and their product is skewed: "
          "most networks "
          "shrink the signal, and a few enlarge it a lot."},
         {"About 3.", middle > 2 && middle < 5,
          "The mean is pulled upwards by a few networks, so the median lies below "
          "it."}});
    claim_mean("eq-he-init/a",
               "variance 2/D: the mean square after 50 layers of 100 units, mean over "
               "the draws",
               1, 0.5, 1.5);
    claim_mean("eq-he-init/b", "variance 1/D: the same mean", 0.5, 1e-16, 1e-14);
    claim_mean("eq-he-init/c", "variance 4/D: the same mean", 2, 1e14, 1e16);
    say("{} networks with variance 2/D: mean {:.2f}, median {:.2f}", many.all.size(),
        many.mean, middle);
    //-

    //- how the figure is drawn
    std::vector<double> places, heights(24);
    for (std::size_t i = 0; i < heights.size(); ++i)
        places.push_back(-3 + (double(i) + 0.5) / 4);
    for (const double v : many.all) {
        const double at = std::clamp((std::log10(v) + 3) * 4, 0.0, 23.0);
        ++heights[std::size_t(at)];
    }
    Figure("fig-init-skewed")
        .describe(
            "A histogram of the logarithm of the mean square in the last layer, a bell "
            "around "
            "minus one half that reaches from minus two to plus one and a half. A "
            "vertical line at "
            "the median stands left of zero, one at the mean near zero.")
        .bars("networks", places, heights)
        .ylim(0, 80)
        .rule_x(std::log10(middle), "median", {.color = figure::red})
        .rule_x(std::log10(many.mean), "mean", {.color = figure::green})
        .x("log₁₀ of the mean square in layer 50")
        .y("number of networks")
        .save(
            "The mean square of the pre-activations in layer 50 of 400 networks with "
            "100 units a "
            "layer and the variance of He. The mean over the networks is near 1, as "
            "the formula says. "
            "Most networks lie below it.");
}
//-

void page() {
    five_scales();
    recursion();
    one_layer();
    slopes();
    narrow();
}

// All measured means agree with the formula. Over 50 draws of 100 units the mean square ends at 1.20 with $2/D$, at
// $1.1\times10^{-15}$ with $1/D$ and at $1.3\times10^{15}$ with $4/D$: fifty factors of one half, or of two. But the
// median of 400 networks is 0.36, as {numref}`fig-init-skewed` shows. This does not contradict the formula, which is
// about the *mean* over networks: a product of random factors has a few huge values that lift the mean. So at this
// width a single network cannot tell you whether an initialisation is right.
//
// ## Limits
//
// The formula is about an average over random weights. In a single network of width $D$, the factor of each layer
// scatters by about $\sqrt{5/D}$: 10 % for 512 units and 22 % for 100. Fifty such factors multiply to the wide
// histogram of {numref}`fig-init-skewed`. Wider layers scatter less {cite:p}`hanin2018`. Biases of zero and inputs of
// mean square 1 are assumptions, too. And all this holds before the first step only: training changes the weights.
//
// ## Summary and what is missing
//
// A layer with a ReLU multiplies the mean square of the pre-activations by $\frac12 D_{h_k} \sigma^2_\Omega$. The
// initialisation of He makes this factor 1; any other factor acts exponentially with depth, so that signals explode
// or vanish. The average is kept exactly and a single narrow network only roughly.
//
// A gradient goes through the same layers in the other direction, where the number of outputs counts in place of the
// inputs. [The next page](initialisation_backward.cpp) asks whether one variance can serve both directions.
//
// ```{try}
// - Deeper: `--depth 200`. How far are single networks of width 512 from their average now?
// - Narrower: `--width 32`. What happens to the five lines at scale 1?
// ```
