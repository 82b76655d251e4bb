// # Transposed convolution: from small to large
//
// ```{rows} sys-transposed-conv fig-4.1 fig-4.2
// ```
//
// A [convolution](convolution.cpp) keeps the size of an image or [shrinks it](convolution_options.cpp). Some networks
// need the opposite, **upsampling**: segmentation labels every pixel, and a generator makes an image from a few
// numbers. Which layer enlarges its input? A convolution *reads* a window for each output. Let each input *write* a
// window instead: each input adds a multiple of the kernel to the output. This is a **transposed convolution**, or
// *upconvolution*. What is transposed about it? And why do images from such layers often show a checkerboard?
// {numref}`fig-4.1` shows both layers at work on the same signal. Move the slider from left to right.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using figure::Figure, figure::Names;

const book::Option<Index> shown("image", 0, "image of the test set that is enlarged",
                                {.least = 0, .most = 9999});

Names numbered(Index count) {
    Names names;
    for (Index i = 0; i < count; ++i) names.push_back(fmt::format("{}", i));
    return names;
}
double largest(const Tensor& x) { return double(max(abs(x)).item()); }
// The largest difference, as a share of the largest number.
double gap(const Tensor& a, const Tensor& b) { return largest(a - b) / largest(b); }
//-

//- how the figure is drawn
void strips() {
    const Tensor x({1, 1, 12}, {0, 2, 0, 0, 0, -1, 1, 0, 3, 0, 0, 1}),
        w({1, 1, 4}, {1, 3, 2, -1});
    const Tensor y = conv1d(x, w), z = conv_transpose1d(x, w);
    const std::vector<Real> input = x.values(), kernel = w.values();
    std::vector<double> stops;
    for (Index t = 0; t < 12; ++t) stops.push_back(double(t));
    Figure all("fig-4.1");
    all.describe(
           "Two panels of three rows of cells. Left, the convolution: a red frame "
           "around four cells of the input, the four products with the kernel below "
           "them, and their sum in one framed cell of the output. Right, the "
           "transposed convolution: a red frame around one cell of the input, the "
           "kernel multiplied by this number below it, and four framed cells of the "
           "output to which the products are added. A slider moves along the input; "
           "both outputs fill up.")
        .columns(2)
        .height(170)
        .slider("place", stops, "place in the input", 5);
    const auto row_of = [](Index from, Index count) {
        Names names;
        for (Index i = from; i < from + count; ++i)
            names.push_back(fmt::format("{}", i));
        return names;
    };
    const auto cells = [](const std::vector<double>& row, Index width,
                          std::vector<double>& all_rows) {
        for (Index i = 0; i < width; ++i)
            all_rows.push_back(i < Index(row.size()) ? row[std::size_t(i)] : NAN);
    };
    std::vector<double> first(input.begin(), input.end()), read(9, NAN), written(15);

    all.panel("convolution");
    for (Index t = 0; t < 12; ++t) {
        std::vector<double> products(12, NAN), rows;
        if (t < 9) {
            read[std::size_t(t)] = 0;
            for (Index k = 0; k < 4; ++k) {
                products[std::size_t(t + k)] =
                    double(kernel[std::size_t(k)]) * double(input[std::size_t(t + k)]);
                read[std::size_t(t)] += products[std::size_t(t + k)];
            }
        }
        cells(first, 12, rows), cells(products, 12, rows), cells(read, 12, rows);
        all.at(double(t)).heatmap("", numbered(12), {"input", "products", "output"},
                                  rows, -9, 9);
        if (t < 9) {
            Names places = row_of(t, 4), which(4, "input");
            places.push_back(row_of(t, 1)[0]), which.push_back("output");
            all.frame(places, which);
        }
    }
    all.always().x("place").panel("transposed convolution");
    for (Index t = 0; t < 12; ++t) {
        std::vector<double> products(15, NAN), rows;
        for (Index k = 0; k < 4; ++k) {
            products[std::size_t(t + k)] =
                double(kernel[std::size_t(k)]) * double(input[std::size_t(t)]);
            written[std::size_t(t + k)] += products[std::size_t(t + k)];
        }
        cells(first, 15, rows), cells(products, 15, rows), cells(written, 15, rows);
        Names places = row_of(t, 4), which(4, "output");
        places.push_back(row_of(t, 1)[0]), which.push_back("input");
        all.at(double(t))
            .heatmap("", numbered(15), {"input", "products", "output"}, rows, -9, 9)
            .frame(places, which);
    }
    all.always().x("place").save(
        "The same twelve numbers and the same kernel, $(1, 3, 2, -1)$. The convolution "
        "reads four inputs, and their products with the kernel add up to one output. "
        "The transposed convolution multiplies the whole kernel by one input and adds "
        "it to four outputs. Twelve numbers become 9 by the first and 15 by the "
        "second. After Figure 4.1 of {cite:t}`fleuret2023`, from its description.");
    claim("fig-4.1/c", "numbers that the convolution returns", y.size(2), "==", 9);
    claim("fig-4.1/d", "numbers that the transposed convolution returns", z.size(2),
          "==", 15);
    const std::vector<Real> by_conv = y.values(), by_transposed = z.values();
    claim_true("fig-4.1/b",
               "at the last place the outputs in the figure are those of the layers",
               std::ranges::equal(read, by_conv) &&
                   std::ranges::equal(written, by_transposed));
    book::shows("fig-4.1/a", "fig-4.1");
}
//-

