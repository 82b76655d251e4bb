// # Padding, stride and dilation: where a kernel reads
//
// ```{rows} sys-padding sys-stride sys-dilation fig-4.3 eq-conv-output-size
// ```
//
// A [convolution](convolution.cpp) reads every window of its input, and each window is a block of neighbours. So the
// output is always a little smaller than the input, and never much smaller. Both can be a nuisance, and three settings
// change it. **Padding** puts zeros around the input. The **stride** is the step from one window to the next.
// **Dilation** leaves gaps between the numbers of a window. None of them adds a weight. How large is the output, and
// which inputs does each output read? {numref}`fig-4.3` shows the three settings, alone and together. Move the sliders.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> the_kernel("kernel", 3,
                                     "numbers of the kernel in the first figure",
                                     {.least = 2, .most = 4});
const book::Option<Index> the_padding("padding", 1, "zeros at either end of its signal",
                                      {.least = 0, .most = 3});
const book::Option<Index> the_stride("stride", 2,
                                     "step from one of its windows to the next",
                                     {.least = 1, .most = 4});
const book::Option<Index> the_dilation("dilation", 2,
                                       "step from one place of its windows to the next",
                                       {.least = 1, .most = 3});

const book::Option<Index> size("size", 28, "rows and columns of the image that shrinks",
                               {.least = 8, .most = 512});

// Numbers of an image or a kernel that are whole: their sums are exact in any order.
Tensor whole(Generator& random, const Shape& shape) {
    std::vector<Real> numbers;
    for (Index i = 0; i < shape.numel(); ++i)
        numbers.push_back(Real(random.next_integer(-9, 10)));
    return Tensor(shape, numbers);
}
bool same(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && a.values() == b.values();
}

// Lines from places in one row to places in the next, with gaps between them.
struct Strokes {
    std::vector<double> x, y;
    void add(double from, double below, double to, double above) {
        for (const double v : {from, to, double(NAN)}) x.push_back(v);
        for (const double v : {below, above, double(NAN)}) y.push_back(v);
    }
};
//-

//- the figure is kept here, and drawn further down
void keep_settings(const Figure& all) {
    all.save(
        "Twelve inputs (below), the outputs of a convolution (above), and what "
        "each output reads; one output in red, crosses are zeros of the padding. "
        "Padding adds outputs, a stride skips outputs, dilation spreads the inputs of "
        "each output. After Figure 4.3 of {cite:t}`fleuret2023`, from its "
        "description.");
}
//-

// ## Tracing what is read
//
// The program that draws the figure does not know the formula of the settings; it asks the tape. An output depends on
// an input if its [derivative](../training/chain_rule.cpp) with respect to this input is not zero. With a kernel of
// ones no product can cancel. The signal has 12 numbers, and the padding is written out, so that its zeros are traced
// too:
struct Setting {
    Index kernel = 3, padding = 0, stride = 1, dilation = 1;
};
using Reads = std::vector<std::vector<Index>>;  // for each output, the places it reads
Reads traced(const Setting& s) {
    Reads found;
    for (Index t = 0;; ++t) {
        const Tensor x = zeros({1, 1, 12 + 2 * s.padding}).requires_grad_();
        const Tensor y = conv1d(x, ones({1, 1, s.kernel}), {},
                                {.stride = s.stride, .dilation = s.dilation});
        if (t == y.size(2)) return found;
        sum(select(y, 2, t)).backward();
        found.emplace_back();
        for (Index n = 0; n < x.size(2); ++n)
            if (x.grad().at({0, 0, n}) != 0) found.back().push_back(n - s.padding);
    }
}

// A second method uses no derivative: change the inputs one by one, and see which outputs change. Both must find the
// same places.
//- the second method, and the comparison for 64 settings
Reads perturbed(const Setting& s) {
    const ConvOptions options{
        .stride = s.stride, .padding = s.padding, .dilation = s.dilation};
    const Tensor w = ones({1, 1, s.kernel});
    const Tensor before = conv1d(zeros({1, 1, 12}), w, {}, options);
    Reads found(std::size_t(before.size(2)));
    for (Index n = 0; n < 12; ++n) {
        Tensor x = zeros({1, 1, 12});
        x.set({0, 0, n}, 1);
        const Tensor after = conv1d(x, w, {}, options);
        for (Index t = 0; t < before.size(2); ++t)
            if (after.at({0, 0, t}) != before.at({0, 0, t}))
                found[std::size_t(t)].push_back(n);
    }
    return found;
}

