// # Short paths to the loss: residual, dense and highway networks
//
// ```{rows} claim-short-path-to-loss eq-resnet-gradient-sum sys-highway
// ```
//
// A gradient starts at the loss. In a plain network of fifty layers it passes forty-nine matrices before it reaches the
// first layer, and each of them may shrink it or scramble it. [Residual](residual_blocks.cpp), dense, highway and
// Inception networks look different, and all of them train where plain networks of the same depth learn slowly. What do
// they have in common? {numref}`fig-path-lengths` counts, for each layer of five networks, how many layers lie between it
// and the loss on the shortest path. Move the slider, which makes the networks deeper.
//
// ```{opening} fig-path-lengths
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/deep_mlp.hpp>
#include <recto/nn/densenet.hpp>
#include <recto/nn/highway.hpp>
#include <recto/nn/inception.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<double> depth("depth", 16,
                                 "layers with weights of the networks whose paths are "
                                 "counted",
                                 {.least = 8.0, .most = 64.0});
const book::Option<Index> blocks("blocks", 32,
                                 "blocks of the network whose gradient is taken apart",
                                 {.quick = 8, .least = 2, .most = 64});

// Defined further down:
std::vector<Index> distances(const nn::Tape& tape);
struct Terms {
    Tensor direct;                // the gradient that comes straight from the loss
    std::vector<Tensor> through;  // of each block: the gradient that comes through it
    std::vector<Tensor> total;  // before each block, and at the end: the whole gradient
};
Terms terms(const nn::DeepMlp& net, const Examples& some);
//-

//- the five networks
// Whether a step reads a weight matrix or the kernels of a convolution.
bool reads_a_matrix(const nn::Tape& tape, const Step& step) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        const auto leaf = tape.leaves.find(step.inputs[i]);
        if (leaf != tape.leaves.end() && leaf->second.trained > 0 &&
            step.input_shapes[i].dim() >= 2)
            return true;
    }
    return false;
}

Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }  // of all pixels

// A network of highway layers of `width` units between two dense layers.
struct HighwayNet {
    nn::Linear enter;
    std::vector<nn::Highway> layers;
    nn::Linear leave;

    HighwayNet(Index in, Index width, Index count, Index out, Generator& random)
        : enter(in, width, random, {.weights = nn::lecun_init}),
          leave(width, out, random, {.weights = nn::lecun_init}) {
        for (Index d = 0; d < count; ++d) layers.emplace_back(width, random);
    }
    Tensor operator()(const Tensor& x) const {
        Tensor h = enter(x);
        for (const nn::Highway& layer : layers) h = layer(h);
        return leave(h);
    }
    void visit(auto&& part) {
        part("enter", enter), part("layers", layers), part("leave", leave);
    }
};

// Inception blocks, with an auxiliary head after one third and two thirds of them.
struct InceptionNet {
    std::vector<nn::Inception> blocks;
    std::vector<nn::Linear> heads;  // the last one is that of the network

    InceptionNet(Index count, Generator& random) {
        for (Index b = 0; b < count; ++b)
            blocks.emplace_back(nn::InceptionSize{b == 0 ? 1 : 4, 1, 1, 1, 1, 1, 1},
                                random);
        for (int k = 0; k < 3; ++k) heads.emplace_back(4, 10, random);
    }
    // The loss of all heads, or of the last one alone.
    Tensor loss(const Tensor& images, const Integers& labels, bool all_heads) const {
        Tensor x = images, sum_of;
        for (std::size_t b = 1, k = 0; b <= blocks.size(); ++b) {
            x = blocks[b - 1](x);
            if (b * 3 / blocks.size() == (b - 1) * 3 / blocks.size()) continue;
            if (!all_heads && b < blocks.size()) continue;
            const Tensor here = cross_entropy(heads[k](mean(x, {2, 3})), labels);
            const Tensor weighed = b < blocks.size() ? 0.3 * here : here;
            sum_of = k == 0 ? weighed : sum_of + weighed;
            ++k;
        }
        return sum_of;
    }
    void visit(auto&& part) { part("blocks", blocks), part("heads", heads); }
};

