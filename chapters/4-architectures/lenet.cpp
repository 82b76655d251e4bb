// # LeNet: convolutional networks
//
// ```{rows} sys-convnet sys-lenet fig-5.2 sys-conv-block
// ```
//
// An image of 28 × 28 pixels has 784 numbers, and its class is one of ten. [A dense layer](../components/layers.cpp)
// connects every pixel with every unit and does not know which pixels are neighbours. A **convolutional network**
// shrinks the image first: [convolutions](../components/convolution.cpp) look for parts,
// [pooling](../components/pooling.cpp) keeps whether a part is there and forgets exactly where, and only a few hundred
// numbers reach the dense layers. {numref}`fig-lenet-design` shows how large each stage is and how many parameters it
// has. Move the sliders. What does it cost to shrink less? This page builds such a network, **LeNet**, trains it on
// images of clothes, and runs it on an image larger than any that it was trained on.
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say,
    book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure, figure::Names;
using Layers = std::vector<nn::Layer>;

const book::Option<Index> kernel("kernel", 5, "side of the kernels in the first figure",
                                 {.least = 1, .most = 5});
const book::Option<Index> pool_1("pool-1", 3, "side of the first pooling windows there",
                                 {.least = 1, .most = 3});
const book::Option<Index> pool_2("pool-2", 2,
                                 "side of the second pooling windows there",
                                 {.least = 1, .most = 4});
