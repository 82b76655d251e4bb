// # Double descent: far more weights than points
//
// ```{rows} claim-double-descent
// ```
//
// [Overfitting](overfitting.cpp) gave a clear rule: too few weights cannot fit the curve, too many fit the noise, and
// the best number lies in between. Modern networks break this rule. They are **over-parametrised**: they have far more
// weights than training examples, they often fit these without a single error, and they work on new examples all the
// same. This page shows how that can happen, with least squares on random features of real images. As the number of
// features grows, the test error falls, rises to a peak, and falls a second time. This curve is called **double
// descent** {cite:p}`belkin2019`.
//
// Where would you stop adding features, if you saw only what lies left of the dashed lines?
//
// ```{opening} fig-double-descent
// ```
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/classic/least_squares.hpp>
#include <recto/classic/random_features.hpp>
#include <recto/core/random.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/linalg/products.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Examples, figure::Figure, figure::Images;
using linalg::Matrix;

const book::Option<int> images("images", 500, "how many images to learn from",
                               {.quick = 100, .least = 20, .most = 2000});
const book::Option<double> wrong("wrong", 0.2,
                                 "share of labels replaced by random ones",
                                 {.least = 0, .most = 1});
const book::Option<int> draws("draws", 9,
                              "number of repetitions, each with new images, labels "
                              "and directions",
                              {.quick = 1, .least = 1, .most = 100});
