// # Auxiliary losses: classifiers in the middle of a network
//
// ```{rows} sys-auxiliary-losses
// ```
//
// Thirty layers lie between the loss and the first weights of a deep network, and each of them may shrink the gradient on
// its way. A skip connection shortens the way. There is an older remedy that leaves the layers as they are: bring the loss
// closer. An **auxiliary head** is a small classifier in the middle of the network, with a loss of its own, and its gradient
// enters where it stands. {numref}`fig-aux-gradients` compares the length of the gradient at each layer with two such
// heads and without, before any training. Move the slider, which sets the depth. Which initial weights need the heads?
//
// ```{opening} fig-aux-gradients
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
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<double> depth("depth", 30,
                                 "layers with weights, in the first figure",
                                 {.least = 6.0, .most = 60.0});
const book::Option<int> draws("draws", 3, "draws of the initial weights",
                              {.quick = 1, .least = 1, .most = 20});

// Defined further down:
struct Net {
    std::vector<nn::Linear> layers;
    std::vector<nn::Linear> heads;  // after one third, two thirds and all of the layers

    Net(Index depth, bool he, Generator& random);
    std::vector<Tensor> scores(const Tensor& x) const;
    void visit(auto&& part) { part("layers", layers), part("heads", heads); }
};
Tensor loss(const Net& net, const Examples& batch, double alpha);

const double usual_alpha = 0.3;  // the weight of an auxiliary loss
//-

//- the network, and the lengths of its gradients
Net::Net(Index depth, bool he, Generator& random) {
    const nn::LinearOptions options{.weights = he ? nn::he_init : nn::uniform_init};
    for (Index d = 1; d < depth; ++d)
        layers.emplace_back(d == 1 ? 784 : 32, 32, random, options);
    for (int k = 0; k < 3; ++k) heads.emplace_back(32, 10, random, options);
}

Examples standard(const Examples& all) {  // over all pixels
    Examples found = data::flat(all);
    found.x = (found.x - 0.286) / 0.353;
    return found;
}

std::vector<double> lengths(const Net& net, const Examples& batch, double alpha) {
    loss(net, batch, alpha).backward();
    std::vector<double> found;
    for (const nn::Linear& layer : net.layers) {
        double squares = 0;  // in double: squares are below the range of a float
        for (const Real g : layer.weight.grad().values())
            squares += double(g) * double(g);
        found.push_back(std::sqrt(squares));
    }
    return found;
}
// How much the images still differ behind each layer: the standard deviation of its units
// over the images, relative to the size of their numbers.
std::vector<double> differences(const Net& net, const Tensor& x) {
    const NoGrad only_looking;
    std::vector<double> found;
    Tensor h = x;
    for (const nn::Linear& layer : net.layers) {
        h = relu(layer(h));
        const auto all = h.values();
        double squares = 0, apart = 0;
        for (std::size_t unit = 0; unit < 32; ++unit) {
            double mean = 0;
            for (std::size_t i = unit; i < all.size(); i += 32)
                mean += double(all[i]) / double(x.size(0));
            for (std::size_t i = unit; i < all.size(); i += 32) {
                squares += double(all[i]) * double(all[i]);
                apart += (double(all[i]) - mean) * (double(all[i]) - mean);
            }
        }
        found.push_back(std::sqrt(apart / squares));
    }
    return found;
}
std::vector<std::vector<double>> lengths_of_draws(bool he, Index depth, double alpha) {
    const Examples batch =
        standard(data::slice(data::fashion_mnist(Part::train), 0, 100));
    std::vector<std::vector<double>> found;
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(100 * book::seed() + std::uint64_t(draw));
        found.push_back(lengths(Net(depth, he, random), batch, alpha));
    }
    return found;
}
//-

