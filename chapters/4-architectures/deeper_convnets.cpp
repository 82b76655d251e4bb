// # AlexNet and VGG: deeper convolutional networks
//
// ```{rows} sys-alexnet sys-vgg claim-plain-convnets-dont-deepen
// ```
//
// [LeNet](lenet.cpp) has two convolutions. AlexNet has five, VGG-16 has thirteen, and both keep LeNet's layout:
// convolutions and pooling first, then dense layers. This page builds both as they were published, counts what they
// cost, and trains a small AlexNet. The deepest network of the VGG family has nineteen layers. Why not fifty? To learn,
// a layer needs a gradient. {numref}`fig-plain-depth` shows the length of the gradient at each layer of a network that
// is not trained yet. Move the slider, which sets the number of convolutions.
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;
using Layers = std::vector<nn::Layer>;

const book::Option<double> depth("depth", 30, "convolutions of the first figure",
                                 {.least = 2.0, .most = 50.0});
const book::Option<int> draws("draws", 5, "draws of the initial weights",
                              {.quick = 2, .least = 1, .most = 50});

// Defined further down:
enum class Kind { plain, residual, he };
struct Stack {
    bool residual;
    std::vector<nn::Conv2d> layers;
    nn::Linear leave;

    Stack(Kind kind, Index depth, Index channels, Generator& random);
    Tensor operator()(const Tensor& x) const;
};
std::vector<double> gradient_lengths(const Stack& net, const Examples& images);
//-

//- how the figure is drawn
// Of each draw, the lengths of the gradients of all layers, relative to that of the last.
std::vector<std::vector<double>> relative_lengths(Kind kind, Index depth,
                                                  Index channels = 8) {
    Examples images = data::slice(data::fashion_mnist(Part::train), 0, 8);
    images.x = avg_pool2d(images.x, 2);
    std::vector<std::vector<double>> found;
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(100 * book::seed() + std::uint64_t(draw));
        found.push_back(gradient_lengths(Stack(kind, depth, channels, random), images));
        const double last = found.back().back();
        for (double& length : found.back()) length /= last;
    }
    return found;
}
void lengths() {
    const std::vector<double> stops = figure::settings(depth, {5, 10, 20, 30, 40, 50});
    Figure figure("fig-plain-depth");
    figure
        .describe(
            "The length of the gradient relative to the last layer, on a logarithmic "
            "axis, against the layer. A slider sets the number of convolutions from 5 "
            "to 50. For plain networks the lines fall steeply to the left: with 50 "
            "layers the first layer's gradient is some 21 powers of ten shorter than "
            "the last one's. With residual connections, and with He's weights, the "
            "lines stay near one.")
        .slider(depth, stops, "convolutions");
    for (const double stop : stops) {
        std::vector<double> layer;
        for (Index d = 1; d <= Index(stop); ++d) layer.push_back(double(d));
        const auto draw = [&](const char* label, Kind kind, figure::Color color) {
            figure.at(stop).lines(label, layer, relative_lengths(kind, Index(stop)),
                                  {.color = color});
        };
        draw("plain", Kind::plain, figure::red);
        draw("with residual connections", Kind::residual, figure::blue);
        draw("plain, He's weights", Kind::he, figure::ochre);
    }
    figure.always()
        .log_y()
        .x("convolution, from the input to the output")
        .y("gradient, relative to the last")
        .save(
            "The length of the gradient of each convolution's weights before any "
            "training, one line for each draw of the weights. In plain networks with "
            "the "
            "usual initial weights it shrinks by a constant factor with each layer.");
    book::shows("claim-plain-convnets-dont-deepen/a", "fig-plain-depth");
}
//-

