// # Spectral bias: low frequencies first
//
// ```{rows} claim-low-frequencies-first
// ```
//
// A network can represent almost any function, given enough units. Training finds some functions much sooner than others.
// {numref}`fig-sines` shows a network that learns a sum of four waves of equal height. Move the slider through its
// training: the slow waves come first, and the fast ones take hundreds of times as many steps. This **spectral bias**
// decides what a network has learned when you stop it, and it is a reason why noise is learned late.
//
// ```{opening} fig-sines
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using book::Study;
using data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> training("steps", 1500, "steps of the network in the figures",
                                   {.quick = 120, .least = 20, .most = 6000});
const book::Option<double> noise("noise", 0.3, "standard deviation of the pixel noise",
                                 {.least = 0.0, .most = 2.0});
const book::Option<int> draws("draws", 5, "trainings on pure noise",
                              {.quick = 1, .least = 1, .most = 20});

using Numbers = std::vector<double>;
const Index points = 200;
const std::vector<int> waves = {1, 3, 6, 12};
//-

// ## Two scales
//
// Take a model with two weights, $f(x) = w_1 \sin x + 0.1\, w_2 \sin 12x$. The target is $\sin x + 0.1 \sin 12x$, and both
// weights start at zero. The gradient with respect to $w_2$ has two factors of 0.1: the error of the fast wave is a
// tenth as high, and moving the weight by one moves the function by a tenth. Compare both errors to what they were
// at the start. In a step of gradient descent in which the first shrinks by 1 %, the second shrinks by 0.01 %, and it
// takes a hundred times as many steps.
//
// A network has no weight for each wave. But it has the same scales, hidden in its [tangent
// kernel](neural_tangent_kernel.cpp). Take a wave $v$ with values $v_i$ at the samples and $\sum_i v_i^2 = 1$. If
// the output is off by this wave, a step of gradient descent on half the sum of squared errors moves the output, and the
// part of this move along the wave itself is $\eta\lambda$, with
//
// $$ \lambda = \Bigl\lVert \nabla_w \sum_i v_i\, f(x_i; w) \Bigr\rVert^2 $$
//
// As long as the kernel stays as it is and keeps waves apart, a wave with height $a$ shrinks as $a\,e^{-\eta\lambda t}$.
// One backward pass measures $\lambda$. The waves below are $\sin 2\pi k x$ and $\cos 2\pi k x$ for a frequency $k$, and we
// take the mean of the two:
struct Waves {
    Tensor x, y;  // (points, 1): places from -1 to 1, and the target
};
Tensor wave(double k, double phase) {  // (points, 1), height 1
    std::vector<Real> y;
    for (Index i = 0; i < points; ++i)
        y.push_back(Real(
            std::sin(2 * std::numbers::pi * k * double(i) / double(points) + phase)));
    return Tensor({points, 1}, y);
}
double kernel_along(const nn::Mlp& net, const Tensor& x, double k) {
    double total = 0;
    for (const double phase : {0.0, std::numbers::pi / 2}) {
        const Tensor v = wave(k, phase) / std::sqrt(double(points) / 2);
        for (NamedTensor& part : nn::parameters(net)) part.tensor.zero_grad();
        sum(v * net(x)).backward();
        for (const NamedTensor& part : nn::parameters(net))
            total += double(sum(square(part.tensor.grad())).item()) / 2;
    }
    return total;
}