//- how the figure is drawn, and what is checked
void gradients() {
    const std::vector<double> stops = figure::settings(depth, {12, 21, 30, 45, 60});
    Figure figure("fig-aux-gradients");
    figure
        .describe(
            "Two panels with the length of the gradient against the layer, on a "
            "logarithmic axis. Usual initial weights: without heads the lines fall to "
            "the left, with 30 layers by nine powers of ten. With heads the lines have "
            "three teeth: they fall to the left as steeply, but start again at each "
            "head. He's weights: all lines are nearly level, and those with heads lie "
            "somewhat higher. A slider sets the depth.")
        .columns(2)
        .slider(depth, stops, "layers");
    for (const bool he : {false, true}) {
        figure.panel(he ? "He's weights" : "usual weights");
        for (const double stop : stops) {
            std::vector<double> layer;
            for (Index d = 1; d < Index(stop); ++d) layer.push_back(double(d));
            figure.at(stop)
                .lines("without heads", layer, lengths_of_draws(he, Index(stop), 0),
                       {.color = figure::red})
                .lines("with two heads", layer,
                       lengths_of_draws(he, Index(stop), usual_alpha),
                       {.color = figure::blue});
        }
        figure.always()
            .log_y()
            .ylim(1e-18, 1e2)
            .x("layer, from the input")
            .y("length of the gradient");
    }
    figure.save(
        "The length of the gradient of each layer's weights at initialisation, on 100 "
        "images of clothes, a line for each draw of the weights. The usual weights are "
        "the library's default. Layers of 32 units with ReLU; the heads stand at one "
        "third and two thirds of the depth, and each of their losses has the weight "
        "0.3.");
    for (const bool he : {false, true}) {
        const auto without = lengths_of_draws(he, 30, 0),
                   with = lengths_of_draws(he, 30, usual_alpha);
        std::vector<double> growth, first;
        for (std::size_t k = 0; k < with.size(); ++k) {
            double least = with[k][0] / without[k][0];
            for (std::size_t d = 1; d < 10; ++d)
                least = std::min(least, with[k][d] / without[k][d]);
            growth.push_back(least), first.push_back(without[k][0]);
        }
        say("{} weights, 30 layers, without heads: the first layer's gradient has the "
            "length {}",
            he ? "He's" : "usual", book::brief(over_seeds(first)));
        if (he)
            say("with He's weights the heads lengthen the gradients of the first ten "
                "layers at least by the factor {}",
                book::brief(over_seeds(growth)));
        else
            claim("sys-auxiliary-losses/a",
                  "usual weights: the gradient with heads over that without, least of "
                  "the first ten layers",
                  over_seeds(growth), ">=", 10);
    }
    const Examples batch =
        standard(data::slice(data::fashion_mnist(Part::train), 0, 100));
    std::vector<double> first, middle, last;
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(100 * book::seed() + std::uint64_t(draw));
        const std::vector<double> found = differences(Net(30, false, random), batch.x);
        first.push_back(found[0]), middle.push_back(found[9]),
            last.push_back(found[28]);
    }
    say("usual weights: the images differ by {} of the size of the numbers behind "
        "layer 1, by {} behind layer 10 and by {} behind layer 29",
        book::brief(over_seeds(first)), book::brief(over_seeds(middle)),
        book::brief(over_seeds(last)));
}
//-

// ## Three losses in one network
//
// Take thirty layers, and let each of them halve the gradient on its way back. A loss behind the last layer reaches layer 1
// after 29 other layers, so 1 becomes $2^{-29}$, about $2\times10^{-9}$. Now put a head behind layer 10. Its gradient passes
// only nine layers before it reaches layer 1, and arrives as $2^{-9} = 0.002$. The head makes the gradient of layer 1 a
// million times as long. It does nothing for layer 11, because a gradient only travels towards the input. So there is a
// second head, behind layer 20.
//
// In general, with heads behind the layers $D/3$ and $2D/3$ of a network with $D$ layers, training minimises the sum
//
// $$ \Loss = \Loss_{D} + \alpha\, \bigl( \Loss_{D/3} + \Loss_{2D/3} \bigr) , $$
//
// in which $\Loss_D$ is the cross-entropy of the last layer, and the other two are those of the heads behind the layers
// $D/3$ and $2D/3$. The factor $\alpha$ is the weight of an auxiliary loss; {cite:t}`szegedy2015` took 0.3. A head is a
// single dense layer here, so the code is short. The network returns the scores of its three classifiers:
std::vector<Tensor> Net::scores(const Tensor& x) const {
    std::vector<Tensor> found;
    const std::size_t depth = layers.size() + 1;
    Tensor h = x;
    for (std::size_t d = 1; d < depth; ++d) {
        h = relu(layers[d - 1](h));
        if (d == depth / 3 || d == 2 * depth / 3 || d + 1 == depth)
            found.push_back(heads[found.size()](h));
    }
    return found;
}

