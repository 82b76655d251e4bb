// # Fixup and learned scales: depth without normalisation
//
// ```{rows} sys-learned-scaling-layer sys-fixup-init
// ```
//
// [Batch normalisation](../components/batch_norm.cpp) does two things at once. It divides by a measured standard deviation,
// and it multiplies by a trained scale. The division makes each sample depend on the other samples of its batch. Can a deep
// network do without it? {numref}`fig-fixup-signal` shows the size of a signal on its way through a residual network before
// training. Move the slider. With He's weights the size explodes, and with batch normalisation it grows slowly. With
// **Fixup** it does not change at all. This page first looks at the scale alone, and then trains 56 layers without
// normalisation.
//
// ```{opening} fig-fixup-signal
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
#include <recto/nn/fixup.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/scale.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<double> drawn("blocks", 16, "blocks of the first figure",
                                 {.least = 1.0, .most = 40.0});
const book::Option<Index> draws("draws", 3, "networks that recover from a wrong scale",
                                {.quick = 1, .least = 1, .most = 10});
const book::Option<Index> images("images", 500, "images that these networks learn",
                                 {.quick = 100, .least = 20, .most = 5000});
const book::Option<Index> patience("patience", 1000,
                                   "steps after which a run is given up",
                                   {.quick = 100, .least = 10, .most = 10'000});
const book::Option<bool> retrain("retrain", true,
                                 "whether two networks of the study are trained again",
                                 {.quick = false});

// Images of 14 by 14 pixels as rows.
Examples clothes(Part part, Index from, Index to) {
    Examples some = data::slice(data::fashion_mnist(part), from, to);
    some.x = (avg_pool2d(some.x, 2) - 0.286) / 0.353;
    return data::flat(some);
}
//-

//- three kinds of blocks, and how the figure is drawn
const Index width = 32;
struct PlainBlock {
    nn::Linear first, second;
    explicit PlainBlock(Generator& random)
        : first(width, width, random, {.weights = nn::he_init}),
          second(width, width, random, {.weights = nn::he_init}) {}
    Tensor operator()(const Tensor& x) const {
        return x + second(relu(first(relu(x))));
    }
    void visit(auto&& part) { part("first", first), part("second", second); }
};
struct NormalisedBlock {
    nn::BatchNorm enter, middle;
    nn::Linear first, second;
    explicit NormalisedBlock(Generator& random)
        : enter(width),
          middle(width),
          first(width, width, random, {.bias = false, .weights = nn::he_init}),
          second(width, width, random, {.weights = nn::he_init}) {}
    Tensor operator()(const Tensor& x) const {
        return x + second(middle.relu(first(enter.relu(x))));
    }
    void visit(auto&& part) {
        part("enter", enter), part("first", first);
        part("middle", middle), part("second", second);
    }
};

// The root of the mean square before the first block and after each.
template <class Block>
std::vector<double> sizes(Tensor h, const std::vector<Block>& blocks) {
    const NoGrad only_looking;
    const auto size = [&] { return std::sqrt(double(mean(h * h).item())); };
    std::vector<double> found = {size()};
    for (const Block& block : blocks) {
        h = block(h);
        found.push_back(size());
    }
    return found;
}

void signal() {
    const std::vector<double> stops = figure::settings(drawn, {2, 4, 8, 16, 28, 40});
    Figure figure("fig-fixup-signal");
    figure
        .describe(
            "The size of a signal, on a logarithmic axis, against the block that it "
            "has "
            "passed, three lines. With He's weights it grows exponentially, with batch "
            "normalisation slowly, and with Fixup it stays at one. A slider sets the "
            "number of blocks.")
        .slider(drawn, stops, "residual blocks");
    for (const double stop : stops) {
        Generator random(book::seed());
        const Tensor x = random.normal({200, width});
        const Index many = Index(stop);
        std::vector<PlainBlock> plain;
        std::vector<NormalisedBlock> normalised;
        std::vector<nn::FixupBlock> fixup;
        std::vector<double> place = {0};
        for (Index k = 0; k < many; ++k) {
            plain.emplace_back(random), normalised.emplace_back(random);
            fixup.emplace_back(width, many, random);
            place.push_back(double(k + 1));
        }
        const std::vector<double> grown = sizes(x, plain);
        if (stop == 28)
            say("28 blocks with He's weights: the signal has {:.0f} times its size",
                grown.back() / grown.front());
        figure.at(stop)
            .line("He's weights", place, grown, {.color = figure::red, .points = false})
            .line("batch normalisation", place, sizes(x, normalised),
                  {.color = figure::ochre, .points = false})
            .line("Fixup", place, sizes(x, fixup),
                  {.color = figure::blue, .points = false});
    }
    figure.always()
        .x("after block (0: the input)")
        .y("root mean square of the signal")
        .log_y()
        .save(
            "The size of a signal in three residual networks of width 32 before "
            "training: with He's weights, with batch normalisation in each block, and "
            "with Fixup. Two hundred random samples.");
}
//-

// ## A scale is one weight for all weights
//
// Take batch normalisation and leave out the division. What remains is $s\,z + b$, a trained scale and a trained offset
// for the outputs $z$ of a layer. The library calls it {cpp:class}`~recto::nn::Scale`. After a dense layer it computes
// nothing new, because
//
// $$ s\,(W x) + b = (sW)\, x + b . $$
//
// With $W = (3, 4)$ and $s = 2$ the layer is the same as one with the weights $(6, 8)$. So the scale does not change what
// a network can compute. It changes how gradient descent moves. Let $g$ be the gradient of the loss with respect to the
// product $V = sW$. The chain rule gives $sg$ for the weights and $W \cdot g$ for the scale, and after a step of rate
// $\eta$ the product has changed by
//
// $$ \Delta V \approx -\eta\, \bigl( s^2 g + (W \cdot g)\, W \bigr) . $$
//
// The first term is the usual step. The second one moves along $W$ itself, and it is $\lVert W \rVert^2$ times as long as
// the part of $g$ that points along $W$. For the weights $(3, 4)$ this factor is 25. If the layer is a hundred times too
// large, with the weights $(300, 400)$, it is 250,000: the scale shrinks all weights together, long before any of them
// has moved on its own.
//
// We test this. A network with 16 hidden units learns 500 images of clothes until its loss is 0.5. Then the weights and
// biases of its hidden layer are multiplied by 100. How many steps of gradient descent does it need until its loss is
// within 10 % of the old one? A rate that suits one network may not suit the other, so each has the best of thirteen
// rates. A run of 1,000 steps without success is given up, and counts as 1,000:
struct Classifier {
    nn::Linear hidden, classify;
    std::optional<nn::Scale> scale;  // one number, behind the hidden layer
    Tensor operator()(const Tensor& x) const {
        const Tensor z = hidden(x);
        return classify(relu(scale ? (*scale)(z) : z));
    }
    void visit(auto&& part) {
        part("hidden", hidden), part("classify", classify);
        if (scale) part("scale", *scale);
    }
};
//- gradient descent with thirteen rates
// The losses of gradient descent, up to the first that is small enough, or until it is given up.
std::vector<double> descend(const Classifier& net, const Examples& some, double rate,
                            double enough, Index most) {
    optim::Sgd sgd(nn::parameters(net), {.lr = rate});
    const auto loss = [&] { return cross_entropy(net(some.x), some.labels); };
    std::vector<double> found;
    while (Index(found.size()) < most) {
        found.push_back(double(optim::train_step(sgd, loss).item()));
        if (!(found.back() > enough)) break;  // small enough, or NaN
    }
    return found;
}

// The losses with the rate that needs fewest steps. Runs that are already longer are stopped; without a
// recovery, those of the last rate.
std::vector<double> recover(const Classifier& healthy, double factor, bool scaled,
                            const Examples& some, double enough) {
    std::vector<double> best, losses;
    for (const double rate :
         {0.1, 0.2, 0.05, 0.5, 0.02, 1., 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4}) {
        Classifier net = nn::clone(healthy);
        if (scaled) net.scale.emplace(1, nn::ScaleOptions{.bias = false});
        for (Tensor t : {net.hidden.weight, net.hidden.bias})
            t.copy_(t.detach() * factor);
        const Index most = best.empty() ? patience() : Index(best.size()) - 1;
        losses = descend(net, some, rate, enough, most);
        if (losses.back() <= enough) best = losses;
    }
    return best.empty() ? losses : best;
}
//-

//- what is checked, the question, and how the figure is drawn
void same_layer() {
    Generator random(book::seed());
    double worst = 0;
    for (const Index units :
         {Index(1), Index(24)}) {  // one scale, and one for each unit
        const nn::Linear layer(50, 24, random);
        nn::Scale scale(units);
        scale.weight = random.normal({units}), scale.bias = random.normal({units});
        nn::Linear both = layer;
        both.weight = layer.weight * reshape(scale.weight, {units, 1});
        both.bias = layer.bias * scale.weight + scale.bias;
        const Tensor x = random.normal({100, 50}), want = both(x);
        worst = std::max(worst, double(max(abs(scale(layer(x)) - want)).item()) /
                                    double(max(abs(want)).item()));
    }
    claim(
        "sys-learned-scaling-layer/a",
        "a scale behind a dense layer against the layer with rescaled weights, largest "
        "difference relative to the largest output",
        worst, "<=", 1e-6);
}

void recovery() {
    const std::vector<double> factors = {0.01, 0.1, 10, 100};
    std::vector<double> ratios, plain_steps, scaled_steps;
    double small_ratio = 0;
    Figure figure("fig-scale-recovery");
    figure
        .describe(
            "The loss against the step of gradient descent, on logarithmic axes, for a "
            "network with a trained scale and one without. A slider sets by which "
            "factor "
            "the hidden layer is wrong. At 100 and at 10 the line of the network with "
            "a "
            "scale falls much earlier. At 0.1 and at 0.01 both fall at about the same "
            "step.")
        .slider("factor", factors, "hidden layer times", 100);
    for (std::uint64_t draw = 1; draw <= std::uint64_t(draws()); ++draw) {
        Generator random(100 * book::seed() + draw);
        const Examples some =
            clothes(Part::train, images() * Index(draw), images() * Index(draw + 1));
        const Classifier healthy{
            nn::Linear(some.x.size(1), 16, random, {.weights = nn::he_init}),
            nn::Linear(16, 10, random),
            {}};
        const double enough = 1.1 * descend(healthy, some, 0.1, 0.5, 1000).back();
        for (const double factor : factors) {
            if (factor != 100 && draw > 1) continue;
            const std::vector<double> without =
                                          recover(healthy, factor, false, some, enough),
                                      with =
                                          recover(healthy, factor, true, some, enough);
            const double ratio = double(without.size()) / double(with.size());
            if (factor == 100) {
                ratios.push_back(ratio);
                plain_steps.push_back(double(without.size()));
                scaled_steps.push_back(double(with.size()));
            }
            if (draw > 1) continue;
            if (factor == 0.01) small_ratio = ratio;
            figure.at(factor);
            for (const auto* losses : {&without, &with}) {
                std::vector<double> step;
                for (std::size_t k = 0; k < losses->size(); ++k)
                    step.push_back(double(k + 1));
                figure.line(losses == &with ? "with a scale" : "without", step, *losses,
                            {.color = losses == &with ? figure::blue : figure::red,
                             .points = false});
            }
        }
    }
    //-
    ask("With a trained scale the network recovers from a layer that is 100 times too "
        "large at least five times as fast. The next layer is 100 times too *small*. "
        "How "
        "much does the scale help now?",
        {{"As much as before: the scale has the same way to go, in the other "
          "direction.",
          small_ratio >= 5,
          "On a logarithmic axis the way is the same. Gradient descent does not walk "
          "on a "
          "logarithmic axis."},
         {"Less than five times as fast.", small_ratio > 0.5 && small_ratio < 5,
          "The step of the scale is proportional to the size of the weights. Small "
          "weights give the scale a small gradient."},
         {"Not at all, the network with a scale never recovers.", small_ratio <= 0.5,
          "The scale adds a direction to move in, and takes none away."}});
    //- what is printed
    figure.always().x("step").y("loss").log_axes().save(
        "The loss after the hidden layer was multiplied by a factor, with and without "
        "a trained scale behind the layer, each at the best of thirteen learning "
        "rates. A line ends where the loss is within 10 % of what it was before. The "
        "first draw.");
    say("100 times too large: {} steps with a scale, {} without",
        book::brief(over_seeds(scaled_steps)), book::brief(over_seeds(plain_steps)));
    say("100 times too small: the network without a scale needs {:.2f} times the steps",
        small_ratio);
    claim(
        "sys-learned-scaling-layer/b",
        "steps to recover from a layer 100 times too large, without a scale over with "
        "one",
        over_seeds(ratios), ">=", 5);
}
//-

// {numref}`fig-scale-recovery` shows the losses for four factors. The scale helps where the formula says so: its step has
// the factor $\lVert W \rVert^2$, so large weights give it large steps and small weights give it small ones. The size of
// the gain depends on how hard the way without a scale is. With 300 images in place of 500 (`--images 300`) the plain
// network recovers earlier, and the ratio is smaller. A network without normalisation profits from scales, and it must not
// rely on them to mend everything. It should begin at the right size.
//
// ## How far one step goes
//
// So how should a deep residual network begin? A block that adds nothing is safe: its last layer starts at zero. Then
// the signal keeps its size for any depth. But the start is only half of the matter. What does the first *step* do?
//
// Take a network of $n$ blocks of width 1. Block $j$ adds $v_j\, a x$ to the signal $x$, with a first weight $a$ that is
// the same everywhere and a last weight $v_j = 0$. Let $x = 1$, and let $g$ be the derivative of the loss with respect to
// the output. The derivative with respect to $v_j$ is $a g$. A step of gradient descent sets $v_j = -\eta\, a g$, so each
// block now adds $-\eta\, a^2 g$, and all of them together add $-\eta\, n a^2 g$. With $n = 100$ and $a = 1$ the output
// moves a hundred times as far as with one block. With $a = 1/10$ it moves exactly as far as with one block. So
// $a = 1/\sqrt n$ makes the length of a step independent of depth. In general a branch of $m$ layers has $m - 1$ weights
// in front of the last one, each multiplied by $c$. Then $n\, c^{2(m-1)} = 1$, and
//
// $$ c = n^{-\frac{1}{2m - 2}} . $$
//
// This is **Fixup** {cite:p}`zhang2019fixup`, in three rules. The last layer of each branch and the classifier start at
// zero. The other layers of a branch start as He's, multiplied by $c$. And each branch gets a trained scale, initially 1,
// and trained offsets, initially 0, in front of its layers and activation functions; each is a single number. The scales
// do what the $\gamma$ of batch normalisation does. With $m = 2$ a branch is:
Tensor branch(const nn::FixupBlock& block, const Tensor& x) {
    const std::vector<Tensor>& b = block.biases;
    const Tensor read = relu(x + b[0]) + b[1];
    const Tensor middle = relu(linear(read, block.first.weight) + b[2]) + b[3];
    return linear(middle, block.second.weight) * block.scale + b[4];
}

// Does the small calculation hold for networks of width 32 with ReLUs? Place your bet:
//- the question, and how the figure is drawn
template <class Block>
struct Tower {
    nn::Linear enter;
    std::vector<Block> blocks;
    nn::Linear leave;
    std::optional<nn::BatchNorm> last = {};  // normalises what the classifier reads
    Tensor operator()(const Tensor& x) const {
        Tensor h = enter(x);
        for (const Block& block : blocks) h = block(h);
        return leave(last ? last->relu(h) : relu(h));
    }
    void visit(auto&& part) {
        part("enter", enter), part("blocks", blocks), part("leave", leave);
        if (last) part("last", *last);
    }
};

// Fixup if `with_factor`; else the same without the factor in front of He's weights.
Tower<nn::FixupBlock> fixup_tower(Index blocks, bool with_factor, nn::Init last,
                                  Generator& random) {
    Tower<nn::FixupBlock> net{
        nn::Linear(196, width, random, {.weights = nn::lecun_init}),
        {},
        nn::Linear(width, 10, random, {.weights = last})};
    for (Index k = 0; k < blocks; ++k)
        net.blocks.emplace_back(width, with_factor ? blocks : 1, random);
    return net;
}

// How far one step on the weight matrices of the blocks moves the scores, root mean square.
double moved(Index blocks, bool with_factor, double rate, const Examples& some) {
    Generator random(book::seed());
    const Tower<nn::FixupBlock> net =
        fixup_tower(blocks, with_factor, nn::lecun_init, random);
    const Tensor before = net(some.x);
    NamedTensors matrices;
    for (const nn::FixupBlock& block : net.blocks)
        for (const nn::Linear* layer : {&block.first, &block.second})
            matrices.push_back({std::to_string(matrices.size()), layer->weight});
    optim::Sgd sgd(matrices, {.lr = rate});
    cross_entropy(before, some.labels).backward();
    sgd.step();
    const NoGrad only_looking;
    const Tensor change = net(some.x) - before.detach();
    return std::sqrt(double(mean(change * change).item()));
}

void one_step() {
    const std::vector<double> rates = {0.001, 0.01, 0.1};
    const std::vector<double> many = {1, 2, 4, 8, 16, 32, 64};
    const Examples some = clothes(Part::train, 0, 200);
    Figure figure("fig-fixup-step");
    figure
        .describe(
            "How far one step of gradient descent moves the scores, against the number "
            "of "
            "blocks, on logarithmic axes. The line of Fixup is level. Without the "
            "factor "
            "the line rises in proportion to the number of blocks. A slider sets the "
            "learning rate.")
        .slider("rate", rates, "learning rate", 0.01);
    double growth = 0, level = 0;
    for (const double rate : rates) {
        std::vector<double> far[2];
        for (const int with : {0, 1})
            for (const double n : many)
                far[with].push_back(moved(Index(n), with == 1, rate, some));
        if (rate == 0.001) {
            growth = far[0].back() / far[0][2];
            level = far[1].back() / far[1][2];
        }
        figure.at(rate)
            .line("He's first layers", many, far[0], {.color = figure::red})
            .line("Fixup", many, far[1], {.color = figure::blue});
    }
    ask("A residual network starts with zeros in the last layer of each branch, and "
        "with "
        "He's weights in the first. Its signal has the same size at any depth. How "
        "much "
        "farther do the scores move in one step of the same small rate with 64 blocks "
        "than with 4?",
        {{"As far: the network computes the same.", growth < 2,
          "It computes the same before the step. In the step each block learns to add "
          "something."},
         {"About 4 times as far, the root of 16.", growth >= 2 && growth < 8,
          "A root would come from random directions. All blocks get the same gradient "
          "and move in similar directions."},
         {"About 16 times as far.", growth >= 8,
          "Each block adds about as much, and all in the direction that lowers the "
          "loss."}});
    figure.always()
        .x("blocks")
        .y("change of the scores")
        .log_axes()
        .ylim(1e-4, 100)
        .save(
            "Root mean square change of the scores in one step of gradient descent on "
            "the "
            "weight matrices of all blocks, 200 images. With the factor of Fixup the "
            "step "
            "is as long at any depth.");
    claim("", "64 blocks against 4 without the factor: how much farther one step goes",
          growth, ">=", 12);
    claim("", "the same with the factor", std::abs(std::log2(level)), "<", 0.5);
    say("64 blocks against 4, one step goes {:.1f} times as far without the factor, "
        "and "
        "{:.2f} times as far with it",
        growth, level);
}
//-

// {numref}`fig-fixup-step` agrees with the calculation. Without the factor a step of 64 blocks goes nearly as many times
// farther as there are more blocks, and a deeper network would need a smaller learning rate. With the factor the same rate
// suits both.
//
// ## Fifty-six layers
//
// Now we train. Three networks have 28 blocks of two layers, so 56 residual layers of width 32, two more than a
// ResNet-56 has in its blocks, but dense ones. They learn 3,000 images of clothes with momentum for ten epochs. The first
// is Fixup, the second has batch normalisation in front of each ReLU, also of the last one before the classifier, and the
// third is Fixup without its factor. Each network has the best of six rates, judged by 1,000 other images:
//- how a network is trained, and the study
const Index depth = 28, batch = 50, epochs = 10, lessons_kept = 3000;
template <class Block>
Study::Row learn(Tower<Block> net, double rate, Generator& random) {
    const Examples lessons = clothes(Part::train, 0, lessons_kept),
                   others = clothes(Part::train, lessons_kept, lessons_kept + 1000),
                   test = clothes(Part::test, 0, 2000);
    optim::Sgd sgd(nn::parameters(net), {.lr = rate, .momentum = 0.9});
    const double steps = double(epochs * lessons_kept / batch);
    bool broken = false;
    for (double step = 0; step < steps && !broken;)
        for (const Examples& some : Batches(lessons, batch, random)) {
            sgd.options.lr = rate * (1 - step++ / steps);
            const Tensor loss = optim::train_step(
                sgd, [&] { return cross_entropy(net(some.x), some.labels); });
            broken = broken || !std::isfinite(double(loss.item()));
            if (broken) break;
        }
    if (broken) return {0, 0, 0};
    nn::set_training(net, false);
    const NoGrad only_looking;
    Study::Row judged;
    for (const Examples* set : {&others, &test, &lessons})
        judged.push_back(nn::accuracy(net(set->x), set->labels));
    return judged;
}

enum Kind { fixup, normalised, no_factor };
Study::Row train_one(const Study::Row& cell) {
    const Kind kind = Kind(int(cell[0]));
    Generator random(100 * book::seed() + std::uint64_t(cell[2]));
    if (kind != normalised)
        return learn(fixup_tower(depth, kind == fixup, nn::zeros_init, random), cell[1],
                     random);
    Tower<NormalisedBlock> net{
        nn::Linear(196, width, random, {.weights = nn::lecun_init}),
        {},
        nn::Linear(width, 10, random, {.weights = nn::lecun_init})};
    for (Index k = 0; k < depth; ++k) net.blocks.emplace_back(random);
    net.last.emplace(width);
    return learn(net, cell[1], random);
}
const std::vector<double> rates = {0.003, 0.01, 0.03, 0.1, 0.3, 1};
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const Kind kind : {normalised, fixup, no_factor})
        for (const double rate : rates)
            for (const double draw : {1., 2., 3.})
                cells.push_back({double(kind), rate, draw});
    return cells;
}
const Study study({"without_normalisation",
                   {"kind", "rate", "draw"},
                   {"validation", "test", "train"},
                   {"sys-fixup-init/b"},
                   0.01},
                  all_cells(), train_one);
