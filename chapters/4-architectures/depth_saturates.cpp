// # Five hundred layers: trainable, and no better
//
// ```{rows} claim-depth-saturates
// ```
//
// [Orthogonal weights](orthogonal_initialisation.cpp) carry a signal and its gradient through any number of linear layers.
// Does a plain network without skip connections and without normalisation then train at any depth?
// {numref}`fig-depth-accuracy` shows tanh networks with 10 to 500 layers of 32 units. With orthogonal weights 500 layers
// learn. Weights drawn from a normal distribution of the same variance fail. But is the deepest network the best one? Look
// at the test accuracy.
//
// ```{opening} fig-depth-accuracy
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<double> layer("layer", 100,
                                 "the layer whose singular values are shown",
                                 {.least = 1.0, .most = 500.0});
//-

// ## A plain tanh network
//
// The network is as simple as a deep network can be. Each layer multiplies by a matrix, adds a bias, and applies the tanh.
// There is no shortcut from one layer to a later one. The first layer reads 784 pixels, the others 32 units. The two kinds
// of networks differ in one word, the name of the initialisation:
struct TanhNet {
    std::vector<nn::Linear> layers;
    nn::Linear leave;

    TanhNet(Index depth, bool orthogonal, Generator& random)
        : leave(32, 10, random, {.weights = nn::lecun_init}) {
        const nn::Init init =
            orthogonal ? nn::Init(nn::orthogonal_init) : nn::Init(nn::lecun_init);
        for (Index d = 1; d <= depth; ++d)
            layers.emplace_back(d == 1 ? 784 : 32, 32, random,
                                nn::LinearOptions{.weights = init});
    }
    Tensor operator()(const Tensor& x) const {
        Tensor h = x;
        for (const nn::Linear& layer : layers) h = tanh(layer(h));
        return leave(h);
    }
    //- the names of its parts
    void visit(auto&& part) { part("layers", layers), part("leave", leave); }
    //-
};

//- training, and what is read from the study
Examples standard(const Examples& all) {  // over all pixels
    Examples found = data::flat(all);
    found.x = (found.x - 0.286) / 0.353;
    return found;
}

Study::Row train(const Study::Row& setting, Index steps = 900) {
    Generator random(std::uint64_t(setting[3]) + 1000 * book::seed());
    const Examples lessons =
                       standard(data::slice(data::fashion_mnist(Part::train), 0, 5000)),
                   test =
                       standard(data::slice(data::fashion_mnist(Part::test), 0, 4000));
    const TanhNet net(Index(setting[1]), setting[0] == 1, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[2]});
    for (Index step = 0; step < steps;)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            if (step == steps) break;
            adam.options.lr = setting[2] * (1 - double(step++) / double(steps));
            adam.zero_grad();
            cross_entropy(net(batch.x), batch.labels).backward();
            adam.step();
        }
    const NoGrad only_looking;
    return {nn::accuracy(net(lessons.x), lessons.labels),
            nn::accuracy(net(test.x), test.labels)};
}
// The seed 1 tries all rates; the other seeds of the deepest networks take the rate that is best for orthogonal weights.
const double largest = 500, deep_rate = 1e-4;
const std::vector<double> depths = {10, 30, 100, 500};
std::vector<double> rates(double depth) {
    if (depth == largest) return {3e-5, 1e-4, 3e-4};
    return {3e-4, 1e-3, 3e-3};
}
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double orthogonal : {1, 0})
        for (double seed = 1; seed <= 3; ++seed)
            for (const double rate : rates(largest))
                if (seed == 1 || rate == deep_rate)
                    all.push_back({orthogonal, largest, rate, seed});
    for (const double depth : {100, 30, 10})
        for (const double rate : rates(depth))
            for (double seed = 1; seed <= 3; ++seed)
                all.push_back({1, depth, rate, seed});
    return all;
}
// A later study: two more seeds, and for 100 layers a lower rate than the lowest above.
std::vector<Study::Row> more_cells() {
    std::vector<Study::Row> all;
    for (const double orthogonal : {1, 0})
        for (const double seed : {4, 5})
            all.push_back({orthogonal, largest, deep_rate, seed});
    for (double seed = 1; seed <= 5; ++seed) all.push_back({1, 100, 1e-4, seed});
    for (const double seed : {4, 5}) {
        all.push_back({1, 100, 3e-4, seed});
        all.push_back({1, 30, 1e-3, seed});
        all.push_back({1, 10, 1e-3, seed});
    }
    return all;
}
Study::About about(const std::string& name) {
    return {name,
            {"orthogonal", "depth", "rate", "seed"},
            {"train", "test"},
            {"claim-depth-saturates/b", "claim-depth-saturates/c",
             "claim-depth-saturates/d"},
            0.02};
}
Study::Row one_cell(const Study::Row& setting) { return train(setting); }
const Study more(about("depth_saturates_more"), more_cells(), one_cell);
const Study study(about("depth_saturates"), cells(), one_cell);

