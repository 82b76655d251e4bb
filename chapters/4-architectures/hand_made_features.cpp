// # Hand-made features: designing what to see, or how to learn it
//
// ```{rows} claim-features-vs-architecture
// ```
//
// For decades, computers saw with features that people had designed. An expert asked what matters in an image, wrote
// a program that measures it, and a simple classifier read the measurements. {numref}`fig-strokes` shows such a
// design at work: in each small square of an image, the strokes say in which directions edges run. Move the slider to
// other clothes. How much of them do you recognise in the strokes? This page builds these features and compares them
// with raw pixels, with random filters and with filters that a network learns.
//
// ```{opening} fig-strokes
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;
using linalg::Matrix;
using Numbers = std::vector<double>;
using Features = std::function<Tensor(const Tensor& x)>;  // (N, 1, 28, 28) to (N, K)

const book::Option<Index> first("first", 0, "number of the first image that is drawn",
                                {.least = 0, .most = 1990});
const Index side = 28, cell = 4, cells = side / cell, bins = 8;
//-

// ## From pixels to directions
//
// Take three rows of three pixels, $(0, 0, 0)$, $(0, 1, 2)$ and $(0, 2, 2)$. The pixel in the middle has 2 to one
// side of it and 0 to the other, so its brightness grows by 2 across. It also grows by 2 downward. This is a
// **gradient**: its length is $\sqrt{2^2 + 2^2} = 2.83$, and its angle is 45°. It says that an edge runs through the
// pixel, at a right angle to this direction, and how strong it is. It does not say how bright the pixel is.
//
// Now count directions. We divide the half circle into 8 **bins** of 22.5°, with their centres at 0°, 22.5°, 45° and
// so on, and the image into $7 \times 7$ **cells** of $4 \times 4$ pixels. Each pixel adds the length of its gradient
// to a bin of its cell. An angle of 45° is the centre of a bin. An angle of 30° is a third of the way from 22.5° to
// 45°, so two thirds of the length go to the first of these bins and a third goes to the second. Opposite directions
// count as the same: a dark sleeve on a light ground has the same edges as a light sleeve on a dark one.
Tensor histograms(const Tensor& x) {  // to (N, cells, cells, bins)
    const Index n = x.size(0);
    const std::vector<Real> pixels = x.values();
    std::vector<Real> h(std::size_t(n * cells * cells * bins), Real(0));
    for (Index i = 0; i < n; ++i)
        for (Index r = 1; r < side - 1; ++r)
            for (Index c = 1; c < side - 1; ++c) {
                const Real* at = &pixels[std::size_t((i * side + r) * side + c)];
                const double down = at[side] - at[-side], across = at[1] - at[-1],
                             angle = std::atan2(down, across) / std::numbers::pi,
                             bin = double(bins) * (angle < 0 ? angle + 1 : angle),
                             rest = bin - std::floor(bin),
                             size = std::hypot(down, across);
                Real* here =
                    &h[std::size_t(((i * cells + r / cell) * cells + c / cell) * bins)];
                here[Index(bin) % bins] += Real(size * (1 - rest));
                here[(Index(bin) + 1) % bins] += Real(size * rest);
            }
    return Tensor({n, cells, cells, bins}, h);
}
// A shirt in poor light has the same edges as a shirt in the sun, only weaker ones. So each block of $2 \times 2$
// neighbouring cells is divided by the length of its 32 numbers. Neighbouring blocks overlap, and there are $6 \times
// 6$ of them:
Tensor hand_made(const Tensor& x) {
    const Tensor h = histograms(x);
    std::vector<Tensor> corners;
    for (const Index i : {0, 1})
        for (const Index j : {0, 1})
            corners.push_back(
                slice(slice(h, 1, i, i + cells - 1), 2, j, j + cells - 1));
    const Tensor blocks = concat(corners, 3);
    return flatten(blocks / sqrt(sum(square(blocks), {3}, Keep::yes) + 0.01));
}
//- how the first figure is drawn
const std::array<Index, 6> drawn = {0, 1, 2, 3, 8, 9};
void strokes() {
    Names places;
    for (Index k = 1; k <= side; ++k) places.push_back(std::to_string(k));
    const Tensor& all = data::fashion_mnist(Part::test).x;
    const auto image = [&](double k) {
        const Index n = first() + drawn[std::size_t(k) - 1];
        return slice(all, 0, n, n + 1);
    };
    Figure figure("fig-strokes");
    figure
        .describe(
            "First, an image of a piece of clothing. Second, a square of 7 by 7 cells, "
            "each with short strokes in up to eight directions, which follow the "
            "outlines and the folds. A slider chooses one of six images.")
        .slider("image", {1, 2, 3, 4, 5, 6}, "image", 2)
        .height(300)
        .panel("pixels");
    for (const double k : {1, 2, 3, 4, 5, 6})
        figure.at(k).heatmap("", places, places, image(k).values(), 0, 1);
    figure.always().bare();
    figure.panel("directions of edges");
    for (const double k : {1, 2, 3, 4, 5, 6}) {
        const Tensor h = histograms(image(k));
        const double most = double(max(h).item());
        Numbers x, y;
        for (Index r = 0; r < cells; ++r)
            for (Index c = 0; c < cells; ++c)
                for (Index bin = 0; bin < bins; ++bin) {
                    const double length = 2 * double(h.at({0, r, c, bin})) / most,
                                 angle = std::numbers::pi * double(bin) / double(bins);
                    if (length < 0.1) continue;
                    for (const double end : {-1.0, 1.0}) {  // at a right angle
                        x.push_back(4 * double(c) + 2 + end * length * std::sin(angle));
                        y.push_back(26 - 4 * double(r) +
                                    end * length * std::cos(angle));
                    }
                    x.push_back(NAN), y.push_back(NAN);
                }
        figure.at(k).line("", x, y,
                          {.color = figure::blue, .width = 2, .points = false});
    }
    figure.always().xlim(0, 28).ylim(0, 28).bare().save(
        "An image, and the histograms of its gradients. A stroke stands for one bin of "
        "one "
        "cell. It runs along the edge, at a right angle to the gradient, and is as "
        "long as the "
        "bin is full. The strokes are shown before blocks are divided by their "
        "lengths.");
    const Tensor patch({1, 1, 3, 3}, {0, 0, 0, 0, 1, 2, 0, 3, 2});
    Tensor wide = zeros({1, 1, side, side});
    for (Index r = 0; r < 3; ++r)
        for (Index c = 0; c < 3; ++c)
            wide.set({0, 0, 4 + r, 4 + c}, patch.at({0, 0, r, c}));
    const Tensor turned = transpose(reshape(wide, {side, side})),
                 one = histograms(wide),
                 other = histograms(reshape(turned, {1, 1, side, side}));
    double worst = 0;
    for (Index bin = 0; bin < bins; ++bin) {  // the transposed image mirrors the angles
        const Index mirrored = (bins / 2 - bin + bins) % bins;
        worst = std::max(worst, std::abs(double(one.at({0, 1, 1, bin})) -
                                         double(other.at({0, 1, 1, mirrored}))));
    }
    claim(
        "",
        "rows and columns of an image exchanged: largest difference from the histogram "
        "with mirrored angles",
        worst, "<=", 1e-5);
}
//-

