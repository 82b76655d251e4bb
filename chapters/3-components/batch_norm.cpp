// # Batch normalisation: every unit keeps its range
//
// ```{rows} eq-batchnorm sys-batchnorm claim-bn-2kd claim-bn-learned-moments claim-bn-vs-explosion claim-bn-downsides
// ```
//
// [Initialisation](initialisation.cpp) chooses weights at which signals keep their size. It acts once. From the first
// step on the weights change, and the sizes drift. Could a network measure them itself, and correct them in every
// pass? {numref}`fig-bn-depth` follows a signal through fifty layers whose initial weights were drawn too small,
// right or too large. Move the slider: with **batch normalisation** the size is the same at every setting. This page
// builds the layer, which takes three lines, and then spends most of its time on the price: a sample's result now
// depends on the other samples of its mini-batch.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/examples.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/norm.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/norms/batch_norm.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<Index> depth("depth", 50, "layers of the deep network",
                                {.least = 2, .most = 300});
const book::Option<Index> pictures("pictures", 2000, "how many images to learn from",
                                   {.quick = 300, .least = 100, .most = 10'000});
const book::Option<Index> passes("steps", 100, "steps of a training",
                                 {.quick = 20, .least = 1, .most = 10'000});
const book::Option<int> draws("draws", 5, "trainings at each learning rate",
                              {.quick = 1, .least = 1, .most = 50});

//-

//- a network, how it is made, and how the figure is drawn
// A network of layers with a ReLU, and a normalisation before each ReLU if wanted.
struct Deep {
    std::vector<nn::Linear> layers;
    std::vector<nn::BatchNorm> norms;  // none, or one for each layer but the last
    Tensor operator()(Tensor x) const {
        for (std::size_t k = 0; k < layers.size(); ++k) {
            x = layers[k](x);
            if (k + 1 == layers.size()) break;
            x = relu(norms.empty() ? x : norms[k](x));
        }
        return x;
    }
    void visit(auto&& part) { part("layers", layers), part("norms", norms); }
};
Deep make(const std::vector<Index>& sizes, bool normalised, Generator& random,
          double factor = 1) {
    Deep net;
    for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
        net.layers.emplace_back(sizes[k], sizes[k + 1], random,
                                nn::LinearOptions{.weights = nn::he_init});
        Tensor& weight = net.layers.back().weight;
        weight = (weight.detach() * factor).requires_grad_();
        if (normalised && k + 2 < sizes.size()) net.norms.emplace_back(sizes[k + 1]);
    }
    return net;
}

// Of each layer but the last, the smallest and the largest standard deviation of any unit over the batch.
struct Spread {
    double least, most, mean_square;
};
std::vector<Spread> spreads(const Deep& net, Tensor x) {
    const NoGrad only_asking;
    std::vector<Spread> found;
    for (std::size_t k = 0; k + 1 < net.layers.size(); ++k) {
        x = net.layers[k](x);
        if (!net.norms.empty()) x = net.norms[k](x);
        const Tensor variance = mean(square(x - mean(x, {0}, Keep::yes)), {0});
        found.push_back({std::sqrt(double(min(variance).item())),
                         std::sqrt(double(max(variance).item())),
                         double(mean(variance).item())});
        x = relu(x);
    }
    return found;
}

void fifty_layers() {
    Figure figure("fig-bn-depth");
    figure
        .describe(
            "The standard deviation of the pre-activations against the layer on a "
            "logarithmic axis, two lines. With batch normalisation the line stays at 1 "
            "at "
            "every setting. Without it, it falls to ten to the minus fifty at the "
            "factor "
            "0.1, "
            "sinks to 0.14 at 1, and rises to ten to the fifty at 10.")
        .slider("factor", {0.1, 0.5, 1, 2, 10}, "factor of the initial weights", 0.1);
    double least = 1, most = 1, smallest = 1, largest = 1;  // the last factor is 10
    for (const double factor : {0.1, 0.5, 1.0, 2.0, 10.0}) {
        std::vector<double> layer, with, without;
        for (const bool normalised : {true, false}) {
            Generator random(book::seed());
            std::vector<Index> sizes(std::size_t(depth() + 2), 100);
            const Deep net = make(sizes, normalised, random, factor);
            for (const Spread& s : spreads(net, random.normal({256, 100}))) {
                (normalised ? with : without).push_back(std::sqrt(s.mean_square));
                if (!normalised) continue;
                layer.push_back(double(layer.size() + 1));
                least = std::min(least, s.least), most = std::max(most, s.most);
            }
        }
        figure.at(factor)
            .line("with batch normalisation", layer, with,
                  {.color = figure::blue, .points = false})
            .line("without", layer, without,
                  {.color = figure::red, .dash = figure::dashed, .points = false});
        (factor == 0.1 ? smallest : largest) = without.back();
        if (factor == 1)
            say("factor 1, without it: standard deviation {:.1f} in the first layer "
                "and "
                "{:.2f} in the last",
                without.front(), without.back());
    }
    figure.always()
        .log_y()
        .ylim(1e-52, 1e52)
        .x("layer")
        .y("standard deviation")
        .save(
            "The standard deviation of the pre-activations over 256 samples, in "
            "networks of "
            "100 units a layer. The slider multiplies He's initial weights. With "
            "batch "
            "normalisation it is 1 in every layer, whatever the factor.");
    book::shows("claim-bn-vs-explosion/a", "fig-bn-depth");
    claim_in("claim-bn-vs-explosion/b",
             "the smallest standard deviation of any unit, at any factor, with it",
             least, 0.95, 1.05);
    claim_in("claim-bn-vs-explosion/b", "the largest of any unit, at any factor", most,
             0.95, 1.05);
    claim("claim-bn-vs-explosion/c",
          "factor 0.1: standard deviation in the last layer without it", smallest, "<",
          1e-20);
    claim("claim-bn-vs-explosion/c", "the same at factor 10", largest, ">", 1e20);
}
//-

// Even with the factor 1, where He's weights are right, the standard deviation over the samples sinks from 1.4 to 0.14
// without the layer: each ReLU makes the samples a little more alike. The normalisation keeps them apart.
//
// ## Three lines
//
// Take one unit and a mini-batch of four samples, for which its weighted sum is 1, 3, 5 and 7. The mean is 4, and the
// variance, the mean squared distance from it, is $(9 + 1 + 1 + 9)/4 = 5$. Subtract the mean, and divide by the
// standard deviation, $\sqrt5 = 2.24$: the four numbers become $-1.34$, $-0.45$, $0.45$ and $1.34$, with mean 0 and
// variance 1. The numbers 100, 300, 500 and 700 would have become the same four: only the pattern is left, not its
// place or size. In symbols, for unit $d$ and sample $b$:
//
// ```{equation} eq-batchnorm
// :function: recto::batch_norm
// :test: batch_norm: definition of batch_norm and group_norm
// z_{b,d} = \frac{x_{b,d} - \hat m_d}{\sqrt{\hat v_d + \epsilon}}, \qquad y_{b,d} = \gamma_d\, z_{b,d} + \beta_d
// ```
//
// The mean $\hat m_d$ and the variance $\hat v_d$ are those of the mini-batch. The small $\epsilon$, usually
// $10^{-5}$, prevents a division by zero if a unit is constant. The second formula is there because mean 0 and
// variance 1 need not be what the next layer wants. The scale $\gamma_d$ and the shift $\beta_d$ are trained: mean
// and variance of the result are $\beta_d$ and $\gamma_d^2$. They are learned, like weights, and no longer depend on
// all the layers below. In code:
Tensor normalise(const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps) {
    const Tensor m = mean(x, {0}, Keep::yes);
    const Tensor v = mean(square(x - m), {0}, Keep::yes);
    return gamma * ((x - m) / sqrt(v + eps)) + beta;
}
//- the example, compared with the library, and the printed formula
void by_hand() {
    const Tensor four({4, 1}, {1, 3, 5, 7});
    const Tensor y = normalise(four, Tensor({1}, {2}), Tensor({1}, {1}), 0);
    say("1, 3, 5, 7 with γ = 2 and β = 1 become {:.2f}, {:.2f}, {:.2f}, {:.2f}",
        y.at({0, 0}), y.at({1, 0}), y.at({2, 0}), y.at({3, 0}));
    Generator random(book::seed());
    const Tensor size({6}, {0.25, 0.5, 2, 3, 4, 8});
    const Tensor x = random.normal({64, 6}) * size + 1;
    const Tensor gamma = random.normal({6}), beta = random.normal({6});
    const Tensor library = batch_norm(x, gamma, beta, Tensor(), Tensor());
    claim("", "three lines against the library: the largest difference",
          max(abs(normalise(x, gamma, beta, 1e-5) - library)).item(), "<=", 1e-12);
    const auto variance = [](const Tensor& z) {
        return mean(square(z - mean(z, {0}, Keep::yes)), {0});
    };
    const Tensor v = variance(x);
    const Tensor printed = (x - mean(x, {0}, Keep::yes)) / (v + 1e-5);
    claim("eq-batchnorm/d",
          "divided by the variance: the smallest distance of the variance of z from 1",
          min(abs(variance(printed) - 1)).item(), ">", 0.1);
    //-
    // With $\gamma = 2$ and $\beta = 1$ the four numbers end at $-1.68$, $0.11$, $1.89$ and $3.68$.
    //
    // ```{erratum} The root of batch normalisation
    // :row: eq-batchnorm
    // :source: {cite:t}`transformers-slides`, slides on batch normalisation
    // :printed: $\dfrac{h - m}{s + \epsilon}$, where $s$ is called the variance
    // :correct: $\dfrac{h - m}{\sqrt{s + \epsilon}}$
    //
    // Divided by the variance, a unit with a standard deviation of 4 ends at a quarter, and one with 0.25 at 4: the
    // sizes are turned upside down instead of made equal. With $s$ as a standard deviation the printed formula would
    // be right.
    // ```
    //
    // A layer of $D$ units gets $D$ scales and $D$ shifts. The weights before it need no bias, since the mean is
    // subtracted anyway. For $K$ layers these are $2KD$ more parameters, few beside the $KD^2$ weights:
    //- parameters are counted
    Index off = 0, pairs = 0;
    for (const Index layers : {1, 2, 3, 5, 8})
        for (const Index units : {4, 17}) {
            const std::vector<Index> sizes(std::size_t(layers + 2), units);
            const Deep plain = make(sizes, false, random),
                       with = make(sizes, true, random);
            off += std::abs(nn::count(with) - nn::count(plain) - 2 * layers * units);
            ++pairs;
        }
    claim(
        "claim-bn-2kd/a",
        fmt::format("parameters that {} networks with it have beyond 2KD more", pairs),
        off, "==", 0);
    claim("claim-bn-downsides/b", "the same count, as a price", off, "==", 0);
    const nn::BatchNorm norm(17);
    std::string trained;
    for (const NamedTensor& t : nn::parameters(norm)) trained += t.name + " ";
    claim_true("claim-bn-2kd/b", "of the four tensors of a layer only two are trained",
               trained == "weight bias " && nn::state(norm).size() == 4);
}
//-

// ## The samples of a batch are coupled
//
// The mean and the variance are computed from the samples, so they have derivatives, too. Sample $i$ influences the
// result of sample $j$ in two ways: it moves the mean, and it changes the variance. {numref}`fig-bn-coupling` shows
// these derivatives for six samples, computed by [automatic differentiation](../training/backpropagation.cpp).
//- how the figure is drawn
void coupling() {
    Generator random(book::seed());
    const Index n = 6;
    nn::BatchNorm norm(1);
    const Tensor x = random.normal({n, 1}).requires_grad_();
    for (int k = 0; k < 20; ++k) norm(x.detach());  // running statistics for later
    std::vector<double> trained, fixed, rows;
    double sums = 0;
    for (const bool training : {true, false}) {
        norm.training = training;
        for (Index i = 0; i < n; ++i) {
            x.zero_grad();
            sum(slice(norm(x), 0, i, i + 1)).backward();
            double sum = 0;
            for (const Real d : x.grad().values()) {
                (training ? trained : fixed)
                    .push_back(std::round(100 * double(d)) / 100);
                sum += double(d);
            }
            if (training) sums = std::max(sums, std::abs(sum));
        }
    }
    std::vector<std::string> name;
    for (Index i = 1; i <= n; ++i) name.push_back(std::to_string(i));
    Figure("fig-bn-coupling")
        .describe(
            "Two matrices of six by six cells, a row for each result and a column "
            "for "
            "each input. In training mode the diagonal is positive and strong, and "
            "nearly "
            "all other cells are weak and mostly negative. In evaluation mode all "
            "cells "
            "off the diagonal are zero.")
        .panel("training mode")
        .heatmap("derivative", name, name, trained, -1.5, 1.5)
        .x("input of sample")
        .y("result of sample")
        .panel("evaluation mode")
        .heatmap("derivative", name, name, fixed, -1.5, 1.5)
        .x("input of sample")
        .y("result of sample")
        .save(
            "The derivative of the result of one sample (row) with respect to the "
            "input "
            "of another (column), for one unit and a mini-batch of six. In training "
            "mode every sample has a say in every result.");
    say("training mode: the largest sum of a row is {:.1e}", sums);
}
//-

// Every row of the matrix of training mode adds up to zero, since a shift of all inputs by the same amount changes
// nothing. The matrix is symmetric, so its columns add up to zero, too: the backward pass of batch normalisation
// removes the part of the gradient that all samples share. It also removes the part that is proportional to $z$, since
// stretching all inputs changes nothing, either. The rest is divided by the standard deviation:
//
// $$\frac{\partial \Loss}{\partial x_b} = \frac{\gamma}{\sqrt{\hat v + \epsilon}}
//   \Big(g_b - \frac1B \sum_i g_i - z_b \, \frac1B \sum_i g_i z_i\Big), \qquad g_b = \frac{\partial \Loss}{\partial y_b}$$
//
// In use this coupling is unwanted: the class of an image must not depend on which other images arrived with it.
// How bad would it be? We train a small network, leave it in training mode, and classify each test image twice, in
// the company of 15 other images and then of 15 more.
//- a training, and the answers in two companies
Examples smaller(Part part, Index count) {  // 14 x 14 pixels, as rows
    Examples set = data::slice(data::fashion_mnist(part), 0, count);
    set.x = flatten(avg_pool2d((set.x - 0.286) / 0.353, {2, 2}));
    return set;
}

// The mean loss of the last fifth of the steps comes out in `end`; NaN ends the training.
Deep train(const Examples& lessons, bool normalised, double rate, Generator& random,
           double* end = nullptr) {
    const Deep net = make({196, 64, 64, 64, 64, 64, 64, 10}, normalised, random);
    optim::Sgd sgd(nn::parameters(net), {.lr = rate});
    double sum = 0, loss = 0;
    const Index last = std::max<Index>(1, passes() / 5);
    for (Index step = 0; step < passes() && std::isfinite(loss);)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            const auto of_batch = [&] {
                return cross_entropy(net(batch.x), batch.labels);
            };
            loss = double(optim::train_step(sgd, of_batch).item());
            if (step >= passes() - last) sum += loss / double(last);
            if (++step >= passes() || !std::isfinite(loss)) break;
        }
    if (end) *end = std::isfinite(loss) ? sum : HUGE_VAL;
    return net;
}

void companies() {
    Generator random(book::seed() + 1);
    Deep net = train(smaller(Part::train, pictures()), true, 0.3, random);
    const Examples test = smaller(Part::test, 480);
    const NoGrad only_asking;
    const auto answers =
        [&](Index stride) {  // image i sits beside i + stride, i + 2 stride ...
            std::vector<Index> said(480);
            for (Index first = 0; first < 480 / 16; ++first) {
                std::vector<Tensor> rows;
                std::vector<Index> who;
                for (Index k = 0; k < 16; ++k)
                    who.push_back(stride == 1 ? first * 16 + k
                                              : first + k * (480 / 16));
                for (const Index i : who) rows.push_back(slice(test.x, 0, i, i + 1));
                const std::vector<Index> best =
                    argmax(net(concat(rows, 0)), 1).values();
                for (Index k = 0; k < 16; ++k)
                    said[std::size_t(who[std::size_t(k)])] = best[std::size_t(k)];
            }
            return said;
        };
    const auto differ = [&] {
        const auto one = answers(1), other = answers(2);
        double count = 0;
        for (std::size_t i = 0; i < one.size(); ++i) count += one[i] != other[i];
        return count / double(one.size());
    };
    const double forgotten = differ();
    nn::set_training(net, false);
    const double remembered = differ();
    //-
    ask("Among 480 test images, how many get another class in other company, if the "
        "network is left in training mode?",
        {{"None: the weights are the same, and so is the image.", forgotten == 0,
          "The weights are the same, but not the means and variances of the batch."},
         {"About one in thirty.", forgotten > 0.01 && forgotten < 0.1,
          "The mean of 16 samples scatters by a quarter of a standard deviation, in "
          "each "
          "of six layers."},
         {"About one in three.", forgotten > 0.2 && forgotten < 0.5,
          "The mean of 16 samples scatters by a quarter of a standard deviation, in "
          "each "
          "of six layers. That moves many images across a border."}});
    say("other class in other company: training mode {:.1f} %, evaluation mode {:.1f} "
        "%",
        100 * forgotten, 100 * remembered);
    //- what is checked
    claim("claim-bn-downsides/a",
          "share of test images whose class depends on the company in training mode",
          forgotten, ">", 0);
    claim("", "the same in evaluation mode", remembered, "==", 0);
}
//-

// ## Evaluation: frozen statistics
//
// The way out is to take mean and variance from somewhere else. During training the layer keeps **running
// statistics**: after each mini-batch they move towards its mean and variance by a share of the distance, called
// *momentum* in libraries (it has nothing to do with [that of an optimiser](../training/optimisers.cpp)). In
// *evaluation mode* the layer uses these, and every sample is on its own. {numref}`fig-bn-running` shows how the
// estimate of a mean approaches its value, 3.
//- how the figure is drawn, and what is checked
void running() {
    Figure figure("fig-bn-running");
    figure
        .describe(
            "The running mean against the number of mini-batches, and a dashed line at "
            "the "
            "true mean, 3. At momentum 0.01 the curve is smooth and takes three "
            "hundred "
            "batches to arrive; at 0.1 it takes thirty and wobbles a little; at 0.5 it "
            "arrives at once and never rests.")
        .slider("momentum", {0.01, 0.1, 0.5}, "momentum of the running statistics",
                0.1);
    for (const double momentum : {0.01, 0.1, 0.5}) {
        Generator random(book::seed());
        const nn::BatchNorm norm(1, {}, momentum);
        std::vector<double> batch, seen;
        for (int k = 0; k <= 500; ++k) {
            batch.push_back(k), seen.push_back(double(norm.running_mean.item()));
            norm(random.normal({16, 1}, 3, 2));
        }
        figure.at(momentum).line("running mean", batch, seen,
                                 {.color = figure::blue, .points = false});
    }
    figure.always()
        .rule_y(3, "", {.dash = figure::dashed})
        .ylim(0, 4)
        .x("mini-batches seen")
        .y("running mean")
        .save(
            "The running mean of one unit, from mini-batches of 16 samples with mean 3 "
            "and "
            "standard deviation 2; the true mean is dashed. A small momentum averages "
            "over many batches and "
            "needs "
            "many to arrive.");
    Generator random(book::seed());
    const Index samples = 50'000, size = 1000;
    const Tensor means({4}, {-1, 0, 0.5, 2}), sizes({4}, {0.3, 0.5, 0.8, 1});
    const Tensor x = random.normal({samples, 4}) * sizes + means;
    const nn::BatchNorm norm(4, {}, 0.02);
    for (Index k = 0; k < 500; ++k) {
        const Index at = (k * size) % samples;
        norm(slice(x, 0, at, at + size));
    }
    const Tensor m = mean(x, {0}), v = mean(square(x - m), {0});
    claim(
        "sys-batchnorm/b",
        "after 500 batches, the largest difference between running statistics and the "
        "moments of the data",
        std::max(max(abs(norm.running_mean - m)).item(),
                 max(abs(norm.running_variance - v)).item()),
        "<=", 1e-2);
}
//-

// With frozen statistics the layer multiplies each unit by a constant and adds a constant. The weights and the bias
// before it can do the same: for use, the layer is **folded** into them and costs nothing at all.
nn::Conv2d folded(const nn::Conv2d& conv, const nn::BatchNorm& norm) {
    const Tensor scale = norm.weight / sqrt(norm.running_variance + norm.eps);
    nn::Conv2d both = nn::clone(conv);
    both.weight = conv.weight * reshape(scale, {scale.numel(), 1, 1, 1});
    both.bias = (conv.bias - norm.running_mean) * scale + norm.bias;
    return both;
}
//- what is checked
void folding() {
    Generator random(book::seed());
    const nn::Conv2d conv(3, 8, {3, 3}, random);
    nn::BatchNorm norm(8);
    norm.weight = random.normal({8}), norm.bias = random.normal({8});
    for (int k = 0; k < 20; ++k) norm(conv(random.normal({8, 3, 9, 9}) * 2 + 1));
    norm.training = false;
    const NoGrad only_asking;
    const Tensor x = random.normal({4, 3, 9, 9}), two = norm(conv(x)),
                 one = folded(conv, norm)(x);
    claim("sys-batchnorm/d",
          "a convolution and its batch normalisation against the folded convolution, "
          "largest difference relative to the largest result",
          max(abs(one - two)).item() / max(abs(two)).item(), "<=", 1e-5);
}
//-

// A mini-batch of one sample shows the dependence most clearly. A unit then has one number, which is its own mean; the
// result would be $\beta$ for every input. The library refuses it, as others do.
//
// ## Ten times the learning rate
//
// Why is the layer used at all? Training becomes robust. We train a network with six hidden layers at eleven learning
// rates, with plain gradient descent and He's weights, with and without the layer.
//- how the figure is drawn, and what is checked
void rates() {
    const Examples lessons = smaller(Part::train, pictures());
    const std::vector<double> tried = {0.01, 0.032, 0.1, 0.18, 0.32, 0.56,
                                       1,    1.8,   3.2, 5.6,  10};
    std::vector<std::vector<double>> loss[2];
    std::vector<double> ratio, alone;
    for (int draw = 0; draw < draws(); ++draw) {
        double largest[2] = {0, 0};
        for (const int normalised : {0, 1}) {
            loss[normalised].emplace_back();
            for (const double rate : tried) {
                Generator random(book::seed() + 10 + std::uint64_t(draw));
                double end = 0;
                train(lessons, normalised == 1, rate, random, &end);
                loss[normalised].back().push_back(end < 1e3 ? end : 1e3);
                if (end < 1.15) largest[normalised] = rate;
                book::progress(1 + Index(loss[1].size()), 1 + draws(), "rates");
            }
        }
        ratio.push_back(largest[1] / largest[0]), alone.push_back(largest[0]);
    }
    Figure("fig-bn-rates")
        .describe(
            "The loss at the end of a training against the learning rate, both on "
            "logarithmic axes, five lines for each network. Without batch "
            "normalisation "
            "the lines fall to 0.6 at rate 0.2 and leave the figure above 0.5. With "
            "it "
            "they fall to 0.45 at 0.3, and stay below 0.8 up to 3.")
        .lines("with batch normalisation", tried, loss[1], {.color = figure::blue})
        .lines("without", tried, loss[0],
               {.color = figure::red, .dash = figure::dashed})
        .log_axes()
        .ylim(0.3, 10)
        .x("learning rate")
        .y("loss of the last steps")
        .save(
            "The mean loss over the last 20 of 100 steps of gradient descent, five "
            "trainings each. A line leaves the figure at a rate where the loss ends "
            "above 10 or is NaN.");
    claim("claim-bn-vs-explosion/d",
          "the largest rate at which training works, with batch normalisation as a "
          "multiple of that without",
          over_seeds(ratio), ">=", 10);
    say("the largest rate without it, in the median training: {}", book::median(alone));
}
//-

// A training counts as working if its last losses are below 1.15, half of what guessing costs. In the median of the
// five trainings the largest working rate is 0.32 without the layer and ten times that with it; in the worst, 5.7
// times. The rates are a factor of 1.8 apart, so "ten times" means between 5.7 and 18 times.
//
// One reason can be computed. Multiply the weights of a layer by ten: the normalisation divides by ten again, and the
// result of the network is the same. The loss then has the same slope over a path ten times as long, so the gradient
// is a tenth of what it was:
//- the weights of the first layer, multiplied
void rescaled() {
    Generator random(book::seed());
    Deep net = make({196, 64, 64, 10}, true, random);
    const Examples lessons = smaller(Part::train, 100);
    const auto slope = [&] {
        const Tensor loss = cross_entropy(net(lessons.x), lessons.labels);
        net.layers[0].weight.zero_grad();
        loss.backward();
        return std::pair(
            double(loss.item()),
            std::sqrt(double(sum(square(net.layers[0].weight.grad())).item())));
    };
    const auto [loss, gradient] = slope();
    {
        const NoGrad only_changing;
        net.layers[0].weight.copy_(net.layers[0].weight * 10);
    }
    const auto [same, smaller_one] = slope();
    say("weights of the first layer times ten: the loss changes by {:.1e}, and the "
        "gradient is divided by {:.2f}",
        std::abs(same - loss), gradient / smaller_one);
}
//-

// A step that is too long enlarges the weights, and larger weights get smaller gradients: the excess brakes itself.
// Without the layer, larger weights get *larger* gradients, and the next step is worse.
//
// ## Limits and history
//
// {cite:t}`ioffe2015` introduced the layer and explained its success by less *internal covariate shift*: each layer
// is spared changes of its input distribution that the layers below it cause. {cite:t}`santurkar2018` added noise
// that shifts the distributions after the layer, and training was as fast as before; they find a smoother loss
// instead. What exactly helps is still debated. The limits of the layer are clear. A mini-batch of two or four images
// gives moments too noisy to use, and large images allow no more. In text, samples have different lengths. In
// training, information leaks from one sample to the others, so that a network can cheat where it should not know its
// neighbours. And a program that forgets to switch the mode gives wrong answers without a message.
//
// ## Summary
//
// Batch normalisation subtracts the mean of a unit over the mini-batch and divides by its standard deviation; a
// trained scale and shift follow. In training it keeps every unit in range at any depth and allows larger learning
// rates. In use it takes running statistics instead, and can be folded into the layer before it.
//
// ## What is missing
//
// All trouble of this page comes from sharing moments among samples. [The next page](layer_norm.cpp) takes them
// within a single sample.
//
// ```{exercises}
// - [Batch normalisation of images, in both modes](/exercises/components/batch_norm_2d.md)
// ```
//
// ```{try}
// - Fewer layers: `--depth 5`. At which depth does the network without the layer get into trouble with the factor 0.5?
// - Longer: `--steps 300`. Does a longer training tolerate the same rates?
// ```
void page() {
    fifty_layers();
    by_hand();
    coupling();
    companies();
    running();
    folding();
    rates();
    rescaled();
}
