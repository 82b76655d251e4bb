// # Training, validation and test set: when to stop
//
// ```{rows} sys-train-val-test fig-3.5 sys-early-stopping sys-fine-tuning-basic
// ```
//
// A deep network can draw nearly any boundary, as [the last page](depth.cpp) showed. So it can memorise its training set, and its
// training loss does not tell learning from memorising. [Chapter 1](../foundations/overfitting.cpp) met **overfitting** with sums of
// bumps, and cut the data into three sets. This page applies the same protocol to networks. What is each set for? How do you see that
// a network has begun to memorise, and when do you stop (**early stopping**)? And what can you do when there are hardly any data to
// cut (**fine-tuning**)? A mistake in this protocol is easy to make and invalidates every number that follows.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/split.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/pool.hpp>
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
using book::Study;
using data::Batches, data::Examples, data::Part;
using figure::Figure;
//-

// Eight numbers can be changed. The first belongs to the first section, five to the second and third, and two to
// the last:
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
const book::Option<Index> lessons("lessons", 6000,
                                  "images of each class to pre-train on",
                                  {.quick = 100, .least = 10, .most = 6000});
const book::Option<int> tunings("tunings", 7, "fine-tunings for each number of images",
                                {.quick = 1, .least = 1, .most = 100});

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
    std::vector<Index> rows = random.permutation(60'000);
    rows.resize(std::size_t(count));
    Examples set = data::flat(data::select(data::fashion_mnist(Part::train), rows));
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
    // purest case of choosing: predictors that know nothing. A thousand of them guess labels at random, and each is right on one image
    // in ten. The contest picks the predictor with the best accuracy on the validation set, and lets it guess once more on the test
    // set:
    //- how a guesser is judged
    const std::vector<Index> seen = labels_at(all, parts.validation),
                             unseen = labels_at(all, three[2]);
    const auto accuracy = [](Generator& guesser, const std::vector<Index>& truth) {
        Index hits = 0;
        for (const Index label : truth) hits += guesser.next_integer(0, 10) == label;
        return double(hits) / double(truth.size());
    };
    const double chance = 0.1,
                 error = std::sqrt(chance * (1 - chance) / double(seen.size()));
    std::vector<double> on_validation, on_test;
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
        on_test.push_back(std::abs(judged - chance) / error);
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
    // thousand normal numbers lies more than 3.1 standard errors above the mean, so the best of a thousand guessers scores about
    // 13 % in place of 10 %. We held the contest twenty-one times:
    claim("sys-train-val-test/c",
          "the winner's validation accuracy above chance, in standard errors",
          over_seeds(on_validation), ">", 3);
    claim("sys-train-val-test/d", "its test accuracy off chance, in standard errors",
          over_seeds(on_test), "<=", 3);
}

// Networks know more than nothing, but the selection works in the same way: the best validation score of many settings contains
// some luck. That is why the test set is used once. {cpp:class}`~recto::data::Guarded` enforces this: the test set can be read only
// after a choice was declared, and a choice can be declared only once.
//
// A **data leak** is the same mistake in disguise: anything that the training or the choice learns from the test set makes the test
// error too small. Typical leaks are a duplicate of a test image in the training set, and a mean for normalisation that was computed
// over all data.
//
// ## Two curves
//
// Now a network: 784 pixels, a hundred hidden units, ten scores, and a thousand training images. To make it memorise, we replace
// a fifth of all labels by random ones, in all three sets. A random label can only be memorised. This resembles real data more than it
// seems, because people who label images make mistakes.
//- random labels, the loss and error of a set, and the record of a run
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

struct Course {
    std::vector<double> train, validation,
        errors;  // after every epoch; [0] before the first
    Index best = 0,
          stop = 0;  // epochs: of the lowest validation loss, and when patience ends
    double test_at_best = 0, test_at_end = 0;
    bool same_bits = false;  // is the restored loss the recorded one?
};

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

