// # Three sets, and when to stop
//
// ```{rows} sys-train-val-test fig-3.5 sys-early-stopping sys-fine-tuning-basic
// ```
//
// A deep network can draw nearly any boundary, as [the last page](depth.cpp) has shown. So it can also learn its
// training set by heart, and its training loss does not tell learning from learning by heart. [Chapter 1](../foundations/overfitting.cpp)
// met this with bumps, and cut the data in three. This page is about how that is done with networks: what each part
// is for, what their losses look like while a network is trained, when to stop, and what to do when there are
// hardly any data to cut.
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
const book::Option<int> guessers("guessers", 1000, "how many predictors guess",
                                 {.quick = 100, .least = 1, .most = 100'000});
const book::Option<Index> pictures("pictures", 3000,
                                   "how many pictures are cut in three",
                                   {.quick = 600, .least = 30, .most = 60'000});
const book::Option<double> wrong("wrong", 0.2, "share of random labels",
                                 {.least = 0.0, .most = 1.0});
const book::Option<Index> epochs("epochs", 40, "how often each picture is seen",
                                 {.quick = 8, .least = 2, .most = 1000});
const book::Option<Index> patience("patience", 5,
                                   "epochs without improvement before one stops",
                                   {.least = 1, .most = 1000});
const book::Option<int> runs("runs", 10, "how often all this is done",
                             {.quick = 1, .least = 1, .most = 100});
const book::Option<Index> lessons("lessons", 6000,
                                  "pictures of each class to pre-train on",
                                  {.quick = 100, .least = 10, .most = 6000});
const book::Option<int> tunings("tunings", 7,
                                "how often it is tuned to each number of pictures",
                                {.quick = 1, .least = 1, .most = 100});

// ## What the third set is for
//
// Three thousand pictures of clothes, a thousand for each purpose. The weights are learned from the *training
// set*. Everything that is not a weight, such as the width, the rate, or when to stop, is chosen by the *validation
// set*. And the *test set* says at the end how good the result is.
//
// Dealt out at random, the parts would differ: one has more boots, another more bags. It is better to deal out each
// class by itself. Such a split is *stratified*, and {cpp:func}`~recto::data::stratified_split` makes it.
std::vector<Index> labels_at(const Examples& all, const std::vector<Index>& rows) {
    const std::vector<Index> labels = all.labels.values();
    std::vector<Index> chosen;
    for (const Index row : rows) chosen.push_back(labels[std::size_t(row)]);
    return chosen;
}

// Pictures with their pixels around zero, in an order that says nothing:
Examples some_pictures(Index count, Generator& random) {
    std::vector<Index> rows = random.permutation(60'000);
    rows.resize(std::size_t(count));
    Examples set = data::flat(data::select(data::fashion_mnist(Part::train), rows));
    set.x = (set.x - 0.286) / 0.353;
    return set;
}

void three_sets(Generator& random) {
    const Examples all = some_pictures(pictures(), random);
    const Index third = pictures() / 3;
    const std::vector<Index> labels = all.labels.values();
    data::Split parts = data::stratified_split(labels, third, third, random);
    parts.test.declare("none: we only count");
    const std::vector<std::vector<Index>> three = {parts.train, parts.validation,
                                                   parts.test.read()};

    // Every picture must be in exactly one part, and every class must have its third of each:
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
               "every picture is in exactly one of the three parts",
               std::ranges::all_of(times, [](int t) { return t == 1; }));
    claim("sys-train-val-test/b",
          "pictures by which a class misses its share of a part, at most", farthest,
          "<=", 1);

    // Why is one set not enough to choose by *and* to judge by? The weights never saw it, so is it not honest? Look at
    // the purest case of choosing: predictors that know nothing. A thousand of them guess, each a label for each
    // picture, and of each ten guesses one is right by chance. We take the one that is best on the validation set.
    //- the guessers
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
    const double best = over_seeds(on_validation).value,
                 judged = over_seeds(on_test).value;
    //-
    ask("A thousand predictors guess the labels of a thousand pictures. The winner is "
        "tried on a thousand new ones. How far above chance is it, in standard errors "
        "of such an accuracy?",
        {{"Far above, on both: it won, so it must know something.", judged > 3,
          "It knows nothing. It was lucky, and luck does not move on to other "
          "pictures."},
         {"Far above on the set where it won, and not on the new one.",
          best > 3 && judged <= 3,
          "Somebody has to win. The best of a thousand guesses is a long way above the "
          "middle, and its score says how we chose, not how good it is."},
         {"Near chance on both: with a thousand pictures luck averages out.",
          best <= 3 && judged <= 3,
          "It averages out for one predictor. Among a thousand, one will be far "
          "above."}});

    // We held the contest twenty-one times:
    claim("sys-train-val-test/c",
          "the winner's validation accuracy above chance, in standard errors",
          over_seeds(on_validation), ">", 3);
    claim("sys-train-val-test/d", "its test accuracy off chance, in standard errors",
          over_seeds(on_test), "<=", 3);
}

// Networks know more than nothing, but the luck is the same, and whoever tries many settings and reports the best
// validation score reports some luck with it. So the third set is looked at once. That is why our splits keep it
// under lock ({cpp:class}`~recto::data::Guarded`): it can be read after a choice was declared, and a choice can be
// declared once.
//
// ## Two curves
//
// Now a network: 784 pixels, a hundred hidden units, ten scores. It gets a thousand training pictures. To see it learn
// by heart we make a fifth of all labels random, in all three parts. So there is something to learn, and
// something that can *only* be learned by heart. That is not as artificial as it may sound: people who label pictures
// err, too.
void spoil(Examples& set, Generator& random) {
    std::vector<Index> labels = set.labels.values();
    for (Index& label : labels)
        if (random.next_uniform() < wrong()) label = random.next_integer(0, 10);
    set.labels = Integers({set.size()}, labels);
}

// After every epoch it is asked twice, without learning from it: for its loss, and how often the largest score is wrong.
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

// Beside it stands somebody who takes notes: {cpp:class}`~recto::optim::EarlyStopping` keeps a copy of the weights whose
// validation loss was the lowest so far. For the moment it only watches; we train to the end.
struct Course {
    std::vector<double> train, validation,
        errors;  // after every epoch; [0] before the first
    Index best = 0,
          stop = 0;  // epochs: of the lowest validation loss, and when patience ends
    double test_at_best = 0, test_at_end = 0;
    bool same_bits = false;  // is the restored loss the one that was noted?
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
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        optim::fit(adam, Batches(train, 50, random),
                   [&](const Examples& batch) {
                       return cross_entropy(model(batch.x), batch.labels);
                   },
                   {});
        notes.look(look());
        if (course.stop == 0 && notes.enough()) course.stop = epoch;
    }

    // At the end the network as it is and the network as it was at its best are both tried on the test set. To declare
    // the choice first is to promise that nothing will be chosen afterwards.
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

    // {numref}`fig-3.5` shows the first run.
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
        .y("share of wrong names")
        .save(
            "What one sees while a network learns by heart: the training loss goes on "
            "falling, and the validation loss turns. The error on the same pictures "
            "(right) hardly minds. After Figure 3.5 of {cite:t}`fleuret2023`.");
    book::shows("fig-3.5/d", "fig-3.5");
    claim("fig-3.5/a", "the training loss falls by a factor of", over_seeds(falls),
          ">=", 5);
    claim("fig-3.5/b",
          "runs whose validation loss is lowest at the beginning or the end", at_an_end,
          "==", 0);
    claim("fig-3.5/c", "the final validation loss, as a multiple of its minimum",
          over_seeds(rises), ">=", 1.2);

    // The two panels do not say the same. Past the marked epoch the loss on new pictures becomes half as large again, but
    // the network errs only a little more often. What grows is its *certainty*: to bring the training loss to nothing
    // it must be certain of every training label, the random ones too, and it is then just as certain about new
    // pictures, right or wrong. The cross-entropy punishes certainty in a wrong name without bound. If only the name
    // counts, this is half as bad as it looks; if the probabilities are used, it is as bad as it looks.
    //
    // ## Stop in time
    //
    // The cure costs nothing: do not train to the end. *Early stopping* keeps the weights with the lowest
    // validation loss. How does one know that the lowest has been? One does not. One waits for some epochs in
    // vain, the *patience*, and goes back to the best.
    say("first run: lowest after epoch {}, patience ends after epoch {}, test error "
        "{:.3f} there and {:.3f} at the end",
        c.best, c.stop, c.test_at_best, c.test_at_end);
    claim_true("sys-early-stopping/a",
               "in every run the loss of the restored weights is the noted minimum, "
               "bit for bit",
               bits == runs());
    claim("sys-early-stopping/b",
          "runs in which the restored weights err no more often on the test set than "
          "those of the end",
          book::Measured(no_worse, no_worse, no_worse, runs()), ">=", 8);
}

// Early stopping is the cheapest regularisation there is, and it is not a bad one. A network begins as a nearly
// straight function and becomes more complicated as it is trained; to stop is to choose how complicated. But the
// number of epochs has been *chosen by the validation set*. The lowest validation loss is the luckiest of forty, if only
// by a little, and what may be reported is the test error.
//
// ## When there is hardly anything to cut
//
// A hundred labelled pictures, twenty of each of five kinds of shoes, shirts and bags. Cut *that* in three? Often there
// is another way. There may be plenty of data for a *different* task. Train a network on that one, and then begin with its
// weights instead of random ones. The first training is called *pre-training*, the second *fine-tuning*, and the
// task that one really has is the *downstream* task {cite:p}`fleuret2023`.
//
// We cut the classes of Fashion-MNIST in two: T-shirts, trousers, pullovers, dresses and coats are plenty; sandals,
// shirts, sneakers, bags and boots are scarce. The network is convolutional, after {cite:t}`lecun1989`; a later chapter
// builds such networks piece by piece. Here it is enough that it has a *body*, which turns a picture into 200
// numbers, and a *head*, which turns those into five scores.
auto make_body(Generator& random) {
    return nn::Sequential(nn::Conv2d(1, 32, 5, random), nn::MaxPool2d{3}, nn::Relu(),
                          nn::Conv2d(32, 64, 5, random), nn::MaxPool2d{2}, nn::Relu(),
                          nn::Flatten(), nn::Linear(256, 200, random), nn::Relu());
}
struct Network {
    decltype(make_body(std::declval<Generator&>())) body;
    nn::Linear head;

    explicit Network(Generator& random)
        : body(make_body(random)), head(200, 5, random) {}
    Tensor operator()(const Tensor& x) const { return head(body(x)); }
    void visit(auto&& part) { part("body", body), part("head", head); }
};

// `each` pictures of five classes; their labels become 0 to 4.
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

// Pre-training takes all the pictures it can have:
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

// Fine-tuning is the training loop that we have. The body gets a learning rate of its own: the same as the head, a smaller
// one, or 0, which *freezes* it. `tune` takes a start, and returns the accuracy after every `pause` steps.
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
        if (step % pause == 0) accuracy.push_back(1 - score(network, test).error);
    }
    return accuracy;
}

void start_from_elsewhere(Generator& random) {
    // Pre-training: all pictures of the first five classes, once.
    const Network trained(random);
    pre_train(trained, five_classes(Part::train, first_five, lessons(), random), 1,
              random);
    say("accuracy on its own task: {:.3f}",
        1 - score(trained, five_classes(Part::test, first_five, 200, random)).error);

    // Then seven times, for three numbers of pictures of the other classes: a new network with the old body and a new head,
    // against one that is new altogether. Both get the same pictures and the same number of steps.
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

    //- what the answer is
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
    ask("Twenty pictures of each class. We look after two passes over them and again "
        "after eight. When is the pre-trained start further ahead of the random one?",
        {{"After two passes.", early > late + 0.01,
          "What the body knows it need not learn, and that saves steps. Given time, "
          "the random start learns most of it from the pictures themselves."},
         {"After eight passes: its advantage grows from step to step.",
          late > early + 0.01,
          "It starts ahead, but both are on their way to about the same place."},
         {"The same at both times: it starts ahead and stays ahead.",
          std::abs(early - late) <= 0.01,
          "It starts ahead, but the other one learns the faster the less it knows."}});

    // {numref}`fig-tuning` shows the means over the runs.
    std::vector<double> pauses;
    for (Index p = 1; p <= 4; ++p) pauses.push_back(double(p * pause));
    Figure figure("fig-tuning");
    figure
        .describe(
            "Accuracy on new pictures against the number of training pictures per "
            "class, for a random start and a pre-trained one; a slider sets the number "
            "of steps. After few steps the pre-trained start is clearly above; after "
            "many the two nearly meet.")
        .slider("steps", pauses, "steps", pauses.front())
        .log_x()
        .ylim(0.5, 1)
        .x("pictures of each class")
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
        "pre-trained on five others. Move the slider to give both more steps. After "
        "few steps more pictures are no help: most of them were not seen yet.");
    book::shows("sys-fine-tuning-basic/b", "fig-tuning");
    claim("",
          "twenty pictures of each class, two passes: the mean gain in accuracy by "
          "pre-training",
          gain(0), ">=", 0.05);
    say("after eight passes: {}", book::brief(gain(3)));
}

