// # Locality: what a dense layer does not know about images
//
// ```{rows} claim-fc-ignores-structure claim-image-short-correlation
// ```
//
// [A dense layer](layers.cpp) connects every input with every output and treats all inputs alike. In an image the
// inputs are not alike: two neighbouring pixels often show the same thing. This is the **locality** of images. How
// strongly do neighbours agree, and does a dense layer notice which pixels are neighbours? To find out, we destroy all
// neighbourhoods: one fixed **shuffle** moves the pixels of every image to new places. In a shuffled image you cannot
// tell a boot from a shirt. Can a network? {numref}`fig-lag` shows what the shuffle destroys. Each dot is a pair of
// pixels of one image. Move the slider, which sets the distance between the two pixels.
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
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
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
            "brightness of one pixel against that of the other. At distance 1 they lie "
            "near the diagonal, at distance 20 they fill the square. Right, the "
            "correlation against the distance: a curve that falls from 0.85 to zero at "
            "14 pixels and rises to 0.1 at 20, and for shuffled images a ragged line "
            "between 0.08 and 0.18.")
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
            "Dots: 250 random pairs of pixels. Move the slider: the dots leave the "
            "diagonal. Curves: the correlation of all pairs. Near pixels agree, and at "
            "13 to 16 pixels no agreement is left. In shuffled images the correlation "
            "is small at every distance.");
    book::shows("claim-image-short-correlation/a", "fig-lag");
    say("one pixel apart: {:.3f} as they are, {:.3f} shuffled", close[0], far[0]);
    say("the variance of the images' means, relative to that of the pixels: {:.3f}",
        double(variance(mean(flatten(x), {1})).item() / variance(x).item()));
    say("19 to the right: {:.3f} for all pairs, {:.3f} for mirror images", close[18],
        correlation(slice(x, -1, 4, 24), 0, 19));
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

// ## Neighbours agree
//
// The {term}`correlation` of two quantities is 1 if all their pairs lie on a rising line, and 0 if no line predicts the
// second quantity from the first better than a constant does. It is their covariance, divided by both standard
// deviations. Take an image of a single row, $0, 0, 1, 1$. Its pairs of neighbours are $(0, 0)$, $(0, 1)$ and $(1, 1)$.
// The left pixels of the pairs have the mean $\frac13$, the right pixels $\frac23$, and both have the variance
// $\frac29$. The mean product is $\frac13$, so the covariance is $\frac13 - \frac29 = \frac19$, and the correlation is
// $\frac19 / \frac29 = \frac12$. In general, for the pairs $(u_n, v_n)$ of each pixel and its neighbour at a fixed
// distance,
//
// $$ \operatorname{corr} = \frac{\overline{u v} - \bar u\, \bar v}
//    {\sqrt{(\overline{u^2} - \bar u^2)(\overline{v^2} - \bar v^2)}} . $$
//
// A bar denotes the mean over all pairs. The function takes the distance as steps down and to the right:
double correlation(const Tensor& x, Index down, Index right) {
    const Index height = x.size(-2), width = x.size(-1),
                left = std::max<Index>(0, -right);
    const std::vector<Real> grey = x.values();
    double n = 0, u = 0, v = 0, uu = 0, vv = 0, uv = 0;
    for (Index first = 0; first < Index(grey.size()); first += height * width)
        for (Index r = 0; r + down < height; ++r)
            for (Index c = left; c < width && c + right < width; ++c) {
                const Index at = first + r * width + c;
                const double a = grey[std::size_t(at)],
                             b = grey[std::size_t(at + down * width + right)];
                ++n, u += a, v += b, uu += a * a, vv += b * b, uv += a * b;
            }
    return (n * uv - u * v) / std::sqrt((n * uu - u * u) * (n * vv - v * v));
}

// On all 60,000 training images of Fashion-MNIST, the correlation of a pixel with its right neighbour is 0.846. Four
// pixels apart it is 0.493, eight pixels apart 0.180. Objects are larger than a pixel, so two near pixels mostly lie on
// the same object or both lie beside it. Beyond 16 pixels the correlation rises again a little, because clothes are
// symmetric: at a distance of 19 it is 0.08 for all pairs, but 0.66 for the pairs that are mirror images of each other.
//
// Does the correlation depend on where you look? We measure it in both halves of the images, along both diagonals,
// which a mirror exchanges, and in images of half the size:
//- the same statistics elsewhere
void elsewhere() {
    const Tensor x = clothes(), small = avg_pool2d(x, 2);
    say("the row 0, 0, 1, 1: {:.3f}",
        correlation(Tensor({1, 1, 1, 4}, {0, 0, 1, 1}), 0, 1));
    say("shift: {:.3f} in the left half, {:.3f} in the right half",
        correlation(slice(x, -1, 0, 14), 0, 1),
        correlation(slice(x, -1, 14, 28), 0, 1));
    say("mirror: {:.3f} along one diagonal, {:.3f} along the other",
        correlation(x, 1, 1), correlation(x, 1, -1));
    say("scale: {:.3f} at full size, {:.3f} at half size", correlation(x, 0, 1),
        correlation(small, 0, 1));
}
//-

