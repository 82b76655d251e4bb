// # Random projections: what survives random layers
//
// ```{rows} sys-random-projection fig-001-random-relu-chain claim-random-weights-reconstruct
// ```
//
// A [readout on random features](random_features.cpp) classifies images well. So the features must still depend on
// what the images show. How much do they keep? Multiply two images by the same random matrix and compare the distance
// after with the distance before. {numref}`fig-random-distances` does it for many pairs. Change how many numbers are
// kept. Then we apply ten random layers one after another, and finally ask for the images back.
//
// ```{opening} fig-random-distances
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::median, book::say, book::Study;
using data::Examples, data::Part;
using figure::Figure;
using linalg::Matrix;

const book::Option<Index> kept("kept", 64, "numbers kept of an image",
                               {.least = 1, .most = 784});
const book::Option<Index> other("other", 1, "another draw of the random matrix",
                                {.least = 1, .most = 20});
const book::Option<int> draws("draws", 10, "draws of matrices and images",
                              {.quick = 5, .least = 5, .most = 50});
const book::Option<Index> known("known", 5000, "images whose labels are known",
                                {.quick = 300, .least = 50, .most = 20'000});
const book::Option<Index> asked("asked", 2000, "test images",
                                {.quick = 100, .least = 50, .most = 10'000});
const book::Option<bool> centre("centre", true, "subtract the mean image");
const book::Option<Index> images("images", 6000, "training images of the two networks",
                                 {.quick = 600, .least = 300, .most = 60'000});
//-

// ## Distances survive
//
// A **random projection** multiplies an image by a matrix of independent normal numbers. Each column of the matrix is
// a random direction, and each result is the component of the image along it. To keep $m$ numbers of an image, take $m$
// directions, with variance $1/m$:
Tensor projection(Index inputs, Index m, Generator& random) {
    return random.normal({inputs, m}, 0, Real(1 / std::sqrt(double(m))));
}
// Let two images differ by $(3, 4)$ in two pixels and agree in all others. Their squared distance is $9 + 16 = 25$.
// Along one direction with independent normal components of variance 1, the difference is $3 w_1 + 4 w_2$. This is a
// normal number with mean 0 and variance $9 + 16 = 25$. So its square is 25 on average. A single square is a poor
// estimate: its standard deviation is $\sqrt 2 \cdot 25$, larger than the mean. The mean of $m$ squares is better:
//
// $$ \frac{\lVert x_i W - x_j W \rVert^2}{\lVert x_i - x_j \rVert^2} = 1 \pm \sqrt{2/m} . $$
//
// For $m = 64$ the standard deviation is 0.18, for $m = 784$ it is 0.05. Notice what the formula lacks: the
// number of pixels. Images of a million pixels would need no more directions. The
// **Johnson–Lindenstrauss lemma** {cite:p}`johnson1984` goes further: a number of directions that grows with the
// logarithm of the number of points is enough to keep *all* their distances nearly.
//- distances, neighbours, and how the figure is drawn
Tensor squared_distances(const Tensor& a, const Tensor& b) {
    const Tensor from = sum(square(a), {1}, Keep::yes),
                 to = transpose(sum(square(b), {1}, Keep::yes));
    return from + to - matmul(a, transpose(b)) * 2;
}

std::vector<Real> pairs(const Tensor& x) {  // the squared distance of every pair
    const std::vector<Real> all = squared_distances(x, x).values();
    std::vector<Real> found;
    for (Index i = 0; i < x.size(0); ++i)
        for (Index j = 0; j < i; ++j)
            found.push_back(all[std::size_t(i * x.size(0) + j)]);
    return found;
}

std::vector<double> ratios(const Tensor& x, const Tensor& w) {
    const std::vector<Real> before = pairs(x), after = pairs(matmul(x, w));
    std::vector<double> found;
    for (std::size_t i = 0; i < before.size(); ++i)
        found.push_back(double(after[i]) / double(before[i]));
    return found;
}

Examples flat_images(Part part, Index begin, Index end) {
    return data::flat(data::slice(data::fashion_mnist(part), begin, end));
}

void distances() {
    Generator random(book::seed() + 100 * std::uint64_t(other()));
    const Tensor x = flat_images(Part::train, 0, 100).x;
    const std::vector<double> found = ratios(x, projection(784, kept(), random));
    std::vector<double> places, heights(40);
    for (std::size_t i = 0; i < heights.size(); ++i)
        places.push_back(0.025 + 0.05 * double(i));
    for (const double ratio : found)
        heights[std::size_t(std::clamp(ratio / 0.05, 0.0, 39.0))] +=
            100 / double(found.size());
    const double spread = std::sqrt(2 / double(kept()));
    Figure("fig-random-distances")
        .describe(
            "A histogram of the ratio of squared distances after and before a random "
            "projection. With 64 numbers kept, nearly all ratios lie between one half "
            "and one and a half, around 1. Sliders set how many numbers are kept, and "
            "the draw of the matrix.")
        .slider(kept, "numbers kept")
        .slider(other, "draw")
        .bars("pairs of images", places, heights)
        .rule_x(1 - spread, "", {.color = figure::red, .dash = figure::dashed})
        .rule_x(1 + spread, "1 ± √(2/m)",
                {.color = figure::red, .dash = figure::dashed})
        .xlim(0, 2)
        .x("squared distance after / before")
        .y("share of the pairs, %")
        .save(
            "How a random projection changes the squared distances of 100 images of "
            "Fashion-MNIST, 4950 pairs. The last bar holds all larger ratios. With "
            "more numbers "
            "kept, the histogram becomes narrow around 1. All pairs share one matrix, "
            "so one draw may lie off centre.");
    book::shows("sys-random-projection/a", "fig-random-distances");
}

// The share of test images whose nearest neighbour has their label.
double nearest(const Tensor& from, const Integers& labels, const Tensor& x,
               const Integers& right) {
    // |x|² is the same for all candidates, so it is left out
    const Tensor closeness =
        matmul(x, transpose(from * 2)) - transpose(sum(square(from), {1}, Keep::yes));
    const std::vector<Index> at = argmax(closeness).values(),
                             known_labels = labels.values(), wanted = right.values();
    double hits = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
        hits += known_labels[std::size_t(at[i])] == wanted[i];
    return hits / double(at.size());
}
//-

// Do the labels survive as well? The simplest classifier by distance is the **nearest neighbour**: a test image gets
// the label of the training image that is nearest to it. With 5000 training images and all 784 pixels it is right for
// about 79 % of the test images.
//- a draw: projections, and the chain
struct Draw {
    double raw = 0;                   // accuracies of the nearest neighbour: on pixels,
    std::vector<double> projected;    // with 64 and 128 numbers,
    std::vector<double> deep;         // and after each random layer
    std::vector<double> correlation;  // of the distances with the originals,
    double uncentred = 0;             // and after ten layers on pixels as they are
    double distortion = 0;            // standard deviation with 64 numbers
};
//-

// ## A chain of random layers
//
// Now put a ReLU behind the random matrix, and repeat: a network that is never trained, ten layers deep, with 256 units
// in each layer and the [initialisation of He](../components/initialisation.cpp). Before the first layer we subtract
// the mean image. The loop keeps what every layer makes:
std::vector<Tensor> random_chain(Tensor x, Index layers, Generator& random) {
    std::vector<Tensor> all = {x};
    for (Index d = 0; d < layers; ++d) {
        const Real size = Real(std::sqrt(2.0 / double(x.size(1))));
        x = relu(matmul(x, random.normal({x.size(1), 256}, 0, size)));
        all.push_back(x);
    }
    return all;
}
//- the correlation of ranks, and the draws
std::vector<double> ranks(const std::vector<Real>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(
        order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> found(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) found[order[i]] = double(i);
    return found;
}

double spearman(const std::vector<Real>& a, const std::vector<Real>& b) {
    const std::vector<double> x = ranks(a), y = ranks(b);
    const double middle = double(x.size() - 1) / 2;
    double xy = 0, xx = 0;  // both have the same variance, that of 0, 1, 2, ...
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - middle) * (y[i] - middle);
        xx += (x[i] - middle) * (x[i] - middle);
    }
    return xy / xx;
}

Draw one_draw(std::uint64_t seed) {
    Generator random(seed);
    const auto some = [&](Part part, Index count) {
        const Examples& all = data::fashion_mnist(part);
        std::vector<Index> order = random.permutation(all.size());
        order.resize(std::size_t(count));
        return data::flat(data::select(all, order));
    };
    Examples from = some(Part::train, known()), test = some(Part::test, asked());
    const Tensor as_they_are = slice(from.x, 0, 0, std::min<Index>(300, known()));
    if (centre()) {
        const Tensor middle = mean(from.x, {0});
        from.x = from.x - middle, test.x = test.x - middle;
    }
    const auto right = [&](const Tensor& a, const Tensor& b) {
        return nearest(a, from.labels, b, test.labels);
    };
    Draw found;
    found.raw = right(from.x, test.x);
    const Tensor few = slice(from.x, 0, 0, std::min<Index>(300, known()));
    for (const Index m : {64, 128}) {
        const Tensor w = projection(784, m, random);
        found.projected.push_back(right(matmul(from.x, w), matmul(test.x, w)));
        if (m != 64) continue;
        const std::vector<double> all = ratios(few, w);
        for (const double ratio : all)
            found.distortion += (ratio - 1) * (ratio - 1) / double(all.size());
        found.distortion = std::sqrt(found.distortion);
    }
    const std::vector<Tensor> both = random_chain(concat({from.x, test.x}), 10, random);
    const std::vector<Real> before = pairs(few);
    for (const Tensor& layer : both) {
        found.correlation.push_back(
            spearman(pairs(slice(layer, 0, 0, few.size(0))), before));
        const std::size_t at = found.correlation.size() - 1;
        if (at == 1 || at == 5 || at == 10)
            found.deep.push_back(right(slice(layer, 0, 0, known()),
                                       slice(layer, 0, known(), layer.size(0))));
    }
    found.uncentred =
        spearman(pairs(random_chain(as_they_are, 10, random).back()), before);
    return found;
}

std::vector<double> each(const std::vector<Draw>& all,
                         const std::function<double(const Draw&)>& of) {
    std::vector<double> found;
    for (const Draw& one : all) found.push_back(of(one));
    return found;
}

struct Compared {
    std::string what;
    double expected;  // from an earlier run
    std::vector<double> found;
};

// In each draw, the largest distance from the expected numbers.
book::Measured farthest(const std::vector<Compared>& all) {
    std::vector<double> worst(all[0].found.size());
    for (const Compared& one : all)
        for (std::size_t draw = 0; draw < worst.size(); ++draw)
            worst[draw] =
                std::max(worst[draw], std::abs(one.found[draw] - one.expected));
    return book::over_seeds(worst);
}

std::vector<Draw> all_draws() {
    std::vector<Draw> all;
    for (int draw = 0; draw < draws(); ++draw)
        all.push_back(one_draw(book::seed() + 10 * std::uint64_t(draw)));
    return all;
}
//-
// The layers are random, so the features of every layer are a nonlinear random projection of the image. Place your bet:
//- the question, the figure, and what is checked
// The first two principal components of the rows.
std::pair<std::vector<double>, std::vector<double>> components(const Tensor& x) {
    const linalg::Svd of = linalg::svd(linalg::matrix_of(x - mean(x, {0})));
    std::vector<double> right, up;
    for (Index i = 0; i < x.size(0); ++i) {
        right.push_back(of.u(i, 0) * of.values[0]);
        up.push_back(of.u(i, 1) * of.values[1]);
    }
    return {right, up};
}

void chain_views() {
    const std::vector<Index> shown = {1, 7, 8, 9};  // trouser, sneaker, bag, ankle boot
    std::vector<Index> rows;
    const Examples& all = data::fashion_mnist(Part::train);
    for (const Index label : shown)
        for (Index i = 0, count = 0; count < 40; ++i)
            if (all.labels.data()[i] == label) rows.push_back(i), ++count;
    Generator random(book::seed());
    const Examples some = data::flat(data::select(all, rows));
    const std::vector<Tensor> layers =
        random_chain(some.x - mean(some.x, {0}), 10, random);
    std::vector<double> stops, depths, correlation;
    for (std::size_t d = 0; d < layers.size(); ++d) {
        if (d > 0) stops.push_back(double(d));
        depths.push_back(double(d));
        correlation.push_back(spearman(pairs(layers[d]), pairs(some.x)));
    }
    Figure figure("fig-relu-chain");
    figure
        .describe(
            "Left: 160 images as dots in four colours, one for each kind of clothes, "
            "along the first two principal components of a layer. After one layer the "
            "four kinds form four groups. After ten layers the groups have moved into "
            "one another. Right: the correlation of the distances with the original "
            "ones "
            "falls from 1 to about one half. A slider chooses the layer.")
        .slider("layer", stops, "random layers", 1)
        .panel("first two principal components");
    // The sign of a component means nothing: it is the one that moves the images less.
    const auto orient = [](std::vector<double>& now, std::vector<double>& before) {
        const auto size = [](double v) { return std::abs(v); };
        const double along = before.empty() ? *std::ranges::max_element(now, {}, size)
                                            : linalg::dot(before, now);
        if (along < 0)
            for (double& v : now) v = -v;
        before = now;
    };
    std::vector<double> right_before, up_before;
    for (const double stop : stops) {
        auto [right, up] = components(layers[std::size_t(stop)]);
        orient(right, right_before), orient(up, up_before);
        const double size = std::max(linalg::largest(right), linalg::largest(up));
        for (double& v : right) v /= size;
        for (double& v : up) v /= size;
        for (std::size_t k = 0; k < shown.size(); ++k)
            figure.at(stop).dots(
                std::string(data::fashion_names[std::size_t(shown[k])]),
                std::vector<double>(right.begin() + 40 * std::ptrdiff_t(k),
                                    right.begin() + 40 * std::ptrdiff_t(k + 1)),
                std::vector<double>(up.begin() + 40 * std::ptrdiff_t(k),
                                    up.begin() + 40 * std::ptrdiff_t(k + 1)));
    }
    figure.always()
        .xlim(-1.05, 1.05)
        .ylim(-1.05, 1.05)
        .x("first component, scaled")
        .y("second component, scaled")
        .panel("correlation of the distances")
        .line("correlation", depths, correlation,
              {.color = figure::ink, .dash = figure::solid, .points = true});
    for (const double stop : stops) figure.at(stop).rule_x(stop);
    figure.always()
        .ylim(0, 1)
        .x("random layers")
        .y("rank correlation with the pixels")
        .save(
            "A chain of random linear maps and ReLUs. Left: four kinds of clothes "
            "after "
            "some layers. Right: Spearman's rank correlation of the distances between "
            "images with "
            "those between their pixels. One layer keeps the geometry, ten blur it.");
    book::shows("fig-001-random-relu-chain/a", "fig-relu-chain");
}

void what_survives() {
    const std::vector<Draw> all = all_draws();
    const auto raw = each(all, [](const Draw& one) { return one.raw; });
    const auto at = [&](std::vector<double> Draw::*of, std::size_t place) {
        return each(all, [&](const Draw& one) { return (one.*of)[place]; });
    };
    const Compared pixels{"784 pixels", 0.786, raw},
        of_64{"64 random numbers", 0.774, at(&Draw::projected, 0)},
        of_128{"128 random numbers", 0.793, at(&Draw::projected, 1)},
        first{"1 random layer", 0.788, at(&Draw::deep, 0)},
        fifth{"5 random layers", 0.709, at(&Draw::deep, 1)},
        tenth{"10 random layers", 0.606, at(&Draw::deep, 2)};
    const double lost = median(first.found) - median(tenth.found);
    ask("How much does the nearest neighbour lose from the first of ten random layers "
        "to the last?",
        {{"Nothing: without training a layer has no reason to drop anything.",
          lost < 0.03,
          "It drops nothing on purpose. But it moves images of different kinds closer "
          "together, and its own random errors then hide the difference."},
         {"About 0.17 of its accuracy.", lost >= 0.03 && lost < 0.4,
          "Each layer shrinks the angles between images a little. After ten layers the "
          "errors of 256 random units are as large as the differences that remain."},
         {"Nearly all: ten random layers are a hash.", lost >= 0.4,
          "A hash sends similar inputs to unrelated outputs. A random layer sends "
          "similar inputs to similar outputs."}});
    std::vector<std::vector<book::Cell>> rows;
    for (const Compared* one : {&pixels, &of_64, &of_128, &first, &fifth, &tenth}) {
        const auto [low, high] = std::ranges::minmax(one->found);
        rows.push_back({one->what, fmt::format("{:.3f}", median(one->found)),
                        fmt::format("{:.3f} to {:.3f}", low, high), one->expected});
    }
    book::table("nearest-neighbours",
                fmt::format("Accuracy of the nearest neighbour: median and range of {} "
                            "draws, and what an earlier run of ours gave.",
                            draws()),
                {"features", "median", "range", "earlier"}, rows);
    say("rank correlation of the distances after 1, 5 and 10 layers: {:.2f}, {:.2f} "
        "and {:.2f}; after 10 without subtracting the mean image: {:.2f}",
        median(at(&Draw::correlation, 1)), median(at(&Draw::correlation, 5)),
        median(at(&Draw::correlation, 10)),
        median(each(all, [](const Draw& one) { return one.uncentred; })));
    double mean_distortion = 0;
    const auto distortion = each(all, [](const Draw& one) { return one.distortion; });
    for (const double one : distortion)
        mean_distortion += one / double(distortion.size());
    const double wanted = std::sqrt(2.0 / 64);
    const auto [low, high] = std::ranges::minmax(distortion);
    say("standard deviation of the distortion at m = 64: {:.3f} ({:.3f} to {:.3f}), "
        "√(2/m) is {:.3f}",
        mean_distortion, low, high, wanted);
    const double off = std::abs(mean_distortion / wanted - 1);
    claim("sys-random-projection/b",
          "standard deviation of the distortion at m = 64, mean of the draws, relative "
          "to √(2/m): deviation from 1",
          book::Measured(off, off, off, draws()), "<=", 0.15);
    claim(
        "sys-random-projection/c",
        "largest distance of the accuracies on pixels, 64 and 128 numbers from 0.786, "
        "0.774 and 0.793",
        farthest({pixels, of_64, of_128}), "<=", 0.02);
    claim("fig-001-random-relu-chain/b",
          "largest distance of the rank correlations after 1, 5 and 10 layers from "
          "0.95, 0.71 and 0.50",
          farthest({{"", 0.95, at(&Draw::correlation, 1)},
                    {"", 0.71, at(&Draw::correlation, 5)},
                    {"", 0.5, at(&Draw::correlation, 10)}}),
          "<=", 0.05);
    claim("fig-001-random-relu-chain/c",
          "largest distance of the accuracies on pixels and after 1, 5 and 10 layers "
          "from 0.786, 0.788, 0.709 and 0.606",
          farthest({pixels, first, fifth, tenth}), "<=", 0.02);
}
//-

// One layer keeps the order of the distances almost completely. Then each layer loses some. The reason is an angle. Two
// perpendicular inputs have the cosine 0. After a random layer with a ReLU no number is negative, and the cosine is
// $1/\pi = 0.32$ on average {cite:p}`cho2009`. All angles shrink in this way, layer after layer, and large ones shrink
// most. After ten layers all images look much alike, and what still distinguishes them competes with the accidents of
// 256 random units. "All the information is there", says the lecture {cite:p}`charpiat-lecture`. This is true for a few
// layers, and less true for each further one.
//
// The mean image matters: without subtracting it the rank correlation of the distances after ten layers is 0.68 in place
// of 0.50 (medians of ten draws).
//
// The claims compare with an earlier run of ours. Draws differ: the accuracies of a single draw lie up to 0.03 from the
// earlier ones. So the bound of 0.02 is met by the median over the draws, not by every draw, and with `--seed 2` the
// median misses it too.
//
// ## Getting the image back
//
// Distances and labels survive. Does the image itself? We ask the plainest decoder: a linear map from the features back
// to the pixels, by [ridge regression](random_features.cpp). It learns from some images, and we judge the
// reconstructions of others:
Matrix decoder(const Tensor& features, const Tensor& pixels) {
    const Tensor phi = concat({features, ones({features.size(0), 1})}, 1),
                 turned = transpose(phi);
    Matrix squares = linalg::matrix_of(matmul(turned, phi));
    for (Index i = 0; i < squares.rows; ++i) squares(i, i) += 1;  // the penalty
    return linalg::cholesky_solve(squares, linalg::matrix_of(matmul(turned, pixels)));
}
// The quality is $R^2$, the share of the variance of the pixels that the reconstruction explains: 1 for a perfect copy,
// 0 for the mean image. Take pixels 0, 2 and 4 with variance 8/3. Reconstructions of 1, 2 and 3 have errors of 1, 0 and
// 1, a mean square of 2/3, so $R^2 = 1 - \frac{2/3}{8/3} = 0.75$.
//
// Two networks are asked, each with random and with trained weights: an MLP with two hidden layers of 512 units, and the
// LeNet of [an earlier page](../components/locality.cpp). Its convolutions have 6 and 16 filters. What do you expect:
// does training help a network to remember its input?
//- the networks, the study, and the reconstructions
struct Lenet {
    nn::Conv2d c1, c3;
    nn::Mlp head;
    explicit Lenet(Generator& random)
        : c1(1, 6, 5, random, {.padding = 2}),
          c3(6, 16, 5, random),
          head({400, 120, 84, 10}, relu, random) {}
    Tensor first(const Tensor& x) const {
        return flatten(nn::MaxPool2d{2}(relu(c1(reshape(x, {x.size(0), 1, 28, 28})))));
    }
    Tensor second(const Tensor& x) const {
        return flatten(
            nn::MaxPool2d{2}(relu(c3(reshape(first(x), {x.size(0), 6, 14, 14})))));
    }
    Tensor operator()(const Tensor& x) const { return head(second(x)); }
    void visit(auto&& part) { part("c1", c1), part("c3", c3), part("head", head); }
};

struct Dense {
    nn::Mlp net;
    explicit Dense(Generator& random) : net({784, 512, 512, 10}, relu, random) {}
    Tensor first(const Tensor& x) const { return net.layers[0](x, relu); }
    Tensor second(const Tensor& x) const { return net.layers[1](first(x), relu); }
    Tensor operator()(const Tensor& x) const { return net(x); }
    void visit(auto&& part) { part("net", net); }
};

void train_epoch(const auto& net, optim::Adam& adam, const Examples& set,
                 Generator& random) {
    for (const Examples& batch : data::Batches(set, 100, random))
        optim::train_step(adam,
                          [&] { return cross_entropy(net(batch.x), batch.labels); });
}

Tensor rebuilt(const std::function<Tensor(const Tensor&)>& layer, const Tensor& learned,
               const Tensor& x) {
    const NoGrad only_looking;
    const Tensor phi = layer(x);
    return matmul(concat({phi, ones({x.size(0), 1})}, 1),
                  linalg::tensor_of(decoder(layer(learned), learned)));
}

double explained(const Tensor& x, const Tensor& copy) {
    return 1 - double(mean(square(copy - x)).item()) /
                   double(mean(square(x - mean(x, {0}))).item());
}

const Index passes = 5;  // epochs of the study
Study::Row train_and_look(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[0]));
    const Dense net(random);
    optim::Adam adam(nn::parameters(net), {.lr = 1e-3});
    const Examples train = flat_images(Part::train, 0, 60'000),
                   test = flat_images(Part::test, 0, 10'000);
    const Tensor learned = slice(train.x, 0, 0, 10'000);
    Study::Row first, second;
    for (Index pass = 0; pass <= passes; ++pass) {
        if (pass > 0) train_epoch(net, adam, train, random);
        first.push_back(explained(
            test.x,
            rebuilt([&](const Tensor& x) { return net.first(x); }, learned, test.x)));
        second.push_back(explained(
            test.x,
            rebuilt([&](const Tensor& x) { return net.second(x); }, learned, test.x)));
    }
    first.insert(first.end(), second.begin(), second.end());
    const NoGrad only_looking;
    first.push_back(nn::accuracy(net(test.x), test.labels));
    return first;
}

std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (const char* layer : {"first", "second"})
        for (Index pass = 0; pass <= passes; ++pass)
            names.push_back(fmt::format("{} {}", layer, pass));
    names.push_back("accuracy");
    return names;
}
const Study study({"reconstruction",
                   {"draw"},
                   result_names(),
                   {"claim-random-weights-reconstruct/b",
                    "claim-random-weights-reconstruct/c",
                    "claim-random-weights-reconstruct/d"},
                   0.005},
                  {{1}, {2}, {3}, {4}, {5}}, train_and_look);

// R² of every draw: of the first or the second hidden layer, after some epochs.
std::vector<double> explained_by(Index layer, Index pass) {
    std::vector<double> found;
    for (const Study::Row& row : study.frozen().rows)
        found.push_back(row[std::size_t(1 + (layer - 1) * (passes + 1) + pass)]);
    return found;
}

// By how much the gap between random and trained weights is larger in the second hidden layer than in the first: the
// smallest of all draws.
book::Measured least_growth(Index pass) {
    const std::vector<double> first = explained_by(1, 0),
                              first_later = explained_by(1, pass),
                              second = explained_by(2, 0),
                              second_later = explained_by(2, pass);
    std::vector<double> found;
    for (std::size_t draw = 0; draw < first.size(); ++draw)
        found.push_back((second[draw] - second_later[draw]) -
                        (first[draw] - first_later[draw]));
    const auto [least, most] = std::ranges::minmax(found);
    return {least, least, most, int(found.size())};
}

void add_row(figure::Images& sheet, const std::string& name, const Tensor& x) {
    for (Index n = 0; n < 6; ++n)
        sheet.add(n == 0 ? name : "", 28, 28, select(x, 0, n).values());
}

void look(figure::Images& sheet, const std::string& name, const auto& net,
          const Examples& train, const Examples& test) {
    const auto second = [&](const Tensor& x) { return net.second(x); };
    const Tensor before = rebuilt(second, train.x, test.x);
    add_row(sheet, name + ", random", before);
    Generator random(book::seed() + 1);
    optim::Adam adam(nn::parameters(net), {.lr = 1e-3});
    for (int pass = 0; pass < 3; ++pass) train_epoch(net, adam, train, random);
    const Tensor after = rebuilt(second, train.x, test.x);
    add_row(sheet, name + ", trained", after);
    say("{}, {} images: R² {:.3f} with random weights, {:.3f} after three epochs", name,
        train.size(), explained(test.x, before), explained(test.x, after));
}

void reconstructions() {
    Generator random(book::seed());
    const Examples train = flat_images(Part::train, 0, images()),
                   test = flat_images(Part::test, 0, asked());
    figure::Images sheet("fig-reconstructions", 6);
    sheet
        .describe(
            "Five rows of six images of clothes. The first row is the originals. The "
            "others are reconstructions from a hidden layer: blurred, "
            "but every piece of clothing can be recognised.")
        .negative();
    add_row(sheet, "original", test.x);
    look(sheet, "MLP", Dense(random), train, test);
    look(sheet, "LeNet", Lenet(random), train, test);
    sheet.save(
        "Six test images, and what a linear decoder makes of the second hidden layer "
        "of an MLP and of the second block of LeNet, "
        "each with random weights and after three epochs of training.");
    book::shows("claim-random-weights-reconstruct/a", "fig-reconstructions");

    std::vector<double> epochs;
    Figure figure("fig-forgetting");
    figure.describe(
        "R² of the reconstruction against the epochs of training, two falling lines. "
        "The first hidden layer lies above the second. Both fall most in the first "
        "epoch.");
    for (Index pass = 0; pass <= passes; ++pass) epochs.push_back(double(pass));
    for (const Index layer : {1, 2}) {
        std::vector<double> middle, low, high;
        for (Index pass = 0; pass <= passes; ++pass) {
            const std::vector<double> all = explained_by(layer, pass);
            const auto [least, most] = std::ranges::minmax(all);
            middle.push_back(median(all)), low.push_back(least), high.push_back(most);
        }
        const figure::Color color = layer == 1 ? figure::blue : figure::ochre;
        figure.band("", epochs, low, high, {.color = color})
            .line(layer == 1 ? "first hidden layer" : "second hidden layer", epochs,
                  middle, {.color = color, .dash = figure::solid, .points = true});
    }
    figure.ylim(0.75, 0.95)
        .x("epochs of training")
        .y("R² of the reconstruction")
        .save(fmt::format("What a linear decoder can recover from the hidden layers of "
                          "an MLP while it learns to classify, median and range of {} "
                          "draws. Epoch 0 is the random network, which keeps most.",
                          study.frozen().rows.size()));
    book::claim_in(
        "claim-random-weights-reconstruct/b",
        "R² of the reconstruction from the second hidden layer with random weights",
        book::over_seeds(explained_by(2, 0)), 0.857, 0.897);
    book::claim_in("claim-random-weights-reconstruct/c",
                   "the same with trained weights",
                   book::over_seeds(explained_by(2, passes)), 0.781, 0.821);
    for (Index pass = 1; pass <= passes; ++pass) {
        const book::Measured growth = least_growth(pass);
        say("epochs: {}, gap of the second hidden layer minus that of the first: "
            "{:.4f} "
            "to {:.4f}",
            pass, growth.low, growth.high);
    }
    book::not_reproduced(
        "claim-random-weights-reconstruct/d",
        "gap between random and trained weights in the second hidden layer minus that "
        "in the first, smallest of five draws, after five epochs",
        least_growth(passes), ">", 0,
        "one to four epochs, after which the difference is above 0 in all five draws; "
        "the median of the draws in place of the smallest, which is above 0 by less "
        "than the spread of the draws; LeNet, whose trained weights keep more than its "
        "random ones");
}
//-

// {numref}`fig-reconstructions` shows clothes that you recognise at once, from layers that have never seen one. A linear
// map of 512 random features explains 0.876 of the variance of all pixels, and 0.857 after three epochs on the 6,000
// images of the figure. {numref}`fig-forgetting` trains the MLP on all 60,000 images: its $R^2$ falls from 0.878 to
// 0.801 in five epochs, most of all in the first.
//
// Is the gap between random and trained weights larger in the second layer than in the first? After one to four epochs
// it is, in all five draws, but by 0.009 at most. After five epochs the difference lies between $-0.0014$ and 0.0022.
// That is too small to tell, so we do not count the statement as reproduced.
//
// LeNet shows the opposite. From its second block the reconstruction has an $R^2$ of 0.810 with random weights and
// 0.863 after three epochs. According to the lecture, trained features keep only what the task needs
// {cite:p}`charpiat-lecture`. In this MLP training lowers the share that a linear decoder recovers, and in this LeNet it
// raises it. So the sentence is not general.

void page() {
    distances();
    chain_views();
    what_survives();
    reconstructions();
}

// ## Limits
//
// A linear decoder finds only what is linearly readable. A nonlinear decoder may find more, so a low $R^2$ does not
// prove that information is lost. Nor do distances tell everything. In a random ReLU layer of 4,000 units about
// half are not 0, and each of these gives a linear equation for the 784 pixels. So the image could be recovered
// exactly, although the layer shrinks all angles.
//
// ## Summary
//
// A random projection to $m$ numbers keeps squared distances up to a relative error of $\sqrt{2/m}$, however many
// pixels there are. A random ReLU layer keeps nearly as much, but each layer shrinks the angles, and after ten layers
// the nearest neighbour has lost 0.18 of its accuracy. From two random layers a linear map rebuilds the image better
// than from two trained layers of the same MLP.
//
// ## What is missing
//
// We looked at what random layers keep of one image. [The next page](random_functions.cpp) looks at the function as a
// whole: which functions does an architecture compute before training?
//
// ```{try}
// - Few directions: `--kept 4`. How far do the ratios spread?
// - Other draws: `--seed 2`. Which bounds does the median over the draws miss?
// - Pixels as they are: `--centre=false`. What changes in the chain, and what does not?
// ```
