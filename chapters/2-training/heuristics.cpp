// # Many small remedies
//
// ```{rows} sys-ensembling sys-data-augmentation claim-regularisation-gap fig-udl-9.14
// ```
//
// The step and the batch regularise by themselves, as [the last page](step_and_batch.cpp) measured. One can also do
// something on purpose. The literature is full of remedies against learning by heart: spoil the inputs,
// switch off half of the network, average five of them. Each is a few lines of code and comes with a story of why it
// helps. This page writes them all, puts them on one scale, and finds that the scale itself deserves a question.
//- includes and names
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/augment.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/signals.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/figure/images.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/binary.hpp>
#include <recto/ops/cross_entropy.hpp>
#include <recto/ops/dropout.hpp>
#include <recto/ops/log_softmax.hpp>
#include <recto/ops/reduce.hpp>
#include <recto/ops/unary.hpp>
#include <recto/ops/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/early_stopping.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Batches, data::Examples, data::Part;
using figure::Figure;
//-

// Seven numbers can be changed, two for each of the first two sections, and three for the rest:
const book::Option<Index> scarce("scarce", 1000, "pictures to be augmented",
                                 {.quick = 200, .least = 10, .most = 60'000});
const book::Option<Index> visits("visits", 60, "how often each of them is seen",
                                 {.quick = 5, .least = 1, .most = 1000});
const book::Option<Index> pictures("pictures", 5000, "pictures for the ensemble",
                                   {.quick = 300, .least = 10, .most = 60'000});
const book::Option<int> members("members", 5, "networks in an ensemble",
                                {.quick = 2, .least = 2, .most = 50});
const book::Option<Index> count("signals", 1000, "signals to learn from",
                                {.quick = 100, .least = 50, .most = 100'000});
const book::Option<Index> epochs("epochs", 60, "how often each signal is seen",
                                 {.quick = 6, .least = 2, .most = 1000});
const book::Option<int> runs("runs", 5, "how often each remedy is tried",
                             {.quick = 1, .least = 1, .most = 100});

// Whatever we train, we ask it the same two questions: how surprised it is by the labels, and how often it is wrong.
// Both need only its logarithms of probabilities.
struct Score {
    double loss = 0, error = 0;
};
Score judge(const Tensor& log_p, const Examples& set) {
    const std::vector<Index> said = argmax(log_p).values(), truth = set.labels.values();
    const std::vector<Real> numbers = log_p.values();
    Score mean;
    for (std::size_t n = 0; n < truth.size(); ++n) {
        mean.loss -= double(numbers[n * 10 + std::size_t(truth[n])]);
        mean.error += said[n] != truth[n];
    }
    return {mean.loss / double(truth.size()), mean.error / double(truth.size())};
}

// ## More data out of the same data
//
// A shoe that stands two pixels further left is the same shoe. The training set does not say so. We
// know it, and can tell the network by example: show it the shoe in many places. That is *data augmentation*. It adds
// something that the training set does not contain: what we know.
//
// The library has three changes: {cpp:func}`~recto::data::shifted`, {cpp:func}`~recto::data::flipped` and
// {cpp:func}`~recto::data::noisy`. Each draws anew for every picture of a batch.
void three_changes(const Examples& all, Generator& random) {
    const Tensor x = data::slice(all, 0, 200).x;
    figure::Images sheet("fig-augmented", 6);
    sheet.describe(
        "Four rows of six pictures of clothes. The first row shows the originals, the "
        "next the same moved by up to two pixels, then the same mirrored, then the "
        "same grainy.");
    bool same_shape = true, in_range = true;
    const auto row = [&](const char* label, const Tensor& changed) {
        same_shape &= changed.shape() == x.shape();
        const std::vector<Real> numbers = changed.values();
        const auto [low, high] = std::ranges::minmax(numbers);
        in_range &= low >= 0 && high <= 1;
        for (std::size_t i = 0; i < 6; ++i)
            sheet.add(
                i == 0 ? label : "", 28, 28,
                std::vector<double>(numbers.begin() + std::ptrdiff_t(i * 784),
                                    numbers.begin() + std::ptrdiff_t((i + 1) * 784)));
    };
    row("as they are", x);
    row("shifted", data::shifted(x, 2, random));
    row("flipped", data::flipped(x, random, 1));  // all of them
    row("noisy", data::noisy(x, 0.15, random));
    sheet.negative().save(
        "Six pictures, and three changes that leave them what they are. In each epoch "
        "the network sees other ones.");
    claim_true("sys-data-augmentation/a",
               "shifts, flips and noise keep the shape, and the range from 0 to 1",
               same_shape && in_range);

    // What is random is drawn from a seed, as everywhere in this book:
    const auto changed = [&](std::uint64_t seed) {
        Generator own(seed);
        const Tensor moved = data::flipped(data::shifted(x, 2, own), own);
        return data::noisy(moved, 0.15, own).values();
    };
    claim_true(
        "sys-data-augmentation/b",
        "the same seed gives the same pictures, bit for bit, another seed others",
        changed(1) == changed(1) && changed(1) != changed(2));
}

// Does it help? A thousand pictures, a network with a hundred hidden units, sixty epochs: once with the pictures as they
// are, once shifted by up to two pixels and flipped.
Tensor inputs(const Tensor& x) {
    return (reshape(x, {x.dim(0), 784}) - 0.286) / 0.353;  // around zero
}
nn::Mlp learn_clothes(const Examples& set, Index passes, bool augmented,
                      Generator& random) {
    const nn::Mlp model({784, 100, 10}, relu, random);
    optim::Adam adam(nn::parameters(model), {.rate = 1e-3});
    const auto loss = [&](const Examples& batch) {
        Tensor x = batch.x;
        if (augmented) x = data::flipped(data::shifted(x, 2, random), random);
        return cross_entropy(model(inputs(x)), batch.labels);
    };
    optim::fit(adam, [&] { return Batches(set, 50, random); }, loss,
               {.epochs = passes});
    return model;
}
Tensor ask_clothes(const nn::Mlp& model, const Examples& set) {
    const NoGrad only_asking;
    return log_softmax(model(inputs(set.x)));
}

// Some pictures of the training set, in random order:
Examples some_clothes(Index number, Generator& random) {
    std::vector<Index> rows = random.permutation(60'000);
    rows.resize(std::size_t(number));
    return data::select(data::fashion_mnist(Part::train), rows);
}

// Each network is tried on the test pictures as they come, and also on test pictures that were shifted and flipped.
struct Gains {
    std::vector<double> as_they_are, moved;     // in accuracy, one for each run
    std::vector<std::vector<double>> accuracy;  // first run: without, with
    book::Measured mean(const std::vector<double>& of) const {
        const auto [low, high] = std::ranges::minmax(of);
        double sum = 0;
        for (const double gain : of) sum += gain;
        return {sum / double(of.size()), low, high, int(of.size())};
    }
};
Gains with_and_without() {
    const Examples& test = data::fashion_mnist(Part::test);
    Examples moved = test;
    Generator mover(book::seed());
    moved.x = data::flipped(data::shifted(test.x, 2, mover), mover);
    std::vector<std::vector<double>> accuracy(std::size_t(2 * runs()));
    book::each_apart(
        2 * runs(), 2,
        [&](Index i) {
            Generator random(book::seed() * 100 + std::uint64_t(i / 2));
            const Examples set = some_clothes(scarce(), random);
            const nn::Mlp model = learn_clothes(set, visits(), i % 2 == 1, random);
            return std::vector{1 - judge(ask_clothes(model, test), test).error,
                               1 - judge(ask_clothes(model, moved), moved).error};
        },
        [&](Index i, const std::vector<double>& a) { accuracy[std::size_t(i)] = a; });
    Gains gains{{}, {}, {accuracy[0], accuracy[1]}};
    for (std::size_t i = 0; i < accuracy.size(); i += 2) {
        gains.as_they_are.push_back(accuracy[i + 1][0] - accuracy[i][0]);
        gains.moved.push_back(accuracy[i + 1][1] - accuracy[i][1]);
    }
    return gains;
}

void does_it_help() {
    const Gains gains = with_and_without();
    //- the question
    const double plain = gains.mean(gains.as_they_are).value;
    ask("The test pictures stay as they come: centred, and nearly all shoes point to "
        "the left. What does training with shifted and flipped pictures do to the "
        "accuracy on them?",
        {{"It gains a hundredth or more.", plain >= 0.01,
          "One would hope so. But the network now spends its units on places where no "
          "test picture ever stands."},
         {"It is about the same, or gains a little.", plain > -0.005 && plain < 0.01,
          "To learn about more pictures than one will ever see is not free."},
         {"It loses.", plain <= -0.005,
          "All pictures of this set stand in the middle already. What we taught the "
          "network is true, but the test does not ask for it, and a small network has "
          "to divide its hundred units among all places."}});
    //-
    for (const std::size_t with : {0u, 1u})
        say("first run, {}: {:.3f} as they come, {:.3f} moved",
            with ? "with" : "without", gains.accuracy[with][0],
            gains.accuracy[with][1]);
    claim("", "the mean gain in accuracy on test pictures that are shifted and flipped",
          gains.mean(gains.moved), ">=", 0.1);
    book::not_reproduced(
        "sys-data-augmentation/c",
        "the mean gain in accuracy on test pictures as they come",
        gains.mean(gains.as_they_are), ">=", 0.01,
        "shifts by one pixel, shifts alone and flips alone; 300 and 400 hidden units; "
        "a small convolutional network; other rates; up to 400 epochs. The best was a "
        "mean gain of eight thousandths, by the convolutional network after 400 "
        "epochs.");
}

// We had expected a gain of a hundredth at least, and did not find one. The reason is worth more than the hundredth. Whoever made
// these pictures has centred them, and photographed the shoes from the same side. The augmentation teaches
// what is true of shoes and *not needed for this test*. Where it is needed, on moved pictures, it is worth a lot. Real photographs
// are not centred, which is why augmentation is everywhere in practice. And our signals, further down, are not
// centred either: there it will be the best remedy of all.
//
// Not every change is allowed everywhere. A flipped boot is a boot; a flipped 3 is no digit at all. And one must not
// overdo it: what would make *you* unsure of the label can hardly teach it to a network.
//
// ## Ask several
//
// Train five networks that differ in nothing but their random numbers. They will agree on the easy pictures, and err
// differently on the hard ones. An *ensemble* averages the probabilities of its members
// {cite:p}`dietterich2000`:
//
// $$ \bar p(t \mid x) = \frac1M \sum_{m=1}^{M} p_m(t \mid x) . $$
//
// There is a guarantee. The logarithm is concave, so by Jensen's inequality the logarithm of a mean is at
// least the mean of the logarithms. Hence for each single picture
//
// $$ -\log \bar p(t \mid x) \;\le\; \frac1M \sum_{m=1}^{M} -\log p_m(t \mid x) . $$
//
// The ensemble's surprise is at most the *mean* surprise of its members, whatever they are and whatever the label is.
// It says nothing about the best member, and nothing about accuracy.
void five_networks(Generator& random) {
    const Examples set = some_clothes(pictures(), random);
    const Examples& test = data::fashion_mnist(Part::test);
    const auto as_many = std::size_t(members());
    std::vector<std::vector<double>> all(as_many);
    book::each_apart(
        members(), 2,
        [&](Index m) {
            Generator own(book::seed() * 100 + 50 + std::uint64_t(m));
            const nn::Mlp model =
                learn_clothes(set, book::quick() ? 2 : 15, false, own);
            const std::vector<Real> log_p = ask_clothes(model, test).values();
            return std::vector<double>(log_p.begin(), log_p.end());
        },
        [&](Index m, const std::vector<double>& log_p) {
            all[std::size_t(m)] = log_p;
        });

    // The ensemble of the first one, two, three members and so on, and beside each the members' mean:
    const auto tensor = [&](const std::vector<double>& numbers) {
        return Tensor(Shape{test.size(), 10},
                      std::vector<Real>(numbers.begin(), numbers.end()));
    };
    const std::vector<Index> truth = test.labels.values();
    std::vector<double> sum(all[0].size()), mean_log(all[0].size()), sizes;
    std::vector<double> alone, losses, means, errors;
    double worst = -1, members_loss = 0;
    for (std::size_t m = 0; m < all.size(); ++m) {
        std::vector<double> log_mean(sum.size());
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += std::exp(all[m][i]), mean_log[i] += all[m][i];
            log_mean[i] = std::log(sum[i] / double(m + 1));
        }
        for (std::size_t n = 0; n < truth.size(); ++n) {
            const std::size_t at = n * 10 + std::size_t(truth[n]);
            worst = std::max(worst, mean_log[at] / double(m + 1) - log_mean[at]);
        }
        const Score one = judge(tensor(all[m]), test),
                    together = judge(tensor(log_mean), test);
        members_loss += one.loss;
        sizes.push_back(double(m + 1)), alone.push_back(one.error);
        losses.push_back(together.loss), errors.push_back(together.error);
        means.push_back(members_loss / double(m + 1));
    }

    for (std::size_t m = 0; m < alone.size(); ++m)
        say("member {} errs on {:.4f} of the test pictures", m + 1, alone[m]);
    //- the question
    const double best = std::ranges::min(alone), ensemble = errors.back();
    ask("Where will the error of their ensemble be?",
        {{"Near the mean of the members': that is what averaging does.",
          ensemble > best + 0.002,
          "The probabilities are averaged, not the errors. Where one member errs, the "
          "others often do not."},
         {"Below that of the best member, or about the same.", ensemble <= best + 0.002,
          "No member has to be the best everywhere: each is outvoted where it is odd."},
         {"Less than half of the best member's.", ensemble < best / 2,
          "That would need members that err independently. They learned from the same "
          "pictures, and err on the same hard ones."}});
    //-
    // Jensen holds for every picture, not only in the mean. We look for the worst of them all, in ensembles of every size:
    claim("sys-ensembling/a",
          "the ensemble's surprise minus the mean of its members', in the worst of all "
          "pictures",
          worst, "<=", 1e-12);
    say("mean loss of the members {:.3f}, loss of the ensemble {:.3f}", means.back(),
        losses.back());
    claim("sys-ensembling/b",
          "by how much the ensemble's accuracy is below that of its best member",
          errors.back() - std::ranges::min(alone), "<=", 0.002);
    Figure("fig-ensemble")
        .describe(
            "Left: against the number of members, their mean loss is nearly level and "
            "the loss of the ensemble falls, steeply at first. Right: dots for the "
            "test errors of single members, and below them the falling error of the "
            "ensemble.")
        .panel("loss")
        .line("mean of members", sizes, means)
        .line("ensemble", sizes, losses)
        .x("members")
        .y("test loss in nats")
        .panel("error")
        .dots("one member", sizes, alone)
        .line("ensemble", sizes, errors)
        .x("members")
        .y("test error")
        .save(
            "What further members bring. The guarantee is the distance of the two "
            "lines on the left. That the ensemble also errs less (right) is usual, but "
            "no theorem.");
}

// Most of the gain comes with the second and the third member ({numref}`fig-ensemble`). The price is plain: five times the
// training, and five times the computing for ever after. The next remedy pretends to be an ensemble and costs nothing.
//
// ## All of them in one network
//
// To compare remedies, we need one task where a network overfits badly, and quickly. We take short signals
// ({cpp:func}`~recto::data::signals`), ten shapes at random places and in random sizes, and a network with two hidden
// layers of a hundred units, which can learn a thousand signals by heart in seconds. Each remedy is a number in a recipe:
struct Recipe {
    double price = 0;         // L2: on the square of each weight
    double off = 0;           // dropout: the chance of a unit to be switched off
    double smoothing = 0;     // how much of a label is spread over all classes
    double input_noise = 0;   // its standard deviation, on every number
    double weight_noise = 0;  // the same for every weight
    Index shift = 0;          // augmentation: places to either side
    Index batch = 50;         // signals in a batch
    double enough = 0;        // training ends once its loss is below
    bool stop = false;        // early stopping
    bool beside = false;      // a second task beside the first
    bool before = false;      // or before it
    bool bayes = false;       // networks drawn from the posterior
    Index members = 1;        // networks whose probabilities are averaged
};

// *Dropout* switches off each hidden unit with some probability, anew at each step {cite:p}`srivastava2014`. No unit
// can rely on another to be there. Since every step trains another sub-network, and all share their weights, the whole is
// read as an ensemble of them all. *Noise on the inputs* says that nearby inputs have the same label, and *noise on the weights*
// that nearby *weights* must do as well: so it seeks wide valleys. All three live in the forward pass:
struct Network {
    nn::Mlp body;
    nn::Linear head, second;  // one for each of two tasks
    explicit Network(Generator& random)
        : body({data::signal_length, 100, 100}, relu, random),
          head(100, 10, random),
          second(100, 10, random) {}
    void visit(auto&& part) {
        part("body", body), part("head", head), part("second", second);
    }
};
Tensor scores(const Network& network, Tensor x, const nn::Linear& head,
              const Recipe& recipe, Generator& random) {
    const auto layer = [&](const nn::Linear& l, const Tensor& in, Activation f) {
        Tensor w = l.weight;
        if (recipe.weight_noise > 0)
            w = w + random.normal(w.shape(), 0, Real(recipe.weight_noise));
        return linear(in, w, l.bias, f);
    };
    if (recipe.shift > 0) x = data::shifted(x, recipe.shift, random);
    if (recipe.input_noise > 0)
        x = data::noisy(x, recipe.input_noise, random, data::Range::any());
    for (const nn::Linear& l : network.body.layers)
        x = dropout(layer(l, x, Activation::relu), recipe.off, random, recipe.off > 0);
    return layer(head, x, Activation::none);
}
Tensor log_probabilities(const Network& network, const Tensor& x) {
    const NoGrad only_asking;
    Generator unused(0);
    return log_softmax(scores(network, x, network.head, {}, unused));  // no remedy
}

// *Label smoothing* asks for 91 per cent instead of certainty, and for one per cent of each other class
// {cite:p}`szegedy2016`; the cross-entropy of the library has it built in. The price on squares is known from
// [earlier](penalties.cpp). Both live in the loss:
Tensor loss_of(const Network& network, const Examples& batch, const nn::Linear& head,
               const Recipe& recipe, Generator& random) {
    Tensor loss = cross_entropy(scores(network, batch.x, head, recipe, random),
                                batch.labels, {.smoothing = recipe.smoothing});
    if (recipe.price > 0)
        for (const NamedTensor& w : nn::parameters(network))
            loss = loss + recipe.price * sum(w.tensor * w.tensor);
    return loss;
}

// ## Another task
//
// The signals are scarce. But suppose that there are four thousand labelled signals of a *related* task: the same ten
// shapes, played backwards. (Some of our shapes are nearly others backwards, so a signal must not be flipped and keep its label.)
// What the body of a network learns from one task may serve the other. Learn both at the same time, with one body and
// two heads, and it is *multi-task learning* {cite:p}`caruana1997`. Learn one after the other, and it is *transfer
// learning*; [fine-tuning](protocol.cpp) was that.
struct Signals {
    Examples train, validation, test, backwards;
};
Signals draw_signals(Generator& random) {
    const Index many = book::quick() ? 400 : 4000;
    Signals s{data::signals(count(), random), data::signals(count(), random),
              data::signals(many / 2, random), data::signals(many, random)};
    s.backwards.x = data::flipped(s.backwards.x, random, 1);
    return s;
}

// Training is one loop for all recipes. Early stopping takes notes after each epoch and goes back at the end.
Network train(const Signals& data, const Recipe& recipe, Generator& random) {
    const Network network(random);
    optim::Adam adam(nn::parameters(network), {.rate = 2e-3});
    data::Passes other(data.backwards, 50, random);
    const auto second_task = [&] {
        return loss_of(network, other.next(), network.second, recipe, random);
    };
    if (recipe.before)
        optim::fit(adam, second_task, {.steps = book::quick() ? 10 : 1000});
    optim::EarlyStopping best(nn::state(network));
    const auto loss = [&](const Examples& batch) {
        const Tensor own = loss_of(network, batch, network.head, recipe, random);
        return recipe.beside ? own + second_task() : own;
    };
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        optim::fit(adam, Batches(data.train, recipe.batch, random), loss, {});
        const auto now = [&](const Examples& set) {
            return judge(log_probabilities(network, set.x), set).loss;
        };
        if (recipe.stop) best.look(now(data.validation));
        if (recipe.enough > 0 && now(data.train) < recipe.enough) break;
    }
    if (recipe.stop) best.restore();
    return network;
}

// ## Every network that the data allow
//
// An ensemble of five is a small one. A Bayesian would average *all* networks, each with its posterior probability given the
// data: networks that fit badly count for nothing, and among those that fit none is preferred without reason. There is no
// formula for this average, but one can draw from it. Take gradient steps, and add to every weight, after every step,
// normal noise with variance $2\eta/N$. Such a walk does not come to rest. It wanders through the posterior, and visits
// each region as long as it deserves, if the steps are small and many enough {cite:p}`welling2011`. Our walk is neither, so
// take what follows as a sketch. The price on squares is the prior.
std::vector<Network> wander(const Signals& data, const Recipe& recipe,
                            Generator& random) {
    const Network network(random);
    optim::Sgd sgd(nn::parameters(network), {.rate = 0.1});
    const double deviation = std::sqrt(2 * sgd.options.rate / double(count()));
    std::vector<Network> visited;
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        for (const Examples& batch : Batches(data.train, recipe.batch, random)) {
            optim::train_step(sgd, [&] {
                return loss_of(network, batch, network.head, recipe, random);
            });
            for (NamedTensor w : nn::parameters(network)) {
                const Tensor noise =
                    random.normal(w.tensor.shape(), 0, Real(deviation));
                Real* numbers = w.tensor.write();
                for (Index i = 0; i < noise.size(); ++i) numbers[i] += noise.host()[i];
            }
        }
        if (epoch > epochs() / 2 && epoch % 3 == 0)
            visited.push_back(nn::clone(network));
    }
    return visited;
}

// ## The gap
//
// Now we try each of them five times. In each try all remedies get the same signals and the same first weights. The strengths
// are round numbers that one finds in examples everywhere. None was tuned, so a remedy that does poorly here may only have
// the wrong dose.
struct Remedy {
    std::string name;
    Recipe recipe;
    std::vector<std::string> works_by;  // its mechanisms, for the map
    std::string page;                   // where it is explained
};
const std::string smoother = "smoother function", more = "more effective data",
                  several = "several models", wider = "wider minima";
const std::string here = "heuristics.html#all-of-them-in-one-network";
std::vector<Remedy> remedies() {
    return {
        {"none", {}, {}, ""},
        {"L2", {.price = 1e-3}, {smoother}, "penalties.html"},
        {"early stopping", {.stop = true}, {smoother}, "protocol.html"},
        {"label smoothing", {.smoothing = 0.1}, {smoother}, here},
        {"noise on inputs", {.input_noise = 0.3}, {smoother, more}, here},
        {"augmentation",
         {.shift = 4},
         {more},
         "heuristics.html#more-data-out-of-the-same-data"},
        {"second task", {.beside = true}, {more}, "heuristics.html#another-task"},
        {"transfer", {.before = true}, {more}, "heuristics.html#another-task"},
        {"dropout", {.off = 0.3}, {smoother, several}, here},
        {"ensembling",
         {.members = members()},
         {several},
         "heuristics.html#ask-several"},
        {"Bayesian averaging",
         {.price = 5e-4, .bayes = true},
         {several},
         "heuristics.html#every-network-that-the-data-allow"},
        {"noise on weights", {.weight_noise = 0.05}, {wider}, here},
        {"small batches",
         {.batch = 10, .enough = 0.045},
         {wider},
         "step_and_batch.html"},
    };
}

// The last line needs a word. With batches of ten instead of fifty an epoch has five times as many steps, and a
// network that makes more steps learns more by heart, whatever the valley is like. So the small batches may train only until
// their training loss is about that of the network without any remedy. What comes of a recipe:
struct Outcome {
    Score train, test;
    double gap() const { return test.loss - train.loss; }
};
Tensor average(const std::vector<Network>& networks, const Tensor& x) {
    Tensor sum;
    for (const Network& network : networks) {
        const Tensor p = exp(log_probabilities(network, x));
        sum = sum.defined() ? sum + p : p;
    }
    return log(sum / double(networks.size()));
}
std::vector<double> one_run(const Recipe& recipe, int run) {
    Generator random(book::seed() * 1000 + std::uint64_t(run));
    const Signals data = draw_signals(random);
    std::vector<Network> networks;
    if (recipe.bayes) networks = wander(data, recipe, random);
    while (!recipe.bayes && std::ssize(networks) < recipe.members)
        networks.push_back(train(data, recipe, random));
    const Score train = judge(average(networks, data.train.x), data.train),
                test = judge(average(networks, data.test.x), data.test);
    return {train.loss, train.error, test.loss, test.error};
}

// All that remains is to run them, two at a time, and to take the mean over the runs.
using Outcomes = std::vector<std::vector<Outcome>>;  // of each remedy, each run
Outcomes try_all(const std::vector<Remedy>& all) {
    Outcomes came(all.size(), std::vector<Outcome>(std::size_t(runs())));
    const auto which = [&](Index i) { return std::size_t(i / runs()); };
    Index done = 0;
    book::each_apart(
        std::ssize(all) * runs(), 2,
        [&](Index i) { return one_run(all[which(i)].recipe, int(i % runs())); },
        [&](Index i, const std::vector<double>& v) {
            came[which(i)][std::size_t(i % runs())] = {{v[0], v[1]}, {v[2], v[3]}};
            book::progress(++done, std::ssize(all) * runs(), "trainings");
        });
    return came;
}
Outcome mean(const std::vector<Outcome>& of) {
    Outcome m;
    const double share = 1 / double(of.size());
    for (const Outcome& o : of) {
        m.train.loss += share * o.train.loss, m.train.error += share * o.train.error;
        m.test.loss += share * o.test.loss, m.test.error += share * o.test.error;
    }
    return m;
}

void the_gap(const std::vector<Remedy>& all, const Outcomes& came) {
    const auto find = [&](const char* name) {
        return std::size_t(std::ranges::find(all, name, &Remedy::name) - all.begin());
    };
    std::vector<Outcome> means;
    for (const auto& of : came) means.push_back(mean(of));
    const Outcome &none = means[0], stopped = means[find("early stopping")];

    //- the question
    const double change = stopped.test.error - none.test.error;
    ask("Early stopping leaves less than a third of the gap in loss, and of the gap in "
        "error about a third. What becomes of the share of wrong answers on new "
        "signals?",
        {{"It falls clearly, by three hundredths or more.", change <= -0.03,
          "The gap can close from either side. Here it closes because the training "
          "error rises."},
         {"It stays about the same.", std::abs(change) < 0.03,
          "The gap closes because the network has learned less of its training set. "
          "It is less certain, which the loss rewards, and wrong just as often."},
         {"It rises clearly: who learns less knows less.", change >= 0.03,
          "What was learned after the stop was learned by heart, and it was of little "
          "use to new signals."}});
    //-
    std::vector<std::vector<book::Cell>> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto rounded = [](double v) { return std::round(v * 1000) / 1000; };
        const Outcome& m = means[i];
        rows.push_back({all[i].name, rounded(m.train.loss), rounded(m.test.loss),
                        rounded(m.gap()), rounded(m.train.error),
                        rounded(m.test.error)});
    }
    book::table(
        "gaps",
        "What each remedy does, mean over the runs: losses in nats, errors as "
        "shares. The gap is that of the loss.",
        {"remedy", "training loss", "test loss", "gap", "training error", "test error"},
        rows);
    book::shows("claim-regularisation-gap/b", "gaps");

    // *Regularisation* is often defined as whatever narrows the gap between training and test. By that definition all five of
    // the classical remedies regularise, in loss and in error:
    const std::vector<const char*> classical = {"L2", "dropout", "early stopping",
                                                "augmentation", "ensembling"};
    const auto narrower = [](const Outcome& with, const Outcome& without) {
        return with.gap() < without.gap() &&
               with.test.error - with.train.error <
                   without.test.error - without.train.error;
    };
    double in_mean = 0, low = 5, high = 0;
    for (const char* name : classical) in_mean += narrower(means[find(name)], none);
    for (std::size_t run = 0; run < came[0].size(); ++run) {
        double here = 0;
        for (const char* name : classical)
            here += narrower(came[find(name)][run], came[0][run]);
        low = std::min(low, here), high = std::max(high, here);
    }
    claim("claim-regularisation-gap/a",
          "of five remedies, how many narrow the gap in loss and in error, in the mean "
          "over all runs",
          book::Measured(in_mean, low, high, runs()), "==", 5);

    // But the table says more than the definition. A gap is a difference, and differences do not say where they come
    // from. {numref}`fig-gap-and-error` draws what we want, few errors on new data, against the gap.
    const auto part = [&](const char* label, auto&& belongs, Figure& figure,
                          figure::Style style) {
        std::vector<double> x, y;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (belongs(i))
                x.push_back(means[i].gap()), y.push_back(means[i].test.error);
        figure.dots(label, x, y, style);
    };
    const auto adds = [&](std::size_t i) {
        return std::ranges::find(all[i].works_by, more) != all[i].works_by.end();
    };
    Figure figure("fig-gap-and-error");
    figure.describe(
        "A dot for each remedy, its gap to the right and its test error upwards. The "
        "network without remedy is far right and high. Most remedies lie further left "
        "at nearly the same height. Those that add data lie lower.");
    part("none", [](std::size_t i) { return i == 0; }, figure, {.color = figure::ink});
    part("adds data", adds, figure, {.color = figure::blue});
    part("other remedy", [&](std::size_t i) { return i > 0 && !adds(i); }, figure,
         {.color = figure::ochre});
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return means[i].test.error; });
    claim_true("", "the three remedies with the fewest errors on new signals add data",
               adds(order[0]) && adds(order[1]) && adds(order[2]));
    figure.x("gap in loss, in nats")
        .y("test error")
        .save(
            "Left is a narrow gap, low is a good network. Most remedies move to the "
            "left. Down move, above all, those that add data.");
}

// Look at label smoothing: its gap in loss is narrower by half, and it is wrong as often as before. It makes the network less certain, and no
// wiser. Look at ensembling: the members know their training set by heart, and so does their ensemble. Its gap is one
// of the widest in the table, and yet it is wrong less often. A gap of zero is easy: do not learn.
// The gap is a good *symptom*, and a poor goal. What counts is the test column. (And small batches? Brought to the same
// training loss, they have about the same gap. What they do lies in [how one trains with them](step_and_batch.cpp).)
//
// And the remedies that add data win. That is no accident. The other remedies express a general distrust of complicated
// functions. Augmentation says something true about *these* signals: that their place does not matter. The next step
// is obvious. If we know that places do not matter, why not build a network for which they cannot? That is what
// convolutions are, in a later chapter.
//
// ## A map
//
// {cite:t}`prince2023` orders the remedies by *why* they work. Some make the function smoother between the
// samples. Some give the training set, in effect, more samples. Some combine several models, so that their whims cancel. Some
// lead to wide minima, where small errors of the weights do no harm. {numref}`fig-udl-9.14` is such a map, drawn
// from the runs above. Each remedy leads to where it is explained. The stories overlap: to switch off units at random
// is to spoil the function in between, and to train many networks at once.
void the_map(const std::vector<Remedy>& all, const Outcomes& came) {
    const std::vector<std::string> mechanisms = {smoother, more, several, wider};
    figure::Diagram map("fig-udl-9.14");
    map.left_to_right().describe(
        "Four mechanisms on the left: smoother function, more effective data, several "
        "models, wider minima. Arrows lead from each to the remedies that work by it; "
        "under the name of each remedy stands by how much it narrows the gap.");
    for (const std::string& m : mechanisms)
        map.node(m, m, figure::Box::box, figure::blue);
    const double without = mean(came[0]).gap();
    bool complete = true;
    std::set<std::string> used, shown;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const Remedy& r = all[i];
        const double change = mean(came[i]).gap() - without;
        map.node(r.name, fmt::format("{}\n{:+.1f} nats", r.name, change))
            .link(r.name, r.page);
        for (const std::string& m : r.works_by) map.edge(m, r.name), used.insert(m);
        complete &= !r.page.empty() && !r.works_by.empty() && std::isfinite(change);
        shown.insert(r.name);
    }
    map.save(
        "Remedies by why they are said to work, and by how many nats each changes the "
        "gap of the network without any. After Figure 9.14 of {cite:t}`prince2023`.");
    book::shows("fig-udl-9.14/d", "fig-udl-9.14");
    claim_true("fig-udl-9.14/a",
               "every remedy on the map has a program and a measured change of the gap",
               complete);
    claim("fig-udl-9.14/b", "mechanisms that have a remedy", used.size(), "==", 4);
    claim_true("fig-udl-9.14/c", "six remedies that no other page has were run here",
               std::ranges::all_of(
                   std::vector{"label smoothing", "noise on inputs", "noise on weights",
                               "second task", "transfer", "Bayesian averaging"},
                   [&](const char* name) { return shown.contains(name); }));
}

// The page itself is a list:
void page() {
    Generator random(book::seed());
    three_changes(data::fashion_mnist(Part::train), random);
    does_it_help();
    five_networks(random);
    const std::vector<Remedy> all = remedies();
    const Outcomes came = try_all(all);
    the_gap(all, came);
    the_map(all, came);
}

// ## What is missing
//
// We tried each remedy alone, in one dose, on one task. In practice one takes several together, and each changes the right dose of
// the others. And a map by reasons is a map of stories: that a remedy works does not prove the story that is told about it.
//
// The best remedy was more data, if only in effect. So what if there *are* more data, and a larger network to learn
// from them? [The next page](scaling.cpp) asks what that buys.
//
// ```{try}
// - Plenty of signals: `--signals 4000`. Which remedies still have something to do?
// - Few: `--signals 200`. Does the order of the remedies change?
// - Train for longer: `--epochs 200`. What happens to the gap without remedy, and to its test error?
// - A larger ensemble: `--members 15`. Where does its error stop falling? And why does it not reach zero?
// ```
