// # Quantisation-aware training: round while you learn
//
// ```{rows} sys-qat
// ```
//
// A network was trained with 32 bits for each weight, and is then [rounded](quantisation.cpp) to two. Every weight moves to
// one of four levels, and the network cannot react. What if it had felt the rounding during its training? The derivative of
// a staircase is zero, so gradient descent should get stuck at once. **Quantisation-aware training** ignores this, with
// success. {numref}`fig-qat` compares rounding after the training and rounding during the training. Move the slider to
// fewer bits.
//
// ```{opening} fig-qat
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using book::Study;
using data::Examples, data::Part;
using figure::Figure;

const book::Option<double> target("target", -0.2,
                                  "the number that the loss wants of a weight",
                                  {.least = -0.95, .most = 0.95});
const book::Option<Index> live_steps("steps", 300,
                                     "steps of each training on this page",
                                     {.quick = 20, .least = 1, .most = 100'000});
//-

// ## A gradient through a staircase
//
// Take two bits and the levels $-1$, $-\frac13$, $\frac13$ and 1. A weight of 0.3 is rounded to $\frac13$. Let the loss
// be $(\hat w + 0.2)^2$, where $\hat w$ is the rounded weight: it wants to be $-0.2$. At $w = 0.3$ the derivative of the
// loss by $\hat w$ is $2\,(\frac13 + 0.2) = 1.07$. The derivative of $\hat w$ by $w$ is 0, since a small change of $w$
// does not change the level. By the chain rule the gradient is $1.07 \cdot 0 = 0$, and the weight never moves.
//
// The **straight-through estimator** {cite:p}`bengio2013` replaces the 0 by 1. In the forward pass the weight is rounded. In
// the backward pass the gradient passes as if it were not:
//
// ```{equation} eq-straight-through
// :function: recto::fake_quantize
// :test: fake_quantize: definition
// \hat w = \mathrm{round}(w), \qquad \frac{\partial \Loss}{\partial w} := \frac{\partial \Loss}{\partial \hat w}
// ```
//
// The optimiser keeps $w$ in full precision. With a learning rate $\eta = 0.1$ the weight goes from 0.3 to 0.19, to 0.09
// and to $-0.02$, and still $\hat w = \frac13$ until it crosses 0. Small steps add up behind the staircase until they
// reach the next level. In C++:
struct Walk {
    std::vector<double> w, rounded;
};
Walk straight_through(double want, Index steps) {
    Walk walk;
    double w = 0.3;
    for (Index step = 0; step < steps; ++step) {
        const double rounded =
            std::clamp(std::round((w + 1) * 1.5), 0.0, 3.0) / 1.5 - 1;
        walk.w.push_back(w), walk.rounded.push_back(rounded);
        w -= 0.1 * 2 * (rounded - want);
    }
    return walk;
}
// No level is $-0.2$. The next levels are $-\frac13$ and $\frac13$. What does the weight do?
//- the question, the figure, and what is checked
void one_weight() {
    const Index long_walk = 3000;
    const Walk found = straight_through(target(), long_walk),
               asked = straight_through(-0.2, long_walk);
    double mean = 0, late_changes = 0;
    for (std::size_t i = 0; i < found.rounded.size(); ++i) {
        mean += found.rounded[i] / double(long_walk);
        if (i > 1000) late_changes += asked.rounded[i] != asked.rounded[i - 1];
    }
    ask("The weight starts at 0.3 and the loss wants −0.2, between the levels −1/3 and "
        "1/3. What does the rounded weight do after many steps?",
        {{"It stays at −1/3, the nearest level.", late_changes == 0,
          "At −1/3 the gradient is not zero: it pushes back towards −0.2, and small "
          "pushes add up until the weight crosses 0 again."},
         {"It keeps jumping between −1/3 and 1/3.", late_changes > 0,
          "Below 0 the gradient pushes up, above 0 it pushes down. The weight stays "
          "near the threshold and crosses it again and again."},
         {"It settles at −0.2.", false,
          "The rounded weight can only be one of four levels."}});
    const std::vector<double> wanted =
        figure::settings(target, {-0.8, -0.5, -0.2, 0.1, 0.4, 0.7});
    Figure figure("fig-straight-through");
    figure
        .describe(
            "A weight over 60 steps, a zigzag line, and its rounded value, a line with "
            "steps. The slider sets the number that is wanted. The rounded value jumps "
            "between the "
            "two levels next to it, more often to the nearer one.")
        .slider(target, wanted, "wanted number");
    std::vector<double> step, ends;  // each step from its beginning to its end
    for (int i = 0; i < 60; ++i)
        step.push_back(i), ends.insert(ends.end(), {i + 0., i + 1.});
    for (const double want : wanted) {
        const Walk walk = straight_through(want, 60);
        std::vector<double> stairs;
        for (const double r : walk.rounded) stairs.insert(stairs.end(), {r, r});
        figure.at(want)
            .line("weight", step, walk.w, {.color = figure::blue, .points = false})
            .line("rounded", ends, stairs, {.color = figure::red, .points = false})
            .rule_y(want, "wanted");
    }
    figure.always().x("step").y("weight").ylim(-1.1, 1.1).save(
        "One weight with the straight-through gradient. The weight moves in "
        "full precision, and its rounded value, one of the levels −1, −1/3, 1/3 "
        "and 1, enters the loss.");
    claim("", "mean of the rounded weight over 3,000 steps, distance from the target",
          std::abs(mean - target()), "<=", 0.01);
}
//-

// The rounded weight jumps, and its *mean* over many steps is what the loss wants. The mechanism: each step changes $w$
// by $-2\eta$ times the distance of $\hat w$ from the target. The weight stays between the two levels, so the sum of all
// distances stays bounded, and their mean goes to zero. In a network no single weight has to be right. Thousands of
// weights share a sum, and when one jumps, the others see the new sum in the next step and adapt to it.
//
// ## A perceptron that is rounded in every step
//
// The network is that of the page on [quantisation](quantisation.cpp): 100 hidden units, Fashion-MNIST
// {cite:p}`xiao2017`, and levels from the smallest to the largest weight in each block of 32. Rounding stands in the
// forward pass, between the weights and the layer that uses them:
using Rounding = std::function<Tensor(const Tensor& weights)>;

Tensor scores(const nn::Mlp& net, Tensor x, const Rounding& round) {
    for (const nn::Linear& layer : net.layers) {
        x = linear(x, round(layer.weight), layer.bias);
        if (&layer != &net.layers.back()) x = relu(x);
    }
    return x;
}

Rounding to_bits(Index bits) {
    return [=](const Tensor& w) { return fake_quantize(w, Index(1) << bits, 32); };
}
// `fake_quantize` has the straight-through gradient. For **ternary** weights the levels are $-d$, 0 and $d$, where $d$ is
// the mean size of the weights of a block; {cite:t}`ma2024` use one $d$ for a whole matrix. The difference between
// rounded and full weights is a constant for the tape, so the gradient of the sum passes straight through:
Tensor ternary(const Tensor& w) {
    std::vector<Real> change = w.detach().values();
    for (std::size_t begin = 0; begin < change.size(); begin += 32) {
        const std::size_t end = std::min(begin + 32, change.size());
        double size = 0;
        for (std::size_t i = begin; i < end; ++i) size += std::abs(double(change[i]));
        const double d = size / double(end - begin);
        for (std::size_t i = begin; i < end; ++i)
            if (d > 0)
                change[i] = Real(d * std::clamp(std::round(change[i] / d), -1.0, 1.0) -
                                 double(change[i]));
    }
    return w + Tensor(w.shape(), change);
}
//- images, training, and the study
Examples images(Part part, Index begin, Index end) {
    return data::flat(data::slice(data::fashion_mnist(part), begin, end));
}
Tensor as_it_is(const Tensor& w) { return w; }

// From `rate` the learning rate falls to zero.
void train(const nn::Mlp& net, const Examples& set, Index steps, double rate,
           const Rounding& round, Generator& random) {
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr = rate * (1 - double(step) / double(steps));
        const Integers which = random.integers({100}, 0, set.size());
        const Examples batch = data::select(set, {which.data(), 100});
        adam.zero_grad();
        cross_entropy(scores(net, batch.x, round), batch.labels).backward();
        adam.step();
    }
}
double accuracy_of(const nn::Mlp& net, const Examples& set, const Rounding& round) {
    const NoGrad only_asking;
    return nn::accuracy(scores(net, set.x, round), set.labels);
}
nn::Mlp fresh(Generator& random) {
    return nn::Mlp({784, 100, 10}, relu, random, {.weights = nn::he_init});
}

struct Named {
    const char* name;
    Rounding round;
};
const std::vector<Named> roundings = {{"1", to_bits(1)},
                                      {"2", to_bits(2)},
                                      {"3", to_bits(3)},
                                      {"4", to_bits(4)},
                                      {"ternary", ternary}};
const std::vector<double> rates = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2};