// ## Each number adds a copy of the kernel
//
// Take the kernel $w = (3, 1, -1)$ and two inputs, $y = (1, 2)$. The first input adds $1 \cdot (3, 1, -1)$ at place
// 0, and the second adds $2 \cdot (3, 1, -1)$ at place 1. The copies overlap, and where they do they add up: the
// output is $(3, 7, 1, -2)$. With a stride of 2 the second copy begins at place 2 instead, and the output is
// $(3, 1, 5, 2, -2)$. So here a larger stride makes a *larger* output. In general
//
// $$ z_s = \sum_{t,\, k \,:\; tS + k = s} w_k \, y_t . $$
//
// The last of the $T$ copies begins at place $(T - 1) S$ and has $K$ numbers, so the output has $(T - 1) S + K$
// places {cite:p}`fleuret2023`. In the program, each input writes:
std::vector<double> scatter(const std::vector<double>& y, const std::vector<double>& w,
                            std::size_t S) {
    std::vector<double> z((y.size() - 1) * S + w.size());
    for (std::size_t t = 0; t < y.size(); ++t)
        for (std::size_t k = 0; k < w.size(); ++k) z[t * S + k] += w[k] * y[t];
    return z;
}
//- the example, and the sizes of many outputs
void scattering() {
    for (const Index S : {1, 2}) {
        const std::vector<double> z = scatter({1, 2}, {3, 1, -1}, std::size_t(S));
        say("stride {}, loops:   ({})", S, fmt::join(z, ", "));
        const std::vector<Real> same =
            conv_transpose1d(Tensor({1, 1, 2}, {1, 2}), Tensor({1, 1, 3}, {3, 1, -1}),
                             {}, {.stride = S})
                .values();
        say("stride {}, library: ({})", S, fmt::join(same, ", "));
    }
    Index checked = 0, wrong = 0;
    for (Index T = 1; T <= 20; ++T)
        for (Index K = 1; K <= 7; ++K)
            for (Index S = 1; S <= 4; ++S) {
                const Tensor image = conv_transpose2d(
                    zeros({1, 1, T, 3}), zeros({1, 1, K, 2}), {}, {.stride = {S, 5}});
                const Tensor series = conv_transpose1d(
                    zeros({1, 1, T}), zeros({1, 1, K}), {}, {.stride = S});
                const std::size_t size =
                    scatter(std::vector<double>(std::size_t(T)),
                            std::vector<double>(std::size_t(K)), std::size_t(S))
                        .size();
                ++checked;
                wrong += series.size(2) != (T - 1) * S + K ||
                         image.size(2) != (T - 1) * S + K || image.size(3) != 12 ||
                         Index(size) != (T - 1) * S + K;
            }
    say("{} settings were checked, for a series and an image", checked);
    claim("sys-transposed-conv/b",
          "settings for which an output does not have (T − 1) S + K places", wrong,
          "==", 0);
}
//-

