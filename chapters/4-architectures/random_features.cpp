// # Random features: a hidden layer that is never trained
//
// ```{rows} sys-extreme-learning-machine claim-random-features-good sys-optical-random-features sys-random-features-svm
// ```
//
// An architecture works before it is trained. Take a hidden layer, draw its weights at random, and never touch them
// again. Train only the **readout**, the linear layer behind it. What remains to be solved is a least-squares problem,
// and its solution is exact. {numref}`fig-random-plane` separates two spirals in this way. Give the layer more **random
// features**, then draw other weights. How good can such a network become on images, and how much of that is owed to
// the architecture alone?
//
// ```{opening} fig-random-plane
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/classic/svm.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say, book::Study;
using data::Examples, data::Part;
using figure::Figure;
using linalg::Matrix;

const book::Option<Index> on_plane("features", 100, "random features on the plane",
                                   {.least = 1, .most = 300});
const book::Option<Index> other("other", 1, "another draw of the random weights",
                                {.least = 1, .most = 20});
const book::Option<Index> images("images", 10'000,
                                 "training images of the experiments that run here",
                                 {.quick = 1200, .least = 120, .most = 60'000});
const book::Option<Index> wide("wide", 1000, "optical features of an image",
                               {.quick = 100, .least = 10, .most = 3000});
const book::Option<int> draws("draws", 5, "draws of the random weights",
                              {.quick = 3, .least = 3, .most = 50});
//-

// ## The layer and its readout
//
// The layer maps an image to $K$ features. With a random matrix $W$ and a ReLU, feature $k$ is $\max(0, w_k \cdot x)$,
// where $w_k$ is a column of $W$. [An earlier page](../foundations/double_descent.cpp) used these features to study
// overfitting. Here a layer is any function of a batch:
using Features = std::function<Tensor(const Tensor& x)>;  // (N, ...) to (N, K)

Features dense(Index inputs, Index count, Generator& random) {
    const Real size = Real(1 / std::sqrt(double(inputs)));
    const Tensor w = random.normal({inputs, count}, 0, size);
    return [w](const Tensor& x) { return relu(matmul(flatten(x), w)); };
}
// The readout multiplies the features by a matrix. It has a column for each class, and the class with the largest
// output is the answer. Random weights with a readout by least squares are an old idea {cite:p}`schmidt1992`.
// {cite:t}`huang2006` made it known as the **extreme learning machine** (**ELM**):
struct Elm {
    Features features;  // never trained
    Tensor readout;     // V, (K, classes)
    Tensor operator()(const Tensor& x) const { return matmul(features(x), readout); }
};
// How is the readout found? Take one feature and three images, with features 1, 2, 2 and targets 0, 1, 1. The best
// weight has a closed form: the sum of the products of feature and target, $0 + 2 + 2 = 4$, divided by the sum of the
// squares, $1 + 4 + 4 = 9$. This gives 0.44. A penalty of 1 on the square of the weight is added to the divisor, which
// gives $4/10 = 0.4$. With $K$ features and all targets the same is written with matrices:
//
// $$ (\Phi^\top \Phi + \lambda I)\, V = \Phi^\top Y . $$
//
// $V$ holds the weights of the readout, $\Phi$ has a row of features for each image, and $Y$ a row of zeros with a 1 at
// the class of the image. This is **ridge regression**, from [Penalties](../training/penalties.cpp). We need only two
// sums over the images. They are added up in mini-batches, so the features of 60,000 images never stand in memory
// together:
struct Sums {
    Matrix squares, products;  // ΦᵀΦ, a square matrix, and ΦᵀY
};
//- adding one matrix to another
void add(Matrix& to, const Tensor& more) {
    const Matrix part = linalg::matrix_of(more);
    if (to.rows == 0) to = Matrix(part.rows, part.cols);
    linalg::add_scaled(to.values, 1, part.values);
}
//-
Sums sums(const Features& features, const Examples& set, Index classes = 10) {
    Sums all;
    for (const Examples& some : data::Batches(set, 1000)) {
        const Tensor phi = features(some.x), turned = transpose(phi);
        add(all.squares, matmul(turned, phi));
        add(all.products, matmul(turned, one_hot(some.labels, classes)));
    }
    return all;
}

Tensor solve(Sums all, double penalty) {
    for (Index i = 0; i < all.squares.rows; ++i) all.squares(i, i) += penalty;
    return linalg::tensor_of(linalg::cholesky_solve(all.squares, all.products));
}
// Notice what is missing: no learning rate, no epochs, no backward pass. {cpp:func}`~recto::linalg::cholesky_solve`
// solves the system in one go. For {numref}`fig-random-plane` the inputs are the two coordinates and a constant 1.
//- the spirals, and how the figure is drawn
Examples spirals(Index count, Generator& random) {
    std::vector<Real> x;
    std::vector<Index> labels;
    for (Index n = 0; n < count; ++n) {
        const double r = 0.1 + 0.9 * random.next_uniform(),
                     turn = 6 * r + std::numbers::pi * double(n % 2);
        x.push_back(Real(r * std::cos(turn) + 0.03 * random.next_normal()));
        x.push_back(Real(r * std::sin(turn) + 0.03 * random.next_normal()));
        x.push_back(1);
        labels.push_back(n % 2);
    }
    return {Tensor({count, 3}, x), Integers({count}, labels), {}, "two spirals"};
}

void plane() {
    Generator points(book::seed()), random(book::seed() + 100 * std::uint64_t(other()));
    const Examples set = spirals(200, points);
    const Features features = dense(3, on_plane(), random);
    const Elm elm{features, solve(sums(features, set, 2), 1e-3)};
    const int across = 80;
    std::vector<Real> grid;
    for (const double up : data::even_grid(across, 1.2, -1.2))
        for (const double right : data::even_grid(across, -1.2, 1.2))
            grid.push_back(Real(right)), grid.push_back(Real(up)), grid.push_back(1);
    const std::vector<Real> scores =
        elm(Tensor({Index(grid.size()) / 3, 3}, grid)).values();
    std::vector<double> field;
    for (std::size_t i = 0; i < scores.size(); i += 2)
        field.push_back(std::clamp(3 * double(scores[i + 1] - scores[i]), -1.0, 1.0));
    Figure figure("fig-random-plane");
    figure
        .describe(
            "A square plane with two interleaved spirals of dots, blue and red, on a "
            "coloured ground that shows the answer of the network. With 100 random "
            "features the border between the colours follows the spirals. Sliders set "
            "the number of features and the draw of the random weights.")
        .slider(on_plane, "random features")
        .slider(other, "draw")
        .field(-1.2, 1.2, -1.2, 1.2, across, field, "answer");
    for (const Index side : {1, 0}) {
        std::vector<double> right, up;
        for (Index n = side; n < set.size(); n += 2)
            right.push_back(double(set.x.at({n, 0}))),
                up.push_back(double(set.x.at({n, 1})));
        figure.dots(side == 1 ? "first class" : "second class", right, up,
                    {.color = side == 1 ? figure::blue : figure::red});
    }
    figure.height(420)
        .xlim(-1.2, 1.2)
        .ylim(-1.2, 1.2)
        .x("first coordinate")
        .y("second coordinate")
        .save(
            "Two spirals, and what a network with random features answers everywhere. "
            "Only its readout was computed. With a handful of features the border is "
            "too stiff. With a hundred it follows the spirals, for nearly every draw.");
    say("{} random features: {:.1f} % of the points are right", on_plane(),
        100 * nn::accuracy(elm(set.x), set.labels));
}
//-

// Gradient descent would find the same readout, only later. We check this with 100 features of 10,000 images. To make
// the comparison well conditioned, each feature is first shifted and scaled to mean 0 and variance 1 over some images.
// A last feature of 1 acts as the bias:
Features standardised(const Features& raw, const Tensor& x) {
    const Tensor phi = raw(x), middle = mean(phi, {0});
    const Tensor spread = sqrt(variance(phi, {0}) + 1e-3);
    return [=](const Tensor& x) {
        return concat({(raw(x) - middle) / spread, ones({x.size(0), 1})}, 1);
    };
}
//- the two readouts
Examples shades(const Examples& set) {  // pixels around zero, about as wide as one
    Examples moved = set;
    moved.x = set.x * 2.8 - 0.8;
    return moved;
}

Examples some(Part part, Index count) {
    const Examples& all = data::fashion_mnist(part);  // a browser has fewer
    return shades(data::slice(all, 0, std::min(count, all.size())));
}

void by_descent() {
    Generator random(book::seed());
    const Examples set = some(Part::train, images());
    const Features features = standardised(dense(784, 100, random), set.x);
    Sums all = sums(features, set);
    const double penalty = 10;
    const Matrix solved = linalg::matrix_of(solve(all, penalty));
    for (Index i = 0; i < all.squares.rows; ++i) all.squares(i, i) += penalty;
    double trace = 0;  // at least the largest curvature
    for (Index i = 0; i < all.squares.rows; ++i) trace += all.squares(i, i);
    Matrix w(solved.rows, solved.cols), speed = w;
    double first = 0, last = 1;  // the lengths of the gradient
    Index steps = 0;
    for (; steps < 20'000 && last > 1e-7 * first; ++steps) {
        Matrix gradient = linalg::matmul(all.squares, w);
        linalg::add_scaled(gradient.values, -1, all.products.values);
        last = linalg::norm(gradient.values), first = std::max(first, last);
        for (double& v : speed.values) v *= 0.95;  // momentum
        linalg::add_scaled(speed.values, -1 / trace, gradient.values);
        linalg::add_scaled(w.values, 1, speed.values);
    }
    linalg::add_scaled(w.values, -1, solved.values);
    const double apart = linalg::norm(w.values) / linalg::norm(solved.values);
    say("gradient descent with momentum: {} steps", steps);
    claim("sys-extreme-learning-machine/b",
          "the distance between the readout by gradient descent and the one by the "
          "linear solve, relative to its length",
          apart, "<=", 1e-3);
}
//-

// ## How good are they?
//
// Two things about the layer are chosen, not learned: how many features it has, and what kind. A **convolutional** layer
// of random features has random filters of $5 \times 5$ pixels with stride 2, a ReLU, and the average over windows of
// $3 \times 3$ places. Each filter gives $4 \times 4 = 16$ features:
Features convolutional(Index count, Generator& random) {
    const Tensor filters = random.normal({count / 16, 1, 5, 5}, 0, Real(0.2));
    return [filters](const Tensor& x) {
        return flatten(avg_pool2d(relu(conv2d(x, filters, {}, {.stride = 2})), 3));
    };
}
// We train readouts on all 60,000 images of Fashion-MNIST, for three draws of each layer. The penalty is the best of
// 10, 100 and 1000, judged on the last twelfth of the training images. The rival is the linear classifier: the same
// solver and the same choice of a penalty, with the 784 pixels as features. Place your bet:
//- the best penalty, and the study
Elm fit(const Features& features, const Examples& set) {
    const Index most = set.size() - set.size() / 12;
    Sums all = sums(features, data::slice(set, 0, most));
    const Examples held = data::slice(set, most, set.size());
    const Tensor phi = features(held.x);
    double highest = -1, best = 0;
    for (const double penalty : {10.0, 100.0, 1000.0}) {
        const double reached =
            nn::accuracy(matmul(phi, solve(all, penalty)), held.labels);
        if (reached > highest) highest = reached, best = penalty;
    }
    const Sums rest = sums(features, held);
    linalg::add_scaled(all.squares.values, 1, rest.squares.values);
    linalg::add_scaled(all.products.values, 1, rest.products.values);
    return {features, solve(all, best)};
}

double judge(const std::function<Tensor(const Tensor&)>& scores, const Examples& set) {
    double right = 0;
    for (const Examples& batch : data::Batches(set, 1000))
        right += nn::accuracy(scores(batch.x), batch.labels) * double(batch.size());
    return right / double(set.size());
}

enum Kind { pixels, dense_layer, conv_layer };

Study::Row train_readout(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[2]));
    const Examples train = some(Part::train, 60'000);
    const Index count = Index(cell[1]);
    const Features raw =
        cell[0] == double(pixels) ? Features([](const Tensor& x) { return flatten(x); })
        : cell[0] == double(dense_layer) ? dense(784, count, random)
                                         : convolutional(count, random);
    const Features features =
        standardised(raw, data::slice(train, 0, std::min<Index>(5000, train.size())).x);
    return {judge(fit(features, train), some(Part::test, 10'000))};
}

std::vector<Study::Row> layers() {
    std::vector<Study::Row> cells;
    for (const double count : {3000.0, 1000.0, 300.0, 100.0})
        for (const double kind : {double(conv_layer), double(dense_layer)})
            for (const double draw : {1.0, 2.0, 3.0})
                cells.push_back(
                    {kind,
                     kind == double(conv_layer) ? std::round(count / 16) * 16 : count,
                     draw});
    cells.push_back({double(pixels), 784, 1});
    return cells;
}
const Study study({"random_features",
                   {"kind", "features", "draw"},
                   {"accuracy"},
                   {"sys-extreme-learning-machine/a", "claim-random-features-good/a",
                    "claim-random-features-good/b", "claim-random-features-good/c"},
                   0.004},
                  layers(), train_readout);
//-
//- the question, and how the figure is drawn
std::vector<double> accuracies(Kind kind, double count) {
    std::vector<double> found;
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == double(kind) && row[1] == count) found.push_back(row[3]);
    return found;
}

void how_good() {
    if (!book::quick()) {
        const double again = study.measure({double(dense_layer), 100, 1})[0];
        claim("", "the distance of a cell that was done again from the kept one",
              std::abs(again - accuracies(dense_layer, 100)[0]), "<=", 0.003);
    }
    const double linear = accuracies(pixels, 784)[0];
    const std::vector<double> counts = {100, 300, 1000, 3000},
                              expected = {0.766, 0.815, 0.847, 0.868};
    const double of_100 = book::median(accuracies(dense_layer, 100)),
                 of_1000 = book::median(accuracies(dense_layer, 1000));
    ask("Random dense features know nothing about images. Can a readout of them beat "
        "the "
        "linear classifier, which sees all 784 pixels?",
        {{"No: random numbers can only lose information about the pixels.",
          of_1000 <= linear,
          "The features are random, but the readout is not, and the ReLU gives it "
          "functions of the pixels that no linear classifier has."},
         {"Yes, with 100 features.", of_100 > linear,
          "A readout of a hundred features has too few functions of the pixels."},
         {"Yes, with 1000 features.", of_100 <= linear && of_1000 > linear,
          "More features than pixels add no information. They add nonlinear functions "
          "of the pixels, and the readout chooses among them."}});
    Figure figure("fig-random-accuracy");
    figure.describe(
        "Test accuracy against the number of random features, on a logarithmic axis. "
        "Two rising lines: convolutional features lie above dense ones everywhere. A "
        "horizontal line marks the linear classifier on pixels, which the dense line "
        "crosses near 300 features.");
    std::vector<double> off(3);
    for (const Kind kind : {dense_layer, conv_layer}) {
        std::vector<double> at, middle, low, high;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            at.push_back(kind == conv_layer ? std::round(counts[i] / 16) * 16
                                            : counts[i]);
            const std::vector<double> all = accuracies(kind, at.back());
            const auto [least, most] = std::ranges::minmax(all);
            middle.push_back(book::median(all)), low.push_back(least),
                high.push_back(most);
            say("{} {:4.0f} features: accuracy {:.4f} ({:.4f} to {:.4f})",
                kind == conv_layer ? "convolutional," : "dense,        ", at.back(),
                middle.back(), least, most);
            if (kind == dense_layer)
                for (std::size_t draw = 0; draw < 3; ++draw)
                    off[draw] = std::max(off[draw], std::abs(all[draw] - expected[i]));
        }
        const figure::Color color = kind == conv_layer ? figure::ochre : figure::blue;
        figure.band("", at, low, high, {.color = color})
            .line(kind == conv_layer ? "convolutional" : "dense", at, middle,
                  {.color = color, .dash = figure::solid, .points = true});
    }
    figure.rule_y(linear, "linear classifier on pixels", {.color = figure::red})
        .log_x()
        .x("random features")
        .y("test accuracy")
        .save(
            "Test accuracy on Fashion-MNIST when only the readout is trained, median "
            "and range of three draws. Both layers are random. The convolutional layer "
            "knows that neighbouring pixels belong together, and this alone is worth "
            "one to two hundredths.");
    book::shows("claim-random-features-good/a", "fig-random-accuracy");
    say("linear classifier on 784 pixels: accuracy {:.4f}", linear);
    for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
        const double filters = std::round(counts[i] / 16) * 16,
                     reached = book::median(accuracies(conv_layer, filters)),
                     low = book::median(accuracies(dense_layer, counts[i])),
                     high = book::median(accuracies(dense_layer, counts[i + 1]));
        say("dense features to match {:4.0f} convolutional ones: {:.1f} times as many",
            filters,
            counts[i] / filters *
                std::pow(counts[i + 1] / counts[i], (reached - low) / (high - low)));
    }
    claim(
        "sys-extreme-learning-machine/a",
        "largest distance of the accuracies with 100, 300, 1000 and 3000 hidden units "
        "from 0.766, 0.815, 0.847 and 0.868",
        over_seeds(off), "<=", 0.01);
    claim("claim-random-features-good/b",
          "the same distance, for random ReLU features with a ridge readout",
          over_seeds(off), "<=", 0.01);
    std::vector<double> ahead;
    for (const double one : accuracies(dense_layer, 1000))
        ahead.push_back(one - linear);
    claim("claim-random-features-good/c",
          "accuracy with 1000 random features minus that of the linear classifier",
          over_seeds(ahead), ">", 0);
}
//-

// Both lines rise with the number of features and have not levelled off at 3000. The readout reaches 0.870 with 3000
// dense features and the linear classifier 0.811. Convolutional features are better at every size, by one to two
// hundredths. No weight of either layer has seen an image, so the difference is owed to the architecture alone: a random
// filter looks at neighbouring pixels and averages over places, and [for images that is
// right](../components/locality.cpp). To match 96, 304 or 1008 convolutional features, a dense layer needs about twice
// as many, if we interpolate between the sizes that we tried.
//
// An earlier run of ours gave 0.766, 0.815, 0.847 and 0.868 for the four dense layers. The claims compare with it.
//
// ## Features made by light
//
// A random matrix can be a piece of frosted glass. An **optical random projection** {cite:p}`saade2016` shines a laser
// through it: the pixels modulate the light, the glass mixes it, and a camera measures intensities. The mixing
// multiplies by complex random numbers. A camera sees no phase, so a sum $3 + 4\mathrm{i}$ is recorded as
// $3^2 + 4^2 = 25$. We simulate it with a complex Gaussian matrix $W$ and the features $|Wx|^2$:
Features optical(Index count, Generator& random) {
    const Real part = Real(std::sqrt(0.5));  // so that |w|² is 1 on average
    const Tensor real = random.normal({784, count}, 0, part),
                 imaginary = random.normal({784, count}, 0, part);
    return [real, imaginary](const Tensor& x) {
        const Tensor flat = flatten(x);
        return square(matmul(flat, real)) + square(matmul(flat, imaginary));
    };
}
// How does a readout compare two images? Only through the products of their features, averaged over the features. Such a
// product is a **kernel**. For many optical features it approaches
//
// $$ \lVert x_i \rVert^2 \lVert x_j \rVert^2 + (x_i \cdot x_j)^2 . $$
//
// Two equal images of length 1 have the kernel $1 + 1 = 2$, two perpendicular images $1 + 0 = 1$.
//- the kernel, and the accuracy
void light() {
    const Tensor x = flatten(data::slice(data::fashion_mnist(Part::train), 0, 100).x);
    const Tensor dots = matmul(x, transpose(x)),
                 lengths = sum(square(x), {1}, Keep::yes);
    const std::vector<Real> exact =
        (lengths * transpose(lengths) + square(dots)).values();
    std::vector<double> off, ahead;
    const Examples train = some(Part::train, images()), test = some(Part::test, 10'000);
    const Elm linear =
        fit(standardised([](const Tensor& x) { return flatten(x); }, train.x), train);
    const double of_linear = judge(linear, test);
    std::vector<double> reached;
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(book::seed() + 10 * std::uint64_t(draw));
        const Index many = book::quick() ? 1000 : 10'000;
        const Tensor phi = optical(many, random)(x);
        const std::vector<Real> found = matmul(phi, transpose(phi)).values();
        double gap = 0, whole = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            gap += std::pow(double(found[i]) / double(many) - double(exact[i]), 2);
            whole += std::pow(double(exact[i]), 2);
        }
        off.push_back(std::sqrt(gap / whole));
        if (draw >= 3) continue;
        const Elm elm = fit(
            standardised(optical(wide(), random),
                         data::slice(train, 0, std::min<Index>(5000, train.size())).x),
            train);
        reached.push_back(judge(elm, test));
        ahead.push_back(reached.back() - of_linear);
    }
    say("{} images: linear classifier {:.4f}, {} optical features {:.4f}", images(),
        of_linear, wide(), book::median(reached));
    claim(
        "sys-optical-random-features/a",
        "distance of the kernel of 100 images from the formula, with 10,000 features, "
        "relative to its length",
        over_seeds(off), "<=", 0.03);
    claim("sys-optical-random-features/b",
          "accuracy with optical features minus that of the linear classifier, with "
          "10,000 images, three draws",
          over_seeds(ahead), ">", 0);
}
//-

