// # A family and a choice
//
// ```{rows} eq-training-argmin sys-parametric-model claim-scale-alexnet
// ```
//
// A model is a sentence with blanks in it. Written out, it is a function $f(x; w)$ of an input $x$ and of
// *parameters* $w$; fill in the parameters and it is one function, leave them open and it is a whole family.
// To learn is to choose one member. This page says what choosing means, builds a family out of parts, and
// then counts two famous ones, twenty-three years apart.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include <unistd.h>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using figure::Diagram, figure::Figure;
//-

// Three things can be changed:
const book::Option<Index> steps_allowed("steps", 2000,
                                        "how many steps a walker may make",
                                        {.quick = 200, .least = 1});
const book::Option<double> noise("noise", 0.3,
                                 "standard deviation of the noise around the line",
                                 {.least = 0.0});
const book::Option<int> blocks("blocks", 2, "how many blocks the nested model has",
                               {.least = 0, .most = 8});

// ## A choice
//
// The smallest family worth the name has two parameters: all straight lines. Fifty points lie around one of
// them, and the loss says how badly a line does, by [the mean squared error](fit_curve.cpp). Training is one
// line of mathematics:
//
// ```{equation} eq-training-argmin
// :function: recto::optim::fit
// :test: fit: three optimisers, one minimum
// w^\ast = \operatorname*{argmin}_w \Loss(w)
// ```
//
// Read: the $w$ at which the loss is smallest. It says *what* is chosen and keeps silent about *how*. Many ways
// lead downhill; we shall meet them in the next chapter. Here we only want to see that the choice is the
// family's and the loss's, not the walker's. So three of them start at the same bad line: plain descent,
// descent with momentum, and one called Adam {cite:p}`kingma2015` that gives every parameter its own pace.
struct Walk {
    std::vector<double> slope, height;  // where it went
    Index steps;
    Tensor weights;  // where it ended
};

template <class Optimiser>
Walk walk(const Tensor& x, const Tensor& y, auto options,
          const optim::FitOptions& until) {
    Generator random(0);
    nn::Linear line(1, 1, random);
    nn::assign(nn::parameters(line), {{"weight", Tensor({1, 1}, {Real(-1.4)})},
                                      {"bias", Tensor({1}, {Real(-0.2)})}});
    Walk path;
    const auto look = [&] {
        path.slope.push_back(double(line.weight.item()));
        path.height.push_back(double(line.bias.item()));
    };
    look();
    Optimiser optimiser(nn::parameters(line), options);
    path.steps = optim::fit(
                     optimiser, [&] { return mse_loss(line(x), y); }, until,
                     [&](const auto&) { look(); })
                     .steps;
    path.weights = Tensor({2}, {line.weight.item(), line.bias.item()});
    return path;
}

// Fifty places, a line through them, and noise. The three walkers may stop as soon as no number of the gradient
// is larger than a millionth.
void choice() {
    Generator random(book::seed());
    const Tensor x = random.uniform({50, 1}, 0, 2);
    const Tensor y =
        Real(0.8) * x - Real(0.5) + random.normal({50, 1}, 0, Real(noise()));
    const optim::FitOptions until{.steps = steps_allowed(), .tolerance = 1e-6};
    const Walk plain = walk<optim::Sgd>(x, y, optim::SgdOptions{.lr = 0.35}, until);
    const Walk heavy =
        walk<optim::Sgd>(x, y, optim::SgdOptions{.lr = 0.05, .momentum = 0.85}, until);
    const Walk adam = walk<optim::Adam>(x, y, optim::AdamOptions{.lr = 0.1}, until);
    const auto arrived = [](const char* who, const Walk& w) {
        say("{:<13} {:>4} steps to slope {:.4f}, height {:.4f}", who, w.steps,
            w.slope.back(), w.height.back());
    };
    arrived("descent", plain);
    arrived("with momentum", heavy);
    arrived("Adam", adam);

    const auto apart = [](const Walk& a, const Walk& b) {
        return std::max(std::abs(a.slope.back() - b.slope.back()),
                        std::abs(a.height.back() - b.height.back()));
    };
    claim("eq-training-argmin/a",
          "the farthest that two of three optimisers end from one another",
          std::max({apart(plain, heavy), apart(heavy, adam), apart(plain, adam)}),
          "<=", 1e-4);

    // All three were called through one function, {cpp:func}`~recto::optim::fit`, which takes an optimiser and a loss
    // and knows nothing of either. Every training in this book goes through it. {numref}`fig-walks` shows
    // the plane they walked in. Each point of it is a line, and its colour is the loss of that line.
    std::vector<double> landscape;
    const int across = 160, down = 120;
    const double left = -1.6, right = 2.2, low = -1.6, high = 2.0;
    for (int i = 0; i < down; ++i)
        for (int j = 0; j < across; ++j) {
            const double slope = left + (j + 0.5) * (right - left) / across;
            const double height = high - (i + 0.5) * (high - low) / down;
            const Tensor errors = x * slope + height - y;
            landscape.push_back(
                std::log(double(mse_loss(errors, zeros({50, 1})).item())));
        }
    //- how the figure is drawn
    Figure("fig-walks")
        .describe(
            "A landscape over slope and height: a long, narrow oval valley. Three "
            "paths start at its left edge. Plain descent jumps from side to side; "
            "momentum swings past the bottom and back; Adam takes a smooth way. All "
            "end at the same place.")
        .field(left, right, low, high, across, landscape)
        .line("descent", plain.slope, plain.height,
              {.color = figure::red, .points = false})
        .line("with momentum", heavy.slope, heavy.height,
              {.color = figure::ochre, .points = false})
        .line("Adam", adam.slope, adam.height, {.color = figure::blue, .points = false})
        .x("slope")
        .y("height")
        .save(
            "A family of lines, one for each point of the plane, and three ways to "
            "choose the best of them. Colours: the logarithm of the loss, low is "
            "dark.");
}
//-