// These are **histograms of oriented gradients** (HOG). Look at what the design says. Brightness does not matter,
// only its changes. The sign of a change does not matter. Nor does the exact place, as long as it is in the same
// cell. These statements were not learned from data; they are knowledge about images in general. The numbers of the
// design are compromises. Larger cells forgive larger moves and blur what they see. More bins tell finer angles
// apart, and each of them is filled by fewer pixels. Those who design features try such numbers one after another,
// which is a way of training, too, only slower. The result has $36 \cdot 32 = 1152$ numbers.
//
// ## A linear readout for each
//
// A fair comparison gives all features the same reader. It is the readout of [Random features](random_features.cpp):
// a matrix that maps features to classes, found by ridge regression, with the best of four penalties on held-out
// images. Its features are the 784 pixels, the 1152 hand-made numbers, or the 1152 numbers that 72 random filters
// give. The fourth rival has an architecture in place of features: a network with two convolutions, which is told
// that neighbours matter and that the same filter should serve everywhere, and learns the filters. It chooses among
// three learning rates.
//- the other features, readouts and the network
Tensor pixels(const Tensor& x) { return flatten(x); }
Features random_filters(Generator& random) {
    const Tensor filters = random.normal({72, 1, 5, 5}, 0, Real(0.2));
    return [filters](const Tensor& x) {
        const Tensor h = relu(conv2d(x * 2.8 - 0.8, filters, {}, {.stride = 2}));
        return flatten(avg_pool2d(h, 3));
    };
}
Features standardised(const Features& raw, const Tensor& x) {
    const Tensor phi = raw(x), middle = mean(phi, {0});
    const Tensor spread = sqrt(variance(phi, {0}) + 1e-3);
    return [=](const Tensor& x) {
        return concat({(raw(x) - middle) / spread, ones({x.size(0), 1})}, 1);
    };
}
struct Sums {
    Matrix squares, products;
};
void add(Matrix& to, const Matrix& more) {
    if (to.rows == 0) to = Matrix(more.rows, more.cols);
    linalg::add_scaled(to.values, 1, more.values);
}
Sums sums(const Features& features, const Examples& set) {
    Sums all;
    for (const Examples& some : data::Batches(set, 1000)) {
        const Tensor phi = features(some.x), turned = transpose(phi);
        add(all.squares, linalg::matrix_of(matmul(turned, phi)));
        add(all.products, linalg::matrix_of(matmul(turned, one_hot(some.labels, 10))));
    }
    return all;
}
Tensor solve(Sums all, double penalty) {
    for (Index i = 0; i < all.squares.rows; ++i) all.squares(i, i) += penalty;
    return linalg::tensor_of(linalg::cholesky_solve(all.squares, all.products));
}
double judge(const std::function<Tensor(const Tensor&)>& scores, const Examples& set) {
    const NoGrad only_asking;
    double right = 0;
    for (const Examples& some : data::Batches(set, 1000))
        right += nn::accuracy(scores(some.x), some.labels) * double(some.size());
    return right / double(set.size());
}

