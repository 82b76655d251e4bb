// # Skip connections: a way around
//
// ```{rows} sys-skip-concat sys-residual fig-4.10 claim-skip-preserves-gradient claim-skip-multiscale
// ```
//
// A layer reads the result of the layer before it and nothing else. What one layer loses is lost for all layers after
// it. And what gradient one layer stops never reaches the layers before. {numref}`fig-dead-block` shows a chain of
// twelve blocks, one of which is **dead**: all its units are off. Move the slider, which chooses the dead block. In the
// plain chain no gradient comes below it. A **skip connection** leads the signal around a block, and the gradient back
// the same way. This page builds both kinds of skip connection and shows a task in which an image is taken apart and
// put together again.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/nn/skip.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say,
    book::Study;
using data::Examples;
using figure::Figure;

using Block = nn::Sequential<nn::Linear, nn::Relu>;

// Defined further down:
std::vector<Tensor> gradients(const std::vector<Block>& chain, bool skip,
                              const Tensor& x);
//-

//- how the figure is drawn, and what is checked
const Index count = 12;  // blocks
std::vector<Block> chain_with_dead(Index dead) {
    Generator random(book::seed());
    std::vector<Block> chain;
    for (Index k = 1; k <= count; ++k) {
        nn::Linear layer(32, 32, random, {.weights = nn::he_init});
        layer.bias = k == dead ? full({32}, -1e6) : random.normal({32}, 0, Real(0.3));
        chain.emplace_back(layer, nn::Relu());
    }
    return chain;
}
double length(const Tensor& g) { return std::sqrt(double(sum(g * g).item())); }

void dead_block() {
    std::vector<double> places;
    for (Index k = 0; k <= count; ++k) places.push_back(double(k));
    Figure figure("fig-dead-block");
    figure
        .describe(
            "The length of the gradient, relative to that at the output, against the "
            "place in a chain of twelve blocks. A slider chooses a dead block. For the "
            "plain chain the line is zero below the dead block. For the chain with "
            "skip "
            "connections it is level across the dead block and rises to the left.")
        .slider("dead", std::vector<double>(places.begin() + 1, places.end()),
                "dead block", 6);
    double below = 0;
    Index unequal = 0;
    for (Index dead = 1; dead <= count; ++dead) {
        const std::vector<Block> chain = chain_with_dead(dead);
        const Tensor x = Generator(book::seed() + 1).normal({1, 32});
        for (const bool skip : {false, true}) {
            const std::vector<Tensor> g = gradients(chain, skip, x);
            std::vector<double> lengths;
            for (const Tensor& at : g) lengths.push_back(length(at) / length(g.back()));
            figure.at(double(dead))
                .line(skip ? "with skip connections" : "plain", places, lengths,
                      {.color = skip ? figure::blue : figure::red});
            for (Index k = 0; k < dead && !skip; ++k)
                below = std::max(below, lengths[std::size_t(k)]);
            if (skip)
                unequal +=
                    g[std::size_t(dead)].values() != g[std::size_t(dead - 1)].values();
        }
        figure.rule_x(double(dead) - 0.5);
    }
    figure.always()
        .x("after block (0: the input)")
        .y("gradient, relative to the output")
        .log_y()
        .ylim(0.1, 1000)
        .save(
            "The length of the gradient of the activations after each block. The grey "
            "line marks the dead block. The red line ends there, since the gradient of "
            "the plain chain is zero between the dead block and the input.");
    book::shows("claim-skip-preserves-gradient/a", "fig-dead-block");
    claim("claim-skip-preserves-gradient/b",
          "plain chain: the longest gradient below the dead block", below, "==", 0);
    claim(
        "claim-skip-preserves-gradient/c",
        "with skip connections: dead blocks across which a bit of the gradient changes",
        unequal, "==", 0);
}
//-