// ## What is transposed
//
// A convolution is a [dense layer](convolution.cpp) with a special matrix $W$: row $t$ holds the kernel from column
// $tS$ on. For two windows with a stride of 2,
//
// $$ W = \begin{pmatrix} 3 & 1 & -1 & 0 & 0 \cr 0 & 0 & 3 & 1 & -1 \end{pmatrix} . $$
//
// The convolution $W x$ takes 5 numbers to 2. Now flip the matrix along its diagonal. $W^\top$ has 5 rows and 2
// columns, and its *columns* are copies of the kernel. So $W^\top y$ multiplies the first copy by $y_0$ and the second
// by $y_1$ and adds them, which is the transposed convolution. A matrix and its transpose are **adjoint** to each
// other, which means that for all $x$ and $y$
//
// $$ \langle W x,\, y \rangle = \langle x,\, W^\top y \rangle . $$
//
// The brackets stand for the scalar product. Try it with $x = (1, 0, 2, 0, 0)$ and $y = (1, 2)$. Left, $W x = (1, 6)$
// and $1 \cdot 1 + 6 \cdot 2 = 13$. Right, the example gave $W^\top y = (3, 1, 5, 2, -2)$, and
// $1 \cdot 3 + 2 \cdot 5 = 13$. For images the library's two functions obey the same rule, with the same weights:
double adjoint_error(Index stride, Generator& random) {
    const Tensor w = random.uniform({4, 3, 2, 5}), y = random.uniform({2, 4, 5, 6});
    const Tensor spread = conv_transpose2d(y, w, {}, {.stride = stride});
    const Tensor x = random.uniform(spread.shape());
    const double left = double(sum(conv2d(x, w, {}, {.stride = stride}) * y).item()),
                 right = double(sum(x * spread).item());
    return std::abs(left - right) / std::abs(left);
}
//- the same for series, and what is checked
// All numbers are positive, so that sums do not cancel and the relative difference
// measures rounding alone. Positive vectors span the space, so the rule needs no others.
double adjoint_error_1d(Index stride, Generator& random) {
    const Tensor w = random.uniform({4, 3, 5}), y = random.uniform({2, 4, 6});
    const Tensor spread = conv_transpose1d(y, w, {}, {.stride = stride});
    const Tensor x = random.uniform(spread.shape());
    const double left = double(sum(conv1d(x, w, {}, {.stride = stride}) * y).item()),
                 right = double(sum(x * spread).item());
    return std::abs(left - right) / std::abs(left);
}
void adjoint() {
    Generator random(book::seed());
    double worst = 0;
    for (const Index stride : {1, 2, 3})
        worst = std::max(
            {worst, adjoint_error(stride, random), adjoint_error_1d(stride, random)});
    claim("sys-transposed-conv/a",
          "the largest relative difference of the two scalar products, in 1-D and 2-D, "
          "strides of 1 to 3",
          worst, "<=", 1e-5);
    const Tensor x({1, 1, 5}, {1, 0, 2, 0, 0}), w({1, 1, 3}, {3, 1, -1});
    const ConvOptions two{.stride = 2};
    say("there and back: ({})",
        fmt::join(conv_transpose1d(conv1d(x, w, {}, two), w, {}, two).values(), ", "));
}
//-