// ## Five convolutions: AlexNet
//
// Photographs are larger than images of clothes, and their subjects are more varied. {cite:t}`krizhevsky2012` trained a
// network for photographs of 224 × 224 pixels in 1,000 classes. It has five convolutions and three dense layers. The
// first kernel is 11 × 11 and moves by 4 pixels, so that 224 pixels with a frame of two zeros become 55 places. Pooling
// windows of 3 move by 2, so that they overlap.
//
// The authors divided the network between two GPUs with 3 GB of memory each. Three of the convolutions have two
// **groups**: each half of the filters reads half of the channels, those on its own GPU. With two groups a layer has
// half as many weights. A later version has fewer filters and a single tower without groups {cite:p}`krizhevsky2014`:
Layers alexnet(const std::array<Index, 4>& channels, Index groups, Generator& random);
//- weights that take no memory
// One zero that is read everywhere: a layer with its shapes, whose weights take no memory.
Tensor no_memory(const Shape& shape, Generator&, Device device) {
    return expand(zeros({1}, device), shape);
}
nn::ConvLayerOptions sketched(nn::ConvLayerOptions options) {
    options.weights = no_memory;
    return options;
}
void dense_layers(Layers& layers, Index in, Generator& random) {
    layers.push_back(nn::Flatten());
    for (const Index out : {4096, 4096, 1000}) {
        layers.push_back(nn::Linear(in, out, random, {.weights = no_memory}));
        if (out != 1000) layers.push_back(nn::Relu());
        in = out;
    }
}
//-
Layers alexnet(const std::array<Index, 4>& channels, Index groups, Generator& random) {
    const auto [a, b, c, d] = channels;
    const nn::MaxPool2d pool{3, {.stride = 2}};
    const auto conv = [&](Index in, Index out, Index kernel, Index padding, Index n) {
        return nn::Conv2d(in, out, kernel, random,
                          sketched({.padding = padding, .groups = n}));
    };
    Layers layers = {
        nn::Conv2d(3, a, 11, random, sketched({.stride = 4, .padding = 2})),
        nn::Relu(),
        pool,
        conv(a, b, 5, 2, groups),
        nn::Relu(),
        pool,
        conv(b, c, 3, 1, 1),
        nn::Relu(),
        conv(c, d, 3, 1, groups),
        nn::Relu(),
        conv(d, 256, 3, 1, groups),
        nn::Relu(),
        pool};
    dense_layers(layers, 256 * 6 * 6, random);
    return layers;
}