// and the loss adds up:
Tensor loss(const Net& net, const Examples& batch, double alpha) {
    const std::vector<Tensor> scores = net.scores(batch.x);
    Tensor sum = cross_entropy(scores[2], batch.labels);
    if (alpha > 0)
        for (const std::size_t k : {0, 1})
            sum = sum + alpha * cross_entropy(scores[k], batch.labels);
    return sum;
}

// When training ends, the two heads have done their work and are removed. The network that answers is the plain one, as
// fast as before.
//
// ## Does it learn better?
//
// With usual weights the gradient of layer 1 is a hundredth of a billionth long, and the heads lengthen it millions of
// times, as {numref}`fig-aux-gradients` shows. With [He's weights](../components/initialisation.cpp) no layer shrinks the
// gradient on average. There the heads only add two gradients of about the same size, and the first ten layers receive
// about twice as much.
//
// We train four networks of 30 layers with Adam on 5,000 images of clothes: with usual weights and with He's, each with
// heads and without. Each takes 600 steps at the same four learning rates with three seeds, and the rate with the best
// training accuracy counts. For the usual weights, heads decide whether the network learns at all. What do they do for He's?
//- training, and what is read from the study
Study::Row train(const Study::Row& setting, Index quarters) {
    Generator random(std::uint64_t(setting[3]) + 1000 * book::seed());
    const Examples lessons =
                       standard(data::slice(data::fashion_mnist(Part::train), 0, 5000)),
                   test = standard(data::fashion_mnist(Part::test));
    const Net net(30, setting[1] == 1, random);
    const double alpha = setting[0] == 1 ? usual_alpha : 0;
    optim::Adam adam(nn::parameters(net), {.lr = setting[2]});
    const auto right = [&](const Examples& set, std::size_t head) {
        const NoGrad only_looking;
        return nn::accuracy(net.scores(set.x)[head], set.labels);
    };
    Study::Row found;
    for (Index step = 0; step < 150 * quarters;)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            if (step == 150 * quarters) break;
            adam.zero_grad();
            loss(net, batch, alpha).backward();
            adam.step();
            if (++step % 150 == 0) found.push_back(right(lessons, 2));
        }
    for (const std::size_t head : {0, 1})  // those without a loss know nothing
        found.push_back(alpha > 0 ? right(lessons, head) : 0);
    found.push_back(right(test, 2));
    return found;
}
const std::vector<double> rates = {3e-4, 1e-3, 3e-3, 1e-2};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double heads : {1, 0})
        for (const double he : {1, 0})
            for (const double rate : rates)
                for (double seed = 1; seed <= 3; ++seed)
                    all.push_back({heads, he, rate, seed});
    return all;
}
const Study study({"auxiliary_losses",
                   {"heads", "he", "rate", "seed"},
                   {"quarter", "half", "three quarters", "end", "first head",
                    "second head", "test"},
                   {"sys-auxiliary-losses/b"},
                   0.15},  // less than half of the gap of part b
                  cells(), [](const Study::Row& setting) { return train(setting, 4); });

// Does the plain network only need more time? Ten times as many steps:
const Study longer({"auxiliary_losses_longer",
                    {"rate", "seed"},
                    {"after 1500", "after 3000", "after 6000"},
                    {"sys-auxiliary-losses/b"},
                    0.15},
                   {{1e-3, 1}, {1e-3, 2}, {1e-3, 3}},
                   [](const Study::Row& setting) -> Study::Row {
                       const Study::Row all = train({0, 0, setting[0], setting[1]}, 40);
                       return {all[9], all[19], all[39]};
                   });

