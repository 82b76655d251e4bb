// # Orthogonal initialisation: random rotations
//
// ```{rows} sys-orthogonal-init
// ```
//
// Random weights of the right variance keep a signal's size [on average](jacobian_moments.cpp). The average is over all
// directions of the input, and single directions fare very differently: a layer stretches some and shrinks others.
// {numref}`fig-singular-values` shows what remains of each direction after a stack of linear layers. With normal
// weights nearly all directions vanish. With **orthogonal** weights, which are random rotations and reflections, every
// direction keeps its length, for any number of layers. How can random numbers be that orderly?
//
// ```{opening} fig-singular-values
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/conv.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds;
using figure::Figure;

const book::Option<Index> width("width", 16, "units of a layer, in the first figure",
                                {.least = 2, .most = 64});
const book::Option<int> seeds("seeds", 5, "number of products",
                              {.quick = 2, .least = 1, .most = 100});

// Defined further down:
std::vector<linalg::Matrix> products(nn::Init init, Index n, Index layers,
                                     Generator& random);
//-

//- how the figure is drawn, and what is checked
void singular_values() {
    const Index layers = 30;
    Figure figure("fig-singular-values");
    figure
        .describe(
            "Two panels, the singular values of a product against the number of "
            "layers, on a logarithmic axis, a line for each of 16 values. Orthogonal "
            "matrices: all lines lie at 1. Normal matrices: the lines fan out, the "
            "largest stays within a factor of ten of 1, and the smallest falls below "
            "ten to "
            "the minus 15. A slider sets the width.")
        .columns(2)
        .slider(width, "units of a layer");
    std::vector<double> places;
    for (Index l = 1; l <= layers; ++l) places.push_back(double(l));
    for (const bool orthogonal : {true, false}) {
        Generator random(book::seed());
        const nn::Init init =
            orthogonal ? nn::Init(nn::orthogonal_init) : nn::Init(nn::lecun_init);
        std::vector<std::vector<double>> lines(static_cast<std::size_t>(width()));
        for (const linalg::Matrix& product : products(init, width(), layers, random)) {
            const linalg::Vector values = linalg::singular_values(product);
            for (std::size_t k = 0; k < lines.size(); ++k)
                lines[k].push_back(values[k]);
        }
        figure.panel(orthogonal ? "orthogonal weights" : "normal weights, variance 1/d")
            .lines("", places, lines,
                   {.color = orthogonal ? figure::blue : figure::red})
            .log_y()
            .ylim(1e-16, 1e2)
            .x("layers")
            .y("singular values");
    }
    figure.save(
        "The singular values of a product of random matrices, a line for each: by what "
        "factor the stack of layers stretches each of its directions. Drag the slider: "
        "with normal weights nearly all directions vanish at every width.");
    book::shows("sys-orthogonal-init/a", "fig-singular-values");
}
//-

// ## Stretching and turning
//
// Take a layer with two units and no activation function. It doubles the first unit and halves the second. Ten such
// layers multiply the first unit by 1,024 and the second by 0.001. The variance of the signal may
// look harmless, but what the second unit carried is lost. Now take a layer that turns the plane by a quarter,
// $(x_1, x_2) \mapsto (-x_2, x_1)$. Its rows are $(0, -1)$ and $(1, 0)$. Ten such layers turn the plane ten times, and
// every vector keeps its length.
//
// In general, the **singular values** of a matrix are the factors by which it stretches its directions. A matrix is
// **orthogonal** if they are all 1. Its columns then have length 1 and are perpendicular to each other:
//
// $$ W^\top W = I $$
//
// A product of orthogonal matrices is orthogonal. So the signal can neither explode nor vanish, and the same holds for
// the gradient, which is multiplied by $W^\top$. {cite:t}`saxe2014` propose such weights. The library makes them from a
// normal matrix: it goes through the columns, normalises each and subtracts its share from all later ones. This is the
// method of Gram and Schmidt, a **QR decomposition**. {cpp:func}`~recto::nn::orthogonal_init` returns the matrix Q.
//
// A program multiplies layers and keeps every product:
std::vector<linalg::Matrix> products(nn::Init init, Index n, Index layers,
                                     Generator& random) {
    std::vector<linalg::Matrix> all;
    for (Index l = 0; l < layers; ++l) {
        const linalg::Matrix w = linalg::matrix_of(init({n, n}, random, Device::cpu));
        all.push_back(l == 0 ? w : linalg::matmul(w, all.back()));
    }
    return all;
}

