// # Signal propagation: what depth does to a signal
//
// ```{rows} eq-gamma-depth eq-init-one-over-d claim-uniform-init-law eq-relu-gain sys-bias-zero-init claim-selu-fixed-point
// ```
//
// Before any training, a network is a chain of random layers, and every layer changes the size of its signal a little.
// Fifty layers apply that change fifty times. **Signal propagation** asks where a signal ends. Three things can happen:
// the signal explodes, it vanishes, or it comes to rest. {numref}`fig-selu-path` shows the rare third case. Three
// networks read inputs with the mean 0.2 and the variance 1.5. Each dot is a layer. With ReLU or tanh the signal
// shrinks towards zero; with SELU it settles at mean 0 and variance 1. Drag the red dot: can you find a start from
// which SELU ends elsewhere? There is a single one, and this page ends with the reason.
//
// ```{opening} fig-selu-path
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/attention.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/deep_mlp.hpp>
#include <recto/nn/graph.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/minimal_rnn.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/recurrent.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say;
using figure::Figure;

const book::Option<Index> depth("depth", 50, "number of layers",
                                {.least = 20, .most = 500});
const book::Option<Index> width("width", 512, "number of units of a layer",
                                {.quick = 64, .least = 8, .most = 2048});
const book::Option<int> seeds("seeds", 5, "number of networks",
                              {.quick = 2, .least = 1, .most = 100});
const book::Option<Index> samples("samples", 20'000'000, "number of draws",
                                  {.quick = 1'000'000, .least = 1'000'000});
const book::Option<double> start_mean("start-mean", 0.2, "mean of the inputs",
                                      {.least = -1, .most = 1});
const book::Option<double> start_variance("start-variance", 1.5,
                                          "variance of the inputs",
                                          {.least = 0, .most = 3});

// Defined further down:
struct Moments {
    double mean, variance;
};
std::vector<Moments> propagate(Activation f, Moments start, Index layers,
                               std::uint64_t seed);
//-

//- how the figure is drawn
void selu_path() {
    const Moments start = {start_mean(), start_variance()};
    Figure figure("fig-selu-path");
    figure
        .describe(
            "The plane of mean and variance with three paths from one start at mean "
            "0.2 and variance 1.5, a point for each of twenty layers. The paths of "
            "ReLU and tanh run down towards mean 0 and variance 0. The path of SELU "
            "ends at mean 0 and variance 1.")
        .x("mean")
        .y("variance")
        .xlim(-1, 1)
        .ylim(0, 3);
    struct Path {
        const char* name;
        Activation f;
        figure::Color color;
    };
    for (const auto& [name, f, color] :
         {Path{"SELU", selu, figure::blue}, Path{"ReLU", relu, figure::ochre},
          Path{"tanh", tanh, figure::green}}) {
        std::vector<double> x, y;
        for (const Moments& m : propagate(f, start, 20, book::seed()))
            x.push_back(m.mean), y.push_back(m.variance);
        figure.line(name, x, y,
                    {.color = color, .dash = figure::solid, .points = true});
    }
    figure.dragged(start_mean(), start_variance(), start_mean, start_variance)
        .save(
            "Mean and variance of the outputs of twenty layers, a dot for each layer, "
            "from the red dot on. All weights have the variance 1/d. Drag the red dot: "
            "SELU returns to mean 0 and variance 1, the others lose the signal.");
}
//-

// ## One factor for every layer
//
// Take the vector $(3, 4)$. Its **norm** is $\sqrt{3^2 + 4^2} = 5$. If a layer halves it, ten layers leave
// $5 \cdot 0.5^{10} \approx 0.005$. If a layer doubles it, ten layers make it 5,120. In general, with
// $\lVert x \rVert = \sqrt{\sum_i x_i^2}$ and a factor $\gamma$ for each of $D$ layers,
//
// ```{equation} eq-gamma-depth
// :function: recto::nn::orthogonal_init; recto::linear
// :test: init: orthogonal matrices
// \lVert y \rVert \approx \gamma^D \, \lVert x \rVert
// ```
//
// This is exact if each layer is $\gamma$ times a rotation. For random layers $\gamma$ is an average, and the sign
// $\approx$ is needed. A recurrent network is no exception: it applies *the same* layer at every time step, so the
// number of steps takes the place of the depth.
Tensor rotate(Tensor x, double gamma, Generator& random) {
    for (Index k = 0; k < depth(); ++k)
        x = linear(x, nn::orthogonal_init({64, 64}, gamma, random));
    return x;
}
std::vector<double> norms(double gamma, bool recurrent, Generator& random) {
    Tensor x = random.normal({1, width()});
    Tensor w = nn::he_init({width(), width()}, random);
    std::vector<double> found = {1};  // relative to the first
    const double first = double(norm(x).item());
    for (Index k = 1; k <= depth(); ++k) {
        x = relu(linear(x, w * gamma));
        found.push_back(double(norm(x).item()) / first);
        if (!recurrent) w = nn::he_init({width(), width()}, random);
    }
    return found;
}

