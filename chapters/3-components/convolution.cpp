// # Convolution: one small layer, used everywhere
//
// ```{rows} sys-conv1d sys-conv2d claim-conv-equivariance
// ```
//
// In an image, neighbouring pixels belong together. [The last page](locality.cpp) showed that a dense layer cannot use
// this: it treats every order of the pixels alike. How do you build a layer that knows what a neighbour is? Take a tiny
// dense layer that reads a window of a few pixels and returns one number. Apply it to *every* window, with the same
// weights each time. This is a **convolution**, and its outputs form an image again. {numref}`fig-conv-slide` shows one
// at work. Move the slider: the window moves along one row of a photograph.
//- includes and names
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> scanned("row", 17, "row of the image that is scanned",
                                  {.least = 0, .most = 25});
const book::Option<Index> shoe("shoe", 0, "which sneaker of the test set is scanned",
                               {.least = 0, .most = 900});

Names numbered(Index count) {
    Names names;
    for (Index i = 0; i < count; ++i) names.push_back(fmt::format("{}", i));
    return names;
}
double largest(const Tensor& x) { return double(max(abs(x)).item()); }

// A garment of the test set: image number `which` among those of the class.
Tensor garment(Index label, Index which) {
    const data::Examples& test = data::fashion_mnist(data::Part::test);
    const std::vector<Index> labels = test.labels.values();
    for (std::size_t n = 0; n < labels.size(); ++n)
        if (labels[n] == label && which-- == 0)
            return slice(test.x, 0, Index(n), Index(n) + 1);
    return slice(test.x, 0, 0, 1);
}

//-
//- how the figure is drawn
void slide() {
    const Tensor image = garment(7, shoe());
    const Tensor kernel({1, 1, 3, 3}, {-1, 0, 1, -1, 0, 1, -1, 0, 1});
    const Tensor output = conv2d(image, kernel);
    std::vector<double> stops;
    for (Index column = 0; column < 26; ++column) stops.push_back(double(column));
    Figure all("fig-conv-slide");
    all.describe(
           "Three panels. On the left the image of a sneaker with a red frame around "
           "three by three pixels. In the middle nine numbers: the framed pixels "
           "times the nine weights of the kernel. On the right the output, 26 by 26, "
           "with a red frame around one pixel. It is orange where the image gets "
           "brighter from left to right, blue where it gets darker, pale elsewhere. A "
           "slider moves the window along a row.")
        .columns(3)
        .height(166)
        .slider("place", stops, "column of the window", 6)
        .panel("image, 28 × 28")
        .heatmap("", numbered(28), numbered(28), image.values(), 0, 1);
    const auto at = [](Index from, Index side) {  // the window's columns, or rows
        Names names;
        for (Index i = 0; i < side * side; ++i)
            names.push_back(fmt::format("{}", from + i % side));
        return names;
    };
    const auto down = [](Index from, Index side) {
        Names names;
        for (Index i = 0; i < side * side; ++i)
            names.push_back(fmt::format("{}", from + i / side));
        return names;
    };
    for (Index column = 0; column < 26; ++column)
        all.at(double(column)).frame(at(column, 3), down(scanned(), 3));
    all.always().bare().panel("window × kernel");
    for (Index column = 0; column < 26; ++column) {
        const Tensor window =
            slice(slice(image, 2, scanned(), scanned() + 3), 3, column, column + 3);
        all.at(double(column))
            .heatmap("", numbered(3), numbered(3), (window * kernel).values(), -1, 1);
    }
    all.always()
        .bare()
        .panel("output, 26 × 26")
        .heatmap("", numbered(26), numbered(26), output.values(), -3, 3);
    for (Index column = 0; column < 26; ++column)
        all.at(double(column)).frame(at(column, 1), down(scanned(), 1));
    all.always().bare().save(
        "A convolution at work. *image*: nine pixels in a window. *window × kernel*: "
        "each pixel times the weight of the kernel at its place, here $-1$, $0$ and "
        "$1$ in the three columns. *output*: the sum of the nine products is the "
        "framed pixel.");
}
//-