// ## From features to a kernel
//
// Which kernel do we want? A favourite is the **Gaussian kernel** (RBF kernel) $\exp(-\gamma \lVert x_i - x_j
// \rVert^2)$: it is 1 for equal images and falls to 0 with their distance. {cite:t}`rahimi2007` found features for it,
// the **random Fourier features**. A feature is a wave, $\cos(w_k \cdot x)$ or $\sin(w_k \cdot x)$, in a random
// direction. Let two images have $w_k \cdot x_i = 1.2$ and $w_k \cdot x_j = 0.9$. Then $\cos 1.2 \cos 0.9 + \sin 1.2
// \sin 0.9 = \cos 0.3 = 0.955$: the product depends only on the difference of the images. Averaged over normal
// directions of variance $2\gamma$, it is the Gaussian kernel.
const double fall = 0.01;  // γ

Matrix fourier(const Tensor& x, const Tensor& w) {  // w (784, K / 2), variance 2γ
    const Matrix z = linalg::matrix_of(matmul(flatten(x), w));
    Matrix phi(z.rows, 2 * z.cols);
    const double size = std::sqrt(1 / double(z.cols));
    for (Index i = 0; i < z.rows; ++i)
        for (Index j = 0; j < z.cols; ++j) {
            phi(i, 2 * j) = size * std::cos(z(i, j));
            phi(i, 2 * j + 1) = size * std::sin(z(i, j));
        }
    return phi;
}
//- the exact kernel, and the error of the features
Tensor directions(Index count, Generator& random) {
    return random.normal({784, count / 2}, 0, Real(std::sqrt(2 * fall)));
}

