// # Far more weights than points
//
// ```{rows} claim-double-descent
// ```
//
// [Some pages ago](overfitting.cpp) the rule seemed clear: few weights are too stiff, many weights fit the
// noise, the best is in between. Modern networks have far more weights than that rule would allow; some fit
// their training data without a single error, and work. This page takes the simplest model in which one can
// watch it happen, on real pictures, and turns the knob past the point where the old story stops.
//- includes and names
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
//-

// Four numbers can be changed:
const book::Option<int> images("images", 500, "how many pictures to learn from",
                               {.quick = 100, .least = 20, .most = 2000});
const book::Option<double> wrong("wrong", 0.2,
                                 "share of labels replaced by random ones",
                                 {.least = 0, .most = 1});
const book::Option<int> draws("draws", 9,
                              "how often pictures, labels and directions are drawn",
                              {.quick = 1, .least = 1, .most = 100});
const book::Option<int> judges("judges", 10'000, "how many test pictures",
                               {.quick = 1000, .least = 1, .most = 10'000});

// ## Pictures with wrong labels
//
// By the old rule nothing is worse than to fit noise exactly. So we put some in. We take 500 pictures of
// Fashion-MNIST {cite:p}`xiao2017`, small grey photographs of clothes of ten kinds, and give one in five a
// label drawn at random, which may by luck be the right one. The test pictures keep their true labels.
Integers spoil(const Integers& labels, double share, Generator& random) {
    std::vector<Index> noisy = labels.values();
    for (Index& label : noisy)
        if (random.next_uniform() < share) label = random.next_integer(0, 10);
    return {labels.shape(), noisy};
}

// The pictures of both sets are moved and scaled alike, with numbers from the training pictures:
Examples first(const Examples& all, Index n) { return data::slice(all, 0, n); }

struct Task {
    Examples train, test;
    Integers clean;  // the true labels
    Tensor grey;     // the training pictures as they were, to be looked at
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

// ## One hidden layer that is never trained
//
// The model is a layer of $K$ random directions $v_k$ with a $\max(0, \cdot)$ behind each, and then what we know:
// a sum with weights, one column of them per class.
//
// $$ f(x; w) = \sum_{k=1}^{K} w_k \max(0, v_k \cdot x) $$
//
// The directions are drawn once and stay. So the model is linear in its weights, and the least squares of [the
// first page](fit_curve.cpp) solves it: the target is one for the picture's class and zero for the nine others,
// and the class with the largest output is the answer. {cpp:class}`~recto::classic::RandomFeatures` is the
// hidden layer, and this is how often an answer is wrong:
double share_wrong(const Tensor& scores, const Integers& labels) {
    const std::vector<Index> answers = argmax(scores).values(), right = labels.values();
    Index errors = 0;
    for (std::size_t i = 0; i < right.size(); ++i) errors += answers[i] != right[i];
    return double(errors) / double(right.size());
}

// The knob is $K$. All models share their directions: the one with $K$ features uses the first $K$. Where
// several weights fit equally well, and beyond $K = N$ infinitely many do, we take the shortest,
// {cpp:func}`~recto::classic::least_norm`.
struct Sweep {
    std::vector<double> counts, train, test;  // for each K: the share of wrong answers
    std::vector<double> length;               // and the length of the weights
};

Sweep sweep(const Task& task, std::vector<double> counts, Generator& random) {
    const auto& [train, test, clean, grey] = task;
    const auto most = Index(counts.back());
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

    // The test pictures are many, and have thousands of features each. All at once they would take 200 MB of
    // memory, so they are judged a thousand at a time.
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

void page() {
    Generator random(book::seed());

    // {numref}`fig-noisy-labels` shows some of the pictures, and what the model is told about them.
    const Task task = draw_task(random);
    Images gallery("fig-noisy-labels", 4);
    gallery
        .describe(
            "Eight small grey pictures of clothes. Under each stands a label, and it "
            "is wrong.")
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
            "Eight pictures with false labels, as the model gets them. It is not told "
            "which ones are false.");
    say("{} of {} training labels are false", false_labels, images());

    // ## Past the end of the old story
    //
    // From a tenth as many features as pictures to ten times as many:
    std::vector<double> counts;
    for (const double ratio : {.1, .15, .2, .3, .4, .6, .8, .9, .96, 1., 1.04, 1.1, 1.2,
                               1.5, 2., 3., 5., 10.})
        counts.push_back(std::round(ratio * images()));
    const Sweep found = sweep(task, counts, random);

    // Three places matter: a fifth as many features as pictures, as many, and ten times as many.
    const std::size_t small = 2, even = 9, large = counts.size() - 1;
    const auto peak =
        std::size_t(std::ranges::max_element(found.test) - found.test.begin());
    for (const std::size_t i : {small, even, large})
        say("{:4.0f} features: {:4.1f} % of the training labels and {:4.1f} % of the "
            "test pictures wrong",
            counts[i], 100 * found.train[i], 100 * found.test[i]);

    // {numref}`fig-double-descent` draws both errors for all of them, and beside the errors something that we
    // shall need in a moment: how long the vector of weights is.
    Figure("fig-double-descent")
        .describe(
            "Left: the test error against the number of random features, on a "
            "logarithmic axis. It falls, then rises to a sharp peak where features "
            "equal pictures, and falls again to its old level. The training error "
            "reaches zero before the peak and stays there. Right: the length of the "
            "weights peaks at the same place.")
        .panel("wrong answers")
        .line("test error", counts, found.test)
        .line("training error", counts, found.train)
        .rule_x(images(), "N features")
        .log_x()
        .x("features")
        .y("share wrong")
        .panel("length of the weights")
        .line("length", counts, found.length,
              {.color = figure::green, .dash = figure::solid})
        .rule_x(images())
        .log_axes()
        .x("features")
        .y("length")
        .save(
            "Two descents. Up to the dashed line the story is the old one, with its "
            "valley and its rise. Past the line every model fits all training labels, "
            "the false ones too, and yet the test error falls again. After "
            "{cite:t}`belkin2019`.");
    book::shows("claim-double-descent/c", "fig-double-descent");

    // In the valley on the left we would have stopped, and been right by the old rule. Ten times as many
    // features as pictures do about as well. The curve that falls, rises and falls
    // again is called *double descent* {cite:p}`belkin2019`. One draw of pictures, labels and directions could
    // be luck, so we draw them all again and again, and look at the three places:
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
          "test error with as many features as pictures, as a multiple of that with a "
          "fifth as many",
          over_seeds(times_worse), ">=", 2);
    claim("claim-double-descent/b",
          "test error with ten times as many features as pictures, less that with a "
          "fifth as many",
          over_seeds(excess), "<=", 0.02);

    // ## Why the peak, why the end
    //
    // The right panel gives it away. With $K = N$ there is exactly one vector of weights that meets all $N$
    // training labels, the false ones too. It has no choice, whatever it costs, and it costs much: features
    // that hardly differ must be played against each other with huge weights. A test picture that lies a little
    // to the side meets those huge weights, and the answer is noise.
    //
    // With $K > N$ there is a choice. All solutions meet the labels, and we take the shortest. More features
    // cannot make the shortest longer: whoever has them may ignore them. The training error stays at zero and
    // the weights get shorter and shorter, so the function that passes through the points gets calmer between
    // them. The preference has taken over where the data have nothing left to say. Nobody asked for a small
    // norm in so many words, by the way. Gradient descent that starts at zero ends there all by itself, since
    // each of its steps is a sum of training examples.
    std::vector<double> beyond(found.length.begin() + std::ptrdiff_t(even),
                               found.length.end());
    claim_true("",
               "from as many features as pictures on, every further feature makes the "
               "weights shorter",
               std::is_sorted(beyond.rbegin(), beyond.rend()));

    // So the peak is not at some magic size of the model. Check yourself:
    const Index half = images() / 2;
    Task less = task;
    less.train = first(task.train, half);
    const Sweep again =
        sweep(less, {double(half) / 2, double(half), double(images()), 2. * images()},
              random);
    const double where = again.counts[std::size_t(std::ranges::max_element(again.test) -
                                                  again.test.begin())];
    ask("We throw half of the pictures away and sweep again. Where is the peak now?",
        {{"At the same number of features as before: it belongs to the model.",
          where == images(),
          "Then the number of pictures would not matter. But it decides how many "
          "equations there are to meet."},
         {"At half as many features.",
          where == double(half) && again.test[2] < found.test[even],
          "The peak is where equations and unknowns are equally many, so it moves with "
          "the data. And so at the old place half of the data give a better model than "
          "all of them."},
         {"At twice as many features: fewer data need a larger model.",
          where == 2. * images(),
          "Fewer data are easier to fit, so the point where they are just fitted comes "
          "earlier."}});
    say("at {} features: {:.1f} % wrong with {} pictures, {:.1f} % with {}", images(),
        100 * again.test[2], half, 100 * found.test[even], images());
}

// ## What is missing
//
// This is no licence. The second descent needs a preference that suits the data, here for short weights over
// many random features, and past the peak it needs a lot of them. What the page shows is only that *more
// weights than points* is not by itself a reason to fear. Why training should find good weights at all, once
// the directions are trained too, is a question for [the end of the chapter](hard_and_rich.cpp).
//
// And we cheated a little: whole batches of pictures went through this page as if they were rows of numbers.
// What they really are is [the next page](tensors.cpp).
//
// ```{try}
// - Leave the labels alone: `--wrong 0`. Is there still a peak? Which end is the better one now?
// - Make all labels random: `--wrong 1`. What do training and test error say now?
// - Fewer pictures: `--images 200`. Where is the peak?
// ```