//-

//- what is checked, and how the figure is drawn
void identity() {
    Generator random(book::seed());
    const Tower<nn::FixupBlock> net = fixup_tower(depth, true, nn::lecun_init, random);
    const Tensor h = net.enter(clothes(Part::test, 0, 100).x);
    Tensor through = h;
    for (const nn::FixupBlock& block : net.blocks) through = block(through);
    claim_true("sys-fixup-init/a",
               "28 fresh blocks return the signal that they are given, to the bit",
               through.values() == h.values());
    nn::FixupBlock block(width, depth, random);
    block.second.weight = random.normal({width, width});
    for (Tensor& b : block.biases) b = random.normal({1});
    block.scale = random.normal({1});
    const Tensor want = block.branch(h);
    claim("", "the branch above against the library's, largest relative difference",
          double(max(abs(branch(block, h) - want)).item()) /
              double(max(abs(want)).item()),
          "<=", 1e-6);
}

void trained() {
    const char* names[] = {"Fixup", "batch normalisation", "Fixup without its factor"};
    const figure::Color colors[] = {figure::blue, figure::ochre, figure::red};
    std::vector<double> test[3], train[3];
    double best_rates[3] = {};
    Figure figure("fig-fixup-trained");
    figure.describe(
        "Test accuracy against the learning rate, on a logarithmic axis, for three "
        "kinds "
        "of networks and three draws each.");
    for (const Kind kind : {fixup, normalised, no_factor}) {
        std::vector<std::vector<double>> curves(3);
        double highest = -1, chosen = 0;
        for (const double rate : rates) {
            double total = 0;
            for (const Study::Row& row : study.frozen().rows)
                if (row[0] == double(kind) && row[1] == rate) {
                    total += row[3];
                    curves[std::size_t(row[2]) - 1].push_back(row[4]);
                }
            if (total > highest) highest = total, chosen = rate;
        }
        best_rates[kind] = chosen;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(kind) && row[1] == chosen) {
                test[kind].push_back(row[4]), train[kind].push_back(row[5]);
            }
        figure.lines(names[kind], rates, curves, {.color = colors[kind]});
        say("{}: the best rate is {}, test accuracy {}, training accuracy {}",
            names[kind], chosen, book::brief(over_seeds(test[kind])),
            book::brief(over_seeds(train[kind])));
    }
    figure.x("learning rate")
        .y("test accuracy")
        .log_x()
        .ylim(0, 1)
        .save(
            "Test accuracy of networks of 56 residual layers against the learning "
            "rate, "
            "three draws each. A network whose loss became infinite counts as 0.");
    std::vector<double> gaps;
    for (std::size_t i = 0; i < test[fixup].size(); ++i)
        gaps.push_back(test[normalised][i] - test[fixup][i]);
    claim(
        "sys-fixup-init/b",
        "56 residual layers: test accuracy with batch normalisation less that of Fixup",
        over_seeds(gaps), "<=", 0.02);
    if (!retrain()) return;
    for (const Kind kind : {fixup, normalised}) {
        const Study::Row again = study.measure({double(kind), best_rates[kind], 1});
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(kind) && row[1] == best_rates[kind] && row[2] == 1)
                claim("",
                      "the test accuracy of a network that was trained again, against "
                      "the kept one",
                      std::abs(again[1] - row[4]), "<=", 0.01);
    }
}
//-