// The halves and the diagonals agree within 0.011. At half the size the correlation is lower by 0.064: neighbours in
// the small image were two pixels apart in the large one. In photographs of nature the scales agree better.
// {cite:t}`field1987` found that the amplitudes of their spectra fall as one over the frequency, and such a spectrum
// keeps its form at every scale. A tree may stand near or far from a camera, but here every piece of clothing fills the
// frame.
//
// ## One shuffle for all images
//
// The shuffle is one random order of the 784 places, the same for every image of the training set and of the test set:
Tensor shuffled(const Tensor& x, const std::vector<Index>& order) {
    const std::vector<Real> before = x.values();
    Tensor after = empty(x.shape());
    Real* write = after.write();
    for (std::size_t first = 0; first < before.size(); first += 784)
        for (std::size_t i = 0; i < 784; ++i)
            write[first + i] = before[first + std::size_t(order[i])];
    return after;
}

// The shuffle loses no information, because you can undo it. But neighbours hardly agree any longer: their correlation
// drops to 0.122. It does not drop to 0, because all pixels of a bright image tend to be bright. For two random pixels
// of one image, the correlation is the variance of the images' mean brightness divided by the variance of the pixels,
// 0.128.
//- six images, before and after
void six_images() {
    const Tensor x = slice(data::fashion_mnist(Part::train).x, 0, 0, 6);
    figure::Images sheet("fig-shuffled", 6);
    sheet.describe(
        "Two rows of six images. Above, clothes: boots, shirts, a dress. Below, the "
        "same images shuffled: grey noise, in which no object can be seen.");
    for (const Tensor& row : {x, shuffled(x, one_order)})
        for (Index n = 0; n < 6; ++n) sheet.add("", 28, 28, select(row, 0, n).values());
    sheet.negative().save(
        "Six images as they are (above) and shuffled (below). The same shuffle moves "
        "all of them: a pixel that left the toe of one boot arrives where the toe of "
        "every boot arrives.");
}
//-

// ## A dense layer cannot notice
//
// Take an image of two pixels, $x = (5, 7)$, and a unit with the weights $w = (2, 3)$. The unit computes
// $2 \cdot 5 + 3 \cdot 7 = 31$. Shuffle the image to $(7, 5)$ and the weights to $(3, 2)$: the unit computes
// $3 \cdot 7 + 2 \cdot 5 = 31$ again. In general, if $P$ is the matrix of the shuffle, then
//
// $$ (W P^\top)(P x) = W x . $$
//
// Every dense network for the images has a twin for the shuffled images: the columns of its first matrix are shuffled,
// and its answers are the same. The twins also *train* alike. Shuffled inputs give a shuffled gradient, so the two
// networks are twins after every step of gradient descent. And random initial weights are as probable in one order of
// the columns as in any other. So on average over the initial weights, dense networks learn shuffled images exactly as
// well as unshuffled ones. A dense layer can still *learn* that two pixels agree, from the images. But it starts with
// the same guess for all pairs, near or far. We train a network and its twin:
//- two twins
void twins() {
    Generator random(book::seed());
    const nn::Mlp one({784, 77, 10}, relu, random), twin = nn::clone(one);
    twin.layers[0].weight.detach().copy_(
        shuffled(one.layers[0].weight.detach(), one_order));
    optim::Adam first(nn::parameters(one), {.lr = 1e-3}),
        second(nn::parameters(twin), {.lr = 1e-3});
    const Examples set =
        data::slice(data::fashion_mnist(Part::train), 0, 32 * together());
    double apart = 0, last = 0;
    for (const Examples& some : data::Batches(set, 32)) {
        const Tensor x = flatten(some.x), moved = flatten(shuffled(some.x, one_order));
        last = double(optim::train_step(first, [&] {
                          return cross_entropy(one(x), some.labels);
                      }).item());
        const Tensor other = optim::train_step(
            second, [&] { return cross_entropy(twin(moved), some.labels); });
        apart = std::max(apart, std::abs(last - double(other.item())));
    }
    say("the loss after {} steps: {:.3f}", together(), last);
    claim("", "the largest difference between the losses of the twins in any step",
          apart, "<=", 1e-3);
}
//-