// On this landscape there is one bottom, so the answer cannot depend on the way. Most landscapes have
// many, and then it does; but that is for [another page](hard_and_rich.cpp).
//
// ## A family made of parts
//
// Interesting families are too large to be written down at once. They are built: a part is a function with
// parameters of its own, and a model is a part made of parts. In Recto a part is a struct that can do two
// things. It can be called, and it can *name* what it is made of, in `visit`. No base class, no register. Ours is
// made of linear layers, which multiply by a matrix and add a column of *biases*, and of the function `relu`,
// which is $\max(0, \cdot)$ for every number.
struct Block {
    nn::Linear widen, narrow;
    Tensor operator()(const Tensor& x) const { return x + narrow(relu(widen(x))); }
    void visit(auto&& part) { part("widen", widen), part("narrow", narrow); }
};

struct Model {
    nn::Linear first;
    std::vector<Block> blocks;
    nn::Linear last;
    Tensor operator()(const Tensor& x) const {
        Tensor h = first(x);
        for (const Block& block : blocks) h = block(h);
        return last(h);
    }
    void visit(auto&& part) {
        part("first", first), part("blocks", blocks), part("last", last);
    }
};

Model make_model(Generator& random) {
    Model model{nn::Linear(3, 4, random), {}, nn::Linear(4, 2, random)};
    for (int i = 0; i < blocks(); ++i)
        model.blocks.push_back({nn::Linear(4, 8, random), nn::Linear(8, 4, random)});
    return model;
}

// Names are all that anybody else needs. Counting a model, training it, moving it to a GPU, writing it to a
// file: each is a function over the named tensors, and none had to be written for this model.
void parts() {
    Generator random(book::seed());
    const Model model = make_model(random);
    say("{}", nn::summary(model));

    // By hand: a layer from 3 to 4 numbers has $3 \cdot 4$ weights and 4 biases, and so on.
    const Index by_hand =
        (3 * 4 + 4) + blocks() * ((4 * 8 + 8) + (8 * 4 + 4)) + (4 * 2 + 2);
    claim("", "parameters of the nested model, and the count by hand", nn::count(model),
          "==", by_hand);

    // A model made of parts must compute what its parts compute, one after the other. With functions and
    // the parameters alone, without any struct, that is:
    const NamedTensors named = nn::parameters(model);
    const Tensor x = random.normal({5, 3});
    Tensor h = linear(x, named[0].tensor, named[1].tensor);
    for (std::size_t i = 2; i + 2 < named.size(); i += 4) {
        const Tensor wide = relu(linear(h, named[i].tensor, named[i + 1].tensor));
        h = h + linear(wide, named[i + 2].tensor, named[i + 3].tensor);
    }
    h = linear(h, named[named.size() - 2].tensor, named.back().tensor);
    claim_true("sys-parametric-model/c",
               "the model and the composition of its functions give the same bits",
               model(x).values() == h.values());

    // And a model that was written to a file must come back the same. A second one, with other random
    // weights, takes over those of the first:
    const std::string file = fmt::format("/tmp/recto-models-{}.safetensors", getpid());
    Model second = make_model(random);
    nn::save(file, model);
    nn::load(file, second);
    std::remove(file.c_str());
    bool same = true;
    for (std::size_t i = 0; i < named.size(); ++i)
        same = same &&
               nn::parameters(second)[i].tensor.values() == named[i].tensor.values();
    claim_true("sys-parametric-model/b",
               "saved and loaded, every parameter has the same bits", same);

    // How do we know what a model really computes? We ask it to do it once, on a
    // *tape* that writes down every operation. {numref}`fig-model` is drawn from that tape.
    Tensor input = random.normal({5, 3});
    input.requires_grad_();
    std::map<std::uint64_t, std::string> leaves = {{steps(input)[0].id, "x"}};
    for (const NamedTensor& p : named) leaves[steps(p.tensor)[0].id] = p.name;
    Diagram tape("fig-model");
    const auto id = [](std::uint64_t n) { return std::to_string(n); };
    for (const Step& step : steps(model(input))) {
        const bool leaf = step.name == "leaf";
        const std::string name = leaf ? leaves[step.id] : std::string(step.name);
        tape.node(id(step.id), name + "\n" + to_string(step.shape),
                  leaf ? figure::Box::plain : figure::Box::round,
                  leaf ? (name == "x" ? figure::ink : figure::grey) : figure::blue);
        for (const std::uint64_t from : step.inputs)
            if (from) tape.edge(id(from), id(step.id));
    }
    tape.describe(
            "A graph of operations from the input at the top to the output at the "
            "bottom. Each block is a linear layer, a relu and another linear layer, "
            "with an arrow around them into an addition. Weights and biases enter "
            "every linear layer from the side.")
        .save(
            "What the nested model does with five inputs, drawn from its tape: "
            "operations in frames with the shape of their result, and the parameters "
            "that enter them.");
}

