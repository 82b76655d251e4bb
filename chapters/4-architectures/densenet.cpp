// # DenseNet: every layer reads all layers before it
//
// ```{rows} sys-densenet
// ```
//
// A layer of a chain reads the layer before it, and whatever the next layers need must be copied through all layers in
// between. A [residual block](residual_blocks.cpp) adds its result to the signal, so that the next block reads the sum and
// not the summands. A **dense block** keeps everything. Its layers put their results side by side, and each layer reads the
// results of all layers before it. {numref}`fig-dense-links` draws the connections of a chain and of a dense block. Move the
// slider: how does the number of connections grow, and can a network afford it?
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/densenet.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using data::Batches, data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<double> drawn("drawn", 6, "layers of the drawn block",
                                 {.least = 2.0, .most = 12.0});
const book::Option<Index> pictures("pictures", 3000,
                                   "images that each small network sees",
                                   {.quick = 200, .least = 100, .most = 20'000});
const book::Option<Index> draws("draws", 1,
                                "small networks, whose strengths are averaged",
                                {.least = 1, .most = 20});
//-

//- how the figure is drawn
void links() {
    const std::vector<double> stops = figure::settings(drawn, {2, 4, 6, 8, 10});
    const double most = std::ranges::max(stops);
    Figure figure("fig-dense-links");
    figure
        .describe(
            "Two rows of dots, a dot for each layer. In the upper row, a chain, each "
            "dot "
            "has a short arc to the next one. In the lower row, a dense block, each "
            "dot "
            "has an arc to every later dot. A slider sets the number of layers from 2 "
            "to "
            "10; above each row stands the number of its arcs.")
        .columns(1)
        .slider(drawn, stops, "layers");
    for (const bool dense : {false, true}) {
        const figure::Color color = dense ? figure::blue : figure::red;
        figure.panel(dense ? "dense block" : "chain").tall(dense ? 170 : 90).bare();
        for (const double stop : stops) {
            std::vector<double> place, level, x, y;
            Names names;
            Index count = 0;
            figure.at(stop);
            for (Index to = 0; to <= Index(stop); ++to) {
                place.push_back(double(to)), level.push_back(-0.35);
                names.push_back(to == 0 ? "input" : fmt::format("{}", to));
                for (Index from = dense ? 0 : std::max(Index(0), to - 1); from < to;
                     ++from, ++count) {
                    for (int k = 0; k <= 20; ++k) {  // half an ellipse
                        const double t = double(k) / 20, wide = double(to - from);
                        x.push_back(double(from) + t * wide);
                        y.push_back(1.6 * std::sqrt(t * (1 - t)) * std::sqrt(wide));
                    }
                    x.push_back(double(to)), y.push_back(NAN);  // a gap
                }
            }
            figure.line(
                "", x, y,
                {.color = color, .dash = figure::solid, .width = 1.5, .points = false});
            figure
                .dots("", place, std::vector<double>(place.size(), 0),
                      {.color = color, .shape = figure::Shape::circle})
                .words("", place, level, names, {.color = figure::ink})
                .words("", std::vector<double>{most - 0.4},
                       std::vector<double>{dense ? 2.6 : 1.1},
                       Names{fmt::format("{} connections", count)},
                       {.color = color, .width = 14});
        }
        figure.always().xlim(-0.6, most + 0.6).ylim(-0.6, dense ? 3 : 1.4);
    }
    figure.save(
        "Which results each layer reads. Drag the number of layers: a chain of $l$ "
        "layers "
        "has $l$ connections, a dense block has $l(l+1)/2$, and each layer is one step "
        "away from every other.");
}
//-

// ## Side by side
//
// Let the input of a block have 4 channels, and let each layer compute 2 new ones. The first layer reads 4 channels. The
// second reads those 4 and the 2 of the first layer, 6 together. The third reads 8, and after it the tensor has 10 channels:
// the 4 of the input, unchanged, and 2 from each layer. Written as a formula, layer $l$ computes
//
// $$ x_l = H_l([x_0, x_1, \dots, x_{l-1}]) , $$
//
// where the brackets put channels side by side. The number of new channels, $k$, is the **growth rate**. With $k_0$
// channels at the input the tensor has $k_0 + k\,l$ channels after $l$ layers. $H_l$ is
// [batch normalisation](../components/batch_norm.cpp), a ReLU and a $3 \times 3$ convolution. The whole block is a loop:
Tensor by_hand(const nn::DenseBlock& block, const Tensor& x) {
    Tensor all = x;
    for (const nn::DenseLayer& layer : block.layers) all = concat({all, layer(all)}, 1);
    return all;
}
//- what is checked
// For each pair of layers of a block, the layers on the shortest path from one to the other, the second included.
std::vector<Index> between(const nn::Tape& tape) {
    std::vector<std::uint64_t> layers;  // the convolutions, in order
    for (const Step& step : tape.steps)
        if (step.name == "conv2d") layers.push_back(step.id);
    std::vector<Index> found;
    for (std::size_t from = 0; from < layers.size(); ++from) {
        std::map<std::uint64_t, Index> steps_to = {{layers[from], 0}};
        for (const Step& step : tape.steps) {
            if (step.id <= layers[from]) continue;
            for (const std::uint64_t input : step.inputs) {
                if (!steps_to.contains(input)) continue;
                const Index here = steps_to[input] + (step.name == "conv2d");
                const auto [at, is_new] = steps_to.emplace(step.id, here);
                at->second = std::min(at->second, here);
            }
        }
        for (std::size_t to = from + 1; to < layers.size(); ++to)
            found.push_back(steps_to.at(layers[to]));
    }
    return found;
}

void blocks() {
    Generator random(book::seed());
    const nn::DenseBlock block({.in = 4, .layers = 3, .growth = 2}, random);
    const Tensor x = random.normal({2, 4, 5, 5});
    claim("", "the loop against the library: the largest difference",
          max(abs(by_hand(block, x) - block(x))).item(), "==", 0);
    Index wrong = 0;
    for (const Index k : {1, 4, 12})
        for (const Index l : {1, 2, 5, 9})
            for (const Index start : {3, 16}) {
                const nn::DenseBlock any({.in = start, .layers = l, .growth = k},
                                         random);
                wrong += any(random.normal({2, start, 4, 4})).size(1) - start != k * l;
            }
    claim("sys-densenet/b",
          "of 24 blocks, those that do not have k l channels more than their input",
          wrong, "==", 0);
    const nn::DenseBlock ten({.in = 4, .layers = 10, .growth = 2}, random);
    const std::vector<Index> pairs = between(nn::tape_of(ten, x));
    claim("sys-densenet/c",
          "the longest of the 45 shortest paths between two layers of a block of 10",
          std::ranges::max(pairs), "==", 1);
    say("pairs of layers: {}", pairs.size());
}
//-

// Compare this with a sum. Let one channel hold 3 and let a layer compute 2 for it. A residual block passes on 5, and no later
// layer can find out whether 5 was $3 + 2$ or $1 + 4$. A dense block passes on 3 and 2, and the next layer may form the sum,
// the difference, or anything else that its kernels can express. The price is a wider tensor: the sum has one channel, and the
// pair has two.
//
// Every pair of layers is one step apart, the first and the last as well. So each layer is near the end of its block in both
// passes: what it has computed can be read there directly, and the gradient comes back directly. [The page on short
// paths](short_paths.cpp) counts the distances in whole networks.
//
// ## Can a network afford it?
//
// A network of dense blocks has to shrink the image, like any other. Between two blocks stands a **transition**: a
// $1 \times 1$ convolution to half of the channels, and the mean of each $2 \times 2$ pixels. In larger networks each layer
// first narrows what it reads to $4k$ channels by a $1 \times 1$ convolution, as a [bottleneck
// block](residual_blocks.cpp) does. {cite:t}`huang2017` built DenseNet-121 from this: a stem, blocks of 6, 12, 24 and 16
// layers with $k = 32$, three transitions and a dense layer. Those are $1 + 2 \cdot 58 + 3 + 1 = 121$ layers with weights.
//- the question, and the table
Index parameters_of(const std::vector<Index>& layers, Index growth) {
    Generator random(book::seed());
    return nn::count(nn::DenseNet(
        {.blocks = layers, .growth = growth, .narrow = 4 * growth}, random));
}
void sizes() {
    const Index own = parameters_of({6, 12, 24, 16}, 32);
    const double resnet = 25'557'032;
    ask("ResNet-50 has 50 layers with weights and 25.6 million parameters. "
        "DenseNet-121 has "
        "121 layers, and each of them reads all layers of its block before it. How "
        "many "
        "parameters does it have?",
        {{"About 60 million: in proportion to its layers.", double(own) > 40e6,
          "Layers differ in size. A layer of a residual network computes hundreds of "
          "channels, and one of DenseNet-121 computes 32."},
         {"About 25 million: depth and narrowness balance.",
          double(own) > 0.8 * resnet && double(own) <= 40e6,
          "Narrow layers save more than depth costs, because nothing that is known "
          "already has to be computed again."},
         {"About 8 million.", double(own) < 0.4 * resnet,
          "Each layer adds only 32 channels. It can afford to read hundreds of "
          "channels, "
          "because it computes so few."}});
    claim("sys-densenet/a", "parameters of DenseNet-121", own, "==", 7'978'856);
    std::vector<std::vector<book::Cell>> rows;
    for (const auto& [name, layers, growth] :
         {std::tuple("DenseNet-121", std::vector<Index>{6, 12, 24, 16}, Index(32)),
          std::tuple("DenseNet-121 with k = 12", std::vector<Index>{6, 12, 24, 16},
                     Index(12)),
          std::tuple("DenseNet-169", std::vector<Index>{6, 12, 32, 32}, Index(32))}) {
        Index at = 64;
        for (std::size_t b = 0; b < layers.size(); ++b)
            at = (b > 0 ? at / 2 : at) + layers[b] * growth;
        rows.push_back({name, growth, at, parameters_of(layers, growth)});
    }
    book::table("fig-densenet-sizes",
                "Networks with four dense blocks: growth rate, channels after the last "
                "block, parameters.",
                {"network", "growth rate", "channels", "parameters"}, rows);
}
//-

// The count of a block follows from what its layers read. Without the narrow convolutions, layer $l$ has $9\,k\,(k_0 + k(l-1))$
// weights. In the small block above these are $9 \cdot 2 \cdot 4 = 72$, then $108$, then $144$, together 324. A plain stack that
// keeps all 10 channels from its first layer to its last has $9 \cdot 4 \cdot 10 + 2 \cdot 9 \cdot 10 \cdot 10 = 2160$. Both end
// with 10 channels. The dense block computes 6 of them, each once, and copies the rest.
//
// {numref}`fig-densenet-sizes` shows how the growth rate sets the cost. What saves parameters here costs memory. Each
// concatenation copies all channels so far, and the backward pass needs the copies. So a plain implementation keeps tensors
// whose total size grows with the square of the number of layers in a block.
//
// ## What is read in the end
//
// Does a layer use what all the others offer, or does training turn the block back into a chain? We train a DenseNet of two
// blocks, of 8 and 4 layers with $k = 6$, on images of clothes of $14 \times 14$ pixels, and look at the weights of the first
// block. The strength with which layer $l$ reads layer $s$ is the mean size of the weights that connect their channels, each
// times the scale that the batch normalisation in front of it has learnt:
double strength(const nn::DenseBlock& block, Index l, Index s, Index start, Index k) {
    const auto& [norm, relu, convolution] =
        block.layers[std::size_t(l - 1)].widen.parts;
    const Tensor scales = reshape(norm.weight.detach(), {1, norm.weight.numel(), 1, 1});
    const Index begin = s == 0 ? 0 : start + (s - 1) * k, end = start + s * k;
    const Tensor weights = convolution.weight.detach() * scales;
    return double(mean(abs(slice(weights, 1, begin, end))).item());
}
//- training, and how the figure is drawn
constexpr Index first_channels = 6, block_layers = 8, grown = 6;

// How strongly each layer reads each earlier result, relative to the mean of the layer that reads: a row for each result.
std::vector<double> map_of(const nn::DenseBlock& block) {
    std::vector<double> map(std::size_t(block_layers * block_layers), NAN);
    for (Index l = 1; l <= block_layers; ++l) {
        std::vector<double> read;
        double total = 0;
        for (Index s = 0; s < l; ++s) {
            read.push_back(strength(block, l, s, first_channels, grown));
            total += read.back();
        }
        for (Index s = 0; s < l; ++s)
            map[std::size_t(s * block_layers + l - 1)] =
                read[std::size_t(s)] * double(l) / total;
    }
    return map;
}

// The change of each strength by training, correlated with the distance between the two layers.
double with_distance(const std::vector<double>& fresh,
                     const std::vector<double>& trained) {
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (Index s = 0; s < block_layers; ++s)
        for (Index l = s + 1; l <= block_layers; ++l) {
            const std::size_t at = std::size_t(s * block_layers + l - 1);
            const double far = double(l - s), change = trained[at] - fresh[at];
            n += 1, x += far, y += change;
            xx += far * far, yy += change * change, xy += far * change;
        }
    return (n * xy - x * y) / std::sqrt((n * xx - x * x) * (n * yy - y * y));
}

void reading() {
    const auto prepared = [](Part part, Index count) {
        Examples some = data::slice(data::fashion_mnist(part), 0, count);
        some.x = (avg_pool2d(some.x, 2) - 0.286) / 0.353;
        return some;
    };
    const Examples lessons = prepared(Part::train, pictures()),
                   test = prepared(Part::test, 1000);
    const std::size_t cells = std::size_t(block_layers * block_layers);
    std::vector<double> before(cells, 0), after(cells, 0), right, slope, least, most;
    for (std::uint64_t draw = 0; draw < std::uint64_t(draws()); ++draw) {
        Generator random(10 * book::seed() + draw);
        nn::DenseNet net({.blocks = {block_layers, 4},
                          .growth = grown,
                          .narrow = 0,
                          .stem = first_channels,
                          .channels = 1,
                          .classes = 10,
                          .large = false},
                         random);
        const std::vector<double> fresh = map_of(net.blocks[0]);
        optim::Adam adam(nn::parameters(net), {.lr = 3e-3});
        const double steps = 3 * double(Batches(lessons, 50).count());
        for (double step = 0; step < steps;)
            for (const Examples& batch : Batches(lessons, 50, random)) {
                adam.options.lr = 3e-3 * (1 - step++ / steps);
                adam.zero_grad();
                cross_entropy(net(batch.x), batch.labels).backward();
                adam.step();
            }
        nn::set_training(net, false);
        const std::vector<double> trained = map_of(net.blocks[0]);
        const NoGrad only_looking;
        right.push_back(nn::accuracy(net(test.x), test.labels));
        slope.push_back(with_distance(fresh, trained));
        least.push_back(INFINITY), most.push_back(0);
        for (std::size_t i = 0; i < cells; ++i) {
            before[i] += fresh[i] / double(draws());
            after[i] += trained[i] / double(draws());
            if (std::isnan(trained[i])) continue;
            least.back() = std::min(least.back(), trained[i]);
            most.back() = std::max(most.back(), trained[i]);
        }
    }
    say("test accuracy of the small network: {}", book::brief(over_seeds(right)));
    say("after training, the least relative strength: {}; the largest: {}",
        book::brief(over_seeds(least)), book::brief(over_seeds(most)));
    say("correlation of a strength's change with the distance of its layers: {}",
        book::brief(over_seeds(slope)));
    Names to, from;
    for (Index l = 1; l <= block_layers; ++l) to.push_back(fmt::format("{}", l));
    from.push_back("input");
    for (Index s = 1; s < block_layers; ++s) from.push_back(fmt::format("{}", s));
    Figure figure("fig-dense-reading");
    figure.describe(
        "Two triangular heat maps, of 8 columns for the layers that read and 8 rows "
        "for the results that they read, before and after training. Before training "
        "all cells are close to one. After it they differ, and all are well above "
        "zero.");
    for (const auto& [title, map] :
         {std::pair{"before training", &before}, std::pair{"after training", &after}})
        figure.panel(title)
            .heatmap("relative strength", to, from, *map, 0.6, 1.4)
            .x("layer that reads")
            .y("layer that is read");
    figure.save(
        "How strongly each layer of the block reads the input and each layer before "
        "it: the mean size of the weights with their scales, relative to the mean of "
        "the layer that reads. One network; `--draws 3` averages three.");
}
//-

// {numref}`fig-dense-reading` shows the strengths, relative to the mean of the layer that reads. After three passes over 3,000
// images the network classifies 73.6 % of the test images correctly, and the strengths lie between 0.90 and 1.21. So every layer
// of the block still reads every result before it, and the block is far from a chain. This is one network:
// whether training prefers near results in general, three of them could tell, with `--draws 3`.

void page() {
    links();
    blocks();
    sizes();
    reading();
}

// ## Limits and origins
//
// The small network has seen each image three times only, so its weights still resemble their random start, and a map of
// their sizes shows little more than that no connection was given up. {cite:t}`huang2017` trained to convergence and drew the
// same map: layers spread their weights over many inputs of their block, and early results are read until its end. They also
// found that DenseNets make about as few errors as residual networks with two or three times as many parameters. Nothing
// here tests that.
//
// {cite:t}`huang2017` introduced dense blocks. The idea to keep features by concatenation stands in
// [U-Nets](../components/skip_connections.cpp) as well, where it leads across the whole network.
//
// ## Summary
//
// Each layer of a dense block reads the results of all layers before it, side by side, and adds $k$ channels of its own. So
// all layers of a block are one step apart, and the tensor grows by $k$ channels with each layer. Because the layers are
// narrow, DenseNet-121 has 7,978,856 parameters, less than a third of those of ResNet-50.
//
// ## What is missing
//
// All layers of this block have kernels of the same size. [The next page](inception.cpp) puts kernels of several sizes side
// by side.
//
// ```{try}
// - A larger block in the drawing: `--drawn 12`. How many connections does it have?
// - More images for the small network: `--pictures 10000`.
// - Three small networks: `--draws 3`. Does training prefer near layers in all of them? The correlation has a sign.
// ```