//- how the figure is drawn, and what is checked
void gamma_depth() {
    const std::vector<double> gammas = {0.5, 1, 2, 10};
    double worst = 0;
    for (const double gamma : gammas) {
        Generator random(book::seed());
        const Tensor x = random.normal({1, 64});
        const double growth = std::log(double(norm(rotate(x, gamma, random)).item()) /
                                       double(norm(x).item()));
        const double off = std::abs(growth / double(depth()) - std::log(gamma));
        worst = std::max(worst, gamma == 1 ? off : off / std::abs(std::log(gamma)));
    }
    claim(
        "eq-gamma-depth/b",
        "rotations times γ: the growth of the log of the norm per layer against log γ, "
        "largest relative deviation of four γ (the deviation itself for γ = 1)",
        worst, "<=", 0.02);

    Figure figure("fig-gamma-depth");
    figure
        .describe(
            "Two panels, the norm of a signal against the number of layers and against "
            "the number of time steps, on a logarithmic axis from ten to the minus 20 "
            "to ten to the 60. In both, four lines leave the same start: falling for "
            "one half, level for one, rising for two, and steeper for ten.")
        .columns(2);
    const figure::Color colors[] = {figure::plum, figure::blue, figure::ochre,
                                    figure::red};
    std::vector<double> steps;
    for (Index k = 0; k <= depth(); ++k) steps.push_back(double(k));
    for (const bool recurrent : {false, true}) {
        figure.panel(recurrent ? "recurrent network" : "multilayer perceptron");
        for (std::size_t g = 0; g < gammas.size(); ++g) {
            Generator random(book::seed());
            const std::vector<double> y = norms(gammas[g], recurrent, random);
            std::vector<double> power;
            for (const double k : steps) power.push_back(std::pow(gammas[g], k));
            figure
                .line(fmt::format("γ = {}", gammas[g]), steps, y,
                      {.color = colors[g], .dash = figure::solid, .points = false})
                .line("power of γ", steps, power,
                      {.color = figure::grey, .dash = figure::dotted, .points = false});
        }
        figure.log_y()
            .ylim(1e-20, 1e60)
            .x(recurrent ? "time step" : "layer")
            .y("norm, relative to the input");
        std::vector<double> ends;
        for (int run = 0; run < seeds(); ++run) {
            Generator random(book::seed() + std::uint64_t(run));
            ends.push_back(norms(1, recurrent, random).back());
        }
        say("{}, γ = 1: after {} steps the norm over that of the input is {}",
            recurrent ? "recurrent network" : "multilayer perceptron", depth(),
            book::brief(over_seeds(ends)));
    }
    figure.save(
        "The norm of one signal in networks of ReLU layers, with the weights of He "
        "times γ. The dotted lines are γ to the power of the depth. First panel: new "
        "weights in each layer. Second panel: the same weights at each time step.");
    book::shows("eq-gamma-depth/a", "fig-gamma-depth");
}
//-

