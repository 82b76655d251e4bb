// # Pooling: whether, not where
//
// ```{rows} sys-max-pool sys-avg-pool fig-4.6 claim-maxpool-logical-or claim-maxpool-local-invariance
// ```
//
// A filter of a convolution tells, for each place of an image, how strongly it finds its part there: an edge, a
// handle, a sleeve. To name a bag, a classifier needs to know *whether* there is a handle, and hardly where.
// **Pooling** replaces each window of such a map by a single number: its largest value (**max pooling**) or its mean
// (**average pooling**). The map becomes smaller, and small movements of a part should leave no trace.
// {numref}`fig-4.6` pools four channels. Move the slider, which moves the signal. Which outputs change? This page
// measures how much position pooling forgets, in a window, in a map and in the answers of a trained network.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/schedule.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> images("images", 200,
                                 "number of images whose feature maps are shifted",
                                 {.quick = 10, .least = 1, .most = 10'000});
const book::Option<Index> window("window", 4, "size of a window in the shifted maps",
                                 {.least = 1, .most = 8});

// Defined further down:
struct Pooled {
    std::vector<Real> largest;  // of each window
    std::vector<Index> places;  // its place in the signal
};
Pooled pool_by_hand(const std::vector<Real>& signal, Index size);
//-

//- how the figure is drawn
Tensor shifted_right(const Tensor& x, Index by) {  // zeros enter at the left
    return contiguous(slice(pad(x, {{by, 0}}), -1, 0, x.size(-1)));
}

void four_channels() {
    Generator random(book::seed());
    std::vector<Real> scores = random.uniform({48}, 0, Real(0.2)).values();
    for (const auto& [place, score] : {std::pair{3, 0.9},
                                       {8, 0.7},
                                       {19, 1.0},
                                       {25, 0.6},
                                       {28, 0.8},
                                       {35, 0.9},
                                       {41, 0.7},
                                       {45, 1.0}})
        scores[std::size_t(place)] = Real(score);
    const Tensor signal({4, 12}, scores);
    Names times, windows, channels;
    for (int t = 1; t <= 12; ++t) times.push_back(std::to_string(t));
    for (int w = 1; w <= 4; ++w) {
        windows.push_back(fmt::format("{} to {}", 3 * w - 2, 3 * w));
        channels.push_back(fmt::format("channel {}", w));
    }
    Figure figure("fig-4.6");
    figure
        .describe(
            "Two heat maps, one above the other. Above, the scores of four channels at "
            "twelve times: mostly dark, with eight bright cells, and a red frame "
            "around "
            "the largest score of each window of three times. Below, the four maxima "
            "of "
            "each channel. A slider moves the signal by zero to three places.")
        .columns(1)
        .slider("shift", {0, 1, 2, 3}, "shift to the right", 0)
        .panel("four channels, windows of three times")
        .tall(150);
    Index differ = 0;
    for (int shift = 0; shift <= 3; ++shift) {
        const Tensor moved = shifted_right(signal, shift).requires_grad_();
        sum(max_pool1d(moved, 3)).backward();
        const std::vector<Real> mask = moved.grad().values();
        Names in_column, in_row;
        for (std::size_t c = 0; c < 4; ++c) {
            const Tensor channel = select(moved.detach(), 0, Index(c));
            const std::vector<Index> places = pool_by_hand(channel.values(), 3).places;
            for (std::size_t t = 0; t < 12; ++t) {
                const bool chosen = std::ranges::count(places, Index(t)) == 1;
                differ += chosen != (mask[12 * c + t] == 1);
                if (chosen)
                    in_column.push_back(times[t]), in_row.push_back(channels[c]);
            }
        }
        figure.at(shift)
            .heatmap("score", times, channels, moved.values(), 0, 1)
            .frame(in_column, in_row);
    }
    figure.always().x("time").panel("the maximum of each window").tall(150);
    for (int shift = 0; shift <= 3; ++shift) {
        const Tensor pooled = max_pool1d(shifted_right(signal, shift), 3);
        figure.at(shift).heatmap("score", windows, channels, pooled.values(), 0, 1);
    }
    figure.always()
        .x("times of the window")
        .save(
            "Above, four channels of scores; a frame marks the largest score of each "
            "window of "
            "three. Below, the result of max pooling. While a bright cell stays inside "
            "its "
            "window, its output stays the same to the last bit; when it crosses a "
            "border, the "
            "output jumps. At a shift of three, a whole window, all outputs have moved "
            "by one "
            "place. After Figure 4.6 of {cite:t}`fleuret2023`.");
    book::shows("fig-4.6/a", "fig-4.6");
    claim("fig-4.6/b",
          "cells that are framed but get no gradient, or the reverse, over four shifts",
          differ, "==", 0);
}
//-

// ## A window at a time
//
// Take the signal 1, 3, 2, 0, 5, 4 and windows of three. Max pooling gives 3 and 5, average pooling gives 2 and 3.
// Now shift the signal right by one place, so that a zero enters: 0, 1, 3, 2, 0, 5. The maxima are still 3 and 5. The
// means have become 1.33 and 2.33. Shift once more, to 0, 0, 1, 3, 2, 0: the 3 has left the first window and the 5
// has left the signal, so the maxima are 1 and 3.
//
// Channel $k$ of the result is, for windows of $K$ places side by side,
//
// $$ y_{k,i} = \max_{0 \le j < K} x_{k,\,Ki + j} \qquad\text{or}\qquad y_{k,i} = \frac1K \sum_{j=0}^{K-1} x_{k,\,Ki + j} . $$
//
// Pooling treats each channel separately, and it has no weights. In code, with the place of each maximum:
Pooled pool_by_hand(const std::vector<Real>& signal, Index size) {
    Pooled y;
    for (Index first = 0; first + size <= std::ssize(signal); first += size) {
        const auto begin = signal.begin() + first;
        const auto most = std::max_element(begin, begin + size);
        y.largest.push_back(*most);
        y.places.push_back(most - signal.begin());
    }
    return y;
}

// {cpp:func}`~recto::max_pool2d` and {cpp:func}`~recto::avg_pool2d` do this for windows of an image, with stride,
// padding and dilation as in a convolution; by default the stride equals the size of the window, so that windows do
// not overlap. Windows of $2\times2$ leave a quarter of the numbers, and a convolution behind them costs a quarter.
//
// **Backward.** A tiny change of the largest number of a window changes the output by as much, and a tiny change of
// the others changes nothing. So max pooling sends the whole gradient of a window to its maximum, and zero to the
// others:
void backward() {
    const Tensor x = Tensor({6}, {1, 3, 2, 0, 5, 4}).requires_grad_();
    sum(max_pool1d(x, 3)).backward();
    say("maxima {}, gradient {}", fmt::join(max_pool1d(x, 3).values(), " "),
        fmt::join(x.grad().values(), " "));
    say("shifted: maxima {}, means {:.2f}",
        fmt::join(max_pool1d(shifted_right(x, 1), 3).values(), " "),
        fmt::join(avg_pool1d(shifted_right(x, 1), 3).values(), " "));
}

// The red frames of {numref}`fig-4.6` come from `pool_by_hand`; the program checks that these cells, and no others,
// get a gradient.
//
// ## Or, and how many
//
// Suppose that a detector answers 1 where it finds a handle and 0 elsewhere. The maximum of a window is 1 if *at
// least one* of its numbers is 1. So max pooling is the logical **or**: is there a handle anywhere in this window?
// (The tests of the library try all 512 patterns of a $3\times3$ window.) The mean of the window answers another
// question, *how many*: one handle in nine places gives 0.11, and nine give 1.
//
// Average pooling is a linear operation. On each channel it equals a convolution with the constant filter $1/K$ and
// stride $K$, so all that holds for convolutions holds for it. Max pooling is not linear: in the windows $(1, 0)$ and
// $(0, 1)$ the maximum is 1, but in their sum it is 1 as well, not 2.
//
// ## How much position is forgotten
//
// {numref}`fig-pool-pixel` moves a single bright pixel. Inside its window the pixel can move freely: both kinds of pooling
// return the same numbers. A stride without pooling, which keeps every second pixel, finds the bright one or misses it.
//- how the figure is drawn
void one_pixel() {
    const Index side = 8;
    const auto names = [](Index count) {
        Names found;
        for (Index i = 1; i <= count; ++i) found.push_back(std::to_string(i));
        return found;
    };
    std::vector<double> stops;
    std::vector<Tensor> images;
    for (Index column = 0; column < side; ++column) {
        stops.push_back(double(column + 1));
        images.push_back(zeros({1, side, side}));
        images.back().set({0, 3, column}, 1);
    }
    Figure figure("fig-pool-pixel");
    figure
        .describe(
            "Four panels. An image of eight by eight pixels, one of them bright. Four "
            "by four maxima, of which one is bright. Four by four means, of which one "
            "is a quarter as bright. Every second pixel, four by four, of which one is "
            "bright or none. A slider moves the bright pixel along its row: the maxima "
            "and the means change at every second step, and the last panel at each.")
        .columns(2)
        .height(170)
        .slider("pixel", stops, "column of the bright pixel", 3);
    const auto panel = [&](const char* title, Index count, const auto& result) {
        figure.always().panel(title);
        for (std::size_t i = 0; i < stops.size(); ++i)
            figure.at(stops[i]).heatmap("", names(count), names(count),
                                        result(images[i]).values(), 0, 1);
        figure.always().bare();
    };
    panel("image, 8 × 8", side, [](const Tensor& x) { return x; });
    panel("max pooling, 2 × 2", side / 2,
          [](const Tensor& x) { return max_pool2d(x, 2); });
    panel("average pooling, 2 × 2", side / 2,
          [](const Tensor& x) { return avg_pool2d(x, 2); });
    panel("every second pixel", side / 2, [](const Tensor& x) {
        return contiguous(slice(slice(x, 1, 1, side, 2), 2, 0, side, 2));
    });
    figure.save(
        "One bright pixel in an image, and what three ways of halving the image make "
        "of it. Move the slider by one column: the pooled images change only where the "
        "pixel enters another window of $2\\times2$. *every second pixel* misses all "
        "even columns.");
}
//-

// How far does this carry over to real feature maps? We shift an input to the right, and divide the change of the output
// by its size:
double change(const Tensor& before, const Tensor& after) {
    const Tensor squared = sum(square(after - before)) / sum(square(before));
    return std::sqrt(double(squared.item()));
}

// There are four ways to the output: the full map; a **strided** convolution, which computes only every fourth place
// of it in each direction; and max or average pooling with windows of the same size. All use the same random filters.
//- how the figure is drawn
void shifts() {
    const NoGrad only_asking;
    Generator random(book::seed());
    const Index k = window();
    Tensor spike = zeros({1, 1, 8 * k});
    spike.set({0, 0, 2 * k}, 1);  // the first place of a window
    const Tensor garments = data::slice(data::fashion_mnist(Part::test), 0, images()).x;
    const Tensor taps = random.normal({64, 1, k}),
                 filters = random.normal({16, 1, 5, 5});
    std::vector<double> by, spikes[4], maps[4];
    for (Index shift = 0; shift <= 2 * k; ++shift) {
        const Tensor moved = shifted_right(spike, shift);
        const Tensor other = shifted_right(garments, shift);
        const auto add = [&](std::vector<double>* to, std::size_t way, const Tensor& a,
                             const Tensor& b) { to[way].push_back(change(a, b)); };
        by.push_back(double(shift));
        add(spikes, 0, spike, moved);
        add(spikes, 1, conv1d(spike, taps, {}, {.stride = k}),
            conv1d(moved, taps, {}, {.stride = k}));
        add(spikes, 2, max_pool1d(spike, k), max_pool1d(moved, k));
        add(spikes, 3, avg_pool1d(spike, k), avg_pool1d(moved, k));
        const auto features = [&](const Tensor& x, Index stride) {
            return relu(conv2d(x, filters, {}, {.stride = stride}));
        };
        const Tensor a = features(garments, 1), b = features(other, 1);
        add(maps, 0, a, b);
        add(maps, 1, features(garments, k), features(other, k));
        add(maps, 2, max_pool2d(a, k), max_pool2d(b, k));
        add(maps, 3, avg_pool2d(a, k), avg_pool2d(b, k));
    }
    Figure figure("fig-shifts");
    figure.describe(
        "Two panels of relative change against the shift in pixels. For a spike, the "
        "full map "
        "and the strided convolution jump at once; both kinds of pooling stay at zero "
        "up to a "
        "shift of three, then jump. For feature maps of images all four lines rise "
        "from the "
        "first pixel on; both kinds of pooling lie lower, and beyond four pixels max "
        "pooling lowest.");
    const char* names[] = {"full map", "strided", "max pooling", "average pooling"};
    const figure::Color colors[] = {figure::grey, figure::red, figure::blue,
                                    figure::ochre};
    for (const auto& [title, of] :
         {std::pair{"a spike", spikes}, {"feature maps of images", maps}}) {
        figure.panel(title);
        for (std::size_t way = 0; way < 4; ++way)
            figure.line(names[way], by, of[way], {.color = colors[way]});
        figure.ylim(0, 1.6).x("shift in pixels");
        if (of == spikes) figure.y("relative change");
    }
    figure.save(
        "The change of the output against the shift of the input, relative to the size "
        "of the output, for windows of four. *a spike*: one that starts at the "
        "beginning of a window leaves both poolings unchanged (their lines coincide) "
        "until it crosses the border. The strided convolution (red) weighs the spike "
        "with other random weights at each place of the window. *feature maps of "
        "images*: 16 random filters on images of clothes. For one pixel, max pooling "
        "halves the change; it does not "
        "remove it.");
    book::shows("claim-maxpool-local-invariance/a", "fig-shifts");
    for (std::size_t shift : {std::size_t(1), std::size_t(2 * k)})
        say("shift {}: full map {:.2f}, strided {:.2f}, max {:.2f}, average {:.2f}",
            shift, maps[0][shift], maps[1][shift], maps[2][shift], maps[3][shift]);
}
//-

// For a spike, the invariance is perfect up to the border of the window. For images it is not, for a simple reason: an
// image has parts everywhere, and at each shift some of them cross a border. A part that starts anywhere in a row
// of four places leaves its window with probability $\frac14$ when it moves by one.
//
// Notice also the order. For one pixel the full map changes by 0.44, max pooling by 0.22, and *average* pooling by
// 0.17. A mean divides what enters and leaves by the 16 numbers of the window; a maximum that enters or leaves counts
// in full. The advantage is small and does not last: for a shift of eight pixels average pooling changes by 0.78, max
// pooling by 0.75.
//
// ## In a trained network
//
// Does this help a classifier? We train small networks after LeNet {cite:p}`lecun1998` on 6,000 images of clothes:
//- the layers
enum class Shrink { stride, max, average };
struct LeNet {
    Shrink by;
    nn::Conv2d first, second;
    nn::Linear hidden, last;

    LeNet(Shrink by, Generator& random)
        : by(by),
          first(1, 6, 5, random, {.stride = by == Shrink::stride ? 2 : 1}),
          second(6, 16, 5, random, {.stride = by == Shrink::stride ? 2 : 1}),
          hidden(256, 84, random),
          last(84, 10, random) {}
    void visit(auto&& part) {
        part("first", first), part("second", second);
        part("hidden", hidden), part("last", last);
    }
    Tensor smaller(const Tensor& maps) const;
    Tensor operator()(const Tensor& x) const;
};
//-
Tensor LeNet::smaller(const Tensor& maps) const {
    if (by == Shrink::max) return max_pool2d(maps, 2);
    if (by == Shrink::average) return avg_pool2d(maps, 2);
    return maps;  // the convolution itself has a stride of 2
}
Tensor LeNet::operator()(const Tensor& x) const {
    const Tensor edges = smaller(relu(first(x)));
    const Tensor parts = smaller(relu(second(edges)));
    return last(hidden(flatten(parts), relu));
}

// The three kinds have the same parameters and differ in `smaller` only; the one without pooling has convolutions of
// stride 2. After training we shift 1,000 test images to the right. We measure how far the logits of an image move,
// as the length of the vector of changes, and how far they lie from the mean logits of all images, the *spread*:
Study::Row judge(const LeNet& net, const Tensor& x) {
    const auto length = [](const Tensor& rows) {
        return double(mean(norm(rows, {1})).item());
    };
    const Tensor z = net(x);
    Study::Row found = {length(z - mean(z, {0}))};  // the spread
    for (Index by = 1; by <= 3; ++by)
        found.push_back(length(net(shifted_right(x, by)) - z));
    return found;
}
//- training, the grid of rates, and what is read from the study
Study::Row train(const Study::Row& setting) {
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Examples& all = data::fashion_mnist(Part::train);
    const Examples lessons = data::slice(all, 0, 6000),
                   validation = data::slice(all, 50'000, 52'000);
    const LeNet net(Shrink(int(setting[0])), random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[1]});
    const Index steps = 4 * Batches(lessons, 50).count();
    for (Index step = 0; step < steps;)
        for (const Examples& batch : Batches(lessons, 50, random)) {
            adam.options.lr = optim::cosine(step++, steps, setting[1]);
            adam.zero_grad();
            cross_entropy(net(batch.x), batch.labels).backward();
            adam.step();
        }
    const NoGrad only_asking;
    const Examples test = data::slice(data::fashion_mnist(Part::test), 0, 1000);
    Study::Row row = {nn::accuracy(net(validation.x), validation.labels),
                      nn::accuracy(net(test.x), test.labels)};
    for (const double value : judge(net, test.x)) row.push_back(value);
    return row;
}
const std::vector<double> rates = {0.006, 0.012, 0.024};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double kind : {1.0, 2.0, 0.0})
        for (const double rate : rates)
            for (double seed = 1; seed <= 5; ++seed) all.push_back({kind, rate, seed});
    return all;
}
const Study study({"pooling",
                   {"kind", "rate", "seed"},
                   {"validation", "test", "spread", "by 1", "by 2", "by 3"},
                   {"claim-maxpool-local-invariance/c"},
                   0.03},  // less than half of the effect
                  cells(), train);