// ## Four waves
//
// The network has three hidden layers of 256 ReLU units. Its target is the sum of four waves of height 1, with the
// frequencies 1, 3, 6 and 12 and random phases, at 200 samples. [Adam](../training/optimisers.cpp) trains on all samples
// at once. In each step we take the difference of output and target apart into waves, by a Fourier transform, and note
// when the error of each of the four first falls below 20 % of the wave.
//- the network, its training and the study
nn::Mlp make(Generator& random) {
    const nn::Mlp net({1, 256, 256, 256, 1}, relu, random, {.weights = nn::he_init});
    for (const nn::Linear& layer : net.layers) {  // so that kinks are spread out
        Tensor bias = layer.bias.detach();
        bias.copy_(random.normal(bias.shape(), 0,
                                 Real(layer.weight.size(1) == 1 ? 0.5 : 0.1)));
    }
    return net;
}
Waves draw_waves(Generator& random) {
    std::vector<Real> x;
    for (Index i = 0; i < points; ++i)
        x.push_back(Real(2 * double(i) / double(points) - 1));
    Tensor y = zeros({points, 1});
    for (const int k : waves)
        y = y + wave(k, 2 * std::numbers::pi * random.next_uniform());
    return {Tensor({points, 1}, x), y};
}
// The height of each wave in y, for frequencies from 0 to 14.
const int most = 14;
Numbers heights(const Tensor& y) {
    static const std::vector<Tensor> all = [] {
        std::vector<Tensor> found;
        for (int k = 0; k <= most; ++k)
            found.push_back(wave(k, 0)), found.push_back(wave(k, std::numbers::pi / 2));
        return found;
    }();
    Numbers found;
    for (std::size_t k = 0; k <= std::size_t(most); ++k) {
        const double a = double(sum(all[2 * k] * y).item()),
                     b = double(sum(all[2 * k + 1] * y).item());
        found.push_back(std::hypot(a, b) / double(points) * (k == 0 ? 1 : 2));
    }
    return found;
}
// Trains until `done(step, output, error heights)` says so; step 0 is before training.
using Done = std::function<bool(Index, const Tensor&, const Numbers&)>;
void train_on(const Waves& of, const nn::Mlp& net, const Done& done) {
    optim::Adam adam(nn::parameters(net), {.lr = 1e-3});
    for (Index step = 0;; ++step) {
        const Tensor out = net(of.x);
        const Tensor error = out.detach() - of.y;
        if (done(step, out, heights(error))) return;
        adam.zero_grad();
        mse_loss(out, of.y).backward();
        adam.step();
    }
}
// The first training step in which the output is within 20 % at each of the four
// frequencies, counted from 1; 0 if none is.
struct Firsts {
    Numbers at = Numbers(waves.size(), 0);
    bool all(Index step, const Numbers& errors) {
        bool every = true;
        for (std::size_t i = 0; i < waves.size(); ++i) {
            if (at[i] == 0 && errors[std::size_t(waves[i])] < 0.2)
                at[i] = double(step + 1);
            every = every && at[i] > 0;
        }
        return every;
    }
};
Study::Row race(const Study::Row& cell) {
    Generator random(book::seed() + std::uint64_t(cell[0]) - 1);
    const Waves of = draw_waves(random);
    const nn::Mlp net = make(random);
    Firsts firsts;
    train_on(of, net, [&](Index step, const Tensor&, const Numbers& errors) {
        return firsts.all(step, errors) || step == 6000;
    });
    return firsts.at;
}
std::vector<Study::Row> all_draws() {
    std::vector<Study::Row> cells;
    for (int draw = 1; draw <= 16; ++draw) cells.push_back({double(draw)});
    return cells;
}
const Study study({"low_frequencies",
                   {"draw"},
                   {"1", "3", "6", "12"},
                   {"claim-low-frequencies-first/b", "claim-low-frequencies-first/c"},
                   0.1},
                  all_draws(), race);
//-