// ## A window and a kernel
//
// Start with one row of numbers, a signal. Take $x = (1, 2, 0, 3, 1)$ and a **kernel** of three weights,
// $w = (1, 0, -1)$. The first window is $(1, 2, 0)$. Multiply each number by the weight at its place and add:
// $1 \cdot 1 + 2 \cdot 0 + 0 \cdot (-1) = 1$. The next windows are $(2, 0, 3)$ and $(0, 3, 1)$, and both give $-1$.
// The output is $(1, -1, -1)$: five numbers have three windows of width three.
//
// In general a signal has $T$ places with $D$ numbers each, its **channels**: two for stereo sound, three for a row of
// colour pixels. The layer has $D'$ kernels, also called **filters**, of $D \times K$ weights, and a bias for each.
// Every filter gives one channel of the output:
//
// $$ y_{j,t} = b_j + \sum_{i=1}^{D} \sum_{k=0}^{K-1} w_{j,i,k} \, x_{i,\,t+k} , \qquad t = 0, \dots, T - K . $$
//
// So a $D \times T$ signal becomes a $D' \times (T - K + 1)$ signal {cite:p}`fleuret2023`. Read from the inside: one
// affine map takes a $D \times K$ window to $D'$ numbers, and slides. Mathematicians flip the kernel first and call
// the formula above *cross-correlation*. The weights are learned, so the flip makes no difference. Here is the formula
// for $D = D' = 1$, without the bias:
std::vector<double> convolve(const std::vector<double>& x,
                             const std::vector<double>& w) {
    std::vector<double> y(x.size() - w.size() + 1);
    for (std::size_t t = 0; t < y.size(); ++t)
        for (std::size_t k = 0; k < w.size(); ++k) y[t] += w[k] * x[t + k];
    return y;
}

void in_words() {
    //- the example is printed and compared with the library
    const std::vector<double> x = {1, 2, 0, 3, 1}, w = {1, 0, -1}, y = convolve(x, w);
    say("loops:   ({}, {}, {})", y[0], y[1], y[2]);
    const std::vector<Real> same =
        conv1d(Tensor({1, 1, 5}, {1, 2, 0, 3, 1}), Tensor({1, 1, 3}, {1, 0, -1}))
            .values();
    say("library: ({}, {}, {})", same[0], same[1], same[2]);
    //-

    // {cpp:func}`~recto::conv1d` does the same for whole batches. The library gets its speed from matrix products:
    // write every window as a row, and the convolution is one {cpp:func}`~recto::linear` layer that reads all rows.
    // This **unfolding**, or *im2col*, turned convolutions into the operation that processors do best
    // {cite:p}`chellapilla2006`:
    Generator random(book::seed());
    const Tensor signal = random.normal({1, 3, 12}), filters = random.normal({4, 3, 5});
    std::vector<Tensor> windows;
    for (Index t = 0; t + 5 <= 12; ++t)
        windows.push_back(reshape(slice(signal, 2, t, t + 5), {15}));
    const Tensor unfolded = linear(stack(windows, 0), reshape(filters, {4, 15}));
    //- what is checked
    const Tensor from_library = conv1d(signal, filters);
    Tensor direct = zeros({1, 4, 8});  // by the loops above, channel by channel
    for (Index j = 0; j < 4; ++j)
        for (Index i = 0; i < 3; ++i) {
            std::vector<double> channel, taps;
            for (Index t = 0; t < 12; ++t) channel.push_back(signal.at({0, i, t}));
            for (Index k = 0; k < 5; ++k) taps.push_back(filters.at({j, i, k}));
            const std::vector<double> sums = convolve(channel, taps);
            for (Index t = 0; t < 8; ++t)
                direct.set({0, j, t},
                           direct.at({0, j, t}) + Real(sums[std::size_t(t)]));
        }
    say("{} windows of 3 × 5 numbers become {} outputs of {} channels", windows.size(),
        unfolded.size(0), unfolded.size(1));
    claim(
        "sys-conv1d/a",
        "the largest difference between the loops and unfolding, or conv1d, as a share "
        "of the largest output",
        std::max(largest(reshape(transpose(unfolded), {1, 4, 8}) - direct),
                 largest(from_library - direct)) /
            largest(direct),
        "<=", 1e-5);
    //-
}

