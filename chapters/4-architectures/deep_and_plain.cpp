// # The degradation problem: deeper and worse
//
// ```{rows} fig-udl-11.2
// ```
//
// [Fifty plain layers](deeper_convnets.cpp) need initial weights that keep the gradient's length. Suppose that a network has
// such weights, and batch normalisation besides. Is a deeper network then a better one? {numref}`fig-udl-11.2` shows
// networks of 20 and of 56 layers while they learn to name clothes. The deeper network makes more mistakes on test images.
// This could be overfitting. But it makes more mistakes on its *training* images, too. How can a network that has more
// weights, and healthy gradients, fit its training images worse?
//
// ```{opening} fig-udl-11.2
// ```
//- includes, names and options
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
#include <recto/nn/deep_mlp.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/norm.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say,
    book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<double> noise(
    "noise", 0.1,
    "standard deviation of the noise on identity layers, relative to He's",
    {.least = 0.0, .most = 1.0});
const book::Option<Index> steps("steps", 400, "steps of the training on this page",
                                {.quick = 20, .least = 1, .most = 4000});
//-

// ## A plain network for small images
//
// Our networks read images of 14 × 14 pixels. They follow the plan of {cite:t}`he2016`: a first convolution, then three
// stages of $2n$ convolutions each, and a dense layer. The second and the third stage begin with a stride of 2. This makes
// $6n + 2$ layers with weights, 20 for $n = 3$ and 56 for $n = 9$. Every convolution has 8 filters of 3 × 3, He's weights,
// [batch normalisation](../components/batch_norm.cpp) and a ReLU:
struct PlainNet {
    std::vector<nn::Conv2d> convolutions;
    std::vector<nn::BatchNorm> norms;
    nn::Linear leave;

    PlainNet(Index layers, Generator& random);
    Tensor operator()(const Tensor& x) const {
        Tensor h = x;
        for (std::size_t d = 0; d < convolutions.size(); ++d)
            h = norms[d].relu(convolutions[d](h));
        return leave(mean(h, {2, 3}));
    }
    //- the layers
    void visit(auto&& part) {
        part("convolutions", convolutions), part("norms", norms), part("leave", leave);
    }
    //-
};
//- the layers of the network
PlainNet::PlainNet(Index layers, Generator& random)
    : leave(8, 10, random, {.weights = nn::lecun_init}) {
    const Index n = (layers - 2) / 6;
    for (Index d = 0; d <= 6 * n; ++d) {
        const bool narrows = d == 2 * n + 1 || d == 4 * n + 1;
        convolutions.emplace_back(d == 0 ? 1 : 8, 8, 3, random,
                                  nn::ConvLayerOptions{.stride = narrows ? 2 : 1,
                                                       .padding = 1,
                                                       .bias = false,
                                                       .weights = nn::he_init});
        norms.emplace_back(8);
    }
}
//-

//- training, and what is read from the study
struct Set {
    Examples lessons, seen, test;
};
Set small_images() {
    const Examples& all = data::fashion_mnist(Part::train);
    Set set{data::slice(all, 0, 5000), data::slice(all, 0, 1000),
            data::slice(data::fashion_mnist(Part::test), 0, 2000)};
    for (Examples* part : {&set.lessons, &set.seen, &set.test})
        part->x = (avg_pool2d(part->x, 2) - 0.286) / 0.353;
    return set;
}
Set rows_of_pixels() {
    const Examples all = data::flat(data::fashion_mnist(Part::train));
    Set set{data::slice(all, 0, 20'000), data::slice(all, 0, 5000),
            data::flat(data::fashion_mnist(Part::test))};
    for (Examples* part : {&set.lessons, &set.seen, &set.test})
        part->x = (part->x - 0.286) / 0.353;
    return set;
}

// Trains for `parts` of five parts, each of this many steps. Returns the errors on training images after each part, then
// those on test images.
template <class Net>
Study::Row train(Net& net, const Set& set, double rate, Index batch, Index part,
                 Index parts, Generator& random) {
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    const auto error = [&](const Examples& some) {
        const NoGrad only_looking;
        return 1 - nn::accuracy(net(some.x), some.labels);
    };
    Study::Row seen, test;
    for (Index step = 0; step < part * parts;)
        for (const Examples& some : Batches(set.lessons, batch, random)) {
            if (step == part * parts) break;
            adam.zero_grad();
            cross_entropy(net(some.x), some.labels).backward();
            adam.step();
            if (++step % part != 0) continue;
            nn::set_training(net, false);
            seen.push_back(error(set.seen)), test.push_back(error(set.test));
            nn::set_training(net, true);
        }
    seen.insert(seen.end(), test.begin(), test.end());
    return seen;
}
Study::Row train(const Study::Row& setting, Index parts) {
    Generator random(std::uint64_t(setting[3]) + 1000 * book::seed());
    if (setting[0] == 1) {
        PlainNet net(Index(setting[1]), random);
        return train(net, small_images(), setting[2], 40, 125, parts, random);
    }
    nn::DeepMlp net({784, 64, Index(setting[1]), 10}, false, random);
    return train(net, rows_of_pixels(), setting[2], 100, 80, parts, random);
}
std::vector<double> rates(bool convolutional) {
    if (convolutional) return {1e-3, 3e-3};
    return {3e-4, 1e-3};
}
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const bool convolutional : {true, false})
        for (const double depth : {56, 20})
            for (const double rate : rates(convolutional))
                for (double seed = 1; seed <= 3; ++seed)
                    all.push_back({double(convolutional), depth, rate, seed});
    return all;
}
const Study study({"deep_and_plain",
                   {"convolutional", "depth", "rate", "seed"},
                   {"train 1", "train 2", "train 3", "train 4", "train 5", "test 1",
                    "test 2", "test 3", "test 4", "test 5"},
                   {"fig-udl-11.2/b", "fig-udl-11.2/c", "fig-udl-11.2/d"},
                   0.2},
                  cells(), [](const Study::Row& setting) { return train(setting, 5); });

