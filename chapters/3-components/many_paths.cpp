// # Many paths: what a residual network adds up
//
// ```{rows} eq-residual-unravel fig-udl-11.4
// ```
//
// A residual network looks like a chain, but every block has a way around it. So a **path** from the input to the
// output goes through each block or around it. Sixteen blocks offer 65,536 paths, and if the blocks are linear, the
// network adds up what arrives on all of them. Which paths matter? {numref}`fig-udl-11.4` shows how much of the
// gradient arrives on the paths of each length, the number of blocks on the way. Move the slider, which makes all
// blocks stronger. This page takes a residual network apart into its paths, and then takes blocks out of a trained one.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/deep_mlp.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/nn/skip.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using data::Batches, data::Examples, data::Part;
using figure::Diagram, figure::Figure;

const book::Option<Index> blocks("blocks", 16, "blocks of the deep networks",
                                 {.least = 2, .most = 64});
const book::Option<Index> pictures("pictures", 10'000, "how many images to learn from",
                                   {.quick = 1000, .least = 200, .most = 60'000});
const book::Option<int> seeds("seeds", 3, "trainings of each kind of network",
                              {.quick = 1, .least = 1, .most = 50});

// Defined further down:
template <class Block>
std::vector<Tensor> by_length(const std::vector<Block>& blocks, Tensor h,
                              const Tensor& at_end);
//-

//- how the figure is drawn
// Linear blocks whose results are about `strength` times as long as their inputs.
std::vector<nn::Linear> linear_blocks(Index count, double strength, Generator& random) {
    std::vector<nn::Linear> made;
    for (Index k = 0; k < count; ++k) {
        nn::Linear layer(64, 64, random, {.weights = nn::lecun_init});
        layer.weight.copy_(layer.weight.detach() * strength);
        made.push_back(layer);
    }
    return made;
}
double dot(const Tensor& a, const Tensor& b) { return double(sum(a * b).item()); }

// The share of each part in their sum: its component in the direction of the sum. The shares add up to one.
std::vector<double> shares(const std::vector<Tensor>& parts) {
    Tensor all = parts[0];
    for (std::size_t j = 1; j < parts.size(); ++j) all = all + parts[j];
    std::vector<double> found;
    for (const Tensor& part : parts) found.push_back(dot(part, all) / dot(all, all));
    return found;
}

// C(k, j), from the product of j fractions.
double choose(Index k, Index j) {
    double found = 1;
    for (Index i = 1; i <= j; ++i) found = found * double(k - j + i) / double(i);
    return std::round(found);
}

// A block that returns its input: each path passes the input once.
struct Same {
    Tensor operator()(const Tensor& x) const { return x; }
};

void path_lengths() {
    const std::vector<double> strengths = {0.1, 0.25, 0.5, 1, 2};
    Figure figure("fig-udl-11.4");
    figure
        .describe(
            "Two panels of bars, for 4 and for 16 blocks: the share of the gradient "
            "against the length of the paths, and dots for the share of the paths of "
            "this length. A slider for the strength of the blocks. For the weakest "
            "blocks all bars but the first are small; at strength one the bars have "
            "the heights "
            "of "
            "the dots; for strong blocks long paths dominate.")
        .slider("strength", strengths, "strength of a block", 0.25);
    double worst = 0;
    for (const Index count : {Index(4), blocks()}) {
        std::vector<double> length, number;
        for (Index j = 0; j <= count; ++j) {
            length.push_back(double(j));
            number.push_back(choose(count, j) / std::pow(2.0, double(count)));
        }
        figure.panel(fmt::format("{} blocks", count));
        for (const double strength : strengths) {
            std::vector<double> mean(std::size_t(count + 1));
            for (std::uint64_t draw = 0; draw < 10; ++draw) {
                Generator random(book::seed() + draw);
                const auto layers = linear_blocks(count, strength, random);
                const Tensor x = random.normal({1, 64}),
                             at_end = random.normal({1, 64});
                const std::vector<Tensor> parts = by_length(layers, x, at_end);
                const std::vector<double> share = shares(parts);
                for (std::size_t j = 0; j < share.size(); ++j) mean[j] += share[j] / 10;
                Tensor leaf = x.detach().requires_grad_(), h = leaf, all = parts[0];
                for (const nn::Linear& layer : layers) h = nn::Residual(layer)(h);
                sum(h * at_end).backward();
                for (std::size_t j = 1; j < parts.size(); ++j) all = all + parts[j];
                const Tensor off = all - leaf.grad();
                worst = std::max(
                    worst, std::sqrt(dot(off, off) / dot(leaf.grad(), leaf.grad())));
            }
            figure.at(strength).bars("share of the gradient", length, mean);
        }
        figure.always()
            .dots("share of the paths", length, number, {.color = figure::ochre})
            .x("blocks on the path")
            .ylim(0, 1);
        if (count == 4) figure.y("share");
    }
    figure.save(
        "How much of the gradient arrives on paths of each length, and how many of all "
        "paths have this length. Random linear blocks, mean of ten draws. Weak blocks: "
        "the gradient comes along short paths, even where most paths are long.");
    book::shows("fig-udl-11.4/a", "fig-udl-11.4");
    claim("fig-udl-11.4/b",
          "the gradient against the sum over all lengths, largest relative difference",
          worst, "<=", 1e-5);
    Index wrong = 0;
    for (Index count = 1; count <= 16; ++count) {
        const std::vector<Tensor> one =
            by_length(std::vector<Same>(std::size_t(count)), ones({1}), ones({1}));
        for (Index j = 0; j <= count; ++j)
            wrong += double(one[std::size_t(j)].item()) != choose(count, j);
    }
    claim("fig-udl-11.4/c",
          "up to 16 blocks: numbers of paths of a length that are not binomial", wrong,
          "==", 0);
}
//-

// ## Four blocks, written out
//
// Take two blocks, $f_1(h) = 2h$ and $f_2(h) = 3h$, and the input 1. The first block adds 2 and gives 3. The second
// adds 9 and gives 12. Now follow the paths one by one. Around both blocks arrives 1. Through the first only arrives
// 2, through the second only 3, and through both 6. The sum is 12 again.
//
// For any blocks, $h_k = h_{k-1} + f_k(h_{k-1})$. Insert this four times, and the output of four blocks is
//
// ```{equation} eq-residual-unravel
// :function: recto::nn::Residual
// :test: Residual: a chain is its input plus what its blocks add
// h_4 = h_0 + f_1(h_0) + f_2(h_0 + f_1(h_0)) + f_3\big(h_0 + f_1(h_0) + f_2(h_0 + f_1(h_0))\big) + f_4(h_3)
// ```
//
// {cite:t}`prince2023` reads it as the input plus four **sub-networks**, each of which contains those before it.
// {numref}`fig-residual-chain` draws the chain, and {numref}`fig-unravelled` its sub-networks. Block 1 appears eight
// times, as the first block of eight paths, and block 4 once, as the last block of eight paths.
//- how the diagrams are drawn
void diagrams() {
    Diagram chain("fig-residual-chain");
    chain
        .describe(
            "A chain of four blocks from the input to the output, each with an arrow "
            "around it that joins a sum after it.")
        .left_to_right()
        .node("sum0", "input", figure::Box::plain);
    for (int k = 1; k <= 4; ++k) {
        const std::string block = fmt::format("f{}", k), now = fmt::format("sum{}", k),
                          before = fmt::format("sum{}", k - 1);
        chain.node(block, block, figure::Box::round, figure::blue)
            .node(now, "+", figure::Box::circle)
            .edge(before, block)
            .edge(block, now)
            .edge(before, now);
    }
    chain.node("output", "output", figure::Box::plain)
        .edge("sum4", "output")
        .save("A residual network of four blocks as a chain.");
    // Every path, from its last block back to the input. Two paths share what they have in common at their end.
    Diagram tree("fig-unravelled");
    tree.describe(
            "The same network as a tree. Sixteen paths lead from the input to the sum: "
            "one directly, and fifteen through one to four of the blocks, in rising "
            "order.")
        .left_to_right()
        .node("input", "input", figure::Box::plain)
        .node("sum", "+", figure::Box::circle);
    int copies = 0;
    const auto add = [&](const auto& self, int below, const std::string& to) -> void {
        tree.edge("input", to);
        for (int k = 1; k < below; ++k) {
            const std::string id = fmt::format("copy{}", ++copies);
            tree.node(id, fmt::format("f{}", k), figure::Box::round, figure::blue)
                .edge(id, to);
            self(self, k, id);
        }
    };
    add(add, 5, "sum");
    tree.node("output", "output", figure::Box::plain)
        .edge("sum", "output")
        .save(
            "The same network, unravelled. Arrows that end at one block are added "
            "there. If the blocks are linear, the output is the sum of 16 paths.");
    book::shows("fig-udl-11.4/a", "fig-residual-chain");
    book::shows("fig-udl-11.4/a", "fig-unravelled");
}
//-

// If the blocks are linear, the sub-networks fall apart into single paths: $f_2(h_0 + f_1(h_0))$ is
// $f_2(h_0) + f_2(f_1(h_0))$. Each of the $2^4 = 16$ paths is a choice of blocks, and a binary number of four digits
// names it:
Tensor along_all_paths(const std::vector<nn::Linear>& blocks, const Tensor& x) {
    Tensor all = zeros(x.shape());
    for (std::size_t path = 0; path < std::size_t(1) << blocks.size(); ++path) {
        Tensor h = x;
        for (std::size_t k = 0; k < blocks.size(); ++k)
            if (path >> k & 1) h = blocks[k](h);
        all = all + h;
    }
    return all;
}
//- what is checked
void written_out() {
    Generator random(book::seed());
    const auto layers = linear_blocks(4, 1, random);
    const Tensor x = random.normal({5, 64});
    Tensor h = x, parts = x;
    for (const nn::Linear& layer : layers) h = nn::Residual(layer)(h);
    claim(
        "eq-residual-unravel/b",
        "four linear blocks, the chain against the sum of 16 paths, largest difference",
        max(abs(along_all_paths(layers, x) - h)).item(), "<=", 1e-6);
    Index wrong = 0;
    for (int count = 1; count <= 16; ++count) {
        Tensor one = ones({1});
        for (int k = 0; k < count; ++k) one = nn::Residual(Same())(one);
        wrong += double(one.item()) != std::pow(2.0, count);
    }
    claim("eq-residual-unravel/c",
          "up to 16 blocks: depths K at which not 2^K paths arrive", wrong, "==", 0);
}
//-

// ## Lengths
//
// In {numref}`fig-udl-11.4` the gradient is that of one random linear function of the output. It is the sum of one part
// for each length. The **share** of a length is the component of its part along the whole gradient, divided by the
// length of the whole. The shares add up to one, and a single share can be negative.
//
// How many paths have a length of $j$? They choose $j$ of $K$ blocks, so there are $\binom Kj$. Of 16 blocks, one path
// has length 0 and one length 16, and 12,870 have length 8. If every path carried the same share, 92 % of the gradient
// would arrive along paths of 5 to 11 blocks.
//
// Paths do not carry the same. A block multiplies what passes through it by its strength $s$. For $s = \frac14$, one
// path of length 1 carries a quarter of what the path of length 0 carries, and one path of length 8 a 65,536th. Random
// parts are nearly at right angles, so that the squares of their lengths add up, and the share of length $j$ is about
// $\binom Kj s^{2j} / (1 + s^2)^K$: a binomial distribution with its mean at $K s^2 / (1 + s^2)$. For 16 blocks and
// $s = \frac14$ this is 0.94, and at $s = 1$ it is 8. {numref}`fig-udl-11.4` agrees. Initial weights as on
// [the last page](residual_networks.cpp), scaled down with the depth, begin with short paths.
//
// To measure this we need not follow 65,536 paths. A backward pass can keep the lengths apart, with one vector for
// each length:
template <class Block>
std::vector<Tensor> by_length(const std::vector<Block>& blocks, Tensor h,
                              const Tensor& at_end) {
    std::vector<Tensor> inputs;
    for (const Block& block : blocks) {
        inputs.push_back(h.detach().requires_grad_());
        h = (h + block(h)).detach();
    }
    std::vector<Tensor> parts = {at_end};
    for (std::size_t k = blocks.size(); k-- > 0;) {
        std::vector<Tensor> next = parts;
        next.push_back(zeros(h.shape()));
        for (std::size_t j = 0; j < parts.size(); ++j) {
            sum(blocks[k](inputs[k]) * parts[j]).backward();
            next[j + 1] = next[j + 1] + inputs[k].grad();
            inputs[k].zero_grad();
        }
        parts = next;
    }
    return parts;
}

// Each block passes every part on twice: around the block with the same length, through it with one more.
//
// ## Taking blocks out
//
// What happens if a block is missing? We train networks of 16 blocks on images of clothes, with the same number of
// weights: a plain one, a residual one, and a residual one with a **strong start**, whose initial weights are not
// divided by $\sqrt{16}$. Then we take out one block at a time and put nothing in its place. Its neighbours have never
// been trained to work together. The network without one block:
Tensor without(const nn::DeepMlp& net, const Tensor& x, Index missing) {
    Tensor h = net.enter(x);
    for (Index k = 0; k < blocks(); ++k)
        if (k != missing) h = net.after(net.blocks[std::size_t(k)], h);
    return net.leave(h);
}
//- training, and what is measured
Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }
enum class Kind { plain, residual, strong };
const char* const names[] = {"plain", "residual", "residual, strong start"};

nn::DeepMlp trained(Kind kind, Generator& random) {
    const Examples lessons =
        data::slice(data::flat(data::fashion_mnist(Part::train)), 0, pictures());
    const nn::DeepMlp net({784, 64, blocks(), 10}, kind != Kind::plain, random);
    if (kind == Kind::strong)  // He's weights, not divided by the root of the depth
        for (const nn::DeepMlp::Block& block : net.blocks) {
            Tensor weight = std::get<1>(block.parts).weight;
            weight.copy_(weight.detach() * std::sqrt(double(blocks())));
        }
    optim::Adam adam(nn::parameters(net), {.lr = 1e-3});
    for (int epoch = 0; epoch < 2; ++epoch)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            adam.zero_grad();
            cross_entropy(net(standard(batch.x)), batch.labels).backward();
            adam.step();
        }
    return net;
}