//- the runs, and how the figure is drawn
void two_curves(Generator& random) {
    std::vector<Course> courses;
    std::vector<double> falls, rises;
    int at_an_end = 0, no_worse = 0, bits = 0;
    for (int run = 0; run < runs(); ++run) {
        book::progress(run + 1, runs(), "runs");
        courses.push_back(train_to_the_end(random));
        const Course& c = courses.back();
        falls.push_back(c.train.front() / c.train.back());
        rises.push_back(c.validation.back() / c.validation[std::size_t(c.best)]);
        at_an_end += c.best <= 0 || c.best >= epochs();
        no_worse += c.test_at_best <= c.test_at_end;
        bits += c.same_bits;
    }

    const Course& c = courses.front();
    std::vector<double> at;
    for (std::size_t i = 0; i < c.train.size(); ++i) at.push_back(double(i));
    Figure("fig-3.5")
        .describe(
            "Left: over the epochs the training loss falls to nearly zero. The "
            "validation loss falls for a few epochs, has its minimum at a marked "
            "epoch, and then rises slowly and steadily. Right: the validation error "
            "falls quickly and then rises only a little.")
        .panel("loss")
        .line("training", at, c.train, {.points = false})
        .line("validation", at, c.validation, {.points = false})
        .rule_x(double(c.best), "lowest")
        .x("epoch")
        .y("cross-entropy in nats")
        .panel("error")
        .line("validation", at, c.errors, {.points = false})
        .rule_x(double(c.best))
        .ylim(0, 1)
        .x("epoch")
        .y("share of wrong labels")
        .save(
            "A network that memorises: the training loss keeps falling, while the "
            "validation loss turns at the marked epoch and rises. The error on the "
            "same "
            "images (right) hardly changes. After Figure 3.5 of "
            "{cite:t}`fleuret2023`.");
    book::shows("fig-3.5/d", "fig-3.5");
    claim("fig-3.5/a", "the training loss falls by a factor of", over_seeds(falls),
          ">=", 5);
    claim("fig-3.5/b",
          "runs whose validation loss is lowest at the beginning or the end", at_an_end,
          "==", 0);
    claim("fig-3.5/c", "the final validation loss, as a multiple of its minimum",
          over_seeds(rises), ">=", 1.2);
    //-

    // The two panels of {numref}`fig-3.5` do not say the same. Past the marked epoch the loss on the validation set rises by nearly
    // half in the median run, but the network makes only slightly more errors. What grows is its *confidence*. To bring the training
    // loss near zero, the network must be confident about every training label, the random ones included. It becomes just as confident
    // about new images, right or wrong, and the cross-entropy punishes a confident error without bound. If you use only the predicted
    // class, the rise does little harm. If you use the probabilities, it does all the harm that the loss shows.
    //
    // ## Early stopping
    //
    // The remedy is to stop in time. Early stopping keeps the weights with the lowest validation loss. How do you know that the
    // minimum has passed? You don't. You wait for a number of epochs without improvement, the **patience**, and then go back to the
    // best weights. With a patience of 5 and the minimum after epoch 7, training ends after epoch 12.
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

// Early stopping is the cheapest form of regularisation: it saves computation. A network with small weights computes a nearly constant
// function. Its slopes and bends grow with its weights, so the number of epochs limits how complicated the function becomes. But this
// number was *chosen by the validation set*. The lowest validation loss is the luckiest of forty, so report the test error.
//
// ## Few data: cross-validation and fine-tuning
//
// Suppose you have a hundred labelled images, twenty of each of five classes. Cutting them into three sets leaves too few for each.
// **Cross-validation** {cite:p}`stone1974` cuts the data into, say, five parts and trains five times; each part is the validation set
// once, and the five losses are averaged. It costs five trainings and makes better use of the data to *choose* a setting. It does not
// add any data.
//
// Often there are plenty of data for a *different* task. Train a network on that task first (**pre-training**), and start from its
// weights instead of random ones (**fine-tuning**). Your own task is then called the **downstream** task {cite:p}`fleuret2023`.
//
// We cut the classes of Fashion-MNIST in two. T-shirts, trousers, pullovers, dresses and coats are plentiful; sandals, shirts,
// sneakers, bags and boots are scarce. The network is convolutional {cite:p}`lecun1989`; a later chapter builds such networks piece
// by piece. Here you only need to know that it has a *body*, which turns an image into 200 numbers, and a *head*, which turns
// these numbers into five scores. This is the body:
auto make_body(Generator& random) {
    return nn::Sequential(nn::Conv2d(1, 32, 5, random), nn::MaxPool2d{3}, nn::Relu(),
                          nn::Conv2d(32, 64, 5, random), nn::MaxPool2d{2}, nn::Relu(),
                          nn::Flatten(), nn::Linear(256, 200, random), nn::Relu());
}
//- body and head together, the images of five classes, and pre-training
struct Network {
    decltype(make_body(std::declval<Generator&>())) body;
    nn::Linear head;

    explicit Network(Generator& random)
        : body(make_body(random)), head(200, 5, random) {}
    Tensor operator()(const Tensor& x) const { return head(body(x)); }
    void visit(auto&& part) { part("body", body), part("head", head); }
};

// `each` images of five classes; their labels become 0 to 4.
using Classes = std::vector<Index>;
Examples five_classes(Part part, const Classes& classes, Index each,
                      Generator& random) {
    const Examples& all = data::fashion_mnist(part);
    const std::vector<Index> labels = all.labels.values();
    std::vector<Index> rows, renamed, counts(5);
    for (const Index row : random.permutation(all.size())) {
        const auto found = std::ranges::find(classes, labels[std::size_t(row)]);
        const Index label = found - classes.begin();
        if (found == classes.end() || counts[std::size_t(label)] == each) continue;
        ++counts[std::size_t(label)];
        rows.push_back(row);
        renamed.push_back(label);
    }
    Examples set = data::select(all, rows);
    set.x = (set.x - 0.286) / 0.353;
    set.labels = Integers({set.size()}, renamed);
    return set;
}
const Classes first_five = {0, 1, 2, 3, 4}, last_five = {5, 6, 7, 8, 9};

void pre_train(const Network& network, const Examples& plenty, Index passes,
               Generator& random) {
    optim::Adam adam(nn::parameters(network), {.lr = 1e-3});
    optim::fit(
        adam, [&] { return Batches(plenty, 50, random); },
        [&](const Examples& batch) {
            return cross_entropy(network(batch.x), batch.labels);
        },
        {.epochs = passes});
}
//-

// Fine-tuning is the usual training loop with two optimisers. The body has a learning rate of its own: that of the head, a smaller
// one, or 0, which **freezes** the body. The function returns the accuracy after every `pause` steps.
constexpr double head_rate = 1e-3;
std::vector<double> tune(const Network& network, const Examples& few,
                         const Examples& test, Index pause, Generator& random,
                         double body_rate = head_rate) {
    std::vector<double> accuracy;
    optim::Adam head(nn::parameters(network.head), {.lr = head_rate}),
        body(nn::parameters(network.body), {.lr = body_rate});
    data::Passes passes(few, 10, random);
    for (Index step = 1; step <= 4 * pause; ++step) {
        const Examples batch = passes.next();
        head.zero_grad(), body.zero_grad();
        cross_entropy(network(batch.x), batch.labels).backward();
        head.step(), body.step();
        //- the accuracy now and then
        if (step % pause == 0) accuracy.push_back(1 - score(network, test).error);
    }
    return accuracy;
}
//-

// We pre-train once, on all images of the first five classes. Then we train seven times on 5, 20 or 80 images of each scarce class:
// a new network with the pre-trained body and a new head, against one that is new altogether. Both see the same images for the same
// number of steps.
//- pre-training, and the two starts
void start_from_elsewhere(Generator& random) {
    const Network trained(random);
    pre_train(trained, five_classes(Part::train, first_five, lessons(), random), 1,
              random);
    say("accuracy on its own task: {:.3f}",
        1 - score(trained, five_classes(Part::test, first_five, 200, random)).error);

    const std::vector<double> images = {5, 20, 80};
    const Index pause = book::quick() ? 4 : 20;
    const Examples test = five_classes(Part::test, last_five, 100, random);
    using Curves =
        std::vector<std::vector<std::vector<double>>>;  // [images][pause][run]
    Curves fresh(3, std::vector<std::vector<double>>(4)), tuned = fresh;
    for (int run = 0; run < tunings(); ++run)
        for (std::size_t i = 0; i < images.size(); ++i) {
            book::progress(run * 3 + int(i) + 1, tunings() * 3, "tunings");
            const Examples few =
                five_classes(Part::train, last_five, Index(images[i]), random);
            const Network from_scratch(random);
            Network from_body(random);
            from_body.body = nn::clone(trained).body;
            const std::vector<double> a = tune(from_scratch, few, test, pause, random),
                                      b = tune(from_body, few, test, pause, random);
            for (std::size_t p = 0; p < 4; ++p)
                fresh[i][p].push_back(a[p]), tuned[i][p].push_back(b[p]);
        }

    const auto mean = [](const std::vector<double>& values) {
        double sum = 0;
        for (const double v : values) sum += v;
        return sum / double(values.size());
    };
    const auto gain = [&](std::size_t at) {
        std::vector<double> gains;
        for (std::size_t run = 0; run < tuned[1][at].size(); ++run)
            gains.push_back(tuned[1][at][run] - fresh[1][at][run]);
        const auto [low, high] = std::ranges::minmax(gains);
        return book::Measured(mean(gains), low, high, tunings());
    };
    const double early = gain(0).value, late = gain(3).value;
    //-
    ask("There are twenty images of each class. We measure after two passes over them "
        "and again after eight. When is the pre-trained start further ahead?",
        {{"After two passes.", early > late + 0.01,
          "What the body knows it need not learn, and that saves steps. With more "
          "steps "
          "the random start learns most of it from the images themselves."},
         {"After eight passes: its advantage grows from step to step.",
          late > early + 0.01,
          "It starts ahead, but both approach about the same accuracy."},
         {"The same at both times: it starts ahead and stays ahead.",
          std::abs(early - late) <= 0.01,
          "It starts ahead, but the random start has more to gain and catches up."}});

    // {numref}`fig-tuning` shows the means over the runs.
    //- how the figure is drawn, and what is checked
    std::vector<double> pauses;
    for (Index p = 1; p <= 4; ++p) pauses.push_back(double(p * pause));
    Figure figure("fig-tuning");
    figure
        .describe(
            "Accuracy on new images against the number of training images per class, "
            "for a random start and a pre-trained one; a slider sets the number of "
            "steps. After few steps the pre-trained start is clearly above; after many "
            "the two nearly meet.")
        .slider("steps", pauses, "steps", pauses.front())
        .log_x()
        .ylim(0.5, 1)
        .x("images of each class")
        .y("accuracy");
    for (std::size_t p = 0; p < 4; ++p) {
        std::vector<double> a, b;
        for (std::size_t i = 0; i < images.size(); ++i)
            a.push_back(mean(fresh[i][p])), b.push_back(mean(tuned[i][p]));
        figure.at(pauses[p])
            .line("random start", images, a)
            .line("pre-trained", images, b);
    }
    figure.save(
        "Five scarce classes, learned from a random start and from a network that was "
        "pre-trained on five others. Move the slider: more steps close the gap. After "
        "few steps more images do not help, because most of them were not seen yet.");
    book::shows("sys-fine-tuning-basic/b", "fig-tuning");
    claim("",
          "twenty images of each class, two passes: the mean gain in accuracy by "
          "pre-training",
          gain(0), ">=", 0.05);
    say("after eight passes: {}", book::brief(gain(3)));
}
//-

// After two passes the pre-trained start is far ahead; after eight it hardly is. But that is one split of the classes, one
// pre-training and one way to tune. A study repeats the comparison for four splits of the classes. The body is pre-trained for one
// epoch or four, and tuned at the learning rate of the head, at a tenth of it, or not at all. All starts get the same twenty images of
// each class and eight passes, in five draws.
//- how the starts are compared, and how the study is kept
const std::vector<Classes> splits = {
    first_five, last_five, {0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}};
const std::vector<double> body_rates = {head_rate, head_rate / 10, 0};
constexpr int draws = 5;

Study::Row compare_starts(const Study::Row& setting) {
    const Classes& plenty = splits[std::size_t(setting[0])];
    Classes scarce;
    for (Index label = 0; label < 10; ++label)
        if (std::ranges::find(plenty, label) == plenty.end()) scarce.push_back(label);
    Generator random(1000 * book::seed() + std::uint64_t(setting[0]));
    const Network trained(random);
    pre_train(trained, five_classes(Part::train, plenty, 6000, random),
              Index(setting[1]), random);
    const Examples test = five_classes(Part::test, scarce, 300, random);
    Study::Row accuracies;
    for (int draw = 0; draw < draws; ++draw) {
        const Examples few = five_classes(Part::train, scarce, 20, random);
        const Network start(random);
        const auto after_eight_passes = [&](const Network& network, double body_rate) {
            return tune(nn::clone(network), few, test, 20, random, body_rate).back();
        };
        accuracies.push_back(after_eight_passes(start, head_rate));
        for (const double rate : body_rates) {
            Network from_body = start;
            from_body.body = trained.body;
            accuracies.push_back(after_eight_passes(from_body, rate));
        }
    }
    return accuracies;
}
std::vector<std::string> starts() {
    std::vector<std::string> names;
    for (int draw = 1; draw <= draws; ++draw) {
        names.push_back(fmt::format("random start {}", draw));
        for (const double rate : body_rates)
            names.push_back(fmt::format("body rate {} {}", rate, draw));
    }
    return names;
}
std::vector<Study::Row> split_cells() {
    std::vector<Study::Row> all;
    for (const double passes : {4, 1})
        for (double split = 0; split < double(splits.size()); ++split)
            all.push_back({split, passes});
    return all;
}
const Study tuning(
    {"fine_tuning", {"split", "epochs"}, starts(), {"sys-fine-tuning-basic/a"}, 0.018},
    split_cells(), compare_starts);
//-

//- the table, and what is checked
void over_splits() {
    const std::vector<Study::Row>& rows = tuning.frozen().rows;
    const auto gains = [&](double epochs, std::size_t way, double split) {
        std::vector<double> found;
        for (const Study::Row& row : rows)
            for (std::size_t draw = 0; draw < draws; ++draw) {
                const std::size_t start = 2 + draw * (1 + body_rates.size());
                if (row[1] == epochs && (split < 0 || row[0] == split))
                    found.push_back(row[start + 1 + way] - row[start]);
            }
        return found;
    };
    const auto mean = [](const std::vector<double>& values) {
        double sum = 0;
        for (const double v : values) sum += v;
        return book::Measured(sum / double(values.size()), std::ranges::min(values),
                              std::ranges::max(values), int(values.size()));
    };
    book::Measured best(-1);
    std::vector<std::vector<book::Cell>> table;
    for (const double epochs : {1, 4})
        for (std::size_t way = 0; way < body_rates.size(); ++way) {
            std::vector<book::Cell> line = {epochs, body_rates[way]};
            for (double split = 0; split < double(splits.size()); ++split)
                line.emplace_back(mean(gains(epochs, way, split)).value);
            const book::Measured all = mean(gains(epochs, way, -1));
            line.emplace_back(all.value);
            table.push_back(line);
            if (all.value > best.value) best = all;
        }
    book::table(
        "fig-splits",
        "Mean gain in accuracy over a random start, by split and over all. The "
        "pre-training classes are 0 to 4 in split 1, 5 to 9 in split 2, the even ones "
        "in split 3 and the odd ones in split 4. A rate of 0 freezes the body.",
        {"epochs", "rate of the body", "split 1", "split 2", "split 3", "split 4",
         "all"},
        table);
    book::not_reproduced(
        "sys-fine-tuning-basic/a",
        "twenty images of each class, eight passes, four splits: the mean gain in "
        "accuracy by pre-training, in the best of six ways",
        best, ">=", 0.05,
        "one and four epochs of pre-training; the body tuned at the rate of the head, "
        "at "
        "a tenth of it, and frozen; four splits of the classes, of which only one "
        "gains that much; fewer passes, of which two are enough in the first split");
}
//-

// No way gains five hundredths over all splits; the best gains 0.029. Four epochs of pre-training gain little more than one. Freezing
// the body costs 0.08 to 0.10, because features of five classes do not suffice for five others. A tenth of the rate ends slightly
// below the random start after eight passes. The exception is split 4. Its scarce classes are the T-shirts, pullovers, coats, shirts and
// bags, where the random start reaches only about 0.61; pre-training at the full rate gains 0.05 there. In the first split pre-training
// mainly saves steps. The comparison changes when pre-training has seen thousands of times more data than your own
// task offers: that is why large language models are fine-tuned.
//
// In summary: weights are learned from the training set, settings are chosen by the validation set, and the test set is read once. Stop
// at the lowest validation loss, and wait a few epochs to be sure. With few data, cross-validation helps you choose, and a pre-trained
// start saves steps.
void page() {
    Generator random(book::seed());
    three_sets(random);
    two_curves(random);
    start_from_elsewhere(random);
    over_splits();
}

// ## What is missing
//
// We watched a network memorise, and stopped it in time. Can we ask for something other than the smallest training loss, so that
// memorising does not pay? [The next page](penalties.cpp) puts a price on weights.
//
// ```{try}
// - No wrong labels: `--wrong 0`. Does the validation loss still turn? Is it right to stop there if only the predicted class counts?
// - More images: `--pictures 30000 --runs 1`. When does the loss turn now?
// - Less patience: `--patience 1`. How often does training stop too early? Look at `--seed 2` as well.
// - Less pre-training: `--lessons 100`. What is left of its gain?
// ```
