// # Model classes: a family and a choice
//
// ```{rows} eq-training-argmin sys-parametric-model claim-scale-alexnet
// ```
//
// A model is a function $f(x; w)$ of an input $x$ with numbers $w$ left open, its **parameters** or weights. With the
// parameters filled in it is one function. With the parameters open it is a whole family of functions, the **model
// class**, also called **hypothesis space** because each member is one hypothesis about the data. Training chooses one
// member of the family. This page asks what decides the choice: the family, the loss, or the algorithm that searches?
// Then it builds a family out of parts, as every network in this book is built, and counts the parameters of a model in
// two famous cases, 23 years apart.
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

// You can change three numbers:
const book::Option<Index> steps_allowed("steps", 2000,
                                        "largest number of steps of an optimiser",
                                        {.quick = 200, .least = 1});
const book::Option<double> noise("noise", 0.3,
                                 "standard deviation of the noise around the line",
                                 {.least = 0.0});
const book::Option<int> blocks("blocks", 2, "how many blocks the nested model has",
                               {.least = 0, .most = 8});

// ## A choice
//
// A small family has two parameters, the slope $a$ and the height $b$: all straight lines $f(x; a, b) = a x + b$. The
// loss of a line is its [mean squared error](fit_curve.cpp) on the samples. Take three samples, $(0, 0)$, $(1, 1)$ and
// $(2, 1)$. The line with $a = 1$, $b = 0$ misses them by 0, 0 and 1, so its loss is $\frac13 = 0.33$. The line with
// $a = 0.5$, $b = 0.17$ misses them by 0.17, 0.33 and 0.17, so its loss is $0.056$. No line has a smaller loss. Training
// is one line of mathematics:
//
// ```{equation} eq-training-argmin
// :function: recto::optim::fit
// :test: fit: three optimisers, one minimum
// w^\ast = \operatorname*{argmin}_w \Loss(w)
// ```
//
// Read: $w^\ast$ is the $w$ with the smallest loss. The formula says *what* is chosen, and leaves open *how*. An
// algorithm that searches for the minimum is an **optimiser**. The next chapter explains them; here we test whether the
// choice depends on them. Three optimisers start at the same bad line: gradient descent, which steps against the
// gradient; gradient descent with momentum, which also keeps part of its last step; and Adam {cite:p}`kingma2015`, which
// adapts the step size of each parameter. Fifty points lie around a line with $a = 0.8$ and $b = -0.5$, with noise.
//- one optimiser's path, from a bad line to the minimum
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
    //-
    Optimiser optimiser(nn::parameters(line), options);
    path.steps = optim::fit(
                     optimiser, [&] { return mse_loss(line(x), y); }, until,
                     [&](const auto&) { look(); })
                     .steps;
    //- three optimisers, and how far apart they end
    path.weights = Tensor({2}, {line.weight.item(), line.bias.item()});
    return path;
}

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
          "the largest difference of a parameter between two of the three optimisers",
          std::max({apart(plain, heavy), apart(heavy, adam), apart(plain, adam)}),
          "<=", 1e-4);
    //-

    // The same function {cpp:func}`~recto::optim::fit` runs all three. It takes an optimiser and a loss, and stops when
    // no component of the gradient exceeds $10^{-6}$. The next pages train with it, too. The three optimisers
    // need 134, 172 and 279 steps and end at the same line, up to $4 \times 10^{-6}$. The line is not the one that made
    // the points, with slope 0.8 and height $-0.5$: with noise, another line fits these fifty points better.
    //
    // {numref}`fig-walks` shows the **parameter space**. Each point of this plane is a line, and its colour is the loss
    // of that line.
    //- how the figure is drawn
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
    Figure("fig-walks")
        .describe(
            "A landscape over slope and height: a long, narrow oval valley. Three "
            "paths start at its left edge. Gradient descent jumps from side to side; "
            "momentum swings past the minimum and back; Adam takes a smooth path. All "
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
            "A family of lines, one for each point of the plane, and the paths of "
            "three optimisers. Colours show the logarithm of the loss, low is dark. "
            "The paths differ, and their end is the same.");
}
//-