// Place your bet:
//- the question, and what is checked
void condition() {
    double off = 0;
    Generator random(book::seed());
    for (const double value :
         linalg::singular_values(products(nn::orthogonal_init, 64, 100, random).back()))
        off = std::max(off, std::abs(value - 1));
    claim("sys-orthogonal-init/b",
          "the singular values of the product of 100 orthogonal 64 × 64 matrices "
          "against 1, largest deviation",
          off, "<=", 1e-5);
    std::vector<double> conditions, smallest, largest, twos, lost;
    for (int run = 0; run < seeds(); ++run) {
        Generator own(book::seed() + std::uint64_t(run));
        const auto all = products(nn::lecun_init, 64, 10, own);
        const linalg::Vector one = linalg::singular_values(all.front());
        smallest.push_back(one.back()), largest.push_back(one.front());
        std::vector<double> ratios;
        for (const linalg::Matrix& product : all)
            ratios.push_back(linalg::condition_number(product));
        conditions.push_back(ratios.back()), twos.push_back(ratios[1]);
        const auto beyond =
            std::ranges::find_if(ratios, [](double x) { return x > 1e7; });
        lost.push_back(double(beyond - ratios.begin()) + 1);
    }
    const double count = book::median(lost);
    ask("Multiply 64 × 64 matrices with normal entries of variance 1/64. A number in "
        "single precision has 7 digits. After how many matrices is the most stretched "
        "direction more than 10⁷ times as long as the least stretched one?",
        {{"After one or two.", count < 3,
          fmt::format("The product of two has a ratio of about {:.0f}.",
                      book::median(twos))},
         {"After about five.", count >= 3 && count <= 8,
          "A single matrix nearly loses one direction, and the product loses more with "
          "every layer."},
         {"After ten or more: the variance is right.", count > 8,
          "The average over directions is 1. Single directions are far from it."}});
    book::say("matrices until the ratio is above 10⁷: {}",
              book::brief(over_seeds(lost)));
    book::say(
        "the singular values of a single normal matrix, median of {}: from {:.3f} to "
        "{:.2f}",
        seeds(), book::median(smallest), book::median(largest));
    claim("sys-orthogonal-init/c",
          "the condition number of the product of 10 normal 64 × 64 matrices of "
          "variance 1/64",
          over_seeds(conditions), ">", 1e12);
}
//-

// For 100 orthogonal matrices of 64 columns the singular values of the product differ from 1 by rounding errors only.
// Five normal matrices, or four to six in single draws, bring the largest singular value above $10^7$ times the
// smallest. Single precision then loses the least stretched direction in rounding. After ten matrices the ratio is
// $1.0\times10^{13}$ (median of five products). It is the **condition number** of the product. In one of the five
// products it is printed as $7.2\times10^{16}$. Double precision has 16 digits, so a ratio of this size is rounding, and
// says only that the ratio is far above $10^{12}$. Why is it so large? A single matrix has singular values from 0.011 to
// 1.97, so it nearly loses one direction. The next matrix nearly loses another, and what is lost never returns.
//
// ## Convolutions
//
// Can a convolution be a rotation? Its weights have the shape (out, in, rows, columns). If all are zero except those in
// the middle of the kernel, the convolution multiplies the channels of each pixel by one matrix. If this matrix is
// orthogonal, the convolution keeps the norm of the image. {cite:t}`xiao2018` call this start **delta-orthogonal** and
// train convolutional networks of ten thousand layers with it. Training then fills in the rest of the kernel.
Tensor delta_orthogonal(const Shape& shape, Generator& random, Device device) {
    const Tensor weights = zeros(shape, device);
    const Tensor middle = select(select(weights, 3, shape[3] / 2), 2, shape[2] / 2);
    Tensor(middle).copy_(nn::orthogonal_init({shape[0], shape[1]}, random, device));
    return weights;
}
//- what is checked
void convolutions() {
    double off = 0;
    for (const Index kernel : {1, 3, 5, 7}) {
        Generator random(book::seed());
        const Tensor x = random.normal({4, 16, 12, 12});
        const nn::Conv2d conv(
            16, 16, kernel, random,
            {.padding = kernel / 2, .bias = false, .weights = delta_orthogonal});
        const std::vector<Real> before = norm(x, {1, 2, 3}).values(),
                                after = norm(conv(x).detach(), {1, 2, 3}).values();
        for (std::size_t i = 0; i < before.size(); ++i)
            off = std::max(off, std::abs(double(after[i]) / double(before[i]) - 1));
    }
    claim("sys-orthogonal-init/d",
          "delta-orthogonal convolutions with kernels of 1, 3, 5 and 7: the norm of an "
          "image after over before, largest deviation from 1",
          off, "<=", 1e-5);
}
//-

void page() {
    singular_values();
    condition();
    convolutions();
}

// ## Limits
//
// An orthogonal start holds for linear layers and for the first step. Training moves the weights. A tanh is nearly the
// identity for small numbers, so a tanh network with orthogonal weights stays close to a rotation at the start. A ReLU
// sets about half of its inputs to zero, which no choice of weights undoes: {cite:t}`pennington2017` show that ReLU
// networks cannot keep all singular values near 1.
//
// ## Summary
//
// A normal matrix of the right variance keeps the average length and loses single directions. A product of ten has lost
// most. Orthogonal matrices keep every direction, in any number of layers, and a delta-orthogonal convolution does the
// same for images.
//
// ## What is missing
//
// Weights are one cure for depth; [residual networks](../components/residual_networks.cpp) are another. Does a network
// with a tanh then train at any depth, and is a deeper one better? [The next page](depth_saturates.cpp) trains plain
// networks of up to 500 layers.
//
// ```{try}
// - Narrow layers: `--width 4`. How many layers can a normal product have before it has lost all directions but one?
// - Wide layers: `--width 64`. Do the singular values fan out later?
// ```