// The list is complete but for its numbers: all weights of a layer are one and the same zero, so that 61 million of
// them take no memory. Shapes and counts do not need more. Dropout, which stands before two of the dense layers, has no
// parameters.
//
// ## Thirteen convolutions: VGG
//
// {cite:t}`simonyan2015` asked what depth alone does. All their kernels are 3 × 3. A stack of three such layers sees
// $1 + 3 \cdot 2 = 7$ pixels, as much as one kernel of 7 × 7. For $C$ channels the stack has $3 \cdot 9\, C^2 = 27\, C^2$
// weights and the single layer has $49\, C^2$, and the stack has two more ReLUs. VGG-16 has 13 convolutions in five
// blocks, each followed by a pooling layer that halves both sides, and 3 dense layers:
Layers vgg_16(Index side, Generator& random) {
    Layers layers;
    Index in = 3;
    for (const auto& [out, count] :
         {std::pair<Index, int>{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
        for (int i = 0; i < count; ++i, in = out) {
            layers.push_back(nn::Conv2d(in, out, 3, random, sketched({.padding = 1})));
            layers.push_back(nn::Relu());
        }
        layers.push_back(nn::MaxPool2d{2});
        side /= 2;
    }
    dense_layers(layers, 512 * side * side, random);
    return layers;
}

// Photographs can be larger. Suppose that we build VGG-16 for images of 448 × 448 pixels:
//- the question, small networks, and the table
// A network's parameters and multiplications for one image, those of dense layers among them.
struct Cost {
    Index weighted = 0, parameters = 0, dense_parameters = 0;
    double products = 0, dense_products = 0;
};
Cost cost(const Layers& layers, Shape shape) {
    Cost sum;
    for (const nn::Layer& layer : layers) {
        shape = layer.result_shape(shape);
        const Index parameters = nn::count(layer);
        sum.weighted += parameters > 0;
        sum.parameters += parameters;
        if (const auto* conv = std::get_if<nn::Conv2d>(&layer.kind))
            sum.products += double(conv->weight.numel() * shape[2] * shape[3]);
        if (const auto* dense = std::get_if<nn::Linear>(&layer.kind)) {
            sum.products += double(dense->weight.numel());
            sum.dense_products += double(dense->weight.numel());
            sum.dense_parameters += parameters;
        }
    }
    return sum;
}

const nn::ConvLayerOptions he{.weights = nn::he_init};
nn::ConvLayerOptions padded(Index padding, Index groups = 1) {
    nn::ConvLayerOptions options = he;
    options.padding = padding, options.groups = groups;
    return options;
}
void small_dense_layers(Layers& layers, const std::vector<Index>& sizes,
                        Generator& random) {
    layers.push_back(nn::Flatten());
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        layers.push_back(
            nn::Linear(sizes[i - 1], sizes[i], random, {.weights = nn::he_init}));
        if (i + 1 < sizes.size()) layers.push_back(nn::Relu());
    }
}
Layers lenet(Generator& random) {
    Layers layers = {nn::Conv2d(1, 32, 5, random, he),  nn::MaxPool2d{3}, nn::Relu(),
                     nn::Conv2d(32, 64, 5, random, he), nn::MaxPool2d{2}, nn::Relu()};
    small_dense_layers(layers, {256, 200, 10}, random);
    return layers;
}
Layers mini_alexnet(Generator& random) {
    const nn::MaxPool2d pool{3, {.stride = 2}};
    Layers layers = {nn::Conv2d(1, 12, 5, random, padded(2)),
                     nn::Relu(),
                     pool,
                     nn::Conv2d(12, 32, 5, random, padded(2, 2)),
                     nn::Relu(),
                     pool,
                     nn::Conv2d(32, 48, 3, random, padded(1)),
                     nn::Relu(),
                     nn::Conv2d(48, 48, 3, random, padded(1, 2)),
                     nn::Relu(),
                     nn::Conv2d(48, 32, 3, random, padded(1, 2)),
                     nn::Relu(),
                     pool};
    small_dense_layers(layers, {32 * 2 * 2, 512, 512, 10}, random);
    return layers;
}

void sizes() {
    Generator random(book::seed());
    const Shape photo{1, 3, 224, 224}, clothes{1, 1, 28, 28};
    const Cost grouped = cost(alexnet({96, 256, 384, 384}, 2, random), photo),
               tower = cost(alexnet({64, 192, 384, 256}, 1, random), photo),
               vgg = cost(vgg_16(224, random), photo),
               large = cost(vgg_16(448, random), {1, 3, 448, 448});
    const double more = double(large.parameters) / double(vgg.parameters);
    ask("Its images have four times as many pixels. How many times as many parameters "
        "does it have?",
        {{"As many: a convolution does not depend on the size of the image.",
          more < 1.1,
          "The convolutions do not, but the first dense layer reads all places that "
          "are left."},
         {"About 3.2 times as many.", more > 2.5 && more < 3.8,
          "The first dense layer reads 14 × 14 places instead of 7 × 7, and three "
          "quarters of all parameters belong to this layer."},
         {"4 times as many.", more > 3.8,
          "Only the first dense layer grows by four; the convolutions and the other "
          "dense layers stay as they are."}});
    say("VGG-16 for 448 × 448 pixels: {} parameters, {:.2f} times as many",
        large.parameters, more);
    std::vector<std::vector<book::Cell>> rows;
    const auto add = [&](const char* name, const Cost& of) {
        const auto share = [](double part, double whole) {
            return fmt::format("{:.1f} %", 100 * part / whole);
        };
        rows.push_back({name, of.weighted, of.parameters,
                        share(double(of.dense_parameters), double(of.parameters)),
                        fmt::format("{:.1f}", of.products / 1e6),
                        share(of.dense_products, of.products)});
    };
    add("LeNet", cost(lenet(random), clothes));
    add("AlexNet, two groups", grouped);
    add("AlexNet, one tower", tower);
    add("VGG-16", vgg);
    add("mini-AlexNet", cost(mini_alexnet(random), clothes));
    book::table(
        "fig-convnet-sizes",
        "Layers with weights, parameters, and multiplications for one image in "
        "millions, each with the share of the dense layers.",
        {"network", "layers", "parameters", "dense", "multiplications", "dense"}, rows);
    claim("sys-alexnet/a", "parameters of AlexNet with grouped convolutions",
          grouped.parameters, "==", 60'965'224);
    claim("sys-alexnet/b", "parameters of AlexNet in a single tower", tower.parameters,
          "==", 61'100'840);
    claim("sys-vgg/a", "parameters of VGG-16", vgg.parameters, "==", 138'357'544);
    const double dense = double(vgg.dense_parameters) / double(vgg.parameters);
    claim("sys-vgg/b", "share of the dense layers of VGG-16, rounded to three digits",
          std::round(1000 * dense) / 1000, "==", 0.894);
}
//-

// {numref}`fig-convnet-sizes` compares the networks. The dense layers have 96 % of AlexNet's parameters and 89 % of
// those of VGG-16, but make only 8 % and 1 % of the multiplications. So the convolutions cost time, and the dense
// layers cost memory.
//
// ## A small AlexNet
//
// Two cores cannot train these networks on photographs, so we train a small version of AlexNet on 10,000 images of
// clothes, for six epochs. *mini-AlexNet* has an eighth of AlexNet's channels and units. On 28 × 28 pixels a kernel of
// 11 with a stride of 4 would leave only 5 × 5 places, so its first kernel is 5 × 5 with a stride of 1. LeNet learns
// from the same images. Both start with [He's weights](../components/initialisation.cpp), and Adam trains each at two
// learning rates, which fall to zero. The accuracy on 5,000 other images chooses the rate:
//- the training, and what is read from the study
Study::Row train(const Study::Row& setting) {
    Generator random(100 * book::seed() + std::uint64_t(setting[2]));
    const Layers layers = setting[0] == 1 ? mini_alexnet(random) : lenet(random);
    const auto run = [&](Tensor x) {
        x = (x - 0.286) / 0.353;  // around zero, about as wide as one
        for (const nn::Layer& layer : layers) x = layer(x);
        return x;
    };
    const Examples& all = data::fashion_mnist(Part::train);
    const Examples lessons = data::slice(all, 0, 10'000);
    optim::Adam adam(nn::parameters(layers), {.lr = setting[1]});
    const double steps = 6 * double(Batches(lessons, 100).count());
    for (double step = 0; step < steps;)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            adam.options.lr = setting[1] * (1 - step++ / steps);
            adam.zero_grad();
            cross_entropy(run(batch.x), batch.labels).backward();
            adam.step();
        }
    const auto accuracy = [&](const Examples& set) {
        const NoGrad only_asking;
        double right = 0;
        for (const Examples& some : Batches(set, 1000))
            right += nn::accuracy(run(some.x), some.labels) * double(some.size());
        return right / double(set.size());
    };
    return {accuracy(data::slice(all, 55'000, 60'000)),
            accuracy(data::fashion_mnist(Part::test))};
}
const std::vector<double> rates = {1e-3, 2e-3};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double alexnet : {1, 0})
        for (const double rate : rates)
            for (double seed = 1; seed <= 3; ++seed)
                all.push_back({alexnet, rate, seed});
    return all;
}
const Study study({"alexnet",
                   {"alexnet", "rate", "seed"},
                   {"validation", "test"},
                   {"sys-alexnet/c"},
                   0.004},
                  cells(), train);