// Both tables, with the settings first.
std::vector<Study::Row> rows() {
    std::vector<Study::Row> all = study.frozen().rows;
    for (const Study::Row& row : more.frozen().rows) all.push_back(row);
    return all;
}

// The trainings of five seeds, each at the rate whose training accuracy is best for seed 1.
std::vector<Study::Row> best_of(bool orthogonal, double depth) {
    double best = 0, most = -1;
    std::vector<Study::Row> found;
    for (const Study::Row& row : rows())
        if (row[0] == double(orthogonal) && row[1] == depth && row[3] == 1 &&
            row[4] > most)
            most = row[4], best = row[2];
    for (const Study::Row& row : rows())
        if (row[0] == double(orthogonal) && row[1] == depth && row[2] == best)
            found.push_back(row);
    return found;
}
//-

//- how the figure is drawn, and what is checked
std::vector<double> column(const std::vector<Study::Row>& rows, std::size_t i) {
    std::vector<double> found;
    for (const Study::Row& row : rows) found.push_back(row[i]);
    return found;
}

// The training accuracies at the largest depth: of seed 1 the best over all rates.
std::vector<double> deepest(bool orthogonal) {
    std::vector<double> found(5);
    for (const Study::Row& row : rows())
        if (row[0] == double(orthogonal) && row[1] == largest) {
            double& seen = found[std::size_t(row[3]) - 1];
            seen = std::max(seen, row[4]);
        }
    return found;
}

void accuracies() {
    Figure figure("fig-depth-accuracy");
    figure.describe(
        "Accuracy against the number of layers on a logarithmic axis, from 10 to 500, "
        "with a dot for each of five seeds. The training and the test accuracy of "
        "orthogonal networks are highest at 10 and 30 layers and lowest at 500. The "
        "normal networks of 500 layers lie far below, under 20 per cent.");
    for (const std::size_t k : {4, 5}) {
        std::vector<double> middle, x, y;
        for (const double depth : depths) {
            const std::vector<double> found = column(best_of(true, depth), k);
            middle.push_back(100 * book::median(found));
            for (const double v : found) x.push_back(depth), y.push_back(100 * v);
        }
        const figure::Color color = k == 4 ? figure::blue : figure::ochre;
        figure
            .line(k == 4 ? "orthogonal, training" : "orthogonal, test", depths, middle,
                  {.color = color, .points = false})
            .dots("", x, y, {.color = color});
    }
    std::vector<double> failed = deepest(false);
    for (double& v : failed) v *= 100;
    figure
        .dots("normal, training", std::vector<double>(5, largest), failed,
              {.color = figure::red})
        .log_x()
        .ylim(0, 100)
        .x("layers")
        .y("accuracy, %")
        .save(
            "Tanh networks of 32 units in a layer, trained on 5,000 images of clothes, "
            "five seeds each, a line through the medians. The learning rate was chosen "
            "for each depth. At 500 layers, normal weights stay below 20 per cent.");
    book::shows("claim-depth-saturates/a", "fig-depth-accuracy");

    std::vector<double> gap(5, -1);
    for (const double depth : depths) {
        const std::vector<Study::Row> best = best_of(true, depth);
        say("{} layers: training accuracy {}, test accuracy {}, at a learning rate of "
            "{}",
            depth, book::brief(over_seeds(column(best, 4))),
            book::brief(over_seeds(column(best, 5))), best[0][2]);
        for (std::size_t i = 0; depth < largest && i < 5; ++i)
            gap[i] = std::max(gap[i], best[i][5]);
    }
    for (const bool orthogonal : {true, false})
        for (const double rate : rates(largest)) {
            std::vector<std::string> found;
            for (const Study::Row& row : rows())
                if (row[0] == double(orthogonal) && row[1] == largest && row[2] == rate)
                    found.push_back(book::brief(row[4]));
            say("500 layers, {} weights, learning rate {}: training accuracy {}",
                orthogonal ? "orthogonal" : "normal", rate, fmt::join(found, ", "));
        }
    const std::vector<double> last = column(best_of(true, largest), 5);
    for (std::size_t i = 0; i < 5; ++i) gap[i] -= last[i];
    claim("claim-depth-saturates/b",
          "training accuracy of 500 layers with orthogonal weights",
          over_seeds(deepest(true)), ">=", 0.75);
    claim("claim-depth-saturates/c",
          "training accuracy of 500 layers with normal weights of the same variance",
          over_seeds(deepest(false)), "<", 0.3);
    claim("claim-depth-saturates/d",
          "the best test accuracy of 10, 30 and 100 layers less that of 500",
          over_seeds(gap), ">", 0);
}
//-

