// # Multilayer perceptrons: hidden layers
//
// ```{rows} sys-mlp fig-5.1
// ```
//
// The plainest architecture is a chain of [dense layers](../components/layers.cpp) with an
// [activation function](../components/activations.cpp) between them: a **multilayer perceptron** (**MLP**). It stands
// alone where an input is a short list of numbers, and it is a part of larger networks, such as the end of
// [LeNet](lenet.cpp). {numref}`fig-mlp-units` draws one, with a dot for each unit and a line for each weight. Make its
// layers wider and narrower: where are most of its parameters? This page builds the MLP, counts its layers, and says
// for which data it is the right choice.
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/sequential.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure, figure::LayerColumn;
using nn::Mlp;

const book::Option<Index> the_inputs("inputs", 50, "numbers of an input",
                                     {.least = 1, .most = 50});
const book::Option<Index> the_first("first", 25, "units of the first hidden layer",
                                    {.least = 1, .most = 50});
const book::Option<Index> the_second("second", 10, "units of the second hidden layer",
                                     {.least = 1, .most = 50});

// Defined further down:
Index hidden_layers(const Mlp& net);
//-

//- how the figure is drawn
void units_figure() {
    Generator random(book::seed());
    const Mlp net({the_inputs(), the_first(), the_second(), 2}, relu, random);
    std::vector<Index> sizes = {the_inputs()};
    for (const nn::Linear& layer : net.layers) sizes.push_back(layer.weight.size(0));
    const auto height = [&](std::size_t layer, Index unit) {
        return double(unit) - double(sizes[layer] - 1) / 2;
    };
    std::vector<double> x, y, path_x, path_y, above, between;
    figure::Names units, parameters;
    for (std::size_t layer = 0; layer < sizes.size(); ++layer) {
        for (Index unit = 0; unit < sizes[layer]; ++unit)
            x.push_back(double(layer)), y.push_back(height(layer, unit));
        above.push_back(double(layer));
        units.push_back(fmt::format("{}", sizes[layer]));
        if (layer == 0) continue;
        const nn::Linear& dense = net.layers[layer - 1];
        between.push_back(double(layer) - 0.5);
        parameters.push_back(
            fmt::format("{}", dense.weight.numel() + dense.bias.numel()));
        for (Index from = 0; from < sizes[layer - 1]; ++from) {
            for (Index to = 0; to < sizes[layer]; ++to)
                for (const bool end : {false, true}) {
                    path_x.push_back(double(layer) - (end ? 0 : 1));
                    path_y.push_back(end ? height(layer, to) : height(layer - 1, from));
                }
            path_x.push_back(NAN), path_y.push_back(NAN);
        }
    }
    Figure("fig-mlp-units")
        .describe(fmt::format(
            "Four columns of dots, the units of the layers, with lines from every dot "
            "to all dots of the next column. Above the columns stand their sizes, {}; "
            "below the lines the numbers of parameters, {}. Sliders set the sizes of "
            "the first three columns.",
            fmt::join(units, ", "), fmt::join(parameters, ", ")))
        .height(300)
        .bare()
        .slider(the_inputs, "inputs")
        .slider(the_first, "first hidden layer")
        .slider(the_second, "second hidden layer")
        .line("", path_x, path_y,
              {.color = figure::grey,
               .dash = figure::solid,
               .width = 0.5,
               .opacity = 0.5,
               .points = false})
        .dots("", x, y,
              {.color = figure::blue, .shape = figure::Shape::circle, .width = 2.5})
        .words("", above, std::vector<double>(above.size(), 28), units,
               {.color = figure::blue})
        .words("", between, std::vector<double>(between.size(), -28), parameters,
               {.color = figure::ink})
        .words("", {1.5}, {-33},
               {fmt::format("{} parameters, {} hidden layers", nn::count(net),
                            hidden_layers(net))},
               {.color = figure::ink})
        .xlim(-0.3, 3.3)
        .ylim(-36, 31)
        .save(
            "An MLP: units (blue, their number above) and weights (lines; below, the "
            "parameters of each layer, with a bias for each unit). Most parameters "
            "belong to the layer between the two widest neighbours.");
}
//-