// After two passes the pre-trained start is far ahead; after eight it hardly is. But that is one split of the classes, one
// training of the body and one way to tune. A study repeats the comparison for four splits: each says which five classes are plenty. The body is
// pre-trained for one epoch and for four. It is tuned at the learning rate of the head, at a tenth of it, or not at all. All starts
// get the same twenty pictures of each class and eight passes, in five draws.
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
//- the columns and cells of the study
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
//-
const Study tuning(
    {"fine_tuning", {"split", "epochs"}, starts(), {"sys-fine-tuning-basic/a"}, 0.018},
    split_cells(), compare_starts);

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
    //- the table and the best mean
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
    //-
    book::table(
        "fig-splits",
        "Mean gain in accuracy over a random start, by split and over all. Plenty "
        "are classes 0 to 4 in split 1, 5 to 9 in split 2, the even ones in "
        "split 3 and the odd ones in split 4. A rate of 0 freezes the body.",
        {"epochs", "rate of the body", "split 1", "split 2", "split 3", "split 4",
         "all"},
        table);
    book::not_reproduced(
        "sys-fine-tuning-basic/a",
        "twenty pictures of each class, eight passes, four splits: the mean gain in "
        "accuracy by pre-training, in the best of six ways",
        best, ">=", 0.05,
        "one and four epochs of pre-training; the body tuned at the rate of the head, "
        "at "
        "a tenth of it, and frozen; four splits of the classes, of which one alone "
        "gains what was asked; fewer passes, of which two are enough");
}

// No way reaches five hundredths over all splits. More pre-training adds little. To freeze the body is the worst here, and after eight passes a small
// rate is not better either: five kinds of clothes do not teach all that another five need. The exception is split 4. Its scarce
// classes are the T-shirts, pullovers, coats, shirts and bags that a random start confuses most, so there is more to gain. For the other
// splits pre-training mainly saves steps. Where computing is dear that is worth a lot. It looks
// different where pre-training has seen a thousand times more than your own task offers: large language models are tuned, not trained
// again.
void page() {
    Generator random(book::seed());
    three_sets(random);
    two_curves(random);
    start_from_elsewhere(random);
    over_splits();
}

// ## What is missing
//
// We watched a network learn by heart, and stopped it. It would be better if it did not want to. Is there a way to ask
// for something else than the smallest training loss? [The next page](penalties.cpp) puts a price on weights.
//
// ```{try}
// - No wrong labels: `--wrong 0`. Does the validation loss still turn? And is it still right to stop there, if only the name counts?
// - More pictures: `--pictures 30000 --runs 1`. When does it turn now?
// - Less patience: `--patience 1`. How often is the network stopped too early? Look at `--seed 2` as well.
// - A poor teacher: `--lessons 100`. What is left of the gain by pre-training?
// ```
