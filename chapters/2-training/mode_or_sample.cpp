// # Inference: the mode or a sample
//
// ```{rows} eq-inference-argmax sys-inference-sampling
// ```
//
// [The last page](predicting_distributions.cpp) trained networks that predict a whole distribution for each input. Training is
// over, the weights stay fixed, and now you need an answer: one number, one class, one count. This step is called
// **inference**. There are two ways to get an answer from a distribution: take the most probable one, the **mode**, or draw
// one at random, which is **sampling**. Which way is better depends on what the answer is for.
//
// A network has learned from the counts of the first panel. The second panel shows counts that the network has drawn. Do they
// look alike? Move the slider to draw again:
//
// ```{opening} fig-draws
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/curves.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/likelihood.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::even_grid, figure::Figure;

const book::Option<Index> samples("samples", 2000, "counts to learn from",
                                  {.quick = 300, .least = 10, .most = 100'000});
const book::Option<Index> steps_made("steps", 300, "number of training steps",
                                     {.quick = 60, .least = 1, .most = 10'000});
const book::Option<int> seeds("seeds", 5, "number of networks that are judged",
                              {.quick = 1, .least = 1, .most = 100});
//-

//- counts, and a network that learns them
struct Counts {
    Tensor x, y;  // (count, 1) and (count)
};
Counts counts(Index many, Generator& random) {
    const Tensor x = random.uniform({many, 1}, -1, 1);
    Tensor log_mean = empty({many, 1});
    for (Index n = 0; n < many; ++n)
        log_mean.set({n, 0}, Real(1.2) + std::sin(3 * x.at({n, 0})));
    return {x, nn::Poisson{}.sample(log_mean, random)};
}
nn::Mlp learned(const Counts& seen, Generator& random) {  // the log of the mean
    const nn::Mlp model({1, 16, 16, 1}, tanh, random);
    optim::Adam adam(nn::parameters(model));
    optim::fit(adam,
               [&] { return -mean(nn::Poisson{}.log_prob(model(seen.x), seen.y)); },
               {.steps = steps_made(), .lr = [](Index step) {
                    return 0.03 * (1 - double(step) / double(steps_made()));
                }});
    return model;
}
//-

//- how the figure is drawn
void draw_draws() {
    Generator random(book::seed());
    const Counts seen = counts(samples(), random);
    const nn::Mlp model = learned(seen, random);
    const NoGrad only_asking;
    const std::vector<double> draws = {1, 2, 3, 4, 5, 6},
                              places = even_grid(200, -1, 1);
    const Tensor grid = linalg::column_of(places);
    const Index shown = std::min<Index>(500, seen.x.size(0));
    const figure::Style cloud{.color = figure::grey,
                              .shape = figure::Shape::circle,
                              .width = 1.5,
                              .opacity = 0.6};
    Figure figure("fig-draws");
    figure
        .describe(
            "Two panels of dots on horizontal rows over x: observed counts, and counts "
            "sampled from the network. They look alike. In the second panel the most "
            "probable count is a line of steps through the middle. A slider draws "
            "other samples; the line stays.")
        .height(240)
        .slider("draw", draws, "draw", 1)
        .panel("seen")
        .dots("seen", slice(seen.x, 0, 0, shown).values(),
              slice(seen.y, 0, 0, shown).values(), cloud)
        .ylim(0, 20)
        .x("x")
        .y("count")
        .panel("drawn");
    for (const double draw : draws) {
        const Tensor x = random.uniform({500, 1}, -1, 1),
                     y = nn::Poisson{}.sample(model(x), random);
        figure.at(draw).dots("drawn", x.values(), y.values(),
                             {.color = figure::red,
                              .shape = figure::Shape::circle,
                              .width = 1.5,
                              .opacity = 0.6});
    }
    figure.always()
        .line("most probable", places, nn::Poisson{}.mode(model(grid)).values(),
              {.color = figure::blue, .dash = figure::solid, .points = false})
        .ylim(0, 20)
        .x("x")
        .y("count")
        .save(
            "First panel: observed counts. Second panel: samples from what the network "
            "learned, at other values of $x$, with the most probable count as a line. "
            "The line is the better single guess, but it does not look like data; the "
            "samples do.");
}
//-

// ## The mode: the most probable answer
//
// Suppose that a network predicts 2.6 calls an hour, with a Poisson distribution. The probability of $y$ calls is $2.6 / y$
// times that of $y - 1$. So it rises up to $y = 2$ and falls from there, and the most probable count is 2. In general, the
// mode is the maximum over answers $y$:
//
// ```{equation} eq-inference-argmax
// :function: recto::nn::Categorical; recto::nn::Poisson; recto::nn::VonMises
// :test: likelihood: modes are those that brute force finds
// \hat y = \operatorname*{argmax}_y \; \Pr\big(y \mid f(x; w)\big)
// ```
//
// For both normal distributions of the last page the mode is the mean, for classes the class with the largest score, for an
// angle the direction of the vector. For a count, go up as long as the next count is more probable:
Index likeliest_count(double mean) {
    Index y = 0;
    while (mean / double(y + 1) > 1) ++y;
    return y;
}
//- the library's mode beside it
void modes() {
    double gap = 0;
    for (double mean = 0.25; mean < 20; mean += 0.5) {
        const Tensor output({1, 1}, {Real(std::log(mean))});
        gap = std::max(gap, std::abs(double(nn::Poisson{}.mode(output).item()) -
                                     double(likeliest_count(mean))));
    }
    say("the most probable count for a mean of 2.6: {}", likeliest_count(2.6));
    claim("",
          "for forty means, the largest gap between the library's mode and this one",
          gap, "==", 0);
}
//-

// ```{erratum} Prediction is a maximum over answers
// :source: slide “Inference” of {cite:t}`transformers-slides`
// :row: eq-inference-argmax
// :printed: \hat y = \operatorname*{argmax}_\omega \; \Pr\big(y \mid f_\omega(x)\big)
// :correct: \hat y = \operatorname*{argmax}_y \; \Pr\big(y \mid f_\omega(x)\big)
//
// A maximum over weights is training. At inference $\omega$ is fixed, and $y$ is unknown. The program below computes both.
// ```
//
// Take a model of one weight for yes or no. It says yes with the probability $\sigma(w x)$, where $\sigma$ is the sigmoid. What
// does each maximum return?
//- both maxima, by trying a grid of weights
void two_maxima(Generator& random) {
    const auto log_p = [](int y, double w, double x) {
        return -std::log1p(std::exp(y ? -w * x : w * x));
    };
    std::vector<std::pair<double, int>> seen;
    for (int n = 0; n < 60; ++n) {
        const double x = 2 * random.next_uniform() - 1;
        seen.emplace_back(x, random.next_uniform() < 1 / (1 + std::exp(-2 * x)));
    }
    const std::vector<double> ws = even_grid(201, -10, 10);
    const auto best = [&](const auto& score) {
        return *std::ranges::max_element(ws, {}, score);
    };
    const double trained = best([&](double w) {
        double sum = 0;
        for (const auto& [x, y] : seen) sum += log_p(y, w, x);
        return sum;
    });
    const int answer = log_p(1, trained, -0.8) > log_p(0, trained, -0.8);
    const double for_yes = best([&](double w) { return log_p(1, w, -0.8); }),
                 for_no = best([&](double w) { return log_p(0, w, -0.8); });
    book::table(
        "tab-argmax",
        "The weights tried are a grid from -10 to 10, and the new sample has x = -0.8. "
        "Only the second row is a prediction.",
        {"maximum over", "given", "result"},
        {{"weights", "60 samples", fmt::format("w = {:.1f}: training", trained)},
         {"answers", "that w, and x", fmt::format("y = {}: prediction", answer)},
         {"weights", "x, and y = 1", fmt::format("w = {:.1f}", for_yes)},
         {"weights", "x, and y = 0", fmt::format("w = {:.1f}", for_no)}});
    book::shows("eq-inference-argmax/b", "tab-argmax");
    claim_true(
        "", "the maximum over weights needs the answer and returns the end of the grid",
        for_yes == -10 && for_no == 10);
}
//-

// The last two rows are the formula as printed. It needs the answer $y$ as an input, so it is no prediction.
//
// ## A sample: an answer drawn at random
//
// The most probable answer is not always a good one, because it ignores everything else in the distribution.
void rain(Generator& random) {
    const Index days = 1000;
    const Tensor scores = full({days, 1}, Real(std::log(0.3 / 0.7)));  // 30 % every day
    const double modes = double(sum(nn::Bernoulli{}.mode(scores)).item()),
                 draws = double(sum(nn::Bernoulli{}.sample(scores, random)).item());
    ask("A weather model, well trained, predicts a 30 % chance of rain for every "
        "single day. For a thousand days we record its most probable answer. How many "
        "days of rain are recorded?",
        {{"About 300.", std::abs(modes - 300) < 60,
          "Every single answer is no. The mode does not contain the 30 %."},
         {"None.", modes == 0,
          "On each day no is more probable than yes. A thousand most probable answers "
          "make a drought that the model itself considers all but impossible."},
         {"About 500, as the model is not sure.", std::abs(modes - 500) < 60,
          "The mode of a coin is always its more probable side, however small the "
          "lead."}});

    // Sampling answers differently: for each day, throw a coin that shows rain with a probability of 30 %.
    say("drawn: {} days of rain", draws);
}

// So the mode answers *what is most likely here*, and says nothing about how often something happens. The share of
// many samples answers that.
//
// As a single guess a sample is worse than the mode. How much worse? Let the counts at some $x$ have the variance 3. The
// mean squared distance of the mean from a new count is then 3. A sample has the variance 3 as well, so its mean squared
// distance from a new count is 6, twice as much. We measure it with the mode in place of the mean, on new counts:
//- the mean squared distances, for several networks
void as_guesses() {
    std::vector<double> ratios, spread_of_modes, spread_of_samples;
    for (int run = 0; run < seeds(); ++run) {
        Generator random(book::seed() + std::uint64_t(run));
        const nn::Mlp model = learned(counts(samples(), random), random);
        const NoGrad only_asking;
        const Counts fresh = counts(5000, random);
        const Tensor outputs = model(fresh.x), mode = nn::Poisson{}.mode(outputs),
                     drawn = nn::Poisson{}.sample(outputs, random);
        const auto off = [&](const Tensor& guess, const Tensor& truth) {
            return double(mean(square(guess - truth)).item());
        };
        ratios.push_back(off(drawn, fresh.y) / off(mode, fresh.y));
        const Tensor middle = select(exp(outputs), 1, 0);
        spread_of_modes.push_back(off(mode, middle) / off(fresh.y, middle));
        spread_of_samples.push_back(off(drawn, middle) / off(fresh.y, middle));
    }
    claim("",
          "mean squared distance of a sample from a new count, as a multiple of that "
          "of the mode",
          over_seeds(ratios), ">", 1.5);
    say("mean squared distance from the predicted mean, new counts = 1: modes {}, "
        "samples {}",
        book::brief(over_seeds(spread_of_modes)),
        book::brief(over_seeds(spread_of_samples)));
}
//-

// The factor is 1.8 and not 2, because the mode is a whole number and therefore a little off the mean. The line
// printed below the check shows the other side. Around the predicted mean, samples spread as new counts do, and modes
// hardly at all. {numref}`fig-draws` shows the same by eye. So use the mode where one answer must be as good as possible,
// and samples where the answers together must look like the data: in simulation, in music, and for [text](sequences.cpp).

void page() {
    Generator random(book::seed());
    draw_draws();
    modes();
    two_maxima(random);
    rain(random);
    as_guesses();
}

// ## Summary
//
// Inference keeps the weights fixed and chooses an answer. The mode is the most probable answer, a maximum over answers
// and never over weights. A sample is a worse single guess, at nearly twice the mean squared distance from a new count,
// but many samples spread as the data do.
//
// ## What is missing
//
// Training makes the *observed* data probable. What you want is a predicted distribution that is close to the true one
// everywhere. [The next page](divergence.cpp) measures the distance between two distributions and shows that maximum
// likelihood minimises it.
//
// ```{try}
// - Fewer counts to learn from: `--samples 30`. Do the samples still look like the data?
// - Stop early: `--steps 20`. What is left of the factor of two?
// - More networks: `--seeds 20`. How much does the factor vary?
// ```