// The variance of the single weights is the same for both kinds: 1/32, or 1/784 in the first layer. Biases start at zero.
//
// ## What reaches layer 500
//
// Two things can go wrong on the way: the signal can become too small, or it can lose what tells the images apart. Begin
// with its size. Let $s$ be the mean square of the units. An orthogonal layer keeps $s$, and the tanh makes it smaller.
// Take $s = 0.1$. A unit of size 0.316 becomes tanh 0.316 = 0.306, and its square 0.0936. Units of other sizes lose other
// shares: large ones more, small ones less. If the units have a normal distribution, the mean square falls to about 0.08.
// The next layers bring it to about 0.067 and 0.058. The signal shrinks, but more and more slowly, because a smaller
// signal meets a straighter part of the tanh.
//
// In general, $\tanh z \approx z - z^3/3$ for small numbers, so $\tanh^2 z \approx z^2 - \frac23 z^4$. For a normal
// distribution the mean of $z^4$ is $3 s^2$. So one layer does
//
// $$ s \;\to\; s - 2 s^2 . $$
//
// The reciprocal $1/s$ then grows by about 2 in each layer, and after $d$ layers $s$ is about $\frac{1}{2d}$. This is
// 0.001 after 500 layers: a signal of size 0.03. Nothing has vanished.
//
// For normal weights the same calculation holds *on average* over many networks. A single network is another matter. Each
// layer multiplies the size by a [random factor](jacobian_moments.cpp), and 500 random factors with a mean of one have a
// product that is usually tiny and rarely huge. The tanh cuts off what is huge. Each layer also stretches some directions
// of the signal and shrinks others. To see what this does, send 500 images of clothes through fresh networks. In how many
// directions do the 32 units of a layer still differ from image to image? Place your bet:
//- the singular values of a layer, the question, and the figure
// Of the units of some layers, around their means: the singular values, relative to the largest.
std::vector<std::vector<double>> spread(bool orthogonal, std::uint64_t draw,
                                        const std::vector<double>& layers,
                                        std::vector<double>* squares = nullptr) {
    const NoGrad only_looking;
    Generator random(100 * book::seed() + draw);
    const TanhNet net(Index(largest), orthogonal, random);
    Tensor h = standard(data::slice(data::fashion_mnist(Part::train), 0, 500)).x;
    std::vector<std::vector<double>> found;
    for (std::size_t d = 0; d < net.layers.size(); ++d) {
        h = tanh(net.layers[d](h));
        if (squares) squares->push_back(double(mean(h * h).item()));
        if (std::ranges::find(layers, double(d + 1)) == layers.end()) continue;
        std::vector<double> values =
            linalg::singular_values(linalg::matrix_of(h - mean(h, {0})));
        const double most = values[0];
        for (double& v : values) v /= most;
        found.push_back(values);
    }
    return found;
}