Study::Row tune(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const Examples set = images(Part::train, 0, 50'000),
                   validation = images(Part::train, 50'000, 60'000),
                   test = images(Part::test, 0, 10'000);
    const nn::Mlp base = fresh(random);
    train(base, set, 2500, 1e-3, as_it_is, random);
    const nn::Mlp longer = nn::clone(base);
    train(longer, set, 1500, cell[1], as_it_is, random);
    Study::Row row = {accuracy_of(longer, validation, as_it_is),
                      accuracy_of(longer, test, as_it_is)};
    for (const Named& to : roundings) {
        row.push_back(accuracy_of(longer, validation, to.round));
        row.push_back(accuracy_of(longer, test, to.round));
        const nn::Mlp aware = nn::clone(base);
        train(aware, set, 1500, cell[1], to.round, random);
        row.push_back(accuracy_of(aware, validation, to.round));
        row.push_back(accuracy_of(aware, test, to.round));
    }
    return row;
}
std::vector<std::string> result_names() {
    std::vector<std::string> names = {"full validation", "full test"};
    for (const Named& to : roundings)
        for (const char* when : {"after", "during"})
            for (const char* on : {"validation", "test"})
                names.push_back(fmt::format("{} {} {}", when, to.name, on));
    return names;
}
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double draw : {1., 2., 3., 4., 5.})
        for (const double rate : rates) cells.push_back({draw, rate});
    return cells;
}
const Study study({"quantisation_aware",
                   {"draw", "rate"},
                   result_names(),
                   {"sys-qat/a", "sys-qat/b"},
                   0.015,
                   [] {
                       std::vector<double> within(result_names().size(), 0.015);
                       within[2] = within[3] = 0.4;  // one bit after the training
                       return within;
                   }()},
                  all_cells(), tune);