// ## A chain of dense layers
//
// Take two inputs, two hidden units and one output, with ReLU between:
//
// $$ W_1 = \begin{pmatrix} 1 & -1 \cr 2 & 1 \end{pmatrix}, \quad b_1 = \begin{pmatrix} 0 \cr -1 \end{pmatrix}, \quad
//    W_2 = \begin{pmatrix} 1 & 2 \end{pmatrix}, \quad b_2 = 1, \quad x = \begin{pmatrix} 1 \cr 2 \end{pmatrix} . $$
//
// The first layer gives $W_1 x + b_1 = (-1, 3)$. ReLU makes it $(0, 3)$, and the second layer returns
// $1 \cdot 0 + 2 \cdot 3 + 1 = 7$. Without the ReLU the result is $-1 + 6 + 1 = 6$, and then a single layer would do:
// its matrix is $W_2 W_1 = (5, 1)$, its bias $W_2 b_1 + b_2 = -1$, and $5 + 2 - 1 = 6$. In general, with an activation
// function $\sigma$ and $x^{(0)} = x$,
//
// $$ x^{(d)} = \sigma\big( W_d\, x^{(d-1)} + b_d \big) \quad \text{for } d = 1, \dots, D - 1 , \qquad
//    \hat y = W_D\, x^{(D-1)} + b_D . $$
//
// No activation function follows the last layer, because the scores of a classifier and the result of a regression may
// have any sign and size. As a program, an MLP is one loop; {cpp:class}`~recto::nn::Mlp` has the same:
Tensor run(const std::vector<nn::Linear>& layers, Tensor x) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        x = layers[i](x);
        if (i + 1 < layers.size()) x = relu(x);
    }
    return x;
}

//- the example, by the loop and by the library
void example() {
    Generator unused(0);
    const Mlp net({2, 2, 1}, relu, unused);
    net.layers[0].weight.detach().copy_(Tensor({2, 2}, {1, -1, 2, 1}));
    net.layers[0].bias.detach().copy_(Tensor({2}, {0, -1}));
    net.layers[1].weight.detach().copy_(Tensor({1, 2}, {1, 2}));
    net.layers[1].bias.detach().copy_(Tensor({1}, {1}));
    const Tensor x({2}, {1, 2}), y = run(net.layers, x);
    Mlp straight = net;
    straight.activation = nullptr;
    say("with ReLU {}, without {}", y.item(), straight(x).item());
    claim_true("", "the loop and the library's MLP both give 7",
               y.item() == 7 && net(x).item() == 7);
}
//-

// ## What counts as a hidden layer
//
// {numref}`fig-5.1` shows an MLP from 50 inputs to 2 outputs, drawn from the running model. It has three dense layers.
// Two of their results stay inside the network: these are its **hidden layers**. The third result is the output. So
// the number of hidden layers is the number of dense layers except the last {cite:p}`fleuret2023`:
Index hidden_layers(const Mlp& net) { return Index(net.layers.size()) - 1; }
//- how the diagram is drawn, and what is checked
// The sizes at the arrows of a diagram, from lines such as `"2" -> "3" [label=" (25)  "`.
std::vector<std::string> drawn_sizes(const std::string& dot) {
    std::vector<std::string> found;
    for (std::size_t arrow = dot.find("\" -> \""); arrow != dot.npos;
         arrow = dot.find("\" -> \"", arrow + 1)) {
        const std::string line = dot.substr(arrow, dot.find('\n', arrow) - arrow);
        const std::size_t first = line.find('('), last = line.find(')');
        if (first != line.npos) found.push_back(line.substr(first, last + 1 - first));
    }
    return found;
}
void figure_5_1() {
    Generator random(book::seed());
    const Mlp net({50, 25, 10, 2}, relu, random);
    const LayerColumn column =
        figure::layer_column(nn::tape_of(net, random.normal({1, 50})));
    const figure::Diagram diagram = figure::layer_diagram("fig-5.1", column);
    diagram.save(
        "An MLP with two hidden layers, drawn from the model. Sizes stand at the "
        "arrows where they change. After Figure 5.1 of {cite:t}`fleuret2023`, from its "
        "description.");
    book::shows("fig-5.1/a", "fig-5.1");
    const std::vector<std::string> sizes = drawn_sizes(diagram.dot());
    say("sizes at the arrows: {}", fmt::join(sizes, " "));
    claim_true("fig-5.1/b", "the drawn sizes are 50, 25, 10 and 2",
               sizes == std::vector<std::string>{"(50)", "(25)", "(10)", "(2)"});
    claim("fig-5.1/c", "parameters of the drawn layers", column.parameters, "==", 1557);
    claim("sys-mlp/a", "its hidden layers", hidden_layers(net), "==", 2);
    claim("", "parameters of the model that the drawing misses",
          nn::count(net) - column.parameters, "==", 0);
}
//-