void directions() {
    const int draws = book::quick() ? 1 : 3;
    const auto alive = [&](bool orthogonal) {
        std::vector<double> found;
        for (int draw = 0; draw < draws; ++draw)
            found.push_back(double(
                std::ranges::count_if(spread(orthogonal, std::uint64_t(draw), {100})[0],
                                      [](double v) { return v >= 0.01; })));
        return over_seeds(found);
    };
    const book::Measured rotated = alive(true), normal = alive(false);
    ask("At layer 100 of a fresh network with normal weights, in how many of 32 "
        "directions do the images differ by at least a hundredth of what they differ "
        "in the first direction?",
        {{"In four or fewer.", normal.value <= 4,
          "Each layer stretches some directions and shrinks others. After a hundred "
          "layers one direction is far ahead of nearly all others."},
         {"In about ten.", normal.value > 4 && normal.value <= 20,
          "That would be so after fewer layers. Every further one widens the gaps."},
         {"In nearly all.", normal.value > 20,
          "The variance is right on average over directions. Single directions fare "
          "very differently."}});
    say("directions with at least a hundredth at layer 100: orthogonal {}, normal {}",
        book::brief(rotated), book::brief(normal));
    const std::vector<double> stops =
        figure::settings(layer, {1, 3, 10, 30, 100, 200, 500});
    std::vector<double> place;
    for (int k = 1; k <= 32; ++k) place.push_back(k);
    Figure figure("fig-tanh-directions");
    figure
        .describe(
            "The singular values of the units of a layer, from the largest to the "
            "smallest, on a logarithmic axis, three lines for orthogonal and three for "
            "normal weights. At the first layer all lines agree. At later layers the "
            "orthogonal lines stay where they are, while the normal ones fall ever "
            "more "
            "steeply behind the first value. A slider sets the layer.")
        .slider(layer, stops, "layer");
    for (const bool orthogonal : {true, false}) {
        std::vector<std::vector<std::vector<double>>> all;
        for (int draw = 0; draw < draws; ++draw)
            all.push_back(spread(orthogonal, std::uint64_t(draw), stops));
        for (std::size_t k = 0; k < stops.size(); ++k) {
            std::vector<std::vector<double>> lines;
            for (const auto& of_draw : all) lines.push_back(of_draw[k]);
            figure.at(stops[k]).lines(
                orthogonal ? "orthogonal" : "normal", place, lines,
                {.color = orthogonal ? figure::blue : figure::red});
        }
    }
    figure.always()
        .log_y()
        .ylim(1e-8, 1)
        .x("direction, by size")
        .y("singular value, relative to the largest")
        .save(
            "How far 500 images differ in each of the 32 directions of a layer, before "
            "any training, three networks of each kind. Move the slider: with normal "
            "weights all directions but one or two vanish.");
    std::vector<double> second, third;
    for (int draw = 0; draw < draws; ++draw) {
        const std::vector<double> last =
            spread(false, std::uint64_t(draw), {largest})[0];
        second.push_back(last[1]), third.push_back(last[2]);
    }
    say("normal weights, layer 500: singular value 2 over 1: {}, 3 over 1: {}",
        book::brief(over_seeds(second)), book::brief(over_seeds(third)));
    std::vector<double> off, sizes;
    for (int draw = 0; draw < draws; ++draw) {
        std::vector<double> squares;
        spread(true, std::uint64_t(draw), {}, &squares);
        off.push_back(squares.back() * 2 * largest);
        squares.clear();
        spread(false, std::uint64_t(draw), {}, &squares);
        sizes.push_back(squares.back());
    }
    say("normal weights: the mean square after 500 layers: {}",
        book::brief(over_seeds(sizes)));
    claim_in("",
             "orthogonal weights: the mean square after 500 layers, over the estimate "
             "1/(2 · 500)",
             over_seeds(off), 0.5, 1.5);
}
//-

