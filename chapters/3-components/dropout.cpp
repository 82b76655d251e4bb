// # Dropout: random zeros
//
// ```{rows} eq-dropout fig-4.7 fig-4.8 sys-dropout2d claim-dropout-2d-redundancy
// ```
//
// [Regularisation](../training/heuristics.cpp) used **dropout** as one of many remedies against overfitting: in every
// training step, some activations become zero at random. The layer itself raises three questions, which this page
// answers. What must happen to the activations that survive, so that the next layer sees numbers of the usual size?
// What does the layer do after training? And does it work on images, where every number has neighbours that look like
// it? {numref}`fig-4.7` shows one array of activations in three training steps, and at test time. Move the slider to
// change the probability of a zero.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/core/random.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/regularise.hpp>
#include <recto/ops/elementwise/dropout.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure, figure::Images, figure::Names;
using linalg::Matrix, linalg::Vector;

const book::Option<double> probability("probability", 0.3,
                                       "probability of a zero in the feature maps",
                                       {.least = 0.05, .most = 0.9});
const book::Option<Index> images(
    "images", 400, "number of images from which hidden values are predicted",
    {.quick = 60, .least = 20, .most = 10'000});
const book::Option<int> seeds("seeds", 3, "number of draws of the filters",
                              {.quick = 1, .least = 1, .most = 20});
//-

//- how the figure is drawn
// How far a share of n random draws lies from its probability, in standard errors.
double standard_errors(double share, double p, double n) {
    return std::abs(share - p) / std::sqrt(p * (1 - p) / n);
}

void three_masks() {
    Generator random(book::seed());
    const Index rows = 6, columns = 8;
    const Tensor x = random.uniform({rows, columns}, Real(0.3), 1);
    Names units, samples;
    for (int i = 1; i <= columns; ++i) units.push_back(std::to_string(i));
    for (int i = 1; i <= rows; ++i) samples.push_back(std::to_string(i));
    const std::vector<double> stops = {0.1, 0.25, 0.5, 0.75};
    Figure figure("fig-4.7");
    figure
        .describe(
            "Four heat maps of six samples by eight units. In three of them random "
            "cells are "
            "dark zeros and the other cells are brighter than in the fourth, which "
            "shows all "
            "cells as they are. A slider sets the probability of a zero: the higher it "
            "is, the "
            "more cells are dark and the brighter the others.")
        .height(180)
        .slider("p", stops, "probability of a zero", 0.5);
    double worst = 0;
    std::vector<Tensor> masked[4];
    for (std::size_t i = 0; i < stops.size(); ++i) {
        double zeros = 0;
        for (int step = 0; step < 3; ++step) {
            masked[i].push_back(dropout(x, stops[i], random));
            zeros += double(std::ranges::count(masked[i].back().values(), Real(0)));
        }
        const double n = 3 * double(rows * columns);
        worst = std::max(worst, standard_errors(zeros / n, stops[i], n));
    }
    for (std::size_t panel = 0; panel < 4; ++panel) {
        figure.always().panel(panel < 3 ? fmt::format("training, step {}", panel + 1)
                                        : "test");
        for (std::size_t i = 0; i < stops.size(); ++i)
            figure.at(stops[i]).heatmap(
                "activation", units, samples,
                panel < 3 ? masked[i][panel].values()
                          : dropout(x, stops[i], random, false).values(),
                0, 2);
        figure.always().x("unit");
        if (panel % 2 == 0) figure.y("sample");
    }
    figure.save(
        "The same activations in three steps of training, and at test time. In "
        "training, a "
        "random part is zero, and the others are larger than at test, so that the mean "
        "stays. "
        "Every step and every sample has zeros of its own. Numbers above 2 have the "
        "same "
        "colour. After Figure 4.7 of {cite:t}`fleuret2023`.");
    book::shows("fig-4.7/a", "fig-4.7");
    claim("fig-4.7/b",
          "the share of zeros in three masks, its distance from the probability of a "
          "zero in standard errors, the largest of four settings",
          worst, "<=", 4);
}
//-

// ## What happens to the survivors
//
// Take two activations, 2 and 4, and $p = \frac12$. The four possible results are equally likely if the survivors are
// doubled: $(0, 0)$, $(4, 0)$, $(0, 8)$ and $(4, 8)$. The mean of the first column is $(0 + 4 + 0 + 4)/4 = 2$, as
// before. Without the doubling it would be 1. The next layer would see half of its usual input in training, and all
// of it at test time.
//
// In general, {term}`dropout` with probability $p$ computes in training
//
// ```{equation} eq-dropout
// :function: recto::dropout
// :test: dropout: mean and variance
// y_i = \begin{cases} 0 & \text{with probability } p \cr x_i / (1 - p) & \text{otherwise} \end{cases}
// ```
//
// and at test time it returns $x$ itself. The mean of $y_i$ is $(1-p) \cdot x_i / (1-p) = x_i$. What changes is the
// spread:
//
// $$ \operatorname{Var} y_i = (1-p) \frac{x_i^2}{(1-p)^2} - x_i^2 = \frac{p}{1-p}\, x_i^2 . $$
//
// At $p = \frac12$ the standard deviation of $y_i$ is $|x_i|$: signal and noise are equally large. In code, and over
// 100,000 draws:
std::vector<Real> drop(std::vector<Real> x, double p, Generator& random) {
    for (Real& v : x) v = random.next_uniform() < p ? 0 : Real(v / (1 - p));
    return x;
}
void two_activations() {
    Generator random(book::seed());
    double sum = 0, squares = 0;
    const int draws = 100'000;
    for (int i = 0; i < draws; ++i) {
        const double y = drop({2, 4}, 0.5, random)[0];
        sum += y, squares += (y - 2) * (y - 2);
    }
    say("mean {:.2f}, variance {:.2f}", sum / draws, squares / draws);
}

// {cpp:func}`~recto::dropout` does the same on all devices. Its backward pass must use *the same* zeros: an
// activation that was dropped had no influence, so its gradient is zero. The library stores no mask for this. Its
// random numbers depend on a seed and the place only, so the backward pass draws them again.
// {cpp:class}`~recto::nn::Dropout` is the layer, and `set_training(model, false)` switches all dropout layers of a
// model off.
//
// **Noise in a sum.** The next layer adds many of these numbers up. Take a hundred activations of the same size $x$. At
// $p = \frac12$ their sum has the mean $100\,x$ and the variance $100\,x^2$, so its standard deviation is $10\,x$. Each
// term is off by its own size, and the sum by a tenth. So wide layers bear dropout well, and narrow layers suffer.
//
// **Why it was invented.** A unit can come to rely on one other unit that corrects its errors on the training set.
// Dropout breaks such pairs, since the other unit is missing half of the time. {cite:t}`srivastava2014` give this as
// the motive. Whether a network is better for it must be measured, which the next page does.
//
// The scale can also be applied at test time. {cite:t}`srivastava2014` multiply the weights of the trained network by
// the probability of survival. The means are the same. With the scale in training, a trained network needs no change.
//
// ## Whole channels
//
// In a fully connected layer the order of the units has no meaning: unit 17 tells no more about unit 18 than about any
// other. In a feature map, a number and its neighbour have seen almost the same pixels. A network can then infer a
// dropped number from the numbers around it.
// {cite:t}`tompson2015` met this with **channel-wise dropout**: a channel of a sample is zero as a whole or kept as a
// whole ({numref}`fig-4.8`).
//- how the figure is drawn
const Index channels = 16, side = 24;  // of a feature map
Tensor feature_maps(Index count, Generator& random) {
    const Tensor x = data::slice(data::fashion_mnist(data::Part::train), 0, count).x;
    return relu(conv2d(x, random.normal({channels, 1, 5, 5}, 0, Real(0.2))));
}
std::vector<double> map_of(const Tensor& maps, Index sample, Index channel) {
    std::vector<double> found;
    for (Index i = 0; i < side; ++i)
        for (Index j = 0; j < side; ++j)
            found.push_back(double(maps.at({sample, channel, i, j})) / 3);
    return found;
}

void dropped_channels() {
    Generator random(book::seed());
    const Tensor x = feature_maps(200, random);
    nn::SpatialDropout layer(probability(), random);
    const Tensor elements = dropout(x, probability(), random), once = layer(x),
                 again = layer(x);
    layer.training = false;
    const Tensor test = layer(x);
    Images sheet("fig-4.8", 8);
    sheet.describe(
        "Four rows of eight feature maps of a shoe. At test, all are whole. With "
        "dropout of "
        "single numbers, all are speckled, and the shoe is still seen in each. With "
        "dropout of "
        "channels some maps are black and the others whole, and others again in the "
        "next step.");
    // The eight channels with the largest means for this image; a filter may find nothing.
    std::vector<Index> lively;
    std::vector<double> means;
    for (Index c = 0; c < channels; ++c) {
        const std::vector<double> map = map_of(x, 0, c);
        lively.push_back(c),
            means.push_back(-std::accumulate(map.begin(), map.end(), 0.0));
    }
    std::ranges::sort(lively, {}, [&](Index c) { return means[std::size_t(c)]; });
    const auto row = [&](const char* label, const Tensor& maps) {
        for (std::size_t k = 0; k < 8; ++k) {
            std::vector<double> map = map_of(maps, 0, lively[k]);
            const double most = std::ranges::max(map_of(x, 0, lively[k]));
            for (double& v : map) v /= most / (1 - probability());  // survivors reach 1
            sheet.add(k == 0 ? label : "", side, side, map);
        }
    };
    row("test", test), row("numbers", elements);
    row("channels", once), row("next step", again);
    sheet.save(fmt::format(
        "Eight feature maps of one image: at test time, with dropout of single "
        "numbers, and with dropout of channels in two steps. The probability of a "
        "zero is $p = {}$. Single zeros leave the shape in sight; a dropped channel "
        "is gone. After Figure 4.8 of {{cite:t}}`fleuret2023`.",
        probability()));
    book::shows("fig-4.8/a", "fig-4.8");

    const std::vector<Real> in = x.values(), out = once.values();
    Index mixed = 0, dropped = 0, counted = 0;
    for (std::size_t first = 0; first < in.size(); first += std::size_t(side * side)) {
        Index gone = 0, kept = 0;
        for (std::size_t i = first; i < first + std::size_t(side * side); ++i) {
            if (in[i] == 0) continue;
            const double ratio = double(out[i]) / double(in[i]);
            gone += ratio == 0,
                kept += std::abs(ratio * (1 - probability()) - 1) < 1e-5;
            mixed += gone > 0 && kept > 0;
        }
        counted += gone + kept > 0, dropped += gone > 0;
    }
    claim("fig-4.8/b", "numbers in channels that are partly kept and partly zero",
          mixed, "==", 0);
    claim("fig-4.8/c",
          "the share of dropped channels, its distance from the probability of a zero "
          "in standard errors",
          standard_errors(double(dropped) / double(counted), probability(),
                          double(counted)),
          "<=", 4);
}
//-

// ## What the neighbours know
//
// How much does a zero hide? We measure it with linear predictions. Take feature maps of 16 random filters, and one
// number in them as the *hidden value*. Predict it by least squares from what dropout left over, and judge the
// prediction on images that were not used for the fit. The measure is $R^2$, the share of the variance that is
// explained: 0 for always guessing the mean, and 1 for a perfect prediction.
//- samples, and the squared errors of a fit
struct Samples {
    std::vector<double> read,
        hidden;  // what a prediction may read, sample after sample; what it predicts
    void add(const std::vector<double>& values, double value) {
        read.insert(read.end(), values.begin(), values.end());
        read.push_back(1);
        hidden.push_back(value);
    }
    Matrix phi() const {
        const Index rows = std::ssize(hidden);
        return {rows, std::ssize(read) / rows, read};
    }
};
struct Errors {
    double left = 0, all = 0;  // squared errors of the prediction, and of the mean
    double explained() const { return 1 - left / all; }
};
//-
void judge(const Samples& learn, const Samples& test, Errors& errors) {
    const Vector w = classic::ridge(learn.phi(), learn.hidden, 1e-6);
    const double n = double(test.hidden.size());
    errors.left += n * classic::squared_error(test.phi(), test.hidden, w);
    double mean = 0;
    for (const double v : test.hidden) mean += v / n;
    for (const double v : test.hidden) errors.all += (v - mean) * (v - mean);
}

// The prediction for element-wise dropout reads the eight neighbours in the same map, of which 30 % are zero as well.
// The prediction for channel-wise dropout reads the same place in the other 15 channels, of which 30 % are zero as
// well.
//- what is read, for each kind of dropout
std::vector<double> neighbours(const Tensor& maps, Index n, Index c, Index i, Index j) {
    std::vector<double> found;
    for (Index a = i - 1; a <= i + 1; ++a)
        for (Index b = j - 1; b <= j + 1; ++b)
            if (a != i || b != j) found.push_back(double(maps.at({n, c, a, b})));
    return found;
}
std::vector<double> other_channels(const Tensor& maps, Index n, Index c, Index i,
                                   Index j) {
    std::vector<double> found;
    for (Index other = 0; other < maps.size(1); ++other)
        if (other != c) found.push_back(double(maps.at({n, other, i, j})));
    return found;
}

// Both predictions for one draw of the filters, and that from channels of which none was dropped.
struct Redundancy {
    double from_neighbours, from_channels, from_whole_channels;
};
Redundancy measure(std::uint64_t seed) {
    Generator random(seed);
    const Tensor maps = feature_maps(images(), random),
                 elements = dropout(maps, probability(), random),
                 whole = spatial_dropout(maps, probability(), random);
    Errors near, across, complete;
    for (Index c = 0; c < channels; ++c) {
        Samples from_near[2], from_others[2], from_all[2];
        for (Index n = 0; n < images(); ++n)
            for (int draw = 0; draw < 10; ++draw) {
                const Index i = random.next_integer(1, side - 1),
                            j = random.next_integer(1, side - 1);
                const std::size_t half = n >= images() / 2;
                const double hidden = double(maps.at({n, c, i, j}));
                from_near[half].add(neighbours(elements, n, c, i, j), hidden);
                from_others[half].add(other_channels(whole, n, c, i, j), hidden);
                from_all[half].add(other_channels(maps, n, c, i, j), hidden);
            }
        judge(from_near[0], from_near[1], near);
        judge(from_others[0], from_others[1], across);
        judge(from_all[0], from_all[1], complete);
    }
    return {near.explained(), across.explained(), complete.explained()};
}

// The same from the neighbours of raw pixels, which have no other channel.
double measure_pixels(std::uint64_t seed) {
    Generator random(seed);
    const Tensor x = data::slice(data::fashion_mnist(data::Part::train), 0, images()).x;
    const Tensor elements = dropout(x, probability(), random);
    Samples halves[2];
    for (Index n = 0; n < images(); ++n)
        for (int draw = 0; draw < 40; ++draw) {
            const Index i = random.next_integer(1, 27), j = random.next_integer(1, 27);
            halves[n >= images() / 2].add(neighbours(elements, n, 0, i, j),
                                          double(x.at({n, 0, i, j})));
        }
    Errors errors;
    judge(halves[0], halves[1], errors);
    return errors.explained();
}

void redundancy() {
    std::vector<double> near, across, complete, more, pixels;
    for (int run = 0; run < seeds(); ++run) {
        const Redundancy found = measure(book::seed() + std::uint64_t(run));
        near.push_back(found.from_neighbours), across.push_back(found.from_channels);
        complete.push_back(found.from_whole_channels);
        more.push_back(near.back() - across.back());
        pixels.push_back(measure_pixels(book::seed() + std::uint64_t(run)));
    }
    const double most = book::median(near);
    //-

    //- the question
    ask("A number of a feature map is hidden. A linear formula may read its eight "
        "neighbours, "
        "each of which is missing with probability 0.3. How much of the variance does "
        "it explain?",
        {{"Hardly anything: dropout has destroyed the information.", most < 0.3,
          "The number itself is gone, but its neighbours have seen almost the same "
          "pixels."},
         {"About half.", most >= 0.3 && most < 0.65,
          "It is more: on average five or six neighbours are left, and they agree "
          "closely."},
         {"About three quarters.", most >= 0.65 && most < 0.9,
          "On average five or six of eight neighbours are left. A network can learn "
          "this "
          "formula, and then element-wise dropout hides little from it."},
         {"Nearly all of it.", most >= 0.9,
          "This would hold for eight complete neighbours."}});
    //-

    // {numref}`fig-restored` shows such a prediction, and here are the numbers:
    //- what is checked and printed
    say("from eight neighbours, each dropped with probability {}: {}", probability(),
        book::brief(over_seeds(near)));
    say("from 15 other channels, each dropped with that probability: {}",
        book::brief(over_seeds(across)));
    say("from 15 other channels, all complete: {}", book::brief(over_seeds(complete)));
    claim("claim-dropout-2d-redundancy/a",
          "R² from the neighbours under element-wise dropout, minus R² from the other "
          "channels "
          "under channel-wise dropout",
          over_seeds(more), ">=", 0.05);
    book::report("claim-dropout-2d-redundancy/b",
                 "the same on raw pixels, which have no other channel, so that zero is "
                 "subtracted",
                 over_seeds(pixels));
}
//-

//- how the figure is drawn
void restored() {
    Generator random(book::seed());
    const Index count = images(), channel = 4;  // one in which the shoe is bright
    const Tensor maps = feature_maps(count, random),
                 elements = dropout(maps, probability(), random),
                 none = zeros(maps.shape());
    Samples learn;
    for (Index n = 1; n < count; ++n)
        for (int draw = 0; draw < 20; ++draw) {
            const Index i = random.next_integer(1, side - 1),
                        j = random.next_integer(1, side - 1);
            learn.add(neighbours(elements, n, channel, i, j),
                      double(maps.at({n, channel, i, j})));
        }
    const Vector w = classic::ridge(learn.phi(), learn.hidden, 1e-6);
    // Fills the zeros of a map in, away from its edge, and returns the share of variance restored.
    const auto restore = [&](const Tensor& from, std::vector<double>& image) {
        std::vector<double> truth, guess;
        for (Index i = 1; i + 1 < side; ++i)
            for (Index j = 1; j + 1 < side; ++j) {
                const double value = double(maps.at({0, channel, i, j}));
                if (value == 0 || from.at({0, channel, i, j}) != 0) continue;
                std::vector<double> read = neighbours(from, 0, channel, i, j);
                double sum = w.back();
                for (std::size_t k = 0; k < read.size(); ++k) sum += w[k] * read[k];
                truth.push_back(value), guess.push_back(sum);
                image[std::size_t(i * side + j)] = std::max(sum, 0.0) / 3;
            }
        double mean = 0;
        for (const double v : truth) mean += v / double(truth.size());
        Errors errors;
        for (std::size_t k = 0; k < truth.size(); ++k) {
            errors.left += (truth[k] - guess[k]) * (truth[k] - guess[k]);
            errors.all += (truth[k] - mean) * (truth[k] - mean);
        }
        return std::max(errors.explained(), 0.0);
    };
    const auto scaled_back = [&](std::vector<double> image) {
        for (double& v : image) v *= 1 - probability();
        return image;
    };
    std::vector<double> filled = scaled_back(map_of(elements, 0, channel)),
                        empty_map = map_of(none, 0, channel);
    const double from_numbers = restore(elements, filled),
                 from_nothing = restore(none, empty_map);
    Images sheet("fig-restored", 5);
    sheet.describe(
        "Five versions of one feature map of a shoe: as it is; with random zeros; with "
        "the "
        "zeros filled in from the neighbours, almost like the first; black; and black "
        "again, "
        "filled in with a constant.");
    sheet.add("as it is", side, side, map_of(maps, 0, channel))
        .add("numbers dropped", side, side, scaled_back(map_of(elements, 0, channel)))
        .add(fmt::format("restored: {:.2f}", from_numbers), side, side, filled)
        .add("channel dropped", side, side, map_of(none, 0, channel))
        .add(fmt::format("restored: {:.2f}", from_nothing), side, side, empty_map)
        .save(
            "A feature map whose numbers are dropped one by one can be restored from "
            "the neighbours by a fixed linear formula. The number under a restored map "
            "is $R^2$ over its hidden numbers. If the whole channel is dropped, the "
            "neighbours are gone too. (Survivors are drawn without their scale.)");
    book::shows("claim-dropout-2d-redundancy/c", "fig-restored");
}
//-

void page() {
    three_masks();
    two_activations();
    dropped_channels();
    redundancy();
    restored();
}

// So the neighbours, with holes, have an $R^2$ of 0.76, and the other channels, with holes, one of 0.58: element-wise
// dropout is partly undone by a formula that a convolution can learn, and channel-wise dropout hides more. But
// channels are not independent either. If the other 15 are complete, their $R^2$ is 0.81, more than the neighbours with
// holes do, because 16 filters look at the same 25 pixels and their answers are related. Channel-wise
// dropout works because it makes holes in the other channels, too, and both predictions above read numbers with holes.
//
// ## Limits
//
// Dropout slows training down, because the noise of the masks enters every gradient. It needs a network with units to
// spare. {cite:t}`srivastava2014` recommend $p = 0.5$ for hidden units and less for inputs. And it needs a switch: a
// model that is tested with dropout still on gives random answers, and forgetting `set_training(model, false)` raises
// no error.
//
// ## Summary and what is missing
//
// Dropout sets each activation to zero with probability $p$ in training and divides the others by $1 - p$, so that
// means stay and spread grows; at test time it does nothing. The backward pass uses the same zeros. On feature maps,
// whole channels should be dropped, since neighbours reveal single numbers.
//
// Whether this noise makes a network better, we have only seen in passing. [The next page](monte_carlo_dropout.cpp)
// trains networks with and without it, and then keeps the noise on at test time, on purpose.
//
// ```{exercises}
// - [Dropout and its backward pass](/exercises/components/dropout.md)
// ```
//
// ```{try}
// - Drop more: `--probability 0.7`. How much do the neighbours still explain?
// - Few images to learn from: `--images 40`. What happens to the predictions?
// ```