// The test accuracies, one for each seed, at the rate with the best validation accuracy.
struct Best {
    double rate = 0;
    std::vector<double> test;
};
Best best_of(bool alexnet) {
    Best best;
    double most = 0;
    for (const double rate : rates) {
        Best found{rate, {}};
        double validation = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(alexnet) && row[1] == rate)
                validation += row[3], found.test.push_back(row[4]);
        if (validation > most) most = validation, best = found;
    }
    return best;
}
void small_version() {
    const Best alexnet = best_of(true), lenet = best_of(false);
    book::report("sys-alexnet/c",
                 "test accuracy of mini-AlexNet, trained on 10,000 images",
                 over_seeds(alexnet.test));
    say("test accuracy of LeNet: {}", book::brief(over_seeds(lenet.test)));
    say("learning rates: {} and {}", alexnet.rate, lenet.rate);
}
//-

// mini-AlexNet reaches 0.853 and LeNet 0.861, although LeNet has fewer layers and fewer parameters. On so few and so
// small images the deeper network is no better.
//
// ## Why not fifty?
//
// Take one convolution with the usual initial weights. Each unit reads $n$ numbers, and its weights are uniform between
// $-1/\sqrt n$ and $1/\sqrt n$, so each has the variance $1/(3n)$. In the backward pass, the gradient at a place is a
// sum of $n$ products with such weights, and its variance is $n \cdot 1/(3n) = 1/3$ of that of the gradient behind. The
// ReLU stops about half of the gradients. Together, a layer divides the variance by 6 and the length by $\sqrt 6 =
// 2.4$. From layer $D$ back to layer 1 this gives the factor
//
// $$ 6^{-(D-1)/2} , $$
//
// 0.028 for 5 layers and $10^{-19}$ for 50: a [vanishing gradient](../training/vanishing.cpp). The estimate holds for
// many channels; ours are 8, and the gradient falls faster. This is a stack of convolutions, with a residual connection
// around each of them or without:
Tensor Stack::operator()(const Tensor& x) const {
    Tensor h = layers[0](x);
    for (std::size_t d = 1; d < layers.size(); ++d) {
        const Tensor f = layers[d](relu(h));
        h = residual ? h + f : f;
    }
    return leave(mean(relu(h), {2, 3}));
}

