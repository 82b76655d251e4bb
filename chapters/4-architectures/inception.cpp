// # Inception: parallel branches, and training chooses
//
// ```{rows} sys-inception
// ```
//
// How large should the kernel of a convolution be? Small kernels are cheap, and large ones see more. An **Inception**
// block does not decide: it runs kernels of $1 \times 1$, $3 \times 3$ and $5 \times 5$ and a pooling side by side, and
// puts their results next to each other. The next layer reads what it needs. {numref}`fig-inception-shares` shows what
// one such network has learned to read. Its images are noise, and the class depends on pairs of pixels. Move the slider,
// which sets the distance in a pair: does training find the branch that can see both?
//
// ```{opening} fig-inception-shares
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/inception.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure, figure::Names;

const book::Option<double> distance("distance", 4, "pixels between the two of a pair",
                                    {.least = 1, .most = 6});
const book::Option<Index> training("steps", 600, "training steps of each network",
                                   {.quick = 5, .least = 1, .most = 5000});
const book::Option<Index> draws("draws", 5, "networks at the distance 4",
                                {.quick = 1, .least = 1, .most = 10});
//-

// ## Four branches
//
// Take an input of 6 channels. The first branch is a $1 \times 1$ convolution to 2 channels. The second has a
// $3 \times 3$ convolution to 4 channels, the third a $5 \times 5$ convolution to 1 channel. The fourth takes the maximum
// of each $3 \times 3$ window and reduces the 6 maxima to 2 channels. All four keep the height and the width of the
// image. Side by side they make a tensor of $2 + 4 + 1 + 2 = 9$ channels. In code:
Tensor by_hand(const nn::Inception& block, const Tensor& x) {
    const std::array<Tensor, 4> parts = block.branches(x);
    Index channels = 0;
    for (const Tensor& part : parts) channels += part.size(1);
    Tensor all = zeros({x.size(0), channels, x.size(2), x.size(3)});
    Index at = 0;
    for (const Tensor& part : parts) {
        slice(all, 1, at, at + part.size(1)).copy_(part);
        at += part.size(1);
    }
    return all;
}

// Why side by side, and not added? Leave out the ReLUs for a moment. A $1 \times 1$ kernel is a $5 \times 5$ kernel with 24
// zeros around its weight, and a $3 \times 3$ kernel has 16 zeros around it. The sum of three convolutions is then one
// convolution, whose kernel is the sum of the three. So added branches of kernels could do no more than the largest of
// them alone. Side by side, each branch keeps its result, and the next layer can take the detail from one of
// them and the surroundings from another.
//- what is checked
void added() {
    const NoGrad only_looking;
    Generator random(book::seed());
    const Tensor x = random.normal({2, 3, 7, 7});
    Tensor kernels = zeros({4, 3, 5, 5}), sum_of_three = zeros({2, 4, 7, 7});
    for (const Index side : {1, 3, 5}) {
        const Tensor w = random.normal({4, 3, side, side});
        const Index edge = (5 - side) / 2;
        Tensor inner =
            slice(slice(kernels, 2, edge, edge + side), 3, edge, edge + side);
        inner.copy_(inner + w);
        sum_of_three = sum_of_three + conv2d(x, w, Tensor(), {.padding = side / 2});
    }
    const Tensor one = conv2d(x, kernels, Tensor(), {.padding = 2});
    claim("",
          "three convolutions added against one with the sum of the padded kernels, "
          "largest difference relative to the largest number",
          double(max(abs(one - sum_of_three)).item()) / double(max(abs(one)).item()),
          "<=", 1e-5);
}
//-