// The test accuracies of five networks, each at the rate that its validation images chose.
struct Chosen {
    std::vector<double> test, rate;
};
Chosen choose(const std::string& way) {
    const io::Csv& all = study.frozen();
    const std::vector<double> draw = all.column("draw"), rate = all.column("rate"),
                              validation = all.column(way + " validation"),
                              test = all.column(way + " test");
    Chosen found{std::vector<double>(5), std::vector<double>(5)};
    std::vector<double> best(5, -1);
    for (std::size_t i = 0; i < draw.size(); ++i) {
        const std::size_t d = std::size_t(draw[i]) - 1;
        if (validation[i] > best[d])
            best[d] = validation[i], found.test[d] = test[i], found.rate[d] = rate[i];
    }
    return found;
}
std::vector<double> chosen(const std::string& way) { return choose(way).test; }
std::vector<double> ahead(const std::string& name) {
    std::vector<double> found = chosen("during " + name);
    const std::vector<double> after = chosen("after " + name);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= after[i];
    return found;
}
//-

//- how the first figure is drawn
void draw_accuracies() {
    const std::vector<double> bits = {1, 2, 3, 4};
    const auto middle = [](const std::string& way) {
        return 100 * book::median(chosen(way));
    };
    std::vector<double> after, during;
    std::vector<std::vector<double>> all_after(5), all_during(5);
    for (const double b : bits) {
        after.push_back(middle(fmt::format("after {}", b)));
        during.push_back(middle(fmt::format("during {}", b)));
        for (std::size_t d = 0; d < 5; ++d) {
            all_after[d].push_back(100 * chosen(fmt::format("after {}", b))[d]);
            all_during[d].push_back(100 * chosen(fmt::format("during {}", b))[d]);
        }
    }
    Figure figure("fig-qat");
    figure
        .describe(
            "Two bars, the test accuracy of a network rounded after its training and "
            "of one rounded "
            "during its training, and both accuracies against the bits of a weight. "
            "The slider sets the bits. With four bits both are alike, and with one bit "
            "rounding after the training fails.")
        .slider("bits", bits, "bits for each weight", 2)
        .columns(2)
        .panel("with this many bits");
    for (std::size_t i = 0; i < bits.size(); ++i)
        figure.at(bits[i]).bars("", {"after", "during"}, {after[i], during[i]},
                                {.color = figure::blue});
    figure.always()
        .x("rounded after or during the training")
        .y("test accuracy, %")
        .ylim(0, 100)
        .panel("against the bits")
        .lines("rounded after", bits, all_after, {.color = figure::ochre})
        .lines("rounded during", bits, all_during, {.color = figure::blue})
        .rule_y(middle("full"), "FP32");
    for (const double b : bits) figure.at(b).rule_x(b, "");
    figure.always()
        .x("bits for each weight")
        .y("test accuracy, %")
        .ylim(0, 100)
        .save(
            "Test accuracy of networks whose weights have few bits, in blocks of 32, "
            "for five networks on 10,000 test images; the bars are medians. Both ways "
            "train for the "
            "same number of steps, with the best of six learning rates.");
}
//-

