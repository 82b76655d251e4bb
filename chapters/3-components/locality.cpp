// # Locality: what a dense layer does not know about images
//
// ```{rows} claim-fc-ignores-structure claim-image-short-correlation
// ```
//
// [A dense layer](layers.cpp) connects each input with each output and treats all inputs alike. In an image the inputs are
// not alike: neighbours belong together. How strongly do neighbouring pixels of an image agree, and can a dense layer use
// this? To find out we destroy the neighbourhood. One fixed shuffle moves the pixels of every image to new places. You could
// no longer tell a boot from a shirt. Does a network still learn to? {numref}`fig-lag` shows what the shuffle destroys. Each
// dot is a pair of pixels of one image. Move the slider: it sets the distance between the two.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::Measured, book::over_seeds, book::say, book::Study;
using data::Examples, data::Part;
using figure::Figure;

const book::Option<Index> images("images", 60'000, "images whose pixels are compared",
                                 {.quick = 2000, .least = 100, .most = 60'000});
const book::Option<Index> together("together", 200,
                                   "steps that two dense networks take together",
                                   {.quick = 20, .least = 1, .most = 10'000});

// Defined further down:
double correlation(const Tensor& x, Index down, Index right);
Tensor shuffled(const Tensor& x, const std::vector<Index>& order);
const std::vector<Index> one_order = Generator(1).permutation(784);
//-

//- how the figure is drawn, and what is checked
Tensor clothes() { return slice(data::fashion_mnist(Part::train).x, 0, 0, images()); }

void lags() {
    const Tensor x = clothes(), apart = shuffled(x, one_order);
    const std::vector<double> all = data::even_grid(20, 1, 20),
                              stops = {1, 2, 3, 4, 6, 8, 12, 16, 20};
    std::vector<double> close, far;
    for (const double lag : all) {
        close.push_back(correlation(x, 0, Index(lag)));
        far.push_back(correlation(apart, 0, Index(lag)));
    }
    Figure figure("fig-lag");
    figure
        .describe(
            "Two panels and a slider for the distance of two pixels. Left, dots: the "
            "brightness of one pixel against that of the other. At distance 1 they "
            "lie near the diagonal, at distance 20 they fill the square. Right, the "
            "correlation against the distance: a curve that falls from 0.85 below "
            "zero, and a level line for shuffled images.")
        .height(270)
        .slider("lag", stops, "distance in pixels", 1)
        .panel("pairs of pixels");
    const std::vector<Real> grey = x.values();
    const figure::Style dot{.color = figure::blue, .width = 3, .opacity = 0.5};
    for (const double lag : stops) {
        Generator random(book::seed());
        std::vector<double> one, other;
        while (one.size() < 250) {
            const Index n = random.next_integer(0, images()),
                        r = random.next_integer(0, 28),
                        c = random.next_integer(0, 28 - Index(lag));
            const auto at = std::size_t(n * 784 + r * 28 + c);
            one.push_back(double(grey[at]));
            other.push_back(double(grey[at + std::size_t(lag)]));
        }
        figure.at(lag).dots("", one, other, dot);
    }
    figure.always().x("one pixel, 0 to 1").y("the other").xlim(0, 1).ylim(0, 1);
    figure.panel("their correlation")
        .line("as they are", all, close, {.points = false})
        .line("shuffled", all, far, {.points = false});
    for (const double lag : stops) figure.at(lag).rule_x(lag);
    figure.always()
        .rule_y(0)
        .x("distance in pixels, to the right")
        .y("correlation")
        .ylim(-0.2, 1)
        .save(
            "Left: 250 random pairs of pixels. Move the slider: the dots leave the "
            "diagonal. Right: the correlation of all pairs. Near pixels agree, and "
            "the agreement is gone after ten pixels. The shuffle spreads it evenly "
            "over all distances.");
    book::shows("claim-image-short-correlation/a", "fig-lag");
    say("one pixel apart: {:.3f} as they are, {:.3f} shuffled", close[0], far[0]);
    double off = 0;
    const std::array<std::pair<int, double>, 4> measured = {
        {{1, 0.846}, {2, 0.701}, {4, 0.493}, {8, 0.180}}};
    for (const auto& [lag, want] : measured) {
        const double found = close[std::size_t(lag - 1)];
        say("{} to the right: {:.3f}", lag, found);
        off = std::max(off, std::abs(found - want));
    }
    claim("claim-image-short-correlation/b",
          "the largest distance from 0.846, 0.701, 0.493 and 0.180 at lags 1, 2, 4, 8",
          off, "<=", 0.005);
}
//-

double correlation(const Tensor& x, Index down, Index right) {
    const Index height = x.size(-2), width = x.size(-1), area = height * width;
    const std::vector<Real> grey = x.values();
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    for (Index first = 0; first < Index(grey.size()); first += area)
        for (Index r = 0; r + down < height; ++r)
            for (Index c = std::max<Index>(0, -right); c < width - std::max<Index>(0, right); ++c) {
                const auto at = std::size_t(first + r * width + c);
                const double u = grey[at], v = grey[at + std::size_t(down * width + right)];
                ++n, a += u, b += v, aa += u * u, bb += v * v, ab += u * v;
            }
    return (n * ab - a * b) / std::sqrt((n * aa - a * a) * (n * bb - b * b));
}

void symmetries() {
    const Tensor x = clothes(), small = avg_pool2d(x, 2);
    say("left half {:.3f} right half {:.3f}", correlation(slice(x, -1, 0, 14), 0, 1), correlation(slice(x, -1, 14, 28), 0, 1));
    say("diagonal {:.3f} other diagonal {:.3f}", correlation(x, 1, 1), correlation(x, 1, -1));
    say("down {:.3f}", correlation(x, 1, 0));
    say("half size {:.3f} {:.3f} vs {:.3f} {:.3f}", correlation(small, 0, 1), correlation(small, 0, 2), correlation(x, 0, 2), correlation(x, 0, 4));
}

Tensor shuffled(const Tensor& x, const std::vector<Index>& order) {
    const std::vector<Real> before = x.values();
    Tensor after = empty(x.shape());
    Real* write = after.write();
    for (std::size_t first = 0; first < before.size(); first += 784)
        for (std::size_t i = 0; i < 784; ++i)
            write[first + i] = before[first + std::size_t(order[i])];
    return after;
}

struct LeNet {
    nn::Conv2d c1, c3;
    nn::Mlp head;
    explicit LeNet(Generator& random)
        : c1(1, 6, 5, random, {.padding = 2}), c3(6, 16, 5, random),
          head({400, 120, 84, 10}, relu, random) {}
    Tensor operator()(const Tensor& x) const {
        const nn::MaxPool2d half{2};
        return head(flatten(half(relu(c3(half(relu(c1(x))))))));
    }
    void visit(auto&& part) { part("c1", c1), part("c3", c3), part("head", head); }
};

const Index pictures = 10'000, epochs = 6, batch = 32;
template <class Model>
Study::Row learn(const Model& model, bool shuffle, double rate, Generator& random) {
    const Examples& train = data::fashion_mnist(Part::train);
    Examples to_learn = data::slice(train, 0, pictures),
             to_choose = data::slice(train, 50'000, 55'000),
             to_judge = data::fashion_mnist(Part::test);
    for (Examples* set : {&to_learn, &to_choose, &to_judge})
        set->x = (shuffle ? shuffled(set->x, one_order) : set->x) * 2.8 - 0.8;  // around zero, about as wide as one
    const auto accuracy = [&](const Examples& set) {
        const NoGrad only_asking;
        double right = 0;
        for (const Examples& some : data::Batches(set, 1000))
            right += nn::accuracy(model(some.x), some.labels) * double(some.size());
        return right / double(set.size());
    };
    optim::Adam adam(nn::parameters(model), {.lr = rate});
    const auto batches = [&] { return data::Batches(to_learn, batch, random); };
    const auto loss = [&](const Examples& some) {
        return cross_entropy(model(some.x), some.labels);
    };
    const double steps = double(epochs * ((pictures + batch - 1) / batch));
    const auto falling = [&](Index step) { return rate * (1 - double(step) / steps); };
    Study::Row judged;
    optim::fit(adam, batches, loss, {.epochs = epochs, .lr = falling},
               [&](const optim::Progress& now) {
                   if (now.epoch_ends) judged.push_back(accuracy(to_judge));
               });
    judged.insert(judged.begin(), accuracy(to_choose));
    return judged;
}

const std::vector<double> rates = {1e-3, 2e-3, 4e-3};
const double draws = 3;
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double convolutional : {1.0, 0.0})
        for (const double draw : {1.0, 2.0, 3.0})
            for (const double rate : rates)
                for (const double shuffle : {0.0, 1.0})
                    cells.push_back({convolutional, shuffle, rate, draw});
    return cells;
}
Study::Row train_one(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[3]));
    if (cell[0] == 1) return learn(LeNet(random), cell[1] == 1, cell[2], random);
    const nn::Sequential dense(nn::Flatten{}, nn::Mlp({784, 77, 10}, relu, random));
    return learn(dense, cell[1] == 1, cell[2], random);
}
const Study study({"locality",
                   {"convolutional", "shuffled", "rate", "draw"},
                   {"validation", "epoch 1", "epoch 2", "epoch 3", "epoch 4", "epoch 5",
                    "epoch 6"},
                   {"claim-fc-ignores-structure/a", "claim-fc-ignores-structure/b",
                    "claim-fc-ignores-structure/c"},
                   0.004},
                  all_cells(), train_one);

void page() {
    lags();
    symmetries();
    if (book::all_studies().size() == 0) learn(LeNet(*new Generator(1)), false, 1e-3, *new Generator(1));
    Generator random(1);
    say("LeNet {} parameters", nn::count(LeNet(random)));
}