// ## Two ways around
//
// Let a block compute $f(x)$. A skip connection carries $x$ itself past the block. After the block there are two
// tensors, and two ways to continue with both:
//
// $$ \text{concatenate:}\quad [\,x,\ f(x)\,] \qquad\qquad \text{add:}\quad x + f(x) . $$
//
// Take $x = (1, 2)$ and $f(x) = (5, -3)$. Concatenated they give $(1, 2, 5, -3)$, from which the next layer can read
// all four numbers. Added they give $(6, -1)$, as many numbers as before. Adding costs no parameters and no memory for
// the next layer, but the sizes must agree, and the next layer sees only the sum. A skip connection with a sum is
// called a **residual connection**, because $f$ only computes what is to be added.
//
// In the library both take a module and make a module with a way around it. {numref}`fig-concat`, {numref}`fig-add` and
// {numref}`fig-4.10` draw these three models:
//- three models, and how they are drawn
void three_diagrams();
//-
auto by_concatenation(Generator& random) {
    return nn::SkipConcat(
        nn::Sequential(nn::Conv2d(8, 8, 3, random, {.padding = 1}), nn::Relu()));
}
auto by_addition(Generator& random) {
    return nn::Residual(
        nn::Sequential(nn::Conv2d(8, 8, 3, random, {.padding = 1}), nn::Relu()));
}
auto usual_block(Generator& random) {
    const auto conv = [&] {
        return nn::Conv2d(8, 8, 3, random, {.padding = 1, .bias = false});
    };
    return nn::Sequential(
        nn::Residual(nn::Sequential(conv(), nn::BatchNorm(8), nn::Relu(), conv(),
                                    nn::BatchNorm(8))),
        nn::Relu());
}
//- how they are drawn, and what is checked
using Edges = std::vector<std::string>;

// The arrows of a diagram in Graphviz's language: lines such as `"1" -> "2" [label=...`.
Edges drawn_edges(const std::string& dot) {
    Edges found;
    for (std::size_t arrow = dot.find("\" -> \""); arrow != dot.npos;
         arrow = dot.find("\" -> \"", arrow + 1)) {
        const std::size_t begin = dot.rfind('"', arrow - 1) + 1, to = arrow + 6,
                          end = dot.find('"', to);
        found.push_back(dot.substr(begin, arrow - begin) + " to " +
                        dot.substr(to, end - to));
    }
    return found;
}

// The edges between operations on a tape, without the weights.
Edges tape_edges(const nn::Tape& tape) {
    std::map<std::uint64_t, std::string> names;
    Edges found;
    std::string last;
    int operations = 0;
    for (const Step& step : tape.steps) {
        const auto leaf = tape.leaves.find(step.id);
        if (leaf != tape.leaves.end()) {
            if (leaf->second.name == "input") names[step.id] = "input";
            continue;
        }
        if (step.name == "leaf") continue;
        last = names[step.id] = std::to_string(++operations);
        for (const std::uint64_t from : step.inputs)
            if (names.contains(from)) found.push_back(names[from] + " to " + last);
    }
    found.push_back(last + " to output");
    return found;
}

template <class Model>
void draw(const char* name, const char* caption, const Model& model, Index& differ) {
    const nn::Tape tape = nn::tape_of(model, ones({1, 8, 6, 6}));
    figure::Diagram diagram = figure::layer_diagram(name, figure::layer_column(tape));
    diagram.save(caption);
    Edges drawn = drawn_edges(diagram.dot()), recorded = tape_edges(tape);
    std::ranges::sort(drawn), std::ranges::sort(recorded);
    differ += drawn != recorded;
    book::shows("fig-4.10/a", name);
}

void three_diagrams() {
    Generator random(book::seed());
    Index differ = 0;
    draw("fig-concat", "A skip connection by concatenation: the channels double.",
         by_concatenation(random), differ);
    draw("fig-add", "A skip connection by addition: the size stays.",
         by_addition(random), differ);
    draw("fig-4.10",
         "The usual residual block of convolutional networks: two convolutions, each "
         "with batch normalisation, and a ReLU after the sum.",
         usual_block(random), differ);
    claim("fig-4.10/b", "diagrams whose arrows are not the edges of the tape", differ,
          "==", 0);
}
//-