const book::Option<int> judges("judges", 10'000, "how many test images",
                               {.quick = 1000, .least = 1, .most = 10'000});
//-

// ## Images with wrong labels
//
// By the old rule, fitting noise exactly is the worst that a model can do. To test this, we add noise. We take 500
// images of Fashion-MNIST {cite:p}`xiao2017`, small grey images of clothes of ten kinds, and give each of them a random
// label with probability 0.2. One in ten of these random labels is the right one by chance, so we expect
// $500 \cdot 0.2 \cdot 0.9 = 90$ false labels. The test images keep their true labels.
//- drawing the images, and standardising them
Integers spoil(const Integers& labels, double share, Generator& random) {
    std::vector<Index> noisy = labels.values();
    for (Index& label : noisy)
        if (random.next_uniform() < share) label = random.next_integer(0, 10);
    return {labels.shape(), noisy};
}

// both sets are shifted and scaled alike, with numbers from the training images
Examples first(const Examples& all, Index n) { return data::slice(all, 0, n); }

struct Task {
    Examples train, test;
    Integers clean;  // the true labels
    Tensor grey;     // the training images before scaling, for the figure
};

Task draw_task(Generator& random) {
    const Examples all = data::flat(data::fashion_mnist(data::Part::train));
    std::vector<Index> order = random.permutation(all.size());
    order.resize(std::size_t(images()));
    Task task{data::select(all, order),
              first(data::flat(data::fashion_mnist(data::Part::test)), judges()),
              {},
              {}};
    task.clean = task.train.labels;
    task.grey = task.train.x;
    task.train.labels = spoil(task.clean, wrong(), random);
    const Tensor middle = mean(task.train.x, {0});
    const Real scale = 1 / std::sqrt(mean(square(task.train.x - middle)).item());
    task.train.x = (task.train.x - middle) * scale;
    task.test.x = (task.test.x - middle) * scale;
    return task;
}
//-

// ## Random features
//
// The model has $K$ **random features**. Each feature multiplies the 784 pixels by a random direction $v_k$ and sets
// negative results to zero. The answer is a weighted sum of the features:
//
// $$ f(x; w) = \sum_{k=1}^{K} w_k \max(0, v_k \cdot x) . $$
//
// For example, let $K = 2$, $v_1 \cdot x = 1.5$ and $v_2 \cdot x = -0.4$. Then the features are 1.5 and 0, and with
// $w = (2, 7)$ the output is 3. The directions are drawn once and never trained. So the model is linear in its weights,
// and the least squares of [the first page](fit_curve.cpp) finds them. There is one such sum for each of the ten
// classes, with weights of its own: its target is 1 for images of the class and 0 for all others, and the class with
// the largest output is the answer. {cpp:class}`~recto::classic::RandomFeatures` computes the features.
//- the error rate
double share_wrong(const Tensor& scores, const Integers& labels) {
    const std::vector<Index> answers = argmax(scores).values(), right = labels.values();
    Index errors = 0;
    for (std::size_t i = 0; i < right.size(); ++i) errors += answers[i] != right[i];
    return double(errors) / double(right.size());
}
//-

// We vary $K$. All models share their directions: the model with $K$ features uses the first $K$. Up to $K = N$, the
// number of images, least squares has one solution. Beyond, infinitely many weights fit all labels equally well, and we
// take the shortest weights, the **minimum-norm** solution ({cpp:func}`~recto::classic::least_norm`).
//
// A worked example with one equation and two weights: $2 w_1 + w_2 = 5$. The weights $(2.5, 0)$, $(0, 5)$ and $(2, 1)$
// all solve it. Their lengths are 2.5, 5 and 2.24. The shortest solution is $(2, 1)$, a multiple of the equation's own
// coefficients $(2, 1)$.
//- what a sweep records
struct Sweep {
    std::vector<double> counts, train, test;  // for each K: the error rates
    std::vector<double> length;               // and the length of the weights
};

Sweep sweep(const Task& task, std::vector<double> counts, Generator& random) {
    const auto& [train, test, clean, grey] = task;
    const auto most = Index(counts.back());
    //-
    // The features of the training images are computed once, for the largest $K$. Each model uses the first columns:
    const classic::RandomFeatures features(784, most, random);
    const Matrix phi = linalg::matrix_of(features(train.x));
    const Matrix targets = linalg::matrix_of(one_hot(train.labels, 10));
    Sweep found{std::move(counts), {}, {}, {}};
    std::vector<Tensor> weights;
    for (const double k : found.counts) {
        book::progress(Index(weights.size()) + 1, Index(found.counts.size()), "fits");
        const Matrix some = linalg::first_columns(phi, Index(k));
        const Matrix w = classic::least_norm(some, targets, 1e-10);
        weights.push_back(linalg::tensor_of(w));
        found.train.push_back(
            share_wrong(linalg::tensor_of(linalg::matmul(some, w)), train.labels));
        found.length.push_back(linalg::norm(w.values));
        found.test.push_back(0);
    }

    // Nothing here depends on whether $K$ is below or above the number of images. The last argument of `least_norm` is a
    // tolerance for rounding errors.
    //- the test error, a thousand images at a time: the features of all would take 200 MB
    for (Index begin = 0; begin < test.size(); begin += 1000) {
        const Examples part =
            data::slice(test, begin, std::min(begin + 1000, test.size()));
        const Tensor seen = features(part.x);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const Tensor scores =
                matmul(slice(seen, 1, 0, Index(found.counts[i])), weights[i]);
            found.test[i] += share_wrong(scores, part.labels) * double(part.size()) /
                             double(test.size());
        }
    }
    return found;
}
//-

void page() {
    // {numref}`fig-noisy-labels` shows some of the images with false labels.
    //- the images, and how the figure is drawn
    Generator random(book::seed());
    const Task task = draw_task(random);
    Images gallery("fig-noisy-labels", 4);
    gallery
        .describe(
            "Eight small grey images of clothes. Under each stands a label, and it is "
            "wrong.")
        .negative();
    int false_labels = 0;
    for (Index i = 0; i < images(); ++i) {
        const Index told = task.train.labels.data()[i], truth = task.clean.data()[i];
        if (told == truth || ++false_labels > 8) continue;
        gallery.add(std::string(data::fashion_names[std::size_t(told)]), 28, 28,
                    select(task.grey, 0, i).values());
    }
    if (false_labels > 0)
        gallery.save(
            "Eight training images with false labels. Nothing tells the model which "
            "labels are false, so it fits them like the others.");
    say("{} of {} training labels are false", false_labels, images());
    //-

    // ## The double descent curve
    //
    // The sweep runs from 50 features, a tenth of the number of images, to 5000, ten times that number:
    std::vector<double> counts;
    for (const double ratio : {.1, .15, .2, .3, .4, .6, .8, .9, .96, 1., 1.04, 1.1, 1.2,
                               1.5, 2., 3., 5., 10.})
        counts.push_back(std::round(ratio * images()));
    const Generator before = random;  // for the figure: the same images, other labels
    const Sweep found = sweep(task, counts, random);

    // Three places matter: 100 features, 500 (as many as images), and 5000.
    //- the errors there, and how the figure is drawn
    const std::size_t small = 2, even = 9, large = counts.size() - 1;
    const auto peak =
        std::size_t(std::ranges::max_element(found.test) - found.test.begin());
    for (const std::size_t i : {small, even, large})
        say("{:4.0f} features: training error {:4.1f} %, test error {:4.1f} %, length "
            "of the weights {:4.1f}",
            counts[i], 100 * found.train[i], 100 * found.test[i], found.length[i]);

    const std::vector<double> shares = figure::settings(wrong, {0, 0.2});
    Figure drawn("fig-double-descent");
    drawn
        .describe(
            "First panel: the test error against the number of random features, on a "
            "logarithmic axis. It falls, then rises to a sharp peak where features "
            "equal images, and falls again to its old level. The training error "
            "reaches zero before the peak and stays there. Second panel: the length of "
            "the weights peaks at the same place. A slider sets the share of random "
            "labels.")
        .slider(wrong, shares, "share of random labels");
    std::vector<double> fewer;  // counts for the other setting of the slider
    for (const double ratio : {.1, .2, .4, .8, 1., 1.2, 2., 4.})
        fewer.push_back(std::round(ratio * images()));
    std::vector<Sweep> sweeps;
    for (const double share : shares) {
        Generator labels(book::seed()), directions = before;
        Task spoiled = task;
        spoiled.test = first(task.test, std::min(judges(), 2000));
        spoiled.train.labels = spoil(task.clean, share, labels);
        sweeps.push_back(share == wrong() ? found : sweep(spoiled, fewer, directions));
    }
    if (const Sweep& clean = sweeps.front(); shares[0] == 0 && wrong() > 0)
        say("without random labels: test error {:.1f} % with {} features, {:.1f} % "
            "with {}, {:.1f} % with {}",
            100 * clean.test[1], clean.counts[1], 100 * clean.test[4], clean.counts[4],
            100 * clean.test.back(), clean.counts.back());
    drawn.panel("error rate");
    for (std::size_t i = 0; i < shares.size(); ++i)
        drawn.at(shares[i])
            .line("test error", sweeps[i].counts, sweeps[i].test)
            .line("training error", sweeps[i].counts, sweeps[i].train);
    drawn.always()
        .rule_x(images(), "N features")
        .log_x()
        .x("features")
        .y("error rate")
        .ylim(0, 1)
        .panel("length of the weights");
    for (std::size_t i = 0; i < shares.size(); ++i)
        drawn.at(shares[i]).line("length", sweeps[i].counts, sweeps[i].length,
                                 {.color = figure::green, .dash = figure::solid});
    drawn.always()
        .rule_x(images())
        .log_axes()
        .x("features")
        .y("length")
        .save(
            "Double descent. Left of the dashed line (as many features as images) the "
            "test error has the valley and the rise of overfitting. Right of it every "
            "model fits all training labels, the false ones too, and yet the test "
            "error falls again. The length of the weights peaks at the same line. "
            "Move the slider: how high is the peak without false labels? (That setting "
            "has other random directions, fewer points and 2000 test images.) After "
            "{cite:t}`belkin2019`.");
    book::shows("claim-double-descent/c", "fig-double-descent");
    //-

    // In {numref}`fig-double-descent` the test error is 33 % at 100 features, in the valley where the old rule would
    // stop. At 500 features it is 88 %, almost as bad as guessing, although the model gives every training image the
    // label that it was trained with. At 5000 features it is 34 %. From 500 features on, the outputs meet all targets
    // exactly: the model *interpolates* the training data. This number is the **interpolation threshold**, and the peak
    // stands there. (The training error is zero already from 400 features on, because an output may miss its target a
    // little and still be the largest.)
    //
    // To rule out luck, we repeat the three places with new images, labels and directions:
    //- eight more draws, and what is checked
    std::vector<double> times_worse{found.test[even] / found.test[small]},
        excess{found.test[large] - found.test[small]};
    for (int draw = 1; draw < draws(); ++draw) {
        const Sweep again = sweep(draw_task(random),
                                  {counts[small], counts[even], counts[large]}, random);
        times_worse.push_back(again.test[1] / again.test[0]);
        excess.push_back(again.test[2] - again.test[0]);
    }
    claim("claim-double-descent/a",
          "the number of features where the test error is largest", counts[peak],
          "==", images());
    claim("claim-double-descent/a",
          "test error with as many features as images, as a multiple of that with a "
          "fifth as many",
          over_seeds(times_worse), ">=", 2);
    claim("claim-double-descent/b",
          "test error with ten times as many features as images, minus that with a "
          "fifth as many",
          over_seeds(excess), "<=", 0.02);
    //-

    // ## Why the error peaks, and why it falls again
    //
    // The second panel of {numref}`fig-double-descent` shows the mechanism. With $K = N$ there is exactly one vector of
    // weights that meets all $N$ training labels. It has to give different outputs to images whose features hardly
    // differ, and a large difference of outputs from a small difference of features needs large weights of opposite
    // signs. A test image with slightly different features is multiplied by the same large weights, so its output is
    // mostly noise.
    //
    // False labels are only one reason why similar images need different outputs: a coat and a pullover look alike, too.
    // With the slider at 0 all labels are true, and the peak is as high, 89 %. Far beyond it, 2000 features then have a
    // test error of 21.6 %, less than the 27.2 % of 100 features.
    //
    // With $K > N$ there is a choice, and we choose the shortest weights. A further feature cannot make them longer,
    // because its weight may be zero. From 500 to 5000 features their length falls from 61 to 1.2, and the training error
    // stays at zero, so the output changes less between the training images. Where the data leave the weights open, the preference for short weights
    // decides: an **inductive bias**, as on [the last page](preferences.cpp).
    //
    // Gradient descent has the same preference without being asked. Each of its steps is a weighted sum of the rows of
    // features of the training images. If it starts at zero, its weights are always such a sum, and the only solution
    // of this form is the shortest one. In the worked example, every step is a multiple of $(2, 1)$.
    //- the weights get shorter, and half of the images
    std::vector<double> beyond(found.length.begin() + std::ptrdiff_t(even),
                               found.length.end());
    claim_true("",
               "from as many features as images on, the weights get shorter from each "
               "count to the next",
               std::is_sorted(beyond.rbegin(), beyond.rend()));
    const Index half = images() / 2;
    Task less = task;
    less.train = first(task.train, half);
    const Sweep again =
        sweep(less, {double(half) / 2, double(half), double(images()), 2. * images()},
              random);
    const double where = again.counts[std::size_t(std::ranges::max_element(again.test) -
                                                  again.test.begin())];
    //-
    ask("We remove half of the images and sweep again. Where is the peak now?",
        {{"At the same number of features as before: it belongs to the model.",
          where == images(),
          "Then the number of images would not matter. But it decides how many "
          "equations the weights have to meet."},
         {"At half as many features.",
          where == double(half) && again.test[2] < found.test[even],
          "The peak is where the number of weights equals the number of equations, so "
          "it moves with the data. At the old place, half of the data give a better "
          "model than all of them."},
         {"At twice as many features: fewer data need a larger model.",
          where == 2. * images(),
          "Fewer data are easier to fit, so the interpolation threshold comes "
          "earlier."}});
    say("test error with {} features: {:.1f} % with {} images, {:.1f} % with {}",
        images(), 100 * again.test[2], half, 100 * found.test[even], images());

    // More data raised the test error from 48 % to 88 %, because 500 images put the threshold at exactly 500 features.
}

// ## Summary
//
// The test error of a model can fall, rise to a peak at the interpolation threshold, and fall again. At the threshold
// the only exact fit has large weights; beyond it, the shortest of many exact fits gets shorter with every feature. So
// more weights than examples do not imply a bad model: what counts is which of the exact fits the training prefers.
//
// ## What is missing
//
// The second descent is not guaranteed. It needs a preference that suits the data, here for short weights over many
// random features, and here it took ten times as many features as images to come back to about the test error of 100
// features. Our directions were random. Why training finds good weights when the directions are trained as well is a
// question for [the last page of part one](hard_and_rich.cpp).
//
// On this page a whole set of images passed through the features in one object, a tensor. [The next page](tensors.cpp)
// explains what that is.
//
// ```{try}
// - More false labels: `--wrong 0.4`. Does the second descent still come back to the level of the valley?
// - Random labels only: `--wrong 1`. What are training and test error now?
// - Fewer images: `--images 200`. Where is the peak?
// ```
