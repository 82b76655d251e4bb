// # NP-hard training and too many linear regions: why this should not work
//
// ```{rows} claim-nphard-training claim-more-regions-than-samples
// ```
//
// Two good arguments say that deep learning should fail. The first: finding the smallest value of a smooth loss is
// **NP-hard**, so no fast method is known that always finds it. The second: a network of two hidden layers cuts its
// input plane into thousands of **linear regions** and can fit anything, even pure chance, so a small loss proves
// nothing. Both arguments are correct. This page states both with numbers, and then shows what they leave out.
//
// How often does a descent find the smallest loss? Move the slider to larger puzzles:
//
// ```{opening} fig-stuck
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/classic/partition.hpp>
#include <recto/classic/regions.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using namespace recto::classic;
using book::ask_number, book::claim, book::over_seeds, book::report, book::say;
using figure::Figure;

const book::Option<int> numbers("numbers", 20,
                                "how many numbers the largest puzzle has",
                                {.quick = 12, .least = 4, .most = 24});
const book::Option<int> starts("starts", 100, "how many descents start on each puzzle",
                               {.quick = 10, .least = 1, .most = 10'000});
const book::Option<int> width("width", 50, "units in a layer",
                              {.quick = 20, .least = 1, .most = 500});
const book::Option<int> points("points", 40, "how many points the networks learn",
                               {.least = 2, .most = 1000});
const book::Option<int> steps("steps", 3000, "number of training steps",
                              {.quick = 50, .least = 0, .most = 100'000});
//-

// ## A loss that hides a puzzle
//
// Begin with a puzzle. Can you split the numbers 3, 1, 2, 4 into two groups with the same sum? Yes: 3 and 2
// against 1 and 4. For a thousand numbers of a thousand digits, no known method is sure to answer within the age of the
// universe. This **partition problem** is *NP-complete*: a fast method for it would solve a whole class of famous
// puzzles, and no fast method is known for any of them.
//- some numbers, by chance
using Numbers = std::vector<Index>;
Numbers some_numbers(Index count, Index most, Generator& random) {
    return random.integers({count}, 1, most + 1).values();
}
//-

// Now give every number $a_i$ a weight $w_i$. In the example, $w = (1, -1, 1, -1)$ stands for the split that we found,
// since $3 - 1 + 2 - 4 = 0$, and $w = (1, 1, 1, 1)$ for putting everything into one group, with a difference of 10. This
// loss is zero for the first choice and $10^2 = 100$ for the second:
//
// $$ \Loss(w) = \sum_{i=1}^{n} (w_i^2 - 1)^2 + \Big(\sum_{i=1}^{n} a_i w_i\Big)^2 . $$
//
// The loss is a polynomial, smooth everywhere and never negative. The first sum is zero only where every weight is
// $+1$ or $-1$, so that every number belongs to one of the two groups. The square behind it is zero only where the groups
// balance. So the smallest loss is zero if there is a partition, and above zero otherwise. A method that
// always finds the minimum would solve the partition problem. Arguments of this kind show that minimising a smooth
// loss with certainty, without further knowledge of the loss, is NP-hard {cite:p}`murty1987`.
//
// We check this with a method that uses neither signs nor losses. It lists all sums that some of the numbers can
// have, and looks for half of the total among them:
bool half_is_reachable(const Numbers& a) {
    Index total = 0;
    for (const Index number : a) total += number;
    std::vector<bool> reachable(std::size_t(total) + 1, false);
    reachable[0] = true;
    for (const Index number : a)
        for (Index sum = total; sum >= number; --sum)
            if (reachable[std::size_t(sum - number)])
                reachable[std::size_t(sum)] = true;
    return total % 2 == 0 && reachable[std::size_t(total / 2)];
}

// The list has one place for each sum up to the total. For numbers of a thousand digits it would not fit into any
// memory, so this fast check works for small numbers only.
//
//- training a network, and taking its hidden layers
nn::Mlp train(nn::Mlp net, const Tensor& x, const Tensor& y) {
    optim::Adam adam(nn::parameters(net));
    const auto shorter_and_shorter = [](Index step) {
        return 5e-3 * (1 - double(step) / steps());
    };
    optim::fit(adam, [&] { return mse_loss(net(x), y); },
               {.steps = steps(), .lr = shorter_and_shorter});
    return net;
}
ReluNetwork hidden_layers(const nn::Mlp& net) {
    ReluNetwork layers;
    for (std::size_t i = 0; i + 1 < net.layers.size(); ++i) {
        const auto bias = net.layers[i].bias.values();
        layers.push_back({linalg::matrix_of(net.layers[i].weight),
                          Vector(bias.begin(), bias.end())});
    }
    return layers;
}
//-

void page() {
    // ## Trying all signs
    //
    // The sure way tries all signs. We do this for puzzles of one to twenty numbers, and compare two answers:
    // is the smallest loss zero, and is half of the total reachable?
    Generator random(book::seed());
    int disagreements = 0, with = 0, puzzles = 0;
    double least_growth = 2, most_growth = 2;
    std::vector<double> sizes, candidates;
    for (Index n = 1; n <= numbers(); ++n) {
        for (const Index most : {Index(12), Index(1) << n}) {
            const Numbers a = some_numbers(n, most, random);
            const PartitionSearch found = search_partitions(a);
            const bool zero = partition_loss(a, found.signs) == 0;
            disagreements += zero != half_is_reachable(a);
            with += zero;
            ++puzzles;
            //- how the candidates are counted, and what is checked
            if (most != 12) continue;
            if (n > 1) {
                least_growth = std::min(least_growth,
                                        double(found.candidates) / candidates.back());
                most_growth =
                    std::max(most_growth, double(found.candidates) / candidates.back());
            }
            sizes.push_back(double(n));
            candidates.push_back(double(found.candidates));
        }
    }
    say("{} puzzles, {} of them have a partition", puzzles, with);
    claim("claim-nphard-training/a",
          "number of puzzles where only one of the two exists: a partition, or a loss "
          "of zero",
          disagreements, "==", 0);
    claim("claim-nphard-training/b",
          "factor by which one more number multiplies the candidates, at least",
          least_growth, "==", 2);
    claim("claim-nphard-training/b", "the same factor, at most", most_growth, "==", 2);
    //-

    // The two answers agree on all forty puzzles, of which five have a partition. And each further number doubles the
    // number of candidates, so the running time doubles, too. Twenty numbers take a few milliseconds, and from
    // their time the program computes the time for sixty:
    const Numbers large = some_numbers(numbers(), 1000, random);
    const double seconds = book::median_seconds([&] { search_partitions(large); }, 3);
    book::timing("all signs of {} numbers: {:.3f} s; of 60 numbers: {:.0f} years",
                 numbers(), seconds,
                 seconds * std::pow(2.0, 60 - numbers()) / (365.25 * 86400));
    ask_number(
        "Your next computer is 1,000 times as fast. How many more numbers can you "
        "handle in the same time?",
        std::log2(1000.0), 0.5,
        "Each further number doubles the work, and ten doublings already make it 1,024 "
        "times as much. Multiplying the speed only adds to the size of the puzzle.");

    // ## Gradient descent gets stuck
    //
    // How does gradient descent do on this loss? From a hundred random starts we follow the negative gradient until it
    // vanishes. All these puzzles *have* a partition, so a loss of zero exists. A descent that ends
    // above zero is stuck.
    //- a puzzle that has a partition
    const auto puzzle = [](Index n, Generator& random) {
        Numbers a;
        do a = some_numbers(n, 12, random);
        while (!half_is_reachable(a));
        return a;
    };
    //-
    const auto walks_on = [&](const Numbers& a, Generator& random) {
        std::vector<double> losses;
        for (int start = 0; start < starts(); ++start) {
            Vector w;
            for (std::size_t i = 0; i < a.size(); ++i)
                w.push_back(random.next_normal());
            losses.push_back(descend_partition(a, w).loss);
        }
        std::ranges::sort(losses);
        return losses;
    };
    //- how many got stuck, on puzzles of each size
    const auto share_above_zero = [](const std::vector<double>& losses) {
        const auto above = [](double loss) { return loss > 1e-6; };
        return double(std::ranges::count_if(losses, above)) / double(losses.size());
    };
    std::vector<double> asked, shares;
    std::vector<std::vector<double>> ends;
    for (Index n = 4; n <= numbers(); n += 4) {
        book::progress(n, numbers(), "walks");
        asked.push_back(double(n));
        ends.push_back(walks_on(puzzle(n, random), random));
        shares.push_back(share_above_zero(ends.back()));
    }
    //-

    // With four numbers 48 of 100 descents are stuck, with eight or more about 90. Two other puzzles of twenty
    // numbers show the same:
    //- two more puzzles, and how the figure is drawn
    std::vector<double> stuck = {shares.back()};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const Numbers a = puzzle(Index(asked.back()), other);
        stuck.push_back(share_above_zero(walks_on(a, other)));
    }
    report("claim-nphard-training/c",
           fmt::format("share of {} descents stuck above zero, with {} numbers",
                       starts(), asked.back()),
           over_seeds(stuck));
    std::vector<double> rank;
    for (int i = 1; i <= starts(); ++i) rank.push_back(i);
    Figure walks("fig-stuck");
    walks
        .describe(
            "First panel: the share of descents that end above zero against the number "
            "of numbers; on all but the smallest puzzle most descents do. Second "
            "panel: the final losses of all descents in order; a slider sets how many "
            "numbers the puzzle has.")
        .slider("n", asked, "numbers", asked.back())
        .panel("share of descents that get stuck")
        .line("", asked, shares,
              {.color = figure::red, .dash = figure::solid, .points = true})
        .x("numbers")
        .y("share")
        .ylim(0, 1)
        .panel("where each descent ended")
        .x("descent, from the best to the worst")
        .y("final loss");
    for (std::size_t i = 0; i < asked.size(); ++i)
        walks.at(asked[i]).dots(
            "", rank, ends[i], {.color = figure::blue, .shape = figure::Shape::circle});
    walks.save(
        "A hundred descents on each of several puzzles that have a solution. On all "
        "but the smallest puzzle, most descents miss it (first panel). They end in "
        "local minima with a loss above zero; each step in the second panel is a loss "
        "at which several descents ended. Gradient descent gives no guarantee here.");
    //-

    // No descent in {numref}`fig-stuck` made a mistake. Each ended where the gradient is zero, in a **local minimum**.
    // The gradient there carries no information about a lower minimum elsewhere. So gradient descent does not need the
    // worst case to fail: small random puzzles, which the list of sums solves at once, stop most descents.
    //
    // ## Far too many linear regions
    //
    // The second argument says that success would be worthless. A network of $\max(0, \cdot)$ units, called **ReLU**
    // units, is **piecewise linear**: along a line its output is a chain of straight pieces, and a unit bends the chain
    // where the input of the unit crosses zero. For example, $\max(0, x) + \max(0, x - 1)$ has two bends, at 0 and at
    // 1, and so three pieces, with slopes 0, 1 and 2. The number of pieces is one measure of a network's
    // **expressivity**, the richness of the functions that it can represent (also called expressive power). We can
    // count the pieces of a whole network exactly, layer by layer. On each piece the input of a unit is a straight
    // line, so one division finds its crossing. We begin with networks before training, on a line through their input
    // space:
    const std::vector<Index> depths = {1, 2, 3, 5};
    std::vector<double> depth_axis, mean_random(depths.size(), 0.0),
        mean_before(depths.size(), 0.0), mean_trained(depths.size(), 0.0), growth;
    const Vector zero{0}, one{1};  // a point of the line and its direction
    const auto on_line = [&](const ReluNetwork& layers) {
        return double(bends_on_line(layers, zero, one, -3, 3).size()) + 1;
    };
    //- the counts at random weights, and what is checked
    for (int draw = 0; draw < 5; ++draw) {
        std::vector<double> pieces;
        for (std::size_t i = 0; i < depths.size(); ++i) {
            pieces.push_back(
                on_line(random_relu_network(1, width(), depths[i], random)));
        }
        growth.push_back(pieces[1] - pieces[0]);
        for (std::size_t i = 2; i < pieces.size(); ++i)
            growth.back() = std::min(growth.back(), pieces[i] - pieces[i - 1]);
    }
    // The means need many more draws: with five layers, single networks differ by a factor of two.
    Generator others(book::seed() + 1);
    for (int draw = 0; draw < 100; ++draw)
        for (std::size_t i = 0; i < depths.size(); ++i)
            mean_random[i] +=
                on_line(random_relu_network(1, width(), depths[i], others)) / 100;
    for (std::size_t i = 0; i < depths.size(); ++i) {
        depth_axis.push_back(double(depths[i]));
        say("depth {}: {:.1f} pieces on average", depths[i], mean_random[i]);
    }
    claim("claim-more-regions-than-samples/a",
          "number of pieces that a further step in depth adds, at least",
          over_seeds(growth), ">", 0);
    const std::vector<double> earlier = {44, 82, 123, 188};
    double farthest = 0;
    for (std::size_t i = 0; i < depths.size(); ++i)
        farthest = std::max(farthest, std::abs(mean_random[i] / earlier[i] - 1));
    claim("claim-more-regions-than-samples/d",
          "largest relative deviation of the four means from 44, 82, 123 and "
          "188, measured earlier by another program",
          farthest, "<=", 0.15);
    //-

    // One layer of fifty units has at most fifty bends, so at most 51 pieces. With depth the *possible* number of
    // pieces multiplies, because each layer can fold what the layers before it have already folded {cite:p}`montufar2014`.
    // Random weights use little of this: each further layer adds about forty pieces, about as many as the
    // first one made (86, 129 and 207 pieces with two, three and five layers).
    //
    // Does training remove these pieces? We fit networks of every depth to forty points whose heights are pure
    // chance, and count again:
    Tensor x = random.uniform({points(), 1}, -3, 3), y = random.normal({points(), 1});
    for (int draw = 0; draw < 3; ++draw)
        for (std::size_t i = 0; i < depths.size(); ++i) {
            book::progress(draw * 4 + Index(i) + 1, 12, "training");
            std::vector<Index> layout(std::size_t(depths[i]) + 2, width());
            layout.front() = layout.back() = 1;
            const nn::Mlp net(layout, relu, random);
            mean_before[i] += on_line(hidden_layers(net)) / 3;
            mean_trained[i] += on_line(hidden_layers(train(net, x, y))) / 3;
        }
    //- the counts, and how the figure is drawn
    for (std::size_t i = 0; i < depths.size(); ++i)
        say("depth {}: {:.0f} pieces before training, {:.0f} after", depths[i],
            mean_before[i], mean_trained[i]);
    Figure("fig-pieces")
        .describe(
            "The number of linear pieces along a line against the depth of the "
            "network. It grows with depth for random networks, before training and "
            "after training, and lies above the number of training points at every "
            "depth.")
        .line("random networks", depth_axis, mean_random)
        .line("before training", depth_axis, mean_before)
        .line("after training", depth_axis, mean_trained)
        .rule_y(points(), "training points")
        .ylim(0, 1.1 * std::max(std::ranges::max(mean_random),
                                std::ranges::max(mean_trained)))
        .x("hidden layers")
        .y("linear pieces on the line")
        .save(
            "Linear pieces along a line, for networks of fifty units a layer. The "
            "networks that are trained, three of each depth, begin with the library's "
            "usual initial weights, smaller than those of the random networks. Up to "
            "three layers "
            "training changes the number of pieces by about 15 % at most; with five "
            "layers it raises the number from 167 to 285. All counts lie above the "
            "number of training points (horizontal line), so the data cannot determine "
            "every piece. After {cite:t}`montufar2014`.");
    book::shows("claim-more-regions-than-samples/c", "fig-pieces");
    //-

    // {numref}`fig-pieces` shows both counts for one line. On a plane the bends are lines that cross, and they enclose
    // many more pieces, the **linear regions**. Here a network with two hidden layers learns forty points in the
    // square, each with a random height. It has 2,751 weights, 69 for each point:
    const Tensor places = random.uniform({points(), 2}, -1, 1),
                 heights = random.normal({points(), 1});
    const nn::Mlp net =
        train(nn::Mlp({2, width(), width(), 1}, relu, random), places, heights);
    const std::vector<Polygon> patches = pieces_on_plane(
        hidden_layers(net), Vector{0, 0}, Vector{1, 0}, Vector{0, 1}, -1, 1);
    //- what is checked, and two more networks
    claim("", "mean squared error on the forty points, whose heights have variance 1",
          mse_loss(net(places), heights).item(), "<", 0.01);

    // Two more networks, each with other random heights, show the spread:
    std::vector<double> counts = {double(patches.size())};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const Tensor new_heights = other.normal({points(), 1});
        const nn::Mlp again =
            train(nn::Mlp({2, width(), width(), 1}, relu, other), places, new_heights);
        counts.push_back(double(pieces_on_plane(hidden_layers(again), Vector{0, 0},
                                                Vector{1, 0}, Vector{0, 1}, -1, 1)
                                    .size()));
    }
    claim("claim-more-regions-than-samples/b",
          "linear regions in the square, of a network that learned 40 points",
          over_seeds(counts), ">", 400);
    //-

    // The square holds 2,214 regions, and about as many in two networks with other heights. {numref}`fig-patches` draws
    // every border between two of them.
    //- how the figure is drawn
    std::vector<double> edges_x, edges_y;
    for (const Polygon& patch : patches) {  // one broken line: a gap after each patch
        for (std::size_t i = 0; i <= patch.size(); ++i) {
            edges_x.push_back(patch[i % patch.size()][0]);
            edges_y.push_back(patch[i % patch.size()][1]);
        }
        edges_x.push_back(NAN), edges_y.push_back(NAN);
    }

    // Under the borders lies the network's output on a fine grid; on top lie the points that it learned.
    std::vector<double> px, py;
    for (Index i = 0; i < points(); ++i)
        px.push_back(double(places.at({i, 0}))),
            py.push_back(double(places.at({i, 1})));
    const int across = 120;
    Tensor pixels = empty({across * across, 2});
    for (int i = 0; i < across * across; ++i) {
        pixels.write()[2 * i] = Real(-1 + (i % across + 0.5) * 2 / across);
        pixels.write()[2 * i + 1] = Real(1 - (i / across + 0.5) * 2 / across);
    }
    Figure("fig-patches")
        .describe(
            "A square shaded by the height of a network's output, cut by its bends "
            "into about two thousand small convex regions, far more than the forty "
            "points that are marked.")
        .field(-1, 1, -1, 1, across, net(pixels).values(), "output")
        .line("border of a region", edges_x, edges_y,
              {.color = figure::grey,
               .dash = figure::solid,
               .width = 0.5,
               .points = false})
        .dots("training point", px, py,
              {.color = figure::red, .shape = figure::Shape::circle})
        .x("first input")
        .y("second input")
        .height(640)  // as wide as high
        .save(
            "Inside each region the network is linear. The network fits the forty "
            "points (dots), but most regions contain no point, so no data determine "
            "the output there.");
    //-
}

// The network fits forty random heights with a mean squared error of 0.00006, where predicting zero would give about 1.
// There was no rule to learn, and the network learned the points by heart. Large networks do the same with a
// million images whose labels are random {cite:p}`zhang2017`. If a model can fit anything, a small training loss says
// nothing about new data. This is the second argument.
//
// ## And yet
//
// Look again at what the two arguments say. The first is about a *guarantee*, for *every* loss. Our puzzle was built
// to be hard: $n$ weights must meet $n + 1$ conditions at once. The last network has 69 weights for each of its forty
// conditions, and training from one random start brought the error down to 0.00006. Theory explains this for some
// networks, such as very wide ones, but not in general. That training works so often is the first surprise.
//
// The second argument is about all functions that a network *could* represent. Training picks one of them.
// [Double descent](double_descent.cpp) showed that this pick can be good even when the model can fit anything: least
// squares took the shortest weights, and with short weights the output changed little between the training images. That
// the pick is so often good for large networks is the second surprise.
//
// ## Summary
//
// Minimising a loss with certainty is NP-hard, and on small puzzles gradient descent does get stuck. Networks have more
// linear regions than data points, before and after training, and can fit random heights. Neither argument rules out that
// gradient descent succeeds on the losses that we meet, or that its solutions generalise.
//
// ## What is missing
//
// A complete explanation is missing. Later chapters meet parts of it: initialisation, normalisation and skip
// connections make the descent easier; noise, early stopping and the architecture lead it to better solutions. None of
// these parts excludes the hard puzzles, because a fast method that is sure for every loss would solve the partition
// problem.
//
// This is the end of the chapter's first part. The second part, [the machine](hardware.cpp), shows what makes a
// computation fast; you can read it now or after chapter 2, which begins with [maximum
// likelihood](../training/likelihood.cpp).
//
// ```{try}
// - Watch the doubling: `--numbers 24`. How much longer does the page take?
// - Give the network fewer units: `--width 5`. Does it still learn forty random heights?
// - Do not train at all: `--steps 0`. How many regions do random weights alone make?
// ```