void tracing() {
    std::vector<double> inputs, level(12);
    Names labels;
    for (Index n = 0; n < 12; ++n)
        inputs.push_back(double(n)), labels.push_back(fmt::format("{}", n));
    const figure::Style thin{
        .color = figure::grey, .dash = figure::solid, .width = 1, .points = false},
        thick{
            .color = figure::red, .dash = figure::solid, .width = 2.5, .points = false},
        zero{.color = figure::grey, .shape = figure::Shape::cross},
        dot{.color = figure::blue, .shape = figure::Shape::circle},
        out{.color = figure::ink, .shape = figure::Shape::circle};
    Figure all("fig-4.3");
    all.describe(
           "Four diagrams. In each a row of twelve inputs below, a row of outputs "
           "above, and lines from each output to the inputs it reads. With padding "
           "the outer outputs also read crosses, zeros beside the inputs. With a "
           "stride there are fewer outputs. With dilation the lines of each output "
           "spread. The fourth has all three. Sliders set the kernel, the padding, the "
           "stride and the dilation.")
        .slider(the_kernel, "kernel")
        .slider(the_padding, "padding")
        .slider(the_stride, "stride")
        .slider(the_dilation, "dilation");
    const auto draw = [&](const std::string& title, const Setting& s) {
        all.panel(title).tall(125).bare().xlim(-4, 15).ylim(-0.45, 1.3);
        const Reads reads = traced(s);
        // Something of each layer is always drawn, if only at no place.
        Strokes others{{NAN}, {NAN}}, one;
        std::vector<double> outputs_at, zeros_at = {NAN};
        const std::size_t marked = std::min<std::size_t>(1, reads.size() - 1);
        for (std::size_t t = 0; t < reads.size(); ++t) {
            const double middle = double(reads[t].front() + reads[t].back()) / 2;
            outputs_at.push_back(middle);
            for (const Index n : reads[t])
                (t == marked ? one : others).add(double(n), 0, middle, 1);
        }
        for (Index n = 1; n <= s.padding; ++n)
            zeros_at.push_back(double(-n)), zeros_at.push_back(double(11 + n));
        all.line("", others.x, others.y, thin)
            .line("", one.x, one.y, thick)
            .dots("", inputs, level, dot)
            .words("", inputs, std::vector<double>(12, -0.3), labels,
                   {.color = figure::ink, .width = 11})
            .dots("", zeros_at, std::vector<double>(zeros_at.size()), zero)
            .dots("", outputs_at, std::vector<double>(outputs_at.size(), 1), out);
    };
    const Index K = the_kernel();
    draw("padding alone", {.kernel = K, .padding = the_padding()});
    draw("stride alone", {.kernel = K, .stride = the_stride()});
    draw("dilation alone", {.kernel = K, .dilation = the_dilation()});
    draw("all three", {K, the_padding(), the_stride(), the_dilation()});
    keep_settings(all);
    book::shows("fig-4.3/a", "fig-4.3");

    int settings = 0, different = 0;
    for (Index padding = 0; padding < 4; ++padding)
        for (Index stride = 1; stride <= 4; ++stride)
            for (Index dilation = 1; dilation <= 4; ++dilation) {
                const Setting s{3, padding, stride, dilation};
                Reads drawn = traced(s);
                for (std::vector<Index>& places : drawn)
                    std::erase_if(places, [](Index n) { return n < 0 || n >= 12; });
                ++settings, different += drawn != perturbed(s);
            }
    say("{} combinations of padding, stride and dilation", settings);
    claim("fig-4.3/b", "combinations for which the two methods find other inputs",
          different, "==", 0);
}
//-

// ## How large the output is
//
// Count the windows. Twelve numbers and a kernel of $K = 3$: with stride $S = 2$ the windows begin at places 0, 2, 4,
// 6 and 8. The next would begin at 10 and end at 12, which does not exist. So there are 5 windows, and the last number
// of the signal is never read. Padding lengthens the signal, from $T$ to $T + 2P$ numbers. With dilation $\Delta$ a
// window spans $\Delta (K - 1) + 1$ places. The first window fits; each further window needs $S$ more places:
//
// ```{equation} eq-conv-output-size
// :function: recto::conv1d
// :test: equations: convolutions of series
// T' = \left\lfloor \frac{T + 2P - \Delta\,(K - 1) - 1}{S} \right\rfloor + 1
// ```
Index outputs(Index T, Index K, Index P, Index S, Index dilation) {
    return (T + 2 * P - dilation * (K - 1) - 1) / S + 1;
}