// The transpose is not the inverse. If you send $x = (1, 0, 2, 0, 0)$ through the convolution and the result through
// the transposed convolution, you get 5 numbers again, $(3, 1, 17, 6, -6)$, but not $x$. The name *deconvolution*
// goes back to {cite:t}`zeiler2010`. In signal processing it means the inverse, so this book avoids it.
//
// ## Images
//
// In an image the kernel is a patch, and there are channels. A convolution turns the patch of $D \times K \times K$
// numbers around a place into a vector of $D'$ numbers. A transposed convolution turns the vector of $D$ numbers at a
// place into a patch of $D' \times K \times K$ numbers, and adds it to the output. {numref}`fig-4.2` shows one place.
// The library calls this {cpp:func}`~recto::conv_transpose2d`, and the layer with weights
// {cpp:class}`~recto::nn::ConvTranspose2d`. Here is the layer without its bias as a program, for one image:
Tensor patches(const Tensor& x, const Tensor& w, Index S) {
    const Index high = x.size(1), wide = x.size(2), out = w.size(1), K = w.size(2);
    const Tensor z = zeros({out, (high - 1) * S + K, (wide - 1) * S + K});
    for (Index r = 0; r < high; ++r)
        for (Index c = 0; c < wide; ++c) {
            const Tensor vector =
                             reshape(select(select(x, 2, c), 1, r), {1, x.size(0)}),
                         patch = matmul(vector, reshape(w, {x.size(0), out * K * K}));
            Tensor at = slice(slice(z, 1, r * S, r * S + K), 2, c * S, c * S + K);
            at.copy_(at + reshape(patch, {out, K, K}));
        }
    return z;
}
//- how the figure is drawn, and what is checked
// The channels of an image side by side, with gaps.
std::vector<double> beside(const Tensor& maps, Index slots) {
    const Index high = maps.size(1), wide = maps.size(2);
    std::vector<double> cells;
    for (Index r = 0; r < high; ++r)
        for (Index c = 0; c < slots * (wide + 1) - 1; ++c) {
            const Index channel = c / (wide + 1), column = c % (wide + 1);
            cells.push_back(column < wide && channel < maps.size(0)
                                ? double(maps.at({channel, r, column}))
                                : NAN);
        }
    return cells;
}
void patch_to_vector() {
    Generator random(book::seed());
    const Tensor x = random.normal({1, 2, 6, 6}),
                 w = random.normal({4, 2, 3, 3}, 0, Real(0.4));
    const auto transposed_weights = [&](Index out) {
        return contiguous(transpose(slice(w, 0, 0, out), 0, 1));
    };
    double worst = 0;
    for (Index out = 1; out <= 4; ++out) {
        const Tensor v = transposed_weights(out), z = conv_transpose2d(x, v);
        worst =
            std::max(worst, gap(reshape(patches(select(x, 0, 0), v, 1), z.shape()), z));
    }
    claim("fig-4.2/b",
          "the largest difference between the sum of patches and the layer, as a share "
          "of the largest output, for 1 to 4 output channels",
          worst, "<=", 1e-6);

    const Index row = 1, column = 2;
    const auto framed = [&](Index channels, Index wide, Index r, Index c, Index side) {
        std::pair<Names, Names> names;
        for (Index channel = 0; channel < channels; ++channel)
            for (Index i = 0; i < side * side; ++i) {
                names.first.push_back(
                    fmt::format("{}", channel * (wide + 1) + c + i % side));
                names.second.push_back(fmt::format("{}", r + i / side));
            }
        return names;
    };
    Figure all("fig-4.2");
    all.describe(
           "Four panels. Above, the convolution: two channels of six by six cells, in "
           "each a red frame around three by three cells; and the output, up to four "
           "channels of four by four cells, with one framed cell in each. Below, the "
           "transposed convolution: the same two channels with one framed cell in "
           "each; and up to four channels of eight by eight cells that are empty but "
           "for a framed patch of three by three cells. A slider sets the number of "
           "output channels.")
        .columns(2)
        .height(150)
        .slider("out", {1, 2, 3, 4}, "output channels D′", 4);
    const auto input = [&](const char* title, Index r, Index c, Index side) {
        const auto [places, rows] = framed(2, 6, r, c, side);
        all.panel(title).bare();
        for (Index out = 1; out <= 4; ++out)
            all.at(double(out))
                .heatmap("", numbered(13), numbered(6), beside(select(x, 0, 0), 2), -3,
                         3)
                .frame(places, rows);
        all.always();
    };
    input("convolution reads a patch", row, column, 3);
    all.panel("… and writes a vector").bare();
    for (Index out = 1; out <= 4; ++out) {
        const auto [places, rows] = framed(out, 4, row, column, 1);
        const Tensor y = select(conv2d(x, slice(w, 0, 0, out)), 0, 0);
        all.at(double(out))
            .heatmap("", numbered(19), numbered(4), beside(y, 4), -3, 3)
            .frame(places, rows);
    }
    all.always();
    input("transposed convolution reads a vector", row, column, 1);
    all.panel("… and adds a patch").bare();
    Tensor alone = zeros({1, 2, 6, 6});  // all of x but this place is zero
    for (Index i = 0; i < 2; ++i)
        alone.set({0, i, row, column}, x.at({0, i, row, column}));
    for (Index out = 1; out <= 4; ++out) {
        const auto [places, rows] = framed(out, 8, row, column, 3);
        const Tensor z = select(conv_transpose2d(alone, transposed_weights(out)), 0, 0);
        all.at(double(out))
            .heatmap("", numbered(35), numbered(8), beside(z, 4), -3, 3)
            .frame(places, rows);
    }
    all.always().save(
        "One place of a convolution (above) and of a transposed convolution (below); "
        "channels stand side by side. The convolution maps the patch of $2 \\times 3 "
        "\\times 3$ numbers to a vector of $D'$ numbers, the transposed convolution "
        "the "
        "vector of 2 numbers to a patch of $D' \\times 3 \\times 3$ numbers. Its "
        "output "
        "is the sum of the patches of all places. After Figure 4.2 of "
        "{cite:t}`fleuret2023`.");
    book::shows("fig-4.2/a", "fig-4.2");
}
//-