// ## A network that expects neighbours
//
// Our LeNet, a modern version of LeNet-5 {cite:p}`lecun1998`, begins with two [convolutions](convolution.cpp), each
// followed by [pooling](pooling.cpp). A unit of the first convolution reads a neighbourhood of $5 \times 5$ pixels, and
// the units of all places share one set of weights. Later pages explain both kinds of layers.
struct LeNet {
    nn::Conv2d c1, c3;
    nn::Mlp head;
    explicit LeNet(Generator& random)
        : c1(1, 6, 5, random, {.padding = 2}),
          c3(6, 16, 5, random),
          head({400, 120, 84, 10}, relu, random) {}
    Tensor operator()(const Tensor& x) const {
        const nn::MaxPool2d half{2};
        return head(flatten(half(relu(c3(half(relu(c1(x))))))));
    }
    void visit(auto&& part) { part("c1", c1), part("c3", c3), part("head", head); }
};

// LeNet has 61,706 parameters. Its rival is a dense network with 77 hidden units and 61,225 parameters. Both learn the
// same 10,000 of the 60,000 training images for six epochs, so that 48 training runs take minutes. Each network gets
// the best of four learning rates, judged by the accuracy on 5,000 other images. We train each network three times, with
// different initial weights.
//- how a network is trained, and the study
const Index pictures = 10'000, epochs = 6, batch = 32;
template <class Model>
Study::Row learn(const Model& model, bool shuffle, double rate, Generator& random) {
    const Examples& train = data::fashion_mnist(Part::train);
    Examples to_learn = data::slice(train, 0, pictures),
             to_choose = data::slice(train, 50'000, 55'000),
             to_judge = data::fashion_mnist(Part::test);
    for (Examples* set : {&to_learn, &to_choose, &to_judge})
        set->x = (shuffle ? shuffled(set->x, one_order) : set->x) * 2.8 -
                 0.8;  // around zero, about as wide as one
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

const std::vector<double> rates = {1e-3, 2e-3, 4e-3, 8e-3};
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
// The results of a network at its best rate, one for each draw.
struct Judged {
    double rate = 0;
    std::vector<double> last;              // test accuracy at the end
    std::vector<std::vector<double>> all;  // and after each epoch
};
Judged best(double convolutional, double shuffle) {
    Judged found;
    double highest = -1;
    for (const double rate : rates) {
        Judged at{rate, {}, {}};
        double sum = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == convolutional && row[1] == shuffle && row[2] == rate) {
                sum += row[4];
                at.last.push_back(row[10]);
                at.all.emplace_back(row.begin() + 5, row.begin() + 11);
            }
        if (sum > highest) highest = sum, found = at;
    }
    return found;
}
std::vector<double> losses(const Judged& before, const Judged& after) {
    std::vector<double> gaps;
    for (std::size_t i = 0; i < before.last.size(); ++i)
        gaps.push_back(before.last[i] - after.last[i]);
    return gaps;
}
//-