Matrix gaussian(const Tensor& a, const Tensor& b) {
    const Tensor left = flatten(a), right = flatten(b);
    const Tensor distances = sum(square(left), {1}, Keep::yes) +
                             transpose(sum(square(right), {1}, Keep::yes)) -
                             matmul(left, transpose(right)) * 2;
    return linalg::matrix_of(exp(distances * Real(-fall)));
}

struct Errors {
    std::vector<double> counts = {10, 30, 100, 300, 1000, 3000};
    std::vector<std::vector<double>>
        all;                     // root mean square errors, a row for each draw
    std::vector<double> slopes;  // of log error against log count
};
Errors kernel_errors() {
    Errors found;
    const Tensor x = data::slice(data::fashion_mnist(Part::train), 0, 100).x;
    const Matrix exact = gaussian(x, x);
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(book::seed() + 1000 + std::uint64_t(draw));
        std::vector<double> errors;
        double n = 0, a = 0, b = 0, aa = 0, ab = 0;
        for (const double count : found.counts) {
            const Matrix phi = fourier(x, directions(Index(count), random));
            Matrix gap = linalg::matmul(phi, linalg::transpose(phi));
            linalg::add_scaled(gap.values, -1, exact.values);
            errors.push_back(linalg::norm(gap.values) / 100);
            const double at = std::log(count), to = std::log(errors.back());
            n += 1, a += at, b += to, aa += at * at, ab += at * to;
        }
        found.all.push_back(errors);
        found.slopes.push_back((n * ab - a * b) / (n * aa - a * a));
    }
    return found;
}
//-