// ## Why the gradient survives
//
// The Jacobian of $x + f(x)$ is $I + J_f$, the identity plus that of the block. Whatever the block does, the identity
// passes the gradient on. If the block is dead, $J_f$ is zero and the gradient arrives with the same bits. With
// concatenation the gradient of the next layer has two parts, one for $x$ and one for $f(x)$, and at the fork both
// arrive and are added.
//
// For {numref}`fig-dead-block` the living blocks have random biases, and those of the dead block are minus a million,
// so that no sum reaches zero and the ReLU turns all units off. Then we follow the gradient back to each place:
std::vector<Tensor> gradients(const std::vector<Block>& chain, bool skip,
                              const Tensor& x) {
    std::vector<Tensor> found;
    Tensor start = x;
    for (std::size_t from = 0; from <= chain.size(); ++from) {
        const Tensor leaf = start.detach().requires_grad_();
        Tensor h = leaf;
        for (std::size_t k = from; k < chain.size(); ++k) {
            h = skip ? nn::Residual(chain[k])(h) : chain[k](h);
            if (k == from) start = h;
        }
        sum(h).backward();
        found.push_back(leaf.grad());
    }
    return found;
}

// Below the dead block the plain chain gets a gradient of exactly zero: these layers will never change again. Above it
// the signal is the same for every input. With skip connections the block is as good as not there, and the other eleven
// go on learning. Notice also that the blue line has a slope: every living block adds to the gradient.
// [The next page](residual_networks.cpp) deals with that.
//
// ## What and where
//
// Skip connections do a second service in networks that make an image smaller and larger again. **Segmentation** is
// such a task: name, for each pixel of an image, the thing that it belongs to. Our images show discs and crosses with
// noise. One pixel looks like another, and to tell a disc from a cross you need to see several pixels. So the network
// halves the image three times, as in [pooling](pooling.cpp), until one number sees a large part of it. Then
// [transposed convolutions](transposed_convolution.cpp) double the size three times. The network knows *what* is there
// in the middle, where the image has $4 \times 4$ places. But *where* its edges run must be decided at $32 \times 32$.
//
// A **U-Net** {cite:p}`ronneberger2015` keeps the tensor of each size on the way down and concatenates it on the way
// up:
//- the layers
struct Hourglass {
    bool skips;
    std::vector<nn::Conv2d> down, join;
    std::vector<nn::ConvTranspose2d> up;
    nn::Conv2d bottom, leave;

    Hourglass(bool skips, Generator& random)
        : skips(skips),
          bottom(32, 32, 3, random, {.padding = 1, .weights = nn::he_init}),
          leave(8, 3, 1, random) {
        const nn::ConvLayerOptions three{.padding = 1, .weights = nn::he_init};
        Index in = 1;
        for (const Index out : {8, 16, 32}) {
            down.emplace_back(in, out, 3, random, three);
            in = out;
        }
        for (const Index out : {32, 16, 8}) {
            up.emplace_back(in, out, 2, random, nn::ConvLayerOptions{.stride = 2});
            join.emplace_back(2 * out, out, 3, random, three);
            in = out;
        }
    }
    void visit(auto&& part) {
        part("down", down), part("bottom", bottom), part("up", up), part("join", join);
        part("leave", leave);
    }
    Tensor operator()(const Tensor& image) const;
};
//-
Tensor Hourglass::operator()(const Tensor& image) const {
    std::vector<Tensor> seen;
    Tensor x = image;
    for (const nn::Conv2d& layer : down) {
        seen.push_back(relu(layer(x)));
        x = max_pool2d(seen.back(), 2);
    }
    x = relu(bottom(x));
    for (std::size_t k = 0; k < up.size(); ++k) {
        x = up[k](x);
        x = relu(join[k](concat({x, skips ? seen[2 - k] : x}, 1)));
    }
    return permute(leave(x), {0, 2, 3, 1});
}

// Without skip connections the network concatenates its tensor with itself. So both networks have as many parameters
// and the same cost, although without skip connections the two halves of each joining layer read the same tensor, which
// makes half of its weights redundant.
//- the images
const Index size = 32;  // pixels of a side
enum Label : Index { ground, disc, cross };