// The lines follow the powers of $\gamma$ over more than sixty powers of ten. They are near the powers and not on them:
// at $\gamma = 1$ five perceptrons end at 0.61 to 1.11 times the norms of their inputs, and five recurrent networks at
// 0.91 to 4.05 times. In the perceptron the deviations of fifty independent layers partly cancel. The recurrent network
// applies one matrix fifty times, so its deviation from the average soon is the same at every step. In single precision
// the lines for $\gamma = 10$ would end early, because the norm sums squares, which overflow above
// $3.4\times10^{38}$; this page computes in double precision.
//
// ## The variance 1/d
//
// Which weights have $\gamma = 1$? Look at one unit without an activation function. It has two inputs, each $+1$ or
// $-1$ with equal chances, and weights $\pm\frac{1}{\sqrt 2}$ with random signs. Its sum $y = w_1 x_1 + w_2 x_2$ is
// $\sqrt 2$, $0$, $0$ or $-\sqrt 2$, with equal chances. The mean is 0 and the mean square is $(2 + 0 + 0 + 2)/4 = 1$,
// as large as that of an input. In general, let the $d$ inputs and the weights be independent with mean 0, the inputs
// with variance 1 and the weights with variance $1/d$. The square of the sum has terms $w_i w_j x_i x_j$. Those with
// $i \ne j$ are zero on average, and the rest gives
//
// ```{equation} eq-init-one-over-d
// :function: recto::nn::lecun_init
// \mathbb E[y^2] = \sum_{i=1}^d \mathbb E[w_i^2] \, \mathbb E[x_i^2] = d \cdot \frac1d = 1
// ```
//
// ```{erratum} The last step of the proof
// :row: eq-init-one-over-d
// :source: {cite:t}`charpiat-lecture`, on Glorot initialisation
// :printed: \dots = d \cdot 1
// :correct: \dots = d \cdot \frac1d = 1
// The weights have the variance $1/d$, and the inputs have the variance 1. The product for each of the $d$ terms is
// $1/d$.
// ```
//
// No shape of a distribution enters, so we try it with inputs of three shapes: normal, uniform, and a random sign.
struct Sums {
    Tensor y, cross;  // the sums, and their terms with i ≠ j
};
Sums weighted_sums(Index d, Index draws, int shape, Generator& random) {
    Tensor x = random.normal({draws, d});
    if (shape == 1) x = random.uniform({draws, d}, -std::sqrt(3.0), std::sqrt(3.0));
    if (shape == 2) x = x / abs(x);
    const Tensor w = nn::lecun_init({draws, d}, random);
    const Tensor y = sum(w * x, {1});
    return {y, square(y) - sum(square(w * x), {1})};
}

//- what is checked
// The distance of a sample's mean from a number, in standard errors.
double standard_errors(const Tensor& sample, double from) {
    const double n = double(sample.numel());
    return std::abs(double(mean(sample).item()) - from) /
           std::sqrt(double(variance(sample).item()) / n);
}

void one_over_d() {
    double means = 0, squares = 0, crosses = 0;
    for (const Index d : {10, 100, 1000})
        for (const int shape : {0, 1, 2}) {
            Generator random(book::seed() + std::uint64_t(10 * d + shape));
            const Sums sums = weighted_sums(d, samples() / 10 / d, shape, random);
            means = std::max(means, standard_errors(sums.y, 0));
            squares = std::max(squares, standard_errors(square(sums.y), 1));
            crosses = std::max(crosses, standard_errors(sums.cross, 0));
        }
    claim(
        "eq-init-one-over-d/a",
        "the mean of y against 0, in standard errors, the largest of 10, 100 and 1000 "
        "inputs of three shapes",
        means, "<=", 4);
    claim("eq-init-one-over-d/b", "the mean square of y against 1, the same", squares,
          "<=", 4);
    claim("eq-init-one-over-d/c", "the terms with i ≠ j against 0, the same", crosses,
          "<=", 4);
}
//-

// ## The uniform distribution
//
// Weights may as well be uniform. A uniform number between $-\frac12$ and $\frac12$ has the mean square $\frac1{12}$:
// its ends have the square $\frac14$, and all other values a smaller one. In general the ends $\pm r$ give the variance $r^2/3$. Place
// your bet:
//- the question, and what is checked
double left_of_variance(nn::Init weights, Index layers, Generator& random) {
    const Tensor start = random.normal({64, width()});
    Tensor x = start;
    for (Index k = 0; k < layers; ++k)
        x = linear(x, weights({width(), width()}, random, Device::cpu));
    return double(variance(x).item()) / double(variance(start).item());
}
Tensor wider(const Shape& shape, Generator& random, Device device) {
    return std::sqrt(3.0) * nn::uniform_init(shape, random, device);
}