// These features open a door. A **support vector machine** (SVM) {cite:p}`cortes1995` is a [linear classifier with the
// widest margin](../foundations/preferences.cpp). With an exact kernel it separates with curved borders, but it
// compares every new image with training images. With random features a linear machine does nearly the same, and needs
// only a product with a matrix. Both sides use {cpp:func}`~recto::classic::one_vs_rest`, 2000 training images,
// $\gamma = 0.01$, and 1 as the price of an image inside the margin:
//- the two machines, and the study
const Index learned = 2000;
const double price = 1, violation = 1e-2;

// A matrix with the kernel as the products of its rows: the Cholesky factor.
Matrix factor(const Matrix& kernel) {
    Matrix lower(kernel.rows, kernel.rows);
    for (Index i = 0; i < kernel.rows; ++i)
        for (Index j = 0; j <= i; ++j) {
            const double rest =
                kernel(i, j) - linalg::dot({lower.row(i), std::size_t(j)},
                                           {lower.row(j), std::size_t(j)});
            lower(i, j) = i == j ? std::sqrt(rest + 1e-6) : rest / lower(j, j);
        }
    return lower;
}

Study::Row train_machine(const Study::Row& cell) {
    Generator random(book::seed() * 100 + std::uint64_t(cell[1]));
    const Examples train = data::slice(data::fashion_mnist(Part::train), 0, learned),
                   test = data::fashion_mnist(Part::test);
    const std::vector<Index> labels = train.labels.values();
    const bool exact = cell[0] == 0;
    const Tensor w = exact ? Tensor() : directions(Index(cell[0]), random);
    const classic::OneVsRest all = classic::one_vs_rest(
        exact ? factor(gaussian(train.x, train.x)) : fourier(train.x, w), labels, 10,
        price, random, violation);
    Matrix weights(exact ? learned : Index(cell[0]),
                   10);  // of the kernels, or of the features
    Tensor bias({10}, std::vector<Real>(10));
    for (Index k = 0; k < 10; ++k) {
        const classic::Svm& one = all.machines[std::size_t(k)];
        bias.set({k}, Real(one.bias));
        for (Index n = 0; n < weights.rows; ++n)
            weights(n, k) = !exact                        ? one.w[std::size_t(n)]
                            : labels[std::size_t(n)] == k ? one.alpha[std::size_t(n)]
                                                          : -one.alpha[std::size_t(n)];
    }
    return {judge(
        [&](const Tensor& x) {
            return linalg::tensor_of(linalg::matmul(
                       exact ? gaussian(x, train.x) : fourier(x, w), weights)) +
                   bias;
        },
        test)};
}