// The rows of a kind at the rate with the best validation accuracy.
std::vector<Study::Row> best_of(Shrink kind) {
    std::vector<Study::Row> best;
    double most = 0;
    for (const double rate : rates) {
        std::vector<Study::Row> found;
        double accuracy = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(kind) && row[1] == rate)
                found.push_back(row), accuracy += row[3];
        if (accuracy > most) most = accuracy, best = found;
    }
    return best;
}
std::vector<double> column(const std::vector<Study::Row>& rows, std::size_t i) {
    std::vector<double> found;
    for (const Study::Row& row : rows) found.push_back(row[i]);
    return found;
}

void networks() {
    const std::vector<Study::Row> kinds[] = {
        best_of(Shrink::stride), best_of(Shrink::max), best_of(Shrink::average)};
    std::vector<double> plain, relative, average, by_three;
    for (std::size_t i = 0; i < kinds[0].size(); ++i) {
        const Study::Row &strided = kinds[0][i], &pooled = kinds[1][i],
                         &averaged = kinds[2][i];
        plain.push_back(pooled[6] / strided[6]);
        relative.push_back(plain.back() / (pooled[5] / strided[5]));
        average.push_back(averaged[6] / strided[6]);
        by_three.push_back(pooled[8] / strided[8]);
    }
    const double left = book::median(plain);
    //-

    //- the question
    ask("One pixel is less than a window. How far do the logits of the network with "
        "max "
        "pooling move, compared with the network that has strides alone?",
        {{"Hardly at all: most parts stay inside their windows.", left < 0.3,
          "Three quarters of the parts do stay, but each image has many parts, and "
          "some "
          "always cross a border."},
         {"About half as far, like the feature maps above.", left >= 0.3 && left < 0.65,
          "That held for maps of random filters, not for the logits of a trained "
          "network."},
         {"About four fifths as far.", left >= 0.65 && left < 0.95,
          "Pooling dampens the change a little, and the training does not ask for "
          "more."},
         {"As far, or farther.", left >= 0.95,
          "Nothing in the training asks for robustness against shifts."}});
    //-

    // {numref}`fig-logit-shifts` shows the answer. Every kind was trained at three learning rates with five seeds
    // each, and is shown at the rate with the best validation accuracy.
    //- what is checked, and how the figure is drawn
    const char* names[] = {"strides alone", "max pooling", "average pooling"};
    const figure::Shape shapes[] = {figure::Shape::circle, figure::Shape::square,
                                    figure::Shape::triangle};
    const figure::Color colors[] = {figure::red, figure::blue, figure::ochre};
    Figure figure("fig-logit-shifts");
    figure.describe(
        "Two panels with the change of the logits against a shift by one, two and "
        "three "
        "pixels, as it is and divided by the spread of the logits. Five dots and a "
        "line "
        "through their medians for each kind of network. All lines rise. For one pixel "
        "that of strides alone lies a little higher than those of both poolings; the "
        "dots overlap.");
    for (const bool divided : {false, true}) {
        figure.panel(divided ? "divided by the spread" : "change of the logits");
        for (std::size_t k = 0; k < 3; ++k) {
            std::vector<double> x, y, medians;
            for (std::size_t by = 1; by <= 3; ++by) {
                std::vector<double> values;
                for (const Study::Row& row : kinds[k])
                    values.push_back(row[5 + by] / (divided ? row[5] : 1));
                medians.push_back(book::median(values));
                for (const double v : values) x.push_back(double(by)), y.push_back(v);
            }
            figure
                .line(names[k], {1, 2, 3}, medians,
                      {.color = colors[k], .points = false})
                .dots("", x, y, {.color = colors[k], .shape = shapes[k], .width = 3});
            if (divided)
                say("{}: rate {}, test accuracy {:.3f}, spread {:.1f}; by one pixel "
                    "{:.2f}, divided {:.3f}",
                    names[k], kinds[k][0][1], book::median(column(kinds[k], 4)),
                    book::median(column(kinds[k], 5)),
                    book::median(column(kinds[k], 6)), medians[0]);
        }
        figure.xlim(0.8, 3.2).ylim(0, divided ? 1 : 16).x("shift in pixels");
        figure.y(divided ? "change / spread" : "length of the change");
    }
    figure.save(
        "The mean change of the logits of 1,000 test images when they move to the "
        "right, as it is and divided by the spread of the logits. A mark for each of "
        "five seeds, a line through the medians. For one pixel the medians of both "
        "poolings lie below that of strides alone; at three pixels, without the "
        "division, they lie above it.");
    claim("claim-maxpool-local-invariance/c",
          "the change of the logits by one pixel, max pooling over strides alone",
          over_seeds(plain), "<", 1);
    say("the same, divided by the spread of the logits: {}",
        book::brief(over_seeds(relative)));
    say("average pooling over strides alone: {}", book::brief(over_seeds(average)));
    say("max pooling over strides alone, by three pixels: {}",
        book::brief(over_seeds(by_three)));
}
//-