// Draw 2 of 6000 images are the images from 6000 on; of all 60,000 there is only one draw.
struct Task {
    Examples train, held, test;  // a sixth of the images is held out to choose
};
Task make_task(Index images, Index draw) {
    const Examples &all = data::fashion_mnist(Part::train),
                   &test = data::fashion_mnist(Part::test);
    const Index count = std::min(images, all.size()),  // a browser has fewer
        begin = std::min((draw - 1) * count, all.size() - count),
                most = count - count / 6;
    const Examples mine = data::slice(all, begin, begin + count);
    return {data::slice(mine, 0, most), data::slice(mine, most, count), test};
}

// The accuracies of a linear readout on held-out and on test images, with the best of four penalties.
Study::Row readout(const Features& raw, const Task& task) {
    const NoGrad only_solving;
    const Features features = standardised(
        raw, data::slice(task.train, 0, std::min<Index>(5000, task.train.size())).x);
    Sums all = sums(features, task.train);
    double highest = -1, best = 0;
    for (const double penalty : {1.0, 10.0, 100.0, 1000.0}) {
        const Tensor v = solve(all, penalty);
        const double reached =
            judge([&](const Tensor& x) { return matmul(features(x), v); }, task.held);
        if (reached > highest) highest = reached, best = penalty;
    }
    const Sums rest = sums(features, task.held);
    add(all.squares, rest.squares), add(all.products, rest.products);
    const Tensor v = solve(all, best);
    return {highest,
            judge([&](const Tensor& x) { return matmul(features(x), v); }, task.test)};
}

struct Net {
    std::vector<nn::Layer> layers;
    Tensor operator()(Tensor x) const {
        for (const nn::Layer& layer : layers) x = layer(x);
        return x;
    }
    void visit(auto&& part) { part("layers", layers); }
};
Net make_net(Generator& random) {
    const nn::ConvLayerOptions he{.weights = nn::he_init};
    return {{nn::Conv2d(1, 16, 5, random, he), nn::MaxPool2d{2}, nn::Relu(),
             nn::Conv2d(16, 32, 3, random, he), nn::MaxPool2d{2}, nn::Relu(),
             nn::Flatten(), nn::Linear(800, 64, random, {.weights = nn::he_init}),
             nn::Relu(), nn::Linear(64, 10, random)}};
}
Study::Row network(const Task& task, double lr, Index draw) {
    Generator random(100 * book::seed() + std::uint64_t(draw));
    const Net net = make_net(random);
    optim::Adam adam(nn::parameters(net));
    const Index batch = 50, count = task.train.size(),
                epochs = count < 1000     ? 30
                         : count < 10'000 ? 10
                                          : 4;
    const double steps = double(epochs * ((count + batch - 1) / batch));
    optim::fit(
        adam, [&] { return data::Batches(task.train, batch, random); },
        [&](const Examples& some) { return cross_entropy(net(some.x), some.labels); },
        {.epochs = epochs,
         .lr = [&](Index step) { return lr * (1 - double(step) / steps); }});
    return {judge(net, task.held), judge(net, task.test)};
}