std::vector<Study::Row> machines() {
    std::vector<Study::Row> cells;
    for (const double count : {3000.0, 1000.0, 300.0, 100.0})
        for (const double draw : {1.0, 2.0, 3.0}) cells.push_back({count, draw});
    cells.push_back({0, 1});
    return cells;
}
const Study machine_study({"random_features_svm",
                           {"features", "draw"},
                           {"accuracy"},
                           {"sys-random-features-svm/a", "sys-random-features-svm/c"},
                           0.004},
                          machines(), train_machine);

std::vector<double> machine_accuracies(double count) {
    std::vector<double> found;
    for (const Study::Row& row : machine_study.frozen().rows)
        if (row[0] == count) found.push_back(row[2]);
    return found;
}

void to_a_kernel() {
    const Errors errors = kernel_errors();
    const double exact = machine_accuracies(0)[0];
    if (!book::quick())
        claim("", "the distance of a machine that was trained again from the kept one",
              std::abs(machine_study.measure({100, 1})[0] - machine_accuracies(100)[0]),
              "<=", 0.003);
    std::vector<double> law, middle, low, high, gap;
    const std::vector<double> counts = {100, 300, 1000, 3000};
    for (const double count : errors.counts) law.push_back(0.9 / std::sqrt(count));
    for (const double count : counts) {
        const std::vector<double> all = machine_accuracies(count);
        const auto [least, most] = std::ranges::minmax(all);
        middle.push_back(book::median(all)), low.push_back(least), high.push_back(most);
        say("SVM on {:4.0f} Fourier features: accuracy {:.4f} ({:.4f} to {:.4f})",
            count, middle.back(), least, most);
    }
    say("SVM with the exact kernel: accuracy {:.4f}", exact);
    for (const double one : machine_accuracies(3000))
        gap.push_back(std::abs(one - exact));
    Figure("fig-fourier")
        .describe(
            "Two panels over the number of random Fourier features, on a logarithmic "
            "axis. On the left the error of the kernel falls along a straight line "
            "from "
            "about 0.2 to 0.01. On the right the accuracy of the support vector "
            "machine "
            "rises towards the horizontal line of the exact kernel.")
        .panel("error of the kernel")
        .lines("draws", errors.counts, errors.all, {.color = figure::blue})
        .line("0.9 / √K", errors.counts, law,
              {.color = figure::grey, .dash = figure::dashed, .points = false})
        .log_axes()
        .x("random Fourier features K")
        .y("root mean square error")
        .panel("accuracy of the SVM")
        .band("", counts, low, high, {.color = figure::blue})
        .line("", counts, middle,
              {.color = figure::blue, .dash = figure::solid, .points = true})
        .rule_y(exact, "exact kernel", {.color = figure::red})
        .log_x()
        .x("random Fourier features K")
        .y("test accuracy")
        .save(
            "Left: the error of the kernel over 100 images falls like one over the "
            "root of "
            "the number of features. Right: the accuracy of a linear SVM on these "
            "features, "
            "with 2000 training images, approaches that of the exact kernel; median "
            "and range of three draws.");
    book::shows("sys-random-features-svm/a", "fig-fourier");
    claim_in(
        "sys-random-features-svm/b",
        "exponent of the power law by which the error of the kernel falls with the "
        "number of features",
        over_seeds(errors.slopes), -0.6, -0.4);
    claim("sys-random-features-svm/c",
          "difference of the accuracies with 3000 random features and with the exact "
          "kernel",
          over_seeds(gap), "<=", 0.02);
}
//-