// {numref}`fig-fixup-trained` shows all rates. At its best rate Fixup reaches the test accuracy of batch normalisation, and
// its training accuracy is a little lower. This is a short training of narrow dense networks. What we set out to see is no
// more than that: 56 layers without normalisation train, and lose nothing here. Batch normalisation bears larger rates: at
// 0.3 it is about as accurate as at 0.1, and even at 1 it still trains. Fixup fails at both.
//
// The network without the factor is as good as Fixup at small rates. At the rate 0.1 it shows what the calculation
// predicts: its steps are too long, and two of three draws fail where all three of Fixup train. The factor does not raise
// the accuracy. It makes a rate safe that is three times as large. At 0.3 both networks without normalisation fail.

void page() {
    signal();
    same_layer();
    recovery();
    one_step();
    identity();
    trained();
}

// ## Limits and origins
//
// The calculation follows the weight matrices for one step from the start. It says nothing of later steps, when the last
// layers are no longer zero. The offsets are outside it as well: the last one of each branch reaches the output directly,
// and $n$ of them move together. And batch normalisation does more than keep sizes: the noise of its batches also
// regularises. For photographs,
// {cite:t}`zhang2019fixup` needed stronger regularisation to come near the accuracy of batch normalisation.
//
// ## Summary
//
// A trained scale behind a layer computes nothing new, but it can shrink a layer that is far too large in a few steps. Fixup
// starts each residual branch at zero, and multiplies the weights in front of its last layer by $n^{-1/(2m-2)}$, so that a
// gradient step moves the output equally far at any depth. With this start and one scale in each branch, 56 layers
// train without normalisation.
//
// ## What is missing
//
// Pyramids, residual corrections and convolutions so far served one purpose each. [The next page](registration.cpp) puts
// all three into one network, which aligns a map with an aerial image.
//
// ```{try}
// - More blocks in the first figure: `--blocks 40`.
// - Fewer images: `--images 300`. How much does the scale help now?
// ```