//- the figures, and what is checked
void four_waves() {
    Generator random(book::seed());
    const Waves of = draw_waves(random);
    const nn::Mlp net = make(random);
    std::vector<std::string> along;
    Numbers scales;
    for (const int k : waves) scales.push_back(kernel_along(net, of.x, k));
    for (const double s : scales) along.push_back(fmt::format("{:.3f}", s / scales[0]));
    Numbers stops, times, x;
    for (const double stop : {0., 3., 10., 30., 100., 300., 1000., 1500.})
        if (stop <= double(training())) stops.push_back(stop);
    for (Index i = 0; i < points; ++i) x.push_back(double(i) / double(points));
    Names columns, rows;
    std::vector<Index> looks;
    for (const Index look :
         {1, 2, 4, 7, 10, 15, 25, 40, 65, 100, 160, 250, 400, 630, 1000, 1500})
        if (look <= training())
            looks.push_back(look), columns.push_back(std::to_string(look));
    std::vector<Numbers> found;
    const std::vector<Real> target = of.y.values();
    Figure figure("fig-sines");
    figure
        .describe(
            "A wavy curve that is the sum of four waves, and the output of a network. "
            "A slider sets the training step. After ten steps the network has a single "
            "slow wave, after a hundred steps also the next one, and only after "
            "hundreds of steps the small wiggles.")
        .slider("step", stops, "training step", stops[stops.size() / 2])
        .line("target", x, Numbers(target.begin(), target.end()),
              {.color = figure::ochre, .width = 3, .points = false});
    Firsts firsts;
    train_on(of, net, [&](Index step, const Tensor& out, const Numbers& errors) {
        firsts.all(step, errors);
        if (std::ranges::find(stops, double(step)) != stops.end()) {
            const std::vector<Real> y = out.values();
            figure.at(double(step))
                .line("network", x, Numbers(y.begin(), y.end()),
                      {.color = figure::blue, .points = false});
        }
        if (std::ranges::find(looks, step) != looks.end()) found.push_back(errors);
        return step == training();
    });
    figure.always().x("place").y("value").ylim(-4.5, 4.5).save(
        "A sum of four waves of equal height, and the output of a network with three "
        "hidden layers at a step of its training.");
    Numbers cells;
    for (int k = most; k >= 0; --k) {
        rows.push_back(std::to_string(k));
        for (const Numbers& errors : found)
            cells.push_back(std::min(errors[std::size_t(k)], 1.0));
    }
    Figure("fig-frequency-map")
        .describe(
            "A map of the error: a column for each of sixteen training steps, a row "
            "for "
            "each frequency from 0 to 14. Four rows begin light, and become dark one "
            "after the other, the row of frequency 1 first and that of 12 last.")
        .heatmap("error", columns, rows, cells, 0, 1)
        .x("training step")
        .y("frequency")
        .save(
            "How high each wave is in the error of the network, step by step. Only the "
            "frequencies 1, 3, 6 and 12 are in the target, with a height of 1. They go "
            "out in this order.");
    book::shows("claim-low-frequencies-first/a", "fig-frequency-map");
    say("first steps within 20 % at the frequencies 1, 3, 6 and 12: {:.0f}, {:.0f}, "
        "{:.0f}, {:.0f}",
        firsts.at[0], firsts.at[1], firsts.at[2], firsts.at[3]);
    say("kernel along the waves before training, relative to frequency 1: {}",
        fmt::join(along, ", "));
    claim_true("", "the kernel is smaller along each faster wave",
               std::ranges::is_sorted(scales, std::greater<>()));
    Numbers smallest;
    std::vector<Numbers> at(waves.size());
    for (const Study::Row& row : study.frozen().rows) {
        double least = 1e9;
        for (std::size_t i = 0; i < waves.size(); ++i) {
            at[i].push_back(row[1 + i] > 0 ? row[1 + i] : 1e9);
            if (i > 0) least = std::min(least, at[i].back() / at[i - 1].back());
        }
        smallest.push_back(least);
    }
    const Numbers expected = {10, 63, 224, 1790};
    double factor = 1;
    for (std::size_t i = 0; i < waves.size(); ++i) {
        double mean = 0;
        for (const double step : at[i]) mean += step / double(at[i].size());
        factor = std::max({factor, mean / expected[i], expected[i] / mean});
        say("frequency {}: step {:.0f} in the mean of {} networks, from {} to {}",
            waves[i], mean, at[i].size(), std::ranges::min(at[i]),
            std::ranges::max(at[i]));
    }
    const int seeds = int(smallest.size());
    const double least = std::ranges::min(smallest);
    claim("claim-low-frequencies-first/b",
          "how many times as late as a frequency the next higher one comes, the least "
          "of all networks",
          book::Measured(least, least, std::ranges::max(smallest), seeds), ">", 1);
    claim("claim-low-frequencies-first/c",
          "mean steps against 10, 63, 224 and 1790, largest factor",
          book::Measured(factor, factor, factor, seeds), "<=", 2);
    if (training() < Index(study.frozen().rows[0][4])) return;
    double apart = 0;
    for (std::size_t i = 0; i < waves.size(); ++i)
        apart =
            std::max(apart, std::abs(firsts.at[i] / study.frozen().rows[0][1 + i] - 1));
    claim("", "the first network, trained again, against the kept one, relative", apart,
          "<=", 0.1);
}
//-

