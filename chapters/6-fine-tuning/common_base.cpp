// # Linear mode connectivity: why merging needs a common base
//
// ```{rows} claim-merging-needs-common-base
// ```
//
// [Sums of residuals](merging.cpp) work because all of them belong to one base. Could you merge any two networks that do the
// same task? Take two with the same accuracy and average their weights. {numref}`fig-segment` walks from one network to the
// other in a straight line. For two fine-tunings of one base nothing happens on the way. For two networks that were trained
// from different random weights, the loss rises like a mountain. Move the slider along the way. Why is there a mountain,
// and can it be removed?
//
// ```{opening} fig-segment
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/classic/assignment.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/turned.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/merge.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Examples, data::Part;
using figure::Figure;

const book::Option<Index> width("width", 128, "units of each hidden layer",
                                {.quick = 16, .least = 2, .most = 1024});
const book::Option<Index> all_steps("steps", 600,
                                    "steps of a training from random weights",
                                    {.quick = 60, .least = 2, .most = 100'000});
const book::Option<Index> pictures("pictures", 20'000, "number of training images",
                                   {.quick = 1000, .least = 100, .most = 60'000});
const book::Option<int> draws("draws", 3, "pairs of each kind",
                              {.quick = 1, .least = 1, .most = 20});
//-

// ## The same function twice
//
// Begin with a network that a child could check: two hidden units and one output. The first unit computes
// $\mathrm{relu}(x)$ and counts with weight 1. The second computes $\mathrm{relu}(-x)$ and counts with weight $-1$. The
// output is $\mathrm{relu}(x) - \mathrm{relu}(-x) = x$. Now renumber the units: the second becomes the first. The hidden
// weights were $(1, -1)$ and are $(-1, 1)$. The output weights were $(1, -1)$ and are $(-1, 1)$. The function is still
// $x$. But the mean of both networks has the hidden weights $(0, 0)$ and the output weights $(0, 0)$, and its output is
// always 0.
//
// Nothing tells a training from random weights in which order to number its units. A layer with $m$ units can be
// renumbered in $m!$ ways without any change of the function. This is its **permutation symmetry**. In code, the rows of one
// matrix and the columns of the next change places:
void renumber(const nn::Mlp& net, std::size_t layer, const Integers& order) {
    const nn::Linear &one = net.layers[layer], &next = net.layers[layer + 1];
    const Tensor columns = transpose(next.weight.detach());
    one.weight.detach().copy_(index_rows(one.weight.detach(), order));
    one.bias.detach().copy_(index_rows(one.bias.detach(), order));
    next.weight.detach().copy_(transpose(index_rows(columns, order)));
}

//- images and training
Tensor inputs(const Tensor& images) { return (flatten(images) - 0.286) / 0.353; }
Examples part(Part which, Index count) {
    const Examples some = data::slice(data::fashion_mnist(which), 0, count);
    return {inputs(data::turned(some.x)), some.labels, {}, {}};
}
Examples upright_images(Index count) {
    const Examples some = data::slice(data::fashion_mnist(Part::train), 0, count);
    return {inputs(some.x), some.labels, {}, {}};
}

void train(const nn::Mlp& net, const Examples& set, Index count, double rate,
           Generator& random) {
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    for (Index step = 0; step < count; ++step) {
        const Integers which = random.integers({128}, 0, set.size());
        const Examples batch = data::select(set, {which.data(), 128});
        adam.zero_grad();
        cross_entropy(net(batch.x), batch.labels).backward();
        adam.step();
    }
}

nn::Mlp fresh(Generator& random) {
    return nn::Mlp({784, width(), width(), 10}, relu, random, {.weights = nn::he_init});
}
double loss_of(const nn::Mlp& net, const Examples& set) {
    const NoGrad only_asking;
    return double(cross_entropy(net(set.x), set.labels).item());
}
double accuracy_of(const nn::Mlp& net, const Examples& set) {
    const NoGrad only_asking;
    return nn::accuracy(net(set.x), set.labels);
}
//-

// ## A walk from network to network
//
// Walk from the weights $w_a$ to the weights $w_b$ in a straight line. At the share $s$ of the way the weights are $(1 -
// s)\, w_a + s\, w_b$. Suppose that the losses are 0.40 at the start, 0.50 at the end and 1.25 at the highest point
// between. The mean of the ends is 0.45, and the **barrier** is what the highest point exceeds it by, 0.80 nats:
//
// $$ \max_s \Loss\bigl((1 - s)\, w_a + s\, w_b\bigr) - \tfrac12 \bigl(\Loss(w_a) + \Loss(w_b)\bigr) . $$
//
// Two networks without a barrier are *linearly mode connected* {cite:p}`frankle2020`, and merging them costs nothing.
nn::Mlp on_the_way(const nn::Mlp& a, const nn::Mlp& b, double s) {
    const nn::Mlp net = nn::clone(a);
    const NamedTensors way = nn::difference(nn::state(b), nn::state(a));
    nn::assign(nn::state(net), nn::plus(nn::state(a), way, s));
    return net;
}

// Four networks come from each draw, all for images turned by 90°, and all train for as many steps. Two are fine-tunings of
// one base: they share the first half of their steps, on upright images, and see different mini-batches in the second half.
// The other two are trained from different random weights, so they have been apart for twice as long.
//- pairs, barriers, and how the first figure is drawn
// The outputs of a hidden layer.
Tensor hidden(const nn::Mlp& net, Tensor x, std::size_t layer) {
    for (std::size_t i = 0; i <= layer; ++i) x = net.layers[i](x, relu);
    return x;
}
// Columns of mean 0 and length 1; a unit that is never on becomes zero.
Tensor standardised(const Tensor& x) {
    const Tensor centred = x - mean(x, {0}, Keep::yes);
    return centred / (sqrt(sum(centred * centred, {0}, Keep::yes)) + 1e-12);
}
const std::vector<double> stops = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};

struct Walk {
    std::vector<double> losses, accuracies;
    double barrier() const {
        return *std::max_element(losses.begin(), losses.end()) -
               (losses.front() + losses.back()) / 2;
    }
};
Walk walk(const nn::Mlp& a, const nn::Mlp& b, const Examples& test) {
    Walk found;
    for (const double s : stops) {
        const nn::Mlp net = on_the_way(a, b, s);
        found.losses.push_back(loss_of(net, test));
        found.accuracies.push_back(accuracy_of(net, test));
    }
    return found;
}

struct Pairs {
    nn::Mlp tuned_a, tuned_b, alone_a, alone_b;
};
Pairs make_pairs(const Examples& set, std::uint64_t draw) {
    Generator random(100 * draw + book::seed());
    const nn::Mlp base = fresh(random);
    train(base, upright_images(pictures()), all_steps() / 2, 1e-3, random);
    const auto tuned = [&] {
        const nn::Mlp net = nn::clone(base);
        train(net, set, all_steps() / 2, 1e-3, random);
        return net;
    };
    const auto alone = [&] {
        const nn::Mlp net = fresh(random);
        train(net, set, all_steps(), 1e-3, random);
        return net;
    };
    const nn::Mlp first = tuned(), second = tuned(), third = alone(), fourth = alone();
    return {first, second, third, fourth};
}

void draw_walks(const std::vector<Walk>& base, const std::vector<Walk>& alone) {
    Figure figure("fig-segment");
    figure
        .describe(
            "Loss on test images along the segment between two networks. For pairs of "
            "fine-tunings of one base the line is flat. For pairs that were trained "
            "alone it rises to a high hill in the middle. A slider marks a place on "
            "the way, and bars show the accuracy there.")
        .slider("way", stops, "share of the way", 0.5)
        .panel("loss along the way");
    const auto middle = [](const std::vector<Walk>& walks, std::size_t i,
                           std::vector<double> Walk::*what) {
        std::vector<double> found;
        for (const Walk& one : walks) found.push_back((one.*what)[i]);
        return book::median(found);
    };
    std::vector<double> shared_losses, alone_losses;
    for (std::size_t i = 0; i < stops.size(); ++i) {
        shared_losses.push_back(middle(base, i, &Walk::losses));
        alone_losses.push_back(middle(alone, i, &Walk::losses));
    }
    figure.line("one base", stops, shared_losses)
        .line("trained alone", stops, alone_losses);
    for (const double s : stops) figure.at(s).rule_x(s, "");
    figure.always()
        .x("share of the way")
        .y("loss on test images, nats")
        .panel("accuracy of the network on the way");
    for (std::size_t i = 0; i < stops.size(); ++i)
        figure.at(stops[i]).bars("", {"one base", "trained alone"},
                                 {100 * middle(base, i, &Walk::accuracies),
                                  100 * middle(alone, i, &Walk::accuracies)},
                                 {.color = figure::blue});
    figure.always()
        .x("pair of networks")
        .y("accuracy on test images, %")
        .ylim(0, 100)
        .save(
            "From one network to another in a straight line: the loss on 2,000 turned "
            "test images, and the accuracy at the place of the slider. Two "
            "fine-tunings of one base can be averaged. Two networks that were trained "
            "alone cannot, although the losses at both ends are alike. Medians of "
            "three pairs.");
    book::shows("claim-merging-needs-common-base/d", "fig-segment");
}

std::vector<double> barriers(const std::vector<Walk>& walks) {
    std::vector<double> found;
    for (const Walk& one : walks) found.push_back(one.barrier());
    return found;
}
void check_walks(const std::vector<Walk>& base, const std::vector<Walk>& alone) {
    const auto halfway = [](const std::vector<Walk>& walks) {
        std::vector<double> found;
        for (const Walk& one : walks) found.push_back(one.accuracies[5]);
        return book::brief(over_seeds(found));
    };
    say("accuracy halfway: {} between two fine-tunings, and {} between two networks "
        "that were trained alone",
        halfway(base), halfway(alone));
    claim("claim-merging-needs-common-base/a",
          "barrier between two fine-tunings of one base, in nats",
          over_seeds(barriers(base)), "<", 0.1);
    claim("claim-merging-needs-common-base/b",
          "barrier between two networks that were trained alone, in nats",
          over_seeds(barriers(alone)), ">", 0.5);
}
//-

// The two fine-tunings of one base have almost no barrier: any network on the way is as good as both ends. Their weights
// differ, because their mini-batches did, but both started from the same units, and a unit of one network still does the
// job of the unit with the same number in the other. Between two networks that were trained alone the loss rises by more
// than a nat. Halfway, fewer than half of the answers are right.
//
// ## Renumber, then average
//
// Is the barrier only a matter of numbering? Test the idea on a single network first. Renumber the units of both hidden
// layers at random, and average the result with the original.
//- the question, and what is checked
void with_itself(const nn::Mlp& net, const Examples& test) {
    Generator random(book::seed() + 50);
    const nn::Mlp copy = nn::clone(net);
    for (const std::size_t layer : {0, 1}) {
        const std::vector<Index> order = random.permutation(width());
        renumber(copy, layer, Integers({width()}, order));
    }
    const double before = accuracy_of(net, test), renumbered = accuracy_of(copy, test),
                 averaged = accuracy_of(on_the_way(net, copy, 0.5), test);
    ask("A trained network is averaged with a renumbered copy of itself. Both compute "
        "the same function. What is the accuracy of the average?",
        {{"The same: the mean of two equal functions is that function.",
          std::abs(averaged - before) < 0.02,
          "The functions are equal, but the average is taken of the weights, and unit "
          "number 1 of one network is another unit than number 1 of the other."},
         {"A little lower, by less than a tenth of all images.",
          averaged <= before - 0.02 && averaged > before - 0.1,
          "Each unit of the average is a mixture of two unrelated units, in both "
          "layers."},
         {"Much lower, by a tenth of all images or more.", averaged <= before - 0.1,
          "Each unit of the average is a mixture of two unrelated units, in both "
          "layers. Only the biases of the ten outputs are the same in both "
          "networks."}});
    say("accuracy of the network {:.3f}, of the renumbered copy {:.3f}, of the average "
        "{:.3f}",
        before, renumbered, averaged);
    claim("", "scores of the renumbered copy against those of the network",
          double(max(abs(copy(test.x) - net(test.x))).item()) /
              double(max(abs(net(test.x))).item()),
          "<=", 1e-5);
}
//-

// For two different networks we have to find the numbering first. Which unit of one network does the same job as a given
// unit of the other? We let both read 1,000 training images and compare what the units of a layer compute, by the
// correlation of their outputs. Then each unit of the first network gets a partner in the second, so that the sum of all
// correlations is as large as possible. With two units and the correlations 0.9 and 0.8 in the first row, 0.7 and 0.1 in
// the second, the greedy choice takes 0.9 and is left with 0.1. The best sum is $0.8 + 0.7$. This is the **assignment
// problem**, which {cite:t}`kuhn1955` solved. The version in our library takes a number of steps that grows with the cube of
// the number of units.
void align(const nn::Mlp& fixed, const nn::Mlp& moved, const Tensor& x) {
    for (const std::size_t layer : {0, 1}) {
        const Tensor a = standardised(hidden(fixed, x, layer)),
                     b = standardised(hidden(moved, x, layer));
        const linalg::Matrix alike = linalg::matrix_of(matmul(transpose(a), b));
        const std::vector<Index> partner = classic::best_assignment(alike);
        renumber(moved, layer, Integers({width()}, partner));
    }
}
//- what is checked
void aligned(const std::vector<Pairs>& pairs, const std::vector<Walk>& alone,
             const Examples& set, const Examples& test) {
    const NoGrad only_asking;
    std::vector<Walk> found;
    std::vector<double> lowered;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const nn::Mlp moved = nn::clone(pairs[i].alone_b);
        align(pairs[i].alone_a, moved, slice(set.x, 0, 0, 1000));
        found.push_back(walk(pairs[i].alone_a, moved, test));
        lowered.push_back(found.back().barrier() - alone[i].barrier());
    }
    std::vector<double> x, before, after;
    for (std::size_t k = 0; k < stops.size(); ++k) {
        std::vector<double> one, two;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            one.push_back(alone[i].losses[k]);
            two.push_back(found[i].losses[k]);
        }
        x.push_back(stops[k]);
        before.push_back(book::median(one)), after.push_back(book::median(two));
    }
    Figure("fig-aligned")
        .describe(
            "Loss along the way between two networks that were trained alone: a high "
            "hill as they are, and a much lower one after the units of one network "
            "were renumbered.")
        .line("as they are", x, before)
        .line("renumbered", x, after)
        .x("share of the way")
        .y("loss on test images, nats")
        .save(
            "Two networks that were trained alone, and the same two after the hidden "
            "units of the second were renumbered to match those of the first. The "
            "function of each network is unchanged. Medians of three pairs.");
    say("barrier after the alignment: {} nats",
        book::brief(over_seeds(barriers(found))));
    claim("claim-merging-needs-common-base/c",
          "barrier after the alignment less the barrier before", over_seeds(lowered),
          "<", 0);
}
//-

// Renumbering removes nine tenths of the barrier, without a gradient step and without a change of either function. So
// most of the mountain in {numref}`fig-segment` was a matter of numbering. The rest may be units without a partner, or a
// better numbering that matching one layer after the other does not find.
//
// ## Limits and history
//
// {cite:t}`frankle2020` introduced the barrier. They trained one network for a short time, went on with two copies in
// different orders of the data, and found no barrier between the two results: a short common start is enough.
// {cite:t}`entezari2022` conjectured that wide networks have no barrier at all once their units are renumbered in the right
// way, and {cite:t}`ainsworth2023` gave methods to find the numbering for deep networks. {cite:t}`wortsman2022` average many
// fine-tunings of one large base, a *model soup*, which is often better than the best of its members.
//
// Averages of fine-tunings rest on this. Half the sum of two residuals leads to the network halfway between the two
// fine-tunings, and without a barrier it is as good as they are on average. A larger sum leaves the segment, and [task
// arithmetic](merging.cpp) showed what can happen there.
//
// A common base is no guarantee. A fine-tuning that runs for long enough, or with a large learning rate, can leave the
// neighbourhood of its base.
//
// ## Summary
//
// Two networks can be averaged if the loss has no barrier on the segment between them. Fine-tunings of one base have
// almost none, and networks that were trained from different random weights have a high one, because the hidden units of
// a layer can be numbered in any order. Finding partners among the units is an assignment problem, and its solution
// removes most of the barrier.
//
// ## What is missing
//
// Our networks are small perceptrons, and both of a pair do the same task. Both of
// our ways to combine networks compute with their weights. [The next page](recombination.cpp) keeps the weights and
// combines whole blocks.
//
// ```{try}
// - A wider network: `--width 512`. How high are the barriers, before and after the alignment?
// - A longer training: `--steps 2000`. Are networks that were trained longer easier to merge?
// ```

void page() {
    const Examples set = part(Part::train, pictures()), test = part(Part::test, 2000);
    std::vector<Pairs> pairs;
    std::vector<Walk> base, alone;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "draws");
        pairs.push_back(make_pairs(set, std::uint64_t(draw + 1)));
        base.push_back(walk(pairs.back().tuned_a, pairs.back().tuned_b, test));
        alone.push_back(walk(pairs.back().alone_a, pairs.back().alone_b, test));
    }
    draw_walks(base, alone);
    check_walks(base, alone);
    with_itself(pairs[0].alone_a, test);
    aligned(pairs, alone, set, test);
}