void uniform() {
    std::vector<double> slopes;
    const Index layers = 10;
    for (int run = 0; run < seeds(); ++run) {
        Generator random(book::seed() + std::uint64_t(run));
        slopes.push_back(std::log(left_of_variance(nn::uniform_init, layers, random)) /
                         double(layers));
    }
    const double left = std::exp(double(layers) * book::median(slopes));
    ask("Weights are drawn uniformly between −1/√d and 1/√d. What is left of the "
        "variance of a signal after ten such layers, without activation functions?",
        {{"All of it: the interval has the width of the normal distribution.",
          left > 0.5,
          "1/√d is the end of the interval. The standard deviation is smaller, by the "
          "factor √3."},
         {"About a thirtieth: each layer loses a little.", left > 0.005 && left < 0.5,
          "A factor of 0.7 a layer would do that. The factor is 1/3."},
         {"Less than a ten-thousandth.", left < 1e-4,
          "Each layer leaves a third, and a third ten times is 1/59,049."}});
    const double d = 100;
    Generator random(book::seed());
    const Tensor w = nn::uniform_init({100'000, Index(d)}, random);
    claim("claim-uniform-init-law/a",
          "uniform on ±1/√d: the variance times d against 1/3, in standard errors",
          standard_errors(d * square(w), 1.0 / 3), "<=", 4);
    std::vector<double> off;
    for (const double slope : slopes)
        off.push_back(std::abs(slope / std::log(1.0 / 3) - 1));
    claim(
        "claim-uniform-init-law/b",
        "ten layers: the change of the log of the variance per layer against log 1/3, "
        "relative deviation",
        over_seeds(off), "<=", 0.05);
    const Tensor x = random.normal({20'000, Index(d)});
    const Tensor v = wider({20'000, Index(d)}, random, Device::cpu);
    claim("claim-uniform-init-law/c",
          "uniform on ±√(3/d): the variance of a weighted sum against 1, in standard "
          "errors",
          standard_errors(square(sum(x * v, {1})), 1), "<=", 4);
    say("left of the variance after ten layers: {}, and with the ends ±√(3/d) {:.2f}",
        book::brief(left), left_of_variance(wider, layers, random));
}
//-

// ```{erratum} The uniform distribution that keeps the variance
// :row: claim-uniform-init-law
// :source: {cite:t}`charpiat-notes`, §I, and {cite:t}`charpiat-lecture`
// :printed: uniform on $[-1/\sqrt d, \, 1/\sqrt d]$, beside the normal distribution with variance $1/d$
// :correct: uniform on $[-\sqrt{3/d}, \, \sqrt{3/d}]$
// With the printed ends the variance is $\frac{1}{3d}$, and after $D$ linear layers $3^{-D}$ of the variance is left.
// ```
//
// The printed interval is nevertheless in wide use: it is the default of PyTorch's linear layer, and that of
// {cpp:class}`~recto::nn::Linear`.
//
// ## What ReLU costs
//
// A ReLU sets half of its inputs to zero. For the four inputs $-2, -1, 1, 2$ the mean square falls from 2.5 to 1.25, to
// one half. The *variance* is the mean square minus the square of the mean. The mean rises from 0 to $\frac34$, so the
// variance falls from 2.5 to $1.25 - 0.5625 = 0.6875$, far below one half. Which of the two numbers matters to the next
// layer? Its weights have mean 0. They do not subtract the mean of their inputs, and so the layer sees the mean square,
// $\mathbb E[x_i^2]$ in the formula above. For a standard normal $z$,
//
// ```{equation} eq-relu-gain
// :function: recto::relu; recto::nn::he_init
// \mathbb E[\mathrm{relu}(z)^2] = \frac12, \qquad \text{so the weights need the standard deviation } \frac{\sqrt2}{\sqrt d}
// ```
//
// The factor $\sqrt 2$ is called the **gain** of ReLU, and the weights are those of
// [He](../components/initialisation.cpp). We measure both numbers on 20 million draws:
Moments relu_of_normal(Index count, Generator& random) {
    double first = 0, second = 0;
    const Index block = 1'000'000;
    for (Index done = 0; done < count; done += block) {
        const Tensor y = relu(random.normal({block}));
        first += double(mean(y).item()), second += double(mean(square(y)).item());
    }
    const double blocks = double(count) / double(block);
    first /= blocks, second /= blocks;
    return {first, second - first * first};
}
//- what is checked
void relu_gain() {
    Generator random(book::seed());
    const Moments y = relu_of_normal(samples(), random);
    const double second = y.variance + y.mean * y.mean;
    say("ReLU of a standard normal number: mean square {:.4f}, variance {:.4f}", second,
        y.variance);
    claim("eq-relu-gain/a", "the mean square after ReLU against 1/2, deviation",
          std::abs(second - 0.5), "<=", 1e-3);
    claim("eq-relu-gain/b", "the variance against 1/2 − 1/(2π) = 0.3408, deviation",
          std::abs(y.variance - (0.5 - 0.5 / std::numbers::pi)), "<=", 1e-3);
}
//-

// ```{erratum} ReLU halves the mean square
// :row: eq-relu-gain
// :source: {cite:t}`charpiat-notes`, §I, and {cite:t}`charpiat-lecture`
// :printed: \mathrm{var}(\mathrm{relu}(x)) = \tfrac12 \, \mathrm{var}(x)
// :correct: \mathbb E[\mathrm{relu}(x)^2] = \tfrac12 \, \mathbb E[x^2], \qquad \mathrm{var}(\mathrm{relu}(x)) = \Big(\tfrac12 - \tfrac1{2\pi}\Big) \mathrm{var}(x)
// Both hold for a normal $x$ with mean 0. The gain of $\sqrt 2$ is right nevertheless, since the next layer sees the
// mean square.
// ```
//
// ## Where biases start
//
// Biases start at zero, says the lecture {cite:p}`charpiat-lecture`. In this library they do so only if you ask: by
// default a dense layer, a convolution, a recurrent layer or a graph convolution follows PyTorch and draws its biases
// uniformly. All formulas so far leave out the biases. A random bias adds its own variance in each layer. A **bias of
// zero** adds none, and the units of a layer differ already because of their weights. If you choose an initialisation
// for a dense layer or a convolution, its biases start at zero. In normalisations and in attention they always do. Some
// recipes ask for something else. A **gate**, a unit that decides how much of a signal passes, may start nearly open or
// nearly shut. An LSTM is a recurrent network with gates. The bias of its *forget gate* often starts at 1, so that it
// keeps its memory {cite:p}`gers2000,jozefowicz2015`. The gates of a *highway network* start at a negative number such
// as −2, so that its layers pass their inputs on {cite:p}`srivastava2015`. The recipe for an LSTM in code; one vector
// holds the biases of its three gates and of the new value, and the second of the four is the forget gate:
nn::Lstm open_lstm(Index in, Index hidden, Generator& random) {
    nn::Lstm lstm(in, hidden, random);
    lstm.weights.bias_ih = zeros({4 * hidden});
    lstm.weights.bias_hh = zeros({4 * hidden});
    slice(lstm.weights.bias_ih, 0, hidden, 2 * hidden).copy_(ones({hidden}));
    return lstm;
}
//- the table, and what is checked
std::string range(const Tensor& bias) {
    const double low = double(min(bias).item()), high = double(max(bias).item());
    return low == high ? fmt::format("{}", low)
                       : fmt::format("{:.2f} to {:.2f}", low, high);
}

// Of eight fresh layers, how many have a bias that is not zero?
Index drawn_biases(Generator& random) {
    Index drawn = 0;
    for (const Tensor& bias :
         {nn::Linear(8, 8, random).bias, nn::Conv2d(8, 8, 3, random).bias,
          nn::Rnn(8, 8, random).weights.bias_ih, nn::Lstm(8, 8, random).weights.bias_ih,
          nn::Gru(8, 8, random).weights.bias_ih,
          nn::GraphConv(8, 8, random).lin_rel.bias,
          nn::MultiHeadAttention(8, 2, random).in_proj_bias, nn::LayerNorm({8}).bias})
        drawn += max(abs(bias)).item() > 0;
    return drawn;
}

void biases() {
    std::vector<double> drawn;
    for (int run = 0; run < seeds(); ++run) {
        Generator fresh(book::seed() + std::uint64_t(run));
        drawn.push_back(double(drawn_biases(fresh)));
    }
    book::not_reproduced(
        "sys-bias-zero-init/a",
        "of eight kinds of layers, with their defaults, those whose biases do not "
        "start at zero",
        over_seeds(drawn), "==", 0,
        "choosing an initialisation, which sets the biases of dense layers and "
        "convolutions to zero; layers of other kinds: normalisation and attention "
        "start at zero, recurrent layers and graph convolutions offer no such choice");

    Generator random(book::seed());
    Index not_zero = 0;
    std::vector<std::vector<book::Cell>> rows;
    const auto zero = [&](const std::string& name, const Tensor& bias) {
        for (const Real b : bias.values()) not_zero += b != 0;
        rows.push_back({name, range(bias)});
    };
    for (const auto& [name, init] :
         {std::pair<const char*, nn::Init>{"He", nn::he_init},
          {"LeCun", nn::lecun_init},
          {"Glorot", nn::glorot_init},
          {"orthogonal", nn::orthogonal_init}}) {
        const std::string with = std::string(", ") + name;
        zero("dense layer" + with, nn::Linear(8, 8, random, {.weights = init}).bias);
        zero("convolution" + with, nn::Conv2d(8, 8, 3, random, {.weights = init}).bias);
    }
    const nn::DeepMlp deep({8, 8, 1, 8}, true, random);
    zero("block of a deep network", std::get<1>(deep.blocks[0].parts).bias);
    zero("layer normalisation", nn::LayerNorm({8}).bias);
    zero("batch normalisation", nn::BatchNorm(8).bias);
    zero("attention", nn::MultiHeadAttention(8, 2, random).in_proj_bias);
    claim("", "biases that are not zero in these fresh layers", not_zero, "==", 0);

    const nn::Linear plain(8, 8, random);
    const nn::Lstm lstm = open_lstm(8, 8, random);
    const nn::MinimalRnn kept(8, 8, random, {.keep = 2});
    rows.push_back({"dense layer, default", range(plain.bias)});
    rows.push_back(
        {"forget gate of an LSTM", range(slice(lstm.weights.bias_ih, 0, 8, 16))});
    rows.push_back({"gate of MinimalRNN, keep = 2", range(kept.gate_input.bias)});
    book::table("biases",
                "The biases of fresh layers: zero if you ask for it, then a default, "
                "then two recipes.",
                {"layer", "biases"}, rows);
    // Without input and output, all that is left of the memory c is the share that the forget gate keeps.
    const Tensor c = ones({1, 8}), none = zeros({1, 8});
    claim("",
          "the share of its memory that the LSTM keeps, against the sigmoid of 1, "
          "largest deviation",
          max(abs(lstm(none, none, c).c - 1 / (1 + std::exp(-1.0)))).item(),
          "<=", 1e-6);
}
//-

// ## A function that corrects the size itself
//
// The right variance keeps the size of a signal, and corrects nothing. ReLU loses the signal in {numref}`fig-selu-path`
// because its weights have the variance $1/d$ there. With its own gain it would keep the mean square of its inputs, as
// $\gamma = 1$ in {numref}`fig-gamma-depth`, whatever it is. If the inputs are too large by a factor of ten,
// the outputs of the last layer are, too. **SELU** corrects it {cite:p}`klambauer2017`. Its
// [two constants](../components/rectifiers.cpp) make mean 0 and variance 1 a **fixed point**: inputs with these
// moments give outputs with these moments. The authors also prove that the fixed point attracts its neighbourhood. In a
// signal that is too large, many numbers fall on the flat part of the curve below zero, so the signal shrinks. A signal
// that is too small stays near zero. There the slopes are 1.05 on the right and 1.76 on the left, both above 1, so the
// signal grows.
//
// The program behind {numref}`fig-selu-path` is a loop over layers with weights of variance $1/d$ and biases of zero:
Moments moments(const Tensor& x) {
    return {double(mean(x).item()), double(variance(x).item())};
}
std::vector<Moments> propagate(Activation f, Moments start, Index layers,
                               std::uint64_t seed) {
    Generator random(seed);
    Tensor x = random.normal({64, width()}, start.mean, std::sqrt(start.variance));
    std::vector<Moments> found = {moments(x)};
    for (Index k = 0; k < layers; ++k) {
        x = nn::Linear(width(), width(), random, {.weights = nn::lecun_init})(x, f);
        found.push_back(moments(x.detach()));
    }
    return found;
}
//- how the figure is drawn, and what is checked
void selu_moments() {
    const Moments start = {start_mean(), start_variance()};
    Figure figure("fig-selu-moments");
    figure
        .describe(
            "Two panels, mean and variance of the outputs against the layer. ReLU and "
            "tanh fall to a variance near zero, ReLU within ten layers and tanh "
            "slowly. Five lines for SELU stay near mean 0 and, within ten layers, come "
            "near variance 1.")
        .columns(2);
    std::vector<double> layers, means, variances;
    for (Index k = 0; k <= depth(); ++k) layers.push_back(double(k));
    struct Curve {
        const char* name;
        Activation f;
        figure::Color color;
        std::vector<std::vector<double>> means = {}, variances = {};
    };
    std::vector<Curve> curves = {{"SELU", selu, figure::blue},
                                 {"ReLU", relu, figure::ochre},
                                 {"tanh", tanh, figure::green}};
    for (Curve& curve : curves)
        for (int run = 0; run < seeds(); ++run) {
            std::vector<double> m, v;
            for (const Moments& at :
                 propagate(curve.f, start, depth(), book::seed() + std::uint64_t(run)))
                m.push_back(at.mean), v.push_back(at.variance);
            curve.means.push_back(m), curve.variances.push_back(v);
            if (curve.f != Activation(selu)) continue;
            means.push_back(m[20]), variances.push_back(v[20]);
        }
    figure.panel("mean");
    for (const Curve& curve : curves)
        figure.lines(curve.name, layers, curve.means,
                     {.color = curve.color, .dash = figure::solid});
    figure.x("layer").y("mean").panel("variance");
    for (const Curve& curve : curves)
        figure.lines(curve.name, layers, curve.variances,
                     {.color = curve.color, .dash = figure::solid});
    for (const Curve& curve : curves)
        say("{}, variance after {} layers: {:.2g}", curve.name, depth(),
            curve.variances[0].back());
    figure.x("layer")
        .y("variance")
        .save(
            "Mean and variance of the outputs of each layer, five networks for each "
            "activation function, weights of variance 1/d. SELU brings the moments to "
            "0 "
            "and 1 and holds them there. ReLU and tanh lose the signal.");
    book::shows("claim-selu-fixed-point/a", "fig-selu-moments");
    claim_in("claim-selu-fixed-point/b",
             "SELU from mean 0.2 and variance 1.5: the mean after 20 layers",
             over_seeds(means), -0.05, 0.05);
    claim_in("claim-selu-fixed-point/c", "the variance after 20 layers",
             over_seeds(variances), 0.9, 1.1);
}
//-

void page() {
    selu_path();
    gamma_depth();
    one_over_d();
    uniform();
    relu_gain();
    biases();
    selu_moments();
}

// After 20 layers the variance is 1.002 (median of five networks) and the mean 0.007. After 50 layers, ReLU has
// $3.7\times10^{-16}$ of variance left and tanh 0.0092. The one start from which SELU does not return is mean 0 and variance 0: a
// signal of zeros stays zero in every layer.
//
// ## Limits
//
// Everything here is about the first step. The weights then change, and the moments change with them; a normalisation
// layer measures the moments of each batch instead and [corrects them](../components/batch_norm.cpp) throughout
// training. The formulas are averages over weights. SELU needs all layers to be dense with variance $1/d$; a shortcut,
// a pooling layer or ordinary dropout changes the moments.
//
// ## Summary
//
// A layer that multiplies norms by $\gamma$ makes a signal explode or vanish as $\gamma^D$, over layers and over time
// steps. Weights of variance $1/d$ keep the size of a signal without an activation function, weights of variance $2/d$
// with ReLU, and a uniform distribution needs the ends $\pm\sqrt{3/d}$ for the variance $1/d$. SELU goes further: it
// pulls mean and variance back to 0 and 1.
//
// ## What is missing
//
// A mean over many networks says little about a single one if single ones differ a lot.
// [The next page](jacobian_moments.cpp) asks how much they differ, and which widths keep them alike.
//
// ```{exercises}
// - [A disc in a square: optimisers and the scale of the weights](/exercises/networks/disc.md)
// ```
//
// ```{try}
// - Narrow layers: `--width 16`. Does SELU still come to rest? Compare the five lines.
// - A signal that is far too small: `--start-mean 0 --start-variance 0.01`. How many layers does SELU need?
// ```