// Place your bet:
//- the question
void four_curves() {
    const Judged dense = best(0, 0), dense_shuffled = best(0, 1), net = best(1, 0),
                 net_shuffled = best(1, 1);
    if (!book::quick()) {
        const double again = study.measure({0, 1, dense_shuffled.rate, 1}).back();
        claim("", "the distance of a cell that was done again from the kept one",
              std::abs(again - dense_shuffled.last[0]), "<=", 0.005);
    }
    const std::vector<double> fall = losses(net, net_shuffled),
                              change = losses(dense, dense_shuffled);
    const double usual = book::median(fall), left = book::median(net_shuffled.last);
    ask("In a shuffled image, 5 by 5 neighbouring pixels are 25 pixels from anywhere. "
        "How much of its accuracy does LeNet lose when it learns shuffled images?",
        {{"Nearly all: the accuracy is near 0.1, as with random guessing.", left < 0.3,
          "A unit that reads 25 unrelated pixels still computes a weighted sum, and "
          "the dense layers behind it learn to use these sums."},
         {"A few hundredths.", left >= 0.3 && usual >= 0.02,
          "The convolutions no longer help. But enough information passes through them "
          "to the dense layers behind."},
         {"Nothing: the shuffle loses no information.", left >= 0.3 && usual < 0.02,
          "The information is there. But the filters share their weights between "
          "places, which only helps where all places look alike."}});
    //-

    // {numref}`fig-four-curves` shows the answer.
    //- how the figure is drawn, and what is checked
    Figure figure("fig-four-curves");
    figure
        .describe(
            "Test accuracy against the epoch, four curves with bands. The two of the "
            "dense network lie on each other. LeNet ends above them with the images as "
            "they are and below them with shuffled images.")
        .x("epoch")
        .y("test accuracy");
    const auto draw = [&](const std::string& label, const Judged& judged,
                          figure::Color color, figure::Dash dash) {
        std::vector<double> middle, low, high;
        for (std::size_t epoch = 0; epoch < 6; ++epoch) {
            std::vector<double> at;
            for (const auto& one : judged.all) at.push_back(one[epoch]);
            middle.push_back(book::median(at));
            low.push_back(std::ranges::min(at)), high.push_back(std::ranges::max(at));
        }
        const std::vector<double> epochs_so_far = data::even_grid(6, 1, 6);
        figure.band("", epochs_so_far, low, high, {.color = color});
        figure.line(label, epochs_so_far, middle, {.color = color, .dash = dash});
        say("{}: rate {}, test accuracy {:.3f} ({:.3f} to {:.3f})", label, judged.rate,
            middle.back(), low.back(), high.back());
    };
    draw("LeNet", net, figure::blue, figure::solid);
    draw("LeNet, shuffled", net_shuffled, figure::blue, figure::dashed);
    draw("dense", dense, figure::red, figure::solid);
    draw("dense, shuffled", dense_shuffled, figure::red, figure::dashed);
    figure.save(
        "Test accuracy while learning, median and range of three draws. The shuffle "
        "makes no difference to the dense network. LeNet loses its lead, and more.");
    Generator random(book::seed());
    say("parameters: {} of LeNet, {} of the dense network", nn::count(LeNet(random)),
        nn::count(nn::Mlp({784, 77, 10}, relu, random)));
    say("LeNet minus dense: {:.3f}, shuffled: {:.3f}",
        book::median(net.last) - book::median(dense.last),
        left - book::median(dense_shuffled.last));
    book::shows("claim-fc-ignores-structure/a", "fig-four-curves");
    std::vector<double> sizes;
    for (const double gap : change) sizes.push_back(std::abs(gap));
    claim("claim-fc-ignores-structure/b",
          "the change of the dense network's accuracy by the shuffle, either way",
          over_seeds(sizes), "<=", 0.01);
    claim("claim-fc-ignores-structure/c", "the loss of LeNet's accuracy by the shuffle",
          over_seeds(fall), ">=", 0.02);
}
//-

// The shuffle changes the accuracy of the dense network by 0.0014 (median of three draws), which is less than the draws
// differ from each other. The accuracy of LeNet falls from 0.870 to 0.830. On the images LeNet is better than the dense
// network by 0.012, on shuffled images it is worse by 0.028. The best of the four rates is 0.002 for shuffled LeNet and
// 0.004 for the other three, so for each network the best rate lies inside the grid.
//
// A layer makes assumptions about its inputs, and they help where they are true. These assumptions are the layer's
// **inductive bias**, its [preferences](../foundations/preferences.cpp) before it has seen data. A dense layer assumes
// nothing about the order of its inputs. A convolution assumes that neighbours belong together and that all places are
// alike. In images both assumptions hold, and LeNet learns more from the same 10,000 images. In shuffled images both
// are false: the 25 inputs of a unit are unrelated, and the same weights must serve places that have nothing in common.
//
// ## Limits
//
// The argument with the twins holds for any optimiser that treats all weights alike, and for a penalty on the size of
// the weights. It fails if the initial weights depend on the places, or if you augment the images by shifts: a shift
// that follows the shuffle is not the same as a shuffle that follows the shift. The size of LeNet's lead is a result
// for these two networks and 10,000 images of clothes. And these images make the shuffle mild: each piece of
// clothing is centred, so a single pixel at a fixed place already tells something about the class.

void page() {
    lags();
    elsewhere();
    six_images();
    twins();
    four_curves();
}

// ## Summary
//
// In images near pixels agree: their correlation is 0.846 at a distance of one pixel and 0.180 at eight. A dense layer
// treats all pairs of pixels alike: every dense network has a twin that gives the same answers for shuffled images and
// trains alike. A network that reads neighbourhoods gains from their agreement, and the shuffle destroys its lead.
//
// ## What is missing
//
// We used convolutions without saying what they compute. How can one set of 25 weights serve a whole image, and what
// follows for the size of the result, for its cost and for its gradient? [The next page](convolution.cpp) builds the
// layer.
//
// ```{try}
// - Fewer images for the statistics: `--images 1000`. Which numbers of this page change?
// - Train the twins for longer: `--together 300`. Rounding errors grow; do the twins stay together?
// ```
