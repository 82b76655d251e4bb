// # Fine corrections: what a residual block adds
//
// ```{rows} claim-blocks-fine-corrections sys-resnet
// ```
//
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/small_resnet.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;
//-

//- training, and what is measured in a trained network
const std::size_t blocks = 15;

Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }  // of all pixels

template <class Net>
double accuracy(const Net& net, const Examples& set) {
    const NoGrad only_asking;
    double right = 0;
    for (const Examples& some : Batches(set, 1000))
        right += nn::accuracy(net(standard(some.x)), some.labels) * double(some.size());
    return right / double(set.size());
}

// Six epochs over 10,000 images. The learning rate falls to zero.
template <class Net>
void train(Net& net, double rate, Generator& random) {
    const Examples lessons = data::slice(data::fashion_mnist(Part::train), 0, 10'000);
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    const double steps = 6 * double(Batches(lessons, 100).count());
    for (double step = 0; step < steps;)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            adam.options.lr = rate * (1 - step++ / steps);
            adam.zero_grad();
            cross_entropy(net(standard(batch.x)), batch.labels).backward();
            adam.step();
        }
    nn::set_training(net, false);
}

double length(const Tensor& x) { return std::sqrt(double(sum(x * x).item())); }
//-

//- the study
// For each block: the relative change that it makes; the accuracy without the block; the same without its second layer.
Study::Row measured(const nn::SmallResNet& net, const Examples& test) {
    const NoGrad only_looking;
    Study::Row change, without, layer;
    Tensor h = net.stem(standard(test.x));
    const auto left = [&](Tensor x, std::size_t next) {
        for (std::size_t k = next; k < net.blocks.size(); ++k) x = net.blocks[k](x);
        return nn::accuracy(net.scores(x), test.labels);
    };
    without.push_back(left(h, 0));
    for (std::size_t k = 0; k < net.blocks.size(); ++k) {
        const nn::ConvBlock& block = net.blocks[k];
        const Tensor before = block.shortcut(h), after = block(h);
        const Tensor added = block.residual ? block.path(h) : after - before;
        change.push_back(length(added) / length(before));
        without.push_back(left(before, k + 1));
        const Tensor half = block.first(h);
        layer.push_back(left(
            block.first_norm.relu(half, block.residual ? before : Tensor()), k + 1));
        h = after;
    }
    Study::Row found = change;
    found.insert(found.end(), without.begin(), without.end());
    found.insert(found.end(), layer.begin(), layer.end());
    return found;
}
Study::Row corrections(const Study::Row& setting) {
    Generator random(100 * book::seed() + std::uint64_t(setting[2]));
    nn::SmallResNet net(
        {.blocks = blocks / 3, .widths = {8, 16, 32}, .stride = 2, .channels = 1},
        random, {.residual = setting[0] == 1});
    train(net, setting[1], random);
    Study::Row found = {
        accuracy(net, data::slice(data::fashion_mnist(Part::train), 55'000, 60'000))};
    const Study::Row more =
        measured(net, data::slice(data::fashion_mnist(Part::test), 0, 2000));
    found.insert(found.end(), more.begin(), more.end());
    return found;
}
const std::vector<double> rates = {3e-3, 1e-2, 3e-2};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double first : {1, 0})
        for (const double rate : rates)
            for (double draw = 1; draw <= 3; ++draw) all.push_back({first, rate, draw});
    return all;
}
// `what 1`, `what 2`, ... for all blocks
std::vector<std::string> names_of_results() {
    std::vector<std::string> names = {"validation"};
    const auto add = [&](const char* what) {
        for (std::size_t k = 1; k <= blocks; ++k)
            names.push_back(fmt::format("{} {}", what, k));
    };
    add("change");
    names.push_back("test");
    add("without"), add("layer");
    return names;
}
const Study study({"fine_corrections",
                   {"residual", "rate", "draw"},
                   names_of_results(),
                   {"claim-blocks-fine-corrections/b",
                    "claim-blocks-fine-corrections/c",
                    "claim-blocks-fine-corrections/d"},
                   0.01},
                  cells(), corrections);
//-
void page() {}
