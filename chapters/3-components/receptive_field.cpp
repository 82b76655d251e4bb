// # Receptive field: what a unit can see
//
// ```{rows} eq-receptive-field fig-4.4 claim-conv-half-kernel-diffusion
// ```
//
// A unit, one number in the output of a layer, can only recognise a shoe if it sees the shoe. But a unit of a
// [convolution](convolution.cpp) with a kernel of 3 sees nine pixels. Depth helps: a unit of the second layer reads
// nine units of the first, and each of them has read nine pixels. The part of the input on which a unit depends is
// its **receptive field**. How fast does it grow from layer to layer? And does a unit use its whole field, or only a
// part of it? {numref}`fig-4.4` shows what one unit sees. Move the slider to add layers.
//- includes and names
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::say;
using figure::Figure;

const book::Option<int> networks("networks", 50,
                                 "random networks over which gradients are averaged",
                                 {.quick = 5, .least = 1, .most = 10'000});
const book::Option<Index> channels("channels", 8, "channels of their layers",
                                   {.least = 1, .most = 256});

const book::Option<Index> the_layers("layers", 3, "layers of the stack in the figure",
                                     {.least = 1, .most = 3});
const book::Option<Index> the_kernel("kernel", 3, "width of their kernels",
                                     {.least = 2, .most = 4});
const book::Option<Index> the_stride("stride", 2, "their stride",
                                     {.least = 1, .most = 3});
const book::Option<Index> the_dilation("dilation", 1, "their dilation",
                                       {.least = 1, .most = 3});

// Defined further down:
struct Layer {
    Index kernel, stride;
    bool pooling = false;
};
Index field(const std::vector<Layer>& layers);

// The squared gradient of one unit with respect to a square of pixels, row by row.
struct Energy {
    Index side;
    std::vector<double> at;
};
Energy energy(Index depth, Index side, std::uint64_t seed);
double effective(const Energy& e);
//-

//- how the figure is drawn
// The side of the smallest square in the middle that holds all numbers but zeros.
Index support(const Energy& e) {
    Index reach = 0;
    for (Index i = 0; i < e.side * e.side; ++i)
        if (e.at[std::size_t(i)] != 0)
            reach = std::max({reach, std::abs(i / e.side - e.side / 2),
                              std::abs(i % e.side - e.side / 2)});
    return 2 * reach + 1;
}

void seeing() {
    const Index side = 15;
    Figure all("fig-4.4");
    all.describe(
           "Two panels. On the left a square of fifteen by fifteen pixels. Around "
           "its centre the pixels are bright, and red frames mark the corners of the "
           "square that the unit depends on. On the right the share of the gradient's "
           "energy in each column: flat over three columns for one layer, a bell for "
           "five. Red lines mark the ends of the receptive field, ochre lines those "
           "of the effective field. A slider sets the number of layers; both fields "
           "grow, the red one faster.")
        .slider("depth", {1, 2, 3, 4, 5}, "layers", 3);
    figure::Names names;
    for (Index i = 0; i < side; ++i) names.push_back(fmt::format("{}", i - side / 2));
    Index off = 0;
    std::vector<double> widths, shares;
    std::vector<Energy> seen;
    for (Index depth = 1; depth <= 5; ++depth) {
        seen.push_back(energy(depth, side, book::seed()));
        const Index box = field(std::vector<Layer>(std::size_t(depth), Layer{3, 1}));
        off += support(seen.back()) != box;
        widths.push_back(effective(seen.back()));
        if (depth > 1) shares.push_back(widths.back() / double(box));
    }
    all.panel("what the unit sees");
    for (Index depth = 1; depth <= 5; ++depth) {
        const Energy& e = seen[std::size_t(depth - 1)];
        const double most = std::ranges::max(e.at);
        std::vector<double> roots;  // the size of the gradient
        for (const double v : e.at) roots.push_back(std::sqrt(v / most));
        const Index half = support(e) / 2;
        const std::string low = fmt::format("{}", -half),
                          high = fmt::format("{}", half);
        all.at(double(depth))
            .heatmap("", names, names, roots, 0, 1)
            .frame({low, high, low, high}, {low, low, high, high});
    }
    all.always().x("column, counted from the unit").y("row").panel("energy by column");
    std::vector<double> places;
    for (Index i = 0; i < side; ++i) places.push_back(double(i) - double(side / 2));
    for (Index depth = 1; depth <= 5; ++depth) {
        const Energy& e = seen[std::size_t(depth - 1)];
        std::vector<double> columns(std::size_t(side), 0.0);
        double total = 0;
        for (Index i = 0; i < side * side; ++i) {
            columns[std::size_t(i % side)] += e.at[std::size_t(i)];
            total += e.at[std::size_t(i)];
        }
        for (double& v : columns) v /= total;
        const auto ends = [&](const char* label, double width, figure::Color color) {
            const double x = width / 2;
            all.line(label, {-x, -x, NAN, x, x}, {0, 0.4, NAN, 0, 0.4},
                     {.color = color, .dash = figure::solid, .points = false});
        };
        all.at(double(depth)).bars("", places, columns, {.color = figure::blue});
        ends("receptive field", double(support(e)), figure::red);
        ends("effective field", effective(e), figure::ochre);
    }
    all.always()
        .xlim(-7.5, 7.5)
        .ylim(0, 0.4)
        .x("column, counted from the unit")
        .y("share of the energy")
        .save(
            "*what the unit sees*: the size of the gradient of one unit with respect "
            "to each pixel, as a share of the largest, for random networks with "
            "kernels of 3. Red frames: the corners of the receptive field; beyond it "
            "the gradient is exactly zero. *energy by column*: the squared gradients "
            "of each column form a bell, and the effective field, defined below, is "
            "the width of the bell. After Figure 4.4 of {cite:t}`fleuret2023`, from "
            "its description.");
    book::shows("fig-4.4/a", "fig-4.4");
    for (Index depth = 1; depth <= 5; ++depth)
        say("depth {}: field {} pixels wide, effective field {:.1f}", depth,
            support(seen[std::size_t(depth - 1)]), widths[std::size_t(depth - 1)]);
    claim("fig-4.4/b", "depths at which the support is not the field of the formula",
          off, "==", 0);
    claim("fig-4.4/c",
          "effective field as a share of the field, at most, for 2 to 5 layers",
          std::ranges::max(shares), "<", 1);
}
//-

// ## Half a kernel per layer
//
// Turn the question round: you change one pixel. Which units change? A kernel of 3 reads a number and its two
// neighbours. So after one layer the change has reached one place on either side, and after two layers two places. In
// general, a layer with an odd kernel $K$ carries information $(K-1)/2$ places, half a kernel {cite:p}`fleuret2023`.
// After $n$ layers the change has reached
//
// $$ n \, \frac{K - 1}{2} $$
//
// places on either side. We measure it: one of 41 ones becomes a two, and both signals go through the layers. The
// weights are ones, so that no two paths cancel, and all sums are whole numbers, so that nothing is rounded:
Tensor spread(Tensor x, Index kernel, int layers) {
    for (int n = 0; n < layers; ++n)
        x = conv1d(x, ones({1, 1, kernel}), {}, {.padding = (kernel - 1) / 2});
    return x;
}
Index radius(Index kernel, int layers) {
    Tensor before = ones({1, 1, 41}), after = clone(before);
    after.set({0, 0, 20}, 2);
    const Tensor change =
        spread(after, kernel, layers) - spread(before, kernel, layers);
    Index reach = 0;
    for (Index n = 0; n < 41; ++n)
        if (change.at({0, 0, n}) != 0) reach = std::max(reach, std::abs(n - 20));
    return reach;
}
//- what is checked, and how the figure is drawn
void spreading() {
    int wrong = 0;
    for (const Index kernel : {1, 3, 5, 7})
        for (int n = 1; n <= 6; ++n) wrong += radius(kernel, n) != n * (kernel - 1) / 2;
    claim("claim-conv-half-kernel-diffusion/a",
          "kernels of 1 to 7, up to 6 layers: cases in which the change has another "
          "radius",
          wrong, "==", 0);
    Figure all("fig-cone");
    all.describe(
           "Seven rows of 41 dots, the input below and six layers above it. In the "
           "input one dot is red, in each layer above more of them: they form a "
           "cone. A slider sets the kernel's width; wider kernels open the cone.")
        .height(220)
        .slider("kernel", {3, 5, 7}, "width of the kernel", 3);
    for (const Index kernel : {3, 5, 7}) {
        std::vector<double> x, y, still_x, still_y;
        for (int layer = 0; layer <= 6; ++layer) {
            const Index reach = radius(kernel, layer);
            for (Index n = -20; n <= 20; ++n) {
                const bool changed = std::abs(n) <= reach;
                (changed ? x : still_x).push_back(double(n));
                (changed ? y : still_y).push_back(double(layer));
            }
        }
        all.at(double(kernel))
            .dots("changed", x, y,
                  {.color = figure::red, .shape = figure::Shape::circle, .width = 3})
            .dots("unchanged", still_x, still_y,
                  {.color = figure::grey, .shape = figure::Shape::cross, .width = 2});
    }
    all.always()
        .xlim(-20.7, 20.7)
        .ylim(-0.4, 6.4)
        .x("place, counted from the changed pixel")
        .y("layer")
        .save(
            "One number of the input changes, and each layer carries the change half "
            "a kernel further. Wider kernels open the cone.");
}
//-

// {numref}`fig-cone` shows the cone of the changed units. It also answers the first question. If a pixel reaches
// units at most $n (K-1)/2$ places away, then a unit depends on pixels at most this far away, so its receptive field
// is $n (K-1) + 1$ pixels wide. It grows by a constant per layer, which is slow: with $K = 3$, a unit that sees all
// 224 pixels of a photograph's row needs 112 layers.
//
// ## Strides multiply
//
// A [stride](convolution_options.cpp) changes this. Take a convolution with a kernel of 3, a [pooling
// layer](pooling.cpp) that keeps the larger of 2 neighbours and has a stride of 2, and another convolution with a
// kernel of 3. A unit of the first layer sees 3 pixels. Pooling reads two neighbouring units, which see 4 pixels
// together. But its outputs are *two* pixels apart, so the last layer reads three numbers at distances of two pixels,
// and sees $4 + 2 \cdot 2 = 8$ pixels. In general, layer $d$ with kernel $K_d$ and stride $S_d$ adds $K_d - 1$ steps
// to the field, and the length of a step is the product of all strides before the layer:
//
// ```{equation} eq-receptive-field
// :function: field
// r_d = r_{d-1} + (K_d - 1) \prod_{i < d} S_i , \qquad r_0 = 1
// ```
Index field(const std::vector<Layer>& layers) {
    Index r = 1, step = 1;
    for (const Layer& layer : layers) {
        r += (layer.kernel - 1) * step;
        step *= layer.stride;
    }
    return r;
}

// Is the formula right? We measure the fields of 50 random stacks of convolutions and poolings without it. The stack
// is applied layer by layer, and all weights are ones:
Tensor through(const std::vector<Layer>& layers, Tensor x) {
    for (const auto& [kernel, stride, pooling] : layers)
        x = pooling ? max_pool1d(x, kernel, {.stride = stride})
                    : conv1d(x, ones({1, 1, kernel}), {}, {.stride = stride});
    return x;
}

// The measurement changes the inputs one by one, and records the first and the last that change a unit. Signal number
// $n$ is zero except for a one at place $n$, and all signals go through the stack as one batch:
Index measured(const std::vector<Layer>& layers, Index size) {
    Tensor changed = zeros({size, 1, size});
    for (Index n = 0; n < size; ++n) changed.set({n, 0, n}, 1);
    const Tensor y = through(layers, changed);
    Index first = size, last = 0;
    for (Index n = 0; n < size; ++n)
        if (y.at({n, 0, 0}) != 0) first = std::min(first, n), last = n;
    return last - first + 1;
}
//- fifty random stacks
void stacks() {
    Generator random(book::seed());
    int wrong = 0;
    Index widest = 0;
    for (int made = 0; made < 50; ++made) {
        std::vector<Layer> layers;
        const Index depth = random.next_integer(1, 6);
        for (Index d = 0; d < depth; ++d) {
            const bool pooling = random.next_integer(0, 3) == 0;
            layers.push_back({random.next_integer(1, pooling ? 4 : 6),
                              random.next_integer(1, 4), pooling});
        }
        const Index r = field(layers);
        // A signal that is longer than the field, so that too large a field shows.
        wrong += measured(layers, r + 20) != r;
        widest = std::max(widest, r);
    }
    say("kernel 3, pooling 2, kernel 3: formula {}, measured {}",
        field({{3, 1}, {2, 2, true}, {3, 1}}),
        measured({{3, 1}, {2, 2, true}, {3, 1}}, 30));
    say("the widest field of the 50 stacks: {} places", widest);
    claim("eq-receptive-field/a",
          "of 50 random stacks, those whose measured field is not that of the formula",
          wrong, "==", 0);
}
//-

// A dilated kernel counts with the width that it spans. {numref}`fig-field` draws a stack of equal layers; choose its
// kernel, stride and dilation, and watch the field.
//- how the figure is drawn
void building() {
    const Index K = the_kernel(), S = the_stride(), dilation = the_dilation();
    Figure all("fig-field");
    all.describe(
           "Rows of dots, the pixels below and one row for each layer above. From one "
           "unit at the top, lines lead down to the units and pixels on which it "
           "depends. A red bar under the pixels is as wide as the field. Sliders set "
           "the number of layers, their kernel, their stride and their dilation.")
        .height(260)
        .bare()
        .slider(the_layers, "layers")
        .slider(the_kernel, "kernel")
        .slider(the_stride, "stride")
        .slider(the_dilation, "dilation");
    const auto widest = [&](Index layers) {
        return double(field(
            std::vector<Layer>(std::size_t(layers), Layer{dilation * (K - 1) + 1, S})));
    };
    std::vector<double> x, y, path_x, path_y;
    std::vector<Index> units = {0};  // each by the first pixel of its field
    for (Index layer = the_layers(); layer > 0; --layer) {
        // From one unit of the layer below to the next.
        const Index step = Index(std::lround(std::pow(S, layer - 1)));
        const double above = (widest(layer) - 1) / 2,
                     below = (widest(layer - 1) - 1) / 2;
        std::vector<Index> reads;
        for (const Index unit : units) {
            x.push_back(double(unit) + above), y.push_back(double(layer));
            for (Index k = 0; k < K; ++k) {
                reads.push_back(unit + k * dilation * step);
                for (const double v :
                     {x.back(), double(reads.back()) + below, double(NAN)})
                    path_x.push_back(v);
                for (const double v : {double(layer), double(layer - 1), double(NAN)})
                    path_y.push_back(v);
            }
        }
        std::ranges::sort(reads);
        const auto twice = std::ranges::unique(reads);
        reads.erase(twice.begin(), twice.end());
        units = reads;
    }
    for (const Index pixel : units) x.push_back(double(pixel)), y.push_back(0);
    const double r = widest(the_layers());
    all.line(
           "", path_x, path_y,
           {.color = figure::grey, .dash = figure::solid, .width = 1, .points = false})
        .dots("", x, y, {.color = figure::blue, .shape = figure::Shape::circle})
        .line(
            "", {0, r - 1}, {-0.3, -0.3},
            {.color = figure::red, .dash = figure::solid, .width = 3, .points = false})
        .words("", {(r - 1) / 2}, {-0.6}, {fmt::format("field: {} pixels", r)},
               {.color = figure::red})
        .ylim(-0.8, 3.2)
        .save(
            "One unit at the top, the units of the layers below on which it depends, "
            "and the pixels it reads (bottom row). Red: its receptive field, from the "
            "first pixel to the last, as the equation gives it.");
}
//-

// An image has one field for its rows and one for its columns. The formula counts the pixels from the first of the
// field to the last. If a stride is larger than its kernel, some pixels between the two are not read at all. The
// formula also says where a stride helps: a stride lengthens the steps of all layers *after* it, so an early stride
// enlarges the field most. AlexNet begins with a stride of 4 and a pooling layer of stride 2
// {cite:p}`krizhevsky2012`, so a step of its third layer is already 8 pixels long.
//
// ## The effective field
//
// A pixel inside the field *can* change the unit. But how much? A pixel in the corner of the field reaches the unit
// along a single path of places, a pixel in the centre along very many. {cite:t}`luo2016` asked how the influence is
// distributed. We measure it in their way: take a network with random weights and ReLUs,
// [backpropagate](../training/backpropagation.cpp) from one unit in the middle to the pixels, and square the
// gradient. The squares are averaged over 50 networks, each with the sum 1:
Energy energy(Index depth, Index side, std::uint64_t seed) {
    Generator random(seed);
    Energy e{side, std::vector<double>(std::size_t(side * side), 0.0)};
    for (int n = 0; n < networks(); ++n) {
        const Tensor x = random.normal({1, 1, side, side}).requires_grad_();
        Tensor y = x;
        for (Index d = 0; d < depth; ++d) {
            const Tensor w = random.normal({channels(), y.size(1), 3, 3}, 0, Real(0.3));
            y = conv2d(d ? relu(y) : y, w, {}, {.padding = 1});
        }
        sum(slice(select(select(y, 3, side / 2), 2, side / 2), 1, 0, 1)).backward();
        //- each network counts equally
        std::vector<double> squares;
        double total = 0;
        for (const Real g : x.grad().values()) {
            squares.push_back(double(g) * double(g));
            total += squares.back();
        }
        if (total > 0)  // not a network without a living path
            for (std::size_t i = 0; i < squares.size(); ++i)
                e.at[i] += squares[i] / total;
        //-
    }
    return e;
}

// How wide is such a distribution? For one layer the nine pixels are equally important, and the width should be 3. So
// we define the **effective field** as the width of the square that has the same variance along a row, with equal
// energy in all its pixels. The variance of a row of $r$ equal pixels is $\sigma^2 = (r^2 - 1)/12$, for $r = 3$ it is
// $2/3$. Solved for the width, $r = \sqrt{12\,\sigma^2 + 1}$:
double effective(const Energy& e) {
    double total = 0, squares = 0;
    for (Index i = 0; i < e.side * e.side; ++i) {
        const double from_centre = double(i % e.side - e.side / 2);
        total += e.at[std::size_t(i)];
        squares += e.at[std::size_t(i)] * from_centre * from_centre;
    }
    return std::sqrt(12 * squares / total + 1);
}
// With five layers the field is 11 pixels wide and the effective field 6.5. Now compare 4 layers with 16:
void deeper() {
    //- what is asked and printed
    const double four = effective(energy(4, 15, book::seed())),  // as in the figure
        sixteen = effective(energy(16, 35, book::seed()));
    const double growth = sixteen / four;
    const double box = double(field(std::vector<Layer>(16, Layer{3, 1}))) /
                       double(field(std::vector<Layer>(4, Layer{3, 1})));
    ask("From 4 to 16 layers with kernels of 3, the receptive field grows from 9 to 33 "
        "pixels, 3.7 times. How many times does the effective field grow?",
        {{"About 4 times, like the field.", growth > 3,
          "This would be right if all paths went straight outwards. Most paths "
          "zigzag."},
         {"About 2 times.", growth > 1.5 && growth < 2.5,
          "The steps of a path add up like those of a random walk: four times as many "
          "steps carry it twice as far."},
         {"Hardly at all: the centre always dominates.", growth < 1.2,
          "The centre has most paths, but with more layers the bell does become "
          "wider."}});
    say("field {:.1f} times, effective field {:.2f} times: from {:.1f} to {:.1f} "
        "pixels",
        box, growth, four, sixteen);
    //-
}

// The reason is counting. Along a row, a path from a pixel to the unit takes one step in each layer: to the left, to
// the right, or straight on. The gradient is a sum over paths, and each path adds the product of its weights. Random
// weights are as often negative as positive, so in the mean square the products of different paths cancel, and every
// path adds the same energy. So the energy of a pixel is proportional to the number of paths that begin there, and
// these places are distributed like the ends of a **random walk**: a bell whose variance grows by $2/3$ per layer, the
// variance of one step. After $n$ layers the root contains $12 \cdot \frac23 n + 1 = 8n + 1$:
//
// $$ r_{\text{eff}} = \sqrt{8 n + 1} , \qquad r = 2n + 1 . $$
//
// {numref}`fig-effective` compares this prediction with measurements, and shows what strides do to the field.
//- how the figure is drawn
void growing() {
    Figure all("fig-effective");
    all.describe(
        "Width in pixels against the number of layers, both logarithmic. The field "
        "of plain layers rises along a line, the measured effective fields of "
        "three seeds rise half as steeply and lie on the predicted curve. The "
        "field of layers with stride two shoots up.");
    std::vector<double> depths, boxes, predicted, strided;
    for (const Index depth : {1, 2, 3, 4, 6, 8, 12, 16}) {
        depths.push_back(double(depth));
        boxes.push_back(
            double(field(std::vector<Layer>(std::size_t(depth), Layer{3, 1}))));
        predicted.push_back(std::sqrt(8 * double(depth) + 1));
        // A stride of 2 in every second layer.
        std::vector<Layer> layers;
        for (Index d = 0; d < depth; ++d) layers.push_back({3, d % 2 ? 2 : 1});
        strided.push_back(double(field(layers)));
    }
    double least = 9, most = 0;
    std::vector<double> at, widths;
    for (std::uint64_t seed = 0; seed < 3; ++seed)
        for (std::size_t i = 0; i < depths.size(); ++i) {
            const Index depth = Index(depths[i]);
            const double width =
                effective(energy(depth, 2 * depth + 1, book::seed() + 10 + seed));
            at.push_back(depths[i]), widths.push_back(width);
            least = std::min(least, width / predicted[i]);
            most = std::max(most, width / predicted[i]);
        }
    say("measured over predicted effective field, 24 measurements: {:.2f} to {:.2f}",
        least, most);
    all.line("field with strides", depths, strided, {.points = false})
        .line("field", depths, boxes, {.points = false})
        .line("effective, predicted", depths, predicted, {.points = false})
        .dots("effective, measured", at, widths)
        .log_axes()
        .x("layers")
        .y("width in pixels")
        .save(
            "The width of the receptive field and of the effective field of plain "
            "layers with kernels of 3. The effective field, measured with three seeds, "
            "grows with the root of the depth. With a stride of 2 in every second "
            "layer "
            "the field grows geometrically.");
}

void page() {
    building();
    seeing();
    spreading();
    stacks();
    deeper();
    growing();
}
//-

// All 24 measurements are between 0.97 and 1.07 times the prediction.
//
// ## Limits
//
// The formula says what a unit *could* see, and the bell what it sees before training, with random weights. Training
// changes the weights, and {cite:t}`luo2016` found that it enlarges the effective field. But a field that is too small
// is a hard limit: no training lets a unit use a pixel outside its field. Connections that skip layers make the
// effective field smaller, because a path along them has fewer steps.
//
// The name comes from physiology. {cite:t}`hartline1938` called the part of a frog's retina to which one fibre of the
// optic nerve responds the *receptive field* of the fibre, and {cite:t}`hubel1962` mapped such fields for cells in
// the visual cortex of the cat.
//
// ## Summary
//
// The receptive field is the part of the input on which a unit depends. Each layer adds $K - 1$ steps, and the length
// of a step is the product of all earlier strides, so plain layers enlarge the field by a constant and strides
// enlarge it geometrically. The effective field of plain layers grows only with the square root of the depth, because
// the paths spread like a random walk.
//
// ## What is missing
//
// You now know how much of an image a unit sees, and nothing about what it looks for. [The next page](filters.cpp)
// opens the kernels: those that engineers wrote by hand, and those that networks learn.
//
// ```{exercises}
// - [A receptive-field calculator](/exercises/components/receptive_field.md)
// ```
//
// ```{try}
// - One channel instead of eight: `--channels 1`. Why do the widths scatter more?
// - A single network instead of 50: `--networks 1`. Is the bell still smooth?
// ```