// Integer division rounds down, as the brackets demand. {cite:t}`fleuret2023` prints the case without padding and
// dilation as $(T - K)/S + 1$, without rounding. For the example this gives $5.5$ windows: the formula without
// brackets is right only if $S$ divides $T - K$. {cite:t}`dumoulin2016` draw many cases. We compare the formula with
// the output of the library, and with a count that moves the window until its last place is outside:
Index windows(Index T, Index K, Index P, Index S, Index dilation) {
    Index count = 0;
    for (Index first = -P; first + dilation * (K - 1) < T + P; first += S) ++count;
    return count;
}
//- the comparison
void sizes() {
    Index checked = 0, wrong = 0;
    // All sizes up to 40, kernels up to 7, strides up to 4, paddings and dilations up to 3.
    for (Index T = 1; T <= 40; ++T)
        for (Index K = 1; K <= 7; ++K)
            for (Index S = 1; S <= 4; ++S)
                for (Index P = 0; P <= 3; ++P)
                    for (Index dilation = 1; dilation <= 3; ++dilation) {
                        if (dilation * (K - 1) + 1 > T + 2 * P) continue;
                        const Tensor y =
                            conv1d(zeros({1, 1, T}), zeros({1, 1, K}), {},
                                   {.stride = S, .padding = P, .dilation = dilation});
                        const Index count = windows(T, K, P, S, dilation);
                        ++checked, wrong += outputs(T, K, P, S, dilation) != count ||
                                            y.size(2) != count;
                    }
    say("12 numbers, kernel 3, stride 2: {} outputs", outputs(12, 3, 0, 2, 1));
    say("{} settings were checked", checked);
    claim("eq-conv-output-size/a",
          "settings for which the formula, the count and the library disagree", wrong,
          "==", 0);
}
//-

// ## What the settings mean
//
// Each setting has a definition that uses an ordinary convolution. **Padding** is an ordinary convolution of a larger
// image, framed with zeros. An odd kernel with $P = (K - 1) / 2$ and stride 1 keeps the size, so layers can be stacked
// without end:
void definitions() {
    Generator random(book::seed());
    const Tensor x = whole(random, {2, 3, 12, 12}), w = whole(random, {4, 3, 3, 3});
    const Tensor framed = pad(x, {{1, 1}, {1, 1}});
    const bool padded = same(conv2d(x, w, {}, {.padding = 1}), conv2d(framed, w));
    //- the same for pooling
    const Real lowest = -std::numeric_limits<Real>::infinity();
    const Tensor bright = square(x);
    const auto largest = [](const Tensor& of, Index padding) {
        return max_pool2d(of, 2, {.stride = 1, .padding = padding});
    };
    const bool pooled =
        same(avg_pool2d(x, 2, {.stride = 1, .padding = 1}),
             avg_pool2d(framed, 2, {.stride = 1})) &&
        same(largest(x, 1), largest(pad(x, {{1, 1}, {1, 1}}, lowest), 0)) &&
        same(largest(bright, 1), largest(pad(bright, {{1, 1}, {1, 1}}), 0));
    claim_true("sys-padding/a",
               "padding by the layer is padding with explicit zeros, for max pooling "
               "with minus infinity",
               padded && pooled);
    const Tensor dark = full({1, 1, 4, 4}, -1);
    say("dark image: the largest number of the corner window is {}, with zeros {}",
        largest(dark, 1).at({0, 0, 0, 0}),
        largest(pad(dark, {{1, 1}, {1, 1}}), 0).at({0, 0, 0, 0}));
    //-

    // The same holds for pooling layers, which come [later](pooling.cpp), with one exception. Max pooling looks for the
    // largest number of a window, and a zero is larger than any negative number. So its padding is $-\infty$, which
    // never wins.
    //
    // A **stride** of 2 computes every other output and skips the rest. The skipped outputs are not computed, so on an
    // image a layer of stride 2 makes a quarter of the multiplications:
    const Tensor every = conv2d(x, w);
    const bool skips = same(conv2d(x, w, {}, {.stride = 2}),
                            contiguous(slice(slice(every, 2, 0, 10, 2), 3, 0, 10, 2)));
    //- what is checked
    claim_true("sys-stride/a", "stride 2 gives every second output of stride 1", skips);
    //-

    // **Dilation** is a larger kernel with zeros between its weights. A kernel of 3 with dilation 2 spans 5 places,
    // with 3 weights:
    const Tensor wide = zeros({4, 3, 5, 5});
    slice(slice(wide, 2, 0, 5, 2), 3, 0, 5, 2).copy_(w);
    const Tensor dilated = conv2d(x, w, {}, {.dilation = 2});
    //- what is checked
    claim("sys-dilation/a",
          "the largest difference between dilation and a kernel with zeros inserted",
          double(max(abs(dilated - conv2d(x, wide))).item()), "<=", 1e-6);
}
//-