// The distances of all layers of a network of about `layers` layers with weights.
enum class Net { plain, residual, highway, dense, inception, one_head };
const char* const net_names[] = {"plain", "residual", "highway", "dense, four blocks",
                                 "Inception, three heads"};

std::vector<Index> distances_of(Net kind, Index layers) {
    Generator random(book::seed());
    const Tensor rows = random.normal({2, 6}), images = random.normal({2, 1, 8, 8});
    const Integers labels({2}, {3, 7});
    const auto of = [&](const auto& model, const Tensor& x) {
        return distances(nn::tape_of(
            model, [&](const auto& m) { return cross_entropy(m(x), labels); }));
    };
    if (kind == Net::plain || kind == Net::residual)
        return of(nn::DeepMlp({6, 5, layers - 2, 10}, kind == Net::residual, random),
                  rows);
    if (kind == Net::highway)
        return of(HighwayNet(6, 5, (layers - 2) / 2, 10, random), rows);
    if (kind == Net::dense) {  // a stem, three transitions and a head besides
        const Index each = std::max(Index(1), (layers - 5) / 4);
        return of(nn::DenseNet({.blocks = {each, each, each, each},
                                .growth = 2,
                                .narrow = 0,
                                .stem = 4,
                                .channels = 1,
                                .classes = 10,
                                .large = false},
                               random),
                  images);
    }
    const InceptionNet net(std::max(Index(3), layers / 2), random);
    return distances(nn::tape_of(net, [&](const InceptionNet& m) {
        return m.loss(images, labels, kind == Net::inception);
    }));
}
//-

//- how the figure is drawn, and what is checked
void path_lengths() {
    const std::vector<double> stops = figure::settings(depth, {8, 16, 32});
    const figure::Color colors[] = {figure::red, figure::blue, figure::green,
                                    figure::ochre, figure::plum};
    const double most = std::ranges::max(stops);
    Figure figure("fig-path-lengths");
    figure
        .describe(
            "Five histograms, one below another: for each distance from the loss, the "
            "share of the layers with weights. The bars of the plain network form a "
            "low carpet from 1 to the depth. Those of the residual and of the highway "
            "network are a single tower at 2. The dense network has bars from 1 to 5. "
            "The bars of the Inception network end at about a third of the depth. A "
            "slider sets the depth.")
        .columns(1)
        .slider(depth, stops, "layers with weights, about");
    for (const Net kind :
         {Net::plain, Net::residual, Net::highway, Net::dense, Net::inception}) {
        figure.panel(net_names[int(kind)]).tall(78);
        for (const double stop : stops) {
            const std::vector<Index> found = distances_of(kind, Index(stop));
            std::vector<double> place, share;
            for (Index at = 1; at <= std::ranges::max(found); ++at) {
                place.push_back(double(at));
                share.push_back(100 * double(std::ranges::count(found, at)) /
                                double(found.size()));
            }
            figure.at(stop).bars("", place, share, {.color = colors[int(kind)]});
        }
        figure.always().xlim(0, most + 1).ylim(0, 100).y("layers, %");
    }
    figure.x("layers with weights on the shortest path to the loss")
        .save(
            "How far the layers are from the loss. Each panel is a histogram over the "
            "layers with weights of one network. Drag the depth: the histogram of the "
            "plain "
            "network widens with every layer. Those of the residual, the highway and "
            "the "
            "dense network stay where they are.");
    book::shows("claim-short-path-to-loss/a", "fig-path-lengths");

    Index not_all = 0, farthest = 0, beyond = 0, narrowed = 0;
    for (Index layers = 3; layers <= 64; ++layers) {
        not_all += std::ranges::max(distances_of(Net::plain, layers)) != layers;
        farthest =
            std::max(farthest, std::ranges::max(distances_of(Net::residual, layers)));
    }
    claim(
        "claim-short-path-to-loss/b",
        "plain networks of 3 to 64 layers whose largest distance is not the number of "
        "layers",
        not_all, "==", 0);
    claim("claim-short-path-to-loss/c",
          "the largest distance in residual networks of 3 to 64 layers", farthest,
          "==", 2);
    Generator random(book::seed());
    const Tensor images = random.normal({2, 1, 16, 16});
    for (std::size_t count = 1; count <= 4; ++count)
        for (const Index layers : {1, 4, 9})
            for (const Index narrow : {0, 8}) {
                const nn::DenseNet net({.blocks = std::vector<Index>(count, layers),
                                        .growth = 2,
                                        .narrow = narrow,
                                        .stem = 4,
                                        .channels = 1,
                                        .large = false},
                                       random);
                const Index most_here =
                    std::ranges::max(distances(nn::tape_of(net, images)));
                if (narrow == 0) beyond += most_here > Index(count) + 1;
                if (narrow > 0) narrowed += most_here != Index(count) + 2;
            }
    claim(
        "claim-short-path-to-loss/d",
        "dense networks of 1 to 4 blocks, one convolution in a layer, with a distance "
        "above the number of blocks plus one",
        beyond, "==", 0);
    claim("",
          "dense networks of 1 to 4 blocks, with a 1 x 1 convolution in each layer, "
          "whose largest distance is not the number of blocks plus two",
          narrowed, "==", 0);
    say("highway network of 64 layers: the largest distance is {}",
        std::ranges::max(distances_of(Net::highway, 64)));
    say("Inception network of 64 layers: {} with three heads, {} with the last one "
        "alone",
        std::ranges::max(distances_of(Net::inception, 64)),
        std::ranges::max(distances_of(Net::one_head, 64)));
}
//-