// All sixteen networks of the study learn the four waves in the order of their frequencies. The kernel says why: along
// faster waves it is smaller, already before training. For frequency 12 it is about 200 times as small as for frequency 1,
// and the mean step of frequency 12 is about 260 times as late. The agreement is better than we had a right to expect,
// because Adam is not gradient descent and the kernel changes in training. The first of these steps varies most, from 2 to
// 16: some random networks happen to begin close to the slow wave.
//
// Where does the order come from? A slow wave needs a small change of many weights, all of which agree. A fast wave
// needs neighbouring units to move against each other, and most of what they do cancels. The order is that of the network
// *and* its input: {cite:t}`tancik2020` put $\sin 2\pi k x$ and $\cos 2\pi k x$ for many $k$ in front of the first layer,
// and fast waves are learned nearly as soon as slow ones.
//
// ## Images and noise
//
// An image is a sum of waves, too, in two directions. Shapes are in the low frequencies, edges and noise in the high
// ones. A **convolutional autoencoder** reads an image and must return it: one layer keeps the size, the next
// halves it, and two layers lead back. Between them stand 16 channels of $14 \times 14$, four times as many numbers as the
// image has pixels, so nothing has to be lost. We add noise to all pixels of Fashion-MNIST {cite:p}`xiao2017`
// and train the network to return the noisy images, noise and all. The 784 frequencies are sorted by their length and
// split into thirds. We measure the error in each third, on new images, relative to the error before training:
struct Autoencoder {
    nn::Conv2d in, down;
    nn::ConvTranspose2d up;
    nn::Conv2d out;

    explicit Autoencoder(Generator& random)
        : in(1, 16, 3, random, {.padding = 1, .weights = nn::he_init}),
          down(16, 16, 4, random, {.stride = 2, .padding = 1, .weights = nn::he_init}),
          up(16, 16, 4, random, {.stride = 2, .padding = 1}),
          out(16, 1, 3, random, {.padding = 1}) {}
    Tensor operator()(const Tensor& x) const {
        return out(relu(up(relu(down(relu(in(x)))))));
    }
    void visit(auto&& part) {
        part("in", in), part("down", down), part("up", up), part("out", out);
    }
};
//- the spectrum, the training, the figures and what is checked
const Index side = 28, judged = 50, batch = 50, kept_images = 1000;

// The power of the error at each of 28 x 28 frequencies, summed over all images.
std::vector<Real> power(const Tensor& x) {
    std::vector<Real> cosines, sines;
    for (Index i = 0; i < side; ++i)
        for (Index j = 0; j < side; ++j) {
            const double at = 2 * std::numbers::pi * double(i * j) / double(side);
            cosines.push_back(Real(std::cos(at))), sines.push_back(Real(std::sin(at)));
        }
    const Tensor c({side, side}, cosines), s({side, side}, sines),
        images = reshape(x, {x.size(0), side, side}), cx = matmul(c, images),
        sx = matmul(s, images);
    return sum(square(matmul(cx, c) - matmul(sx, s)) +
                   square(matmul(cx, s) + matmul(sx, c)),
               {0})
        .values();
}
std::array<double, 3> thirds(const Tensor& error) {
    static const std::vector<Index> order = [] {
        std::vector<Index> all;
        for (Index i = 0; i < side * side; ++i) all.push_back(i);
        const auto length = [](Index i) {
            const Index r = std::min(i / side, side - i / side),
                        q = std::min(i % side, side - i % side);
            return r * r + q * q;
        };
        std::ranges::stable_sort(
            all, [&](Index a, Index b) { return length(a) < length(b); });
        return all;
    }();
    const std::vector<Real> of = power(error);
    std::array<double, 3> found{};
    for (std::size_t i = 0; i < order.size(); ++i)
        found[3 * i / order.size()] += double(of[std::size_t(order[i])]);
    return found;
}

