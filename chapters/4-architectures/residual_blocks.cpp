// # Bottleneck blocks: cheaper residual blocks
//
// ```{rows} sys-bottleneck-block fig-5.3 claim-channel-quadratic sys-downscaling-block fig-5.4 eq-resnet-block
// ```
//
// A [residual block](../components/skip_connections.cpp) adds to its input what a few convolutions compute. In a deep
// network these convolutions read hundreds of channels, and each output channel has weights for each input channel. A
// **bottleneck block** does its work among few channels. A $1 \times 1$ convolution narrows the tensor, a $3 \times 3$
// convolution looks at neighbouring pixels, and another $1 \times 1$ convolution widens the tensor again.
// {numref}`fig-bottleneck-block` draws a plain block and a bottleneck block, each as wide as the number of its channels. Move
// the sliders: how narrow must the middle be to save nine tenths of the weights?
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/layers.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/model_tape.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/resnet.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/nn/skip.hpp>
#include <recto/nn/summary.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> channels("channels", 256, "channels of the first figure",
                                   {.least = 8, .most = 512});
const book::Option<Index> narrow("narrow", 64, "channels in the middle of a bottleneck",
                                 {.least = 4, .most = 512});
const book::Option<Index> side("side", 14, "rows and columns of the timed images",
                               {.quick = 8, .least = 4, .most = 64});

// Defined further down:
Index weights(Index in, Index out, Index kernel);

std::string thousands(Index n) {
    std::string text = fmt::format("{}", n);
    for (int at = int(text.size()) - 3; at > 0; at -= 3)
        text.insert(std::size_t(at), ",");
    return text;
}
//-

//- how the figure is drawn
void two_blocks() {
    const Index C = channels(), m = narrow();
    Figure figure("fig-bottleneck-block");
    figure
        .describe(
            "Two bands that run from left to right. The upper one, of a plain block, "
            "has the same width everywhere. The lower one, of a bottleneck block, "
            "narrows, stays narrow and widens again. Above each piece stands its "
            "convolution, below it its number of weights. Sliders set the width of the "
            "ends and of the middle.")
        .columns(1)
        .slider(channels, "channels C")
        .slider(narrow, "channels in the middle");
    const auto draw = [&](const char* title, const std::vector<Index>& widths,
                          const std::vector<Index>& kernels, figure::Color color) {
        std::vector<double> place, low, high, middle, level;
        Names sizes, above, below;
        Index total = 0;
        for (std::size_t k = 0; k < widths.size(); ++k) {
            place.push_back(double(k));
            low.push_back(-0.5 * double(widths[k]));
            high.push_back(0.5 * double(widths[k]));
            level.push_back(0);
            sizes.push_back(fmt::format("{}", widths[k]));
            if (k == 0) continue;
            const Index kernel = kernels[k - 1],
                        n = weights(widths[k - 1], widths[k], kernel);
            middle.push_back(double(k) - 0.5);
            above.push_back(fmt::format("{} × {}", kernel, kernel));
            below.push_back(thousands(n));
            total += n;
        }
        const std::vector<double> top(middle.size(), 310), bottom(middle.size(), -310);
        figure.panel(title)
            .tall(180)
            .bare()
            .xlim(-0.4, 4.4)
            .ylim(-350, 350)
            .band("", place, low, high, {.color = color, .opacity = 0.3})
            .words("", place, level, sizes, {.color = figure::ink})
            .words("", middle, top, above, {.color = figure::ink})
            .words("", middle, bottom, below, {.color = figure::ink})
            .words("", std::vector<double>{3.8}, std::vector<double>{0},
                   Names{thousands(total)}, {.color = color, .width = 13});
    };
    draw("two 3 × 3 convolutions", {C, C, C}, {3, 3}, figure::red);
    draw("a bottleneck", {C, m, m, C}, {1, 3, 1}, figure::blue);
    figure.save(
        "The channels of a tensor on its way through two blocks. Above each "
        "convolution stands its kernel, below it the number of its weights; behind the "
        "block their sum. Drag the channels: in both blocks the weights grow with "
        "the square of the width. Drag the middle: below 2/9 of the channels, "
        "the two $1 \\times 1$ convolutions cost most.");
}
//-

