// # Tables: where multilayer perceptrons do well
//
// ```{rows} claim-mlp-small-dimension
// ```
//
// The later pages of this chapter replace the multilayer perceptron, for images, for texts, for graphs. So is it
// obsolete? Think of a **table**: a row for each patient, a column for age, one for blood pressure. There are few
// columns, and their order means nothing. {numref}`fig-tables` compares three models on such a table of eight
// columns. Move the slider: it sets how much of the truth is bent, so that no weighted sum of the columns can express
// it. On this page the perceptron meets a linear model and a convolutional network on a table, and then the
// convolutional network on images.
//
// ```{opening} fig-tables
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <variant>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::report, book::say;
using data::Examples, data::Part;
using figure::Figure, figure::Names;
using Numbers = std::vector<double>;

const book::Option<Index> rows("rows", 1000, "rows of a table to learn from",
                               {.quick = 100, .least = 50, .most = 100'000});
const book::Option<Index> pictures("pictures", 2000, "images to learn from",
                                   {.quick = 100, .least = 50, .most = 5000});
const book::Option<Index> draws("draws", 3, "draws of tables and weights",
                                {.quick = 1, .least = 1, .most = 20});
const book::Option<Index> hidden("hidden", 64,
                                 "units between the convolutions and the classes",
                                 {.least = 4, .most = 200});
const Index columns = 8;
//-

// ## What a weighted sum cannot say
//
// Take two columns that hold 1 or $-1$, and suppose that the label is 1 if both are equal. The four rows are $(1, 1)$
// and $(-1, -1)$ with label 1, and $(1, -1)$ and $(-1, 1)$ with label 0. A linear model adds weighted columns and a
// bias. Add its scores for the first two rows: the weights cancel, and twice the bias is left, which must be above
// zero. Add the scores of the other two rows: again twice the bias is left, and it must be below zero. So no weights
// are right for all four rows. Two hidden units are enough: $\mathrm{relu}(x_1 + x_2)$ and $\mathrm{relu}(-x_1 -
// x_2)$. Their sum is $\lvert x_1 + x_2 \rvert$, which is 2 for equal columns and 0 for others.
//
// Such an **interaction** of columns is common: a dose may help the young and harm the old. Our tables have both
// kinds of truth. The columns are standard normal numbers. A straight score adds four of them. A bent score adds the
// product of two others and the square of a third. The eighth column means nothing. Both scores have variance 1, and
// $s$ says how much of the variance of the final score is bent:
//
// $$ \text{score} = \sqrt{1 - s}\ \text{straight} + \sqrt{s}\ \text{bent} $$
//- the tables
Examples table_of(Index count, double s, const std::vector<Index>& order,
                  Generator& random) {
    std::vector<Real> x(std::size_t(count * columns));
    std::vector<Index> labels;
    for (Index n = 0; n < count; ++n) {
        std::array<double, columns> v;
        for (double& number : v) number = random.next_normal();
        const double straight = (v[0] - v[1] + v[2] + v[3]) / 2,
                     bent = v[4] * v[5] / std::sqrt(2.0) + (v[6] * v[6] - 1) / 2,
                     score = std::sqrt(1 - s) * straight + std::sqrt(s) * bent;
        labels.push_back(score + 0.3 * random.next_normal() > 0);
        for (Index c = 0; c < columns; ++c)
            x[std::size_t(n * columns + order[std::size_t(c)])] =
                Real(v[std::size_t(c)]);
    }
    return {Tensor({count, 1, columns}, x),
            Integers({count}, labels),
            {},
            "tables of eight columns"};
}
struct Task {
    Examples train, held, test;
};
Task make_table(double s, std::uint64_t draw) {
    Generator random(100 * book::seed() + draw);
    const std::vector<Index> order = random.permutation(columns);
    const Examples train = table_of(rows(), s, order, random),
                   held = table_of(1000, s, order, random);
    return {train, held, table_of(4000, s, order, random)};
}
//-

// A label is 1 if the score and some noise are above zero. The order of the columns is drawn for each table, as the
// order of real tables is an accident.
//
// Real tables need two preparations that ours do without. A column in grams holds numbers a million times larger than
// one in tonnes, and would drown all others, so each column is shifted and scaled to mean 0 and variance 1, by the
// training rows. And a column with words, such as a town, becomes several columns, one for each town, that hold a 1
// for the row's town and 0 else. After that a table is what all pages of this book call a batch of inputs.
//
// ## Three models for a table
//
// The linear model has 18 parameters. The perceptron has two hidden layers of 32 units. The convolutional network
// slides windows of three columns along the table and has slightly more parameters than the perceptron:
struct Net {
    std::vector<nn::Layer> layers;
    Tensor operator()(Tensor x) const {
        for (const nn::Layer& layer : layers) x = layer(x);
        return x;
    }
    void visit(auto&& part) { part("layers", layers); }
};
Net weighted_sum(Generator& random) {
    return {{nn::Flatten(), nn::Linear(columns, 2, random)}};
}
Net perceptron(Generator& random) {
    return {{nn::Flatten(), nn::Linear(columns, 32, random), nn::Relu(),
             nn::Linear(32, 32, random), nn::Relu(), nn::Linear(32, 2, random)}};
}
Net windows(Generator& random) {
    return {{nn::Conv1d(1, 8, 3, random, {.padding = 1}), nn::Relu(),
             nn::Conv1d(8, 16, 3, random, {.padding = 1}), nn::Relu(), nn::Flatten(),
             nn::Linear(16 * columns, 8, random), nn::Relu(),
             nn::Linear(8, 2, random)}};
}
//- training, and the best learning rate
using Make = std::function<Net(Generator&)>;
double accuracy(const Net& net, const Examples& set) {
    const NoGrad only_asking;
    return nn::accuracy(net(set.x), set.labels);
}
Net learned(const Make& make, const Examples& set, double lr, Index epochs,
            std::uint64_t draw) {
    Generator random(1000 * book::seed() + draw);
    const Net net = make(random);
    optim::Adam adam(nn::parameters(net));
    const Index batch = 50;
    const double steps = double(epochs * ((set.size() + batch - 1) / batch));
    optim::fit(
        adam, [&] { return data::Batches(set, batch, random); },
        [&](const Examples& some) { return cross_entropy(net(some.x), some.labels); },
        {.epochs = epochs,
         .lr = [&](Index step) { return lr * (1 - double(step) / steps); }});
    return net;
}
double best_rate(const char* name, const Make& make, const Task& task, Index epochs) {
    double best = 0, highest = -1;
    std::string all;
    for (const double lr : {3e-3, 1e-2, 3e-2}) {
        const double reached =
            accuracy(learned(make, task.train, lr, epochs, 99), task.held);
        all +=
            fmt::format("{}rate {} gives {:.3f}", all.empty() ? "" : ", ", lr, reached);
        if (reached > highest) highest = reached, best = lr;
    }
    say("{}, on held-out data: {}", name, all);
    return best;
}
//-

// Each model chooses among three learning rates by the accuracy on a table that it is neither trained nor tested on.
// All models see 1000 rows twenty times. Before the result, your bet on the straight table, in which $s = 0$:
//- the question, and how the figure is drawn
void tables() {
    const Numbers shares = {0, 0.25, 0.5, 0.75, 1};
    const Names names = {"linear", "perceptron", "convolution"};
    const std::array<Make, 3> makes = {weighted_sum, perceptron, windows};
    const Index epochs = 20;
    std::array<double, 3> rates;
    for (std::size_t k = 0; k < 3; ++k)
        rates[k] = best_rate(names[k].c_str(), makes[k], make_table(0.5, 99), epochs);
    std::array<std::array<Numbers, 3>, 5> found;
    for (std::size_t i = 0; i < shares.size(); ++i)
        for (std::uint64_t draw = 1; draw <= std::uint64_t(draws()); ++draw) {
            const Task task = make_table(shares[i], draw);
            for (std::size_t k = 0; k < 3; ++k)
                found[i][k].push_back(accuracy(
                    learned(makes[k], task.train, rates[k], epochs, draw), task.test));
        }
    const auto middle = [&](std::size_t i, std::size_t k) {
        return book::median(found[i][k]);
    };
    const auto ahead = [&](std::size_t i, std::size_t a, std::size_t b) {
        Numbers gaps;
        for (std::size_t n = 0; n < found[i][a].size(); ++n)
            gaps.push_back(found[i][a][n] - found[i][b][n]);
        return gaps;
    };
    const double lead = book::median(ahead(0, 1, 0));
    ask("In the straight table the truth is a weighted sum of columns, and some noise. "
        "Which model is most accurate on new rows?",
        {{"The perceptron: it can also express weighted sums, and more.", lead > 0,
          "It can, but from 1000 noisy rows it must first find out that nothing is "
          "bent. Some of the noise is taken for bends."},
         {"The linear model, by a hair.", lead <= 0 && lead > -0.03,
          "Here the linear model is the truth, and it has 18 parameters to fit. "
          "The perceptron pays a little for what it could also express."},
         {"The linear model by far: 1410 parameters learn 1000 rows by heart.",
          lead <= -0.03,
          "The perceptron could learn them by heart, but twenty passes with a falling "
          "rate do not drive it there."}});
    Figure figure("fig-tables");
    figure
        .describe(
            "Bars of the test accuracy of a linear model, a perceptron and a "
            "convolutional network on tables. A slider sets how much of the truth is "
            "bent. The bar of the linear model falls from 0.9 almost to one half. The "
            "other two fall by a few hundredths.")
        .slider("bent", shares, "bent share of the truth", 0.5)
        .height(240);
    for (std::size_t i = 0; i < shares.size(); ++i)
        figure.at(shares[i]).bars("", names, {middle(i, 0), middle(i, 1), middle(i, 2)},
                                  {.color = figure::blue});
    figure.always().rule_y(0.5, "guessing", {.color = figure::grey});
    figure.y("test accuracy")
        .ylim(0, 1)
        .save(
            "Test accuracy on tables of eight columns, median over three draws. The "
            "noise "
            "alone keeps every model below about 0.91. The more the truth is bent, the "
            "less "
            "a weighted sum can say.");
    for (std::size_t i = 0; i < shares.size(); ++i)
        say("bent share {}: linear {:.3f}, perceptron {:.3f}, convolution {:.3f}",
            shares[i], middle(i, 0), middle(i, 1), middle(i, 2));
    claim("claim-mlp-small-dimension/a",
          "half of the truth bent: accuracy of the perceptron minus that of the linear "
          "model",
          over_seeds(ahead(2, 1, 0)), ">=", 0.05);
    claim("", "nothing bent: the same", over_seeds(ahead(0, 1, 0)), "<", 0);
    report("", "half bent: accuracy of the perceptron minus that of the convolution",
           over_seeds(ahead(2, 1, 2)));
}
//-

// When half of the variance is bent, the perceptron is ahead of the linear model by about a tenth. The convolutional
// network is close to it: with two layers its windows reach five columns, and a dense layer reads all the rest. But
// what it assumes about neighbours is wrong here and cannot help, and it pays with its computations.
//
// ## No order, no neighbours
//
// A perceptron fits a table for a simple reason. Exchange two columns of the table, and exchange the weights that
// read them. The network answers as before. So every order of the columns is equally easy to learn. With random
// initial weights this is exact: no order is more likely to be found than another. A perceptron is therefore right
// for a table and wasteful for an image, for the same reason: it does not know what is next to what. The windows of a
// convolution see other pairs after the exchange, and no weights make up for this:
//- what is checked
void exchanged() {
    const NoGrad only_looking;
    Generator random(book::seed());
    const Tensor x = random.normal({100, 1, columns});
    const std::vector<Index> order = random.permutation(columns);
    const auto permuted = [&](const Tensor& matrix) {  // its columns
        return transpose(index_rows(transpose(matrix), Integers({columns}, order)));
    };
    const Tensor y = reshape(permuted(reshape(x, {100, columns})), {100, 1, columns});
    Net net = perceptron(random);
    const Tensor before = net(x);
    nn::Linear& first = std::get<nn::Linear>(net.layers[1].kind);
    first.weight = permuted(first.weight);
    claim("",
          "columns and the weights of the first layer in another order: largest change "
          "of "
          "an answer",
          double(max(abs(net(y) - before)).item()), "<=", 1e-5);
}
//-

// ## And images?
//
// An image of $28 \times 28$ pixels is a table with 784 columns. If the first layer of a perceptron has $m$ units and
// the image has $n$ pixels, this layer alone has $m (n + 1)$ parameters, and a convolution with 16 kernels of $5
// \times 5$ pixels has $16 \cdot 26 = 416$ for any $n$. We give a small convolutional network and a perceptron with
// one hidden layer equally many parameters, as nearly as its width allows and rather more than fewer. Both see the
// same images:
//- both networks, their training, and the figure
Examples clothes(Part part, Index from, Index count) {
    return data::slice(data::fashion_mnist(part), from, from + count);
}
Net small_convnet(Generator& random) {
    const nn::LinearOptions he{.weights = nn::he_init};
    return {{nn::Conv2d(1, 16, 5, random, {.stride = 2, .weights = nn::he_init}),
             nn::Relu(), nn::Conv2d(16, 32, 3, random, {.weights = nn::he_init}),
             nn::MaxPool2d{2}, nn::Relu(), nn::Flatten(),
             nn::Linear(800, hidden(), random, he), nn::Relu(),
             nn::Linear(hidden(), 10, random, he)}};
}
Index width_for(Index parameters) {  // of a perceptron with at least as many
    return (parameters - 10 + 794) / 795;
}
Net one_hidden(Generator& random) {
    Generator unused(1);
    const Index width = width_for(nn::count(small_convnet(unused)));
    const nn::LinearOptions he{.weights = nn::he_init};
    return {{nn::Flatten(), nn::Linear(784, width, random, he), nn::Relu(),
             nn::Linear(width, 10, random, he)}};
}
void images() {
    const Task task{clothes(Part::train, 0, pictures()),
                    clothes(Part::train, 5000, 1000), clothes(Part::test, 0, 2000)};
    const Names names = {"perceptron", "convolution"};
    const std::array<Make, 2> makes = {one_hidden, small_convnet};
    const Index epochs = 8;
    std::array<Numbers, 2> found;
    for (std::size_t k = 0; k < 2; ++k) {
        const double rate = best_rate(names[k].c_str(), makes[k], task, epochs);
        for (std::uint64_t draw = 1; draw <= std::uint64_t(draws()); ++draw)
            found[k].push_back(
                accuracy(learned(makes[k], task.train, rate, epochs, draw), task.test));
        Generator random(book::seed());
        say("{}: {} parameters, test accuracy {}", names[k],
            nn::count(makes[k](random)), book::brief(over_seeds(found[k])));
    }
    Numbers ahead;
    for (std::size_t n = 0; n < found[0].size(); ++n)
        ahead.push_back(found[1][n] - found[0][n]);
    Generator random(book::seed());
    const Numbers sides = {4, 8, 16, 28, 64, 128, 224};
    const Index width = width_for(nn::count(small_convnet(random)));
    Numbers by_dense, by_windows;
    for (const double side : sides) {
        by_dense.push_back(double(width) * (side * side + 1));
        by_windows.push_back(416);
    }
    Figure figure("fig-tables-images");
    figure
        .describe(
            "Two panels. First, bars of the test accuracy on images of a perceptron "
            "and a "
            "convolutional network with equally many parameters; the second bar is a "
            "little higher. Second, the parameters of the first layer against the side "
            "of an image, on logarithmic axes: a rising line for the perceptron, a "
            "level "
            "one for the convolution.")
        .height(230)
        .panel("images of clothes")
        .bars("", names, {book::median(found[0]), book::median(found[1])},
              {.color = figure::blue})
        .y("test accuracy")
        .ylim(0, 1);
    figure.panel("the first layer")
        .line("perceptron", sides, by_dense, {.color = figure::red})
        .line("convolution", sides, by_windows, {.color = figure::blue})
        .log_axes()
        .x("pixels along a side")
        .y("parameters")
        .save(
            "Test accuracy of both networks on images, median over three draws; and "
            "what "
            "becomes of their first layers when images grow.");
    claim("claim-mlp-small-dimension/b",
          "images: accuracy of the convolutional network minus that of the perceptron",
          over_seeds(ahead), ">=", 0);
}
//-

// The convolutional network is ahead by about a hundredth, in each of three draws. On small images that are all
// centred the perceptron is not bad at all. The other panel of {numref}`fig-tables-images` shows why it stops there.
// A photograph with 224 pixels along a side has fifty thousand pixels, even in grey, and each unit of the first layer
// needs a weight for each of them. The kernels do not care. With eight columns the same product is tiny, so a
// perceptron can afford to assume nothing.

void page() {
    tables();
    exchanged();
    images();
}

// ## Limits and origins
//
// Our tables are made by a formula, and its bent part is made for hidden units. Real tables have columns of different
// kinds, missing entries and jumps. On such tables, {cite:t}`grinsztajn2022` found that forests of decision trees are
// still ahead of networks of many kinds, and we compare with none. The convolutional network of the images is small,
// and its lead depends on its layout; the first line below tries one with fewer parameters. With more images its lead
// can grow, since what it shares it must learn only once.
//
// ## Summary
//
// On a table with few columns in no order, a perceptron assumes nothing and can afford it. It is ahead of a linear
// model as soon as columns interact, and a hair behind it if they do not. Images have many columns with neighbours,
// and there a convolutional network of equally many parameters is ahead.
//
// ## What is missing
//
// Why is a layer with few, shared weights enough for images? [The next page](lenet.cpp) builds the first network of this
// kind, LeNet.
//
// ```{try}
// - A narrow end: `--hidden 24`. Both networks lose most of their parameters. Which one is ahead?
// - More rows: `--rows 5000`. Is the perceptron still behind on the straight table?
// ```