struct Scene {
    std::vector<Real> pixels;
    std::vector<Index> labels;
};
// One to three discs and crosses of random sizes and brightnesses, and noise. Later ones cover earlier ones.
Scene scene(Generator& random) {
    Scene made{std::vector<Real>(std::size_t(size * size), Real(0.2)),
               std::vector<Index>(std::size_t(size * size), ground)};
    for (Index left = random.next_integer(1, 4); left > 0; --left) {
        const Index kind = random.next_integer(disc, cross + 1);
        const double row = 4 + 24 * random.next_uniform(),
                     column = 4 + 24 * random.next_uniform(),
                     half = 4 + 4 * random.next_uniform();
        const auto grey = Real(0.5 + 0.5 * random.next_uniform());
        for (Index i = 0; i < size * size; ++i) {
            const double down = double(i / size) - row,
                         right = double(i % size) - column;
            const auto [near, far] = std::minmax({std::abs(down), std::abs(right)});
            const bool inside = kind == disc ? std::hypot(down, right) < half
                                             : near < half / 3 && far < half;
            if (inside)
                made.pixels[std::size_t(i)] = grey, made.labels[std::size_t(i)] = kind;
        }
    }
    for (Real& v : made.pixels) v += Real(0.15 * random.next_normal());
    return made;
}
Examples scenes(Index count, Generator& random) {
    std::vector<Real> pixels;
    std::vector<Index> labels;
    for (Index i = 0; i < count; ++i) {
        const Scene one = scene(random);
        pixels.insert(pixels.end(), one.pixels.begin(), one.pixels.end());
        labels.insert(labels.end(), one.labels.begin(), one.labels.end());
    }
    Examples made;
    made.x = Tensor({count, 1, size, size}, pixels);
    made.labels = Integers({count, size, size}, labels);
    return made;
}
//-

//- boundary IoU
// The pixels of a label within two pixels of a pixel of another label.
std::vector<bool> rim(const std::vector<Index>& labels, Index label) {
    std::vector<bool> found(labels.size());
    const auto at = [&](Index r, Index c) { return labels[std::size_t(r * size + c)]; };
    for (Index r = 0; r < size; ++r)
        for (Index c = 0; c < size; ++c) {
            if (at(r, c) != label) continue;
            for (Index i = std::max<Index>(r - 2, 0); i <= std::min(r + 2, size - 1);
                 ++i)
                for (Index j = std::max<Index>(c - 2, 0);
                     j <= std::min(c + 2, size - 1); ++j)
                    if (at(i, j) != label && std::abs(i - r) + std::abs(j - c) <= 2)
                        found[std::size_t(r * size + c)] = true;
        }
    return found;
}
std::vector<Index> answers(const Tensor& scores) {
    std::vector<Index> found;
    const std::vector<Real> values = scores.values();
    for (auto at = values.begin(); at != values.end(); at += 3)
        found.push_back(std::max_element(at, at + 3) - at);
    return found;
}
struct Overlap {
    double whole, edge;
};
Overlap overlap(const Hourglass& net, const Examples& set) {
    const NoGrad only_looking;
    double both = 0, either = 0, rims = 0, rim_union = 0;
    const auto pixels = std::size_t(size * size);
    const std::vector<Index> answer = answers(net(set.x)), truth = set.labels.values();
    for (std::size_t n = 0; n < truth.size(); n += pixels) {
        const std::vector<Index> a(answer.begin() + std::ptrdiff_t(n),
                                   answer.begin() + std::ptrdiff_t(n + pixels)),
            t(truth.begin() + std::ptrdiff_t(n),
              truth.begin() + std::ptrdiff_t(n + pixels));
        for (const Index label : {disc, cross}) {
            const std::vector<bool> mine = rim(a, label), right = rim(t, label);
            for (std::size_t i = 0; i < pixels; ++i) {
                both += a[i] == label && t[i] == label;
                either += a[i] == label || t[i] == label;
                rims += mine[i] && right[i];
                rim_union += mine[i] || right[i];
            }
        }
    }
    return {both / either, rims / rim_union};
}

// Rows of an image's labels as numbers to the base of three, so that a study can keep them.
std::vector<double> packed(const std::vector<Index>& labels) {
    std::vector<double> found;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (i % std::size_t(size) == 0) found.push_back(0);
        found.back() = 3 * found.back() + double(labels[i]);
    }
    return found;
}
std::vector<Index> unpacked(const std::vector<double>& rows) {
    std::vector<Index> found;
    for (double row : rows) {
        found.resize(found.size() + std::size_t(size));
        for (auto at = found.rbegin(); at != found.rbegin() + size; ++at) {
            *at = Index(std::fmod(row, 3));
            row = std::floor(row / 3);
        }
    }
    return found;
}