struct Course {
    std::vector<Numbers> errors;     // [third][step], relative to that before training
    std::array<double, 3> halved{};  // first steps
    std::vector<std::pair<Index, Tensor>> shown;  // outputs for the first image
};
// Trains to the step `longest`, or only until the errors of all thirds are halved.
enum Until { the_end, all_halved };
Course course(const Tensor& train, const Tensor& fresh, Index longest,
              std::uint64_t seed, Until until) {
    Generator random(seed);
    const Autoencoder net(random);
    optim::Adam adam(nn::parameters(net), {.lr = 2e-3});
    Course found{std::vector<Numbers>(3), {}, {}};
    std::array<double, 3> start{};
    for (Index step = 0; step <= longest; ++step) {
        {
            const NoGrad only_asking;
            const Tensor out = net(fresh);
            const std::array<double, 3> now = thirds(out - fresh);
            if (step == 0) start = now;
            for (std::size_t k = 0; k < 3; ++k) {
                found.errors[k].push_back(now[k] / start[k]);
                if (found.halved[k] == 0 && now[k] < start[k] / 2)
                    found.halved[k] = double(step);
            }
            if (step == 5 || step == 20 || step == 100)
                found.shown.emplace_back(step, slice(out, 0, 0, 5));
            if (until == all_halved && std::ranges::min(found.halved) > 0) break;
        }
        const Index at = step * batch % train.size(0);
        const Tensor some = slice(train, 0, at, at + batch);
        adam.zero_grad();
        mse_loss(net(some), some).backward();
        adam.step();
    }
    return found;
}
void draw_course(const std::string& name, const Course& course, const char* words,
                 const std::string& caption) {
    Numbers at;
    for (std::size_t i = 0; i < course.errors[0].size(); ++i) at.push_back(double(i));
    Figure(name)
        .describe(words)
        .line("lowest third", at, course.errors[0],
              {.color = figure::blue, .points = false})
        .line("middle third", at, course.errors[1],
              {.color = figure::green, .points = false})
        .line("highest third", at, course.errors[2],
              {.color = figure::red, .points = false})
        .rule_y(0.5, "half")
        .x("training step")
        .y("error, relative to the start")
        .ylim(0, 1.1)
        .save(caption);
}

void noisy_images() {
    Generator random(book::seed());
    const Tensor clean =
                     data::slice(data::fashion_mnist(Part::train), 0, kept_images).x,
                 test = data::slice(data::fashion_mnist(Part::test), 0, judged).x;
    const Tensor train = clean + random.normal(clean.shape(), 0, Real(noise())),
                 fresh = test + random.normal(test.shape(), 0, Real(noise()));
    const Index longest = 100;
    const Course images = course(train, fresh, longest, book::seed(), the_end);
    figure::Images sheet("fig-noisy", 5);
    sheet.describe(
        "Rows of five images of clothes: noisy images, and what the network returns "
        "after 5, 20 and 100 steps. First there are blurred shapes, in the end the "
        "noise is there as well.");
    const auto row = [&](const std::string& label, const Tensor& of) {
        for (Index i = 0; i < 5; ++i)
            sheet.add(i == 0 ? label : "", 28, 28, select(of, 0, i).values());
    };
    row("noisy images", fresh);
    for (const auto& [step, of] : images.shown) row(fmt::format("{} steps", step), of);
    sheet.save(
        "Noisy test images, and the output of the autoencoder after 5, 20 and 100 "
        "steps. Shapes come first, and noise last.");
    const Tensor five = slice(test, 0, 0, 5);
    std::vector<std::string> distances;
    for (const auto& [step, of] : images.shown)
        distances.push_back(
            fmt::format("{} steps {:.3f}", step, double(mse_loss(of, five).item())));
    say("mean squared distance from the clean images: noisy images {:.3f}, {}",
        double(mse_loss(slice(fresh, 0, 0, 5), five).item()),
        fmt::join(distances, ", "));
    draw_course("fig-thirds", images,
                "Three falling curves over a hundred steps. That of the lowest third "
                "of the frequencies falls at once; those of the others fall together, "
                "much later.",
                "The error on noisy test images in three bands of frequencies. The "
                "lowest third has fallen to half before the others have begun.");
    say("images: error halved at step {:.0f} in the lowest third of the frequencies, "
        "{:.0f} in the middle one, {:.0f} in the highest (0: never)",
        images.halved[0], images.halved[1], images.halved[2]);
    Numbers ratio;
    for (std::uint64_t draw = 0; draw < 3; ++draw) {
        const Course one =
            draw == 0 ? images
                      : course(train, fresh, longest, book::seed() + draw, all_halved);
        // If the error of the highest third is never halved, it takes at least this long.
        const double last = one.halved[2] > 0 ? one.halved[2] : double(longest) + 1;
        ratio.push_back(one.halved[0] > 0 ? one.halved[0] / last : 1e9);
    }
    claim("claim-low-frequencies-first/d",
          "step at which the error of noisy images has halved in the lowest third of "
          "the frequencies, over that in the highest third",
          book::over_seeds(ratio), "<", 1);
    std::array<double, 3> share = thirds(fresh);
    const double all = share[0] + share[1] + share[2];
    say("share of the power of noisy images in the lowest, middle and highest third: "
        "{:.2f}, {:.2f}, {:.2f}",
        share[0] / all, share[1] / all, share[2] / all);
}
//-