// ## A dense layer that shares its weights
//
// A convolution is affine, so it is also a dense layer, with a special weight matrix. Row $t$ of this matrix holds the
// kernel from column $t$ on, and zeros elsewhere:
void band() {
    const Tensor w({1, 1, 4}, {-1, 2, 1, -2});
    Tensor banded = zeros({9, 12});
    for (Index t = 0; t < 9; ++t)
        for (Index k = 0; k < 4; ++k) banded.set({t, t + k}, w.at({0, 0, k}));
    //- the matrix is compared with the library, and drawn
    const Tensor x = Generator(book::seed()).normal({1, 1, 12});
    const Tensor y = conv1d(x, w);
    claim("sys-conv1d/b",
          "the largest difference between the banded matrix times x and conv1d, as a "
          "share of the largest output",
          largest(linear(reshape(x, {12}), banded) - reshape(y, {9})) / largest(y),
          "<=", 1e-5);
    Figure("fig-conv-band")
        .describe(
            "A matrix of 9 rows and 12 columns. The same four numbers, -1, 2, 1 and "
            "-2, stand in every row, one column further to the right than in the "
            "row above. All other cells are zero.")
        .height(300)
        .heatmap("weight", numbered(12), numbered(9), banded.values(), -2, 2)
        .x("place in the input")
        .y("place in the output")
        .save(
            "The weight matrix of the dense layer that equals a convolution of 12 "
            "numbers with a kernel of 4. Two things are special: zeros beyond the "
            "window (locality), and the same four weights in every row (sharing).");
    //-
}

// {numref}`fig-conv-band` shows what a convolution assumes about its input. The zeros say that only neighbours matter.
// The repetition says that what is useful at one place is useful at all. A dense layer would have to learn both.
//
// ## Images
//
// For images the window has rows and columns. An input has $D$ channels of $H \times W$ pixels, a filter has
// $D \times K \times K$ weights, and the output has $D'$ channels of $(H - K + 1) \times (W - K + 1)$ pixels. Such a
// layer has $D' (D K^2 + 1)$ parameters, and neither $H$ nor $W$ appears in this number.
// {cpp:class}`~recto::nn::Conv2d` holds them. We give both kinds of layers the same task, to turn
// $1 \times 28 \times 28$ pixels into $16 \times 26 \times 26$ numbers:
void costs() {
    Generator random(book::seed());
    const nn::Conv2d conv(1, 16, 3, random);
    const nn::Linear dense(28 * 28, 16 * 26 * 26, random);
    //- parameters and multiplications of both
    const Tensor image = garment(7, shoe());
    const FlopCount one;
    conv(image);
    const double by_conv = double(one.multiply_adds());
    const FlopCount other;
    dense(flatten(image));
    const double by_dense = double(other.multiply_adds());
    const double fewer = double(dense.weight.numel()) / double(conv.weight.numel());
    claim("sys-conv2d/b", "parameters of the convolution", nn::count(conv), "==", 160);
    say("parameters: convolution {}, dense layer {}", nn::count(conv),
        nn::count(dense));
    say("weights without biases: the convolution has {:.0f} times fewer", fewer);
    ask("The convolution has 58,887 times fewer weights than the dense layer. How many "
        "times fewer multiplications does it make for one image?",
        {{"58,887 times fewer: each weight is multiplied once.",
          by_dense / by_conv > 50'000,
          "This holds for the dense layer. The convolution uses each of its weights "
          "at all 676 places."},
         {"Also fewer, but only 87 times.",
          by_dense / by_conv > 80 && by_dense / by_conv < 90,
          "Only the zeros are saved: each output reads 9 pixels instead of 784. "
          "Sharing a weight saves memory, but not a single multiplication."},
         {"Equally many: it computes equally many outputs.", by_dense == by_conv,
          "The number of outputs is the same, but each output of the convolution "
          "reads 9 pixels, and each of the dense layer 784."}});
    say("multiplications: convolution {:.0f}, dense layer {:.0f}, ratio {:.0f}",
        by_conv, by_dense, by_dense / by_conv);
    //-
}