// The mean length of the paths along which the gradient of the right score arrives.
double mean_length(const nn::DeepMlp& net, const Examples& test) {
    double found = 0;
    for (Index n = 0; n < 20; ++n) {
        const Tensor h = net.enter(standard(slice(test.x, 0, n, n + 1))).detach();
        const std::vector<Index> label = test.labels.values();
        const Tensor at_end = slice(net.leave.weight.detach(), 0, label[std::size_t(n)],
                                    label[std::size_t(n)] + 1);
        const std::vector<double> share = shares(by_length(net.blocks, h, at_end));
        for (std::size_t j = 0; j < share.size(); ++j)
            found += double(j) * share[j] / 20;
    }
    return found;
}

// Accuracy with all blocks and without each of them, per cent, and the length of the paths.
std::vector<double> lesions(Kind kind, std::uint64_t seed) {
    Generator random(book::seed() + seed);
    const Examples test =
        data::slice(data::flat(data::fashion_mnist(Part::test)), 0, 1000);
    const nn::DeepMlp net = trained(kind, random);
    std::vector<double> found = {kind == Kind::plain ? double(blocks())
                                                     : mean_length(net, test)};
    const NoGrad only_looking;
    for (Index k = -1; k < blocks(); ++k)
        found.push_back(100 *
                        nn::accuracy(without(net, standard(test.x), k), test.labels));
    return found;
}