// ## Stacks
//
// A single layer changes the size a little. A stack repeats the change. {numref}`fig-conv-shrink` sends an image
// through eight layers. Without padding, each layer removes $K - 1$ pixels, always the same number. With a stride of 2
// each layer *halves* the size, so the size shrinks geometrically: 28, 14, 7, 4, 2, 1. This is how a network gets from
// an image to a single answer in a few layers.
//- how the figure is drawn
void shrinking() {
    Figure all("fig-conv-shrink");
    all.describe(
           "The side of an image against the number of layers, on a logarithmic axis. "
           "With padding the line is level. Without padding it falls slowly at first; "
           "for wide kernels it ends where the kernel no longer fits. With a stride of "
           "two it falls along a nearly straight line to one pixel. A slider sets the "
           "kernel's width.")
        .slider("kernel", {3, 5, 7}, "width of the kernel", 3);
    for (const Index K : {3, 5, 7}) {
        const auto stack = [&](const std::string& label, ConvOptions options) {
            std::vector<double> layers, sides;
            Tensor x = zeros({1, 1, size(), size()});
            for (int layer = 0; layer <= 8; ++layer) {
                layers.push_back(layer), sides.push_back(double(x.size(2)));
                if (x.size(2) + 2 * options.padding.height < K) break;
                x = conv2d(x, zeros({1, 1, K, K}), {}, options);
            }
            all.line(label, layers, sides, {.points = true});
        };
        all.at(double(K));
        stack("padding", {.padding = (K - 1) / 2});
        stack("no padding", {});
        stack("padding, stride 2", {.stride = 2, .padding = (K - 1) / 2});
    }
    all.always()
        .log_y()
        .x("layers")
        .y("side of the image in pixels")
        .save(
            "The side of an image after 0 to 8 convolutions. Padding keeps it, no "
            "padding "
            "subtracts a constant until the kernel no longer fits, and a stride of 2 "
            "halves it and rounds up, which is nearly a straight line on this axis.");
}
//-