// ## Narrow first
//
// A large kernel on many channels is expensive. So the branches with large kernels first reduce the number of channels,
// by a $1 \times 1$ convolution with a ReLU, as a [bottleneck block](residual_blocks.cpp) does. The first block of
// GoogLeNet {cite:p}`szegedy2015` reads 192 channels. It computes 64 channels with $1 \times 1$ kernels, 128 with
// $3 \times 3$ and 32 with $5 \times 5$, and 32 behind the pooling. In front of the large kernels it reduces to 96 and to
// 16 channels. For the $5 \times 5$ branch this means $192 \cdot 16 + 16 \cdot 25 \cdot 32 = 15{,}872$ weights, where
// $192 \cdot 25 \cdot 32 = 153{,}600$ would be needed without the reduction. Place your bet for the whole block:
//- the question, and what is checked
void counts() {
    Generator random(book::seed());
    const nn::InceptionSize first{.in = 192,
                                  .one = 64,
                                  .narrow3 = 96,
                                  .three = 128,
                                  .narrow5 = 16,
                                  .five = 32,
                                  .pooled = 32};
    const nn::Inception block(first, random);
    Index biases = 0;
    for (const NamedTensor& t : nn::parameters(block))
        if (t.name.ends_with("bias")) biases += t.tensor.numel();
    const Index narrow = nn::count(block) - biases,
                wide = 192 * (64 + 9 * 128 + 25 * 32 + 32);
    const double share = double(narrow) / double(wide);
    ask("Without the two reductions, the large kernels of this block would read all "
        "192 "
        "channels. Which share of those weights does the block have with them?",
        {{"About 90 %: the reductions have weights of their own.", share > 0.7,
          "They have, and few: a 1 × 1 kernel has a 25th of the weights of a 5 × 5 "
          "one."},
         {"About 40 %.", share > 0.25 && share <= 0.7,
          "The 5 × 5 branch shrinks to a tenth. The 3 × 3 branch, which is the "
          "largest, "
          "keeps more than half, since 96 of 192 channels are left."},
         {"About 10 %.", share <= 0.25,
          "So it is for the 5 × 5 branch alone. The 3 × 3 branch keeps half of its "
          "channels."}});
    say("weights of the first block of GoogLeNet: {}; without the reductions: {}",
        narrow, wide);
    Index wrong = 0;
    for (const Index one : {1, 5})
        for (const Index three : {2, 7})
            for (const Index five : {1, 3}) {
                const nn::InceptionSize size{.in = 3,
                                             .one = one,
                                             .narrow3 = 2,
                                             .three = three,
                                             .narrow5 = 2,
                                             .five = five,
                                             .pooled = 4};
                const nn::Inception any(size, random);
                const Tensor y = any(random.normal({1, 3, 6, 6}));
                wrong += y.shape() != Shape{1, one + three + five + 4, 6, 6};
            }
    claim(
        "sys-inception/b",
        "of 8 blocks, those whose result has not the channels of all branches together",
        wrong, "==", 0);
    const NoGrad only_looking;
    const nn::Inception small({6, 2, 3, 4, 3, 1, 2}, random);
    const Tensor x = random.normal({2, 6, 5, 5});
    claim("", "the lines above against the library, largest difference",
          max(abs(by_hand(small, x) - small(x))).item(), "==", 0);
}
//-

// ## A task for one branch
//
// Does training use the branch that is needed? We make a task for which we know the answer. An image is noise of
// $12 \times 12$ pixels, each 1 or $-1$. In one class each pixel equals the pixel that stands a distance of $q$ columns
// from it, in the other class it is its opposite. A single pixel tells nothing. Only a kernel that covers both pixels of
// a pair can tell the classes apart. With $q = 4$ this is the $5 \times 5$ kernel alone. With $q = 2$ the $3 \times 3$
// kernel sees both as well.
struct Task {
    Tensor x;         // (count, 1, 12, 12)
    Integers labels;  // 1 where the pixels of a pair are equal
};
Task draw_task(Index count, Index q, Generator& random) {
    Tensor x = zeros({count, 1, 12, 12});
    std::vector<Index> labels;
    for (Index n = 0; n < count; ++n) {
        labels.push_back(random.next_integer(0, 2));
        const Real sign = labels.back() == 1 ? 1 : -1;
        for (Index i = 0; i < 12; ++i)
            for (Index j = 0; j < 12; ++j)
                x.set({n, 0, i, j}, j < q ? Real(2 * random.next_integer(0, 2) - 1)
                                          : sign * x.at({n, 0, i, j - q}));
    }
    return {x, Integers({count}, labels)};
}

// The network is one Inception block with four channels in each branch, the mean of each channel, and a dense layer. It
// trains by Adam with a penalty on all weights, so that weights which serve nothing fade. The **share** of a branch is
// the length of the weights that read its channels, divided by the sum of these four lengths:
struct Net {
    nn::Inception block;
    nn::Linear classify;
    Tensor operator()(const Tensor& x) const {
        return classify(mean(block(x), {2, 3}));
    }
    void visit(auto&& part) { part("block", block), part("classify", classify); }
};
std::vector<double> shares(const Net& net) {
    std::vector<double> found;
    double total = 0;
    for (Index branch = 0; branch < 4; ++branch) {
        const Tensor w =
            slice(net.classify.weight.detach(), 1, 4 * branch, 4 * branch + 4);
        found.push_back(std::sqrt(double(sum(w * w).item())));
        total += found.back();
    }
    for (double& share : found) share /= total;
    return found;
}
//- training, and how the figure is drawn
struct Learned {
    std::vector<double> before, after;
    double accuracy;
};
Learned learn(Index q, std::uint64_t draw) {
    Generator random(100 * book::seed() + draw);
    const Net net{nn::Inception({1, 4, 4, 4, 4, 4, 4}, random),
                  nn::Linear(16, 2, random)};
    Learned found{shares(net), {}, 0};
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
    for (Index step = 0; step < training(); ++step) {
        const Task task = draw_task(32, q, random);
        adam.options.lr = 0.01 * (1 - double(step) / double(training()));
        adam.zero_grad();
        Tensor penalty = zeros({1});
        for (const NamedTensor& t : adam.parameters())
            penalty = penalty + sum(t.tensor * t.tensor);
        (cross_entropy(net(task.x), task.labels) + penalty * 1e-3).backward();
        adam.step();
    }
    const NoGrad only_looking;
    const Task test = draw_task(500, q, random);
    found.after = shares(net);
    found.accuracy = nn::accuracy(net(test.x), test.labels);
    return found;
}