// The three trainings at the rate whose training accuracy at the end is best.
std::vector<Study::Row> best_of(bool heads, bool he) {
    std::vector<Study::Row> best;
    double most = 0;
    for (const double rate : rates) {
        std::vector<Study::Row> found;
        double accuracy = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(heads) && row[1] == double(he) && row[2] == rate)
                found.push_back(row), accuracy += row[7];
        if (accuracy > most) most = accuracy, best = found;
    }
    return best;
}
std::vector<double> column(const std::vector<Study::Row>& rows, std::size_t i) {
    std::vector<double> found;
    for (const Study::Row& row : rows) found.push_back(row[i]);
    return found;
}
std::vector<double> difference(const std::vector<double>& a,
                               const std::vector<double>& b) {
    std::vector<double> found;
    for (std::size_t i = 0; i < a.size(); ++i) found.push_back(a[i] - b[i]);
    return found;
}

void question() {
    const double gain = book::median(
        difference(column(best_of(true, true), 7), column(best_of(false, true), 7)));
    ask("A network of 30 plain layers starts with He's weights. By how much does the "
        "training accuracy of its last classifier change if two heads take part in "
        "the training?",
        {{"It rises by a tenth or more: early layers receive more gradient.",
          gain >= 0.1,
          "They receive about twice as much, but Adam divides each gradient by its "
          "usual size anyway."},
         {"It rises by some hundredths.", gain > 0.02 && gain < 0.1,
          "The seeds of one network differ by more than the two networks do."},
         {"It stays the same, within the spread of three seeds.",
          std::abs(gain) <= 0.02,
          "The gradient was long enough without heads, and Adam divides each gradient "
          "by its usual size."},
         {"It falls: three tasks compete for the same layers.", gain < -0.02,
          "The three tasks are one task, asked three times."}});
}

void curves() {
    const std::vector<double> steps = {150, 300, 450, 600};
    Figure figure("fig-aux-curves");
    figure
        .describe(
            "Two panels with the training accuracy against the steps of training, "
            "three lines for each network. Usual weights: without heads all lines lie "
            "at 10 to 11 per cent; with heads they climb to between 71 and 79. He's "
            "weights: both kinds climb to about 80 per cent and cross each other.")
        .columns(2);
    for (const bool he : {false, true}) {
        figure.panel(he ? "He's weights" : "usual weights");
        for (const bool heads : {false, true}) {
            std::vector<std::vector<double>> lines;
            for (const Study::Row& row : best_of(heads, he))
                lines.push_back(
                    {100 * row[4], 100 * row[5], 100 * row[6], 100 * row[7]});
            figure.lines(heads ? "with two heads" : "without heads", steps, lines,
                         {.color = heads ? figure::blue : figure::red});
            say("{} weights, {}: training accuracy {}, test accuracy {}, at a learning "
                "rate of {}",
                he ? "He's" : "usual", heads ? "with heads" : "without heads",
                book::brief(over_seeds(column(best_of(heads, he), 7))),
                book::brief(over_seeds(column(best_of(heads, he), 10))),
                best_of(heads, he)[0][2]);
        }
        figure.ylim(0, 100).x("steps").y("training accuracy, %");
    }
    figure.save(
        "The accuracy of the last classifier on the 5,000 training images, three seeds "
        "each, at the best of four learning rates.");
    claim("sys-auxiliary-losses/b",
          "usual weights, 30 layers: training accuracy with heads less that without, "
          "after 600 steps",
          over_seeds(difference(column(best_of(true, false), 7),
                                column(best_of(false, false), 7))),
          ">=", 0.1);
    say("usual weights without heads, after 6,000 steps at a learning rate of 0.001: "
        "training accuracy {}",
        book::brief(over_seeds(column(longer.frozen().rows, 4))));
    say("the same with He's weights: {}",
        book::brief(over_seeds(difference(column(best_of(true, true), 7),
                                          column(best_of(false, true), 7)))));
}