// The words "a network of $n$ layers" are ambiguous. This network has three dense layers, four columns of units with the
// input, and five boxes in the diagram. The number of hidden layers is clear, and so is a list of sizes: 50, 25, 10, 2.
//
// A layer from $m$ units to $m'$ has $m \cdot m'$ weights and $m'$ biases, so $(m + 1)\, m'$ parameters. The layers of the
// figure have $51 \cdot 25 = 1275$, $26 \cdot 10 = 260$ and $11 \cdot 2 = 22$ parameters, together 1,557. The first layer
// alone has 82 % of them. This is typical if the input is large: an image of $28 \times 28$ pixels would need
// $785 \cdot 25 = 19{,}625$ parameters in the same first layer.
//
//- the question, and its answer
void doubled() {
    Generator random(book::seed());
    const Mlp figure({50, 25, 10, 2}, relu, random),
        twice({50, 50, 20, 2}, relu, random);
    const double factor = double(nn::count(twice)) / double(nn::count(figure));
    //-
    ask("Both hidden layers of the figure get twice as many units, 50 and 20. How do "
        "the "
        "parameters of the network grow?",
        {{"They double: every unit brings its own weights.", factor < 2.1,
          "The first layer doubles, because its 50 inputs stay. Between the hidden "
          "layers both ends double, and with them the weights of every unit."},
         {"By a factor of about 2.3.", factor > 2.1 && factor < 3,
          "1,557 become 3,612. The first layer doubles, the layer between the hidden "
          "ones grows to almost four times its size, and the first is the larger one."},
         {"They become four times as many: weights are products.", factor > 3,
          "That is so only between two layers that both double."}});
    //- what is printed
    say("{} parameters become {}", nn::count(figure), nn::count(twice));
}
//-

// ## Where it is the right choice
//
// An MLP treats its inputs as a list without order or neighbourhood. That suits a table, whose columns have nothing in
// common but their row. It does not suit an image: [shuffling all pixels](../components/locality.cpp) changes nothing
// for an MLP, so it cannot know which pixels are neighbours. Nor does it suit a sequence whose length varies, because its first layer has one
// weight for each input. And even a table may have better models: on many tables of real data, ensembles of decision
// trees are more accurate than neural networks {cite:p}`grinsztajn2022`.
//
// Inside larger networks an MLP does what it is good at. It takes a short list of numbers that other layers have made, such
// as the 256 numbers of [LeNet](lenet.cpp), and turns it into scores.

void page() {
    units_figure();
    example();
    figure_5_1();
    doubled();
}

// ## Summary
//
// An MLP is a chain of dense layers with activation functions between them. The number of its hidden layers is the number
// of dense layers except the last, and a layer from $m$ to $m'$ units has $(m + 1)\, m'$ parameters: 1,557 for
// 50, 25, 10 and 2. It reads its inputs as a list, so it suits short lists of unlike numbers.
//
// ## What is missing
//
// How much better an MLP is than a linear classifier on a table, and a convolutional network than an MLP on images, is
// not measured here. And which functions can an MLP represent at all, and how wide must its hidden layers be? [The next page](universal_approximation.cpp) answers with a theorem.
//
// ```{exercises}
// - [Training loops, hidden units, three convolutions](/exercises/networks/hidden_units.md)
// ```
//
// ```{try}
// - With 25 and 10 hidden units, from how many inputs on does the first layer hold 80 % of the parameters? `--inputs` sets their number.
// ```
