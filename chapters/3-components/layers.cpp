// # Layers: what every part of a model has in common
//
// ```{rows} sys-layer sys-diagram-conventions eq-fully-connected claim-linear-means-affine claim-fc-256rgb-4e10
// ```
//
// [The last chapter](../training/compute.cpp) trained networks, and most of these networks repeated a single part: a
// matrix and a bias, followed by a nonlinear function. Large models need more kinds of parts. A standard part is called
// a **layer**, and you build models from layers as you build walls from bricks. What must you know about a layer to use
// it without opening it? And why is the oldest layer, the **fully connected** or **dense layer**, not enough?
// {numref}`fig-affine` shows what a dense layer does to a plane. Move the slider: at 0 the layer changes nothing.
//- includes, names and options
#include <recto/base/config.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/layer.hpp>
#include <recto/nn/summary.hpp>
#include <recto/ops/products/linear.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure, figure::LayerColumn;

const book::Option<Index> side("side", 256, "height and width of the images",
                               {.least = 1, .most = 10'000});
const book::Option<Index> blocks("blocks", 6, "hidden layers of the deep network",
                                 {.quick = 3, .least = 2, .most = 100});

// Defined further down:
struct Cost {
    Index weights, biases, products;
};
Cost dense_cost(Index in, Index out);
//-

//- how the figure is drawn
struct Strokes {
    std::vector<double> x, y;
    void to(const Tensor& p) {
        for (Index i = 0; i < p.size(0); ++i)
            x.push_back(double(p.at({i, 0}))), y.push_back(double(p.at({i, 1})));
        x.push_back(NAN), y.push_back(NAN);
    }
};
void draw_layer(Figure& figure, double s) {  // a share of the matrix and of the bias
    const Tensor w(
        {2, 2}, {Real(1 - 0.4 * s), Real(-0.8 * s), Real(0.9 * s), Real(1 - 0.3 * s)}),
        b({2}, {Real(1.5 * s), Real(-0.5 * s)});
    Strokes grid, letter, shift;
    for (int k = -2; k <= 2; ++k) {
        grid.to(linear(Tensor({2, 2}, {Real(k), -2, Real(k), 2}), w, b));
        grid.to(linear(Tensor({2, 2}, {-2, Real(k), 2, Real(k)}), w, b));
    }
    letter.to(linear(Tensor({3, 2}, {0.5f, 0.5f, 0.5f, 1.7f, 1.3f, 1.7f}), w, b));
    letter.to(linear(Tensor({2, 2}, {0.5f, 1.1f, 1.1f, 1.1f}), w, b));
    const Tensor at_zero = linear(zeros({1, 2}), w, b);
    shift.to(Tensor({2, 2}, {0, 0, at_zero.at({0, 0}), at_zero.at({0, 1})}));
    const auto style = [](figure::Color color, double width) {
        return figure::Style{
            .color = color, .dash = figure::solid, .width = width, .points = false};
    };
    figure.line("", grid.x, grid.y, style(figure::grey, 1))
        .line("", letter.x, letter.y, style(figure::blue, 3))
        .line("", shift.x, shift.y, style(figure::red, 2))
        .dots("", {double(at_zero.at({0, 0}))}, {double(at_zero.at({0, 1}))},
              {.color = figure::red, .shape = figure::Shape::circle, .width = 5});
}
void affine_figure() {
    Figure figure("fig-affine");
    figure
        .describe(
            "Two planes. Left, a square grid with a letter F and a dot at the origin. "
            "Right, the same after a dense layer: the grid is slanted, its lines are "
            "still straight and parallel, the F leans, and the dot has left the origin "
            "along a red line, the bias. A slider blends from the left plane to the "
            "right one.")
        .height(300)
        .slider("share", {0, 0.2, 0.4, 0.6, 0.8, 1}, "share of the matrix and bias", 1)
        .panel("two inputs");
    draw_layer(figure, 0);
    figure.x("first input").y("second input").xlim(-3, 5).ylim(-4, 4);
    figure.panel("two outputs");
    for (int stop = 0; stop <= 5; ++stop) draw_layer(figure.at(stop / 5.0), stop / 5.0);
    figure.always()
        .x("first output")
        .y("second output")
        .xlim(-3, 5)
        .ylim(-4, 4)
        .save(
            "A grid and a letter (blue) before and after a dense layer. At every stop "
            "of the slider lines stay straight and parallel lines stay parallel, and "
            "the bias (red) moves the origin.");
}
//-

// ## Four questions to a layer
//
// A **layer** is a standard operation on tensors that serves as a unit of design. Many layers have parameters of their
// own, which training changes; ReLU has none. To build with a layer, you ask it four questions:
//
// 1. *What does it compute?* It is a function from a tensor to a tensor.
// 2. *Which shape does the result have?* The answer must follow from the shape of the input, so that you can plan a
//    model before you run it. Finding the shape without computing the result is called **shape inference**.
// 3. *Which parameters does it have,* and what are their names? An optimiser needs the parameters, and a file needs
//    the names.
// 4. *What does it cost?* Count its parameters and its multiplications.
//
// The idea is as old as the perceptron, whose units stood in layers {cite:p}`rosenblatt1958`. {cite:t}`lecun1998`
// describe layers as software: modules that each have a method for the forward pass and one for the backward pass.
// Torch {cite:p}`collobert2002` made a library of such modules.
//
// In our library {cpp:class}`~recto::nn::Layer` gives all layers one interface. A model can then be a list:
using Layers = std::vector<nn::Layer>;

Layers lenet(Generator& random) {
    return {nn::Conv2d(1, 6, 5, random, {.padding = 2}),
            nn::Relu(),
            nn::MaxPool2d{2},
            nn::Conv2d(6, 16, 5, random),
            nn::Relu(),
            nn::MaxPool2d{2},
            nn::Flatten(),
            nn::Linear(400, 120, random),
            nn::Relu(),
            nn::Linear(120, 84, random),
            nn::Relu(),
            nn::Linear(84, 10, random)};
}

// This is a modern version of LeNet-5 {cite:p}`lecun1998`. Later pages of this chapter explain its convolutions and
// pooling layers. You can already plan with them: this loop asks each layer for the shape of its result and for its
// number of parameters. It computes nothing.
void plan(const Layers& layers, Shape shape) {
    std::vector<std::vector<book::Cell>> rows;
    for (const nn::Layer& layer : layers) {
        const Shape after = layer.result_shape(shape);
        rows.push_back({layer.name(), fmt::format("{}", shape),
                        fmt::format("{}", after), nn::count(layer)});
        shape = after;
    }
    //- the table
    book::table("fig-plan",
                "LeNet, layer by layer, for one grey image of 28 by 28 pixels.",
                {"layer", "input", "result", "parameters"}, rows);
    //-
}

// {numref}`fig-plan` is the plan. To run the model, apply one layer after another:
Tensor run(const Layers& layers, Tensor x) {
    for (const nn::Layer& layer : layers) x = layer(x);
    return x;
}

// Does each layer return the shape that it inferred? The library has an example of every kind of layer, with random
// sizes. We draw each kind twenty times and compare:
//- inferred and returned shapes
void shapes() {
    Generator random(book::seed());
    Index kinds = 0, differ = 0;
    for (int draw = 0; draw < 20; ++draw) {
        const auto examples = nn::layer_examples(random);
        kinds = Index(examples.size());
        for (const auto& [layer, input] : examples)
            differ += layer.result_shape(input) != layer(random.normal(input)).shape();
    }
    say("{} kinds of layers, {} inferred shapes", kinds, 20 * kinds);
    claim("sys-layer/a", "results whose shape differs from the inferred one", differ,
          "==", 0);
}
//-

// Two tests of the library use the same examples. Each gradient agrees with finite differences, and each layer that is
// saved to a file and loaded again has the same bits in all its parameters.
//
// ## The dense layer
//
// A dense layer connects each of its $D$ inputs with each of its $D'$ outputs. Take two inputs and three outputs:
//
// $$ W = \begin{pmatrix} 1 & 2 \cr 0 & 1 \cr -1 & 1 \end{pmatrix}, \quad
//    b = \begin{pmatrix} 1 \cr 0 \cr -1 \end{pmatrix}, \quad
//    x = \begin{pmatrix} 3 \cr 1 \end{pmatrix}, \qquad
//    W x + b = \begin{pmatrix} 5 \cr 1 \cr -2 \end{pmatrix} + \begin{pmatrix} 1 \cr 0 \cr -1 \end{pmatrix}
//    = \begin{pmatrix} 6 \cr 1 \cr -3 \end{pmatrix} . $$
//
// Each row of $W$ holds the weights of one output. With $3 \cdot 2$ weights and 3 biases, the layer has 9 parameters.
// An input may have more axes. The layer then maps the last axis and treats the other axes as a batch: an input of
// shape $(4, 7, 2)$ holds 28 vectors of two numbers, and the result has the shape $(4, 7, 3)$.
//
// ```{equation} eq-fully-connected
// :function: recto::linear
// :test: equations: the fully connected layer
// Y[d_1, \dots, d_K] = W\, X[d_1, \dots, d_K] + b, \qquad W \in \mathbb R^{D' \times D}
// ```
//
// As a loop, for one vector:
Tensor dense(const Tensor& w, const Tensor& b, const Tensor& x) {
    Tensor y = clone(b);
    for (Index i = 0; i < w.size(0); ++i)
        for (Index j = 0; j < w.size(1); ++j)
            y.set({i}, y.at({i}) + w.at({i, j}) * x.at({j}));
    return y;
}

//- the example, by the loop and by the library
void example() {
    const Tensor w({3, 2}, {1, 2, 0, 1, -1, 1}), b({3}, {1, 0, -1}), x({2}, {3, 1});
    const std::vector<Real> y = dense(w, b, x).values();
    say("by the loop: {}, {}, {}", y[0], y[1], y[2]);
    claim_true("", "the library's layer gives the same three numbers",
               linear(x, w, b).values() == y);
    say("a batch of shape {}", linear(zeros({4, 7, 2}), w, b).shape());
}
//-

// ## Linear means affine
//
// Many libraries, ours too, call this layer *linear*. A linear function satisfies $f(x + v) = f(x) + f(v)$, so
// $f(0) = 0$. A dense layer has $f(0) = b$, so its exact name is **affine**: a linear part and a shift. In the example,
// $f(x) + f(x)$ is $(12, 2, -6)$ and $f(x + x)$ is $(11, 2, -5)$. The first contains the bias twice, the second once,
// and they differ by $b = (1, 0, -1)$. For any two inputs
//
// $$ f(x + v) - f(x) - f(v) + f(0) = (W x + W v + b) - (W x + b) - (W v + b) + b = 0 . $$
//
// A test of the library checks that this sum vanishes and that $f(0)$ equals $b$. {numref}`fig-affine` shows the
// consequence: straight lines stay straight, and parallel lines stay parallel. A dense layer can turn, stretch, shear,
// mirror, flatten and shift. Bending needs [an activation function](activations.cpp).
//
// ## What connecting everything costs
//
// The cost of a dense layer follows from its numbers of inputs and outputs:
Cost dense_cost(Index in, Index out) {
    return {in * out, out, in * out};  // one product for each weight
}

// Place your bet. A small photograph has $256 \times 256$ pixels and three colours. You want a dense layer that turns
// it into an image of the same size, for example into a sharper one.
void photograph() {
    const Index pixels = 3 * side() * side();
    const Cost cost = dense_cost(pixels, pixels);
    const double gigabytes = 4e-9 * double(cost.weights);
    //- the question, and what is checked
    ask("How much memory do the weights of this single layer take, in single "
        "precision?",
        {{"About as much as the photograph: a megabyte.", gigabytes < 0.01,
          "The photograph has 196,608 numbers. The layer has that many weights for "
          "each number of the result."},
         {"About as much as a large photo collection: a gigabyte.",
          gigabytes >= 0.01 && gigabytes < 150,
          "Two hundred thousand inputs times two hundred thousand outputs are forty "
          "billion weights, and each takes four bytes."},
         {"More than a GPU of 80 gigabytes holds: over 150 gigabytes.",
          gigabytes >= 150,
          "Every one of 196,608 outputs has a weight for every one of 196,608 "
          "inputs."}});
    Generator random(book::seed());
    const nn::Linear small(48, 27, random);  // small enough to be made
    const nn::Summary run = nn::summary(small, zeros({1, 48}));
    const Cost counted = dense_cost(48, 27);
    claim("", "parameters that the formula misses, for 48 inputs and 27 outputs",
          nn::count(small) - counted.weights - counted.biases, "==", 0);
    claim("", "products that the formula misses", run.total.macs - counted.products,
          "==", 0);
    claim("claim-fc-256rgb-4e10/a", "weights of the dense layer", cost.weights,
          "==", 38'654'705'664);
    claim("claim-fc-256rgb-4e10/b", "biases of the dense layer", cost.biases,
          "==", 196'608);
    book::claim_in("claim-fc-256rgb-4e10/c", "gigabytes of the weights", gigabytes,
                   154.6, 154.7);
    const nn::Conv2d three(3, 3, 3, random, {.padding = 1});
    const Shape image{1, 3, side(), side()};
    const Index weights = three.weight.numel();
    claim("claim-fc-256rgb-4e10/d", "parameters of the 3 by 3 convolution",
          nn::count(three), "==", 84);
    book::table("fig-cost",
                "Two layers from a colour image to one of the same size. Products are "
                "those for one image.",
                {"", "dense", "3 by 3 convolution"},
                {{"weights", cost.weights, weights},
                 {"biases", cost.biases, three.bias.numel()},
                 {"products", cost.products,
                  weights * nn::Layer(three).result_shape(image).without(1).numel()}});
    //-
}

// The layer has $3.9 \times 10^{10}$ weights and needs as many products for each image. The weights alone take 154.6
// gigabytes; training also stores a gradient for each weight. Twice the side of the image means 16 times as many
// weights, because the number of weights is the *square* of the number of inputs. The last column of {numref}`fig-cost`
// is a layer that [the page on convolution](convolution.cpp) explains. It maps the same image to the same size with 84
// parameters.
//
// ## How models are drawn
//
// Diagrams of models follow conventions, and this book uses those of {cite:t}`fleuret2023`. A box is a layer. Layers
// that repeat are drawn only once, in a dashed frame with a multiplier. A size stands to the right of an arrow if the
// layer before the arrow has changed the size. Complex layers have taller boxes; here a layer is complex if it has
// parameters.
//
// {cpp:func}`~recto::figure::layer_column` reads the layers from a model: it runs the model once, records each
// operation, and looks for repetitions. {numref}`fig-deep` shows a network with six equal hidden layers,
// {numref}`fig-lenet` shows LeNet.
//- how the diagrams are drawn
struct Deep {
    Layers layers;
    Tensor operator()(const Tensor& x) const { return run(layers, x); }
    void visit(auto&& part) { part("layers", layers); }
};
// The size labels of the arrows of a column, in order: from lines such as `"2" -> "3" [label=" (64)  "`.
std::vector<std::string> size_labels(const std::string& dot) {
    std::vector<std::string> found;
    for (std::size_t arrow = dot.find("\" -> \""); arrow != dot.npos;
         arrow = dot.find("\" -> \"", arrow + 1)) {
        const std::size_t begin = dot.find("label=\"", arrow) + 7;
        const std::string label = dot.substr(begin, dot.find('"', begin) - begin);
        const std::size_t first = label.find('('), last = label.rfind(')');
        found.push_back(first == label.npos ? label
                                            : label.substr(first, last + 1 - first));
    }
    return found;
}
void diagrams() {
    Generator random(book::seed());
    const Deep lenet_5{lenet(random)};
    Deep deep{{nn::Flatten(), nn::Linear(784, 64, random), nn::Relu()}};
    for (Index block = 0; block < blocks(); ++block) {
        deep.layers.push_back(nn::Linear(64, 64, random));
        deep.layers.push_back(nn::Relu());
    }
    deep.layers.push_back(nn::Linear(64, 10, random));
    Index arrows = 0, wrong = 0, missed = 0;
    const auto compare = [&](const Deep& model, const char* name, const char* caption) {
        const Tensor image = random.normal({2, 1, 28, 28});
        const LayerColumn column = figure::layer_column(nn::tape_of(model, image));
        const figure::Diagram diagram = figure::layer_diagram(name, column);
        diagram.save(caption);
        book::shows("sys-diagram-conventions/a", name);
        Tensor x = image;
        std::vector<Shape> met;  // before the first layer, and after each
        for (const nn::Layer& layer : model.layers) {
            met.push_back(x.shape().without(0));
            x = layer(x);
        }
        met.push_back(x.shape().without(0));
        std::vector<std::string> sizes = {to_string(met[0])};  // empty: no change
        std::size_t layer = 0;
        for (std::size_t box = 0; box < column.boxes.size(); ++box) {
            const Shape &before = met.at(layer), &after = met.at(layer + 1);
            sizes.push_back(before == after ? "" : to_string(after));
            ++layer;
            for (const figure::LayerGroup& group : column.groups)
                if (Index(box) == group.first + group.boxes - 1)
                    layer += std::size_t((group.times - 1) * group.boxes);
        }
        wrong += layer != model.layers.size();
        const std::vector<std::string> labels = size_labels(diagram.dot());
        wrong += labels.size() != sizes.size();
        for (std::size_t i = 0; i < std::min(labels.size(), sizes.size()); ++i)
            wrong += labels[i] != sizes[i];
        arrows += Index(labels.size());
        missed += nn::count(model) - column.parameters;
        return column;
    };
    const LayerColumn of_deep = compare(
        deep, "fig-deep",
        "A deep network of dense layers, drawn from the running model. The dashed "
        "frame stands for all equal layers; sizes appear only where they change.");
    compare(lenet_5, "fig-lenet",
            "LeNet, drawn by the same function. No layers repeat, so there is no "
            "frame. Read the sizes at the arrows: the images shrink from 28 to 5 "
            "pixels a side, while their number grows from 1 to 16.");
    say("the labels of {} arrows compared with the shapes of a run", arrows);
    say("each copy has {} parameters, all copies have {}",
        nn::count(nn::Linear(64, 64, random)),
        of_deep.groups.empty() ? 0 : of_deep.groups[0].parameters);
    claim("sys-diagram-conventions/b",
          "two models: labels of arrows that differ from the sizes met at run time",
          wrong, "==", 0);
    claim("sys-diagram-conventions/c", "copies in the dashed frame",
          of_deep.groups.empty() ? 0 : of_deep.groups[0].times, "==", blocks());
    claim("sys-diagram-conventions/c",
          "parameters of the copies in the frame, divided by those of one layer",
          of_deep.groups.empty() ? 0
                                 : double(of_deep.groups[0].parameters) /
                                       double(nn::count(nn::Linear(64, 64, random))),
          "==", blocks());
    claim("", "parameters of both models that the boxes miss", missed, "==", 0);
}
//-

// The frame stands for six layers, not for one layer that runs six times: each copy has its own 4,160 parameters, and
// together they have 24,960.
//
// ## Limits
//
// The interface covers layers that map one tensor to one tensor. An embedding reads whole numbers, and cross-attention
// reads two tensors, so neither fits into it. And the four answers do not say how fast a layer runs, or what a layer
// *assumes* about its inputs.

void page() {
    affine_figure();
    Generator random(book::seed());
    const Layers layers = lenet(random);
    plan(layers, {1, 1, 28, 28});
    shapes();
    example();
    photograph();
    diagrams();
}

// ## Summary
//
// A layer is a function of tensors with an inferred shape, named parameters and a known cost. The dense layer applies
// one affine map to the last axis and has $D' D + D'$ parameters. From an image of $256 \times 256$ pixels and three
// colours to one of the same size, these are $3.9 \times 10^{10}$ weights.
//
// ## What is missing
//
// Its cost alone rules the dense layer out for large images. A second argument holds even for small images: a dense
// layer does not know which inputs are neighbours. [The next page](locality.cpp) measures what this means.
//
// ```{try}
// - Larger images: `--side 1024`. How many weights has the dense layer now?
// - A deeper network: `--blocks 20`. What changes in the diagram?
// ```
