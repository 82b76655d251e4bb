// # Residual networks: hundreds of layers
//
// ```{rows} claim-residual-hundreds-of-layers claim-residual-variance-doubles fig-udl-11.5
// ```
//
// With the right [initial weights](initialisation.cpp) a signal passes fifty layers and keeps its size. Is a deep
// network then as easy to train as a shallow one? {numref}`fig-residual-curves` shows networks of 4 to 200 blocks while
// they learn to name clothes. Move the slider. The plain network becomes worse with every step to the right, and it
// becomes worse *on its training images*, so overfitting is not the reason. The other line has the same layers and as
// many weights. A [skip connection](skip_connections.cpp) leads around each layer. This page trains both, and looks at
// the price that the sum has and at what stands inside a block.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/deep_mlp.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/norms/batch_norm.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cmath>
#include <string>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::over_seeds, book::say, book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<Index> width("width", 512,
                                "units of the blocks whose variance is measured",
                                {.quick = 64, .least = 8, .most = 2048});
const book::Option<int> draws("draws", 8, "draws of the weights of these blocks",
                              {.quick = 1, .least = 1, .most = 100});
//-

//- how the figure is drawn
const std::vector<double> depths = {4, 20, 56, 200};  // blocks

// Defined further down: the three trainings with the best learning rate.
std::vector<Study::Row> best_of(bool residual, double depth, double epochs);

void curves() {
    const std::vector<double> images = {10'000, 20'000, 30'000, 40'000};
    Figure figure("fig-residual-curves");
    figure
        .describe(
            "Training accuracy against the number of images seen, three lines for "
            "plain and three for residual networks, with a slider for the number of "
            "blocks. With 4 blocks all lines lie together near 85 per cent. With 56 "
            "blocks the plain lines lie far lower, and with 200 they end at 42 to 54 "
            "per cent, while the residual lines stay above 78.")
        .slider("blocks", depths, "blocks", 56);
    for (const double depth : depths)
        for (const bool residual : {false, true}) {
            std::vector<std::vector<double>> lines;
            for (const Study::Row& row : best_of(residual, depth, 2))
                lines.push_back(
                    {100 * row[5], 100 * row[6], 100 * row[7], 100 * row[8]});
            figure.at(depth).lines(residual ? "residual" : "plain", images, lines,
                                   {.color = residual ? figure::blue : figure::red});
        }
    figure.always()
        .x("training images seen")
        .y("training accuracy, %")
        .ylim(0, 100)
        .save(
            "Fully connected networks of 64 units a block, three seeds each, on 20,000 "
            "images of Fashion-MNIST, two epochs. Each network has the best of five "
            "learning rates. Move the slider to 200.");
}
//-

//- training, the grid of rates, and what is read from the study
Tensor standard(const Tensor& x) { return (x - 0.286) / 0.353; }  // of all pixels

