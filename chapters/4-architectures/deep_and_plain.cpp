// # The degradation problem: deeper and worse
//
// ```{rows} fig-udl-11.2
// ```
//
// [Fifty plain layers](deeper_convnets.cpp) need initial weights that keep the gradient's length. Suppose that a network has
// such weights, and batch normalisation besides. Is a deeper network then a better one? {numref}`fig-udl-11.2` shows
// networks of 20 and of 56 layers while they learn to name clothes. The deeper network makes more mistakes on test images.
// This could be overfitting. But it makes more mistakes on its *training* images, too. How can a network that has more
// weights fit its training images worse?
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
const book::Option<Index> last_step("steps", 400, "steps of each training on this page",
                                    {.quick = 20, .least = 1, .most = 4000});

// Defined further down:
nn::DeepMlp deepened(const nn::DeepMlp& net, Index count, double noise,
                     Generator& random);
Tensor identity(Index m);
//-

// ## A plain network for small images
//
// Our networks read images of 14 × 14 pixels. They follow the plan of {cite:t}`he2016`: a first convolution, then three
// stages of $2n$ convolutions each, and a dense layer. This makes $6n + 2$ layers with weights, 20 for $n = 3$ and 56 for
// $n = 9$. The first convolution and the first of the second and of the third stage have a stride of 2. The stages have 8,
// 12 and 16 filters. Every convolution is 3 × 3, starts with He's weights, and is followed by [batch
// normalisation](../components/batch_norm.cpp) and a ReLU. We compare them with fully connected networks of 20 and of 56
// layers of 64 units, which stand between a first and a last layer; these have He's weights and no normalisation. The code
// of the convolutional network is short:
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
    : leave(16, 10, random, {.weights = nn::lecun_init}) {
    const Index n = (layers - 2) / 6;
    for (Index d = 0, in = 1; d <= 6 * n; ++d) {
        const bool narrows = d == 0 || d == 2 * n + 1 || d == 4 * n + 1;
        const Index out = d <= 2 * n ? 8 : d <= 4 * n ? 12 : 16;
        convolutions.emplace_back(in, out, 3, random,
                                  nn::ConvLayerOptions{.stride = narrows ? 2 : 1,
                                                       .padding = 1,
                                                       .bias = false,
                                                       .weights = nn::he_init});
        norms.emplace_back(out);
        in = out;
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
            data::slice(data::fashion_mnist(Part::test), 0, 1000)};
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
        return train(net, small_images(), setting[2], 25, 100, parts, random);
    }
    nn::DeepMlp net({784, 64, Index(setting[1]), 10}, false, random);
    return train(net, rows_of_pixels(), setting[2], 100, 80, parts, random);
}
std::vector<double> rates(bool convolutional) {
    if (convolutional) return {1e-3, 3e-3, 1e-2, 3e-2};
    return {3e-4, 1e-3};
}
std::vector<Study::Row> cells(bool convolutional) {
    std::vector<Study::Row> all;
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
                   {"fig-udl-11.2/b", "fig-udl-11.2/c"},
                   0.1},
                  cells(true),
                  [](const Study::Row& setting) { return train(setting, 5); });
const Study twins({"deep_and_plain_twins",
                   {"convolutional", "depth", "rate", "seed"},
                   {"train 1", "train 2", "train 3", "train 4", "train 5", "test 1",
                    "test 2", "test 3", "test 4", "test 5"},
                   {"fig-udl-11.2/d"},
                   0.2},
                  cells(false),
                  [](const Study::Row& setting) { return train(setting, 5); });