// ## The same family, twenty-three years apart
//
// In 1989 a network learned to read the digits of American postcodes {cite:p}`lecun1989`. In 2012 a network
// called AlexNet won a contest of recognising photographs by a margin that changed the field
// {cite:p}`krizhevsky2012`. How they work is for a later chapter; here we only count them.
// Both are layers of *maps*, whose units look through a small window that slides over the layer below, then a
// few fully connected layers. So both are members of one family of families, and one struct holds either.
struct Maps {
    Tensor weight;  // (maps, maps read, window, window)
    Tensor bias;    // one for each map, or one for each unit
    Index places;   // of the window: so many units has a map

    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
    Index products() const { return places * weight.numel(); }
    Index connections() const { return products() + places * weight.size(0); }
};

struct Network {
    std::vector<Maps> maps;
    std::vector<nn::Linear> layers;
    void visit(auto&& part) { part("maps", maps), part("layers", layers); }
};

// Sixty million weights take a quarter of a gigabyte. But we shall never run these two, so we
// [stretch a single zero](tensors.cpp) over every shape: a model of the full size, in four bytes a tensor.
Tensor stretched(const Shape& shape, Generator&, Device) {
    return expand(zeros({1}), shape);
}

Maps maps(Index count, Index read, Index window, Index side,
          bool bias_for_each_unit = false) {
    const Shape units = bias_for_each_unit ? Shape{count, side, side} : Shape{count};
    return {expand(zeros({1}), {count, read, window, window}).requires_grad_(),
            expand(zeros({1}), units).requires_grad_(), side * side};
}
nn::Linear layer(Index in, Index out) {
    Generator none(0);
    return nn::Linear(in, out, none, {.weights = stretched});
}