void trained() {
    const std::vector<double> stops = figure::settings(distance, {1, 2, 3, 4});
    const Names branches = {"1 × 1", "3 × 3", "5 × 5", "pooling"};
    Figure figure("fig-inception-shares");
    figure
        .describe(
            "Bars for the shares of four branches, before and after training. Before, "
            "all "
            "are about a quarter. At the distances 3 and 4 the branch with kernels of "
            "5 by "
            "5 has most of the weight after training. A slider sets the distance from "
            "1 to "
            "4.")
        .slider(distance, stops, "distance in a pair of pixels");
    std::vector<double> useful, right;
    for (const double stop : stops) {
        const Index q = Index(stop);
        const Learned net = learn(q, 1);
        say("distance {}: test accuracy {:.3f}, shares {:.2f}, {:.2f}, {:.2f}, {:.2f}",
            q, net.accuracy, net.after[0], net.after[1], net.after[2], net.after[3]);
        figure.at(stop)
            .bars("before training", branches, net.before, {.color = figure::grey})
            .bars("after training", branches, net.after, {.color = figure::blue});
        if (q != 4) continue;
        useful.push_back(net.after[2]), right.push_back(net.accuracy);
        for (std::uint64_t draw = 2; draw <= std::uint64_t(draws()); ++draw) {
            const Learned other = learn(q, draw);
            useful.push_back(other.after[2]), right.push_back(other.accuracy);
        }
    }
    figure.always()
        .x("branch")
        .y("share of the weights")
        .ylim(0, 1)
        .save(
            "The share of each branch in the weights that read the block, before and "
            "after training. The class of an image depends on pairs of pixels at this "
            "distance in a row. Kernels of $3 \\times 3$ reach the distance 2, and "
            "those of "
            "$5 \\times 5$ the distance 4. One network for each distance; five at the "
            "distance 4 are judged below.");
    book::shows("sys-inception/a", "fig-inception-shares");
    if (useful.empty()) return;
    say("test accuracy at the distance 4: {}", book::brief(over_seeds(right)));
    claim("sys-inception/c",
          "distance 4: the share of the 5 by 5 branch, the only one that sees a pair",
          over_seeds(useful), ">", 0.6);
}
//-

// Before training each branch has about a quarter of the weights. At the distance 4 the $5 \times 5$ branch ends with
// most of them in each of five networks, and all networks classify the test images without an error. At the distance 2
// two branches see a pair, and the larger kernel gets more weight. A likely reason is the number of pairs in a window: 3
// columns and 5 rows make 15 pairs for the $5 \times 5$ kernel, and the $3 \times 3$ kernel holds 3. More pairs give a
// steadier answer. The other branches keep a rest of
// weight, so a small share does not mean that a branch is of use.

void page() {
    added();
    counts();
    trained();
}

// ## With a residual connection
//
// A later version adds the block to its input {cite:p}`szegedy2017`. A $1 \times 1$ convolution brings the channels of all
// branches back to those of the input, and the result is multiplied by a small constant:
//
// ```{excerpt} recto/nn/inception.cpp InceptionResidual::operator()
// ```
//
// The constant, here 0.2, keeps the sum from growing with depth; without it very wide networks broke down in training.
// [Fixup](without_normalisation.cpp) makes such a choice by calculation.
//
// In a stack of such blocks there are paths of every reach. A signal that takes the $1 \times 1$ branch each time stays
// at its pixel, and one that takes the $5 \times 5$ branch each time moves by up to two pixels in every block. The last
// layer reads fine and coarse features at the same time, without a decision about the size of kernels on the way.
//
// ## Limits and origins
//
// Our task has one useful branch, and the penalty makes the others fade. On photographs all branches carry something, and
// a share tells less. The sizes of the branches were chosen by hand: training chooses among what is offered.
// {cite:t}`szegedy2015` won the ImageNet contest of 2014 with GoogLeNet, nine such blocks and two auxiliary heads, which
// [the page on short paths](short_paths.cpp) counts.
//
// ## Summary
//
// An Inception block runs kernels of several sizes side by side and concatenates their channels. A $1 \times 1$
// convolution in front of the large kernels keeps them affordable. Training puts weight on the branch that sees what the
// task needs.
//
// ## What is missing
//
// GoogLeNet had two more classifiers in its middle. [The next page](auxiliary_losses.cpp) asks what they are for. All
// branches of this block run for every image with the same weights; [the page after it](channel_attention.cpp) lets the
// image decide which channels count.
//
// ```{try}
// - Pairs that are too far apart: `--distance 5`. Can any branch learn it?
// - A longer training: `--steps 2000`. Does the share grow further?
// ```
