// # Training, validation and test set: when to stop
//
// ```{rows} sys-train-val-test fig-3.5 sys-early-stopping
// ```
//
// With enough units a network can draw nearly any boundary, by the theorem of [the last page](depth.cpp). So it can
// memorise its training set, and its training loss does not tell learning from memorising. [Chapter
// 1](../foundations/overfitting.cpp) met **overfitting** with sums of simple functions, and cut the data into three
// sets. This page applies the same protocol to networks. How do you see that a network has begun to memorise
// ({numref}`fig-3.5`)? What is each set for? And when do you stop (**early stopping**)? A mistake in this protocol is
// easy to make, and spoils every result that you report afterwards.
//
// ```{opening} fig-3.5
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/split.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/early_stopping.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Batches, data::Examples, data::Part;
using figure::Figure;

const book::Option<int> guessers("guessers", 1000, "number of predictors that guess",
                                 {.quick = 100, .least = 1, .most = 100'000});
const book::Option<Index> pictures("pictures", 3000,
                                   "images that are cut into three sets",
                                   {.quick = 600, .least = 30, .most = 60'000});
const book::Option<double> wrong("wrong", 0.2, "share of random labels",
                                 {.least = 0.0, .most = 1.0});
const book::Option<Index> epochs("epochs", 40, "how often each image is seen",
                                 {.quick = 8, .least = 2, .most = 1000});
const book::Option<Index> patience("patience", 5,
                                   "epochs without improvement before training stops",
                                   {.least = 1, .most = 1000});
const book::Option<int> runs("runs", 10, "number of training runs",
                             {.quick = 1, .least = 1, .most = 100});
//-

//- the runs, and how their figure is drawn
struct Course {
    std::vector<double> train, validation,
        errors;  // after every epoch; [0] before the first
    Index best = 0,
          stop = 0;  // epochs: of the lowest validation loss, and when patience ends
    double test_at_best = 0, test_at_end = 0;
    bool same_bits = false;  // is the restored loss the recorded one?
};
Course train_to_the_end(Generator& random);

std::vector<Course> two_curves(Generator& random) {
    std::vector<Course> courses;
    std::vector<double> numbers;
    for (int run = 0; run < runs(); ++run) {
        book::progress(run + 1, runs(), "runs");
        courses.push_back(train_to_the_end(random));
        numbers.push_back(run + 1);
    }
    Figure figure("fig-3.5");
    figure
        .describe(
            "First panel: over the epochs the training loss falls to nearly zero. The "
            "validation loss falls for a few epochs, has its minimum at a marked "
            "epoch, and then rises slowly and steadily. Second panel: the validation "
            "error falls quickly and then rises only a little. A slider shows one run "
            "after the other.")
        .slider("run", numbers, "run", 1)
        .panel("loss")
        .ylim(0, 2.5)
        .x("epoch")
        .y("cross-entropy in nats");
    std::vector<double> at;
    for (std::size_t i = 0; i < courses[0].train.size(); ++i) at.push_back(double(i));
    for (std::size_t run = 0; run < courses.size(); ++run)
        figure.at(numbers[run])
            .line("training", at, courses[run].train, {.points = false})
            .line("validation", at, courses[run].validation, {.points = false})
            .rule_x(double(courses[run].best), "lowest");
    figure.always().panel("error").ylim(0, 1).x("epoch").y("share of wrong labels");
    for (std::size_t run = 0; run < courses.size(); ++run)
        figure.at(numbers[run])
            .line("validation", at, courses[run].errors, {.points = false})
            .rule_x(double(courses[run].best));
    figure.save(
        "A network that memorises: the training loss keeps falling, while the "
        "validation loss turns at the marked epoch and rises. The error on the same "
        "images rises far less. Move the slider to see other runs, with other images "
        "and other initial weights. After Figure 3.5 of {cite:t}`fleuret2023`.");
    book::shows("fig-3.5/d", "fig-3.5");
    return courses;
}
//-

// ## Training, validation and test set
//
// We take three thousand images of clothes, a thousand for each purpose. The weights are learned from the **training set**.
// Everything else that you choose, such as the width, the learning rate or the moment to stop, is chosen by the **validation set**.
// The **test set** says at the end how good the result is.
//
// A random cut gives unequal sets: one has more boots, another more bags. A **stratified** split cuts every class by itself.
// {cpp:func}`~recto::data::stratified_split` does this, and locks the test set until a choice has been declared:
//- labels, and a random set of images with their pixels around zero
std::vector<Index> labels_at(const Examples& all, const std::vector<Index>& rows) {
    const std::vector<Index> labels = all.labels.values();
    std::vector<Index> chosen;
    for (const Index row : rows) chosen.push_back(labels[std::size_t(row)]);
    return chosen;
}

Examples some_pictures(Index count, Generator& random) {
    const Examples& all = data::fashion_mnist(Part::train);
    std::vector<Index> rows = random.permutation(all.size());
    rows.resize(std::size_t(count));
    Examples set = data::flat(data::select(all, rows));
    set.x = (set.x - 0.286) / 0.353;
    return set;
}
//-

void three_sets(Generator& random) {
    const Examples all = some_pictures(pictures(), random);
    const Index third = pictures() / 3;
    const std::vector<Index> labels = all.labels.values();
    data::Split parts = data::stratified_split(labels, third, third, random);
    parts.test.declare("none: we only count");
    const std::vector<std::vector<Index>> three = {parts.train, parts.validation,
                                                   parts.test.read()};

    // The check counts every image and every class. Each image must be in exactly one set, and each class must have its third of each
    // set:
    //- what is counted and checked
    std::vector<int> times(labels.size());
    double farthest = 0;
    for (const std::vector<Index>& part : three) {
        for (const Index row : part) ++times[std::size_t(row)];
        const std::vector<Index> classes = labels_at(all, part);
        for (Index k = 0; k < 10; ++k) {
            const double share = double(std::ranges::count(labels, k)) *
                                 double(part.size()) / double(labels.size());
            farthest = std::max(
                farthest, std::abs(double(std::ranges::count(classes, k)) - share));
        }
    }
    claim_true("sys-train-val-test/a",
               "every image is in exactly one of the three sets",
               std::ranges::all_of(times, [](int t) { return t == 1; }));
    claim("sys-train-val-test/b",
          "images by which a class misses its share of a set, at most", farthest,
          "<=", 1);
    //-

    // Why is the validation set not enough to choose *and* to judge? No weight was learned from it, so it seems fair. Look at the
    // purest case of choosing: predictors that know nothing. A thousand of them guess labels at random, and each is right on about one
    // image in ten. The contest picks the predictor with the best accuracy on the validation set, and lets it guess once more on the
    // test set:
    //- how a guesser is judged
    const std::vector<Index> seen = labels_at(all, parts.validation),
                             unseen = labels_at(all, three[2]);
    const auto accuracy = [](Generator& guesser, const std::vector<Index>& truth) {
        Index hits = 0;
        for (const Index label : truth) hits += guesser.next_integer(0, 10) == label;
        return double(hits) / double(truth.size());
    };
    const double chance = 0.1, spread = std::sqrt(chance * (1 - chance)),
                 error = spread / std::sqrt(double(seen.size()));
    std::vector<double> on_validation, on_test, contests, won, tested;
    //-
    for (int contest = 0; contest < 21; ++contest) {
        double best = -1, judged = 0;
        for (int g = 0; g < guessers(); ++g) {
            Generator guesser = random.split();
            const double a = accuracy(guesser, seen);
            if (a > best)
                best = a, judged = accuracy(guesser, unseen);  // it goes on guessing
        }
        on_validation.push_back((best - chance) / error);
        on_test.push_back((judged - chance) / spread *
                          std::sqrt(double(unseen.size())));
        //- what is kept for the figure
        contests.push_back(contest + 1);
        won.push_back(best), tested.push_back(judged);
        //-
    }
    //- the medians
    const double best = over_seeds(on_validation).value,
                 judged = over_seeds(on_test).value;
    //-
    ask("A thousand predictors guess the labels of a thousand images. The winner is "
        "tested on a thousand new images. How far above chance is it, in standard "
        "errors of such an accuracy?",
        {{"Far above, on both: it won, so it must know something.", judged > 3,
          "It knows nothing. It was lucky, and luck does not carry over to other "
          "images."},
         {"Far above on the set where it won, and not on the new one.",
          best > 3 && judged <= 3,
          "One of a thousand has to win. The best of a thousand guesses is far above "
          "the mean, and its score shows how we chose, not how good it is."},
         {"Near chance on both: with a thousand images luck averages out.",
          best <= 3 && judged <= 3,
          "It averages out for one predictor. The best of a thousand is still far "
          "above."}});

    // The standard error of an accuracy of 0.1 on a thousand images is $\sqrt{0.1 \cdot 0.9 / 1000} = 0.0095$. About one in a
    // thousand numbers from a {term}`normal distribution` lies more than 3.1 standard deviations above the mean, so the best of a
    // thousand guessers scores about 13 % in place of 10 %. We held the contest twenty-one times ({numref}`fig-winners`):
    //- how the figure is drawn
    Figure("fig-winners")
        .describe(
            "Two rows of 21 dots. The winners' accuracies on the validation set lie "
            "near 0.13, all above the line of chance at 0.1. Their accuracies on the "
            "test set scatter around this line.")
        .dots("on the validation set", contests, won)
        .dots("on the test set", contests, tested)
        .rule_y(chance)
        .xlim(0, 22)
        .ylim(0.06, 0.16)
        .height(220)
        .x("contest")
        .y("accuracy of the winner")
        .save(
            "The best of a thousand guessers, in 21 contests. On the images that chose "
            "it, the winner is always above chance (the line at 0.1); on new images it "
            "is back at chance.");
    //-
    claim("sys-train-val-test/c",
          "the winner's validation accuracy above chance, in standard errors",
          over_seeds(on_validation), ">", 3);

    // Each winner's test accuracy may miss 0.1 by a few standard errors. The mean over the contests has a standard error that is
    // $\sqrt{21} = 4.6$ times smaller, so it would show even a small advantage:
    //- the mean
    double mean = 0;
    for (const double z : on_test) mean += z / double(on_test.size());
    //-
    claim("sys-train-val-test/d",
          "the mean test accuracy of the 21 winners off chance, in standard errors of "
          "this mean",
          std::abs(mean) * std::sqrt(double(on_test.size())), "<=", 3);
}

// Networks know more than nothing, but the selection works in the same way: the best validation score of many settings contains
// some luck. That is why the test set is used once. {cpp:class}`~recto::data::Guarded` enforces this: the test set can be read only
// after a choice was declared, and a choice can be declared only once.
//
// A **data leak** is the same mistake in disguise: anything that the training or the choice learns from the test set tends to make the
// test error too small. Typical leaks are a duplicate of a test image in the training set, and a mean for normalisation that was
// computed over all data. This page commits the second one. It subtracts 0.286 from every pixel and divides by 0.353, and these are
// the mean and the standard deviation of all 60,000 images, those of our test set included. Two numbers computed from 60,000
// images give hardly anything away. If you have only your own few images, compute both numbers from the training set.
//
// ## Two curves
//
// Now the network of {numref}`fig-3.5`: 784 pixels, a hundred hidden units, ten scores, and a thousand training images. To make it
// memorise, we replace a fifth of all labels by random ones, in all three sets. A random label can only be memorised. This resembles
// real data more than it seems, because people who label images make mistakes.
//- random labels, and the loss and error of a set
void spoil(Examples& set, Generator& random) {
    std::vector<Index> labels = set.labels.values();
    for (Index& label : labels)
        if (random.next_uniform() < wrong()) label = random.next_integer(0, 10);
    set.labels = Integers({set.size()}, labels);
}

struct Score {
    double loss, error;
};
template <class Model>
Score score(const Model& model, const Examples& set) {
    const NoGrad only_asking;
    const Tensor scores = model(set.x);
    return {double(cross_entropy(scores, set.labels).item()),
            nn::error_rate(scores, set.labels)};
}

Course train_to_the_end(Generator& random) {
    Examples all = some_pictures(pictures(), random);
    spoil(all, random);
    const Index third = pictures() / 3;
    data::Split parts =
        data::stratified_split(all.labels.values(), third, third, random);
    const Examples train = data::select(all, parts.train),
                   validation = data::select(all, parts.validation);
    const nn::Mlp model({784, 100, 10}, relu, random);
    optim::Adam adam(nn::parameters(model), {.lr = 1e-3});
    optim::EarlyStopping notes(nn::state(model), {.patience = patience()});

    Course course;
    const auto look = [&] {
        const Score now = score(model, validation);
        course.train.push_back(score(model, train).loss);
        course.validation.push_back(now.loss), course.errors.push_back(now.error);
        return now.loss;
    };
    look();
    //-

    // After every epoch `look` computes the loss on both sets, without learning from them. {cpp:class}`~recto::optim::EarlyStopping`
    // (here `notes`) keeps a copy of the weights with the lowest validation loss so far. For now it only watches; we train to the end.
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        optim::fit(adam, Batches(train, 50, random),
                   [&](const Examples& batch) {
                       return cross_entropy(model(batch.x), batch.labels);
                   },
                   {});
        notes.look(look());
        if (course.stop == 0 && notes.enough()) course.stop = epoch;
    }

    // At the end, both the last network and the network with the lowest validation loss are tested. Declaring the choice first is
    // a promise: nothing is chosen after the test set was read.
    const nn::Mlp at_end = nn::clone(model);
    notes.restore();
    course.best = notes.best_look();
    course.same_bits = score(model, validation).loss == notes.best();
    parts.test.declare(fmt::format("epoch {}", course.best));
    const Examples test = data::select(all, parts.test.read());
    course.test_at_best = score(model, test).error;
    course.test_at_end = score(at_end, test).error;
    return course;
}

//- what is checked
void what_they_say(const std::vector<Course>& courses) {
    std::vector<double> falls, rises;
    int at_an_end = 0, no_worse = 0, bits = 0;
    for (const Course& c : courses) {
        falls.push_back(c.train.front() / c.train.back());
        const auto lowest = std::ranges::min_element(c.validation);  // [0]: untrained
        rises.push_back(c.validation.back() / *lowest);
        at_an_end += lowest == c.validation.begin() || lowest + 1 == c.validation.end();
        no_worse += c.test_at_best <= c.test_at_end;
        bits += c.same_bits;
    }
    claim("fig-3.5/a", "the training loss falls by a factor of", over_seeds(falls),
          ">=", 5);
    claim("fig-3.5/b",
          "runs whose validation loss is lowest before the first epoch or after the "
          "last",
          at_an_end, "==", 0);
    claim("fig-3.5/c", "the final validation loss, as a multiple of its minimum",
          over_seeds(rises), ">=", 1.2);
    //-

    // The two panels of {numref}`fig-3.5` do not say the same. Past the marked epoch the loss on the validation set rises by nearly
    // half in the median run, but the number of errors only by about a tenth. What grows is the network's *confidence*. To bring the
    // training loss near zero, the network must be confident about every training label, the random ones included. It becomes more
    // confident about new images as well, right or wrong, and the cross-entropy punishes a confident error without bound. If you use
    // only the predicted class, the rise does little harm. If you use the probabilities, it does all the harm that the loss shows.
    //
    // ## Early stopping
    //
    // The remedy is to stop in time. Early stopping keeps the weights with the lowest validation loss. How do you know that the
    // minimum has passed? You don't. You wait for a number of epochs without improvement, the **patience**, and then go back to the
    // best weights. With a patience of 5 and the minimum after epoch 7, training would end after epoch 12. (We train on for the
    // comparison.)
    const Course& c = courses.front();
    say("first run: lowest after epoch {}, patience ends after epoch {}, test error "
        "{:.3f} there and {:.3f} at the end",
        c.best, c.stop, c.test_at_best, c.test_at_end);
    claim_true("sys-early-stopping/a",
               "in every run the loss of the restored weights is the recorded minimum, "
               "bit for bit",
               bits == runs());
    claim("sys-early-stopping/b",
          "runs in which the restored weights make no more test errors than the "
          "weights at the end",
          book::Measured(no_worse, no_worse, no_worse, runs()), ">=", 8);
}

// An error of 0.34 looks large. But no network can do much better than 0.18: a fifth of the test labels are random, and nine in ten
// random labels are wrong.
//
// Early stopping limits how complicated the function of the network becomes. At the start the weights are small, and the network
// computes a nearly constant function; its slopes and bends grow with the weights, epoch by epoch. Everything that makes a model
// prefer some functions to others is called {term}`regularisation`, and early stopping is its cheapest form, since it even saves
// computation. But the number of epochs was *chosen by the validation set*. The lowest validation loss is the luckiest of forty, so
// report the test error.

void page() {
    Generator random(book::seed());
    three_sets(random);
    what_they_say(two_curves(random));
}

// ## Summary
//
// Weights are learned from the training set, settings are chosen by the validation set, and the test set is read once,
// after the choice. A training loss that falls while the validation loss rises is the sign of overfitting. Keep the weights of the
// lowest validation loss, and stop when it has not fallen for a few epochs.
//
// ## What is missing
//
// A thousand images each for training, validation and test are a luxury. What if you have a hundred in all? [The next
// page](few_data.cpp) has two remedies: it lets every image validate once, and starts from a network that has learned another task.
//
// ```{try}
// - No wrong labels: `--wrong 0`. Does the validation loss still turn? Is it right to stop there if only the predicted class counts?
// - More images: `--pictures 30000 --runs 1`. When does the loss turn now?
// - Less patience: `--patience 1`. Would the first run stop before its lowest loss? Look at `--seed 2` as well.
// ```
