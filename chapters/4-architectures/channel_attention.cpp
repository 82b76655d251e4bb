// # Squeeze-and-excitation: attention over channels
//
// ```{rows} sys-squeeze-excitation
// ```
//
// A convolution looks at a few pixels around each place. It cannot know whether the image shows a shoe or a shirt, and yet
// this would help: some channels matter for shoes and others for shirts. **Squeeze-and-excitation** tells every place
// what the whole image contains. It takes the mean of each channel, computes a factor for each channel from all the means,
// and multiplies. {numref}`fig-se-factors` shows the factors that a small network has learned, for each class of clothes.
// Move the slider from the first block to the last: how much do the factors depend on the class?
//
// ```{opening} fig-se-factors
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/squeeze_excitation.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::report,
    book::say;
using data::Batches, data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> pictures("pictures", 2000, "images that each network sees",
                                   {.quick = 100, .least = 50, .most = 20'000});
const book::Option<Index> draws("draws", 3, "networks of each kind",
                                {.quick = 1, .least = 1, .most = 10});
const book::Option<Index> reduction("reduction", 4, "r of the trained blocks",
                                    {.least = 1,
                                     .most = 16,
                                     .among = {1, 2, 4, 8, 16}});
//-

// ## Two means, two factors
//
// Take a tensor of two channels with $2 \times 2$ pixels. The first channel holds 1, 3, 2 and 2, so its mean is 2. The
// second holds 0, 0, 4 and 0, and its mean is 1. These two means are the **squeeze**. Now a layer with one hidden unit
// compares them: with the weights $(1, -1)$ and a ReLU it gives $2 - 1 = 1$. A second layer, with the weights 2 and $-2$,
// makes the scores 2 and $-2$, and the logistic function turns them into the factors 0.88 and 0.12. This is the
// **excitation**. Every pixel of the first channel is multiplied by 0.88, and every pixel of the second by 0.12.
//
// With $C$ channels the hidden layer has $C/r$ units, where $r$ is the **reduction**:
//
// $$ s = \sigma\bigl( W_2\, \mathrm{relu}( W_1\, \mathrm{avg}(x) + b_1 ) + b_2 \bigr) , \qquad y_c = s_c\, x_c $$
//
// Here $\mathrm{avg}(x)$ holds the $C$ means and $y_c$ is channel $c$ of the result. In code, with loops over channels and
// hidden units:
using Numbers = std::vector<double>;
Numbers factors_by_hand(const nn::SqueezeExcitation& block, const Numbers& means) {
    const Tensor &W1 = block.squeeze.weight, &W2 = block.excite.weight;
    const Index hidden = W1.size(0), channels = W1.size(1);
    Numbers s;
    for (Index c = 0; c < channels; ++c) s.push_back(double(block.excite.bias.at({c})));
    for (Index i = 0; i < hidden; ++i) {
        double z = double(block.squeeze.bias.at({i}));
        for (Index c = 0; c < channels; ++c)
            z += double(W1.at({i, c})) * means[std::size_t(c)];
        for (Index c = 0; c < channels; ++c)
            s[std::size_t(c)] += double(W2.at({c, i})) * std::max(z, 0.0);
    }
    for (double& score : s) score = 1 / (1 + std::exp(-score));
    return s;
}
//- what is checked
void formula() {
    const NoGrad only_looking;
    Generator random(book::seed());
    Index wrong = 0;
    for (const Index C : {4, 16, 64})
        for (const Index r : {1, 2, 4}) {
            const nn::SqueezeExcitation any(C, r, random);
            const Index biases = any.squeeze.bias.numel() + any.excite.bias.numel();
            wrong += nn::count(any) - biases != 2 * C * C / r;
        }
    claim("sys-squeeze-excitation/c",
          "of 9 sizes, those at which the weights are not 2 C² / r", wrong, "==", 0);
    const Index images = 3, channels = 12;
    const nn::SqueezeExcitation block(channels, 4, random);
    const Tensor x = random.normal({images, channels, 6, 5}, Real(0.5)),
                 s = block.factors(x);
    double worst = 0;
    for (Index n = 0; n < images; ++n) {
        Numbers means;
        for (Index c = 0; c < channels; ++c) {
            double total = 0;
            for (Index i = 0; i < 6; ++i)
                for (Index j = 0; j < 5; ++j) total += double(x.at({n, c, i, j}));
            means.push_back(total / 30);
        }
        const Numbers want = factors_by_hand(block, means);
        for (Index c = 0; c < channels; ++c)
            worst =
                std::max(worst, std::abs(double(s.at({n, c})) - want[std::size_t(c)]));
    }
    claim("sys-squeeze-excitation/a",
          "the factors against the formula in loops, largest difference", worst,
          "<=", 1e-6);
    say("factors before training: from {:.2f} to {:.2f}", double(min(s).item()),
        double(max(s).item()));
}
//-

// Both matrices together have $2C^2/r$ weights. A residual block of two $3 \times 3$ convolutions has $18\,C^2$, so with
// $r = 4$ squeeze-and-excitation adds a 36th of its weights. It adds far less work. On an image of $7 \times 7$ places
// the convolutions multiply $49 \cdot 18\, C^2 = 882\, C^2$ times, and the two small layers $\frac12 C^2$ times, because
// they run once for an image and not once for each place. Why not $r = 1$? The hidden layer is a bottleneck, which keeps
// the block small, and it must find a few questions that are worth asking about the image as a whole.
//
// What happens before training? The scores are then near 0 and the factors near $\frac12$, so the block halves all
// channels, roughly, and leaves their proportions alone. And the gradient comes back on two ways. Along the channel
// itself it is multiplied by $s_c$. Through the means, every pixel gets a small share of what the factors of all channels
// should have been: the block lets a pixel in one corner change how strongly another corner is passed on.
//
// Why multiply, and not add? A number added to each channel would move all its pixels by the same amount. A factor near 0
// switches the channel off for this image, wherever something stands in it, and a factor near 1 lets it pass. The places
// where the channel was zero stay zero. So the block changes how much a channel counts, and not what it says. For the
// same reason the factors must not become negative, which the logistic function ensures: a negative factor would turn the
// meaning of a channel around.
//
// ## What the factors cannot see
//
// The squeeze keeps one number of each channel and throws the rest away. How much does this matter for the factors?
// Place your bet:
//- the question, and what is checked
void shuffled() {
    const NoGrad only_looking;
    Generator random(book::seed());
    const nn::SqueezeExcitation block(16, 4, random);
    Tensor x = data::slice(data::fashion_mnist(Part::test), 0, 8).x;
    const nn::Conv2d conv(1, 16, 3, random, {.padding = 1});
    x = relu(conv(x));
    const Tensor rows = reshape(x, {8 * 16, 784});
    const std::vector<Index> order = random.permutation(784);
    const Tensor mixed = transpose(index_rows(transpose(rows), Integers({784}, order)));
    const double moved = double(
        max(abs(block.factors(reshape(mixed, x.shape())) - block.factors(x))).item());
    ask("All pixels of an image are shuffled, in the same way in each channel, so that "
        "the "
        "image can no longer be recognised. What happens to the factors?",
        {{"They all become about 1/2: the block no longer knows what it sees.",
          moved > 0.2, "It never knew. It has seen means only."},
         {"They change a little, as they would for another image.",
          moved > 1e-5 && moved <= 0.2,
          "For another image the means are different. Shuffling keeps the means."},
         {"They stay as they are.", moved <= 1e-5,
          "A mean does not depend on the order. Where something stands in the image is "
          "lost in the squeeze."}});
    claim("", "shuffled pixels: the largest change of a factor", moved, "<=", 1e-5);
}
//-

// So the factors answer *how much* of each channel there is in the image, and not *where*. The channels in front of the
// block must have turned what matters into amounts, and later layers are better at this.
//
// ## A small residual network
//
// We put the block where {cite:t}`hu2018` put it: at the end of each residual branch, before the sum. If all factors are
// 1 the block is the one without it.
struct Block {
    nn::Conv2d first, second;
    nn::BatchNorm norm_first, norm_second;
    std::optional<nn::SqueezeExcitation> excite;
    Tensor operator()(const Tensor& x) const {
        const Tensor added = norm_second(second(norm_first.relu(first(x))));
        return relu(x + (excite ? (*excite)(added) : added));
    }
    void visit(auto&& part) {
        part("first", first), part("second", second);
        part("norm_first", norm_first), part("norm_second", norm_second);
        if (excite) part("excite", *excite);
    }
};
//- the network, its training, and what is checked
const Index channels = 16, blocks = 3;
Block make_block(bool excited, Generator& random) {
    const auto conv = [&] {
        return nn::Conv2d(channels, channels, 3, random,
                          {.padding = 1, .bias = false, .weights = nn::he_init});
    };
    Block block{conv(), conv(), nn::BatchNorm(channels), nn::BatchNorm(channels), {}};
    if (excited) block.excite.emplace(channels, reduction(), random);
    return block;
}

struct Net {
    nn::Conv2d stem;
    nn::BatchNorm norm;
    std::vector<Block> blocks;
    nn::Linear classify;
    Tensor operator()(const Tensor& x) const {
        Tensor h = norm.relu(stem(x));
        for (const Block& block : blocks) h = block(h);
        return classify(mean(h, {2, 3}));
    }
    void visit(auto&& part) {
        part("stem", stem), part("norm", norm);
        part("blocks", blocks), part("classify", classify);
    }
};
Net make_net(bool excited, Generator& random) {
    Net net{nn::Conv2d(1, channels, 3, random,
                       {.stride = 2, .padding = 1, .weights = nn::he_init}),
            nn::BatchNorm(channels),
            {},
            nn::Linear(channels, 10, random)};
    for (Index k = 0; k < blocks; ++k)
        net.blocks.push_back(make_block(excited, random));
    return net;
}

void all_open() {
    const NoGrad only_looking;
    Generator random(book::seed());
    Block block = make_block(true, random), without = block;
    without.excite.reset();
    block.excite->excite.weight = zeros({channels, channels / reduction()});
    block.excite->excite.bias = full({channels}, 100);  // its logistic function is 1
    const Tensor x = random.normal({4, channels, 7, 7});
    claim_true("sys-squeeze-excitation/b",
               "with all factors at 1 the residual block gives the bits of the one "
               "without them",
               block(x).values() == without(x).values());
}

Examples clothes(Part part, Index from, Index to) {
    Examples some = data::slice(data::fashion_mnist(part), from, to);
    some.x = (avg_pool2d(some.x, 2) - 0.286) / 0.353;
    return some;
}

// Trains with a rate that falls to zero.
Net learned(bool excited, std::uint64_t draw) {
    Generator random(100 * book::seed() + draw);
    Net net = make_net(excited, random);
    const Examples lessons = clothes(Part::train, 0, pictures());
    optim::Adam adam(nn::parameters(net));
    const Index epochs = 4, batch = 50;
    const double steps = double(epochs * ((pictures() + batch - 1) / batch));
    optim::fit(
        adam, [&] { return Batches(lessons, batch, random); },
        [&](const Examples& some) { return cross_entropy(net(some.x), some.labels); },
        {.epochs = epochs,
         .lr = [&](Index step) { return 0.01 * (1 - double(step) / steps); }});
    nn::set_training(net, false);
    return net;
}

// The mean factor of each channel for the images of each class, in one block: a row for each class.
std::vector<double> factors_of(const Net& net, const Examples& test, Index which) {
    Tensor h = net.norm.relu(net.stem(test.x));
    for (Index k = 0; k < which; ++k) h = net.blocks[std::size_t(k)](h);
    const Block& block = net.blocks[std::size_t(which)];
    const Tensor added = block.norm_second(
                     block.second(block.norm_first.relu(block.first(h)))),
                 s = block.excite->factors(added);
    const std::vector<Index> labels = test.labels.values();
    std::vector<double> total(std::size_t(10 * channels), 0.0), count(10, 0.0);
    for (Index n = 0; n < test.size(); ++n) {
        const auto label = std::size_t(labels[std::size_t(n)]);
        count[label] += 1;
        for (Index c = 0; c < channels; ++c)
            total[label * std::size_t(channels) + std::size_t(c)] +=
                double(s.at({n, c}));
    }
    for (std::size_t i = 0; i < total.size(); ++i)
        total[i] /= count[i / std::size_t(channels)];
    return total;
}

// The standard deviation between the classes, mean over the channels.
double between(const std::vector<double>& factors) {
    double all = 0;
    for (std::size_t c = 0; c < std::size_t(channels); ++c) {
        double sum = 0, squares = 0;
        for (std::size_t k = 0; k < 10; ++k) {
            const double s = factors[k * std::size_t(channels) + c];
            sum += s / 10, squares += s * s / 10;
        }
        all += std::sqrt(std::max(squares - sum * sum, 0.0)) / double(channels);
    }
    return all;
}

void trained() {
    const Examples test = clothes(Part::test, 0, 2000);
    std::vector<double> changes, right[2], spread[3];
    for (std::uint64_t draw = 1; draw <= std::uint64_t(draws()); ++draw) {
        for (const int excited : {0, 1}) {
            const Net net = learned(excited == 1, draw);
            const NoGrad only_looking;
            right[excited].push_back(nn::accuracy(net(test.x), test.labels));
            if (draw == 1)
                say("parameters {}: {}",
                    excited == 1 ? "with squeeze-and-excitation" : "without",
                    nn::count(net));
            if (excited == 0) continue;
            std::vector<std::vector<double>> maps;
            for (Index k = 0; k < blocks; ++k) {
                maps.push_back(factors_of(net, test, k));
                spread[k].push_back(between(maps.back()));
            }
            if (draw > 1) continue;
            Names classes, numbers;
            for (const auto name : data::fashion_names) classes.emplace_back(name);
            for (Index c = 1; c <= channels; ++c) numbers.push_back(std::to_string(c));
            Figure figure("fig-se-factors");
            figure
                .describe(
                    "A heat map of ten classes of clothes and sixteen channels: the "
                    "mean "
                    "factor of each channel for the images of each class, between 0 "
                    "and 1. "
                    "A slider chooses one of three blocks.")
                .slider("block", {1, 2, 3}, "block", 3);
            for (Index k = 0; k < blocks; ++k)
                figure.at(double(k + 1))
                    .heatmap("mean factor", numbers, classes, maps[std::size_t(k)], 0,
                             1);
            figure.always().x("channel").y("class").save(
                "The factors that a trained network gives to the channels of its "
                "three blocks: the mean over the test images of each class. A column "
                "of "
                "one colour is a channel whose factor does not depend on the class. "
                "The channels of different blocks have nothing to do with each other.");
        }
        changes.push_back(right[1].back() - right[0].back());
    }
    for (Index k = 0; k < blocks; ++k)
        say("block {}: standard deviation of a factor between the classes {}", k + 1,
            book::brief(over_seeds(spread[k])));
    say("test accuracy without: {}", book::brief(over_seeds(right[0])));
    say("test accuracy with squeeze-and-excitation: {}",
        book::brief(over_seeds(right[1])));
    report(
        "sys-squeeze-excitation/d",
        "change of the test accuracy by squeeze-and-excitation, the same draw with and "
        "without",
        over_seeds(changes));
}
//-

// The factors of a fresh network lie around $\frac12$. After training they depend on the class, and in the median of
// three networks more so from block to block (the standard deviations are printed above): the later channels have more to
// do with what the image shows. But the accuracy does not gain. In each of three draws the network with
// squeeze-and-excitation is a little *worse*, by about one image in a hundred. Our networks are small, and they see each
// of 2,000 images four times; both kinds have the same learning rate, which we did not tune for either. So this is a
// report and no verdict on the method: {cite:t}`hu2018` measured gains for large networks that were trained to the end.

void page() {
    formula();
    shuffled();
    all_open();
    trained();
}

// ## Limits and origins
//
// {cite:t}`hu2018` introduced the block and won the ImageNet classification contest of 2017 with it. Their large
// networks have more than a thousand times as many parameters as ours. The name *attention* is loose:
// [attention](../components/attention.cpp) compares queries with keys and takes a weighted mean, in which weights compete
// for a sum of 1. Here each factor has its own logistic function, so all channels may be open at the same time. Both are
// gates computed from the data.
//
// ## Summary
//
// Squeeze-and-excitation computes the mean of each channel, turns the means into a factor for each channel by two small
// layers, and multiplies. It adds $2C^2/r$ weights. The factors depend on how much of each channel is in the image, and
// not on where it is.
//
// ## What is missing
//
// This network rests on batch normalisation, as ResNet-50 and DenseNet do. [The next page](without_normalisation.cpp)
// trains 56 layers without it.
//
// ```{try}
// - A wider hidden layer: `--reduction 1`. Does the accuracy change?
// - More images: `--pictures 6000`.
// ```
