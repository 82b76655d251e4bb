// # Generative adversarial networks (GAN): a generator against a discriminator
//
// ```{rows} sys-gan eq-gan-objective claim-discriminator-cues
// ```
//
// How can a network learn to make *new* images of shoes? A mean squared error needs a right answer, but any shoe will do.
// A **generative adversarial network** {cite:p}`goodfellow2014` replaces the right answer by a judge. The **generator**
// turns random numbers into samples. The **discriminator** reads a sample and says whether it is real or generated. Each
// is the training signal of the other. {numref}`fig-ring` shows the smallest interesting case: the real samples come from
// eight small clouds on a ring. Move the slider and step through the training.
//
// ```{opening} fig-ring
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/binary_cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::over_seeds, book::say;
using figure::Figure;

const book::Option<Index> passes("steps", 4500, "steps of a training",
                                 {.quick = 100, .least = 1, .most = 100'000});
const book::Option<int> draws("draws", 5, "trainings",
                              {.quick = 1, .least = 1, .most = 50});
const book::Option<double> spread("spread", 0.1, "standard deviation of a cloud",
                                  {.least = 0.01, .most = 0.3});

const Index batch = 256, noise = 8;  // noise: random numbers that make a sample
const double radius = 2;

// Defined further down:
struct Game;
Tensor yes(const Tensor& scores);
Tensor no(const Tensor& scores);
//-

// ## The game
//
// Let $D(x)$ be the probability that the discriminator gives to "real", and $G(z)$ the sample that the generator makes
// of the random numbers $z$. The discriminator wants $D(x)$ near 1 for real $x$ and $D(G(z))$ near 0. The generator
// wants the opposite. Both read the same number:
//
// ```{equation} eq-gan-objective
// :function: yes; no
// \min_G \max_D \; \mathbb E\bigl[\log D(x)\bigr] + \mathbb E\bigl[\log\bigl(1 - D(G(z))\bigr)\bigr]
// ```
//
// For the discriminator this is ordinary binary classification with a [cross-entropy](../training/cross_entropy.cpp).
// In code the two networks take turns. A step of the discriminator is followed by a step of the generator, which passes
// its samples through the discriminator and changes only its own weights:
struct Game {
    nn::Mlp generator, discriminator;
    optim::Adam for_generator, for_discriminator;

    void step(const Tensor& real, Generator& random) {
        const Tensor z = random.normal({batch, noise});
        const Tensor made = generator(z).detach();
        optim::train_step(for_discriminator, [&] {
            return yes(discriminator(real)) + no(discriminator(made));
        });
        optim::train_step(for_generator,
                          [&] { return yes(discriminator(generator(z))); });
    }
    //-
    static optim::AdamOptions steady(double rate) {
        return {.lr = rate, .betas = {0.5, 0.999}};
    }
    explicit Game(Generator& random)
        : generator({noise, 64, 64, 2}, relu, random),
          discriminator({2, 64, 64, 1}, relu, random),
          for_generator(nn::parameters(generator), steady(1e-3)),
          for_discriminator(nn::parameters(discriminator), steady(1e-3)) {}
    //-
};
// The losses are small functions of the discriminator's scores, the log-odds of "real":
Tensor yes(const Tensor& scores) {  // -log D
    return binary_cross_entropy(scores, ones(scores.shape()));
}
Tensor no(const Tensor& scores) {  // -log(1 - D)
    return binary_cross_entropy(scores, zeros(scores.shape()));
}

//- the ring, a training, and how the figure is drawn
std::array<double, 2> centre(Index mode) {
    const double angle = double(mode) * std::numbers::pi / 4;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}
Tensor ring(Index count, Generator& random) {
    Tensor x = random.normal({count, 2}, 0, Real(spread()));
    Real* at = x.write();
    for (Index i = 0; i < count; ++i) {
        const std::array<double, 2> c = centre(random.next_integer(0, 8));
        at[2 * i] += Real(c[0]), at[2 * i + 1] += Real(c[1]);
    }
    return x;
}

struct Judged {
    Index modes = 0;   // with at least a percent of all samples within 3 sigma
    double close = 0;  // share of the samples within 3 sigma of a centre
};
Judged judge(const Tensor& samples) {
    const std::vector<Real> at = samples.values();
    const double each = 1 / double(samples.size(0));
    std::array<double, 8> share{};
    for (std::size_t i = 0; i < at.size(); i += 2)
        for (Index mode = 0; mode < 8; ++mode) {
            const std::array<double, 2> c = centre(mode);
            if (std::hypot(double(at[i]) - c[0], double(at[i + 1]) - c[1]) <=
                3 * spread())
                share[std::size_t(mode)] += each;
        }
    Judged found;
    for (const double s : share) found.modes += s >= 0.01, found.close += s;
    return found;
}

// Samples of a generator that has found the ring and not the clouds.
Tensor plain_ring(Index count, Generator& random) {
    Tensor x = zeros({count, 2});
    Real* at = x.write();
    for (Index i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * random.next_uniform(),
                     r = radius + spread() * random.next_normal();
        at[2 * i] = Real(r * std::cos(angle)),
               at[2 * i + 1] = Real(r * std::sin(angle));
    }
    return x;
}

// Plays a game, and shows 2,000 samples after some of the steps.
void play(Generator& random,
          const std::function<void(Index step, const Tensor& samples)>& show) {
    Game game(random);
    const auto tell = [&](Index step) {
        const NoGrad only_asking;
        Generator fresh(book::seed() + 1000);
        show(step, game.generator(fresh.normal({2000, noise})));
    };
    tell(0);
    for (Index step = 1; step <= passes(); ++step) {
        const double rate = 1e-3 * (1 - double(step - 1) / double(passes()));
        game.for_generator.options.lr = game.for_discriminator.options.lr = rate;
        game.step(ring(batch, random), random);
        if (step % 100 == 0 || step == passes()) tell(step);
    }
}

void first_game(std::vector<Judged>& ends) {
    const std::vector<double> stops = {0, 100, 200, 300, 500, 1000, 2000, 4500};
    Generator random(book::seed()), fresh(book::seed() + 2000);
    const std::vector<Real> real = ring(400, fresh).values();
    const auto column = [](const std::vector<Real>& rows, std::size_t which) {
        std::vector<double> found;
        for (std::size_t i = which; i < std::min<std::size_t>(rows.size(), 800); i += 2)
            found.push_back(double(rows[i]));
        return found;
    };
    std::vector<double> steps, close, modes;
    Figure figure("fig-ring");
    figure
        .describe(
            "Left, dots in a plane: real samples in eight clouds on a ring, and "
            "generated "
            "samples. A slider sets the step of the training. At first the generated "
            "samples "
            "form a spot in the middle, then they spread and break up into the eight "
            "clouds. "
            "Right, the share of generated samples within three standard deviations of "
            "a "
            "centre rises with the steps.")
        .slider("step", stops, "step of the training", 500)
        .panel("samples")
        .dots("real", column(real, 0), column(real, 1),
              {.color = figure::grey, .width = 2.5, .opacity = 0.5});
    play(random, [&](Index step, const Tensor& samples) {
        const Judged now = judge(samples);
        steps.push_back(double(step)), close.push_back(now.close);
        modes.push_back(double(now.modes) / 8);
        if (step == passes()) ends.push_back(now);
        if (std::ranges::find(stops, double(step)) == stops.end()) return;
        const std::vector<Real> at = samples.values();
        figure.at(double(step))
            .dots("generated", column(at, 0), column(at, 1),
                  {.color = figure::red, .width = 2.5, .opacity = 0.5});
    });
    figure.always().xlim(-3, 3).ylim(-3, 3).x("first number").y("second number");
    figure.panel("how good they are")
        .line("share within 3σ", steps, close, {.color = figure::red, .points = false})
        .line("clouds reached", steps, modes, {.color = figure::blue, .points = false});
    for (const double stop : stops) figure.at(stop).rule_x(stop);
    figure.always().ylim(0, 1.05).x("step").y("share").save(
        "Real and generated samples during a training. The generator has never read a "
        "real sample. All its information came through the discriminator.");
    book::shows("sys-gan/a", "fig-ring");
}
//-

// ## What the best discriminator answers
//
// Suppose that a sample can only be one of a few things. One of them has the probability $0.3$ among real samples and
// $0.1$ among generated ones. Of four times that the discriminator meets it, three are real, so the best answer is
// $D = 0.3 / (0.3 + 0.1) = 0.75$. In general, with the probability $p(x)$ of a real sample and $q(x)$ of a generated
// one,
//
// $$ D^\ast(x) = \frac{p(x)}{p(x) + q(x)} . $$
//
// Put this into the objective. If $q = p$, every answer is one half and the value is $\log \frac14 = -\log 4$. Else the
// value is larger by twice the **Jensen–Shannon divergence**, the mean [divergence](../training/divergence.cpp) of $p$
// and $q$ from their mixture:
//
// $$ \max_D V = 2 \operatorname{JS}(p, q) - \log 4 , \qquad
//    \operatorname{JS}(p, q) = \tfrac12 \operatorname{KL}\bigl(p, \tfrac{p + q}{2}\bigr) +
//    \tfrac12 \operatorname{KL}\bigl(q, \tfrac{p + q}{2}\bigr) . $$
//
// So a generator that plays against the best discriminator minimises a divergence between the two distributions. We let
// gradient ascent find the best discriminator for two distributions of five outcomes, and compare:
//- what is checked
void best_answers() {
    const std::vector<double> p = {0.3, 0.25, 0.2, 0.15, 0.1},
                              q = {0.1, 0.05, 0.2, 0.25, 0.4};
    const auto tensor = [](const std::vector<double>& numbers) {
        const std::vector<Real> rounded(numbers.begin(), numbers.end());
        return Tensor({Index(numbers.size())}, rounded);
    };
    Tensor scores = zeros({5}).requires_grad_();
    optim::Adam adam({{"scores", scores}}, {.lr = 0.05});
    optim::fit(adam,
               [&] {  // -V
                   return -sum(tensor(p) * log(sigmoid(scores)) +
                               tensor(q) * log(sigmoid(-scores)));
               },
               {.steps = 2000,
                .lr = [](Index step) { return 0.05 * (1 - double(step) / 2000); }});
    const std::vector<Real> found = sigmoid(scores.detach()).values();
    double off = 0, value = 0, js = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double d = double(found[i]), mixed = (p[i] + q[i]) / 2;
        off = std::max(off, std::abs(d - p[i] / (p[i] + q[i])));
        value += p[i] * std::log(d) + q[i] * std::log(1 - d);
        js += (p[i] * std::log(p[i] / mixed) + q[i] * std::log(q[i] / mixed)) / 2;
    }
    say("the value at the optimum: {:.6f}; Jensen–Shannon divergence {:.6f} nats",
        value, js);
    claim("eq-gan-objective/a",
          "the discriminator that gradient ascent finds against p / (p + q), largest "
          "difference",
          off, "<=", 1e-3);
    claim("eq-gan-objective/b", "its value against 2 JS - log 4, difference",
          std::abs(value - (2 * js - std::log(4))), "<=", 1e-6);
}
//-

// ## A judge that explains itself
//
// A human judge would say *fake*. The discriminator says more, since it is differentiable: the gradient of its score by
// the sample tells in which direction the sample would look more real. Passed on to the weights of the generator, the
// gradient names the **cue** that gave the sample away.
//
// We test this with a generator of two weights, $G(z) = a + bz$. The real samples are normal with mean 0 and standard
// deviation 1. The generator has the right mean, $a = 0$, but the wrong scale, $b = 0.5$ or $b = 2$. We train a
// discriminator against it for 500 steps and look, at each step, at the gradients of $a$ and $b$:
//- what is checked
struct Cues {
    double corrective = 0;  // share of the steps
    double ratio = 0;       // |mean gradient of a| over |mean gradient of b|
};
Cues cues(double wrong, Generator& random) {
    const nn::Mlp judge({1, 16, 16, 1}, tanh, random);
    optim::Adam adam(nn::parameters(judge), {.lr = 3e-3});
    const Index steps_taken = 500;
    double of_a = 0, of_b = 0;
    Cues found;
    for (Index step = 0; step < steps_taken; ++step) {
        const Tensor z = random.normal({batch, 1}), real = random.normal({batch, 1});
        Tensor a = zeros({1}), b = full({1}, Real(wrong));
        a.requires_grad_(), b.requires_grad_();
        optim::train_step(
            adam, [&] { return yes(judge(real)) + no(judge(z * Real(wrong))); });
        yes(judge(a + b * z)).backward();
        of_a += double(a.grad().item()), of_b += double(b.grad().item());
        // A step goes against the gradient: a scale that is too small must grow.
        const bool grows = double(b.grad().item()) < 0;
        found.corrective += (grows == (wrong < 1)) / double(steps_taken);
    }
    found.ratio = std::abs(of_a) / std::abs(of_b);
    return found;
}

void explain() {
    std::vector<double> share, ratio;
    for (const double wrong : {0.5, 2.0})
        for (int draw = 0; draw < 5; ++draw) {
            Generator random(book::seed() * 100 + std::uint64_t(draw));
            const Cues found = cues(wrong, random);
            share.push_back(found.corrective), ratio.push_back(found.ratio);
        }
    claim("claim-discriminator-cues/a",
          "share of the steps in which the gradient of the scale has the corrective "
          "sign, "
          "the generator being held",
          over_seeds(share), ">=", 0.95);
    claim("claim-discriminator-cues/b",
          "mean gradient of the mean over that of the scale, in absolute value",
          over_seeds(ratio), "<=", 0.1);
}
//-

// At nearly every step the gradient of the scale has the right sign: a generator that is too narrow is told to grow,
// and one that is too wide is told to shrink. The gradient of the mean, which is right already, is at most three
// hundredths as large on average. The first few steps are the exception, because the discriminator has not found the
// cue yet.
//
// ## Which loss for the generator?
//
// The objective asks the generator to minimise $\log(1 - D(G(z)))$. Our code minimises $-\log D(G(z))$ instead, the
// **non-saturating loss** of {cite:t}`goodfellow2014`. Both push $D(G(z))$ up. Early in the training the discriminator
// wins easily. Place your bet:
//- the question
void saturated() {
    const auto slope = [](const auto& loss) {
        Tensor score = full({1}, -8);
        score.requires_grad_();
        loss(score).backward();
        return std::abs(double(score.grad().item()));
    };
    const double first = slope([](const Tensor&s) { return -no(s); }),
                 second = slope([](const Tensor&s) { return yes(s); });
    ask("The discriminator is nearly certain that a sample is generated: its score is "
        "-8. "
        "How large is the derivative of log(1 - D) by this score?",
        {{"Large: a bad sample has the most to learn.", first > 0.5,
          "This would be sensible, and -log D behaves so."},
         {"Nearly zero: bad samples teach nothing.", first < 0.01,
          "The derivative is D itself, up to the sign. That of -log D is 1 - D in "
          "size."},
         {"About one half, as for every sample.", first >= 0.01 && first <= 0.5,
          "It depends on the score: one half is its size at a score of zero."}});
    say("size of the derivative: {:.5f} of log(1 - D), {:.5f} of -log D", first,
        second);
}
//-

// With a score of $-8$ the derivative of the objective itself is 0.0003, and the generator would hardly move just when it
// is worst. The derivative of the non-saturating loss is nearly one.
//
// ## Eight clouds
//
// Back to the ring. The clouds have their centres at a distance of 2 from the origin and a standard deviation of 0.1.
// Both networks have two hidden layers of 64 units. We play five games of 4,500 steps and count, among 2,000 samples,
// those within three standard deviations of a centre. A cloud counts as reached if it has at least one per cent of the
// samples. For comparison we judge real samples, and the samples of a generator that knows the ring and no clouds.
//- four more games, and what is checked
void all_games(std::vector<Judged> ends) {
    for (int draw = 1; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "draws");
        Generator random(book::seed() + std::uint64_t(draw));
        play(random, [&](Index step, const Tensor& samples) {
            if (step == passes()) ends.push_back(judge(samples));
        });
    }
    Index good = 0;
    for (const Judged& end : ends) {
        say("{} of 8 clouds, {:.1f} % of the samples within 3σ", end.modes,
            100 * end.close);
        good += end.modes >= 7 && end.close >= 0.8;
    }
    Generator random(book::seed() + 3000);
    const Judged real = judge(ring(2000, random)),
                 plain = judge(plain_ring(2000, random));
    say("real samples: {} of 8 clouds, {:.1f} %; a plain ring: {} of 8 clouds, {:.1f} "
        "%",
        real.modes, 100 * real.close, plain.modes, 100 * plain.close);
    const double runs = double(good);
    claim(
        "sys-gan/b",
        "of five runs, those that reach 7 clouds and put 80 % of the samples within 3σ",
        book::Measured(runs, runs, runs, int(ends.size())), ">=", 3);
}
//-