enum Kind { from_pixels, from_random, from_hand, learned };
const Numbers sizes = {600, 6000, 60'000}, rates = {1e-3, 3e-3, 1e-2};
Study::Row one(const Study::Row& setting) {
    const Kind kind = Kind(int(setting[0]));
    const Index draw = Index(setting[3]);
    const Task task = make_task(Index(setting[1]), draw);
    if (kind == learned) return network(task, setting[2], draw);
    Generator random(100 * book::seed() + std::uint64_t(draw));
    return readout(kind == from_pixels ? Features(pixels)
                   : kind == from_hand ? Features(hand_made)
                                       : random_filters(random),
                   task);
}
// With all images, the learning rate is the best one of 6000 images, and only random numbers are drawn again.
std::vector<Study::Row> settings() {
    std::vector<Study::Row> all;
    for (const double images : {60'000.0, 6000.0, 600.0})
        for (const Kind kind : {learned, from_random, from_hand, from_pixels})
            for (const double draw : {1.0, 2.0, 3.0}) {
                const bool whole = images == 60'000;
                if (whole && kind != learned && draw > 1) continue;
                for (const double rate : kind != learned ? Numbers{0}
                                         : whole         ? Numbers{3e-3}
                                                         : rates)
                    all.push_back({double(kind), images, rate, draw});
            }
    return all;
}
const Study study({"hand_made_features",
                   {"kind", "images", "rate", "draw"},
                   {"held", "accuracy"},
                   {"claim-features-vs-architecture/a",
                    "claim-features-vs-architecture/b",
                    "claim-features-vs-architecture/c"},
                   0.006},
                  settings(), one);
//-
// We give them 600, 6000 or all 60,000 training images. Of 600 and 6000 images there are three draws, with no image
// in common. Place your bet on 600 images:
//- the question, the figure, and what is claimed
Numbers found_in(Kind kind, double images, double rate, const char* column) {
    const std::vector<double> results = study.frozen().column(column);
    const std::vector<Study::Row>& all = study.frozen().rows;
    Numbers found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i][0] == double(kind) && all[i][1] == images && all[i][2] == rate)
            found.push_back(results[i]);
    return found;
}
double chosen(double images) {  // by held-out images
    if (images == 60'000) return 3e-3;
    double best = 0, highest = -1;
    for (const double rate : rates) {
        const double reached = book::median(found_in(learned, images, rate, "held"));
        if (reached > highest) highest = reached, best = rate;
    }
    return best;
}
Numbers accuracies(Kind kind, double images) {
    return found_in(kind, images, kind == learned ? chosen(images) : 0, "accuracy");
}
Numbers ahead(const Numbers& of, const Numbers& before) {  // a single number serves all
    Numbers gaps;
    for (std::size_t i = 0; i < of.size(); ++i)
        gaps.push_back(of[i] - before[before.size() == 1 ? 0 : i]);
    return gaps;
}

void compare() {
    if (!book::quick()) {
        const double again = study.measure({double(from_hand), 600, 0, 1})[1];
        claim("", "the distance of a cell that was done again from the kept one",
              std::abs(again - accuracies(from_hand, 600)[0]), "<=", 0.003);
    }
    const std::array<std::pair<Kind, const char*>, 4> kinds = {
        {{from_hand, "hand-made"},
         {learned, "learned"},
         {from_random, "random filters"},
         {from_pixels, "pixels"}}};
    std::array<double, 4> few;
    for (const auto& [kind, name] : kinds)
        few[kind] = book::median(accuracies(kind, 600));
    const double best = std::ranges::max(few);
    ask("Which is most accurate after 600 images, 60 of each class?",
        {{"A readout of the pixels: it has the fewest weights to learn.",
          few[from_pixels] == best,
          "It has few weights, but a weight for one pixel knows nothing of its "
          "neighbours."},
         {"A readout of the hand-made features.", few[from_hand] == best,
          "The knowledge that went into the design need not be learned from 600 "
          "images."},
         {"A readout of the random filters.", few[from_random] == best,
          "Random filters know about neighbours and places, as the learned ones do, "
          "and "
          "need no training. But they do not know about edges."},
         {"The network, which learns the filters that this task needs.",
          few[learned] == best,
          "It learns them from the images, and 600 images are few."}});
    Figure figure("fig-designed-or-learned");
    figure.describe(
        "Test accuracy against the number of training images, on a logarithmic axis, "
        "for four kinds of features. All lines rise. Pixels are lowest, "
        "and the learned features rise fastest.");
    const std::array<figure::Color, 4> colors = {figure::grey, figure::ochre,
                                                 figure::blue, figure::red};
    for (const auto& [kind, name] : kinds) {
        Numbers low, middle, high;
        for (const double images : sizes) {
            const book::Measured range = over_seeds(accuracies(kind, images));
            low.push_back(range.low), middle.push_back(range.value),
                high.push_back(range.high);
            say("{:6.0f} images, {}: {}", images, name, book::brief(range));
        }
        figure.band("", sizes, low, high, {.color = colors[kind]})
            .line(name, sizes, middle,
                  {.color = colors[kind], .dash = figure::solid, .points = true});
    }
    figure.log_x()
        .x("training images")
        .y("test accuracy")
        .save(
            "Accuracy on all 10,000 test images of Fashion-MNIST, median and range of "
            "three "
            "draws of images or, with all images, of the network's first weights.");
    book::shows("claim-features-vs-architecture/a", "fig-designed-or-learned");
    for (const double images : {600.0, 6000.0})
        say("best learning rate with {} images: {}", images, chosen(images));
    claim("claim-features-vs-architecture/b",
          "6000 images: accuracy with hand-made features minus that with pixels",
          over_seeds(ahead(accuracies(from_hand, 6000), accuracies(from_pixels, 6000))),
          ">", 0);
    claim("claim-features-vs-architecture/c",
          "60,000 images: accuracy of the learned network minus that with hand-made "
          "features",
          over_seeds(ahead(accuracies(learned, 60'000), accuracies(from_hand, 60'000))),
          ">=", 0.01);
    book::report(
        "", "600 images: the same",
        over_seeds(ahead(accuracies(learned, 600), accuracies(from_hand, 600))));
}
//-

// With 600 images the hand-made features are the best start: what the designer knew need not be learned. With 6000
// images the network has nearly caught up. With all 60,000 it is ahead by more than a hundredth, from each of three
// first weights, and its line is the steepest. The readouts flatten: a better estimate of the best weights does not
// help features that lack something.
//
// Compare the network with the random filters. Both have the same kind of architecture, windows and shared filters,
// and the readout of random filters is better than that of pixels at every size. This part of the accuracy belongs
// to the architecture alone. The rest of the network's lead is learned. So the designer has not left; the design has
// moved. A person still decided that neighbours matter, that filters are shared and that places are forgotten step by
// step. What the filters look for is now left to the data.
//
// ## What does a design cost?
//
// HOG was designed for photographs of people, and works for clothes. For sounds, for text or for molecules it is
// useless, and experts there designed other features, over decades. An architecture must be designed, too, but its
// assumptions are weaker, so it serves more widely: the same convolutions find edges in photographs and syllables in
// spectrograms. The price is data, as the figure shows at its beginning, and computing time. Hand-made features
// need no training; only their readout does.

void page() {
    strokes();
    compare();
}

// ## Limits and origins
//
// Fashion-MNIST is centred and has no background, which suits hand-made features. The network is small, was not
// trained on the held-out sixth of the images and had four passes over the full set. With 600 images it chose the
// largest of its three learning rates, so a finer search might bring it closer to the hand-made features there. The
// readout is linear; experts read HOG with stronger classifiers, too. {cite:t}`dalal2005` designed HOG to find
// pedestrians and measured which choices matter: fine bins, coarse cells and overlapping blocks, as here. The idea of
// counting directions in cells is that of the SIFT features of {cite:t}`lowe2004`. {cite:t}`charpiat-notes` put the
// change in one sentence: classical learning designs features, deep learning designs architectures in which good
// features are likely.
//
// ## Summary
//
// Histograms of gradient directions are features designed by people. Read by a linear classifier, they beat raw
// pixels at every size that we tried, and with few images they are hard to beat. A network is designed less tightly,
// learns its features, and is ahead once there are enough images.
//
// ## What is missing
//
// The features of this page were fixed before the data came. [The next page](random_projections.cpp) asks how much random
// layers keep of what they are given.
//
// ```{try}
// - Other clothes: `--first 20`. Which kinds can you tell from their strokes?
// ```