// ## The backward pass of a convolution
//
// Every training of a convolutional network uses transposed convolutions. Let $g$ be the gradient that arrives at the
// output $W x$. The loss changes by $\langle W \Delta x,\, g \rangle$ if the input changes by a tiny $\Delta x$. The
// adjoint turns this into $\langle \Delta x,\, W^\top g \rangle$, so the gradient with respect to the input is
// $W^\top g$. In the [backward pass](../training/backpropagation.cpp) a convolution sends the transposed convolution of
// the gradient to its input, with the same kernel and stride:
void backward() {
    Generator random(book::seed());
    const Tensor x = random.normal({1, 3, 11, 11}).requires_grad_(),
                 w = random.normal({4, 3, 3, 3});
    const Tensor y = conv2d(x, w, {}, {.stride = 2}), g = random.normal(y.shape());
    sum(y * g).backward();  // so the gradient at y is g
    const Tensor written = patches(select(g, 0, 0), w, 2);
    //- what is checked
    claim("",
          "the largest difference between the gradient of a convolution and the sum of "
          "patches, as a share of the largest gradient",
          gap(reshape(x.grad(), written.shape()), written), "<=", 1e-5);
    const Tensor small = random.normal({1, 4, 5, 5}).requires_grad_();
    const Tensor z = conv_transpose2d(small, w, {}, {.stride = 2}),
                 h = random.normal(z.shape());
    sum(z * h).backward();
    say("the other way round: relative difference {:.1g}",
        gap(small.grad(), conv2d(h, w, {}, {.stride = 2})));
    //-
}

// The rule also holds the other way round: a transposed convolution sends the convolution of the gradient to its input.
//
// ## The checkerboard
//
// How many copies of the kernel reach each output? Before you read on:
//- the question, and the number of copies
// How many inputs write to each place of the output.
std::vector<Real> copies(Index K, Index S, Index inputs) {
    return conv_transpose1d(ones({1, 1, inputs}), ones({1, 1, K}), {}, {.stride = S})
        .values();
}
// The numbers of copies that occur away from the borders.
std::set<Real> kinds(Index K, Index S) {
    const std::vector<Real> all = copies(K, S, 24);
    return {all.begin() + K, all.end() - K};
}
void overlaps() {
    const Tensor image =
        conv_transpose2d(ones({1, 1, 12, 12}), ones({1, 1, 3, 3}), {}, {.stride = 2});
    const std::vector<Real> inside =
        contiguous(slice(slice(image, 2, 4, 20), 3, 4, 20)).values();
    const std::set<Real> found(inside.begin(), inside.end());
    ask("A white image, all ones, goes through a transposed convolution with a stride "
        "of 2 and a kernel of 3 × 3 ones. How many different numbers does the output "
        "contain, away from its borders?",
        {{"One: all inputs are equal, and all weights too.", found.size() == 1,
          "The inputs are equal, but not all outputs get equally many of them."},
         {"Two, like the fields of a chessboard.", found.size() == 2,
          "This is right for a signal: its places get 2, 1, 2, 1, … copies. In an "
          "image, rows and columns multiply."},
         {"Three.", found.size() == 3,
          "Rows get two copies or one, and so do columns. The products are 4, 2 and "
          "1."},
         {"Nine, one for each weight.", found.size() == 9,
          "All weights are equal, so only the number of copies counts."}});
    say("numbers in the output: {}", fmt::join(found, ", "));
    Index wrong = 0;
    for (Index K = 1; K <= 9; ++K)
        for (Index S = 1; S <= 4; ++S)
            wrong += (kinds(K, S).size() == 1) != (K % S == 0);
    claim("",
          "of 36 pairs of kernel and stride, those with equal copies although the "
          "stride does not divide the kernel, or the reverse",
          wrong, "==", 0);
}
//-