// ## Seventeen weights in place of 288
//
// Take $C = 4$ channels. A $3 \times 3$ convolution from 4 channels to 4 has a weight for each pair of channels and for
// each of 9 places, so $4 \cdot 4 \cdot 9 = 144$ weights. A block of two such convolutions has 288. Now let the middle
// have a single channel. The first $1 \times 1$ convolution has $4 \cdot 1 = 4$ weights, the $3 \times 3$ one has
// $1 \cdot 1 \cdot 9 = 9$, and the last has $1 \cdot 4 = 4$. Together they have 17.
//
// In general, with $C$ channels at both ends and $m$ in the middle, the two blocks have
//
// $$ 2 \cdot 9\, C^2 = 18\, C^2 \qquad \text{and} \qquad C m + 9\, m^2 + m C = 2\, C m + 9\, m^2 $$
//
// weights, because a convolution has as many weights as
Index weights(Index in, Index out, Index kernel) { return in * out * kernel * kernel; }

// says. With $m = C/4$ the bottleneck has $\frac{17}{16}\, C^2$ weights, a share of $17/288$ for every $C$. Each weight
// is multiplied once for each pixel, so the multiply-adds shrink by the same factor. Both numbers are still quadratic
// in $C$. The bottleneck makes the factor smaller and leaves the square.
//
// ## The block
//
// In the library {cpp:class}`~recto::nn::Bottleneck` holds three convolutions, each with
// [batch normalisation](../components/batch_norm.cpp), which makes a bias superfluous. `same_size` pads a kernel so
// that the image keeps its size, apart from the stride.
//
// ```{excerpt} recto/nn/resnet.cpp Bottleneck
// ```
//
// The result is `relu(path(x) + shortcut)`. Notice the last entry of `path`. It has no ReLU: the path must be able to
// subtract from the shortcut. The last ReLU comes after the sum. {numref}`fig-5.3` is drawn from a block that ran.
//- the weights are counted in the library's objects
const nn::Conv2d& first(const nn::Bottleneck& block) {
    return std::get<0>(block.path.parts);
}
const nn::Conv2d& middle(const nn::Bottleneck& block) {
    return std::get<3>(block.path.parts);
}
const nn::Conv2d& last(const nn::Bottleneck& block) {
    return std::get<6>(block.path.parts);
}
nn::Conv2d three_by_three(Index C) {  // only its size matters
    Generator unused(0);
    return nn::Conv2d(C, C, 3, unused,
                      {.padding = 1, .bias = false, .weights = nn::zeros_init});
}