// On noisy images the lowest third of the frequencies comes first, by far, and {numref}`fig-noisy` shows what this means:
// first shapes, then noise. After 20 steps the images that the network returns are nearer to the clean images than what it
// has read: for the five images shown, the mean squared distance is a third of that of the noisy images. After 100 steps
// the noise is back. So a training that is stopped early removes noise, although the noise was in its targets.
// {cite:t}`ulyanov2018` clean images in this way, with a network that has seen no other image.
//
// Does this come from the network or from the images? In an image most of the power is in the low frequencies, and an error
// with much power has a large gradient. To tell both apart, take the images away. Place your bet:

//- the question, the figure, and what is checked
void pure_noise() {
    Numbers ratio;
    Course first;
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(book::seed() + 100 + std::uint64_t(draw));
        const Tensor train = random.normal({kept_images, 1, side, side}, 0, Real(0.4)),
                     fresh = random.normal({judged, 1, side, side}, 0, Real(0.4));
        const Course noise_alone =
            course(train, fresh, 30, book::seed() + std::uint64_t(draw),
                   draw == 0 ? the_end : all_halved);
        ratio.push_back(noise_alone.halved[0] > 0
                            ? noise_alone.halved[0] /
                                  std::max(1.0, noise_alone.halved[2])
                            : 1e9);
        if (draw == 0) first = noise_alone;
    }
    const double usual = book::median(ratio);
    ask("Now the images are pure noise, which has the same power at all frequencies. "
        "The network, the optimiser and the measure are the same. Which error "
        "halves first?",
        {{"That of the lowest third: networks learn low frequencies first.",
          usual < 0.7,
          "This holds for the perceptron above, which reads a place and returns a "
          "value. A convolutional network reads an image."},
         {"None: they fall together.", usual >= 0.7 && usual <= 1.4,
          "On images, the lowest third came first because it has most of the power. "
          "Without this, little is left of the order."},
         {"That of the highest third.", usual > 1.4,
          "Small kernels do respond to fast changes, but the layers after them can "
          "undo this."}});
    draw_course("fig-white", first,
                "Three curves that fall together within thirty steps. None is far "
                "ahead of the others.",
                "The same network and the same measure, for images of pure noise. The "
                "three thirds of the frequencies fall together.");
    say("pure noise: step of the lowest third over that of the highest third: {}",
        book::brief(book::over_seeds(ratio)));
    book::claim_in("",
                   "on pure noise, step at which the error halves in the lowest third "
                   "over that in the highest third",
                   book::over_seeds(ratio), 0.5, 2);
}
//-

// With pure noise no fixed order is left. In some of the five trainings the lowest third is ahead, in others the highest;
// the largest lead is less than a factor of two. So most of the order of {numref}`fig-thirds` comes from the images, whose
// power puts low frequencies first. A convolutional network that reads an image and returns it can pass a fast wave on. The
// perceptron reads places, and must build each wave from them.
//
// ## Limits
//
// The four waves of {numref}`fig-sines` have the same height, and there the order is the network's own.
// {cite:t}`rahaman2019` found it in deep ReLU networks. In most data low frequencies are also higher, and both effects
// add up. "Low" also depends on what the network reads. If the input is an image, a frequency in its pixels is not a
// frequency of the function that the network computes: a classifier that changes its answer between two images that look
// alike is a fast function, whatever the images show.

void page() {
    four_waves();
    noisy_images();
    pure_noise();
}

// ## Summary
//
// A perceptron learns slow waves before fast ones, because its tangent kernel is smaller along fast waves. The factor is
// large: hundreds of times as many steps for twelve times the frequency. A convolutional autoencoder learns the shapes of
// noisy images before the noise, but on pure noise no fixed order is left: most of the order comes from the power of the
// data.
//
// ## What is missing
//
// All networks so far read inputs of one size. [The next page](recurrent_networks.cpp) reads a sequence, step by step.
//
// ```{try}
// - Less noise: `--noise 0.1`. Which of the three bands changes most?
// - A short training: `--steps 300`. What does the output of {numref}`fig-sines` look like at the end?
// ```