// Locality saves multiplications, and sharing saves parameters. So a convolutional network can be small on disk and
// still take long to run.
//
// ## Shift the input, and the output shifts
//
// Sharing has a second effect, on what the layer can mean. Let $x'$ be the signal $x$ moved by $s$ places,
// $x'_t = x_{t-s}$. Then
//
// $$ y'_t = b + \sum_k w_k \, x'_{t+k} = b + \sum_k w_k \, x_{t-s+k} = y_{t-s} , $$
//
// so the output moves by the same $s$ places. A layer with this property is **equivariant** to shifts. A filter that
// finds a button finds it anywhere, although training showed it the button at few places. The proof assumes that every
// window lies inside the signal and that every place has a window. Real layers break both assumptions, so we measure.
//
// The same garment is photographed twice, and the camera moves sideways by $s$ pixels, so new pixels enter at one
// side. A layer reads both images. We move the first output by `moved` pixels and subtract it from the second:
using Layer = std::function<Tensor(const Tensor&)>;
Tensor difference(const Layer& layer, Index shift, Index moved) {
    const Tensor coat = slice(garment(4, 0), 2, 6, 22);
    const Tensor before = layer(slice(coat, 3, 8, 24)),
                 after = layer(slice(coat, 3, 8 - shift, 24 - shift));
    const Index width = before.size(3);
    return (slice(after, 3, moved, width) - slice(before, 3, 0, width - moved)) /
           largest(before);
}

