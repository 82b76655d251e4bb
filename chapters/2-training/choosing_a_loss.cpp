// # Loss functions: choosing what is learned
//
// ```{rows} claim-loss-choice-critical eq-contrastive-triplet claim-contrastive-positive-unless
// ```
//
// [The last page](surrogate.cpp) trained on cross-entropy. There are many other losses, and each is small when all
// answers are right. The difference shows when they *cannot* all be right: when values are noisy, when some are plain
// wrong, when a model is too small. Then the **loss function** decides which mistakes are preferred. This page changes
// only the loss, and looks at what is learned: with outliers in the data, in classification with the **hinge loss**,
// and at the end with a **triplet loss**, which needs no labels as targets, only similarity.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
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
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

using namespace recto;
using book::ask, book::claim, book::median, book::over_seeds, book::report, book::say;
using data::Batches, data::even_grid, data::Examples, data::Part, data::Samples;
using figure::Figure;
using Numbers = std::vector<double>;
//-

// Six numbers can be changed:
const book::Option<int> points("points", 100, "number of samples of the curve",
                               {.least = 10, .most = 10'000});
const book::Option<double> broken("broken", 0.1,
                                  "share of these samples that are wrong",
                                  {.least = 0, .most = 1});
const book::Option<int> pictures("pictures", 10'000,
                                 "training images for the classifiers",
                                 {.quick = 1000, .least = 100, .most = 60'000});
const book::Option<int> gallery("gallery", 60, "number of images in the gallery",
                                {.least = 3, .most = 1000});
const book::Option<int> lessons("lessons", 600, "training steps for each embedding",
                                {.quick = 60, .least = 10, .most = 20'000});
const book::Option<int> draws("draws", 5, "number of repetitions of each experiment",
                              {.quick = 1, .least = 1, .most = 50});

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
    //-

    // Now let one of the seven guesses be far off ({numref}`fig-constant`). Only the shape of each loss matters here,
    // so both curves are scaled to run from 0 to 1.
    //- how the figure is drawn
    const Numbers grid = even_grid(141, 20, 90);
    const Numbers lies = even_grid(10, 45, 90);
    Figure drawn("fig-constant");
    drawn
        .describe(
            "Two panels with seven guesses as dots on the lower edge, one of which a "
            "slider moves away. Left, the squared loss: its lowest point moves along "
            "with the last guess. Right, the absolute loss: its lowest point stays.")
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
        "Move the last guess. The mean moves by a seventh of its distance. The "
        "median stays: only the side counts, not the distance.");
}
//-

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

// With the squared loss the true error is 126 times that of the absolute loss (median of five draws). The squared
// loss is the negative log-likelihood of a normal distribution ([as we saw](likelihood.cpp)), under which a reading
// that far off has almost no probability. So the likeliest curve bends towards every reading that did occur. The absolute
// loss belongs to a distribution with heavier tails (Laplace), and the Cauchy loss to one with such heavy tails
// that it has no mean. Both are **robust losses**: the pull of an outlier does not grow with its distance. *Every loss is
// an assumption about the noise* {cite:p}`huber1964`. Choose the loss whose assumption fits your data.
//
// ## Three losses for classification
//
// Classification offers a choice, too. Take two classes and one score, positive for the first class and negative for
// the second. Its **margin** $m$ is the score itself if the first class is right, and the score times $-1$ if the
// second is. The answer is wrong if $m \le 0$. The squared loss $(1 - m)^2$ wants a margin of exactly one. The **hinge
// loss** wants *at least* one, $\max(0, 1 - m)$, as the support vector machine does {cite:p}`cortes1995`. The
// cross-entropy is $\log(1 + e^{-m})$. At $m = 2$, for example, the squared loss is 1, the hinge loss 0, and the
// cross-entropy 0.13.
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
            "The loss of one sample against its margin. All three surrogates lie "
            "above the error. They differ for samples that are already right.");

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
// page](../foundations/classification.cpp), and the hinge loss wants the right score to exceed every other by one.
// All three losses take the scores and the labels:
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
                   test = some(Part::test, 10'000);
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
// ## Similarity
//
// So far every sample came with its target. Often there is no fixed list of classes. There are millions of faces, and
// tomorrow a new one, for which no network has a score. But we can say that two images show *the same* person, and that
// a third does not.
//
// Let the network map every input to a point, an **embedding**, and let $f(x, x'; w)$ be the distance of two
// points. Take three samples: $a$ and $b$ of one class, $c$ of another. Only the *ranking* of their distances
// matters: the similar sample should be nearer than the dissimilar one, by a margin of one
// {cite:p}`weinberger2009,schroff2015`.
//
// ```{equation} eq-contrastive-triplet
// :function: recto::triplet_loss
// :test: triplet_loss: nothing is left to gain where the negative is exactly one further
// \sum_{\substack{(a, b, c) \cr y_a = y_b \ne y_c}} \max\big(0,\; 1 - f(x_a, x_c; w) + f(x_a, x_b; w)\big)
// ```
//
// This is a **triplet loss** (the library takes the mean over the given triplets), and training with it is called
// **metric learning**, because a distance is learned. A triplet has a gradient when the maximum is above zero, that
// is, when $f(x_a, x_c; w) < 1 + f(x_a, x_b; w)$. So a triplet pulls *unless* the dissimilar sample is at least one
// further away than the similar one. We test this with the library's loss, on a hundred thousand pairs of distances
// on a line, and then on the border itself:
//- what is checked
void when_it_pulls() {
    Generator random(book::seed());
    const auto loss = [](double near, double far) {
        return triplet_loss(zeros({1, 1}), full({1, 1}, Real(near)),
                            full({1, 1}, Real(far)))
            .item();
    };
    const NoGrad only_asking;
    Index exceptions = 0, beyond = 0;
    for (int i = 0; i < 100'000; ++i) {
        const auto near = Real(3 * random.next_uniform()),
                   far = Real(3 * random.next_uniform());
        exceptions += (loss(near, far) > 0) != (far < 1 + near);
    }
    claim("claim-contrastive-positive-unless/a",
          "of 100 000 pairs of distances, those that contradict: the loss is "
          "positive exactly if the dissimilar sample is less than one further away",
          exceptions, "==", 0);
    for (int i = 0; i < 1000; ++i) {
        const double near = double(i) / 8;
        beyond += loss(near, near + 1) != 0;
    }
    claim("claim-contrastive-positive-unless/b",
          "of 1000 pairs exactly on the border, those whose loss is not 0", beyond,
          "==", 0);
}
//-

// ## A map of shoes
//
// We take three classes of Fashion-MNIST that look alike: sandals, sneakers and boots. A network with a hidden
// layer maps each image to a point of the *plane*, so that we can look at it. The network never sees a label.
// Labels only choose the triplets: this image is more like that one than like the third.
//
// We picked these three classes after looking at eight choices. Where the nearest image by its pixels is usually right,
// a map has little to add, and shirts, coats and pullovers were too hard for the map. Shoes lie in between. To show
// how much this choice matters, we also test three classes drawn at random, five times.
//- the images of the chosen classes
using Rows = std::vector<Index>;
const Rows shoes = {5, 7, 9};

Examples only(const Rows& classes, Part part) {
    const Examples& all = data::fashion_mnist(part);
    const std::vector<Index> labels = all.labels.values();
    std::vector<Index> rows;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (std::ranges::count(classes, labels[i])) rows.push_back(Index(i));
    Examples found = data::flat(data::select(all, rows));
    found.x = (found.x - 0.286) / 0.353;
    return found;
}
//-

// Triplets are drawn at random: a class, another class, two images of the first and one of the second. They are
// stored as three lists of rows.
std::array<Integers, 3> draw_triplets(const std::vector<Rows>& by_class, Index count,
                                      Generator& random) {
    std::array<Rows, 3> drawn;
    for (Index i = 0; i < count; ++i) {
        const Index like = random.next_integer(0, 3),
                    unlike = (like + random.next_integer(1, 3)) % 3;
        for (std::size_t role = 0; role < 3; ++role) {
            const Rows& from = by_class[std::size_t(role < 2 ? like : unlike)];
            drawn[role].push_back(
                from[std::size_t(random.next_integer(0, Index(from.size())))]);
        }
    }
    return {Integers({count}, drawn[0]), Integers({count}, drawn[1]),
            Integers({count}, drawn[2])};
}

// Training is the usual loop. All three images of a triplet pass through the same network, and their points go into the
// loss:
//- the network, and its images by class
using Look = std::function<void(Index step, const nn::Mlp& now)>;

nn::Mlp embed(const Examples& set, const Rows& classes, Generator& random,
              const Look& look) {
    const nn::Mlp net({784, 64, 2}, relu, random);
    const Rows labels = set.labels.values();
    std::vector<Rows> by_class(3);
    for (Index i = 0; i < set.size(); ++i)
        by_class[std::size_t(std::ranges::find(classes, labels[std::size_t(i)]) -
                             classes.begin())]
            .push_back(i);
    //-
    optim::Adam adam(nn::parameters(net));
    const auto loss = [&] {
        const auto [a, b, c] = draw_triplets(by_class, 128, random);
        const auto place = [&](const Integers& rows) {
            return net(index_rows(set.x, rows));
        };
        return triplet_loss(place(a), place(b), place(c));
    };
    //- the loop over the steps
    for (Index step = 0; step < lessons(); ++step) {
        look(step, net);
        adam.options.lr = 2e-3 * (1 - double(step) / double(lessons()));
        optim::train_step(adam, loss);
    }
    look(lessons(), net);
    return net;
}
//-

// We judge the map by its use. You have a **gallery**, a few new images whose classes are known, and for other new
// images you look up the nearest one of the gallery. The share of these queries for which the nearest image is of the
// right class is the **precision at one**. For comparison, we do the same with distances of raw pixels. Since we picked
// the shoes by hand, we also draw five choices of three classes at random, with one network each.
//- the precision at one, and the study
double precision(const Tensor& points, const std::vector<Index>& labels,
                 const std::vector<Index>& order, Index size) {
    const std::vector<Real> x = points.values();
    const std::size_t width = std::size_t(points.size(1));
    double right = 0;
    const std::size_t questions = 500;
    for (std::size_t q = 0; q < questions; ++q) {
        const std::size_t at = std::size_t(order[order.size() - 1 - q]);
        Real nearest = std::numeric_limits<Real>::infinity();
        Index name = 0;
        for (Index g = 0; g < size; ++g) {
            const std::size_t with = std::size_t(order[std::size_t(g)]);
            Real distance = 0;
            for (std::size_t i = 0; i < width; ++i) {
                const Real gap = x[at * width + i] - x[with * width + i];
                distance += gap * gap;
            }
            if (distance < nearest) nearest = distance, name = labels[with];
        }
        right += double(name == labels[at]) / double(questions);
    }
    return right;
}

void other_classes() {
    Generator random(book::seed() + 20);
    std::vector<std::vector<book::Cell>> rows;
    Numbers leads, right;
    for (int choice = 0; choice < (book::quick() ? 1 : 5); ++choice) {
        Rows classes = random.permutation(10);
        classes.resize(3);
        std::ranges::sort(classes);
        const Examples fresh = only(classes, Part::test);
        const nn::Mlp net = embed(only(classes, Part::train), classes, random,
                                  [](Index, const nn::Mlp&) {});
        const NoGrad only_asking;
        const Rows labels = fresh.labels.values(),
                   order = random.permutation(fresh.size());
        const double on_map = precision(net(fresh.x), labels, order, gallery()),
                     by_pixels = precision(fresh.x, labels, order, gallery());
        leads.push_back(on_map - by_pixels), right.push_back(on_map);
        std::string names;
        for (const Index k : classes)
            names += (names.empty() ? "" : ", ") +
                     std::string(data::fashion_names[std::size_t(k)]);
        rows.push_back(
            {names, fmt::format("{:.3f}", on_map), fmt::format("{:.3f}", by_pixels)});
    }
    book::table(
        "tab-choices",
        "The precision at one for three classes drawn at random, on the map and by "
        "pixels.",
        {"classes", "on the map", "by pixels"}, rows);
    claim("", "classes drawn at random: the smallest lead of the map over pixels",
          std::ranges::min(leads), ">", 0);
    claim("eq-contrastive-triplet/b",
          "classes drawn at random: the share of held-out images whose nearest "
          "neighbour on the map is of their class",
          over_seeds(right), ">=", 0.9);
    say("classes drawn at random: that share is above the share for raw pixels by {}",
        book::brief(over_seeds(leads)));
    //-

    // For four of the five choices pixels are right for 87 to 96 % of the images, which leaves the map little to
    // gain. The fifth, T-shirts, pullovers and shirts, is hard for both: 73 % on the map, 65 % by pixels.
    //
    // For the shoes, each draw takes new queries, a new gallery and a new network, and tests galleries from small to
    // large. While the first network learns, we record its map.
    //- the study of the shoes
}

void a_map_of_shoes() {
    const Examples train = only(shoes, Part::train), fresh = only(shoes, Part::test);
    const std::vector<Index> labels = fresh.labels.values();
    const std::vector<Index> sizes = {15, 30, 60, 120, 250, 500, 1000};
    std::vector<Numbers> by_pixels(sizes.size()), by_map(sizes.size());
    Numbers learned, gained;
    std::vector<std::pair<Index, std::vector<Real>>> maps;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "maps");
        Generator random(book::seed() + 10 + std::uint64_t(draw));
        const auto look = [&](Index step, const nn::Mlp& now) {
            const NoGrad only_asking;
            const bool shown =
                step <= 4 ? step % 2 == 0 : std::has_single_bit(std::uint64_t(step));
            if (draw == 0 && (shown || step == lessons()))
                maps.emplace_back(step, now(slice(fresh.x, 0, 0, 300)).values());
        };
        const nn::Mlp net = embed(train, shoes, random, look);

        const NoGrad only_asking;
        const Tensor points = net(fresh.x);
        const std::vector<Index> order = random.permutation(fresh.size());
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            by_pixels[k].push_back(precision(fresh.x, labels, order, sizes[k]));
            by_map[k].push_back(precision(points, labels, order, sizes[k]));
        }
        learned.push_back(precision(points, labels, order, gallery()));
        gained.push_back(learned.back() - precision(fresh.x, labels, order, gallery()));
    }
    say("a gallery of {} images", gallery());
    claim("",
          "shoes: the share of held-out images whose nearest neighbour on the map is "
          "of their class",
          over_seeds(learned), ">=", 0.9);
    claim("eq-contrastive-triplet/c",
          "shoes: that share is above the share for raw pixels by", over_seeds(gained),
          ">=", 0.1);

    other_classes();
    //-

    // The size of the gallery matters a great deal for pixels, and hardly for the map ({numref}`fig-gallery`).
    // Pixels need an image that looks nearly the same, and so a large gallery. On the map any shoe of the same
    // class will do, for the class lies in one place.
    //- how the figure is drawn
    Numbers across, pixels, map;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        across.push_back(double(sizes[k]));
        pixels.push_back(median(by_pixels[k])), map.push_back(median(by_map[k]));
    }
    Figure("fig-gallery")
        .describe(
            "Precision against the size of the gallery, from 15 to 1000 images. For "
            "the map it is level, between 0.90 and 0.92. For pixels it rises from "
            "0.7 to nearly 0.9 and stays below the map.")
        .line("on the map", across, map)
        .line("by pixels", across, pixels)
        .rule_x(double(gallery()), "the gallery above")
        .log_x()
        .ylim(0.6, 1)
        .x("images in the gallery")
        .y("precision at one")
        .save(
            "How often the nearest image of the gallery is of the right class: 2 "
            "learned coordinates against 784 pixels.");
    //-

    // {numref}`fig-embedding` is the map of the first draw. Its position and orientation mean nothing, because the
    // loss depends on distances only. And since the network has no score for a class, the gallery could contain a
    // fourth class of shoes. How well the map would place it, we did not measure.
    //- how the figure is drawn
    Numbers looks;
    for (const auto& [step, points] : maps) looks.push_back(double(step));
    Figure shown("fig-embedding");
    shown
        .describe(
            "Three hundred held-out images as points in the plane, in three colours. "
            "Before training they are one cloud in which the colours are mixed; "
            "after it there are three clusters apart from each other, with some "
            "points in between.")
        .slider("step", looks, "training steps", looks.back())
        .height(340);
    for (const auto& [step, points] : maps) {
        shown.at(double(step));
        for (const Index shoe : shoes) {
            Numbers x, y;
            for (std::size_t i = 0; i < points.size() / 2; ++i)
                if (labels[i] == shoe)
                    x.push_back(points[2 * i]), y.push_back(points[2 * i + 1]);
            shown.dots(std::string(data::fashion_names[std::size_t(shoe)]), x, y,
                       {.opacity = 0.7});
        }
    }
    shown.always()
        .x("first coordinate")
        .y("second coordinate")
        .save(
            "Held-out images on the plane, before training (0 steps) and after. Only "
            "triplets determined this layout. Rotating the plane leaves the loss "
            "unchanged.");
    book::shows("eq-contrastive-triplet/d", "fig-embedding");
}
//-

void page() {
    one_number();
    a_curve();
    by_margin();
    three_for_names();
    when_it_pulls();
    a_map_of_shoes();
}

// ## Summary and what is missing
//
// A loss is an assumption about the noise: the squared loss finds the mean and follows outliers, the absolute loss
// finds the median and hardly follows them. In classification, squared, hinge and cross-entropy loss reach nearly the
// same accuracy, but only cross-entropy yields probabilities between 0 and 1 by design. A triplet loss needs only
// similarity, and learns a map on which the nearest neighbour usually is of the same class.
//
// All inputs of a model had one size so far. A sentence has any length, its parts stand in an order, and the most
// useful label for its beginning is what comes next. [The next pages](sequences.cpp) learn from sequences. The exercise
// asks what a surrogate loss guarantees: [How a smooth loss yields accuracy](/exercises/losses/loss_design.md).
//
// ```{try}
// - No outliers: `--broken 0`. Which loss is best now? And with `--broken 0.4`?
// - A tiny gallery: `--gallery 9`. How precise are pixels and the map now?
// - Fewer images for the classifiers: `--pictures 500`. Does the choice of the loss matter more?
// ```