// ## Counting on the tape
//
// Take four layers, one after another. The gradient of the last layer's weights comes straight from the loss; we say that
// these weights are at **distance** 1. The gradient of the first layer's weights has to pass the matrices of the other
// three layers: distance 4. Now let a [skip connection](../components/skip_connections.cpp) lead around each of the two
// layers in the middle. The gradient of the first layer can use both ways around, so it passes only the last layer, and its
// distance is 2. The same holds for a hundred layers.
//
// So the distance of a layer is the number of layers with weights on its shortest path to the loss, itself included. We
// need no drawing of the network to find it. Each operation of a forward pass leaves a step on the
// [tape](../training/backpropagation.cpp), and the steps know their inputs. A walk from the last step back to the first is a
// breadth-first search: when it reaches a step, all paths from there to the loss have been seen.
std::vector<Index> distances(const nn::Tape& tape) {
    std::map<std::uint64_t, Index> ahead = {{tape.steps.back().id, 0}};
    std::vector<Index> found;
    for (const Step& step : tape.steps | std::views::reverse) {
        Index here = ahead.at(step.id);
        if (reads_a_matrix(tape, step)) found.push_back(++here);
        for (const std::uint64_t input : step.inputs) {
            const auto [at, is_new] = ahead.emplace(input, here);
            at->second = std::min(at->second, here);
        }
    }
    return found;
}