// For example, with $s = 1$ column 1 of the second output is compared with column 0 of the first. We compare four
// layers with random weights: a convolution; one with **zero padding**, a frame of zeros around the image that keeps
// the output at 16 × 16; one with a **stride** of 2, which skips every other window; and a dense layer.
//- the four layers, and the difference that remains
void equivariance() {
    Generator random(book::seed());
    const nn::Conv2d plain(1, 1, 3, random);
    nn::Conv2d padded = plain, strided = plain;
    padded.options.padding = 1, strided.options.stride = 2;
    const nn::Linear dense(256, 256, random);
    const Layer fully = [&](const Tensor& x) {
        return reshape(dense(flatten(x)), {1, 1, 16, 16});
    };
    // A stride of 2 lets the output move by whole pixels only: the better of two.
    const auto with_stride = [&](Index shift) {
        const Tensor less = difference(strided, shift, shift / 2),
                     more = difference(strided, shift, (shift + 1) / 2);
        return largest(less) <= largest(more) ? less : more;
    };
    double inside = 0, border = 0, odd = HUGE_VAL, even = 0, connected = HUGE_VAL;
    for (Index s = 1; s <= 4; ++s) {
        inside = std::max(inside, largest(difference(plain, s, s)));
        const Tensor framed = difference(padded, s, s);
        border = std::max(border, largest(framed));
        inside = std::max(inside, largest(slice(slice(framed, 2, 1, framed.size(2) - 1),
                                                3, 1, framed.size(3) - 1)));
        if (s % 2 == 0)
            even = std::max(even, largest(with_stride(s)));
        else
            odd = std::min(odd, largest(with_stride(s)));
        connected = std::min(connected, largest(difference(fully, s, s)));
    }
    claim("claim-conv-equivariance/b",
          "the largest difference in the interior, as a share of the largest output",
          inside, "<=", 1e-6);
    claim("claim-conv-equivariance/c",
          "zero padding: the largest difference at the borders", border, ">", 0);
    claim("claim-conv-equivariance/d",
          "stride 2, shifts by 1 and 3 pixels: the largest difference, at least", odd,
          ">", 0);
    claim("claim-conv-equivariance/e",
          "the dense layer: the largest difference, at least", connected, ">", 0);
    say("stride 2, shifts by 2 and 4 pixels: {:.1g}", even);
    //-

    // In the interior the rule holds. It fails at the borders, where a window reads padding in one image and pixels in
    // the other. With a stride of 2, a shift by an odd number of pixels would have to move the output by half a pixel,
    // so the second output consists of windows that the first skipped. {numref}`fig-conv-equivariance` shows where
    // each layer fails.
    //- how the figure is drawn
    Figure maps("fig-conv-equivariance");
    maps.describe(
            "Four maps of the difference between the layer of a shifted image and the "
            "shifted output of the layer. The convolution without padding: zero "
            "everywhere. With zero padding: two columns at the borders differ. With a "
            "stride of two: zero for even shifts, large in the whole map for odd "
            "ones. The dense layer: large everywhere. A slider sets the shift from "
            "zero to four pixels.")
        .columns(2)
        .height(220)
        .slider("shift", {0, 1, 2, 3, 4}, "shift in pixels", 1);
    const auto draw = [&](const char* title, Index side, auto found) {
        maps.panel(title);
        for (Index s = 0; s <= 4; ++s) {
            const Tensor map = found(s);
            const Index gone = side - map.size(3);
            std::vector<double> cells;
            for (Index i = 0; i < side * side; ++i)
                cells.push_back(i % side < gone ? NAN
                                                : double(map.at({0, 0, i / side,
                                                                 i % side - gone})));
            maps.at(double(s)).heatmap("", numbered(side), numbered(side), cells, -1,
                                       1);
        }
        maps.always().x("column").y("row");
    };
    draw("convolution", 14, [&](Index s) { return difference(plain, s, s); });
    draw("zero padding", 16, [&](Index s) { return difference(padded, s, s); });
    draw("stride 2", 7, with_stride);
    draw("dense layer", 16, [&](Index s) { return difference(fully, s, s); });
    maps.save(
        "The output for the shifted image minus the shifted output, as a share of the "
        "largest output; a pale cell is zero, and columns without a partner are "
        "empty. Move the slider: the stride fails for odd shifts only. Only the "
        "convolution without padding and stride is equivariant everywhere.");
    book::shows("claim-conv-equivariance/a", "fig-conv-equivariance");
}
//-

void page() {
    slide();
    in_words();
    band();
    costs();
    equivariance();
}

// ## Limits and origins
//
// Equivariance holds for shifts only. If the shoe is turned or becomes larger, nothing is guaranteed; the filters must
// learn each angle and each size. Sharing can also be wrong: in passport photographs the eyes are always at the
// same height, and a layer that may not know the place wastes this knowledge.
//
// The idea came from the visual cortex, where {cite:t}`hubel1962` found cells that each respond to an edge in a small
// part of the field of view. {cite:t}`fukushima1980` built the *neocognitron* from such cells, with shared weights.
// {cite:t}`waibel1989` trained shared weights along time by backpropagation, for speech, and {cite:t}`lecun1989` along
// rows and columns, for handwritten digits.
//
// ## Summary
//
// A convolution applies one small affine map to every window of a signal or an image. It equals a dense layer whose
// matrix is zero outside a band and repeats the same weights in every row: locality saves multiplications, sharing
// saves parameters. If the input shifts, the output shifts, except at padded borders and for shifts that are no
// multiple of the stride.
//
// ## What is missing
//
// Each layer here trimmed the image: 28 pixels became 26. Ten layers would trim 20. And an output for *every* window
// is often more than you need. [The next page](convolution_options.cpp) gives the kernel three settings: padding,
// stride and dilation.
//
// ```{exercises}
// - [A convolution of images](/exercises/components/convolution.md)
// - [The gradients of a convolution](/exercises/components/convolution_backward.md)
// - [A convolution by tiles with a halo](/exercises/cuda/tiled_convolution.md)
// ```
//
// ```{try}
// - Scan the sole: `--row 21`. Which columns answer?
// - Another sneaker: `--shoe 5`.
// ```