void two_networks() {
    // The network of 1989 has two layers of twelve maps. In the first, all units of a map share their
    // weights, not their biases. In the second, each map reads only eight of the twelve below. AlexNet was cut
    // in two halves for two GPUs, so some of its maps read only one half.
    const Network small{{maps(12, 1, 5, 8, true), maps(12, 8, 5, 4, true)},
                        {layer(192, 30), layer(30, 10)}};
    const Network large{
        {maps(96, 3, 11, 55), maps(256, 48, 5, 27), maps(384, 256, 3, 13),
         maps(384, 192, 3, 13), maps(256, 192, 3, 13)},
        {layer(9216, 4096), layer(4096, 4096), layer(4096, 1000)}};

    // A *parameter* is a number that is learned. A *connection* is a use of one: the window of a map slides,
    // so that its weights are used at every place, and each use costs a multiplication and an addition.
    const auto products = [](const Network& n) {
        Index total = 0;
        for (const Maps& m : n.maps) total += m.products();
        for (const nn::Linear& l : n.layers) total += l.weight.numel();
        return total;
    };
    const auto connections = [](const Network& n) {
        Index total = 0;
        for (const Maps& m : n.maps) total += m.connections();
        for (const nn::Linear& l : n.layers) total += l.weight.numel() + l.bias.numel();
        return total;
    };
    claim("claim-scale-alexnet/a", "parameters of the network of 1989",
          nn::count(small), "==", 9760);
    claim("claim-scale-alexnet/b", "connections of the network of 1989",
          connections(small), "==", 64'660);
    claim("claim-scale-alexnet/c", "parameters of AlexNet", nn::count(large),
          "==", 60'965'224);

    // {cite:t}`fleuret2023` writes that the second was essentially the first, about a hundred times bigger,
    // trained on a set scaled likewise. A hundred times what? The sets are those of the two papers; the
    // photographs were counted by {cite:t}`russakovsky2015`.
    const Index examples_small = 7291, examples_large = 1'281'167;
    const auto ratio = [](Index a, Index b) { return double(b) / double(a); };
    const double more_parameters = ratio(nn::count(small), nn::count(large));
    const double more_examples = ratio(examples_small, examples_large);
    const double more_connections = ratio(connections(small), connections(large));
    book::table(
        "counts",
        "Two networks, counted from their models, and the sets they were trained on.",
        {"", "1989", "2012", "times"},
        {{"parameters", nn::count(small), nn::count(large),
          std::round(more_parameters)},
         {"connections", connections(small), connections(large),
          std::round(more_connections)},
         {"multiply-accumulates", products(small), products(large),
          std::round(ratio(products(small), products(large)))},
         {"training pictures", examples_small, examples_large,
          std::round(more_examples)},
         {"numbers in a picture", 16 * 16, 3 * 224 * 224,
          std::round(ratio(16 * 16, 3 * 224 * 224))}});
    book::shows("claim-scale-alexnet/e", "counts");
    claim_in("claim-scale-alexnet/d", "how many times as many parameters AlexNet has",
             more_parameters, 6200, 6300);

    const auto nearest = [&](double times) {
        const auto off = [](double t) { return std::abs(std::log(t / 100)); };
        return off(times) == std::min({off(more_parameters), off(more_connections),
                                       off(more_examples)});
    };
    ask("About a hundred times bigger: which of the ratios comes nearest to that?",
        {{"Parameters.", nearest(more_parameters), "That ratio is about six thousand."},
         {"Connections, which is to say work for one picture.",
          nearest(more_connections),
          "That ratio is the largest of all: AlexNet uses most of its map weights at "
          "hundreds of places."},
         {"Pictures to train on.", nearest(more_examples),
          "From seven thousand to 1.3 million. The set grew by about two hundred, the "
          "network by thousands."}});

    // So "a hundred" is loose. Counted in parameters the second network is more than six thousand times the
    // first, and only the number of pictures grew by something like it. The design is the same and the sizes are
    // not, which is the point that was to be made. And the design has a trick: look where the parameters sit, and
    // where the work is done.
    const auto shares = [&](const Network& n, bool work) {
        std::vector<double> parts;
        for (const Maps& m : n.maps)
            parts.push_back(double(work ? m.products() : nn::count(m)));
        for (const nn::Linear& l : n.layers)
            parts.push_back(double(work ? l.weight.numel() : nn::count(l)));
        const double total = double(work ? products(n) : nn::count(n));
        for (double& part : parts) part *= 100 / total;
        return parts;
    };
    //- how the figure is drawn
    Figure where("fig-shares");
    where.describe(
        "Two panels, one for each network, with two bars for each layer: its share of "
        "the parameters and of the work. In both, the layers of maps do most of the "
        "work with few parameters, and the first fully connected layer has most of the "
        "parameters and does little work.");
    for (const auto& [year, network] :
         {std::pair("1989", &small), std::pair("2012", &large)}) {
        figure::Names names;
        for (std::size_t i = 1; i <= network->maps.size(); ++i)
            names.push_back(fmt::format("m{}", i));
        for (std::size_t i = 1; i <= network->layers.size(); ++i)
            names.push_back(fmt::format("f{}", i));
        where.panel(year)
            .bars("of the parameters", names, shares(*network, false))
            .bars("of the work", names, shares(*network, true))
            .y("share, %");
    }
    where.save(
        "Where the parameters of the two networks are, and where their multiplications "
        "are, by layer. A layer of maps (m) uses each of its weights at many places; a "
        "fully connected one (f) uses each once.");
}
//-

// Twenty-three years apart, and the same picture. {numref}`fig-shares` is why maps were worth inventing: they
// do most of the work with a small part of the parameters.
//
// The page itself is three calls.
void page() {
    choice();
    parts();
    two_networks();
}

// ## What is missing
//
// We have a family, a loss and a choice, and said nothing of what the choice is *for*. What can one ask of
// data at all? There are three answers, and the first is a number: [how much](regression.cpp).
//
// ```{try}
// - Build the nested model higher: `--blocks 4`. How many parameters does each block add, and which names?
// - Give the walkers little time: `--steps 20`. Who is nearest to the bottom?
// - Take all noise away: `--noise 0`. What does the loss become at the bottom, and where do they end?
// ```