// Both ways start from a network that was trained in FP32 for 2,500 steps. Then it trains for another 1,500 steps:
// rounded in every step, or in FP32 and rounded at the end. So both have seen the same number of images. Each chooses its
// learning rate from six on validation images, for each network and each number of bits on its own.
//- the table, and what is checked
void compare() {
    std::vector<std::vector<book::Cell>> rows;
    for (const Named& to : roundings)
        rows.push_back(
            {to.name == std::string("ternary") ? "ternary"
                                               : fmt::format("bits: {}", to.name),
             book::brief(over_seeds(chosen(fmt::format("after {}", to.name)))),
             book::brief(over_seeds(chosen(fmt::format("during {}", to.name)))),
             book::brief(over_seeds(ahead(to.name)))});
    book::table("qat-accuracy",
                "Test accuracy of networks that are rounded after or during training.",
                {"weights", "rounded after", "rounded during", "gain"}, rows);
    say("in FP32: {}", book::brief(over_seeds(chosen("full"))));
    for (const Named& to : roundings)
        for (const char* when : {"after", "during"})
            say("{}, rounded {}: the rates that five networks chose: {:g}", to.name,
                when,
                fmt::join(choose(fmt::format("{} {}", when, to.name)).rate, ", "));
    const std::vector<double> at = study.frozen().column("after 2 test");
    say("2 bits, rounded after, one network at the six rates: {:.3f}",
        fmt::join(at.begin(), at.begin() + std::ssize(rates), ", "));
    claim(
        "sys-qat/a",
        "with 2 bits for each weight, accuracy after quantisation-aware training less "
        "that of rounding after training",
        over_seeds(ahead("2")), ">=", 0.03);
    book::report("sys-qat/b", "test accuracy of the ternary perceptron",
                 over_seeds(chosen("during ternary")));
}
//-