// `ahead` holds for each step the number of layers on the best path found so far. A step that reads a weight matrix, or the
// kernels of a convolution, is a layer and adds one. Scales, biases and ReLUs add nothing: they multiply a gradient by one
// number for each unit and do not mix units.
//
// | network | largest distance |
// |---|---|
// | plain, $D$ layers | $D$ |
// | residual, one layer in a block | 2, the layer and the head |
// | highway | 2, the layer or its gate and the head |
// | dense, $n$ blocks | $n + 1$: the layer, the transitions behind it, at most $n - 1$, and the head |
// | dense, with a $1 \times 1$ convolution in each layer | $n + 2$: the $1 \times 1$ convolution has the other one of its layer before it |
// | Inception with heads at $\frac13$ and $\frac23$, 64 layers | 13, and 34 with the last head alone |
//
// In a **dense block**, each layer reads the results of all layers before it, side by side. So the last layer of the block
// and the first are neighbours, and whatever follows the block reads both. An **Inception** network has no skip connections.
// Its depth is cut by **auxiliary heads**, small classifiers with a loss of their own in the middle of the network
// {cite:p}`szegedy2015`. [The next page](densenet.cpp) builds dense blocks.
//
// ## What the short path carries
//
// A short path helps only if much of the gradient takes it. Let block $d$ of a residual network compute
// $h_{d+1} = h_d + g_d(h_d)$, with $n$ blocks and the loss behind the last of them. Write the signal at the end as a sum,
//
// $$ h_n = h_d + g_d(h_d) + g_{d+1}(h_{d+1}) + \dots + g_{n-1}(h_{n-1}) . $$
//
// If $h_d$ changes a little, the first term changes directly, and the other terms change because blocks read what has
// changed. The total derivative adds these contributions:
//
// ```{equation} eq-resnet-gradient-sum
// :function: terms
// \frac{d\Loss}{dh_d} = \underbrace{\frac{\partial\Loss}{\partial h_d}}_{\text{direct}} + \sum_{j=d}^{n-1}
// \underbrace{\frac{d\Loss}{dh_{j+1}}\, \frac{\partial g_j}{\partial h_j}}_{\text{through block } j}
// ```
//
// A worked example: two blocks, $g_0(h) = 2h$ and $g_1(h) = 3h$, and the loss is the output itself. From $h_0 = 1$ the
// signal becomes 3 and then 12. At the end the derivative is 1, and in the middle it is $1 + 3 = 4$. At the start it is
// $1$ directly, plus $4 \cdot 2 = 8$ through block 0, plus $1 \cdot 3 = 3$ through block 1, together 12. This is right,
// because the network multiplies its input by $3 \cdot 4$.
//
// Place your bet for a deep network:
//- training, and the question
// The share of the direct term: its component along the whole gradient.
std::vector<double> direct_shares(const Terms& of) {
    std::vector<double> found;
    for (const Tensor& total : of.total)
        found.push_back(double(sum(of.direct * total).item()) /
                        double(sum(total * total).item()));
    return found;
}

// The largest relative difference between a gradient and the sum of its terms.
double difference(const Terms& of) {
    double worst = 0;
    Tensor all = of.direct;
    for (std::size_t d = of.through.size(); d-- > 0;) {
        all = all + of.through[d];
        const Tensor off = all - of.total[d];
        worst =
            std::max(worst, std::sqrt(double(sum(off * off).item()) /
                                      double(sum(of.total[d] * of.total[d]).item())));
    }
    return worst;
}
//-

//- the question, and how the figure is drawn
nn::DeepMlp learned(nn::DeepMlp net, const Examples& lessons, Generator& random) {
    optim::Adam adam(nn::parameters(net), {.lr = 1e-3});
    for (int epoch = 0; epoch < (book::quick() ? 1 : 2); ++epoch)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            adam.zero_grad();
            cross_entropy(net(standard(batch.x)), batch.labels).backward();
            adam.step();
        }
    return net;
}

