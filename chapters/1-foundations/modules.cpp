// # Modules: building a model and counting its parameters
//
// ```{rows} sys-parametric-model claim-scale-alexnet
// ```
//
// AlexNet, the network that made deep learning famous in 2012, has about 61 million parameters. How does a program
// write down such a function, name its parameters, save them, and count them before any training? It builds the model
// from parts, called **modules**. This page builds a small model from modules and counts its parameters by hand. Then it
// counts two famous networks, 23 years apart, and asks how many times as large the second one is. One idea explains most
// of these counts: a parameter may be used once or many times.
//
// One layer turns an image into another of the same size. How many weights and products does it need when images grow?
// Move the slider:
//
// ```{opening} fig-window
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include <unistd.h>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using figure::Diagram, figure::Figure;

const book::Option<int> blocks("blocks", 2, "how many blocks the nested model has",
                               {.least = 0, .most = 8});
//-

//- how the figure is drawn
void draw_window() {
    const std::vector<double> sides = {8, 16, 32, 64, 128, 224};
    std::vector<double> full, slid, shared;
    for (const double side : sides) {
        full.push_back(std::pow(side, 4));
        slid.push_back(25 * side * side);
        shared.push_back(25);
    }
    Figure drawn("fig-window");
    drawn
        .describe(
            "Three lines against the side of the image, both axes logarithmic. The "
            "linear layer rises most steeply, from four thousand to 2.5 billion. The "
            "multiplications of the sliding window rise from 1600 to 1.3 million, and "
            "its weights stay at 25.")
        .slider("side", sides, "side of the image in pixels", 32)
        .line("linear layer: both", sides, full, {.points = false})
        .line("window: products", sides, slid, {.points = false})
        .line("window: weights", sides, shared, {.points = false});
    const auto told = [](double n) {
        return n < 1e4   ? fmt::format("{:.0f}", n)
               : n < 1e6 ? fmt::format("{:.0f},{:03.0f}", std::floor(n / 1000),
                                       std::fmod(n, 1000))
               : n < 1e9 ? fmt::format("{:.1f} million", n / 1e6)
                         : fmt::format("{:.1f} billion", n / 1e9);
    };
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const double s = sides[i];
        drawn.at(s)
            .dots("", {s, s, s}, {full[i], slid[i], shared[i]},
                  {.color = figure::ink, .shape = figure::Shape::circle})
            .words("", {s, s, s}, {full[i] * 8, slid[i] / 8, shared[i] / 8},
                   {told(full[i]), told(slid[i]), told(shared[i])},
                   {.color = figure::ink});
    }
    drawn.always()
        .log_axes()
        .xlim(5, 400)
        .ylim(1, 1e11)
        .x("side of the image, in pixels")
        .y("number")
        .save(
            "Two layers that turn an image into another of the same size. In a linear "
            "layer every new pixel reads all old ones, each with a weight of its own, "
            "so there are as many products as weights. In the other layer every new "
            "pixel reads a window of $5 \\times 5$, always with the same 25 weights.");
}
//-

// ## A model made of parts
//
// [The last page](models.cpp) wrote a model as $f(x; w)$, with all its parameters in one vector $w$. A program keeps
// them in the parts that use them. A **module** is a function with parameters of its own, and a model is a module made of
// modules. In Recto a module is a struct with two abilities: it can be called, and its function `visit` *names* the parts
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

//- the model: three numbers in, four between the blocks, two out
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

    // Each name is a path: `blocks.1.widen.weight` is the weight of the layer `widen` in the second block. A file of
    // weights holds the tensors under these names, so a program that knows the names can read it, in any language.
    //
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

// ## Used once, or many times
//
// In a linear layer each weight is used once for each input. An image of $8 \times 8$ pixels has 64 numbers, and a
// linear layer that makes another such image from it has $64 \cdot 64 = 4096$ weights and needs as many
// multiplications. Images allow a cheaper layer. A small window slides over the image, and each of its positions gives
// one number, a **unit**, of a new image, a **feature map** (*map* for short), always with the same weights. A window
// of $5 \times 5$ has 25 weights. At $8 \times 8$ positions it needs $25 \cdot 64 = 1600$ multiplications.
//
// Now let the image grow to $224 \times 224$ pixels ({numref}`fig-window`). The linear layer needs 2.5 billion weights,
// which is 10 gigabytes. The window still has 25, and only its work grows, to 1.3 million multiplications. So we count
// two quantities. A **parameter** is a number that is learned. A **connection** is one use of a parameter, and costs a
// multiplication and an addition (an addition only, for a bias).
//
// ## Two famous models, 23 years apart
//
// In 1989 a network learned to read the digits of American ZIP codes {cite:p}`lecun1989`. In 2012 a network called
// AlexNet won a contest in recognising photographs. An average of seven such networks missed the right class with its
// five best guesses in 15.3 % of the cases, against 26.2 % for the second best {cite:p}`krizhevsky2012`. A later
// chapter explains how they work; here we count. Both have layers of maps, and then a few linear layers, also called
// **fully connected**. The design is the same, so one struct can hold either network.
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
    // trained on a data set scaled by about the same factor. A hundred times what? We form three ratios of the two
    // networks. The sizes of the training sets are those of the papers and of {cite:t}`russakovsky2015`.
    //- the ratios
    const Index examples_small = 7291, examples_large = 1'281'167;
    const auto ratio = [](Index a, Index b) { return double(b) / double(a); };
    const double more_parameters = ratio(nn::count(small), nn::count(large));
    const double more_examples = ratio(examples_small, examples_large);
    const double more_connections = ratio(connections(small), connections(large));
    const auto nearest = [&](double times) {
        const auto off = [](double t) { return std::abs(std::log(t / 100)); };
        return off(times) == std::min({off(more_parameters), off(more_connections),
                                       off(more_examples)});
    };
    //-
    ask("About a hundred times larger: which of the ratios comes nearest to that?",
        {{"Parameters.", nearest(more_parameters), "That ratio is about six thousand."},
         {"Connections, the work for one image.", nearest(more_connections),
          "That ratio is about eleven thousand: AlexNet uses each of its map weights "
          "at 169 positions or more."},
         {"Training images.", nearest(more_examples),
          "From seven thousand to 1.3 million is a factor of 176. The network grew by "
          "thousands."}});

    // The table has all counts:
    //- how the table is made, and what is checked
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
    //-

    // In parameters AlexNet is 6246 times the network of 1989, and in connections 11,214 times; only the ratio of the
    // training images, 176, is near a hundred. {numref}`fig-shares` shows where the parameters of both networks are,
    // and where their work is done.
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

// Both networks show the same pattern. Maps do nine tenths of the work, with 38 % of the parameters in 1989 and 4 % in
// 2012, because their weights are shared between all positions of the window.
void page() {
    draw_window();
    parts();
    two_networks();
}

// ## Summary
//
// Large models are built from modules that name their parameters. The names are enough to count, train, save and load
// any model. Counting needs no training, for 178 parameters or for 60,965,224. A parameter that is used at many positions
// costs memory once and work many times.
//
// ## What is missing
//
// We have models of any size. What can we ask of data with them? There are three forms of question, and the answer to the
// first is a number: [regression](regression.cpp).
//
// ```{try}
// - Add blocks to the nested model: `--blocks 4`. How many parameters does each block add, and with which names?
// - No block at all: `--blocks 0`. Which function is the model now?
// ```