// With two bits, rounding after the training costs four and a half points, and rounding during the training half a point.
// With four bits the gain is half a point in the median. Ternary weights need $\log_2 3 \approx 1.6$ bits each and lie
// between one bit and two. (The page on [quantisation](quantisation.cpp) measured 0.80 for two bits after the training: its
// network was trained otherwise, and here the learning rate was chosen for the rounded network.)
//
// Was the rival tuned well enough? With two bits, rounding during the training chose a rate inside the six on every
// network. Rounding after the training chose one inside on four, and the smallest on one. Its accuracy jumps from rate to
// rate without order, as the line for one network shows. How far the weights end from their levels is partly chance. So
// every further rate is another draw to choose from, and might lift it a little.
//
// With a single bit each block of 32 has only two values. Rounding after the training then leaves between about two fifths
// and two thirds of the right answers, and rounding during the training loses 1.4 points. Here the further training in FP32
// does harm: all five networks chose the smallest rate, and a still smaller rate might lift them.
//
// A likely reason for the gain: many settings of rounded weights classify well. Rounding after the training takes
// the one that happens to lie nearest to the trained weights. Training through the staircase can look for a good one. It
// is not the gain of a longer training, since both have trained for the same number of steps.
//
// ## The gradient that is not one
//
// Is the straight-through gradient the derivative of anything? Let the program look at one block of 32 weights. A tiny
// change of one inner weight changes no rounded weight, so the true derivative is zero. The tape hands back the gradient of
// the rounded weights:
//- what is checked
void gradients() {
    Generator random(book::seed());
    const Tensor w = random.normal({32}).requires_grad_(),
                 factors = random.normal({32});
    sum(fake_quantize(w, 4, 32) * factors).backward();
    claim_true("",
               "the gradient by 32 weights is that by the rounded weights, bit for bit",
               w.grad().values() == factors.values());
    const Tensor third = random.normal({32}).requires_grad_();
    sum(ternary(third) * factors).backward();
    claim_true("", "the same for ternary weights",
               third.grad().values() == factors.values());
    const std::vector<Real> rounded = ternary(third.detach()).values();
    std::vector<double> levels;
    for (const Real v : rounded) {
        const double size = std::round(1e4 * std::abs(double(v))) / 1e4;
        if (std::ranges::find(levels, size) == levels.end()) levels.push_back(size);
    }
    claim("", "sizes that the ternary weights of a block have: zero and one other",
          levels.size(), "<=", 2);
    const Examples set = images(Part::train, 0, 5000);
    Generator once(book::seed()), twice(book::seed());
    const nn::Mlp full = fresh(once), aware = fresh(twice);
    train(full, set, live_steps(), 1e-3, as_it_is, once);
    train(aware, set, live_steps(), 1e-3, to_bits(2), twice);
    const Examples test = images(Part::test, 0, 2000);
    say("trained here from random weights, with 2 bits: rounded after {:.3f}, rounded "
        "during {:.3f}",
        accuracy_of(full, test, to_bits(2)), accuracy_of(aware, test, to_bits(2)));
}
//-

// So the straight-through gradient is a rule, not a derivative.
//
// ## Limits and history
//
// {cite:t}`bengio2013` compared ways to send a gradient through a threshold, and credit the plainest one to Hinton's
// lectures. {cite:t}`jacob2018` trained networks for products of bytes in this way. {cite:t}`ma2024` report language
// models with ternary weights that are trained so from the beginning. The price is the training: the weights in full
// precision and the state of the optimiser take as much memory as ever, and only the finished network is small. Our
// biases are in FP32, and the activations are not rounded.
//
// ## Summary
//
// Rounding has derivative zero, and the straight-through estimator passes the gradient as if it had not been there. The
// weights in full precision collect small steps until they reach the next level. In our perceptron, two bits for each weight
// cost four and a half points of accuracy after the training, and half a point during the training.
//
// ## What is missing
//
// Rounding changes all weights a little. A large network can also be adapted by changing few weights, or few numbers beside
// them. But first, [the next
// page](decoding.cpp) asks what few bits do for the speed.
//
// ```{try}
// - A target on a level: `--target 0.3333`. Does the weight still jump?
// - Train longer on this page: `--steps 1500`. Does rounding after the training catch up?
// ```

void page() {
    draw_accuracies();
    one_weight();
    compare();
    gradients();
}