void gradient_sum() {
    const Examples all = data::flat(data::fashion_mnist(Part::train));
    const Examples lessons = data::slice(all, 0, book::quick() ? 500 : 5000),
                   some = data::slice(all, 5000, 5100);
    std::vector<std::vector<double>> fresh, trained;
    std::vector<double> at_start, at_end;
    double worst = 0;
    for (std::uint64_t seed = 0; seed < (book::quick() ? 1 : 3); ++seed) {
        Generator random(10 * book::seed() + seed);
        const nn::DeepMlp net({784, 32, blocks(), 10}, true, random);
        const Terms before = terms(net, some);
        const Terms after = terms(learned(net, lessons, random), some);
        fresh.push_back(direct_shares(before)), trained.push_back(direct_shares(after));
        at_start.push_back(fresh.back()[0]), at_end.push_back(trained.back()[0]);
        worst = std::max({worst, difference(before), difference(after)});
    }
    const double share = book::median(at_start);
    //-
    ask("A residual network of 32 blocks has more than four billion paths from its "
        "first "
        "block to the loss, and one of them passes no block at all. At the start of "
        "training, what share of the first block's gradient comes along this path?",
        {{"Next to nothing: it is one path of four billion.", share < 0.1,
          "Paths through many blocks are many, and each of them is weak: each block on "
          "the way multiplies by a small Jacobian."},
         {"About a third.", share >= 0.1 && share < 0.7,
          "The weights of the blocks are divided by the root of 32, so that all "
          "longer paths together carry less than twice what the direct one carries."},
         {"Nearly all.", share >= 0.7,
          "That would be so if the blocks added nothing. Each adds little, but there "
          "are "
          "32 of them."}});
    //- the figure, and what is checked
    std::vector<double> block;
    for (Index d = 0; d <= blocks(); ++d) block.push_back(double(d));
    Figure figure("fig-direct-share");
    figure
        .describe(
            "The share of the direct term against the block, three lines at the start "
            "of "
            "training and three after it. All lines end at one behind the last block. "
            "At "
            "the start they rise smoothly from about a third at the first block.")
        .lines("at the start", block, fresh, {.color = figure::blue})
        .lines("after training", block, trained, {.color = figure::ochre})
        .x("block d; behind the last block at the right end")
        .y("share of the direct term")
        .save(
            "How much of the gradient with respect to the input of block $d$ comes "
            "straight from the loss: the component of the direct term along the "
            "gradient, "
            "divided by the length of the gradient. Residual networks, three seeds, "
            "100 "
            "images that were not trained on.");
    book::shows("eq-resnet-gradient-sum/a", "fig-direct-share");
    claim("eq-resnet-gradient-sum/b",
          "the gradient against the sum of its direct and indirect terms, largest "
          "relative difference",
          worst, "<=", 1e-6);
    say("share of the direct term at the first block: {} at the start, {} after "
        "training",
        book::brief(over_seeds(at_start)), book::brief(over_seeds(at_end)));
    say("(1 + 1/n)^-n for n = {}: {:.3f}", blocks(),
        std::pow(1 + 1 / double(blocks()), -double(blocks())));
}
//-

// Each kind of term gets backward passes of its own. For the direct term, what the blocks add is held still. For the whole
// gradient everything moves, from $h_d$ on. For an indirect term only block $j$ runs, and it receives the whole gradient
// behind it:
//- a gradient with respect to one tensor, and the network from a block on
Tensor gradient(const Tensor& at, const auto& loss) {
    const Tensor leaf = at.detach().requires_grad_();
    loss(leaf).backward();
    return leaf.grad();
}
std::vector<Tensor> signals(const nn::DeepMlp& net, const Tensor& x) {
    const NoGrad only_looking;
    std::vector<Tensor> h = {net.enter(x)};
    for (const nn::DeepMlp::Block& block : net.blocks)
        h.push_back(net.after(block, h.back()));
    return h;
}
Tensor loss_from(std::size_t d, Tensor h, const nn::DeepMlp& net,
                 const Integers& labels) {
    for (std::size_t j = d; j < net.blocks.size(); ++j) h = net.after(net.blocks[j], h);
    return cross_entropy(net.leave(h), labels);
}
//-
Terms terms(const nn::DeepMlp& net, const Examples& some) {
    const std::vector<Tensor> h = signals(net, standard(some.x));
    const std::size_t n = net.blocks.size();
    const Tensor added = h[n] - h[0];  // by all blocks, held still
    Terms of;
    of.direct = gradient(h[0], [&](const Tensor& x) {
        return loss_from(n, x + added, net, some.labels);
    });
    for (std::size_t d = 0; d <= n; ++d)
        of.total.push_back(gradient(
            h[d], [&](const Tensor& x) { return loss_from(d, x, net, some.labels); }));
    for (std::size_t j = 0; j < n; ++j)
        of.through.push_back(gradient(h[j], [&](const Tensor& x) {
            return sum(net.blocks[j](x) * of.total[j + 1]);
        }));
    return of;
}

