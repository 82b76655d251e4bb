// # Hand-made features: designing what to see, or how to learn it
//
// ```{rows} claim-features-vs-architecture
// ```
//
// OPENING
//
// ```{opening} fig-strokes
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/products.hpp>
#include <recto/linalg/solve.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Examples, data::Part;
using figure::Figure, figure::Names;
using linalg::Matrix;
using Numbers = std::vector<double>;
using Features = std::function<Tensor(const Tensor& x)>;  // (N, 1, 28, 28) to (N, K)

const book::Option<Index> first("first", 0, "number of the first image that is drawn",
                                {.least = 0, .most = 1990});
const Index side = 28, cell = 4, cells = side / cell, bins = 8;
//-

// ## From pixels to directions
//
// Take three rows of three pixels, $(0, 0, 0)$, $(0, 1, 2)$ and $(0, 2, 2)$. The pixel in the middle has 2 to one side of it
// and 0 to the other, so its brightness grows by 2 across. It also grows by 2 downward. This is a **gradient**: its length is
// $\sqrt{2^2 + 2^2} = 2.83$, and its angle is 45°. It says that an edge runs through the pixel, at a right angle to this
// direction, and how strong it is. It does not say how bright the pixel is.
//
// Now count directions. We divide the half circle into 8 **bins** of 22.5°, with their centres at 0°, 22.5°, 45° and so on, and
// the image into $7 \times 7$ **cells** of $4 \times 4$ pixels. Each pixel adds the length of its gradient to a bin of its cell. An
// angle of 45° is the centre of a bin. An angle of 30° is a third of the way from 22.5° to 45°, so two thirds of
// the length go to the first of these bins and a third goes to the second. Opposite directions count as the same:
// a dark sleeve on a light ground has the same edges as a light sleeve on a dark one.
Tensor histograms(const Tensor& x) {  // to (N, cells, cells, bins)
    const Index n = x.size(0);
    const std::vector<Real> pixels = x.values();
    std::vector<Real> h(std::size_t(n * cells * cells * bins), Real(0));
    for (Index i = 0; i < n; ++i)
        for (Index r = 1; r < side - 1; ++r)
            for (Index c = 1; c < side - 1; ++c) {
                const Real* at = &pixels[std::size_t((i * side + r) * side + c)];
                const double down = at[side] - at[-side], across = at[1] - at[-1],
                             angle = std::atan2(down, across) / std::numbers::pi,
                             bin = double(bins) * (angle < 0 ? angle + 1 : angle),
                             rest = bin - std::floor(bin),
                             size = std::hypot(down, across);
                Real* here =
                    &h[std::size_t(((i * cells + r / cell) * cells + c / cell) * bins)];
                here[Index(bin) % bins] += Real(size * (1 - rest));
                here[(Index(bin) + 1) % bins] += Real(size * rest);
            }
    return Tensor({n, cells, cells, bins}, h);
}
// A shirt in poor light has the same edges as a shirt in the sun, only weaker ones. So each block of $2 \times 2$ neighbouring
// cells is divided by the length of its 32 numbers. Neighbouring blocks overlap, and there are $6 \times 6$ of them:
Tensor hand_made(const Tensor& x) {
    const Tensor h = histograms(x);
    std::vector<Tensor> corners;
    for (const Index i : {0, 1})
        for (const Index j : {0, 1})
            corners.push_back(
                slice(slice(h, 1, i, i + cells - 1), 2, j, j + cells - 1));
    const Tensor blocks = concat(corners, 3);
    return flatten(blocks / sqrt(sum(square(blocks), {3}, Keep::yes) + 0.01));
}
//- the other features, readouts and the network
Tensor pixels(const Tensor& x) { return flatten(x); }
Features random_filters(Generator& random) {
    const Tensor filters = random.normal({72, 1, 5, 5}, 0, Real(0.2));
    return [filters](const Tensor& x) {
        const Tensor h = relu(conv2d(x * 2.8 - 0.8, filters, {}, {.stride = 2}));
        return flatten(avg_pool2d(h, 3));
    };
}
Features standardised(const Features& raw, const Tensor& x) {
    const Tensor phi = raw(x), middle = mean(phi, {0});
    const Tensor spread = sqrt(variance(phi, {0}) + 1e-3);
    return [=](const Tensor& x) {
        return concat({(raw(x) - middle) / spread, ones({x.size(0), 1})}, 1);
    };
}
struct Sums {
    Matrix squares, products;
};
void add(Matrix& to, const Matrix& more) {
    if (to.rows == 0) to = Matrix(more.rows, more.cols);
    linalg::add_scaled(to.values, 1, more.values);
}
Sums sums(const Features& features, const Examples& set) {
    Sums all;
    for (const Examples& some : data::Batches(set, 1000)) {
        const Tensor phi = features(some.x), turned = transpose(phi);
        add(all.squares, linalg::matrix_of(matmul(turned, phi)));
        add(all.products, linalg::matrix_of(matmul(turned, one_hot(some.labels, 10))));
    }
    return all;
}
Tensor solve(Sums all, double penalty) {
    for (Index i = 0; i < all.squares.rows; ++i) all.squares(i, i) += penalty;
    return linalg::tensor_of(linalg::cholesky_solve(all.squares, all.products));
}
double judge(const std::function<Tensor(const Tensor&)>& scores, const Examples& set) {
    const NoGrad only_asking;
    double right = 0;
    for (const Examples& some : data::Batches(set, 1000))
        right += nn::accuracy(scores(some.x), some.labels) * double(some.size());
    return right / double(set.size());
}