// The three trainings at the rate whose training error at the end is least.
std::vector<Study::Row> best_of(bool convolutional, double depth) {
    std::vector<Study::Row> best;
    double least = 1e9;
    for (const double rate : rates(convolutional)) {
        std::vector<Study::Row> found;
        double error = 0;
        for (const Study::Row& row : (convolutional ? study : twins).frozen().rows)
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
            for (int k = 1; k <= 5; ++k)
                epochs.push_back((convolutional ? 0.5 : 0.4) * k);
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
        "Errors of plain networks during training, three seeds each, each at its best "
        "learning rate of four (convolutional) or two (fully connected). Upper row: "
        "thin convolutional networks on 5,000 images of 14 × 14 pixels. Lower row: "
        "fully connected networks with 64 units in a layer, on 20,000 images of 28 × "
        "28 pixels. All four panels have the same axis of errors.");
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

// ## The deeper network can do it
//
// Take a layer with two units, and let both be positive, say 3 and 5. The weight matrix
//
// $$ I = \begin{pmatrix} 1 & 0 \cr 0 & 1 \end{pmatrix} $$
//
// returns 3 and 5, and the ReLU behind it changes nothing, because neither number is negative. The units have just passed a
// ReLU themselves, so they never are negative. Such an **identity layer** may stand between any two layers of a plain
// network. With $\text{relu}(z) = \max(z, 0)$,
//
// $$ \text{relu}\bigl(I\, \text{relu}(z)\bigr) = \text{relu}(z) . $$
//
// So each network of 20 layers has a twin of 56 layers that gives the same answers. On its training images the best
// network of 56 layers is at least as good as the best of 20. We build the twin. Each identity layer may also receive
// some random noise:
nn::DeepMlp deepened(const nn::DeepMlp& net, Index count, double noise,
                     Generator& random) {
    nn::DeepMlp deep = net;
    const Index m = net.enter.weight.size(0);
    for (Index k = 0; k < count; ++k) {
        nn::Linear layer(m, m, random, {.weights = nn::he_init});
        layer.weight.copy_(identity(m) + noise * layer.weight.detach());
        deep.blocks.insert(deep.blocks.begin() + std::ssize(net.blocks) / 2,
                           nn::DeepMlp::Block(nn::Relu(), layer));
    }
    return deep;
}

// Without noise the twins agree to the last bit. A convolution is the identity if its kernels are zero except for a one in
// the middle, so the convolutional network has such a twin, too:
//- the same for a convolutional network, and what is checked
Tensor identity(Index m) {
    std::vector<Real> values(std::size_t(m * m));
    for (Index k = 0; k < m; ++k) values[std::size_t(k * m + k)] = 1;
    return Tensor({m, m}, values);
}
PlainNet deepened(const PlainNet& net, int count) {
    PlainNet deep = net;
    std::vector<Real> values(8 * 8 * 9);  // a one in the middle of kernel c of filter c
    for (std::size_t c = 0; c < 8; ++c) values[(8 * c + c) * 9 + 4] = 1;
    for (int k = 0; k < count; ++k) {
        nn::Conv2d delta = net.convolutions[1];
        delta.weight = Tensor({8, 8, 3, 3}, values);
        deep.convolutions.insert(deep.convolutions.begin() + 4, delta);
        deep.norms.insert(deep.norms.begin() + 4, nn::BatchNorm(8, {.eps = 0}));
    }
    return deep;
}

void same_answers() {
    Generator random(book::seed());
    const nn::DeepMlp shallow({784, 64, 20, 10}, false, random);
    const Tensor x = random.normal({50, 784}), images = random.normal({20, 1, 14, 14});
    claim_true("",
               "20 layers with 36 identity layers between them answer as the 20 layers "
               "alone, to the bit",
               deepened(shallow, 36, 0, random)(x).values() == shallow(x).values());
    PlainNet thin(20, random);
    nn::set_training(thin, false);
    PlainNet deep = deepened(thin, 36);
    nn::set_training(deep, false);
    claim_true("",
               "the same for the convolutional network, whose batch normalisation uses "
               "its running statistics",
               deep(images).values() == thin(images).values());
}
//-

// How close must the weights be? We train the fully connected network of 20 layers, insert identity layers in its middle,
// and add noise to them. Noise of size 1 has the standard deviation of He's initial weights.
//- training with and without identity layers, the question, and the figure
double trained_error(nn::DeepMlp& net, const Set& set) {
    Generator random(book::seed());
    const double rate = best_of(false, double(std::ssize(net.blocks)))[0][2];
    return train(net, set, rate, 100, last_step(), 1, random)[0];
}

void how_close() {
    const Set set = rows_of_pixels();
    const Examples some = data::slice(set.seen, 0, 1000);
    Generator random(book::seed());
    nn::DeepMlp shallow({784, 64, 20, 10}, false, random);
    const double alone = trained_error(shallow, set);
    const int draws = book::quick() ? 1 : 3;
    // The training error with 0, 6, ..., 36 inserted layers, in %, for each draw of the noise.
    const auto errors_with = [&](double size) {
        const NoGrad only_looking;
        std::vector<std::vector<double>> found;
        for (int draw = 0; draw < draws; ++draw) {
            found.emplace_back();
            for (Index count = 0; count <= 36; count += 6) {
                Generator own(100 * book::seed() + std::uint64_t(draw));
                const nn::DeepMlp deep = deepened(shallow, count, size, own);
                found.back().push_back(100 *
                                       (1 - nn::accuracy(deep(some.x), some.labels)));
            }
        }
        return found;
    };
    const auto last = [&](double size) {
        std::vector<double> found;
        for (const std::vector<double>& draw : errors_with(size))
            found.push_back(draw.back());
        return over_seeds(found);
    };
    const double tenth = last(0.1).value, before = last(0).value;
    ask(fmt::format(
            "The network of 20 layers gives {:.0f} % of 1,000 training images a wrong "
            "name, and so does its twin with 36 identity layers. Now each identity "
            "layer "
            "receives noise of a tenth of the size of He's weights. What is the error "
            "of "
            "the twin?",
            before),
        {{"Nearly the same: a tenth is little.", tenth < before + 5,
          "It is little in one layer. The noise of 36 layers adds up."},
         {"Up to 20 points more.", tenth >= before + 5 && tenth < before + 20,
          "Half of this noise costs a few points. The error grows faster than the "
          "noise."},
         {"More than twice as large.", tenth >= before + 20,
          "The noise mixes the units a little in each layer, and 36 layers mix them "
          "until most of the answers are wrong."}});
    const std::vector<double> stops =
        figure::settings(noise, {0, 0.05, 0.1, 0.2, 0.5, 1});
    Figure figure("fig-noisy-identity");
    figure
        .describe(
            "The training error against the number of inserted layers, from 0 to 36, a "
            "line for each of three draws. Without noise the lines are level. With "
            "noise "
            "they rise from the left to the right, more steeply the larger the noise "
            "is. "
            "A slider sets the noise.")
        .slider(noise, stops, "noise on the identity");
    std::vector<double> counts;
    for (int count = 0; count <= 36; count += 6) counts.push_back(count);
    for (const double stop : stops)
        figure.at(stop).lines("", counts, errors_with(stop), {.color = figure::red});
    figure.always()
        .ylim(0, 100)
        .x("inserted layers")
        .y("training error, %")
        .save(
            "The error of a trained network of 20 layers after layers have been "
            "inserted "
            "in its middle, three draws of the noise. Each inserted matrix is the "
            "identity plus noise; the size of the noise is relative to He's weights.");
    for (const double size : {0.0, 0.05, 0.1, 0.2, 1.0})
        say("36 inserted layers with noise of {}: training error in % {}", size,
            book::brief(last(size)));

    std::vector<double> prepared, gain;
    const double random_start = std::ranges::min(column(best_of(false, 56), 8));
    for (int draw = 0; draw < draws; ++draw) {
        const nn::DeepMlp half({784, 64, 20, 10}, false, random);
        nn::DeepMlp start = deepened(half, 36, 0, random);
        prepared.push_back(trained_error(start, set));
        gain.push_back(random_start - prepared.back());
    }
    say("56 layers, 36 of which start as the identity: training error {} after {} "
        "steps; 20 layers: {:.3f}",
        book::brief(over_seeds(prepared)), last_step(), alone);
    if (!book::quick() && last_step() == 400)
        claim("",
              "56 fully connected layers: the least training error of three random "
              "starts less that with 36 identity layers at the start",
              over_seeds(gain), ">", 0);
}
//-

// {numref}`fig-noisy-identity` shows that the identity is a point with a small neighbourhood. Noise of a twentieth costs
// one to three points of error. Noise of a tenth takes the error from 15 to 56 %, and with noise of a fifth the network
// is close to guessing. He's initial weights are random matrices of size 1, far outside. So the good networks of 56
// layers exist, and training would have to find a small region from far away.
//
// ## Training does not find it
//
// Now read {numref}`fig-udl-11.2` again. The convolutional network of 56 layers ends with a training error of 70 %, and that
// of 20 layers with 26 %, in the median of three seeds. On test images the errors are 72 % and 29 %. If overfitting were the
// reason, the network of 56 layers would be the better one on its training images. The fully connected twins show the same:
// 16 % with 20 layers and 29 % with 56 on training images, 19 % and 31 % on test images. Each network has its best learning
// rate: of four for the convolutional networks, where the best is 0.01 with 56 layers and 0.003 with 20, neither the
// smallest nor the largest; and of two for the others.
//
// If the network could represent the answer but training did not reach it, a better start should help. We let 36 of the
// 56 fully connected layers start as the identity and 20 with He's weights, and train all of them as before. In three
// draws it ends with training errors of 17 to 19 %, where the shallow one ends with 16 %. It has the same layers, the
// same number of weights and the same optimiser. Only its start is different. So the degradation is a problem of
// **optimisation**, and not of what the network can represent or how it generalises.
//
// ## Limits and origins
//
// {cite:t}`he2016` showed the two curves for small photographs in 10 classes, with 20, 32, 44 and 56 layers, and called
// this **degradation**. They had batch normalisation, found gradients of healthy size, and argued that vanishing
// gradients are not the reason. Our networks are far smaller. They see 12,500 images of 14 × 14 pixels, and the
// convolutional network of 56 layers is still improving when its training ends. So our gap is one of speed as well. We
// have not measured its gradients. [Residual networks](../components/residual_networks.cpp) trains the fully connected
// network of 56 layers five times as long: its training error falls to 19 %, which is still above the 16 % that 20 layers
// reach here. That page tries five learning rates with the same fully connected networks. The best are the two of this
// page, 0.0003 with 56 layers and 0.001 with 20.
//
// The identity is one of many solutions, and it makes no use of the additional layers. The experiment says that depth does
// little harm after a good start; it does not say that depth helps.
//
// ## Summary
//
// A plain network of 56 layers has a larger training error than one of 20 layers, and a larger test error. The deeper
// network can copy the shallower one exactly, with identity layers. Training from random weights does not find this
// solution, and a start at the identity does.
//
// ## What is missing
//
// What if a layer *were* the identity as long as it has learned nothing? A [skip
// connection](../components/skip_connections.cpp) makes it so, but a sum needs two tensors of one size, and a network for
// images has to shrink them. [The next page](scale_pyramids.cpp) asks why, and [the page after it](residual_blocks.cpp)
// builds blocks that do both.
//
// ```{try}
// - Noise of your own: `--noise 0.15`.
// - A longer training of the networks on this page: `--steps 1000`.
// ```
void page() {
    errors();
    same_answers();
    how_close();
}
