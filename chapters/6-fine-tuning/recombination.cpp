// # Recombination: stack the blocks of two fine-tunings
//
// ```{rows} sys-layer-recombination
// ```
//
// Two copies of one network were fine-tuned, for images turned by 90° and for images turned by 270°.
// [Merging](merging.cpp) would compute with their weights. You can also leave every weight as it is, and build a third
// network from whole blocks: the first ones from one copy, the others from the other copy. In {numref}`fig-block-switch`
// the slider says after how many blocks the stack changes from the first copy to the second. Nothing is trained. Does a
// network that was put together in this way compute anything useful?
//
// ```{opening} fig-block-switch
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/check.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/turned.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/deep_mlp.hpp>
#include <recto/nn/merge.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Examples, data::Part, data::rolled_down, data::turned, data::turned_back;
using Task = data::ImageTask;
using figure::Figure;

const book::Option<Index> all_steps("steps", 800,
                                    "steps of the training of the base; a fine-tuning "
                                    "takes three eighths of them",
                                    {.quick = 80, .least = 8, .most = 100'000});
const book::Option<Index> tries("tries", 40, "stacks that each search tries",
                                {.quick = 4, .least = 1, .most = 10'000});
const book::Option<int> draws("draws", 3, "bases, each with two fine-tunings",
                              {.quick = 1, .least = 1, .most = 20});
//-

// ## Two blocks and two blocks
//
// In a [residual network](../components/residual_networks.cpp) each block adds something to what it reads. Take the
// smallest ones: a block reads a number $x$ and adds a multiple of it. The first copy has two blocks that add $\frac12 x$
// and $x$. Its output for the input 1 is $1 \cdot \frac32 \cdot 2 = 3$. The blocks of the second copy add $x$ and
// nothing, and its output is $1 \cdot 2 \cdot 1 = 2$. Now take the first block of one copy and the second of the other.
// There are two ways: $\frac32 \cdot 1 = \frac32$, and $2 \cdot 2 = 4$. Both are new functions. The mean of the weights
// is a third one, $\frac74 \cdot \frac32 = 2.625$.
//
// In a network with $D$ blocks let $a_d$ be block number $d$ of the first fine-tuning and $b_d$ that of the second. A
// **recombination** chooses one of them at each place:
//
// $$ x^{(d)} = x^{(d-1)} + f_d\bigl(x^{(d-1)}\bigr), \qquad f_d \in \{a_d, b_d\} . $$
//
// With six blocks this gives $2^6 = 64$ stacks, and two of them are the fine-tunings themselves. Why should a block be of
// any use behind blocks that it has never met? Both fine-tunings began with the same weights and changed them little, so
// $x^{(d-1)}$ is nearly what the block was trained to read. And a residual block only adds a correction. If its input is
// a little off, most of this input still passes by it unchanged.
//
// ## A stack of blocks
//
// Our network is a residual perceptron. A first layer reads an image of $14 \times 14$ pixels and gives 64 numbers. Six
// blocks follow, each a ReLU and a matrix of $64 \times 64$ weights, and then a last layer. Fine-tuning changes only the
// blocks. So the first and the last layer are those of the base in each copy, and any blocks can stand between them, as
// long as their shapes fit. The function that builds a network from blocks tests this before it looks at any image:
nn::DeepMlp stack(const nn::DeepMlp& base,
                  const std::vector<nn::DeepMlp::Block>& blocks) {
    const Index width = base.enter.weight.size(0);
    nn::DeepMlp net = base;
    net.blocks.clear();
    for (const nn::DeepMlp::Block& block : blocks) {
        const Tensor& w = std::get<1>(block.parts).weight;
        check(w.shape() == Shape{width, width},
              "stack: wanted a block of shape {} at place {}, got {}",
              Shape{width, width}, net.blocks.size() + 1, w.shape());
        net.blocks.push_back(block);
    }
    return net;
}
//- images, training, and the two fine-tunings
constexpr std::size_t depth = 6;
constexpr Index width = 64;

Examples images(Part part, Index from, Index to) {
    Examples some = data::slice(data::fashion_mnist(part), from, to);
    some.x = avg_pool2d(some.x, 2);
    return some;
}
Tensor inputs(const Tensor& x) { return (flatten(x) - 0.286) / 0.353; }
Examples with(const Examples& some, Task task) {
    return {inputs(task(some.x)), some.labels, {}, {}};
}

void train(const nn::DeepMlp& net, const NamedTensors& changed, const Examples& set,
           Index count, double rate, Generator& random) {
    optim::Adam adam(changed, {.lr = rate});
    for (Index step = 0; step < count; ++step) {
        const Integers which = random.integers({64}, 0, set.size());
        const Examples batch = data::select(set, {which.data(), 64});
        adam.zero_grad();
        cross_entropy(net(batch.x), batch.labels).backward();
        adam.step();
    }
}

double accuracy_of(const nn::DeepMlp& net, const Examples& set) {
    const NoGrad only_asking;
    return nn::accuracy(net(set.x), set.labels);
}

// The mixed task: as many images turned by 90° as by 270°.
struct Mixed {
    Examples first, second;
    double operator()(const nn::DeepMlp& net) const {
        return (accuracy_of(net, first) + accuracy_of(net, second)) / 2;
    }
};
Mixed mixed(const Examples& some) {
    return {with(some, turned), with(some, turned_back)};
}

struct Family {
    nn::DeepMlp base, first, second;
};
Family raise(const Examples& lessons, Generator& random) {
    const std::array<Task, 3> changes = {turned, turned_back, rolled_down};
    const nn::DeepMlp base({196, width, Index(depth), 10}, true, random);
    const Examples upright = data::mostly_upright(lessons, changes, 3, random);
    train(base, nn::parameters(base), with(upright, data::upright), all_steps(), 2e-3,
          random);
    const auto tuned = [&](Task task) {
        const nn::DeepMlp net = nn::clone(base);
        NamedTensors changed = nn::parameters(net);
        std::erase_if(changed, [](const NamedTensor& p) {
            return !p.name.starts_with("blocks");
        });
        train(net, changed, with(lessons, task), all_steps() * 3 / 8, 1e-3, random);
        return net;
    };
    const nn::DeepMlp first = tuned(turned), second = tuned(turned_back);
    return {base, first, second};
}

void shapes() {
    Generator random(book::seed());
    const nn::DeepMlp base({4, 8, 2, 3}, true, random),
        wider({4, 12, 2, 3}, true, random);
    std::string message;
    try {
        stack(base, {base.blocks[0], wider.blocks[1]});
    } catch (const Error& error) {
        message = error.what();
    }
    claim_true(
        "sys-layer-recombination/b",
        "a block of a wider network is rejected, with its place and both shapes",
        message == "stack: wanted a block of shape (8, 8) at place 2, got (12, 12)");
    say("{}", message);
}
//-

// ## Search at random
//
// Which stack is the best for a **mixed task**, in which half of the images are turned by 90° and half by 270°? You
// could try all 62 new ones. Deeper networks have far too many, and there a **random search** helps: draw stacks at
// random, judge each on validation images, and keep the best.
//- stacks as lists of numbers: 0 to 5 are the blocks of the first fine-tuning, 6 to 11 those of the second
using Places = std::vector<std::size_t>;

nn::DeepMlp from(const Family& family, const Places& places) {
    std::vector<nn::DeepMlp::Block> blocks;
    for (const std::size_t k : places)
        blocks.push_back(k < depth ? family.first.blocks[k]
                                   : family.second.blocks[k - depth]);
    return stack(family.base, blocks);
}

struct Found {
    Places places;
    double accuracy = -1;                               // on validation images
    std::vector<std::pair<Places, double>> tried = {};  // with the accuracy of each
};
//-
Found search(const Family& family, const Mixed& validation, auto&& draw) {
    Found best;
    for (Index i = 0; i < tries(); ++i) {
        const Places places = draw();
        const double accuracy = validation(from(family, places));
        best.tried.emplace_back(places, accuracy);
        if (accuracy > best.accuracy) best.places = places, best.accuracy = accuracy;
    }
    return best;
}

// We search twice. In the first search each block keeps its place, and only its origin is drawn. In the second search
// every place gets any of the twelve blocks. Then a block may stand anywhere, and may appear twice.
//- how a stack is drawn, in two ways
Places same_place(Generator& random) {
    while (true) {
        Places places;
        Index second = 0;
        for (std::size_t k = 0; k < depth; ++k) {
            const Index origin = random.next_integer(0, 2);
            places.push_back(k + std::size_t(origin) * depth), second += origin;
        }
        if (second > 0 && second < Index(depth)) return places;  // not a fine-tuning
    }
}
Places any_order(Generator& random) {
    Places places;
    for (std::size_t k = 0; k < depth; ++k)
        places.push_back(std::size_t(random.next_integer(0, 2 * Index(depth))));
    return places;
}
//-

//- one draw of the experiment, and how the figures are drawn
struct Draw {
    Family family;
    Found kept, free;
    std::vector<std::array<double, 2>> switched;  // accuracy on both tasks
    std::array<double, 2> parents;                // on validation images
    double base, first, second, mean, twelve, best_kept, best_free;

    const Found& better() const { return kept.accuracy >= free.accuracy ? kept : free; }
    double best() const {
        return kept.accuracy >= free.accuracy ? best_kept : best_free;
    }
};

// The mean of the weights at the share that validation images like best.
nn::DeepMlp mean_of(const Family& family, const Mixed& validation) {
    const NamedTensors way =
        nn::difference(nn::state(family.second), nn::state(family.first));
    nn::DeepMlp best = nn::clone(family.first);
    double most = -1;
    for (const double share : {0.3, 0.4, 0.5, 0.6, 0.7}) {
        const nn::DeepMlp net = nn::clone(family.first);
        nn::assign(nn::state(net), nn::plus(nn::state(family.first), way, share));
        const double found = validation(net);
        if (found > most) most = found, best = net;
    }
    return best;
}

Draw run(std::uint64_t number) {
    Generator random(100 * number + book::seed());
    const Family family = raise(images(Part::train, 0, 20'000), random);
    const Mixed validation = mixed(images(Part::train, 50'000, 51'000)),
                test = mixed(images(Part::test, 0, 2000));
    const Found kept = search(family, validation, [&] { return same_place(random); }),
                free = search(family, validation, [&] { return any_order(random); });
    std::vector<std::array<double, 2>> switched;
    for (std::size_t k = 0; k <= depth; ++k) {
        Places places;
        for (std::size_t i = 0; i < depth; ++i) places.push_back(i < k ? i : i + depth);
        const nn::DeepMlp net = from(family, places);
        switched.push_back(
            {accuracy_of(net, test.first), accuracy_of(net, test.second)});
    }
    Places twelve;
    for (std::size_t k = 0; k < depth; ++k) twelve.insert(twelve.end(), {k, k + depth});
    return {family,
            kept,
            free,
            switched,
            {validation(family.first), validation(family.second)},
            test(family.base),
            test(family.first),
            test(family.second),
            test(mean_of(family, validation)),
            test(from(family, twelve)),
            test(from(family, kept.places)),
            test(from(family, free.places))};
}

std::vector<double> each(const std::vector<Draw>& all, auto&& number) {
    std::vector<double> found;
    for (const Draw& one : all) found.push_back(number(one));
    return found;
}

void draw_switch(const std::vector<Draw>& all) {
    std::vector<double> stops;
    std::array<std::vector<double>, 2> accuracy;
    std::vector<double> mean;
    for (std::size_t k = 0; k <= depth; ++k) {
        stops.push_back(double(k));
        for (const std::size_t task : {0, 1})
            accuracy[task].push_back(100 * book::median(each(all, [&](const Draw& one) {
                                         return one.switched[k][task];
                                     })));
        mean.push_back(100 * book::median(each(all, [&](const Draw& one) {
                           return (one.switched[k][0] + one.switched[k][1]) / 2;
                       })));
    }
    Figure figure("fig-block-switch");
    figure
        .describe(
            "Bars for the accuracy on images turned by 90° and by 270° and for the "
            "mixed task, and three curves of the accuracy against the number of blocks "
            "from the first fine-tuning, 0 to 6. The slider sets this number. One "
            "curve rises, one falls, and that of the mixed task is highest in the "
            "middle.")
        .slider("blocks", stops, "blocks from the first fine-tuning", 3)
        .panel("accuracy of the stack, %");
    for (std::size_t k = 0; k <= depth; ++k)
        figure.at(double(k)).bars("", {"turned by 90°", "turned by 270°", "mixed"},
                                  {accuracy[0][k], accuracy[1][k], mean[k]},
                                  {.color = figure::blue});
    figure.always()
        .x("test images")
        .y("accuracy, %")
        .ylim(0, 100)
        .panel("against the blocks from the first")
        .line("turned by 90°", stops, accuracy[0])
        .line("turned by 270°", stops, accuracy[1])
        .line("mixed", stops, mean);
    for (const double stop : stops) figure.at(stop).rule_x(stop, "");
    figure.always()
        .x("blocks from the first fine-tuning")
        .y("accuracy, %")
        .ylim(0, 100)
        .save(
            "Six blocks, of which the first ones are from the fine-tuning for images "
            "turned by 90° and the others from that for images turned by 270°. With 6 "
            "or 0 blocks from the first, the stack is one of the two fine-tunings. "
            "Accuracy on 2,000 test images of each kind, medians of the draws.");
}
//-

// Before the results, place your bet. There are about three million stacks of any blocks in any order, and the stacks
// whose blocks keep their places are among them.
//- the question, the table, what is checked, and how the figure is drawn
void results(const std::vector<Draw>& all) {
    const auto kept = each(all, [](const Draw&d) { return d.best_kept; }),
               free = each(all, [](const Draw&d) { return d.best_free; });
    const double lead = book::median(kept) - book::median(free);
    ask("Both searches try the same number of stacks. Whose best stack is better on "
        "test images of the mixed task?",
        {{"That of the free search: it has many more stacks to choose from, and the "
          "best "
          "of them cannot be worse.",
          lead <= -0.02,
          "The best of all three million cannot be worse. But a search that tries a "
          "few "
          "dozen finds one of the good ones only if they are frequent."},
         {"That of the search in which blocks keep their places.", lead >= 0.02,
          "Nearly all of its stacks are good, because each block reads roughly what it "
          "was "
          "trained to read. In any order, good stacks are rare, and a short random "
          "search does not meet them."},
         {"Neither: order does not matter much in a residual network.",
          lead > -0.02 && lead < 0.02,
          "Each block adds a correction to a stream that stays nearly the same, "
          "whatever the order."}});
    std::vector<std::vector<book::Cell>> rows;
    const auto row = [&](const char* words, auto&& number) {
        rows.push_back({words, book::brief(over_seeds(each(all, number)))});
    };
    row("the base", [](const Draw& d) { return d.base; });
    row("fine-tuning for 90°", [](const Draw& d) { return d.first; });
    row("fine-tuning for 270°", [](const Draw& d) { return d.second; });
    row("best stack, blocks keep their places",
        [](const Draw& d) { return d.best_kept; });
    row("best stack, any order", [](const Draw& d) { return d.best_free; });
    row("mean of the weights", [](const Draw& d) { return d.mean; });
    row("all twelve blocks, in turn", [](const Draw& d) { return d.twelve; });
    book::table("recombined",
                "Accuracy on the mixed task, 4,000 test images of which half are "
                "turned by 90° and half by 270°.",
                {"network", "accuracy"}, rows);
    for (const Draw& one : all) {
        std::string words;
        for (const std::size_t k : one.better().places)
            words += fmt::format(" {}{}", k < depth ? 'a' : 'b', k % depth + 1);
        say("best stack of both searches:{}; {:.3f} on validation images, {:.3f} on "
            "test images",
            words, one.better().accuracy, one.best());
    }
    const auto share = [&](Found Draw::*which) {
        return book::brief(over_seeds(each(all, [&](const Draw& d) {
            double better = 0;
            for (const auto& [places, accuracy] : (d.*which).tried)
                better += accuracy > std::max(d.parents[0], d.parents[1]);
            return better / double((d.*which).tried.size());
        })));
    };
    say("share of the stacks that beat both fine-tunings on validation images: {} "
        "where "
        "blocks keep their places, {} in any order",
        share(&Draw::kept), share(&Draw::free));
    claim(
        "sys-layer-recombination/a",
        "accuracy on the mixed task: the best stack that both searches found, less "
        "the better of both fine-tunings",
        over_seeds(each(
            all, [](const Draw& d) { return d.best() - std::max(d.first, d.second); })),
        ">=", 0);
}

void draw_stacks(const Draw& one) {
    Figure figure("fig-stacks");
    figure.describe(
        "Dots for all stacks of both searches: accuracy on the mixed task against the "
        "number of blocks from the first fine-tuning. Where blocks keep their places "
        "the dots lie together, most of them higher than both fine-tunings. With "
        "blocks "
        "in any order they are spread over lower accuracies.");
    const auto add = [&](const char* label, const Found& found) {
        std::vector<double> x, y;
        for (const auto& [places, accuracy] : found.tried) {
            double from_first = 0;
            for (const std::size_t k : places) from_first += k < depth;
            x.push_back(from_first), y.push_back(100 * accuracy);
        }
        figure.dots(label, x, y);
    };
    add("blocks keep their places", one.kept);
    add("any block at any place", one.free);
    figure.dots("the two fine-tunings", {double(depth), 0},
                {100 * one.parents[0], 100 * one.parents[1]});
    figure.x("blocks from the first fine-tuning")
        .y("accuracy on the mixed task, %")
        .xlim(-0.5, double(depth) + 0.5)
        .save(
            "All stacks that both searches tried, for the first draw: accuracy on "
            "2,000 validation images, half of them turned by 90° and half by 270°. The "
            "fine-tunings stand at 6 and at 0 blocks from the first.");
}
//-

// Each fine-tuning is good at its own kind of image and bad at the other kind. Nearly every stack whose blocks keep their
// places beats both on the mixed task. It gives up a part of what one fine-tuning knew, and wins a larger part of what
// the other knew. The best stacks take three blocks from each. So the search had an easy task, and a few tries
// would do. {numref}`fig-stacks` shows how different the second search is. In any order a block reads what it was
// never trained to read, and hardly one of these stacks beats both fine-tunings.
//
// Compare the accuracies on validation images and on test images that the program prints. The best of many numbers is
// partly the luckiest one. That is why the search must not see the images on which its result is judged, as with every
// other [choice](../training/protocol.cpp) that is made by trying.
//
// ## Stacks or sums?
//
// The table has two more rows. The mean of the weights needs no search but for its share, which validation images choose
// among five. It is as good as the best stack. That is no surprise after [the page on common bases](common_base.cpp):
// both methods rest on fine-tunings that stayed near one base. But recombination can do two things that a mean
// cannot. It never changes a weight, so a block can be stored once, with [few bits](block_formats.cpp), and used in
// many networks. And the parents need not have equally many blocks.
//
// Can a stack also be deeper than its parents? In the last row all twelve blocks stand in turn, $a_1, b_1, a_2, b_2$ and
// so on. This network is worse than both fine-tunings. A likely reason is that each pair of blocks adds nearly the same
// correction twice.
//
// ## Limits and origins
//
// [An earlier page](../components/many_paths.cpp) takes blocks out of a trained residual network. {cite:t}`veit2016` did
// this first, and exchanged blocks too, and the error rose only little by little. {cite:t}`akiba2024` recombine large
// language models by an evolutionary search. It decides which layer of which model comes next, and by which number the
// input of each layer is scaled. Our network is small, and its two tasks resemble each other. Blocks of two bases that were
// trained apart would not fit together: each would have to read numbers whose meaning it never learned.
//
// ## Summary
//
// A recombination stacks whole blocks of several fine-tunings of one base, without a change of any weight. Blocks that
// keep their places understand each other, because every fine-tuning changed the common stream only a little, and the
// best stack that a random search finds beats both fine-tunings on the mixed task. Blocks in any order rarely do. The
// shapes must fit, and the images that judge the result must not be those of the search.
//
// ## What is missing
//
// Merging and recombination both need the weights of the parents. [The next page](prompting.cpp) leaves all weights alone
// and changes what the network reads.
//
// ```{try}
// - A longer search in any order: `--tries 400`. Does it find a stack as good as those whose blocks keep their places?
// - A longer training: `--steps 3000`. The fine-tunings get better, and move farther. What happens to the stacks?
// ```

void page() {
    std::vector<Draw> all;
    for (int i = 0; i < draws(); ++i) {
        book::progress(i + 1, draws(), "draws");
        all.push_back(run(std::uint64_t(i + 1)));
    }
    draw_switch(all);
    shapes();
    results(all);
    draw_stacks(all[0]);
}