const Index shown = 4;  // test images that the page shows
Examples tests(Index count) {
    Generator random(12345);
    return scenes(count, random);
}
Study::Row train(const Study::Row& setting) {
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Hourglass net(setting[0] == 1, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[1]});
    const Index steps = 1200;
    const Examples test = tests(300);
    Study::Row found;
    for (Index step = 0; step < steps;) {
        const Examples batch = scenes(20, random);
        adam.options.lr = optim::cosine(step++, steps, setting[1]);
        adam.zero_grad();
        cross_entropy(net(batch.x), batch.labels).backward();
        adam.step();
        if (step % (steps / 4) == 0) found.push_back(overlap(net, test).edge);
    }
    found.push_back(overlap(net, test).whole);
    const NoGrad only_looking;
    for (const double row : packed(answers(net(tests(shown).x)))) found.push_back(row);
    return found;
}
const std::vector<double> rates = {0.003, 0.006, 0.012};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double skips : {1, 0})
        for (const double rate : rates)
            for (double seed = 1; seed <= 3; ++seed) all.push_back({skips, rate, seed});
    return all;
}
std::vector<std::string> results() {
    std::vector<std::string> names = {"edge 300", "edge 600", "edge 900", "edge",
                                      "whole"};
    for (Index row = 1; row <= shown * size; ++row)
        names.push_back(fmt::format("row {}", row));
    return names;
}
std::vector<double> tolerances() {  // rows of images are not compared
    std::vector<double> found(5, 0.05);
    found.resize(std::size_t(5 + shown * size), 1e30);
    return found;
}
const Study study({"skips",
                   {"skips", "rate", "seed"},
                   results(),
                   {"claim-skip-multiscale/a"},
                   0.05,
                   tolerances()},
                  cells(), train);
//-

//- what is read from the study, and the question
std::vector<Study::Row> best_of(bool skips) {
    std::vector<Study::Row> best;
    double most = 0;
    for (const double rate : rates) {
        std::vector<Study::Row> found;
        double edge = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(skips) && row[1] == rate)
                found.push_back(row), edge += row[6];
        if (edge > most) most = edge, best = found;
    }
    return best;
}
std::vector<double> column(const std::vector<Study::Row>& rows, std::size_t i) {
    std::vector<double> found;
    for (const Study::Row& row : rows) found.push_back(row[i]);
    return found;
}