// {numref}`fig-direct-share` shows the share at every block. At the first block the direct term carries 0.38 of the gradient
// at the start of training. Each of the $n$ blocks multiplies the squared length of the gradient by about $1 + \frac1n$, so we
// expect $(1 + \frac1n)^{-n} = 0.37$. Training on 5,000 images leaves the short path as important as it was: the share is 0.41
// in the median, and the three seeds lie between 0.33 and 0.44. In a plain network there is no direct term. All of the
// gradient comes through all matrices.
//
// The weights decide how much the short path is worth. With twice as large weights in each block the longer paths would carry
// most of the gradient, as the page on [many paths](../components/many_paths.cpp) shows.

// ## A gate on the way around
//
// A **highway layer** {cite:p}`srivastava2015` has a short path that it can close. A **gate** computes for each unit a number
// $\alpha$ between 0 and 1 and mixes the old value with the new one:
//
// $$ y = \alpha \odot x + (1 - \alpha) \odot f(W x + b) , \qquad \alpha = \sigma(U x + c) . $$
//
// Let a unit hold 2 and let its new value be 1. With $c = 3$ and $Ux = 0$ the gate is $\alpha = \sigma(3) = 0.953$, and the
// unit becomes $0.953 \cdot 2 + 0.047 \cdot 1 = 1.95$. So a large bias makes a layer begin near the identity, and training
// opens the gates that it needs. In the library the layer is {cpp:struct}`recto::nn::Highway`:
//
// ```{excerpt} recto/nn/highway.cpp operator
// ```
//
//- the study, and what is read from it
// The accuracy on training images after each of this many quarters of a training, then that on test images.
Study::Row train(const Study::Row& setting, Index quarters, Index steps_of_quarter) {
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Examples all = data::flat(data::fashion_mnist(Part::train));
    const Examples lessons = data::slice(all, 0, 10'000),
                   seen = data::slice(all, 0, 5000),
                   test = data::flat(data::fashion_mnist(Part::test));
    const auto run = [&](const auto& net) {
        optim::Adam adam(nn::parameters(net), {.lr = setting[1]});
        const auto right = [&](const Examples& set) {
            const NoGrad only_looking;
            return nn::accuracy(net(standard(set.x)), set.labels);
        };
        Study::Row found;
        for (Index step = 0; step < steps_of_quarter * quarters;)
            for (const Examples& batch : Batches(lessons, 100, random)) {
                if (step == steps_of_quarter * quarters) break;
                adam.zero_grad();
                cross_entropy(net(standard(batch.x)), batch.labels).backward();
                adam.step();
                if (++step % steps_of_quarter == 0) found.push_back(right(seen));
            }
        found.push_back(right(test));
        return found;
    };
    // 22 units with two matrices in a layer have fewer weights than 32 units with one.
    if (setting[0] == 1) return run(HighwayNet(784, 22, 50, 10, random));
    return run(nn::DeepMlp({784, 32, 50, 10}, false, random));
}
const std::vector<double> rates = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double highway : {1, 0})
        for (const double rate : rates)
            for (double seed = 1; seed <= 3; ++seed)
                all.push_back({highway, rate, seed});
    return all;
}
const Study study({"highway",
                   {"highway", "rate", "seed"},
                   {"quarter", "half", "three quarters", "end", "test"},
                   {"sys-highway/b"},
                   0.02},
                  cells(),
                  [](const Study::Row& setting) { return train(setting, 4, 75); });