// The reason is division. A weight $w_k$ writes to the places $tS + k$, so place $s$ is reached by the weights $k$
// that have the same remainder as $s$ when divided by $S$. If $S$ divides $K$, each remainder has $K / S$ weights.
// Otherwise some remainders have one weight more than others, and their places get one copy more: a **checkerboard**
// {cite:p}`odena2016`. {numref}`fig-checkerboard` shows the copies, and what an untrained network draws with such
// layers.
//- how the figure is drawn
// Two layers with random weights that enlarge an image four times.
Tensor untrained(Tensor x, Index K, bool resized) {
    const NoGrad only_asking;
    Generator random(book::seed());
    for (int layer = 0; layer < 2; ++layer) {
        const Index in = layer ? 16 : 1, out = layer ? 1 : 16;
        const Tensor w = random.normal({in, out, K, K}, 0, Real(1) / Real(K));
        if (layer) x = relu(x);
        x = resized
                ? conv2d(upsample_nearest(x, 2), contiguous(transpose(w, 0, 1)), {},
                         {.padding = (K - 1) / 2})
                : conv_transpose2d(
                      x, w, {},
                      {.stride = 2, .padding = (K - 1) / 2, .output_padding = K % 2});
    }
    return x;
}
void boards() {
    const Tensor image =
        reshape(slice(data::fashion_mnist(data::Part::test).x, 0, shown(), shown() + 1),
                {1, 1, 28, 28});
    const Tensor small = avg_pool2d(image, 4);
    Figure all("fig-checkerboard");
    all.describe(
           "Three panels. Left, the number of copies that reach each of nine by nine "
           "outputs: for a kernel of 3, a regular pattern of 4, 2 and 1; for a kernel "
           "of 4, all equal. Middle, an image of 28 by 28 pixels drawn by random "
           "transposed convolutions: a fine regular pattern covers it. Right, drawn by "
           "resizing and convolving: without a pattern. A slider sets the kernel.")
        .columns(3)
        .height(166)
        .slider("kernel", {2, 3, 4, 5, 6}, "width of the kernel", 3)
        .panel("copies, stride 2");
    for (Index K = 2; K <= 6; ++K) {
        const Tensor counts = conv_transpose2d(ones({1, 1, 12, 12}), ones({1, 1, K, K}),
                                               {}, {.stride = 2});
        all.at(double(K)).heatmap(
            "copies", numbered(8), numbered(8),
            contiguous(slice(slice(counts, 2, 6, 14), 3, 6, 14)).values(), 0, 9);
    }
    all.always().x("column").y("row").panel("transposed").bare();
    for (Index K = 2; K <= 6; ++K)
        all.at(double(K)).heatmap("", numbered(28), numbered(28),
                                  untrained(small, K, false).values());
    all.always().panel("resized, kernel 3").bare();
    all.heatmap("", numbered(28), numbered(28), untrained(small, 3, true).values());
    all.save(
        "*copies*: how many copies of the kernel reach each output. *transposed* and "
        "*resized*: what two untrained layers make of an image of $7 \\times 7$ "
        "pixels. Transposed convolutions draw a grid for every kernel; resizing before "
        "each convolution draws none.");
}
//-