const book::Option<Index> pictures("pictures", 60'000, "images to learn from",
                                   {.quick = 2000, .least = 100, .most = 60'000});
const book::Option<Index> judged("judged", 10'000, "images to be judged by",
                                 {.quick = 1000, .least = 100, .most = 10'000});

// Defined further down:
struct Design {
    Index kernel = 5, first = 3, second = 2;  // sides of the kernels and of the windows
    nn::Init weights = nn::he_init;
};
Layers lenet(Generator& random, Design design = {});
//-

//- how the figure is drawn
void design() {
    Generator random(book::seed());
    const Names stages = {"image",  "conv 1",  "pool 1", "conv 2",
                          "pool 2", "dense 1", "dense 2"};
    std::vector<double> numbers = {784}, parameters = {0};
    Shape shape{1, 1, 28, 28};
    for (const nn::Layer& layer : lenet(random, {kernel(), pool_1(), pool_2()})) {
        shape = layer.result_shape(shape);
        if (layer.name() == "Relu" || layer.name() == "Flatten") continue;
        numbers.push_back(double(shape.numel()));
        parameters.push_back(double(nn::count(layer)));
    }
    Figure figure("fig-lenet-design");
    figure
        .describe(
            "Two bar charts with a bar for each stage of LeNet: the numbers of one "
            "sample after the stage, and the parameters of the stage. The first "
            "convolution returns 18,432 numbers and has 832 parameters. The second "
            "convolution and the first dense layer have 51,000 parameters each. "
            "Sliders set the side of the kernels and of both pooling windows. With "
            "small windows the first dense layer has millions of parameters.")
        .height(230)
        .slider(kernel, "kernel")
        .slider(pool_1, "first pooling")
        .slider(pool_2, "second pooling")
        .panel("numbers of one sample")
        .bars("", stages, numbers, {.color = figure::blue});
    figure.panel("parameters").bars("", stages, parameters, {.color = figure::red});
    figure.save(
        "The stages of LeNet: how many numbers one image has become after each stage, "
        "and the parameters of each stage. Set both pooling windows to 1: the first "
        "dense layer then has a hundred times as many parameters, and the other bars "
        "vanish beside it.");
}
//-

// ## Shrink, then decide
//
// Follow one image. A kernel of 5 pixels has $28 - 5 + 1 = 24$ places along a side of 28. Pooling with windows of 3
// leaves $24 / 3 = 8$ places, the second convolution $8 - 5 + 1 = 4$, and windows of 2 leave 2. With 64 channels these
// are $64 \cdot 2 \cdot 2 = 256$ numbers. In general a convolution with kernels of side $K$, followed by pooling with
// windows of side $P$, turns a side of $H$ places into
//
// $$ \left\lfloor \frac{H - K + 1}{P} \right\rfloor $$
//
// places, rounded down because pooling leaves out a window that does not fit. As the places become fewer, the channels
// become more: 1, 32, 64 ([why](../components/filters.cpp)). Two dense layers then read all 256 numbers. The network is
// a list of layers:
Layers lenet(Generator& random, Design d) {
    const Index side = ((28 - d.kernel + 1) / d.first - d.kernel + 1) / d.second;
    return {nn::Conv2d(1, 32, d.kernel, random, {.weights = d.weights}),
            nn::MaxPool2d{d.first},
            nn::Relu(),
            nn::Conv2d(32, 64, d.kernel, random, {.weights = d.weights}),
            nn::MaxPool2d{d.second},
            nn::Relu(),
            nn::Flatten(),
            nn::Linear(64 * side * side, 200, random, {.weights = d.weights}),
            nn::Relu(),
            nn::Linear(200, 10, random, {.weights = d.weights})};
}

// This is the network of Figure 5.2 of {cite:t}`fleuret2023`, a modern relative of LeNet-5 {cite:p}`lecun1998`. To draw
// {numref}`fig-5.2`, the program runs the list once and draws the operations that it recorded.
//
// The ReLU stands after the pooling. Neither of the two ever reverses the order of two numbers, so the largest ReLU of
// a window is the ReLU of the largest number. Both orders give the same result, and after the pooling the ReLU has nine
// times fewer numbers to treat.
//- the network as a model, the diagram, and what is checked
struct Net {
    Layers layers;
    Tensor operator()(Tensor x) const {
        for (const nn::Layer& layer : layers) x = layer(x);
        return x;
    }
    void visit(auto&& part) { part("layers", layers); }
};
double largest(const Tensor& x) { return double(max(abs(x)).item()); }

// The sizes at the arrows of a diagram, in order: from lines such as `"2" -> "3" [label=" (64)  "`.
Names size_labels(const std::string& dot) {
    Names found;
    for (std::size_t arrow = dot.find("\" -> \""); arrow != dot.npos;
         arrow = dot.find("\" -> \"", arrow + 1)) {
        const std::size_t begin = dot.find("label=\"", arrow) + 7;
        const std::string label = dot.substr(begin, dot.find('"', begin) - begin);
        const std::size_t first = label.find('('), last = label.rfind(')');
        if (first != label.npos) found.push_back(label.substr(first, last + 1 - first));
    }
    return found;
}

void diagram() {
    Generator random(book::seed());
    const Net net{lenet(random)};
    Tensor x = ones({1, 1, 28, 28});
    figure::Diagram drawn =
        figure::layer_diagram("fig-5.2", figure::layer_column(nn::tape_of(net, x)));
    drawn.save(
        "LeNet, drawn from the list of its layers after the conventions of "
        "{cite:t}`fleuret2023`: a size stands at an arrow if the layer before it has "
        "changed the size. The operation `reshape` lays 64 maps of 2 × 2 out as one "
        "row, and `linear` is a dense layer.");
    book::shows("fig-5.2/a", "fig-5.2");
    const auto words = [](const Shape& batch) {
        return fmt::format("{}", batch.without(0));
    };
    Names seen = {words(x.shape())};
    Index scalars = 0;
    for (const nn::Layer& layer : net.layers) {
        x = layer(x);
        if (words(x.shape()) != seen.back()) seen.push_back(words(x.shape()));
        if (layer.name() == "Flatten") scalars = x.numel();
    }
    const Names printed = {"(1, 28, 28)", "(32, 24, 24)", "(32, 8, 8)", "(64, 4, 4)",
                           "(64, 2, 2)",  "(256)",        "(200)",      "(10)"};
    claim_true("fig-5.2/b",
               "the eight sizes of the printed figure, those of the diagram and those "
               "of a run are the same",
               size_labels(drawn.dot()) == printed && seen == printed);
    claim("fig-5.2/c", "scalars of an image of 784 pixels that reach the dense layers",
          scalars, "==", 256);
    claim("sys-lenet/b", "parameters of LeNet", nn::count(net), "==", 105'506);
}
//-

// The parameters are easy to count. A filter of the second convolution reads $5 \times 5$ places of 32 channels and has
// a bias, so the layer has $64 \cdot (32 \cdot 25 + 1) = 51{,}264$ parameters. The first convolution has 832, and the
// dense layers have 51,400 and 2,010. The sum is 105,506, and half of it belongs to the dense layers. Place your bet:
//- the question
void work() {
    Generator random(book::seed());
    const Net net{lenet(random)};
    Tensor x = zeros({1, 1, 28, 28});
    double dense = 0, all = 0;
    for (const nn::Layer& layer : net.layers) {
        const FlopCount count;
        x = layer(x);
        const double products = double(count.multiply_adds());
        all += products;
        if (layer.name() == "Linear") dense += products;
        if (products > 0) say("{}: {:.0f} multiplications", layer.name(), products);
    }
    const double share = dense / all;
    ask("The dense layers have half of the parameters. Which share of the "
        "multiplications for one image do they make?",
        {{"About half.", share > 0.3,
          "This would be right if each weight were multiplied equally often. A weight "
          "of a convolution is multiplied at every place of the image."},
         {"About a fifth.", share > 0.1 && share <= 0.3,
          "Smaller still: a weight of the first convolution is multiplied at 576 "
          "places, a weight of the second at 16."},
         {"About a twenty-fifth.", share <= 0.1,
          "A dense layer multiplies each weight once. The second convolution "
          "multiplies each weight at 16 places, and the first at 576."}});
    say("share of the dense layers: {:.1f} %", 100 * share);
}
//-

// ## Training
//
// LeNet learns from 60,000 images of clothes, in batches of 100. One pass over all images is an **epoch**:
void epoch(const Net& net, const Examples& set, optim::Adam& adam, Generator& random) {
    for (const Examples& batch : Batches(set, 100, random)) {
        adam.zero_grad();
        cross_entropy(net(batch.x), batch.labels).backward();
        adam.step();
    }
}

//- ten epochs with five seeds, and the figure
std::vector<Index> answers(const Net& net, const Examples& set) {
    const NoGrad only_asking;
    std::vector<Index> found;
    for (const Examples& some : Batches(set, 1000)) {
        const std::vector<Index> best = argmax(net(some.x)).values();
        found.insert(found.end(), best.begin(), best.end());
    }
    return found;
}
double accuracy(const Net& net, const Examples& set) {
    const std::vector<Index> found = answers(net, set), labels = set.labels.values();
    double right = 0;
    for (std::size_t n = 0; n < found.size(); ++n) right += found[n] == labels[n];
    return right / double(found.size());
}
const optim::AdamOptions usual{.lr = 1e-3};

Study::Row after_each(int epochs, nn::Init weights, double seed) {
    Generator random(100 * book::seed() + std::uint64_t(seed));
    const Net net{lenet(random, {.weights = weights})};
    optim::Adam adam(nn::parameters(net), usual);
    Study::Row found;
    for (int done = 0; done < epochs; ++done) {
        epoch(net, data::fashion_mnist(Part::train), adam, random);
        found.push_back(accuracy(net, data::fashion_mnist(Part::test)));
    }
    return found;
}
const std::vector<Study::Row> five_seeds = {{1}, {2}, {3}, {4}, {5}};
const Study he(
    {"lenet", {"seed"}, {"epoch 1", "epoch 2"}, {"sys-lenet/c", "sys-lenet/d"}, 0.003},
    five_seeds,
    [](const Study::Row& setting) { return after_each(2, nn::he_init, setting[0]); });
const Study uniform({"lenet_uniform",
                     {"seed"},
                     {"epoch 1", "epoch 2", "epoch 3", "epoch 4", "epoch 5", "epoch 6",
                      "epoch 7", "epoch 8", "epoch 9", "epoch 10"},
                     {"sys-lenet/e"},
                     0.003},
                    five_seeds, [](const Study::Row& setting) {
                        return after_each(10, nn::uniform_init, setting[0]);
                    });

std::vector<double> after(const Study& study, std::size_t epochs) {
    std::vector<double> found;
    for (const Study::Row& row : study.frozen().rows) found.push_back(row[epochs]);
    return found;
}
void curves() {
    Figure figure("fig-lenet-training");
    figure
        .describe(
            "Test accuracy against the epoch, five lines for each of two kinds of "
            "initial weights. The lines of uniform weights rise from 0.84 after one "
            "epoch to 0.906 after ten. The lines of He's weights have two epochs and "
            "lie higher.")
        .height(260);
    const auto draw = [&](const char* label, const Study& study, figure::Color color) {
        const std::size_t epochs = study.about().results.size();
        std::vector<std::vector<double>> lines(five_seeds.size());
        for (std::size_t done = 1; done <= epochs; ++done) {
            const std::vector<double> found = after(study, done);
            for (std::size_t seed = 0; seed < lines.size(); ++seed)
                lines[seed].push_back(found[seed]);
            if (done <= 2 || done == epochs)
                say("{}, epoch {}: {}", label, done, book::brief(over_seeds(found)));
        }
        figure.lines(label, data::even_grid(Index(epochs), 1, double(epochs)), lines,
                     {.color = color});
    };
    draw("He's weights", he, figure::blue);
    draw("uniform weights", uniform, figure::red);
    figure.x("epoch")
        .y("test accuracy")
        .save(
            "The accuracy on 10,000 test images after each epoch, five seeds each: two "
            "epochs from He's weights and ten from uniform ones.");
    claim("sys-lenet/c", "test accuracy after 1 epoch, He's weights",
          over_seeds(after(he, 1)), ">=", 0.85);
    claim("sys-lenet/d", "test accuracy after 2 epochs, He's weights",
          over_seeds(after(he, 2)), ">=", 0.87);
    claim("sys-lenet/e", "test accuracy after 10 epochs, uniform weights",
          over_seeds(after(uniform, 10)), ">=", 0.90);
}
//-

// The optimiser is [Adam](../training/optimisers.cpp) with a learning rate of 0.001. {numref}`fig-lenet-training` shows
// that the [initial weights](../components/initialisation.cpp) matter: from He's weights the median accuracy on test
// images is 0.863 after one epoch and 0.884 after two, from the uniform weights that our layers have by default it is
// 0.843 and 0.863. After ten epochs from uniform weights it is 0.906. We did not train ten epochs from He's weights.
//
// The program trains one more network for an epoch now, and we look at its answers. In {numref}`fig-lenet-confusion`
// each class has a row, and each answer a column:
//- one epoch, its confusion matrix and its filters
Net trained() {
    Generator random(100 * book::seed() + 1);
    const Net net{lenet(random)};
    optim::Adam adam(nn::parameters(net), usual);
    const Examples set = data::slice(data::fashion_mnist(Part::train), 0, pictures());
    const double start = book::now();
    epoch(net, set, adam, random);
    book::timing_claim("sys-lenet/f", "seconds of one epoch",
                       book::seconds_since(start), "<=", 60);
    return net;
}

void confusion(const Net& net) {
    const Examples test = data::slice(data::fashion_mnist(Part::test), 0, judged());
    const std::vector<Index> found = answers(net, test), labels = test.labels.values();
    std::vector<double> cells(100), of_class(10);
    for (std::size_t n = 0; n < found.size(); ++n) {
        ++cells[std::size_t(10 * labels[n] + found[n])];
        ++of_class[std::size_t(labels[n])];
    }
    for (std::size_t i = 0; i < 100; ++i)
        cells[i] = std::round(100 * cells[i] / std::max(1.0, of_class[i / 10]));
    const Names names(data::fashion_names.begin(), data::fashion_names.end());
    Figure("fig-lenet-confusion")
        .describe(
            "A matrix of ten classes and ten answers, in per cent. The diagonal is "
            "bright for trousers, dresses, bags and shoes. It is darker for T-shirts, "
            "pullovers, coats and shirts, which are taken for one another.")
        .height(330)
        .heatmap("%", names, names, cells, 0, 100)
        .x("answer")
        .y("class")
        .save(
            "The confusion matrix of LeNet after one epoch: which answers the test "
            "images of each class get, in per cent. Look for the row with the smallest "
            "number on the diagonal.");
    book::shows("sys-lenet/a", "fig-lenet-confusion");
    say("accuracy of this network: {:.3f}", accuracy(net, test));
    for (const auto& [label, answer] :
         {std::pair{0, 6}, {2, 6}, {4, 6}, {4, 2}, {6, 0}})
        say("{} named {}: {:.0f} %", names[std::size_t(label)],
            names[std::size_t(answer)], cells[std::size_t(10 * label + answer)]);
}

void filters(const Net& net) {
    const Tensor w = std::get<nn::Conv2d>(net.layers[0].kind).weight.detach();
    figure::Images sheet("fig-lenet-filters", 8);
    sheet.describe(
        "Four rows of eight squares of 5 by 5 pixels, the filters of the first layer. "
        "Most look like noise; a few are bright on one side and dark on the other.");
    for (Index filter = 0; filter < 32; ++filter) {
        const Tensor one = select(w, 0, filter);
        sheet.add("", 5, 5, (one / (2 * largest(one)) + 0.5).values());
    }
    sheet.save(
        "The 32 filters of the first convolution after one epoch; bright is positive, "
        "dark negative, and each filter has its own scale. Most still look like the "
        "noise that they began as.");
    book::shows("sys-lenet/a", "fig-lenet-filters");
    Generator same(100 * book::seed() + 1);
    const Layers initial = lenet(same);
    const Tensor before = std::get<nn::Conv2d>(initial[0].kind).weight.detach();
    say("the epoch has moved the filters by {:.0f} % of their length",
        100 *
            std::sqrt(double((sum(square(w - before)) / sum(square(before))).item())));
}
//-

// T-shirts, pullovers, coats and shirts are taken for one another; trousers, bags and shoes are not. The filters
// ({numref}`fig-lenet-filters`) still resemble their random initial values, because one epoch moves them by a fraction
// of their length. A few have a bright and a dark side, as [edge filters](../components/filters.cpp) have.
//
// ## A larger image
//
// The dense layers fix the size: with an image of 82 × 82 pixels, 256 weights of a unit would face 7,744 numbers. The
// convolutions and the pooling accept any size. A dense layer can accept any size too, because it is a convolution in
// disguise: 200 units that read $64 \times 2 \times 2$ numbers are 200 filters with kernels of $2 \times 2$ over 64
// channels, and the last layer is a convolution with kernels of $1 \times 1$. The weights only change their shape:
Net dense_as_convolutions(const Net& net) {
    const auto& hidden = std::get<nn::Linear>(net.layers[7].kind);
    const auto& last = std::get<nn::Linear>(net.layers[9].kind);
    Generator unused(1);
    nn::Conv2d first(64, 200, 2, unused), second(200, 10, 1, unused);
    first.weight = reshape(hidden.weight, {200, 64, 2, 2}), first.bias = hidden.bias;
    second.weight = reshape(last.weight, {10, 200, 1, 1}), second.bias = last.bias;
    return {{first, nn::Relu(), second}};
}

// So one **trunk**, the first six layers, can have two **heads**. The dense head returns ten numbers for an image of 28
// × 28. The head of convolutions returns a *map* with ten channels for an image of any size: a network without dense
// layers is called **fully convolutional** {cite:p}`long2015`. At each place of the map stand the ten numbers that
// LeNet would give for a window of 28 × 28 pixels. From one place to the next the window moves by 6 pixels, the product
// of the two pooling strides. We compare the map with LeNet on each of the 100 windows:
double worst_window(const Net& net, const Tensor& image, const Tensor& map) {
    double off = 0;
    for (Index r = 0; r < map.size(2); ++r)
        for (Index c = 0; c < map.size(3); ++c) {
            const Tensor rows = slice(image, 2, 6 * r, 6 * r + 28);
            const Tensor alone = net(slice(rows, 3, 6 * c, 6 * c + 28));
            off = std::max(off, largest(select(select(map, 3, c), 2, r) - alone));
        }
    return off / largest(map);
}

//- an image of four pieces, both heads, and the figure
Tensor four_pieces() {
    Tensor canvas = zeros({1, 1, 82, 82});
    const Examples& test = data::fashion_mnist(Part::test);
    struct Piece {
        Index which, row, column;
    };
    for (const auto& [which, row, column] :
         {Piece{0, 4, 4}, {2, 0, 50}, {18, 48, 0}, {1, 51, 52}})
        slice(slice(canvas, 2, row, row + 28), 3, column, column + 28)
            .copy_(slice(test.x, 0, which, which + 1));
    return canvas;
}
void larger_image(const Net& net) {
    const NoGrad only_asking;
    const Net trunk{{net.layers.begin(), net.layers.begin() + 6}},
        dense{{net.layers.begin() + 6, net.layers.end()}},
        convolutions = dense_as_convolutions(net);
    Index wrong = 0;
    for (const Index n : {1, 5})
        for (const auto& [height, width] :
             {std::pair<Index, Index>{28, 28}, {82, 40}}) {
            const Tensor h = trunk(ones({n, 1, height, width}));
            if (height == 28) wrong += dense(h).shape() != Shape{n, 10};
            wrong += convolutions(h).shape() !=
                     Shape{n, 10, (height - 22) / 6, (width - 22) / 6};
        }
    claim("sys-convnet/b",
          "two heads on one trunk: results that are not ten logits for each image, or "
          "a map of ten channels",
          wrong, "==", 0);
    const Tensor image = four_pieces();
    const FlopCount together;
    const Tensor map = convolutions(trunk(image));
    const double once = double(together.multiply_adds());
    const FlopCount apart;
    const double off = worst_window(net, image, map);
    say("multiplications: 100 windows {:.0f}, the whole image at once {:.0f}, ratio "
        "{:.1f}",
        double(apart.multiply_adds()), once, double(apart.multiply_adds()) / once);
    claim("sys-convnet/a",
          "the map against LeNet on each window: the largest difference, as a share of "
          "the largest number",
          off, "<=", 1e-5);
    Names places, pixels;
    for (Index i = 1; i <= map.size(2); ++i) places.push_back(std::to_string(i));
    for (int i = 1; i <= 82; ++i) pixels.push_back(std::to_string(i));
    const std::vector<double> labels = data::even_grid(10, 0, 9);
    Figure figure("fig-lenet-map");
    figure
        .describe(
            "Left, an image with a boot above left, trousers above right, a bag below "
            "left and a pullover below right. Right, a map of 10 by 10 cells: the "
            "probability of the class that a slider chooses.")
        .height(290)
        .slider("garment", labels, "class", 1)
        .panel("image")
        .heatmap("", pixels, pixels, image.values(), 0, 1)
        .bare();
    figure.panel("probability of the class");
    const Tensor p = softmax(permute(map, {0, 2, 3, 1}));
    for (const double label : labels)
        figure.at(label).heatmap("", places, places,
                                 select(p, 3, Index(label)).values(), 0, 1);
    figure.always()
        .x("window, to the right")
        .y("window, down")
        .save(
            "One image with four pieces of clothing, and the map of LeNet for it: each "
            "cell is the probability of a class in one window of 28 × 28 pixels. The "
            "slider chooses the class: 1 is trousers, 2 pullover, 8 bag, 9 ankle "
            "boot.");
}
//-

// Both agree up to rounding, and the map costs about a quarter of the multiplications, because neighbouring windows
// overlap and the trunk computes their common part once. {numref}`fig-lenet-map` shows the map. Notice windows with a
// piece of two garments or with nothing at all: LeNet was never shown such images, and still it names a class,
// sometimes with high probability.
//
// ## A block of small kernels
//
// LeNet has kernels of 5 × 5. A block that many later networks repeat has two convolutions with kernels of 3 × 3
// instead, each followed by a ReLU, and then pooling. The padding of 1 keeps the size, so that only the pooling
// shrinks:
Layers block(Index in, Index out, Generator& random) {
    const nn::ConvLayerOptions same{.padding = 1};
    return {nn::Conv2d(in, out, 3, random, same),   //
            nn::Relu(),                             //
            nn::Conv2d(out, out, 3, random, same),  //
            nn::Relu(),                             //
            nn::MaxPool2d{2}};
}

// How much of the image does a unit see? The [receptive field](../components/receptive_field.cpp) grows by 2 with each
// kernel of 3, from 1 to 5 pixels. The pooling adds one more pixel, so it is 6. We measure it: with all weights 1 and
// all biases 0, a single bright pixel reaches a unit exactly if the pixel lies in the unit's field.
Index field(const Net& net) {
    const Index side = 16;
    for (NamedTensor& t : nn::state(net)) {
        const bool bias = t.name.ends_with("bias");
        t.tensor.detach().copy_(full(t.tensor.shape(), bias ? 0 : 1));
    }
    Tensor pixels = zeros({side * side, 1, side, side});
    for (Index n = 0; n < side * side; ++n) pixels.set({n, 0, n / side, n % side}, 1);
    const Tensor y = net(pixels);
    Index first = side, last = 0;  // rows that reach the unit in row 3 and column 3
    for (Index n = 0; n < side * side; ++n)
        if (y.at({n, 0, 3, 3}) != 0)
            first = std::min(first, n / side), last = std::max(last, n / side);
    return last - first + 1;
}

//- what is checked
void small_kernels() {
    Generator random(book::seed());
    Index wrong = 0;
    for (const auto& [in, out, height, width] :
         {std::array<Index, 4>{1, 8, 28, 28}, {3, 5, 10, 16}, {16, 16, 8, 12}})
        wrong += Net{block(in, out, random)}(ones({2, in, height, width})).shape() !=
                 Shape{2, out, height / 2, width / 2};
    claim("sys-conv-block/a",
          "results that do not have the block's filters at half the height and width",
          wrong, "==", 0);
    Net net{block(1, 4, random)};
    claim("sys-conv-block/b", "pixels along a side of the block's receptive field",
          field(net), "==", 6);
    net.layers.pop_back();
    say("without the pooling: {} pixels", field(net));
    const nn::Conv2d one(64, 64, 5, random);
    const Net two{block(64, 64, random)};
    say("64 channels: one convolution of 5 × 5 has {} parameters, two of 3 × 3 have {}",
        nn::count(one), nn::count(two));
}
//-

// Before the pooling, a unit sees 5 × 5 pixels, as through one kernel of 5 × 5. Two layers of 3 × 3 have
// $2 \cdot 9 = 18$ weights for each pair of channels where one layer of 5 × 5 has 25, and between them stands a second
// nonlinearity.

void page() {
    design();
    diagram();
    work();
    curves();
    const Net net = trained();
    confusion(net);
    filters(net);
    larger_image(net);
    small_kernels();
}

// ## Limits and origins
//
// Ten epochs, one learning rate and no augmentation are a plain training, not the best that LeNet can do. A map with
// steps of 6 pixels is coarse; networks that name every pixel
// [enlarge their maps again](../components/skip_connections.cpp).
//
// {cite:t}`lecun1989` trained convolutions by backpropagation to read handwritten digits. LeNet-5 {cite:p}`lecun1998`
// averages instead of taking maxima, connects each filter of its second convolution with some of the maps only, and
// ends in units that compare with stored patterns. The same authors ran their network across whole lines of writing, as
// our map does with clothes.
//
// ## Summary
//
// A convolutional network shrinks an image with convolutions and pooling while its channels grow, and dense layers
// decide at the end. LeNet has 105,506 parameters; half of them are in its dense layers, and nearly all of its
// multiplications are in its convolutions. If the dense layers are read as convolutions, the network takes images of
// any size and returns a map.
//
// ## What is missing
//
// Each filter of LeNet is used at all places of the image. [The next page](weight_sharing.cpp) asks what this is worth.
//
// ```{exercises}
// - [A convolution of images](/exercises/components/convolution.md)
// - [A receptive-field calculator](/exercises/components/receptive_field.md)
// - [Training loops, hidden units, three convolutions](/exercises/networks/hidden_units.md)
// ```
//
// ```{try}
// - Few images: `--pictures 2000`. Which row of the confusion matrix suffers most?
// - Kernels of 3 in the first figure: `--kernel 3`. Which bar grows, and why?
// ```