// {numref}`fig-fourier` shows both. The error of the kernel falls by a factor of ten when the features are a hundred
// times as many. The accuracy follows: 0.750 with 100 features, 0.814 with 3000, and 0.818 with the exact kernel.

void page() {
    plane();
    by_descent();
    how_good();
    light();
    to_a_kernel();
}

// ## Limits
//
// Random features are a baseline, not a goal. The layer with 3000 features multiplies by 2.4 million random weights
// to reach 0.870. [LeNet](lenet.cpp), with 105,506 trained parameters, reaches 0.906 after ten epochs. Features that
// are trained can adapt to the task, and random ones must be many in place of good. Nor does the optical unit on this
// page save anything: we multiply by its matrix in the usual way. The glass would do it without a multiplication.
//
// ## Summary
//
// A random hidden layer with a trained readout is a network whose training is one linear system. On Fashion-MNIST, 1000
// random ReLU features beat the linear classifier on pixels by 0.035 to 0.037, and random convolutional features beat
// dense ones. What many random features compute is a kernel: intensities of light and random waves give kernels with
// simple formulas, and a linear machine on them does nearly what the exact kernel does.
//
// ## What is missing
//
// The features classify well, so they must keep something of the image. [The next page](random_projections.cpp) measures
// how much.
//
// ```{try}
// - A stiff border: `--features 5`. How many random features do the spirals need?
// - Brighter light: `--wide 3000`. How far does the optical readout get with 10,000 images?
// ```