// Four times as long: the plain network at its two best rates, the highway network at its best.
const Study longer({"highway_longer",
                    {"highway", "rate", "seed"},
                    {"300 steps", "600 steps", "900 steps", "1200 steps", "test"},
                    {"sys-highway/b"},
                    0.02},
                   {{1, 3e-3, 1},
                    {1, 3e-3, 2},
                    {1, 3e-3, 3},
                    {0, 1e-3, 1},
                    {0, 1e-3, 2},
                    {0, 1e-3, 3},
                    {0, 3e-3, 1},
                    {0, 3e-3, 2},
                    {0, 3e-3, 3}},
                   [](const Study::Row& setting) { return train(setting, 4, 300); });

// The three trainings at the rate whose training accuracy at the end is best.
std::vector<Study::Row> best_of(bool highway) {
    std::vector<Study::Row> best;
    double most = 0;
    for (const double rate : rates) {
        std::vector<Study::Row> found;
        double accuracy = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(highway) && row[1] == rate)
                found.push_back(row), accuracy += row[6];
        if (accuracy > most) most = accuracy, best = found;
    }
    return best;
}

void highway_curves() {
    const std::vector<double> images = {7'500, 15'000, 22'500, 30'000};
    const std::vector<Study::Row> gated = best_of(true), plain = best_of(false);
    Figure figure("fig-highway");
    figure.describe(
        "Training accuracy against the number of images seen, three lines for 50 plain "
        "and three for 50 highway layers. The highway lines lie far above the plain "
        "ones from the first point on.");
    for (const auto& [name, rows, color] :
         {std::tuple("50 highway layers", &gated, figure::green),
          std::tuple("50 plain layers", &plain, figure::red)}) {
        std::vector<std::vector<double>> lines;
        for (const Study::Row& row : *rows)
            lines.push_back({100 * row[3], 100 * row[4], 100 * row[5], 100 * row[6]});
        figure.lines(name, images, lines, {.color = color});
    }
    figure.x("training images seen")
        .y("training accuracy, %")
        .ylim(0, 100)
        .save(
            "50 plain layers of 32 units, and 50 highway layers of 22 units, which "
            "have "
            "fewer weights. Three seeds each, each at the best of five learning "
            "rates.");
    std::vector<double> gap, high, low;
    for (std::size_t i = 0; i < 3; ++i) {
        gap.push_back(gated[i][6] - plain[i][6]);
        high.push_back(gated[i][6]), low.push_back(plain[i][6]);
    }
    claim(
        "sys-highway/b",
        "training accuracy of 50 highway layers less that of 50 plain ones, after 300 "
        "steps",
        over_seeds(gap), ">=", 0.1);
    say("highway: {} at a learning rate of {}; plain: {} at {}",
        book::brief(over_seeds(high)), gated[0][1], book::brief(over_seeds(low)),
        plain[0][1]);
}

// The trainings of 1,200 steps: three of the highway network, then three at each rate of the plain one.
void longer_training() {
    const std::vector<Study::Row>& rows = longer.frozen().rows;
    const double first = rows[3][6] + rows[4][6] + rows[5][6],
                 second = rows[6][6] + rows[7][6] + rows[8][6];
    const std::size_t rival = first >= second ? 3 : 6;
    std::vector<double> gap, high, low;
    for (std::size_t i = 0; i < 3; ++i) {
        high.push_back(rows[i][6]), low.push_back(rows[rival + i][6]);
        gap.push_back(high.back() - low.back());
    }
    claim("sys-highway/b",
          "the same after 1,200 steps, the plain network at the better of two rates",
          over_seeds(gap), ">=", 0.1);
    say("after 1,200 steps: highway {}, plain {}", book::brief(over_seeds(high)),
        book::brief(over_seeds(low)));
}