// This loss has a single minimum, so the family, the samples and the loss decide the answer, and the optimiser only
// decides the path. Losses of networks have many minima, and then the result depends on the path, too: [a later
// page](hard_and_rich.cpp) is about that.
//
// ## A family made of parts
//
// Larger families are built from parts. A part is a function with parameters of its own, and a model is a part made of
// parts. In Recto a part is a struct with two abilities: it can be called, and its function `visit` *names* the parts
// inside. It needs no base class and no registration. Our example uses two kinds of parts. A **linear layer** multiplies
// by a matrix and adds a vector of **biases**. The function `relu` replaces every negative number by zero.
struct Block {
    nn::Linear widen, narrow;
    Tensor operator()(const Tensor& x) const { return x + narrow(relu(widen(x))); }
    void visit(auto&& part) { part("widen", widen), part("narrow", narrow); }
};

// The block adds the result of its layers to its input, `x + ...`, so it computes a change of its input. The model is a
// linear layer, some blocks in a row, and another linear layer. Its `visit` names two layers and a list of blocks:
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

//- a model with four numbers in each layer
Model make_model(Generator& random) {
    Model model{nn::Linear(3, 4, random), {}, nn::Linear(4, 2, random)};
    for (int i = 0; i < blocks(); ++i)
        model.blocks.push_back({nn::Linear(4, 8, random), nn::Linear(8, 4, random)});
    return model;
}
//-

// The names are enough for everything else. Counting the parameters, training, moving the model to a GPU, writing it to
// a file: each is a function over the named tensors, and works for every model. Here is the list of them:
void parts() {
    Generator random(book::seed());
    const Model model = make_model(random);
    say("{}", nn::summary(model));

    // Check the list by hand. A layer from 3 to 4 numbers has $3 \cdot 4 = 12$ weights and 4 biases. A block has $4
    // \cdot 8 + 8 = 40$ parameters to widen and $8 \cdot 4 + 4 = 36$ to narrow. The last layer has $4 \cdot 2 + 2 = 10$.
    // Together, $16 + 2 \cdot 76 + 10 = 178$.
    //
    // Three more checks: the composition of the same functions, without any struct, gives the same bits; a model that is
    // saved and loaded again has the same bits; and the drawing below comes from the model itself.
    //- by hand, as a composition of functions, saved and loaded
    const Index by_hand =
        (3 * 4 + 4) + blocks() * ((4 * 8 + 8) + (8 * 4 + 4)) + (4 * 2 + 2);
    claim("", "parameters of the nested model, and the count by hand", nn::count(model),
          "==", by_hand);

    // with functions and the parameters alone
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

    // a second model, with other random weights, loads the weights of the first
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

    //-
    // When a model computes, a **tape** records every operation. {numref}`fig-model` is drawn from this record.
    //- how the figure is drawn
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
            "The operations of the nested model for five inputs, drawn from its tape, "
            "with the shape of each result and the parameters that enter. Two blocks "
            "repeat the same pattern, with parameters of their own.");
}
//-

// ## Two famous models, 23 years apart
//
// In 1989 a network learned to read the digits of American postcodes {cite:p}`lecun1989`. In 2012 a network called
// AlexNet won a contest in recognising photographs. An average of seven such networks missed the right class with its
// five best guesses in 15.3 % of the cases, against 26.2 % for the second best {cite:p}`krizhevsky2012`. A later chapter
// explains how they work; here we count. Both have layers of **maps**: a small window slides over the layer below, and
// each position of the window gives one unit of the map, always with the same weights. Then follow a few fully connected
// layers. The design is the same, so one struct can hold either network.
//
// For instance, a window of $5 \times 5$ that slides to $8 \times 8$ positions has 25 weights and needs
// $25 \cdot 64 = 1600$ multiplications. So we count two quantities. A parameter is a number that is learned. A
// **connection** is one use of a parameter, and costs a multiplication and an addition (an addition only, for a bias).
//- layers of maps, and a network of maps and linear layers
struct Maps {
    Tensor weight;  // (maps, maps read, window, window)
    Tensor bias;    // one for each map, or one for each unit
    Index places;   // positions of the window, one unit each

    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
    Index products() const { return places * weight.numel(); }
    Index connections() const { return products() + places * weight.size(0); }
};

struct Network {
    std::vector<Maps> maps;
    std::vector<nn::Linear> layers;
    void visit(auto&& part) { part("maps", maps), part("layers", layers); }
};

// Sixty million weights take a quarter of a gigabyte. These two networks are never run, so a single zero is
// stretched over every shape: a model of the full size, in four bytes a tensor.
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
//-