// Draw 2 of 6000 images are the images from 6000 on; of all 60,000 there is only one draw.
struct Task {
    Examples train, held, test;  // a sixth of the images is held out to choose
};
Task make_task(Index images, Index draw) {
    const Examples &all = data::fashion_mnist(Part::train),
                   &test = data::fashion_mnist(Part::test);
    const Index count = std::min(images, all.size()),  // a browser has fewer
        begin = std::min((draw - 1) * count, all.size() - count),
                most = count - count / 6;
    const Examples mine = data::slice(all, begin, begin + count);
    return {data::slice(mine, 0, most), data::slice(mine, most, count), test};
}

// The accuracies of a linear readout on held-out and on test images, with the best of four penalties.
Study::Row readout(const Features& raw, const Task& task) {
    const NoGrad only_solving;
    const Features features = standardised(
        raw, data::slice(task.train, 0, std::min<Index>(5000, task.train.size())).x);
    Sums all = sums(features, task.train);
    double highest = -1, best = 0;
    for (const double penalty : {1.0, 10.0, 100.0, 1000.0}) {
        const Tensor v = solve(all, penalty);
        const double reached =
            judge([&](const Tensor& x) { return matmul(features(x), v); }, task.held);
        if (reached > highest) highest = reached, best = penalty;
    }
    const Sums rest = sums(features, task.held);
    add(all.squares, rest.squares), add(all.products, rest.products);
    const Tensor v = solve(all, best);
    return {highest,
            judge([&](const Tensor& x) { return matmul(features(x), v); }, task.test)};
}

struct Net {
    std::vector<nn::Layer> layers;
    Tensor operator()(Tensor x) const {
        for (const nn::Layer& layer : layers) x = layer(x);
        return x;
    }
    void visit(auto&& part) { part("layers", layers); }
};
Net make_net(Generator& random) {
    const nn::ConvLayerOptions he{.weights = nn::he_init};
    return {{nn::Conv2d(1, 16, 5, random, he), nn::MaxPool2d{2}, nn::Relu(),
             nn::Conv2d(16, 32, 3, random, he), nn::MaxPool2d{2}, nn::Relu(),
             nn::Flatten(), nn::Linear(800, 64, random, {.weights = nn::he_init}),
             nn::Relu(), nn::Linear(64, 10, random)}};
}
Study::Row network(const Task& task, double lr, Index draw) {
    Generator random(100 * book::seed() + std::uint64_t(draw));
    const Net net = make_net(random);
    optim::Adam adam(nn::parameters(net));
    const Index batch = 50, count = task.train.size(),
                epochs = count < 1000     ? 30
                         : count < 10'000 ? 10
                                          : 4;
    const double steps = double(epochs * ((count + batch - 1) / batch));
    optim::fit(
        adam, [&] { return data::Batches(task.train, batch, random); },
        [&](const Examples& some) { return cross_entropy(net(some.x), some.labels); },
        {.epochs = epochs,
         .lr = [&](Index step) { return lr * (1 - double(step) / steps); }});
    return {judge(net, task.held), judge(net, task.test)};
}

enum Kind { from_pixels, from_random, from_hand, learned };
const Numbers sizes = {600, 6000, 60'000}, rates = {1e-3, 3e-3, 1e-2};
Study::Row one(const Study::Row& setting) {
    const Kind kind = Kind(int(setting[0]));
    const Index draw = Index(setting[3]);
    const Task task = make_task(Index(setting[1]), draw);
    if (kind == learned) return network(task, setting[2], draw);
    Generator random(100 * book::seed() + std::uint64_t(draw));
    return readout(kind == from_pixels ? Features(pixels)
                   : kind == from_hand ? Features(hand_made)
                                       : random_filters(random),
                   task);
}
// With all images, the learning rate is the best one of 6000 images, and only random numbers are drawn again.
std::vector<Study::Row> settings() {
    std::vector<Study::Row> all;
    for (const double images : {60'000.0, 6000.0, 600.0})
        for (const Kind kind : {learned, from_random, from_hand, from_pixels})
            for (const double draw : {1.0, 2.0, 3.0}) {
                const bool whole = images == 60'000;
                if (whole && kind != learned && draw > 1) continue;
                for (const double rate : kind != learned ? Numbers{0}
                                         : whole         ? Numbers{3e-3}
                                                         : rates)
                    all.push_back({double(kind), images, rate, draw});
            }
    return all;
}
const Study study({"hand_made_features",
                   {"kind", "images", "rate", "draw"},
                   {"held", "accuracy"},
                   {"claim-features-vs-architecture/a",
                    "claim-features-vs-architecture/b",
                    "claim-features-vs-architecture/c"},
                   0.006},
                  settings(), one);
//-
void page() {
    say("{} {}", study.measure({3, 600, 3e-3, 1})[1], study.measure({2, 600, 0, 1})[1]);
}