// {numref}`fig-tanh-directions` shows what happens to the images. With orthogonal weights all 32 directions remain at
// layer 100. With normal weights three remain. At layer 500 the third direction is about a millionth of the first, which
// is close to the rounding of single precision. A classifier behind this layer receives one number for each image, or two.
// And these numbers are small: the mean square of the units is between $10^{-12}$ and $10^{-8}$ in the three networks,
// where the orthogonal ones have $10^{-3}$. The estimate $\frac{1}{2d}$ for orthogonal weights is off by 6 per cent.
//
// The gradient takes the same way back. It is multiplied by the transposed matrices, so it loses the same directions. Adam
// can make up for a small gradient, since it divides by the gradient's size. It cannot bring back a direction that is
// lost.
//
// ## Training five hundred layers
//
// Each network sees 5,000 images for 18 epochs. Adam starts with a learning rate that falls to zero. The best rate depends
// on the depth, so each depth tries a few, and the training accuracy of the first seed chooses. Four more seeds take this
// rate.
//
// With orthogonal weights, 500 layers reach a training accuracy of 0.823, the median of five seeds. The draws differ: two
// seeds stay at 0.734 and 0.776, the other three lie between 0.823 and 0.827. So one draw in five misses the 0.75 that
// this page asks of the median. With normal weights no network gets beyond 0.192, and guessing would give 0.1. Three times
// the rate and a third of it do not help the first of them either. The rate matters for orthogonal weights, too: at three
// times the best rate the deep network fell to 0.211.
//
// Now compare the depths. On the training images 10 layers reach the most, 0.952, and 500 layers the least. The test
// accuracy follows: 10 and 30 layers are level at 0.83, with a difference of a few images. 100 layers lose more than one
// point, and 500 layers more than eight. In each of the five seeds the best of the smaller depths is ahead of 500 layers
// by at least six points. A hundred layers also need a learning rate three times lower than that of 10 layers, and 500
// layers one that is ten times lower: a small change in each of many layers adds up to a large change of the output.
//
// The deep network is not limited by what it can represent. 490 of its layers could copy the output of the first ten,
// nearly, since a tanh is close to the identity for small numbers. As [plain convolutional networks](deep_and_plain.cpp)
// do, it fits its training images less well than a shallow one.
//- the page
void page() {
    accuracies();
    directions();
}
//-

// ## Limits and origins
//
// The networks have 32 units in a layer, which limits what any of them can learn. At depth 500 only the first seed tried
// all three rates, with both kinds of weights. Every network had the same number of steps. The 500 layers do not fit their
// training images as well as 10 layers do, so the loss of test accuracy is one of training, and longer training may win
// back some of it. The best depth was chosen with the test images, which favours it a little. And images of clothes ask
// for little depth.
//
// {cite:t}`saxe2014` proposed orthogonal weights for deep linear networks. {cite:t}`xiao2018` trained convolutional
// networks of ten thousand layers from a delta-orthogonal start.
//
// ## Summary
//
// Tanh networks of 500 layers train if their weights start orthogonal, since every direction of the signal survives, and
// its size falls only as $1/\sqrt{2d}$. Normal weights of the same variance leave one or two directions of a tiny signal,
// and the network does not learn. Depth that can be trained is not yet depth that helps: the best test accuracy belongs to
// a smaller number of layers.
//
// ## What is missing
//
// What helps then? A design that fits the data, such as [convolutions](lenet.cpp) and [residual
// blocks](residual_blocks.cpp) for images. Before any training, there is one more direction to go: [the next
// page](neural_tangent_kernel.cpp) widens the layers without limit.
//
// ```{try}
// - Another layer: `--layer 20`. How many directions has a normal network lost by then?
// - Other random draws: `--seed 2`. Does the signal of normal weights still vanish?
// ```