void segmentation() {
    const std::vector<Study::Row> plain = best_of(false), skips = best_of(true);
    std::vector<double> gain;
    for (std::size_t i = 0; i < plain.size(); ++i)
        gain.push_back(skips[i][6] - plain[i][6]);
    const double gained = book::median(gain);
    //-

    // We judge the answers at the edges. **Boundary IoU** (intersection over union) {cite:p}`cheng2021` takes only the
    // pixels of a thing that lie within two pixels of its edge, in the answer and in the truth. It divides the number
    // of pixels that both have by the number of pixels that at least one has. 1 is perfect.
    //- the question
    ask("How much does the boundary IoU gain when the network reads what it has seen "
        "on "
        "its way down?",
        {{"Nothing: 32 numbers at each of 16 places can hold every edge.",
          gained < 0.05,
          "They could. But the network would have to write coordinates into 512 "
          "numbers "
          "and draw edges from them, and training does not find this."},
         {"About 0.1.", gained >= 0.05 && gained < 0.2,
          "The way down loses more than that: each pooling keeps the largest of four "
          "numbers and forgets its place."},
         {"More than 0.2.", gained >= 0.2,
          fmt::format(
              "Each pooling forgets which of four places had the largest number. "
              "At the edges the network without skip connections recovers part of "
              "this ({:.2f}), the skip connections recover most of it ({:.2f}).",
              book::median(column(plain, 6)), book::median(column(skips, 6)))}});
    //-

    //- how the figures are drawn, and what is checked
    const Examples some = tests(shown);
    figure::Images pictures("fig-unet", 4);
    pictures.describe(
        "Four rows of four images: a noisy image with bright discs and crosses, the "
        "true "
        "labels in grey for discs and white for crosses, the answer of the network "
        "without skip connections with blurred and rounded shapes, and the answer with "
        "skip connections, nearly like the truth.");
    const std::vector<Real> pixels = some.x.values();
    const auto area = std::size_t(size * size);
    for (std::size_t n = 0; n < std::size_t(shown); ++n) {
        const auto add = [&](const char* label, const std::vector<Index>& labels) {
            std::vector<double> grey;
            for (const Index l : labels) grey.push_back(double(l) / 2);
            pictures.add(label, size, size, grey);
        };
        const auto answer = [&](const Study::Row& row) {
            const auto first = row.begin() + 8 + std::ptrdiff_t(n) * size;
            return unpacked({first, first + size});
        };
        const std::vector<Index> truth = some.labels.values();
        std::vector<double> seen;
        for (std::size_t i = 0; i < area; ++i)
            seen.push_back(std::clamp(double(pixels[n * area + i]), 0.0, 1.0));
        pictures.add("image", size, size, seen);
        add("truth", {truth.begin() + std::ptrdiff_t(n * area),
                      truth.begin() + std::ptrdiff_t((n + 1) * area)});
        add("without", answer(plain[0]));
        add("with skips", answer(skips[0]));
    }
    pictures.save(
        "Four test images, the truth, and the answers of two trained networks. Discs "
        "are "
        "grey, crosses white. Without skip connections the network finds the things "
        "and "
        "misses their edges.");
    Figure figure("fig-boundary");
    figure.describe(
        "Boundary IoU against the steps of training, three lines for each kind of "
        "network. With skip connections they rise to 0.8, without to about 0.5, and "
        "all flatten at the end.");
    for (const bool with : {false, true}) {
        std::vector<std::vector<double>> lines;
        for (const Study::Row& row : with ? skips : plain)
            lines.push_back({row[3], row[4], row[5], row[6]});
        figure.lines(with ? "with skip connections" : "without", {300, 600, 900, 1200},
                     lines, {.color = with ? figure::blue : figure::red});
    }
    figure.x("steps")
        .y("boundary IoU")
        .ylim(0, 1)
        .save(
            "Boundary IoU on 300 test images during training, three seeds each, at the "
            "best "
            "of three learning rates.");
    claim("claim-skip-multiscale/a",
          "gain in boundary IoU with skip connections, seed by seed", over_seeds(gain),
          ">=", 0.05);
    for (const bool with : {false, true}) {
        const std::vector<Study::Row>& rows = with ? skips : plain;
        say("{}: rate {}, boundary IoU {}, IoU {}", with ? "with" : "without",
            rows[0][1], book::brief(over_seeds(column(rows, 6))),
            book::brief(over_seeds(column(rows, 7))));
    }
}
//-

// {numref}`fig-unet` shows what the numbers mean. Both networks know what is there: without skip connections the
// IoU of whole things is 0.76, with them 0.89. At the edges it is 0.49 against 0.80. {numref}`fig-boundary` shows the
// training. The lines flatten as the schedule takes the learning rate to zero; a longer run was not tried. Each network
// saw 24,000 images, each image once. The best of three learning rates was chosen by the boundary IoU on the same 300
// test images that are reported, in the same way for both kinds of network.
//
// ## Limits and history
//
// A concatenating skip connection keeps a large tensor in memory until it is used, and the layer that reads it is
// larger. It also lets everything through: an autoencoder, whose purpose is a small middle, must not have one. And
// adding needs equal sizes; where the size changes, a $1\times1$ convolution on the way around makes it fit.
//
// Ways around layers are old. The networks of {cite:t}`lang1988` connected each layer with all later ones to learn two
// spirals. The cell of an LSTM {cite:p}`hochreiter1997` adds to its state at each step, which keeps gradients alive
// through time. {cite:t}`srivastava2015` trained *highway networks*, whose skip connections have a trained gate, and
// the networks of {cite:t}`he2016` have none. {cite:t}`ronneberger2015` segmented cells under the microscope.
//
// ## Summary
//
// A skip connection carries a tensor around layers and concatenates it with their result or adds it. It passes signals
// and gradients on even when the layers pass nothing. Where a network shrinks an image and enlarges it again, it brings
// the edges back.
//
// ## What is missing
//
// A single way around saves one block. [The next page](residual_networks.cpp) puts one around every block of a network
// with hundreds of them.
//
// ```{try}
// - Another seed for the chain: `--seed 2`. Which of the statements change?
// ```
void page() {
    dead_block();
    three_diagrams();
    segmentation();
}