void taking_out() {
    // For each kind of network and each seed: all blocks, and without the first, the second, ...
    std::vector<std::vector<double>> all[3];
    std::vector<double> length[3], whole[3], one_less[3], worst[3];
    std::vector<std::vector<double>> cells(std::size_t(3 * seeds()));
    book::each_apart(
        Index(cells.size()), 2,
        [](Index i) { return lesions(Kind(i / seeds()), std::uint64_t(i % seeds())); },
        [&](Index i, const std::vector<double>& row) { cells[std::size_t(i)] = row; });
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t kind = i / std::size_t(seeds());
        const std::vector<double>& row = cells[i];
        all[kind].emplace_back(row.begin() + 2, row.end());
        length[kind].push_back(row[0]), whole[kind].push_back(row[1]);
        one_less[kind].push_back(book::median(all[kind].back()));
        worst[kind].push_back(std::ranges::min(all[kind].back()));
    }
    std::vector<double> lost, lost_strong;
    for (std::size_t i = 0; i < whole[1].size(); ++i) {
        lost.push_back(whole[1][i] - one_less[1][i]);
        lost_strong.push_back(whole[2][i] - one_less[2][i]);
    }
    const double left = book::median(lost);
    //-
    ask("The plain and the residual network name about four of five test images. How "
        "many points of "
        "accuracy "
        "does the residual network lose without one of its 16 blocks, in the median?",
        {{"About 70: it falls to guessing.", left > 40,
          "That happens to the plain network, where every signal passes every block."},
         {"About 5: a sixteenth of what it knows.", left > 2 && left <= 40,
          "That would be so if each block had learned a share of its own. But a block "
          "corrects what is there already, and most corrections are small."},
         {"Less than 2.", left <= 2,
          "Half of the paths never used the block, and the short ones, which carry "
          "most, use hardly any."}});
    //- how the figure is drawn, and what is checked
    std::vector<double> block;
    for (Index k = 1; k <= blocks(); ++k) block.push_back(double(k));
    Figure figure("fig-lesions");
    figure.describe(
        "Test accuracy against the block that was taken out, three lines for each kind "
        "of network. Without a block the plain lines lie near 10 per cent, the "
        "residual lines stay at 82 per cent, and those with a strong start lie between "
        "40 and 70 per cent.");
    const figure::Color colors[] = {figure::red, figure::blue, figure::ochre};
    for (std::size_t kind = 0; kind < 3; ++kind) {
        figure.lines(names[kind], block, all[kind], {.color = colors[kind]});
        say("{}: {:.1f} % with all blocks, {:.1f} % in the median without one, {:.1f} "
            "% "
            "without the most important one; length of the paths {:.1f}",
            names[kind], book::median(whole[kind]), book::median(one_less[kind]),
            book::median(worst[kind]), book::median(length[kind]));
    }
    figure.x("block that is taken out")
        .y("test accuracy, %")
        .ylim(0, 100)
        .save(
            "Trained networks of 16 blocks without one of them, three seeds each. "
            "After "
            "{cite:t}`veit2016`.");
    claim("", "points that the residual network loses without one block, median",
          over_seeds(lost), "<=", 2);
    claim("", "accuracy of the plain network without one block, median, per cent",
          over_seeds(one_less[0]), "<=", 30);
    say("points that the one with a strong start loses: {}",
        book::brief(over_seeds(lost_strong)));
}
//-