// Dilation is meant for stacks, too. It lets few layers reach far without losing resolution, as in the *algorithme à
// trous* for wavelets {cite:p}`holschneider1990`, in segmentation {cite:p}`yu2016` and in WaveNet {cite:p}`oord2016`.
// But which dilation should each layer have? Before you read on:
void stacks() {
    //- which inputs the top of a stack reads, found from the gradient
    const auto seen = [](const std::vector<Index>& dilations) {
        const Tensor x = zeros({1, 1, 41}).requires_grad_();
        Tensor y = x;
        for (const Index dilation : dilations)
            y = conv1d(y, ones({1, 1, 3}), {},
                       {.padding = dilation, .dilation = dilation});
        sum(select(y, 2, 20)).backward();
        std::vector<Index> places;
        for (Index n = 0; n < 41; ++n)
            if (x.grad().at({0, 0, n}) != 0) places.push_back(n - 20);
        return places;
    };
    const std::vector<Index> twos = seen({2, 2, 2, 2}), doubling = seen({1, 2, 4, 8});
    const Index span = twos.back() - twos.front() + 1, count = Index(twos.size());
    ask("Four layers have kernels of 3, all with dilation 2. The outermost inputs that "
        "one number at the top depends on are the first and the last of 17 "
        "neighbours. On how many of the 17 does it depend?",
        {{"On all 17: 81 paths lead down, more than enough.", span == 17 && count == 17,
          "There are 81 paths, but each is a sum of four steps of −2, 0 or 2, and "
          "such a sum is never odd."},
         {"On 9.", span == 17 && count == 9,
          "Every step is even, so every other input is missing. Neighbours at the top "
          "share no input at all."},
         {"On 3: each kernel reads 3.", span == 17 && count == 3,
          "This is true for one layer. Each of the three reads three more."}});
    say("dilations 2, 2, 2, 2: {} of {} inputs", count, span);
    say("dilations 1, 2, 4, 8: {} of {} inputs", doubling.size(),
        doubling.back() - doubling.front() + 1);
    //-

    // Equal dilations split the signal into an even and an odd half that never meet, an effect called *gridding*
    // {cite:p}`wang2018`. If the dilation doubles from layer to layer, nothing is missing, and four layers cover 31
    // inputs. {numref}`fig-conv-dilations` shows the paths.
    //- how the figure is drawn
    Figure all("fig-conv-dilations");
    all.describe(
           "Three diagrams of four layers. From one dot at the top, lines lead down "
           "to three dots in each layer. With dilation one they reach nine "
           "neighbours. With dilation two they reach nine places out of seventeen, "
           "every other. With dilations of one, two, four and eight they reach 31 "
           "neighbours.")
        .columns(1);
    const auto draw = [&](const char* title, const std::vector<Index>& dilations) {
        all.panel(title).tall(130).bare().xlim(-16, 16).ylim(-0.4, 4.3);
        std::vector<Index> now = {0};
        Strokes paths;
        for (std::size_t layer = 4; layer-- > 0;) {
            std::vector<Index> below;
            for (const Index n : now)
                for (const Index step : {-1, 0, 1}) {
                    below.push_back(n + step * dilations[layer]);
                    paths.add(double(below.back()), double(layer), double(n),
                              double(layer + 1));
                }
            std::ranges::sort(below);
            const auto twice = std::ranges::unique(below);
            below.erase(twice.begin(), twice.end());
            now = below;
        }
        std::vector<double> places, reached;
        for (Index n = -15; n <= 15; ++n) places.push_back(double(n));
        for (const Index n : seen(dilations)) reached.push_back(double(n));
        all.line("", paths.x, paths.y,
                 {.color = figure::grey,
                  .dash = figure::solid,
                  .width = 1,
                  .points = false})
            .dots("not read", places, std::vector<double>(places.size()),
                  {.color = figure::grey, .shape = figure::Shape::cross})
            .dots("read", reached, std::vector<double>(reached.size()),
                  {.color = figure::blue, .shape = figure::Shape::circle});
    };
    draw("dilations 1, 1, 1, 1", {1, 1, 1, 1});
    draw("dilations 2, 2, 2, 2", {2, 2, 2, 2});
    draw("dilations 1, 2, 4, 8", {1, 2, 4, 8});
    all.save(
        "The inputs (bottom row) on which one number at the top of four layers "
        "depends. Blue dots are read, found from the gradient; grey crosses are not. "
        "Doubling dilations reach 31 neighbours with the same 12 weights.");

    //-
}

// ## What padding invents
//
// Zeros are data that were never measured. A white image, all ones, passes through a layer that takes the mean of nine
// pixels, with padding 1:
//- what is printed
void border() {
    const Tensor white =
        conv2d(ones({1, 1, 6, 6}), full({1, 1, 3, 3}, Real(1) / 9), {}, {.padding = 1});
    say("middle {:.2f}, edge {:.2f}, corner {:.2f}", white.at({0, 0, 3, 3}),
        white.at({0, 0, 0, 3}), white.at({0, 0, 0, 0}));
}

void page() {
    tracing();
    sizes();
    definitions();
    shrinking();
    stacks();
    border();
}
//-

// The mean of ones is 1, but the edge gets 0.67 and the corner 0.44, because three or five of the nine pixels are
// padding. Every further layer carries this dark frame one pixel further inside. Networks even use it to find out
// where in the image they are, which a convolution without padding cannot know {cite:p}`islam2020`.
//
// ## Summary
//
// Padding adds zeros around the input, a stride skips windows, and dilation spreads the places that a window reads; no
// setting adds a weight. The output has $\lfloor (T + 2P - \Delta(K-1) - 1)/S \rfloor + 1$ places, and inputs that
// fill no window are ignored. In a stack, a stride shrinks the image geometrically, and doubling dilations reach
// geometrically far.
//
// ## What is missing
//
// A stride or a missing frame makes an image smaller. Padding beyond $(K - 1)/2$ makes it larger, but only by places at
// its border that read mostly zeros. How can a layer draw an image at twice its size?
// [The next page](transposed_convolution.cpp) runs a convolution in the other direction.
//
// ```{exercises}
// - [A convolution of images](/exercises/components/convolution.md)
// - [The gradients of a convolution](/exercises/components/convolution_backward.md)
// ```
//
// ```{try}
// - In {numref}`fig-4.3`, which input does the stride alone leave unread? And which ones do all three settings together?
//   Change one setting so that every input is read.
// - A larger image: `--size 224`. How many layers of stride 2 lead to one pixel?
// ```
