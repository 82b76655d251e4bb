// # Why this should not work
//
// ```{rows} claim-nphard-training claim-more-regions-than-samples
// ```
//
// Before the chapter ends, two good arguments that this book should not exist. The first: finding the
// smallest loss of a network is a problem for which nobody has, and perhaps nobody can have, a fast method.
// The second: a network is so rich that finding it would be worthless. Both are correct. This page
// lets both speak, with numbers, so that the surprise of the next chapters is one.
//- includes and names
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
//-

// Five numbers can be changed, two for the first argument and three for the second:
const book::Option<int> numbers("numbers", 20,
                                "how many numbers the largest puzzle has",
                                {.quick = 12, .least = 4, .most = 24});
const book::Option<int> starts("starts", 100, "how many walks start on each puzzle",
                               {.quick = 10, .least = 1, .most = 10'000});
const book::Option<int> width("width", 50, "units in a layer",
                              {.quick = 20, .least = 1, .most = 500});
const book::Option<int> points("points", 40, "how many points the networks learn",
                               {.least = 2, .most = 1000});
const book::Option<int> steps("steps", 3000, "steps of training",
                              {.quick = 50, .least = 0, .most = 100'000});

// ## A loss that hides a puzzle
//
// Here are some whole numbers. Can they be parted into two groups of the same sum?
using Numbers = std::vector<Index>;
Numbers some_numbers(Index count, Index most, Generator& random) {
    return random.integers({count}, 1, most + 1).values();
}

// For 3, 1, 2, 4 it is quickly seen: 3 and 2 against 1 and 4. For a thousand numbers of a thousand digits nobody
// knows a method that is sure to answer within the age of the universe. The puzzle is *NP-complete*: whoever
// finds a fast method for it has one for a whole class of famous puzzles, and nobody has found any.
//
// Now give every number $a_i$ a weight $w_i$, and look at the loss
//
// $$ \Loss(w) = \sum_{i=1}^{n} (w_i^2 - 1)^2 + \Big(\sum_{i=1}^{n} a_i w_i\Big)^2 . $$
//
// It is a polynomial, smooth everywhere, never negative. The first sum vanishes only where every weight is
// $+1$ or $-1$: it sends each number into one group or the other. The second vanishes only where the groups
// balance. So the smallest loss is zero if there is a partition and above zero if there is none, and whoever can
// find the minimum for sure has solved the puzzle. By arguments of this kind
// {cite:p}`murty1987`, minimising for sure, without any further knowledge of the loss, is NP-hard.
//
// We need not believe it. The reachable sums of a set of numbers can be listed without any signs or losses, and
// tell whether half of the total is among them:
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

// ## A network fitted to points
//
// The second half of the page trains small networks and then looks inside; we shall need these two. The last layer
// of a network is left out of the counting: it adds no bends.
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

void page() {
    // ## Trying everything
    //
    // The sure way is to try all signs. We do so for puzzles of up to twenty numbers, and ask
    // both judges: is the smallest loss zero, and is half of the total reachable?
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
          "puzzles for which a zero of the loss and a partition do not go together",
          disagreements, "==", 0);
    claim("claim-nphard-training/b",
          "growth of the number of candidates with each further number, at least",
          least_growth, "==", 2);
    claim("claim-nphard-training/b", "and at most", most_growth, "==", 2);

    // Doubling is a hard master. It does not help to buy a better computer.
    const Numbers large = some_numbers(numbers(), 1000, random);
    const double seconds = book::median_seconds([&] { search_partitions(large); }, 3);
    book::timing("all signs of {} numbers: {:.3f} s; of 60 numbers: {:.0f} years",
                 numbers(), seconds,
                 seconds * std::pow(2.0, 60 - numbers()) / (365.25 * 86400));
    ask_number(
        "You get a machine that is 1,000 times as fast. How many more numbers can you "
        "now handle in the same time?",
        std::log2(1000.0), 0.5,
        "Each further number doubles the work, and ten doublings already make it 1,024 "
        "times as much. Speed is multiplied, the size of the puzzle only added to.");

    // ## Walking downhill
    //
    // What does gradient descent make of it? From a hundred random starts it walks down until the gradient
    // vanishes, on puzzles that *do* have a partition, so that zero is there to be found. A walk that ends
    // above zero is stuck.
    const auto puzzle = [](Index n, Generator& random) {
        Numbers a;
        do a = some_numbers(n, 12, random);
        while (!half_is_reachable(a));
        return a;
    };
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

    // The last share, and that of two other puzzles of the same size:
    std::vector<double> stuck = {shares.back()};
    for (std::uint64_t draw = 1; draw <= 2; ++draw) {
        Generator other(1000 * draw + book::seed());
        const Numbers a = puzzle(Index(asked.back()), other);
        stuck.push_back(share_above_zero(walks_on(a, other)));
    }
    report("claim-nphard-training/c",
           fmt::format("share of {} walks stuck above zero, with {} numbers", starts(),
                       asked.back()),
           over_seeds(stuck));

    //- how the figure is drawn
    std::vector<double> rank;
    for (int i = 1; i <= starts(); ++i) rank.push_back(i);
    Figure walks("fig-stuck");
    walks
        .describe(
            "Left: the share of walks that end above zero against the number of "
            "numbers; on all but the smallest puzzle it is most of them. Right: the "
            "final losses of all walks in order; a slider sets how many numbers there "
            "are.")
        .slider("n", asked, "numbers", asked.back())
        .panel("share of walks that get stuck")
        .line("", asked, shares,
              {.color = figure::red, .dash = figure::solid, .points = true})
        .x("numbers")
        .y("share")
        .ylim(0, 1)
        .panel("where each walk ended")
        .x("walk, from the best to the worst")
        .y("final loss");
    for (std::size_t i = 0; i < asked.size(); ++i)
        walks.at(asked[i]).dots(
            "", rank, ends[i], {.color = figure::blue, .shape = figure::Shape::circle});
    walks.save(
        "A hundred walks on each of some puzzles that have a solution. On all but the "
        "smallest, most walks miss it (left). They stand in a hollow, with no slope "
        "and a loss above zero; each step on the right is a hollow that several walks "
        "found.");
    //-

    // None of the walks in {numref}`fig-stuck` made a mistake. Each followed the slope to a place where there is
    // none. That the true minimum lies elsewhere cannot be seen from where they stand.
    //
    // ## Far too rich
    //
    // So training may fail. The second argument says that it had better. A network of $\max(0, \cdot)$ units is
    // a function with bends: between two bends it is a straight line, or over a plane a facet. We can count
    // the pieces exactly. Layer by layer, a unit bends the function where its input crosses zero; on each piece
    // that input is linear, so the crossing is one division. On a line through input space, for networks as
    // they are before training:
    const std::vector<Index> depths = {1, 2, 3, 5};
    std::vector<double> depth_axis, mean_random(depths.size(), 0.0),
        mean_trained(depths.size(), 0.0), growth;
    const Vector zero{0}, one{1};
    const auto on_line = [&](const ReluNetwork& layers) {
        return double(bends_on_line(layers, zero, one, -3, 3).size()) + 1;
    };
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
    // The means want many more draws: with five layers single networks differ by a factor of two.
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
          "how many pieces a further step in depth adds, at least", over_seeds(growth),
          ">", 0);
    const std::vector<double> published = {44, 82, 123, 188};
    double farthest = 0;
    for (std::size_t i = 0; i < depths.size(); ++i)
        farthest = std::max(farthest, std::abs(mean_random[i] / published[i] - 1));
    claim(
        "claim-more-regions-than-samples/d",
        "the farthest of the four means from 44, 82, 123 and 188, as a share of these",
        farthest, "<=", 0.15);

    // One layer of fifty units has at most fifty bends. With depth the *possible* number multiplies: each layer can fold what the
    // layers before have already folded {cite:p}`montufar2014`. Random weights make little use of that: each further layer adds about
    // forty pieces, as the first did. Does training iron the folds out? We fit networks of
    // every depth to forty points, whose heights are pure chance, and count again. {numref}`fig-pieces` has both
    // counts.
    Tensor x = random.uniform({points(), 1}, -3, 3), y = random.normal({points(), 1});
    for (int draw = 0; draw < 3; ++draw)
        for (std::size_t i = 0; i < depths.size(); ++i) {
            book::progress(draw * 4 + Index(i) + 1, 12, "training");
            std::vector<Index> layout(std::size_t(depths[i]) + 2, width());
            layout.front() = layout.back() = 1;
            mean_trained[i] +=
                on_line(hidden_layers(train(nn::Mlp(layout, relu, random), x, y))) / 3;
        }
    Figure("fig-pieces")
        .describe(
            "The number of linear pieces along a line against the depth of the "
            "network. It grows with depth, both for random and for trained networks, "
            "and lies above the number of training points from two layers on.")
        .line("random, before training", depth_axis, mean_random)
        .line("trained", depth_axis, mean_trained)
        .rule_y(points(), "training points")
        .ylim(0, 1.1 * std::max(std::ranges::max(mean_random),
                                std::ranges::max(mean_trained)))
        .x("hidden layers")
        .y("linear pieces on the line")
        .save(
            "Pieces of networks of fifty units a layer along a line. After "
            "{cite:t}`montufar2014`.");
    book::shows("claim-more-regions-than-samples/c", "fig-pieces");

    // And that is a mere line. On a plane the bends are lines that cross, and the patches between them are many
    // more. Here is a network with two hidden layers that has learned forty points in the square, each with a
    // random height:
    const Tensor places = random.uniform({points(), 2}, -1, 1),
                 heights = random.normal({points(), 1});
    const nn::Mlp net =
        train(nn::Mlp({2, width(), width(), 1}, relu, random), places, heights);
    const std::vector<Polygon> patches = pieces_on_plane(
        hidden_layers(net), Vector{0, 0}, Vector{1, 0}, Vector{0, 1}, -1, 1);
    claim("",
          "its mean squared error on the forty points, whose heights have variance 1",
          mse_loss(net(places), heights).item(), "<", 0.01);

    // Two more networks, each with heights of its own, say how much of that is chance:
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
          "linear pieces over the square, of a network that learned 40 points",
          over_seeds(counts), ">", 400);

    // {numref}`fig-patches` draws every border between two patches.
    std::vector<double> edges_x, edges_y;
    for (const Polygon& patch : patches) {  // one broken line: a gap after each patch
        for (std::size_t i = 0; i <= patch.size(); ++i) {
            edges_x.push_back(patch[i % patch.size()][0]);
            edges_y.push_back(patch[i % patch.size()][1]);
        }
        edges_x.push_back(NAN), edges_y.push_back(NAN);
    }

    // Under the borders lies the function itself, evaluated on a fine grid; on top lie the points it learned.
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
            "into hundreds of small convex patches, far more than the forty points "
            "that are marked.")
        .field(-1, 1, -1, 1, across, net(pixels).values())
        .line("border of a patch", edges_x, edges_y,
              {.color = figure::grey,
               .dash = figure::solid,
               .width = 0.5,
               .points = false})
        .dots("training point", px, py,
              {.color = figure::red, .shape = figure::Shape::circle})
        .x("first input")
        .y("second input")
        .height(460)
        .save(
            "Everywhere inside a patch the network is linear. It has learned the forty "
            "points (dots), and nothing forced it to behave between them.");
}

// The network meets forty random heights within a hair. There was nothing to learn, and it learned it, as large
// networks learn a million pictures with random labels {cite:p}`zhang2017`. A model that can fit anything has
// explained nothing: that is the argument.
//
// ## And yet
//
// Look again at what the two arguments say. The first is about a *guarantee*, for *every* loss. The puzzle
// was built to be nasty: as many conditions as weights, and no slack. The last network had dozens of weights for
// each of its conditions, and simple descent went to the bottom at the first attempt. Nobody knows in general
// why; that it does is the first surprise. The second argument is about what a network *could* be, not about
// which one of all these descent picks. [Double descent](double_descent.cpp) showed that the pick may be a good
// one even when the model could be anything; that it so often is, is the second surprise.
//
// ## What is missing
//
// An explanation. Parts of it exist, and later chapters meet them: initialisation, normalisation and
// shortcuts make the walk easy; noise and early stopping and the shape of the network make the pick a good
// one. No part is a theorem that rules the nasty puzzle out, because none can.
//
// ```{try}
// - Watch the doubling: `--numbers 24`. How much longer does the page take?
// - Give the network less room: `--width 5`. Does it still learn forty random heights?
// - Do not train at all: `--steps 0`. How many patches does chance alone make?
// ```