// Gradients show the same pattern, since the backward pass of a convolution with stride 2 is such a layer: of four
// pixels in a square, a kernel of 3 reads one in four windows, two in two windows, and one in a single window.
//
// ## Resize, then convolve
//
// With a kernel of 4 and a stride of 2 every output gets equally many copies, and equal weights draw no pattern. But
// move the slider to 4: the random weights still do. Equal counts are not equal sums. Each of the four kinds of
// pixels reads *its own* quarter of the weights, and the sums of random quarters differ. {cite:t}`odena2016`
// recommend two steps instead: resize the image by copying each pixel, and then apply an ordinary convolution:
Tensor enlarge(const Tensor& x, const Tensor& w) {
    return conv2d(upsample_nearest(x, 2), w, {}, {.padding = 1});
}
//- a white image through random kernels
void white() {
    const auto spread = [](const Tensor& y) {  // away from the borders
        const Index side = y.size(2);
        const Tensor inside = slice(slice(y, 2, 6, side - 6), 3, 6, side - 6);
        return double((max(inside) - min(inside)).item()) / largest(inside);
    };
    double flat = 0, three = HUGE_VAL, four = HUGE_VAL;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        Generator random(book::seed() + seed);
        const Tensor x = ones({1, 1, 12, 12});
        const double by_three = spread(conv_transpose2d(x, random.normal({1, 1, 3, 3}),
                                                        {}, {.stride = 2})),
                     by_four = spread(conv_transpose2d(x, random.normal({1, 1, 4, 4}),
                                                       {}, {.stride = 2})),
                     by_resizing = spread(enlarge(x, random.normal({1, 1, 3, 3})));
        say("seed {}: kernel 3 {:.2f}, kernel 4 {:.2f}, resized {:.1g}",
            book::seed() + seed, by_three, by_four, by_resizing);
        flat = std::max(flat, by_resizing);
        three = std::min(three, by_three), four = std::min(four, by_four);
    }
    claim("",
          "resized: the largest difference between two pixels, as a share of the "
          "largest",
          flat, "<=", 1e-5);
    claim("", "transposed, kernels of 3 and 4: the same, at least",
          std::min(three, four), ">", 0.1);
    // The kernel of 4 that does the same: what becomes of a single bright pixel.
    Generator random(book::seed());
    const Tensor w = random.normal({1, 1, 3, 3}), x = random.normal({1, 1, 9, 9});
    Tensor pixel = zeros({1, 1, 3, 3});
    pixel.set({0, 0, 1, 1}, 1);
    const Tensor tied = contiguous(slice(slice(enlarge(pixel, w), 2, 1, 5), 3, 1, 5));
    claim(
        "",
        "the largest difference between resizing with a kernel of 3 and a transposed "
        "convolution with a kernel of 4, as a share of the largest output",
        gap(conv_transpose2d(x, tied, {}, {.stride = 2, .padding = 1}), enlarge(x, w)),
        "<=", 1e-5);
}

void page() {
    strips();
    scattering();
    adjoint();
    patch_to_vector();
    backward();
    overlaps();
    boards();
    white();
}
//-

// We send a white image through random kernels. After transposed convolutions the brightest and the darkest pixel
// differ by 0.59 to 2.00 times the largest number, and a kernel of 4 does not remove the pattern. After resizing all
// pixels are equal, for any weights, because all windows of a white image are equal. Resizing followed by a kernel of
// 3 is itself a transposed convolution with a kernel of 4, but one whose weights are tied so that all four quarters
// have the same sum.
//
// ## Limits and origins
//
// The images come from untrained layers. Training can make the sums equal, but nothing in the layer keeps them
// equal. Resizing costs more: each output takes 9 multiplications for each channel, with a transposed kernel of 4
// only 4. A second limit is the size. A convolution with a stride of 2 and a kernel of 3 turns 11 numbers into 5, and
// also 12. Its transpose must choose: it returns 11, and the option `output_padding` adds the twelfth.
//
// {cite:t}`zeiler2014` sent activations backwards through such layers to see which pixels had caused them.
// {cite:t}`long2015` used them to label every pixel of an image, {cite:t}`radford2016` to generate images, and
// {cite:t}`dumoulin2016` draw all their settings.
//
// ## Summary
//
// In a transposed convolution each input adds a multiple of the kernel to the output, so $T$ places become
// $(T - 1) S + K$. Its matrix is the transpose of the convolution's, which makes it the backward pass of the
// convolution and not its inverse. If the stride does not divide the kernel, the outputs get different numbers of
// copies and a checkerboard appears; resizing followed by a convolution avoids it.
//
// ## What is missing
//
// You can now follow a gradient from one output back to the pixels it came from. Which pixels are these, in a network
// of many layers? And do all of them matter? [The next page](receptive_field.cpp) uses the backward pass to find out.
//
// ```{try}
// - Other weights: `--seed 2`. Which kernels draw a pattern now?
// - Another garment: `--image 1`.
// ```