// The first quarter of the six trainings, compared with the study.
void first_quarters() {
    // The book carries fewer images for a browser.
    if (book::quick() || data::fashion_mnist(Part::train).size() < 10'000) return;
    std::vector<Study::Row> kept = best_of(true);
    for (const Study::Row& row : best_of(false)) kept.push_back(row);
    std::vector<double> now(kept.size());
    book::each_apart(
        std::ssize(kept), 2,
        [&](Index i) -> Study::Row {
            const Study::Row& row = kept[std::size_t(i)];
            return {train({row.begin(), row.begin() + 3}, 1, 75)[0]};
        },
        [&](Index i, const Study::Row& found) { now[std::size_t(i)] = found[0]; });
    std::vector<double> gap;
    for (std::size_t i = 0; i < 3; ++i) gap.push_back(now[i] - now[i + 3]);
    claim("sys-highway/b",
          "the first quarter of these trainings, done again: highway less plain",
          over_seeds(gap), ">=", 0.1);
}

void near_identity() {
    std::vector<double> change;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        Generator random(10 * book::seed() + seed);
        const HighwayNet net(784, 22, 50, 10, random);
        const NoGrad only_looking;
        Tensor h = net.enter(random.normal({100, 784}));
        change.push_back(0);
        for (const nn::Highway& layer : net.layers) {
            const Tensor out = layer(h), off = out - h;
            change.back() = std::max(
                change.back(),
                std::sqrt(double(sum(off * off).item()) / double(sum(h * h).item())));
            h = out;
        }
    }
    claim(
        "sys-highway/a",
        "fresh highway layers with a gate bias of 3: the largest relative change of a "
        "layer's input, of 50 layers",
        over_seeds(change), "<", 0.1);
}
//-

// {numref}`fig-highway` compares 50 highway layers with 50 plain ones, which start with
// [He's weights](../components/initialisation.cpp). Adam trains each at five learning rates, and the figure shows the best.
// After 300 steps the highway network names 86.6 % of the training images correctly in the median, the plain one 59.7 %, with
// a spread from 53 to 70 % between seeds. The best rate of both is 0.003, neither the smallest nor the largest of the five.
// Each layer of the fresh highway network changes its input by less than a tenth.
//
// At that point the plain network is still improving. Is it only slower? After 1,200 steps the highway network reaches 92.5 %
// in the median, and the plain one, at the better of its two best rates, 67.8 %, between 65 and 77 %. The gap of a seed lies
// between 16 and 27 points. In between, the accuracy of the plain network rises and falls: one of its trainings has 67 % after
// 600 steps and 54 % after 900. Where it would end after many more steps, we did not measure.

// ## Limits and origins
//
// A short path is not sufficient. A residual network with weights that are too large has distances of 2 as well, and its
// signal [doubles with each block](../components/residual_networks.cpp). It is not necessary either: plain networks with
// [orthogonal weights](orthogonal_initialisation.cpp) train at large depths. And the distance depends on what counts as one
// layer. In a block of two layers, the first one is at distance 3.
//
// Our highway layers have one gate for both values, as in the experiments of {cite:t}`srivastava2015`, who trained
// hundreds of layers. {cite:t}`he2016identity` compared gates with plain sums in residual networks for photographs, and the sums had
// the smaller error: a gate that closes lengthens the path. The
// [LSTM](gates.cpp) had used such gates from one time step to the next.
//
// ## Summary
//
// Residual, highway and dense networks keep each layer with weights a few layers away from the loss, however deep they are,
// and auxiliary losses shorten the paths of a plain network. The gradient of a residual block is a direct term plus one term
// for each block behind it, and the direct term alone carries a large share. A highway layer learns with a gate how far its
// short path is open.
//
// ## What is missing
//
// A sum cannot tell its summands apart. [The next page](densenet.cpp) keeps them side by side.
//
// ```{try}
// - Deeper networks: `--depth 64`. Which histograms change?
// - Fewer blocks: `--blocks 4`. What share does the direct term have at the first block?
// ```
void page() {
    path_lengths();
    gradient_sum();
    near_identity();
    highway_curves();
    longer_training();
    first_quarters();
}