// {numref}`fig-lesions` shows every block. The plain network falls to 10.7 % in the median, where guessing has 10. The
// residual network goes from 82.0 to 81.9 %, and to 80.9 % without its most important block. Compared seed by seed, the
// median change is even a gain of 0.3 points: one missing block is lost in the noise. {cite:t}`veit2016` found this in
// networks for photographs and concluded that a residual network behaves like an **ensemble** of shallow networks.
//
// Do skip connections alone explain it, or weak blocks? The third network has skip connections, and He's weights as
// they are, which makes its blocks four times as strong at the start. The gradient of the first residual network passes
// 1.0 of 16 blocks on average, and that of the third one 2.7. Without one block the third network loses 14 points in
// the median. This agrees with the idea that skip connections make a block dispensable as far as the paths are short.
// But the two residual networks differ in more than their paths: with all blocks the third one names only 70.1 % of the
// test images, against 82.0 %. And all three networks share one learning rate, which is tuned for none of them.
//
// ## Limits
//
// The 65,536 paths are not 65,536 independent networks: they share 16 blocks, and they are trained together. Taking out
// a block is also a mild test. {cite:t}`veit2016` took out several of 54 blocks and found that the error rises smoothly
// with their number. And the equality of shares and squares holds for random directions; in a trained network the parts
// of a gradient can support or cancel each other, and single shares can be negative.
//
// For ReLU blocks the split is still exact, but only for one input at a time, since another input opens other units.
//
// ## Summary
//
// A residual network of $K$ blocks is the sum of $2^K$ paths if its blocks are linear, and nested sub-networks if they
// are not. Weak blocks put most of the gradient on short paths, although most paths are long. A residual network whose
// paths are short works with a block less.
//
// ## What is missing
//
// We have looked at the gradient in one point. [The next page](shattered_gradients.cpp) asks how quickly it changes
// when you move away from it.
//
// ```{try}
// - Few blocks: `--blocks 4`. Does the residual network notice a missing block now?
// - Many blocks: `--blocks 32`. Can the plain network still be trained?
// ```
void page() {
    path_lengths();
    diagrams();
    written_out();
    taking_out();
}