// The first half of six trainings, done again.
void first_halves() {
    // The book carries fewer images for a browser.
    if (book::quick() || data::fashion_mnist(Part::train).size() < 5000) return;
    std::vector<Study::Row> kept = best_of(true, false);
    for (const Study::Row& row : best_of(false, false)) kept.push_back(row);
    std::vector<double> now(kept.size());
    book::each_apart(
        std::ssize(kept), 2,
        [&](Index i) -> Study::Row {
            const Study::Row& row = kept[std::size_t(i)];
            return {train({row.begin(), row.begin() + 4}, 2)[1]};
        },
        [&](Index i, const Study::Row& found) { now[std::size_t(i)] = found[0]; });
    std::vector<double> gap;
    for (std::size_t i = 0; i < 3; ++i) gap.push_back(now[i] - now[i + 3]);
    claim("sys-auxiliary-losses/b",
          "the first half of these trainings, done again: with heads less without",
          over_seeds(gap), ">=", 0.1);
}
//-

// {numref}`fig-aux-curves` shows the trainings. With usual weights and without heads, every one of the twelve trainings
// ends with 11.1 %, the share of the most frequent class. The network with heads names 72 % of its training images in the
// median. Would the plain one only need more steps? It stands at the same 11.1 % after 450 steps, at each of the four
// rates, and still does after 6,000 steps at a rate of 0.001. Before any training, the images differ by 72 % of the size
// of the numbers behind layer 1, by 0.06 % behind layer 10, and by less than one part in ten million behind layer 29. The
// signal vanishes on its way forward as the gradient does on its way back.
//
// With He's weights the heads change nothing that three seeds can show: 82 % with them, 83 % without. The best rate of
// all networks that learn is 0.001, neither the smallest nor the largest of the four. So a short way to the loss helps where
// the gradient vanishes, and is superfluous where the initial weights already keep the gradient's length.
//
// What do the classifiers in the middle know at the end? The table shows the accuracies of all three.
//- the table of the three classifiers
void three_classifiers() {
    std::vector<std::vector<book::Cell>> rows;
    for (const bool he : {false, true}) {
        const std::vector<Study::Row> best = best_of(true, he);
        const auto cell = [&](std::size_t i) {
            return fmt::format("{:.1f} %", 100 * book::median(column(best, i)));
        };
        rows.push_back({he ? "He's" : "usual", cell(8), cell(9), cell(7)});
    }
    book::table("fig-aux-heads",
                "Training accuracy of the classifiers behind layers 10, 20 and 29, "
                "median of three seeds.",
                {"weights", "layer 10", "layer 20", "layer 29"}, rows);
}
//-

// The classifier behind layer 10 is about as good as the last one. The nineteen layers behind it pass on what it knows and
// add nothing to it. Here auxiliary losses make a deep network trainable, and give it no reason to use its depth.
//
// ## Limits and origins
//
// {cite:t}`lee2015` put a classifier at every hidden layer and called the method **deep supervision**.
// {cite:t}`szegedy2015` gave GoogLeNet two, at about a third and two thirds of its [Inception blocks](inception.cpp),
// with the purpose that this page measures. A later study of the same architecture found little gain early in training and
// took the heads for a kind of regularisation {cite:p}`szegedy2016`. Batch normalisation and residual connections, which
// came in 2015, removed the need in most classifiers. Heads remain in use where an answer in the middle has a meaning of its
// own, for example in networks that refine a result step by step.
//
// The usual weights are a weak rival, and He's weights are the simpler cure. Our heads stand in fully connected layers of
// 32 units, and their weight of 0.3 was not tuned. The images are few and simple, and 30 layers are more than the task
// needs.
//
// ## Summary
//
// An auxiliary head is a classifier in the middle of a network, and its loss is added to that of the last classifier with a
// weight. It lengthens the gradients of the layers before it by as much as the layers behind it would have shrunk them, and
// a network of 30 layers with vanishing gradients becomes trainable. With initial weights that keep the gradient's length,
// the heads gain nothing here.
//
// ## What is missing
//
// A head adds a loss and leaves the layers as they are. [The next page](channel_attention.cpp) changes what a layer
// passes on: it lets the image decide which channels count.
//
// ```{try}
// - A depth of your own: `--depth 18`.
// - More draws of the weights: `--draws 10`. How far apart are the lines of one colour?
// ```
void page() {
    gradients();
    question();
    curves();
    three_classifiers();
    first_halves();
}