// The three trainings at the rate whose training error at the end is least.
std::vector<Study::Row> best_of(bool convolutional, double depth) {
    std::vector<Study::Row> best;
    double least = 1e9;
    for (const double rate : rates(convolutional)) {
        std::vector<Study::Row> found;
        double error = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(convolutional) && row[1] == depth && row[2] == rate)
                found.push_back(row), error += row[8];
        if (error < least) least = error, best = found;
    }
    return best;
}
std::vector<double> column(const std::vector<Study::Row>& rows, std::size_t i) {
    std::vector<double> found;
    for (const Study::Row& row : rows) found.push_back(row[i]);
    return found;
}
std::vector<double> difference(const std::vector<double>& a,
                               const std::vector<double>& b) {
    std::vector<double> found;
    for (std::size_t i = 0; i < a.size(); ++i) found.push_back(a[i] - b[i]);
    return found;
}

void errors() {
    Figure figure("fig-udl-11.2");
    figure
        .describe(
            "Four panels with the error against the epoch, three lines for 20 layers "
            "and three for 56. Upper row: convolutional networks, training error and "
            "test error. Lower row: fully connected networks, the same. In all panels "
            "the lines of 56 layers end above those of 20.")
        .columns(2);
    for (const bool convolutional : {true, false})
        for (const bool test : {false, true}) {
            const char* what = test ? "test" : "training";
            figure.panel(
                fmt::format("{}, {} error",
                            convolutional ? "convolutional" : "fully connected", what));
            std::vector<double> epochs;
            for (int k = 1; k <= 5; ++k) epochs.push_back(convolutional ? k : 0.4 * k);
            for (const double depth : {20, 56}) {
                std::vector<std::vector<double>> lines;
                for (const Study::Row& row : best_of(convolutional, depth)) {
                    lines.emplace_back();
                    for (std::size_t k = 0; k < 5; ++k)
                        lines.back().push_back(100 * row[(test ? 9 : 4) + k]);
                }
                figure.lines(fmt::format("{} layers", depth), epochs, lines,
                             {.color = depth == 20 ? figure::blue : figure::red});
            }
            figure.ylim(0, 100).x("epoch").y("error, %");
        }
    figure.save(
        "Errors of plain networks during training, three seeds each, at the better of "
        "two learning rates. Upper row: thin convolutional networks on 5,000 images of "
        "14 × 14 pixels. Lower row: fully connected networks with 64 units in a layer, "
        "on "
        "20,000 images of 28 × 28 pixels. All four panels have the same axis of "
        "errors.");
    book::shows("fig-udl-11.2/a", "fig-udl-11.2");
    for (const bool convolutional : {true, false})
        for (const double depth : {20, 56}) {
            const std::vector<Study::Row> best = best_of(convolutional, depth);
            say("{}, {} layers: training error {}, test error {}, at a learning rate "
                "of "
                "{}",
                convolutional ? "convolutional" : "fully connected", depth,
                book::brief(over_seeds(column(best, 8))),
                book::brief(over_seeds(column(best, 13))), best[0][2]);
        }
    claim("fig-udl-11.2/b",
          "convolutional: the training error of 56 layers less that of 20",
          over_seeds(
              difference(column(best_of(true, 56), 8), column(best_of(true, 20), 8))),
          ">", 0);
    claim("fig-udl-11.2/c",
          "convolutional: the test error of 56 layers less that of 20",
          over_seeds(
              difference(column(best_of(true, 56), 13), column(best_of(true, 20), 13))),
          ">", 0);
    claim("fig-udl-11.2/d",
          "fully connected: the training accuracy of 20 layers less that of 56",
          over_seeds(
              difference(column(best_of(false, 56), 8), column(best_of(false, 20), 8))),
          ">", 0);
}
//-

void page() { errors(); }