// The accuracy on training images after each of this many quarters of a training, then that on test images.
Study::Row train(const Study::Row& setting, Index quarters) {
    Generator random(std::uint64_t(setting[4]) + 1000 * book::seed());
    const Examples all = data::flat(data::fashion_mnist(Part::train));
    const Examples lessons = data::slice(all, 0, 20'000),
                   seen = data::slice(all, 0, 5000),
                   test = data::flat(data::fashion_mnist(Part::test));
    const nn::DeepMlp net({784, 64, Index(setting[1]), 10}, setting[0] == 1, random);
    optim::Adam adam(nn::parameters(net), {.lr = setting[3]});
    const Index quarter = Index(setting[2]) * Batches(lessons, 100).count() / 4;
    const auto right = [&](const Examples& set) {
        const NoGrad only_looking;
        return nn::accuracy(net(standard(set.x)), set.labels);
    };
    Study::Row found;
    for (Index step = 0; step < quarters * quarter;)
        for (const Examples& batch : Batches(lessons, 100, random)) {
            if (step == quarters * quarter) break;
            adam.zero_grad();
            cross_entropy(net(standard(batch.x)), batch.labels).backward();
            adam.step();
            if (++step % quarter == 0) found.push_back(right(seen));
        }
    found.push_back(right(test));
    return found;
}
const std::vector<double> rates = {3e-5, 1e-4, 3e-4, 1e-3, 3e-3};
std::vector<Study::Row> cells() {
    std::vector<Study::Row> all;
    for (const double depth : {200, 56, 20, 4})
        for (const double residual : {1, 0})
            for (const double rate : rates)
                for (double seed = 1; seed <= 3; ++seed)
                    all.push_back({residual, depth, 2, rate, seed});
    for (const double residual : {1, 0})
        for (const double rate : rates)
            for (double seed = 1; seed <= 3; ++seed)
                all.push_back({residual, 56, 10, rate, seed});
    return all;
}
const Study study({"residual",
                   {"residual", "depth", "epochs", "rate", "seed"},
                   {"quarter", "half", "three quarters", "end", "test"},
                   {"claim-residual-hundreds-of-layers/b",
                    "claim-residual-hundreds-of-layers/c",
                    "claim-residual-hundreds-of-layers/d"},
                   0.005},  // less than half of the margin of part c
                  cells(), [](const Study::Row& setting) { return train(setting, 4); });

// The three trainings at the rate whose training accuracy at the end is best.
std::vector<Study::Row> best_of(bool residual, double depth, double epochs) {
    std::vector<Study::Row> best;
    double most = 0;
    for (const double rate : rates) {
        std::vector<Study::Row> found;
        double accuracy = 0;
        for (const Study::Row& row : study.frozen().rows)
            if (row[0] == double(residual) && row[1] == depth && row[2] == epochs &&
                row[3] == rate)
                found.push_back(row), accuracy += row[8];
        if (accuracy > most) most = accuracy, best = found;
    }
    return best;
}
std::vector<double> column(const std::vector<Study::Row>& rows, std::size_t i) {
    std::vector<double> found;
    for (const Study::Row& row : rows) found.push_back(100 * row[i]);
    return found;
}
//-

// ## To do nothing is hard
//
// A network of 56 layers *can* compute whatever one of 20 layers computes: let the other 36 layers return their input.
// For a plain layer this is a difficult task: its weight matrix would have to be exactly the identity, far from random
// initial weights. For a layer with a skip connection it is the easiest task of all: $h + f(h)$ returns its input if
// the weights of $f$ are zero. So $f$ only has to learn what should *change*, the **residual**. {cite:t}`he2016` gave
// the method its name; their networks of this kind are called *ResNets*.
//
// A small example shows what this does to a gradient. Every layer has one unit and the weight 0.1. Twenty plain layers
// multiply a signal by $0.1^{20} = 10^{-20}$, and the gradient with it. Twenty residual layers multiply by
// $(1 + 0.1)^{20} = 6.7$. At the weight 1 it is the other way round: 1 for the plain layers and $2^{20}$, about a
// million, for the residual ones. So the sum does not remove the problem of size. It moves the safe place from weights
// of size one to weights near zero.
//
// ## Two networks of the same size
//
// The networks of {numref}`fig-residual-curves` are {cpp:struct}`recto::nn::DeepMlp`. A block is a ReLU and a layer of
// 64 units. The two networks differ by their initial weights and by one line, here as a function of its own:
Tensor after(const nn::DeepMlp::Block& block, const Tensor& h, bool residual) {
    const Tensor f = block(h);
    return residual ? h + f : f;
}
//- compared with the library
void same_line() {
    Generator random(book::seed());
    double off = 0;
    for (const bool residual : {false, true}) {
        const nn::DeepMlp net({8, 6, 3, 2}, residual, random);
        const Tensor x = random.normal({5, 8});
        Tensor h = net.enter(x);
        for (const nn::DeepMlp::Block& block : net.blocks)
            h = after(block, h, residual);
        off = std::max(off, double(max(abs(net.leave(h) - net(x))).item()));
    }
    claim("", "this line against the library: the largest difference", off, "<=", 1e-6);
}

void accuracies() {
    Figure figure("fig-residual-depth");
    figure.describe(
        "Training accuracy against the number of blocks on a logarithmic axis. The "
        "residual line is nearly level; the plain line falls, steeply after 20 "
        "blocks.");
    for (const bool residual : {false, true}) {
        std::vector<double> middle, x, y;
        for (const double depth : depths) {
            const std::vector<double> end = column(best_of(residual, depth, 2), 8);
            middle.push_back(book::median(end));
            for (const double v : end) x.push_back(depth), y.push_back(v);
            const auto [low, high] = std::ranges::minmax(end);
            say("{} blocks, {}: {:.1f} % ({:.1f} to {:.1f}) at a learning rate of {}; "
                "on test images {:.1f} %",
                depth, residual ? "residual" : "plain", middle.back(), low, high,
                best_of(residual, depth, 2)[0][3],
                book::median(column(best_of(residual, depth, 2), 9)));
        }
        const figure::Color color = residual ? figure::blue : figure::red;
        figure
            .line(residual ? "residual" : "plain", depths, middle,
                  {.color = color, .points = false})
            .dots("", x, y, {.color = color});
    }
    figure.log_x()
        .x("blocks")
        .y("training accuracy, %")
        .ylim(0, 100)
        .save(
            "The accuracy on training images after two epochs: a dot for each of three "
            "seeds, a line through their medians.");
    book::shows("claim-residual-hundreds-of-layers/a", "fig-residual-depth");
    const auto end = [](bool residual, double depth, double epochs) {
        std::vector<double> found = column(best_of(residual, depth, epochs), 8);
        for (double& v : found) v /= 100;
        return over_seeds(found);
    };
    claim("claim-residual-hundreds-of-layers/b",
          "training accuracy of the plain network of 56 blocks", end(false, 56, 2),
          "<=", 0.80);
    claim("claim-residual-hundreds-of-layers/c",
          "training accuracy of the residual network of 56 blocks", end(true, 56, 2),
          ">=", 0.85);
    claim("claim-residual-hundreds-of-layers/d",
          "training accuracy of the residual network of 200 blocks", end(true, 200, 2),
          ">=", 0.83);
    say("56 blocks after 10 epochs: plain {}, residual {}",
        book::brief(over_seeds(column(best_of(false, 56, 10), 8))),
        book::brief(over_seeds(column(best_of(true, 56, 10), 8))));
}
//-

// Each network gets the initial weights that suit it. The plain one has those of He. In the residual one they are
// divided by $\sqrt{K}$, the root of the number of blocks; the next section says why. Each is trained with Adam at five
// learning rates, and shown at its best one. {numref}`fig-residual-depth` sums up 120 trainings.
//
// With 4 blocks both networks name 85 % of the training images correctly. With 56 blocks the plain network reaches
// 71 %, and with 200 blocks 42 %. The residual network stays between 85 and 87 % at all depths. Does the plain network
// only need more time? After five times as many steps, with 56 blocks, it is at 81.1 %, and the residual network at
// 91.5 %. No best rate is the smallest or the largest of the five. All accuracies are over 5,000 of the 20,000 training
// images.
//
// The experiment does not show that depth helps. For these images 4 blocks are enough.
//
// The first quarter of nine of these trainings, done again now:
//- nine short trainings, compared with the study
void first_quarters() {
    // The book carries fewer images for a browser.
    if (book::quick() || data::fashion_mnist(Part::train).size() < 20'000) return;
    struct Three {
        const char* part;
        bool residual;
        double depth;
    };
    const Three threes[] = {{"claim-residual-hundreds-of-layers/d", true, 200},
                            {"claim-residual-hundreds-of-layers/c", true, 56},
                            {"claim-residual-hundreds-of-layers/b", false, 56}};
    std::vector<Study::Row> kept;
    for (const Three& three : threes)
        for (const Study::Row& row : best_of(three.residual, three.depth, 2))
            kept.push_back(row);
    std::vector<double> now(kept.size());
    book::each_apart(
        std::ssize(kept), 2,
        [&](Index i) -> Study::Row {
            const Study::Row& row = kept[std::size_t(i)];
            return {train({row.begin(), row.begin() + 5}, 1)[0]};
        },
        [&](Index i, const Study::Row& found) { now[std::size_t(i)] = found[0]; });
    for (std::size_t t = 0; t < 3; ++t) {
        const auto& [part, residual, depth] = threes[t];
        const std::string name =
            fmt::format("{} blocks, {}, a quarter of the training: training accuracy",
                        depth, residual ? "residual" : "plain");
        std::vector<double> off;
        for (std::size_t i = 3 * t; i < 3 * t + 3; ++i)
            off.push_back(std::abs(now[i] - kept[i][5]));
        // Another processor's rounding moves a plain network by up to 0.15.
        if (residual)
            claim(part, name + ", distance from that of the study", over_seeds(off),
                  "<=", 0.02);
        else
            claim(part, name, over_seeds({now.begin() + 3 * Index(t), 3}), "<=", 0.65);
    }
}
//-

// ## The price of a sum
//
// He's weights keep the variance of a signal through a plain layer. With a skip connection the layer's result is
// *added* to its input. Both have the same variance, and since the weights have mean zero, the two are uncorrelated.
//- the blocks, and the question
enum class Sum { plain, normalised, scaled };

std::vector<double> variances(Sum sum, Generator& random);

// Of the mean over draws, the variance that is farthest from 1, with the lowest and the highest of its draws.
book::Measured farthest(const std::vector<std::vector<double>>& draws) {
    book::Measured found(1, 1, 1, 1);
    for (std::size_t k = 0; k < draws[0].size(); ++k) {
        std::vector<double> here;
        double mean = 0;
        for (const std::vector<double>& draw : draws) {
            here.push_back(draw[k]);
            mean += draw[k] / double(draws.size());
        }
        const auto [low, high] = std::ranges::minmax(here);
        if (k == 0 || std::abs(mean - 1) > std::abs(found.value - 1))
            found = book::Measured(mean, low, high, int(here.size()));
    }
    return found;
}

void sizes() {
    std::vector<std::vector<double>> all[3];
    for (const Sum sum : {Sum::plain, Sum::normalised, Sum::scaled})
        for (int draw = 0; draw < draws(); ++draw) {
            Generator random(book::seed() + std::uint64_t(draw));
            all[int(sum)].push_back(variances(sum, random));
        }
    std::vector<std::vector<double>> scaled =
        all[int(Sum::scaled)];  // they scatter more
    for (int draw = draws(); draw < 8 * draws(); ++draw) {
        Generator random(book::seed() + std::uint64_t(draw));
        scaled.push_back(variances(Sum::scaled, random));
    }
    const double last = all[0][0].back();
    //-
    ask("The input of 16 such blocks has the variance 1. What is the variance after "
        "the "
        "last block?",
        {{"Still about 1: He's weights keep it.", last < 3,
          "They keep it from the input of a layer to its result. Here the input is "
          "added to that."},
         {"About 17: each block adds 1.", last >= 3 && last < 100,
          "The first block adds 1. The second one adds what the first has left, "
          "which is 2 already."},
         {"About 65,000: each block doubles it.", last >= 100,
          "Each block adds as much variance as its input has, and 2 to the power of 16 "
          "is 65,536."}});
    //- how the figure is drawn, and what is checked
    const char* names[] = {"plain sum", "batch normalisation", "sum divided by √2"};
    const figure::Color colors[] = {figure::red, figure::blue, figure::ochre};
    std::vector<double> block;
    for (int k = 0; k <= 16; ++k) block.push_back(k);
    Figure figure("fig-residual-variance");
    figure.describe(
        "The variance against the block, on a logarithmic axis. For a plain sum it "
        "rises as a straight line from 1 to 65,000. With batch normalisation it bends "
        "and ends at 17. Divided by the root of two it stays near 1.");
    for (int k = 0; k < 3; ++k)
        figure.lines(names[k], block, all[k], {.color = colors[k]});
    figure.log_y()
        .x("block")
        .y("variance")
        .save(
            "The variance of the signal after each of 16 residual blocks with He's "
            "weights, eight draws each. A plain sum doubles it. With batch "
            "normalisation at the entry of a block every block adds 1.");
    book::shows("claim-residual-variance-doubles/a", "fig-residual-variance");
    std::vector<double> ratios, off;
    for (std::size_t draw = 0; draw < all[0].size(); ++draw) {
        ratios.push_back(
            std::pow(all[0][draw].back() / all[0][draw].front(), 1.0 / 16));
        off.push_back(0);
        for (std::size_t k = 1; k <= 16; ++k)
            off.back() =
                std::max(off.back(), std::abs(all[1][draw][k] / double(k + 1) - 1));
    }
    claim_in("claim-residual-variance-doubles/b",
             "the factor of a block with a plain sum, geometric mean over 16 blocks",
             over_seeds(ratios), 1.9, 2.1);
    claim("claim-residual-variance-doubles/c",
          "with batch normalisation, the variance after block k against k + 1, largest "
          "relative deviation",
          over_seeds(off), "<=", 0.05);
    claim_in("claim-residual-variance-doubles/d",
             "with the sum divided by √2, the variance after the block where it is "
             "farthest from 1, mean over the draws",
             farthest(scaled), 0.85, 1.15);
    say("variance after 16 blocks: {:.0f}, {:.1f} and {:.2f}", last, all[1][0].back(),
        all[2][0].back());
    const book::Measured far = farthest(scaled);
    say("divided by √2, at the block where the mean of {} draws is farthest from 1: "
        "single draws from {:.2f} to {:.2f}",
        scaled.size(), far.low, far.high);
    say("with batch normalisation: the largest deviation of a single draw is {:.3f}",
        std::ranges::max(off));
}
//-

// {numref}`fig-residual-variance` shows the answer, and two remedies:
std::vector<double> variances(Sum sum, Generator& random) {
    Tensor h = random.normal({500, width()});
    std::vector<double> found = {double(variance(h).item())};
    for (int k = 0; k < 16; ++k) {
        const Tensor x = sum == Sum::normalised
                             ? batch_norm(h, Tensor(), Tensor(), Tensor(), Tensor())
                             : h;
        h = h + linear(relu(x), nn::he_init({width(), width()}, random));
        if (sum == Sum::scaled) h = h / std::sqrt(2.0);
        found.push_back(double(variance(h).item()));
    }
    return found;
}

// With [batch normalisation](batch_norm.cpp) at its entry, a block sees a signal of variance 1 and adds 1, however
// large the sum has become. The variance grows as $k + 1$ after $k$ blocks, in each of eight draws within 6 %, so later
// blocks change the signal relatively less. Dividing the sum by $\sqrt 2$ keeps the variance near 1 on average. At the
// block where the mean of 64 draws is farthest from 1, single draws of 512 units lie between 0.63 and 1.57. As in the
// plain sum, the share of the input in the variance halves with every block. The third remedy is that of our deep
// networks, weights divided by $\sqrt K$: each of $K$ blocks adds a $K$-th of the variance, and $(1 + 1/K)^K$ stays
// below $e = 2.72$. {cite:t}`zhang2019fixup` trained residual networks of 10,000 layers for an epoch, with an
// initialisation of this kind and without normalisation.
//
// ## What stands in a block
//
// A block can be a layer and a ReLU, in this order, or a ReLU and a layer. In a plain network the two orders are almost
// the same. In a residual network they are different, because the sum comes after: {numref}`fig-udl-11.5` shows what
// the blocks add.
//- how the figure is drawn, and what is checked
void orders() {
    Generator random(book::seed());
    const Index units = 64;
    const auto layer = [&] {
        return nn::Linear(units, units, random, {.weights = nn::he_init});
    };
    const nn::Linear one = layer(), first = layer(), second = layer();
    const Tensor h = random.normal({500, units});
    const Tensor added[] = {relu(one(h)), one(relu(h)), second(relu(first(relu(h))))};
    const char* names[] = {"layer, ReLU", "ReLU, layer", "ReLU, layer, ReLU, layer"};
    Figure figure("fig-udl-11.5");
    figure.describe(
        "Three histograms of the numbers that a block adds. Layer, then ReLU: half of "
        "them are zero and the others positive. ReLU, then layer: a bell around zero. "
        "Two of each: a bell as well.");
    figure.columns(3);
    std::vector<double> centre;
    for (int b = 0; b < 33; ++b) centre.push_back(-4 + 0.25 * b);
    for (int k = 0; k < 3; ++k) {
        std::vector<double> share(centre.size());
        const std::vector<Real> values = added[k].values();
        for (const Real v : values) {
            const double place = std::round((double(v) + 4) / 0.25);
            const double bin = std::clamp(place, 0.0, 32.0);
            share[std::size_t(bin)] += 100 / double(values.size());
        }
        figure.panel(names[k]).bars("", centre, share, {.color = figure::blue});
        figure.x("added number").ylim(0, 60);
        if (k == 0) figure.y("share, %");
    }
    figure.save(
        "What a residual block adds to its input, for three orders of the parts "
        "inside. "
        "If the ReLU comes last, the block can only add.");
    book::shows("fig-udl-11.5/a", "fig-udl-11.5");
    const auto low = [](const Tensor& x) { return double(min(x).item()); };
    const auto high = [](const Tensor& x) { return double(max(x).item()); };
    claim("fig-udl-11.5/b", "layer, then ReLU: the smallest number that is added",
          low(added[0]), ">=", 0);
    book::claim_true("fig-udl-11.5/c",
                     "ReLU, then layer: numbers of both signs are added",
                     low(added[1]) < 0 && high(added[1]) > 0);
    nn::Linear biased = one;
    biased.bias = random.normal({units});
    const Tensor dark = -abs(h) - 1;
    const Tensor off = dark + biased(relu(dark)) - (dark + biased.bias);
    claim("fig-udl-11.5/d",
          "ReLU, then layer, on negative input: the result against the input plus the "
          "bias, largest difference",
          max(abs(off)).item(), "==", 0);
}
//-

// If the ReLU comes last, a block adds nothing below zero. Each block can only raise its units, and the signal grows
// from block to block in one direction. If the ReLU comes first, a block adds numbers of both signs.
// {cite:t}`he2016identity` recommend this order and call it *pre-activation*. It has a trap at the very beginning: an
// input of negative numbers is cut to zero by the first ReLU, and then the block adds its bias and nothing else. So the
// first block of a network that starts with a ReLU would see only the positive half of its input, and residual networks
// begin with a linear layer, such as `enter` in ours. A block may also hold several layers; two or three are usual.
//
// ## Limits and history
//
// Our networks have no normalisation. With batch normalisation in each block, plain networks can be trained to greater
// depths, and still {cite:t}`he2016` found that a plain network of 56 layers did worse than one of 20, on training
// photographs. They trained residual networks of more than 100 layers, and one of 1,202, which did overfit. The
// transformer of later chapters has a residual connection around every part.
//
// {cite:t}`srivastava2015` had trained hundreds of layers a little earlier, with a trained gate in each way around.
//
// ## Summary
//
// A residual block adds to its input what its layers compute, so that it starts near the identity. Networks of such
// blocks train at depths at which plain networks learn far more slowly, at the same number of weights. The sum doubles
// the variance with every block, unless the blocks are normalised or scaled.
//
// ## What is missing
//
// A signal can go through each block or around it. [The next page](many_paths.cpp) counts the paths.
//
// ```{try}
// - A narrow network: `--width 16`. Does the variance still double? What happens to the spread of the draws?
// - More draws: `--draws 20`.
// ```
void page() {
    curves();
    same_line();
    accuracies();
    first_quarters();
    sizes();
    orders();
}