// All five generators reach all eight clouds, and put 82 to 91 % of their samples near a centre. Of real samples it is
// 99 %, and of a plain ring only 34 %. So the generators have learned the clouds and not just the ring. {numref}`fig-ring`
// shows why the samples between the clouds are the last to go: the generator is continuous, so it must draw a path from
// one cloud to the next, and can only make the path thin. The width of the clouds matters. With `--spread 0.2` the test
// says little, since a plain ring nearly passes it. With `--spread 0.05` most of our five games fail. With `--steps 9000` in
// addition most of them pass, and one collapses.
//
// ## Limits and history
//
// A GAN has no loss that falls. Both losses are relative to an opponent that also learns, so you must look at the
// samples to know how far the training is. The training can also fail in a way of its own: the generator may find one
// kind of sample that passes, and make only this kind. This is **mode collapse**, and the ring was used to show it
// {cite:p}`metz2017`. The clouds there have a standard deviation of 0.02. Our games avoid it with wider clouds, a first
// momentum of 0.5 as in {cite:t}`radford2016`, and a falling rate. And the argument with the Jensen–Shannon divergence
// needs the best discriminator at every step. A real one makes a single step between two steps of the generator.
//
// ## Summary
//
// A generator makes samples and a discriminator tells them from real ones, and each is trained against the other. The
// best discriminator is $p / (p + q)$, and against it the generator minimises the Jensen–Shannon divergence. The
// gradient through the discriminator says what gave a sample away.
//
// ## What is missing
//
// A GAN gives samples and no probabilities: you cannot ask it how likely an image is. And all architectures so far are made
// of layers. [The next page](differentiable_programs.cpp) trains programs that have none.
//
// ```{try}
// - A short game: `--steps 1000`. How many clouds are reached, and how many samples are close?
// - Narrower clouds: `--spread 0.02`. How many clouds are lost?
// - Other starts: `--seed 2`. Which games go wrong?
// ```

void page() {
    std::vector<Judged> ends;
    first_game(ends);
    best_answers();
    explain();
    saturated();
    all_games(ends);
}