// Max pooling moves the logits 0.81 times as far in the median. The advantage is small: one of the five seeds moves
// them farther, 1.05 times. The scale of logits is arbitrary, since a network that is surer of its answers has larger
// ones, so we also divide by their spread: then the ratio is 0.78, and below 1 for every seed. Average pooling comes
// out about equal. None of this reaches far. For a shift by three pixels, more than a window of the first pooling
// layer, the networks with max pooling move *more*, by a ratio of 1.07. Two of the trainings, repeated now:
//- two trainings
void repeated() {
    if (book::quick()) return;
    std::vector<double> found(2);
    book::each_apart(
        2, 2,
        [&](Index i) {
            return study.measure({i == 0 ? 1.0 : 0.0, 0.012, 1});
        },
        [&](Index i, const Study::Row& row) { found[std::size_t(i)] = row[3]; });
    say("seed 1: max pooling {:.2f}, strides alone {:.2f}", found[0], found[1]);
}
//-

void page() {
    four_channels();
    backward();
    one_pixel();
    shifts();
    networks();
    repeated();
}

// ## Where pooling came from
//
// The neocognitron {cite:p}`fukushima1980` already alternates cells that detect with cells that tolerate shifts,
// modelled on the visual cortex. LeNet averages windows of $2\times2$ and gives each channel a trained factor and bias.
// The model of the cortex by {cite:t}`riesenhuber1999` takes the maximum: it keeps its part when other things appear in
// the window, and a mean mixes all of them. {cite:t}`zhang2019` showed why a small shift still
// changes the answer of networks with pooling: taking every second maximum samples a signal that changes too quickly
// for so few samples. Averaging a little before the sampling reduces the effect.
//
// ## Summary and what is missing
//
// Pooling replaces each window of each channel by its maximum or its mean; it has no weights and makes the maps
// smaller. A maximum answers *whether* a part is in the window, and its gradient goes to that part alone. Pooling
// makes a network a little less sensitive to a shift by one pixel, but not invariant, because some part always crosses
// the border of a window.
//
// Pooling throws away position on purpose. [The next page](dropout.cpp) throws away whole activations, at random.
//
// ```{try}
// - Larger windows: `--window 8`. How far can the spike move now, and what happens to the maps?
// - No pooling at all: `--window 1`. Why do the lines of the feature maps coincide?
// ```