// We measure the length of the gradient of each convolution's weights, for eight images of clothes, averaged down to
// 14 × 14 pixels:
std::vector<double> gradient_lengths(const Stack& net, const Examples& images) {
    cross_entropy(net(images.x), images.labels).backward();
    std::vector<double> found;
    for (const nn::Conv2d& layer : net.layers) {
        double squares = 0;  // in double: the squares are below the range of a float
        for (const Real g : layer.weight.grad().values())
            squares += double(g) * double(g);
        found.push_back(std::sqrt(squares));
    }
    return found;
}

//- the layers of a stack, and what is checked
Stack::Stack(Kind kind, Index depth, Index channels, Generator& random)
    : residual(kind == Kind::residual), leave(channels, 10, random) {
    const nn::ConvLayerOptions options{
        .padding = 1, .weights = kind == Kind::he ? nn::he_init : nn::uniform_init};
    for (Index d = 0; d < depth; ++d)
        layers.emplace_back(d == 0 ? 1 : channels, channels, 3, random, options);
}
void fifty() {
    const auto ratios = [](Kind kind) {
        std::vector<double> found;
        for (const std::vector<double>& lengths : relative_lengths(kind, 50))
            found.push_back(lengths.front());
        return over_seeds(found);
    };
    const book::Measured plain = ratios(Kind::plain);
    for (const Index channels : {8, 32}) {
        std::vector<double> factors;  // of a layer between two others
        for (const std::vector<double>& lengths :
             relative_lengths(Kind::plain, 20, channels))
            factors.push_back(std::pow(lengths[1] / lengths[18], 1.0 / 17));
        say("{} channels, the factor of one plain layer: {}; estimate {:.2f}", channels,
            book::brief(over_seeds(factors)), 1 / std::sqrt(6.0));
    }
    claim("claim-plain-convnets-dont-deepen/b",
          "50 plain layers: the gradient's length at the first layer over that at the "
          "last",
          plain, "<", 1e-3);
    claim("claim-plain-convnets-dont-deepen/c", "the same with residual connections",
          ratios(Kind::residual), ">", 0.1);
    say("the same for plain layers with He's weights: {}",
        book::brief(ratios(Kind::he)));
}
//-

// With 50 plain layers the first gradient is $2\times10^{-22}$ times as long as the last, and with residual connections
// 0.6 times. A layer of 8 channels multiplies the length by 0.37, a layer of 32 channels by 0.41, as estimated.
//
// The third line of {numref}`fig-plain-depth` shows that the initial weights matter as much as the connections. With
// He's weights, which have six times the variance, the first gradient of 50 layers is between 0.25 and 7.3 times as long
// as the last in our five draws. So vanishing at the start has two remedies. It is not the only obstacle: {cite:t}`he2016` trained plain networks of 20 and of 56 layers with
// He's weights and batch normalisation, and the deeper one had the larger error even on its training images. [Residual
// networks](../components/residual_networks.cpp) are about this.
//
// {cite:t}`simonyan2015` met the problem, too. They trained a network of 11 layers first and began the deeper ones with
// some of its layers, and found only later that a better random initialisation makes this unnecessary.

void page() {
    lengths();
    sizes();
    small_version();
    fifty();
}

// ## Limits
//
// The widths, rates and epochs of mini-AlexNet are our choice, made for two cores. Both networks chose the larger of the
// two rates, so a still larger one may be better for either. And images of clothes say nothing
// about photographs, on which the published networks were compared. No version of VGG is trained here: whether a small
// one comes within a hundredth of LeNet's accuracy stays open. The gradient is measured at the start of training only.
//
// ## Summary
//
// AlexNet and VGG-16 enlarge LeNet's layout to 5 and 13 convolutions. More than 89 % of their parameters belong to
// their dense layers, and nearly all of their multiplications to their convolutions. With the usual initial weights
// each plain layer divides the gradient by more than two, so fifty of them leave nothing for the first one. Residual
// connections or He's weights keep the length of the gradient.
//
// ## What is missing
//
// He's weights keep the gradient. Is a deeper network then a better one? [The next page](deep_and_plain.cpp) trains plain
// networks of 20 and of 56 layers.
//
// ```{try}
// - A depth of your own: `--depth 35`.
// - Twenty draws of the weights: `--draws 20`. How far apart are the lines of one colour?
// ```