void two_networks() {
    // The network of 1989 has two layers of twelve maps. In both, the units of a map share their weights, and each unit
    // has a bias of its own. In the second layer, each map reads eight of the twelve maps below. AlexNet was divided
    // between two GPUs, so the maps of three of its layers read only one half of the maps below. The arguments are the
    // number of maps, the number of maps that each reads, the side of the window, and the side of the map:
    const Network small{{maps(12, 1, 5, 8, true), maps(12, 8, 5, 4, true)},
                        {layer(192, 30), layer(30, 10)}};
    const Network large{
        {maps(96, 3, 11, 55), maps(256, 48, 5, 27), maps(384, 256, 3, 13),
         maps(384, 192, 3, 13), maps(256, 192, 3, 13)},
        {layer(9216, 4096), layer(4096, 4096), layer(4096, 1000)}};

    //- counting parameters, connections and multiplications
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

    //-
    // {cite:t}`fleuret2023` describes AlexNet as essentially the design of 1989, about a hundred times larger and
    // trained on a data set scaled by about the same factor. A hundred times what? The table counts. The sizes of the
    // training sets are those of the papers and of {cite:t}`russakovsky2015`.
    //- the ratios, and the table
    const Index examples_small = 7291, examples_large = 1'281'167;
    const auto ratio = [](Index a, Index b) { return double(b) / double(a); };
    const double more_parameters = ratio(nn::count(small), nn::count(large));
    const double more_examples = ratio(examples_small, examples_large);
    const double more_connections = ratio(connections(small), connections(large));
    book::table(
        "counts", "Two networks, counted from their models, and their training sets.",
        {"", "1989", "2012", "times"},
        {{"parameters", nn::count(small), nn::count(large),
          std::round(more_parameters)},
         {"connections", connections(small), connections(large),
          std::round(more_connections)},
         {"multiply-accumulates", products(small), products(large),
          std::round(ratio(products(small), products(large)))},
         {"training images", examples_small, examples_large, std::round(more_examples)},
         {"numbers in an image", 16 * 16, 3 * 224 * 224,
          std::round(ratio(16 * 16, 3 * 224 * 224))}});
    book::shows("claim-scale-alexnet/e", "counts");
    claim_in("claim-scale-alexnet/d", "how many times as many parameters AlexNet has",
             more_parameters, 6200, 6300);

    const auto nearest = [&](double times) {
        const auto off = [](double t) { return std::abs(std::log(t / 100)); };
        return off(times) == std::min({off(more_parameters), off(more_connections),
                                       off(more_examples)});
    };
    //-
    ask("About a hundred times larger: which of the ratios comes nearest to that?",
        {{"Parameters.", nearest(more_parameters), "That ratio is about six thousand."},
         {"Connections, the work for one image.", nearest(more_connections),
          "That ratio is about eleven thousand: AlexNet uses most of its map weights "
          "at hundreds of positions."},
         {"Training images.", nearest(more_examples),
          "From seven thousand to 1.3 million is a factor of 176. The network grew by "
          "thousands."}});

    // In parameters AlexNet is 6246 times the network of 1989, and in connections 11 214 times; only the number of
    // training images, 176 times, grew by something like a hundred. {numref}`fig-shares` shows where the parameters of
    // both networks are, and where their work is done.
    //- the shares of the layers, and how the figure is drawn
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
        "Shares of the parameters and of the multiplications, by layer. A layer of "
        "maps (m) uses each of its weights at many positions, a fully connected layer "
        "(f) uses each once. Maps do most of the work with few parameters.");
}
//-

// Both networks show the same pattern. Maps do most of the work with a small part of the parameters, because their
// weights are shared between all positions of the window.
void page() {
    choice();
    parts();
    two_networks();
}

// ## Summary
//
// A model class is a family of functions with open parameters, and training takes the member with the smallest loss. If
// the loss has one minimum, the choice does not depend on the optimiser. Large families are built from parts that name
// their parameters, and their size can be counted before any training, for 178 parameters or for 60 965 224.
//
// ## What is missing
//
// We have a family, a loss and a choice. What can we ask of data with them? There are three forms of question, and the
// answer to the first is a number: [regression](regression.cpp).
//
// ```{try}
// - Add blocks to the nested model: `--blocks 4`. How many parameters does each block add, and with which names?
// - Stop the optimisers early: `--steps 20`. Which one is closest to the minimum?
// - Remove the noise: `--noise 0`. What is the loss at the minimum, and where do the optimisers end?
// ```
