// # Loss functions: choosing what is learned
//
// ```{rows} claim-loss-choice-critical
// ```
//
// [The last page](surrogate.cpp) trained on cross-entropy. There are many other losses, and each is small when all
// answers are right. The difference shows when they *cannot* all be right: when values are noisy, when some are plain
// wrong, when a model is too small. Then the **loss function** decides which mistakes are preferred. This page changes
// only the loss, and looks at what is learned: from seven guesses, one of which the slider of {numref}`fig-constant`
// moves, from a curve with outliers, and in classification, where the **hinge loss** joins the losses that you know.
//
// ```{opening} fig-constant
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/curves.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/linalg/matrix.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/losses/pairwise_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

using namespace recto;
using book::ask, book::claim, book::median, book::over_seeds, book::report, book::say;
using data::Batches, data::even_grid, data::Examples, data::Part, data::Samples;
using figure::Figure;
using Numbers = std::vector<double>;

const book::Option<int> points("points", 100, "number of samples of the curve",
                               {.least = 10, .most = 10'000});
const book::Option<double> broken("broken", 0.1,
                                  "share of these samples that are wrong",
                                  {.least = 0, .most = 1});
const book::Option<int> pictures("pictures", 10'000,
                                 "training images for the classifiers",
                                 {.quick = 1000, .least = 100, .most = 60'000});
const book::Option<int> draws("draws", 5, "number of repetitions of each experiment",
                              {.quick = 1, .least = 1, .most = 50});
//-

//- how the figure is drawn
void draw_constant() {
    const Numbers grid = even_grid(141, 20, 90);
    const Numbers lies = even_grid(10, 45, 90);
    Figure drawn("fig-constant");
    drawn
        .describe(
            "Two panels with seven guesses as dots on the lower edge, one of which a "
            "slider moves away. First panel, the squared loss: its lowest point moves "
            "along with the last guess. Second panel, the absolute loss: its lowest "
            "point stays.")
        .slider("last", lies, "the last guess", lies[7]);

    const auto panel = [&](const std::string& name, const auto& cost,
                           const auto& best) {
        drawn.always().panel(name);
        for (const double last : lies) {
            const Numbers y = {31, 34, 35, 36, 38, 40, last};
            Numbers loss;
            for (const double c : grid) {
                double total = 0;
                for (const double each : y) total += cost(each - c) / 7;
                loss.push_back(total);
            }
            const double lowest = std::ranges::min(loss),
                         highest = std::ranges::max(loss);
            for (double& each : loss) each = (each - lowest) / (highest - lowest);
            drawn.at(last)
                .line("", grid, loss,
                      {.color = figure::blue, .dash = figure::solid, .points = false})
                .dots("", y, Numbers(7, 0),
                      {.color = figure::ink, .shape = figure::Shape::circle})
                .rule_x(best(y), "best c");
        }
        drawn.always().xlim(20, 90).ylim(-0.05, 1);  // room for the dots at zero
        drawn.x("the answer c").y("loss, scaled to 0..1");
    };
    panel(
        "squared", [](double d) { return d * d; },
        [](const Numbers& y) { return std::accumulate(y.begin(), y.end(), 0.0) / 7; });
    panel(
        "absolute", [](double d) { return std::abs(d); }, median);
    drawn.save(
        "Move the last of seven guesses. The answer of least squared loss moves with "
        "it. The answer of least absolute loss stays: only the side of a guess counts, "
        "not its distance. Both losses are scaled to run from 0 to 1.");
}
//-

// ## One number
//
// Begin with the smallest model there is. Seven people guess the height of a tower, and we must answer with one
// number $c$. Two losses come to mind: the mean of the squares $(y_n - c)^2$ and the mean of the distances
// $|y_n - c|$. The derivative of the first is zero where $\sum_n (c - y_n) = 0$: at the **mean**. In the derivative
// of the second, every guess counts the same, $+1$ or $-1$. The guesses balance when as many are below $c$ as above:
// at the **median**.
//
// For example, the guesses 30, 32 and 58 have the mean 40 and the median 32. With whole numbers we can check both
// statements exactly. In units of $1/N$ the mean is a whole number too, and so are all the sums. This function tries
// every constant:
using Whole = std::vector<Index>;

Index best_constant(const Whole& y, const std::function<Index(Index)>& cost) {
    const Index N = Index(y.size());
    Index best = 0, least = -1;
    for (Index k = 0; k <= N * std::ranges::max(y); ++k) {  // the constant k / N
        Index total = 0;
        for (const Index each : y) total += cost(N * each - k);
        if (least < 0 || total < least) best = k, least = total;
    }
    return best;  // the smallest minimiser, in units of 1 / N
}
//- what is checked, on 1000 lists of seven guesses
void one_number() {
    Generator random(book::seed());
    int not_mean = 0, not_median = 0;
    for (int list = 0; list < 1000; ++list) {
        Whole guesses = random.integers({7}, 0, 50).values();
        not_mean += best_constant(guesses, [](Index d) { return d * d; }) !=
                    std::accumulate(guesses.begin(), guesses.end(), Index(0));
        std::ranges::sort(guesses);
        not_median += best_constant(guesses, [](Index d) { return std::abs(d); }) !=
                      7 * guesses[3];
    }
    claim("claim-loss-choice-critical/b",
          "of 1000 lists, those whose squared loss is not smallest at the mean",
          not_mean, "==", 0);
    claim("claim-loss-choice-critical/c",
          "of 1000 lists, those whose absolute loss is not smallest at the median",
          not_median, "==", 0);
}
//-

// Now let one of the seven guesses be far off. The mean follows it, by a seventh of its distance, and the median stays
// ({numref}`fig-constant`).
//
// Same model, same data, and two different answers. Neither is wrong. If the cost of a mistake grows with its
// square, you want the mean. If some data may be wrong, you want the median.
//
// ## A curve with outliers
//
// What holds for a constant holds for a network. We take noisy samples of the curve of the first chapter, and one
// reading in ten comes from a broken instrument: an **outlier**.
//- samples with outliers
Samples readings(Generator& random) {
    Samples all = data::noisy_samples(data::smooth_curve, points(), 0, 1, 0.08, random);
    const std::vector<Index> order = random.permutation(points());
    for (int i = 0; i < std::lround(broken() * points()); ++i)
        all.y[std::size_t(order[std::size_t(i)])] = 1 + 3 * random.next_uniform();
    return all;
}
//-

// We fit the samples with three losses. The third is the *Cauchy* loss, $\log\big(1 + (d/s)^2\big)$, of the distance $d$
// between answer and target, with a scale $s$ of 0.1: near zero it grows like a square, far out only like a logarithm,
// so that distant outliers hardly pull.
using Loss = std::function<Tensor(const Tensor& f, const Tensor& y)>;
const std::vector<std::pair<std::string, Loss>> curve_losses = {
    {"squared", [](const Tensor& f, const Tensor& y) { return mse_loss(f, y); }},
    {"absolute", [](const Tensor& f, const Tensor& y) { return l1_loss(f, y); }},
    {"Cauchy", [](const Tensor& f, const Tensor& y) {
         return mean(log(1 + square((f - y) / 0.1)));
     }}};

// The derivative of a loss says how hard a sample pulls. The squared loss has $2d$, so a reading that is off by 2 pulls
// 20 times as hard as one that is off by 0.1. The absolute loss has $\pm 1$, so both pull equally. The Cauchy loss has
// $2d / (s^2 + d^2)$, which is 10 at 0.1 and about 1 at 2: the far reading pulls ten times *less*.
//
// The network, its initial weights, the data and the number of steps are the same for all three. We measure the mean
// squared distance to the true curve, and repeat the experiment with other samples, other outliers and other initial
// weights:
//- training, and the repetition
struct Fit {
    Numbers curve;      // on a grid
    double true_error;  // mean squared distance to the true curve
};

Fit fit_curve(const Samples& samples, const Loss& loss, std::uint64_t start) {
    Generator random(start);
    const nn::Mlp net({1, 32, 32, 1}, tanh, random);
    const auto column = [](const Numbers& x) { return linalg::column_of(x); };
    const Tensor x = column(samples.x) * 4 - 2, y = column(samples.y);
    const Index last = book::quick() ? 300 : 1000;
    optim::Adam adam(nn::parameters(net));
    optim::fit(adam, [&] { return loss(net(x), y); },
               {.steps = last,
                .lr = [&](Index step) { return optim::cosine(step, last, 0.01); }});
    const NoGrad only_asking;
    const Numbers grid = even_grid(201, 0, 1);
    const std::vector<Real> made = net(column(grid) * 4 - 2).values();
    Fit fit{{made.begin(), made.end()}, 0};
    for (std::size_t i = 0; i < grid.size(); ++i)
        fit.true_error += std::pow(made[i] - data::smooth_curve(grid[i]), 2) / 201;
    return fit;
}

void a_curve() {
    std::vector<Numbers> errors(3);
    std::vector<Numbers> curves;
    Samples shown;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "curves");
        Generator random(book::seed() + std::uint64_t(draw));
        const Samples samples = readings(random);
        for (std::size_t k = 0; k < 3; ++k) {
            const Fit fit = fit_curve(samples, curve_losses[k].second,
                                      book::seed() + 100 + std::uint64_t(draw));
            errors[k].push_back(fit.true_error);
            if (draw == 0) curves.push_back(fit.curve);
        }
        if (draw == 0) shown = samples;
    }
    for (std::size_t k = 0; k < 3; ++k)
        say("{:<9} mean squared distance to the true curve {}", curve_losses[k].first,
            book::brief(over_seeds(errors[k])));
    Numbers times;
    for (std::size_t i = 0; i < errors[0].size(); ++i)
        times.push_back(errors[0][i] / errors[1][i]);
    claim("claim-loss-choice-critical/a",
          "the true error with the squared loss, as a multiple of that with the "
          "absolute loss",
          over_seeds(times), ">=", 2);
    //-

    // {numref}`fig-outliers` shows the first draw.
    //- how the figure is drawn
    const Numbers grid = even_grid(201, 0, 1);
    Numbers truth;
    for (const double x : grid) truth.push_back(data::smooth_curve(x));
    Figure("fig-outliers")
        .describe(
            "A wavy curve with samples close to it and about ten samples far above. "
            "The squared fit is pulled upwards towards the far samples in several "
            "places; the absolute and the Cauchy fit stay close to the curve.")
        .line("true curve", grid, truth,
              {.color = figure::ink, .dash = figure::solid, .width = 1})
        .dots("", shown.x, shown.y,
              {.color = figure::ink, .shape = figure::Shape::circle, .opacity = 0.6})
        .line("squared", grid, curves[0], {.color = figure::red, .points = false})
        .line("absolute", grid, curves[1], {.color = figure::blue, .points = false})
        .line("Cauchy", grid, curves[2], {.color = figure::green, .points = false})
        .x("x")
        .y("y")
        .height(340)
        .save(
            "One network, one set of samples, three losses. The squared loss bends "
            "the curve towards the outliers; the two others stay close to the true "
            "curve.");
    book::shows("claim-loss-choice-critical/e", "fig-outliers");
}
//-

// With the squared loss the true error is 126 times that of the absolute loss in the median draw, and at least 50 times
// in each of the five. The squared loss is the negative log-likelihood of a normal distribution ([as we
// saw](likelihood.cpp)), under which a reading that far off has almost no probability. So the likeliest curve bends
// towards every reading that did occur. The absolute loss belongs to a distribution with heavier tails (Laplace), and
// the Cauchy loss to one with such heavy tails that it has no mean. Both are **robust losses**: the pull of an outlier
// does not grow with its distance. *Each of these losses is an assumption about the noise*, and the robust ones allow for
// readings that are far off {cite:p}`huber1964`. Choose the loss whose assumption fits your data.
//
// ## Three losses for classification
//
// Classification offers a choice, too. Take two classes and one score, positive for the first class and negative for
// the second. Its **margin** $m$ is the score itself if the first class is right, and the score times $-1$ if the
// second is. The answer is wrong if $m \le 0$. The squared loss $(1 - m)^2$ wants a margin of exactly one. The **hinge
// loss** wants *at least* one, $\max(0, 1 - m)$, as the support vector machine does {cite:p}`cortes1995`. The
// cross-entropy is $\log(1 + e^{-m})$. At $m = 2$, for example, the squared loss is 1, the hinge loss 0, and the
// cross-entropy 0.13 nats. {numref}`fig-margins` draws the cross-entropy in bits, so that it is nowhere below the error.
//- how the figure is drawn, and what is asked
void by_margin() {
    const Numbers m = even_grid(121, -2, 4);
    Numbers error, squared, hinge, entropy;
    for (const double each : m) {
        error.push_back(each <= 0);
        squared.push_back(std::pow(1 - each, 2));
        hinge.push_back(std::max(0.0, 1 - each));
        entropy.push_back(std::log2(1 + std::exp(-each)));
    }
    Figure("fig-margins")
        .describe(
            "Four losses against the margin from -2 to 4. The error is 1 up to 0 and "
            "then 0. The hinge is a falling line that ends at margin 1. The "
            "cross-entropy falls smoothly towards 0. The squared loss falls to 0 at "
            "margin 1 and then rises again, steeply.")
        .line("error", m, error, {.color = figure::ink, .points = false})
        .line("squared", m, squared, {.color = figure::red, .points = false})
        .line("hinge", m, hinge, {.color = figure::green, .points = false})
        .line("cross-entropy", m, entropy, {.color = figure::blue, .points = false})
        .x("margin m")
        .y("loss (cross-entropy in bits)")
        .ylim(0, 6)
        .save(
            "The loss of one sample against its margin. None of the three "
            "surrogates is ever below the error. They differ for samples that are "
            "already right.");

    const auto slope = [](const auto& loss, double at) {
        return (loss(at + 1e-6) - loss(at - 1e-6)) / 2e-6;
    };
    const double by_square = slope([](double x) { return std::pow(1 - x, 2); }, 3),
                 by_hinge = slope([](double x) { return std::max(0.0, 1 - x); }, 3),
                 by_entropy =
                     slope([](double x) { return std::log1p(std::exp(-x)); }, 3);
    ask("A sample has the margin 3: it is right, by far. Which loss changes its "
        "score, and in which direction?",
        {{"The squared loss pulls it down, hard; the cross-entropy pushes it up a "
          "little; the hinge leaves it alone.",
          by_square > 1 && by_hinge == 0 && by_entropy < 0 && by_entropy > -0.1,
          "To the squared loss, a margin that is too large is a mistake. The "
          "cross-entropy always wants a little more. The hinge is zero from margin 1 "
          "on."},
         {"None of them: the sample is right.",
          by_square == 0 && by_hinge == 0 && by_entropy == 0,
          "Only the error itself depends on right and wrong alone. Look at the "
          "slopes at 3 in the figure."},
         {"All three push it up: more margin is always better.",
          by_square < 0 && by_hinge < 0 && by_entropy < 0,
          "Only the cross-entropy pushes up. The two other curves do not fall at 3."}});
}
//-

// For ten classes the squared loss takes the one-hot targets of [an earlier
// page](../foundations/classification.cpp), and the hinge loss wants the right score to exceed every other by one. For
// example, let the scores of three classes be 2, 1.5 and $-1$, and the first class be right. Its lead over the second is 0.5,
// half of what the hinge wants, and its lead over the third is more than enough. The loss is $0.5 + 0 = 0.5$, and only the first
// two scores have a gradient. All three losses take the scores and the labels:
Tensor squared(const Tensor& scores, const Integers& labels) {
    return mse_loss(scores, one_hot(labels, 10)) * 10;
}
Tensor hinge(const Tensor& scores, const Integers& labels) {
    const Tensor right = one_hot(labels, 10), own = sum(scores * right, {1}, Keep::yes);
    return sum(relu(1 + scores - own) * (1 - right)) / double(labels.numel());
}
Tensor entropy(const Tensor& scores, const Integers& labels) {
    return cross_entropy(scores, labels);
}

//- the data
void three_for_names() {
    const auto some = [](Part part, Index count) {
        Examples set = data::flat(data::slice(data::fashion_mnist(part), 0, count));
        set.x = (set.x - 0.286) / 0.353;
        return set;
    };
    const Examples train = some(Part::train, pictures()),
                   test = some(Part::test, data::fashion_mnist(Part::test).size());
    //-

    // We train one network for each loss, with the same initial weights and the same mini-batches, for five
    // epochs. Besides the accuracy we measure how many images have no gradient: those for which the derivatives with
    // respect to all ten scores are exactly zero.
    //- training, and what is counted
    struct Candidate {
        const char* name;
        Tensor (*loss)(const Tensor&, const Integers&);
        Numbers right, content;
    };
    std::vector<Candidate> candidates = {{"squared", squared, {}, {}},
                                         {"cross-entropy", entropy, {}, {}},
                                         {"hinge", hinge, {}, {}}};
    for (int draw = 0; draw < std::min(draws(), 3); ++draw)
        for (Candidate& c : candidates) {
            Generator random(book::seed() + std::uint64_t(draw));
            const nn::Mlp net({784, 64, 10}, relu, random);
            optim::Adam adam(nn::parameters(net));
            optim::fit(
                adam, [&] { return Batches(train, 64, random); },
                [&](const Examples& b) { return c.loss(net(b.x), b.labels); },
                {.epochs = 5});
            const Tensor scores = net(train.x).detach().requires_grad_();
            c.loss(scores, train.labels).backward();
            const Tensor forces = max(abs(scores.grad()), {1});
            c.content.push_back(double(std::ranges::count(forces.values(), Real(0))) /
                                double(train.size()));
            const NoGrad only_asking;
            c.right.push_back(nn::accuracy(net(test.x), test.labels));
        }
    for (const Candidate& c : candidates) {
        report("claim-loss-choice-critical/d",
               fmt::format("the test accuracy with the {} loss", c.name),
               over_seeds(c.right));
        say("   {}: {:.0f} % of the training images have a gradient of zero", c.name,
            100 * median(c.content));
    }
}
//-

// The accuracies hardly differ: the medians are 83.5 to 83.8 %, and the three seeds of one loss already differ by up to
// 0.6 points. The difference lies elsewhere. With the hinge loss 69 % of the images no longer contribute, training
// works on the others, near the border between classes, and the scores have no further meaning. Cross-entropy uses
// every image, and in the end it yields *probabilities*. The squared loss estimates them, too, but its estimates may be
// negative. If all you need is the class, take any of the three. If a decision depends on the confidence, take
// cross-entropy.
//
void page() {
    draw_constant();
    one_number();
    a_curve();
    by_margin();
    three_for_names();
}

// ## Summary
//
// For numbers, each loss of this page belongs to an assumption about the noise: the squared loss finds the mean and
// follows outliers, the absolute loss finds the median and hardly follows them. In classification, squared, hinge and cross-entropy loss reach nearly the
// same accuracy, but only cross-entropy yields probabilities between 0 and 1 by design.
//
// ## What is missing
//
// Every sample of this page has a target: a number or a class. What if you can only say that two samples are alike?
// [The next page](metric_learning.cpp) learns from such comparisons. The exercise asks what a surrogate loss guarantees:
// [How a smooth loss yields accuracy](/exercises/losses/loss_design.md).
//
// ```{try}
// - No outliers: `--broken 0`. Which loss is best now? And with `--broken 0.4`?
// - Fewer images for the classifiers: `--pictures 500`. Does the choice of the loss matter more?
// ```