void counts() {
    Generator random(book::seed());
    const nn::Bottleneck block({.in = 256, .narrow = 64, .out = 256}, random);
    const Index bottleneck = first(block).weight.numel() +
                             middle(block).weight.numel() + last(block).weight.numel(),
                plain = 2 * nn::count(three_by_three(256));
    claim("sys-bottleneck-block/a", "convolution weights of the 256-64-256 bottleneck",
          bottleneck, "==", 69'632);
    claim("sys-bottleneck-block/b",
          "convolution weights of two 3 by 3 convolutions at 256 channels", plain,
          "==", 1'179'648);
    claim(
        "claim-channel-quadratic/b",
        "the weights of a 3 by 3 convolution at 256 channels over those at 128",
        double(nn::count(three_by_three(256))) / double(nn::count(three_by_three(128))),
        "==", 4);
    claim("claim-channel-quadratic/d",
          "weights of both blocks at 256 channels, their ratio rounded to one digit",
          std::round(10 * double(plain) / double(bottleneck)) / 10, "==", 16.9);
}
//-

//- how the diagram is drawn, and what is checked
const char* operation(const nn::Conv2d&) { return "conv2d"; }
const char* operation(const nn::BatchNorm&) { return "batch_norm"; }
const char* operation(const nn::Relu&) { return "relu"; }

// The words of a convolution's box; those of the other boxes.
std::string called(const nn::Conv2d& conv) {
    return fmt::format("conv {} × {}{}", conv.weight.size(2), conv.weight.size(3),
                       conv.options.stride.height > 1 ? ", stride S" : "");
}
std::string called(const std::string& operation) {
    return operation == "batch_norm" ? "batch norm"
           : operation == "relu"     ? "ReLU"
                                     : operation;
}

// The boxes of a block, with the kernels of its convolutions in place of the operation's name.
figure::LayerColumn column_of(const nn::Bottleneck& block, const Tensor& x) {
    figure::LayerColumn column = figure::layer_column(nn::tape_of(block, x));
    std::vector<nn::Conv2d> convolutions = {first(block), middle(block), last(block)};
    if (block.projection) convolutions.push_back(std::get<0>(block.projection->parts));
    std::size_t next = 0;
    for (figure::LayerBox& box : column.boxes) {
        if (box.words != "conv2d") {
            box.words = called(box.words);
            continue;
        }
        const nn::Conv2d& conv = convolutions.at(next++);
        check(box.parameters == conv.weight.numel(),
              "residual_blocks: wanted a convolution of {} weights, got one of {}",
              conv.weight.numel(), box.parameters);
        box.words = called(conv);
    }
    return column;
}

void diagram() {
    Generator random(book::seed());
    const nn::Bottleneck block({.in = 256, .narrow = 64, .out = 256}, random);
    const Tensor x = random.normal({1, 256, 14, 14});
    const figure::LayerColumn drawn = column_of(block, x),
                              plain = figure::layer_column(nn::tape_of(block, x));
    figure::layer_diagram("fig-5.3", drawn)
        .save(
            "A bottleneck block, drawn from a run. A size stands at an arrow where it "
            "has changed: 256 channels become 64, and 256 again. One arrow leads from "
            "the input to the sum.");
    book::shows("fig-5.3/a", "fig-5.3");
    std::vector<std::pair<std::string, Shape>> ran;  // part by part
    std::apply(
        [&, h = x](const auto&... part) mutable {
            ((h = part(h), ran.emplace_back(operation(part), h.shape().without(0))),
             ...);
        },
        block.path.parts);
    ran.emplace_back("add", ran.back().second);
    ran.emplace_back("relu", ran.back().second);
    Index differ = Index(ran.size() != plain.boxes.size());
    for (std::size_t i = 0; i < std::min(ran.size(), plain.boxes.size()); ++i)
        differ += ran[i] != std::pair(plain.boxes[i].words, plain.boxes[i].result);
    claim("fig-5.3/b",
          "boxes of the diagram that differ from the parts in their order, or from the "
          "shapes of their results",
          differ, "==", 0);
    const Index sum = Index(plain.boxes.size()) - 2;
    const figure::LayerBox &added = plain.boxes[std::size_t(sum)],
                           &end = plain.boxes.back();
    claim_true("fig-5.3/c", "the last box is a ReLU, and it reads the sum alone",
               added.words == "add" && end.words == "relu" &&
                   end.inputs == std::vector<Index>{sum});
}
//-

// ## A block that starts as the identity
//
// Write the block without its last ReLU. Layer $l$ turns $h_l$ into
//
// $$ h_{l+1} = h_l + g(h_l) \qquad \text{in place of} \qquad h_{l+1} = g(h_l) , $$
//
// where $g$ is the path. The Jacobian of the sum is $I + J_g$, so the gradient comes through even where $J_g$ is zero.
// We check this for the simplest path, two convolutions with ReLU:
auto two_convolutions(Index channels, nn::Init init, Generator& random) {
    const auto conv = [&] {
        return nn::Conv2d(channels, channels, 3, random,
                          {.padding = 1, .weights = init});
    };
    return nn::Sequential{conv(), nn::Relu(), conv(), nn::Relu()};
}

//- the Jacobian of the block against differences of its path, and the identity
void identity() {
    Generator random(book::seed());
    const auto g = two_convolutions(2, nn::uniform_init, random);
    const nn::Residual block(g);
    const Tensor x = random.normal({1, 2, 4, 4});
    const auto n = std::size_t(x.numel());
    std::vector<std::vector<Real>>
        rows;  // of the block's Jacobian, one backward pass each
    for (std::size_t j = 0; j < n; ++j) {
        std::vector<Real> pick(n);
        pick[j] = 1;
        const Tensor leaf = x.detach().requires_grad_();
        sum(block(leaf) * Tensor(x.shape(), pick)).backward();
        rows.push_back(leaf.grad().values());
    }
    double off = 0;
    for (std::size_t i = 0; i < n; ++i) {  // columns of that of g, by differences
        std::vector<Real> up = x.values(), down = x.values();
        up[i] += 1e-6, down[i] -= 1e-6;
        const Tensor column =
            (g(Tensor(x.shape(), up)) - g(Tensor(x.shape(), down))) / 2e-6;
        for (std::size_t j = 0; j < n; ++j)
            off = std::max(off, std::abs(double(rows[j][i] - (i == j ? 1 : 0) -
                                                column.values()[j])));
    }
    claim("eq-resnet-block/a",
          "the Jacobian of the block against I plus that of g: the largest difference",
          off, "<=", 1e-6);
    const nn::Residual idle(two_convolutions(2, nn::zeros_init, random));
    claim_true("eq-resnet-block/b",
               "with g = 0 the block returns its input, to the bit",
               idle(x).values() == x.values());
    const nn::Bottleneck block_of_three({.in = 16, .narrow = 4, .out = 16}, random,
                                        {.zero_last = true});
    const Tensor images = random.normal({2, 16, 6, 6});
    claim_true(
        "sys-bottleneck-block/c",
        "a bottleneck whose last scale is zero returns the ReLU of its input, to "
        "the bit",
        block_of_three(images).values() == relu(images).values());
}
//-

// For a bottleneck there is a simple way to start with $g = 0$. Batch normalisation multiplies each channel by a
// trained scale $\gamma$. {cite:t}`goyal2017` let the *last* scale of each path begin at zero, and all others at one;
// the option `zero_last` does this. Then a fresh network of any depth computes what its few other layers compute, and
// each block grows from nothing. The last ReLU does not disturb: the input of a block is the output of a ReLU already.
//
// ## The square, measured
//
// Do sixteen times fewer multiply-adds mean sixteen times less time? {numref}`fig-channel-cost` counts and measures.
//- counted and timed
double slope(const std::vector<double>& x, const std::vector<double>& y) {
    double mx = 0, my = 0, xy = 0, xx = 0;
    const double n = double(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        mx += std::log(x[i]) / n, my += std::log(y[i]) / n;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (std::log(x[i]) - mx) * (std::log(y[i]) - my);
        xx += (std::log(x[i]) - mx) * (std::log(x[i]) - mx);
    }
    return xy / xx;
}

// Milliseconds of the fastest of nine runs: other programs only ever slow a run down.
template <class Work>
double fastest(const Work& work) {
    double best = HUGE_VAL;
    for (int run = 0; run < 9; ++run) {
        const double start = book::now();
        work();
        best = std::min(best, 1000 * book::seconds_since(start));
    }
    return best;
}

void measured() {
    Generator random(book::seed());
    const NoGrad forward_only;
    const std::vector<double> widths = {32, 64, 128, 256};
    std::vector<double> plain, thin, plain_time, thin_time;
    for (const double C : widths) {
        const nn::Conv2d three = three_by_three(Index(C));
        const nn::Bottleneck block({Index(C), Index(C) / 4, Index(C)}, random);
        const Tensor x = random.normal({1, Index(C), side(), side()});
        plain.push_back(2 * double(nn::count(three)));
        thin.push_back(double(first(block).weight.numel() +
                              middle(block).weight.numel() +
                              last(block).weight.numel()));
        plain_time.push_back(fastest([&] { three(three(x)); }));
        thin_time.push_back(
            fastest([&] { last(block)(middle(block)(first(block)(x))); }));
    }
    Figure figure("fig-channel-cost");
    figure.describe(
        "Two panels with logarithmic axes, the number of weights and the time in "
        "milliseconds against the number of channels from 32 to 256. In each a line "
        "for two convolutions of 3 by 3 and a lower one for the bottleneck. The lines "
        "of the weights are straight and parallel.");
    const auto panel = [&](const char* title, const std::vector<double>& two,
                           const std::vector<double>& three) {
        figure.panel(title)
            .line("two 3 × 3", widths, two, {.color = figure::red})
            .line("bottleneck", widths, three, {.color = figure::blue})
            .log_axes()
            .x("channels C")
            .y(title);
    };
    panel("weights", plain, thin);
    panel("milliseconds", plain_time, thin_time);
    figure.save(
        "Weights, and the time of a forward pass of the convolutions alone, on the "
        "machine that made this book. Four times as many weights for twice the "
        "channels: the lines of the weights have the slope 2.");
    book::shows("claim-channel-quadratic/a", "fig-channel-cost");
    book::timing_claim("claim-channel-quadratic/c",
                       "the slope of log time against log C, two 3 by 3 convolutions",
                       slope(widths, plain_time), ">=", 1.6);
    book::timing_claim("claim-channel-quadratic/c", "the same slope",
                       slope(widths, plain_time), "<=", 2.3);
    book::timing("the slope for the bottleneck: {:.2f}", slope(widths, thin_time));
    book::timing(
        "at 256 channels the bottleneck's convolutions are {:.1f} times as fast",
        plain_time.back() / thin_time.back());
}
//-

// The weights follow the square exactly, and the time follows it roughly. The gain in time is smaller than the gain in
// weights, because every convolution also reads and writes its tensors, whose size grows with the number of channels
// and not with its square. Normalisation and ReLU come on top of that. The bottleneck has three of each, the plain
// block two.
//
// ## Halving the image
//
// Deeper in a network the image must shrink. The block does this with a **stride** of $S$ on one of its convolutions.
// Now the input is too large for the sum, so the shortcut gets a convolution as well, a $1 \times 1$ convolution with
// stride $S$. This **projection** also changes the number of channels: usually from $C$ to $2C$ while $H \times W$
// becomes $\frac H2 \times \frac W2$.
//
// {cite:t}`he2016` put the stride on the first $1 \times 1$ convolution. Place your bet:
//- the question, and the shapes
Tensor influence(const nn::Bottleneck& block, const Shape& image, Generator& random);

void strided() {
    Generator random(book::seed());
    const auto make = [&](const nn::BottleneckSize& size, bool later) {
        return nn::Bottleneck(size, random, {.stride_on_3x3 = later});
    };
    const nn::BottleneckSize size{.in = 8, .narrow = 4, .out = 16, .stride = 2};
    const nn::Bottleneck original = make(size, false), later = make(size, true);
    const Tensor reads = influence(original, {1, 8, 12, 12}, random),
                 reads_later = influence(later, {1, 8, 12, 12}, random);
    const auto unread = [](const Tensor& map) {
        Index zero = 0;
        for (const Real v : map.values()) zero += v == 0;
        return double(zero) / double(map.numel());
    };
    const double lost = unread(reads);
    ask("The first convolution has stride 2, and so has the projection. How many of "
        "the "
        "input's pixels have any influence on the result?",
        {{"All of them: the 3 × 3 convolution looks at all neighbours.", lost == 0,
          "It looks at neighbours among the pixels that the first convolution has "
          "kept."},
         {"Half of them: the path and the projection read different pixels.",
          lost == 0.5,
          "Both begin at the first pixel and take every second one, so they read the "
          "same pixels."},
         {"A quarter of them.", lost == 0.75,
          "A 1 × 1 convolution reads one pixel for each output. With stride 2 it skips "
          "every second row and every second column, and so does the projection."}});
    claim("", "the share of pixels without influence, stride on the first convolution",
          lost, "==", 0.75);
    claim("", "the same with the stride on the 3 by 3 convolution", unread(reads_later),
          "==", 0);

    Names ticks;
    for (int i = 0; i < 12; ++i) ticks.push_back(fmt::format("{}", i));
    Figure figure("fig-stride-reads");
    figure.describe(
        "Two heat maps of 12 by 12 pixels. With the stride on the first convolution "
        "only every second pixel of every second row is not dark. With the stride on "
        "the 3 by 3 convolution nearly all pixels have a colour.");
    for (const auto& [title, map] : {std::pair{"stride on the first 1 × 1", reads},
                                     std::pair{"stride on the 3 × 3", reads_later}})
        figure.panel(title)
            .heatmap("", ticks, ticks, (map / double(max(map).item())).values(), 0, 1)
            .x("column")
            .y("row");
    figure.save(
        "How strongly each pixel of the input moves the result, as a share of the "
        "strongest: the size of the gradient, summed over channels. With the stride on "
        "the first convolution three pixels in four have no influence at all.");

    const auto macs = [&](bool on_3x3) {
        return double(
            nn::summary(make({256, 128, 512, 2}, on_3x3), zeros({1, 256, 56, 56}))
                .total.macs);
    };
    say("256 to 512 channels at 56 × 56 pixels: {:.0f} million multiply-adds with the "
        "stride on the first convolution, {:.0f} million with the stride on the 3 × 3",
        macs(false) / 1e6, macs(true) / 1e6);

    const auto result = [&](const nn::BottleneckSize& of, bool on_3x3, Index H,
                            Index W) {
        return make(of, on_3x3)(random.normal({2, of.in, H, W})).shape();
    };
    claim_true("sys-downscaling-block/a",
               "stride 2: 8 channels of 12 × 20 pixels become 16 of 6 × 10",
               result(size, false, 12, 20) == Shape{2, 16, 6, 10});
    claim_true("sys-downscaling-block/b",
               "stride 1: 8 channels of 12 × 20 pixels become 32 of 12 × 20",
               result({.in = 8, .narrow = 8, .out = 32}, false, 12, 20) ==
                   Shape{2, 32, 12, 20});
    Index wrong = 0;
    for (const Index S : {1, 2, 3})
        for (const Index H : {7, 12}) {
            const nn::BottleneckSize of{6, 3, 9, S};
            wrong += result(of, false, H, 10) != result(of, true, H, 10);
            for (const bool on_3x3 : {false, true}) {
                const nn::Bottleneck block = make(of, on_3x3);
                wrong += first(block).options.stride.height != (on_3x3 ? 1 : S);
                wrong += middle(block).options.stride.height != (on_3x3 ? S : 1);
            }
        }
    claim("sys-downscaling-block/c",
          "strides that stand at the wrong convolution, and shapes in which both "
          "variants differ",
          wrong, "==", 0);
}
//-

// The answer comes from the gradient. A pixel has influence if the derivative with respect to it is not zero:
Tensor influence(const nn::Bottleneck& block, const Shape& image, Generator& random) {
    const Tensor x = random.normal(image).requires_grad_();
    const Tensor y = block(x);
    sum(y * random.normal(y.shape())).backward();
    return sum(abs(x.grad()), {0, 1});
}

// Three quarters of what the layers before have computed is thrown away, as {numref}`fig-stride-reads` shows.
// {cite:t}`goyal2017` trained a variant with the stride on the $3 \times 3$ convolution. Its windows overlap, so they
// read every pixel. The price is a first convolution at full size. Our option is `stride_on_3x3`. Both variants have
// the same weights and the same shapes.
//
// {numref}`fig-5.4` draws the block for any $S$, with $C/S$ channels in the middle and $4C/S$ at the end. With $S = 2$
// the channels double, and with $S = 1$ they become four times as many.
//- how the diagram is drawn, and what is checked
// A size in letters: the only ones that give these numbers.
std::string in_letters(const Shape& size, Index C, Index H, Index W, Index S) {
    const auto letters = [](Index n,
                            const std::vector<std::pair<const char*, Index>>& of) {
        std::string found;
        for (const auto& [word, value] : of)
            if (value == n) found += found.empty() ? word : std::string(" or ") + word;
        return found.empty() ? std::string("?") : found;
    };
    return fmt::format(
        "{} × {} × {}",
        letters(size[0], {{"C", C}, {"C/S", C / S}, {"4C/S", 4 * C / S}}),
        letters(size[1], {{"H", H}, {"H/S", H / S}}),
        letters(size[2], {{"W", W}, {"W/S", W / S}}));
}

void downscaling() {
    Generator random(book::seed());
    const Index C = 24, H = 12, W = 18;
    const auto run = [&](Index S) {
        const nn::Bottleneck block(
            {.in = C, .narrow = C / S, .out = 4 * C / S, .stride = S}, random);
        return column_of(block, random.normal({1, C, H, W}));
    };
    const figure::LayerColumn column = run(2);
    figure::Diagram drawn("fig-5.4");
    drawn.describe(
        "A block with two branches from the input. On one a 1 by 1 convolution with "
        "stride S, a 3 by 3 and a 1 by 1 convolution, each with batch normalisation; "
        "on "
        "the other a 1 by 1 convolution with stride S and batch normalisation. Both "
        "meet in a sum, and a ReLU follows. Sizes in letters stand where they change.");
    drawn.node("input", "input", figure::Box::plain);
    const auto id = [](Index box) {
        return box < 0 ? std::string("input") : std::to_string(box);
    };
    Names labels;  // of every box
    for (std::size_t i = 0; i < column.boxes.size(); ++i) {
        const figure::LayerBox& box = column.boxes[i];
        drawn.node(id(Index(i)), box.words, figure::Box::round,
                   box.complex ? figure::blue : figure::grey);
        if (box.complex) drawn.tall(id(Index(i)));
        labels.push_back(in_letters(box.result, C, H, W, 2));
    }
    drawn.node("output", "output", figure::Box::plain);
    std::vector<bool> told(column.boxes.size() + 1);  // one label for each size
    const auto arrow = [&](Index from, const std::string& to) {
        const bool changed = from < 0 || column.boxes[std::size_t(from)].input !=
                                             column.boxes[std::size_t(from)].result;
        const bool first_time = !told[std::size_t(from + 1)];
        told[std::size_t(from + 1)] = true;
        drawn.edge(id(from), to,
                   !changed || !first_time ? ""
                   : from < 0              ? in_letters({C, H, W}, C, H, W, 2)
                                           : labels[std::size_t(from)]);
    };
    for (std::size_t i = 0; i < column.boxes.size(); ++i)
        for (const Index from : column.boxes[i].inputs) arrow(from, id(Index(i)));
    arrow(Index(column.boxes.size()) - 1, "output");
    drawn.save(
        "The downscaling block, after *The Little Book of Deep Learning*. The letters "
        "were found from the numbers of a run.");
    book::shows("fig-5.4/a", "fig-5.4");
    Index differ = 0;
    for (const Index S : {2, 3, 6}) {
        const figure::LayerColumn other = run(S);
        for (std::size_t i = 0; i < column.boxes.size(); ++i) {
            const std::string found = in_letters(other.boxes.at(i).result, C, H, W, S);
            differ += found != labels[i] || found.find_first_of("?o") != found.npos;
        }
    }
    claim("fig-5.4/b",
          "sizes in letters that are not the shapes of the run, for S = 2, 3 and 6",
          differ, "==", 0);
}
//-

void page() {
    two_blocks();
    counts();
    diagram();
    identity();
    measured();
    strided();
    downscaling();
}

// ## Limits and origins
//
// A bottleneck makes fewer multiply-adds, and it does not make smaller tensors: training must still keep the results at
// the wide ends. And of its three convolutions only one looks at neighbours, so per layer its
// [receptive field](../components/receptive_field.cpp) grows more slowly than that of a plain block.
//
// {cite:t}`lin2014` introduced $1 \times 1$ convolutions, as small dense layers that run at every pixel.
// {cite:t}`he2016` designed the bottleneck block for their networks of 50, 101 and 152 layers. Those of 18 and 34
// layers have plain blocks. The figures follow {cite:t}`fleuret2023`.
//
// ## Summary
//
// The weights of a convolution grow with the square of its channels. A bottleneck block runs its $3 \times 3$
// convolution among a quarter of the channels, and at 256 channels it has 69,632 weights in place of 1,179,648. With a
// stride and a projection on the shortcut the same block halves the image and doubles the channels.
//
// ## What is missing
//
// Sixteen such blocks, one after another, make a network that has a name. [The next page](resnet_50.cpp) builds
// ResNet-50.
//
// ```{try}
// - The widest middle: `--channels 256 --narrow 334`. The bottleneck now costs about as much as the plain block.
// - Larger images: `--side 64`. Is the slope of the time closer to 2?
// ```
