// # Regularisation: many small remedies
//
// ```{rows} claim-regularisation-gap fig-udl-9.14
// ```
//
// More images and more networks cost computation, as [the last page](augmentation.cpp) showed. The literature is full of
// cheaper remedies against overfitting: disturb the inputs, switch off half of the network, blur the labels. Each is a
// few lines of code and comes with a story of why it helps. This page implements them all and measures each by the
// gap between training and test. Then it asks whether the gap is a good goal.
//
// Four of these remedies change something in every step of the training. Move the slider from step to step: which would
// you try first?
//
// ```{opening} fig-remedies
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/augment.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/signals.hpp>
#include <recto/figure/diagram.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/dropout.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/early_stopping.hpp>
#include <recto/optim/fit.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Batches, data::Examples;
using figure::Figure;

const book::Option<int> members("members", 5, "number of networks in an ensemble",
                                {.quick = 2, .least = 2, .most = 50});
const book::Option<Index> count("signals", 1000, "number of training signals",
                                {.quick = 100, .least = 50, .most = 100'000});
const book::Option<Index> epochs("epochs", 60,
                                 "number of passes through the training set",
                                 {.quick = 6, .least = 2, .most = 1000});
const book::Option<int> runs("runs", 5, "number of runs of each remedy",
                             {.quick = 1, .least = 1, .most = 100});
//-

//- how the figure is drawn
void draw_remedies() {
    Generator random(book::seed());
    const Examples one = data::signals(1, random);
    const std::size_t own = std::size_t(one.labels.values()[0]);
    const std::vector<double> steps = {0, 1, 2, 3, 4, 5};
    std::vector<double> place, across, up;
    for (Index i = 0; i < one.x.size(1); ++i) place.push_back(double(i));
    const std::vector<Real> clean = one.x.values();
    const double low = std::ranges::min(clean) - 0.8,
                 high = std::ranges::max(clean) + 0.8;
    for (int unit = 0; unit < 100; ++unit)
        across.push_back(unit % 10), up.push_back(unit / 10);
    figure::Names classes;
    for (int k = 0; k < 10; ++k) classes.push_back(std::to_string(k));
    const figure::Style thin{
        .color = figure::grey, .dash = figure::solid, .width = 1.5, .points = false},
        thick{.color = figure::red, .dash = figure::solid, .points = false};
    Figure drawn("fig-remedies");
    drawn
        .describe(
            "Four panels. Two show a signal as a thin line and the signal that the "
            "network sees as a thick one: with noise, and shifted to the side. The "
            "third shows a hundred units as dots, of which about thirty are off, other "
            "ones in every step. The fourth shows the target as ten bars: one of 0.91 "
            "and nine of 0.01; without the remedy a single bar of 1.")
        .height(190)
        .slider("step", steps, "step (0: no remedy)", 1);
    const auto signal = [&](const char* title, const auto& change) {
        drawn.always().panel(title).line("", place, clean, thin).ylim(low, high).bare();
        for (const double step : steps)
            drawn.at(step).line("", place, (step == 0 ? one.x : change(one.x)).values(),
                                thick);
    };
    signal("noise on inputs", [&](const Tensor& x) {
        return data::noisy(x, 0.3, random, data::Range::any());
    });
    signal("augmentation: shifts",
           [&](const Tensor& x) { return data::shifted(x, 4, random); });
    drawn.always().panel("dropout").xlim(-0.7, 9.7).ylim(-0.7, 9.7).bare();
    for (const double step : steps) {
        const std::vector<Real> kept =
            dropout(ones({100}), 0.3, random, step > 0).values();
        std::vector<double> x, y;  // of the units that are on
        for (std::size_t unit = 0; unit < kept.size(); ++unit)
            if (kept[unit] > 0) x.push_back(across[unit]), y.push_back(up[unit]);
        drawn.at(step).dots(
            "", x, y,
            {.color = figure::blue, .shape = figure::Shape::circle, .width = 3.5});
    }
    drawn.always()
        .dots("", across, up,
              {.color = figure::grey, .shape = figure::Shape::circle, .width = 1})
        .panel("label smoothing");
    for (const double step : steps) {
        std::vector<double> target(10, step == 0 ? 0 : 0.01);
        target[own] = step == 0 ? 1 : 0.91;
        drawn.at(step).bars("", classes, target, {.color = figure::ochre});
    }
    drawn.always().ylim(0, 1).x("class").y("target").save(
        "What four remedies do to one training signal. Noise, shifts and dropout draw "
        "new random numbers in every step; label smoothing asks for the same targets "
        "in all steps. Thin: the signal as it is; small grey dots: units that are "
        "switched off.");
}
//-

// Every trained network is judged by two numbers: its cross-entropy, and its error rate. Logarithms of
// probabilities serve as scores, since the softmax turns them back into the same probabilities.
//- how a network is judged
struct Score {
    double loss = 0, error = 0;
};
Score judge(const Tensor& log_p, const Examples& set) {
    return {double(cross_entropy(log_p, set.labels).item()),
            nn::error_rate(log_p, set.labels)};
}
//-

// ## All of them in one network
//
// To compare remedies, we need a task on which a network overfits badly, and quickly. We take short signals
// ({cpp:func}`~recto::data::signals`), ten shapes at random places and in random sizes, and a network with two
// hidden layers of a hundred units, which memorises a thousand signals in seconds. Each remedy is a number in a
// recipe:
struct Recipe {
    double price = 0;         // L2: penalty on the square of each weight
    double off = 0;           // dropout: the probability of switching off a unit
    double smoothing = 0;     // the part of a label that is spread over all classes
    double input_noise = 0;   // standard deviation of the noise on each input number
    double weight_noise = 0;  // standard deviation of the noise on each weight
    Index shift = 0;          // augmentation: the largest shift to either side
    Index batch = 50;         // signals in a mini-batch
    double enough = 0;        // training ends below this training loss
    bool stop = false;        // early stopping
    bool beside = false;      // a second task is learned together with the first
    bool before = false;      // a second task is learned before the first
    bool bayes = false;       // networks drawn from the posterior
    Index members = 1;        // networks whose probabilities are averaged
};

// **Dropout** switches off each hidden unit with some probability, drawn again at each step
// {cite:p}`srivastava2014` ({numref}`fig-remedies`). No unit can rely on the presence of another. Since every
// step trains a different sub-network, and all share their weights, the full network can be read as an
// ensemble of them. *Noise on the inputs* tells the network that nearby inputs have the same label, and *noise
// on the weights* that nearby *weights* must do well, too: so it favours wide minima. All three act in the
// forward pass:
//- the body, and two heads
struct Network {
    nn::Mlp body;
    nn::Linear head, second;  // an output layer for each of two tasks
    explicit Network(Generator& random)
        : body({data::signal_length, 100, 100}, relu, random),
          head(100, 10, random),
          second(100, 10, random) {}
    void visit(auto&& part) {
        part("body", body), part("head", head), part("second", second);
    }
};
//-
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
        x = dropout(layer(l, x, relu), recipe.off, random, recipe.off > 0);
    return layer(head, x, nullptr);
}
//- without any remedy, for testing
Tensor log_probabilities(const Network& network, const Tensor& x) {
    const NoGrad only_asking;
    Generator unused(0);
    return log_softmax(scores(network, x, network.head, {}, unused));  // no remedy
}
//-

// **Label smoothing** asks for 91 % instead of certainty, and for 1 % of each other class
// {cite:p}`szegedy2016`; the library's cross-entropy has it built in. The L2 penalty is known from
// [earlier](penalties.cpp). Both act in the loss:
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
// The signals are scarce. But suppose that there are four thousand labelled signals of a *related* task: the same
// ten shapes, played backwards. (Some of our shapes look almost like another one played backwards, so a flipped
// signal cannot keep its label.) What the body of a network learns from one task may serve the other. Learning both
// at the same time, with one body and two heads, is **multi-task learning** {cite:p}`caruana1997`. Learning one
// after the other is **transfer learning**; [fine-tuning](few_data.cpp) was an example.
//- the signals of both tasks
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
//-

// All recipes share one training loop. Early stopping records the validation loss after each epoch and restores the
// best weights at the end.
//- the network, the second task, and the loss of both
Network train(const Signals& data, const Recipe& recipe, Generator& random) {
    const Network network(random);
    optim::Adam adam(nn::parameters(network), {.lr = 2e-3});
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
    //-
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        optim::fit(adam, Batches(data.train, recipe.batch, random), loss, {});
        const auto now = [&](const Examples& set) {
            return judge(log_probabilities(network, set.x), set).loss;
        };
        if (recipe.stop) best.look(now(data.validation));
        if (recipe.enough > 0 && now(data.train) < recipe.enough) break;
    }
    //- the best weights
    if (recipe.stop) best.restore();
    return network;
}
//-

// ## Every network that the data allow
//
// An ensemble of five is small. **Bayesian averaging** would average *all* networks, each weighted by its posterior
// probability given the data: networks that fit badly count for almost nothing, and among those that fit, the prior
// decides. There is no formula for this average, but we can sample from the posterior. Take gradient steps, and add
// normal noise with variance $2\eta/N$ to every weight after every step. These steps never settle. They move
// through the posterior, and visit each region in proportion to its probability, if the steps are small and many
// enough {cite:p}`welling2011` (*stochastic gradient Langevin dynamics*). Our steps are neither, so take this as
// a sketch. The L2 penalty is the prior.
//- the network, and how strong the noise is
std::vector<Network> wander(const Signals& data, const Recipe& recipe,
                            Generator& random) {
    const Network network(random);
    optim::Sgd sgd(nn::parameters(network), {.lr = 0.1});
    const double deviation = std::sqrt(2 * sgd.options.lr / double(count()));
    std::vector<Network> visited;
    //-
    for (Index epoch = 1; epoch <= epochs(); ++epoch) {
        for (const Examples& batch : Batches(data.train, recipe.batch, random)) {
            optim::train_step(sgd, [&] {
                return loss_of(network, batch, network.head, recipe, random);
            });
            for (NamedTensor w : nn::parameters(network)) {
                const Tensor noise =
                    random.normal(w.tensor.shape(), 0, Real(deviation));
                Real* numbers = w.tensor.write();
                for (Index i = 0; i < noise.numel(); ++i) numbers[i] += noise.host()[i];
            }
        }
        //- which networks are kept
        if (epoch > epochs() / 2 && epoch % 3 == 0)
            visited.push_back(nn::clone(network));
    }
    return visited;
}
//-

// ## The gap
//
// We try each remedy five times. In each run all remedies get the same signals and the same initial weights. The
// strengths are common round values. None was tuned, so a remedy that does poorly here may only have the wrong
// strength.
//- the remedies and their strengths
struct Remedy {
    std::string name;
    Recipe recipe;
    std::vector<std::string> works_by;  // its mechanisms, for the map
    std::string page;                   // where the remedy is explained
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
        {"augmentation", {.shift = 4}, {more}, "augmentation.html#data-augmentation"},
        {"second task", {.beside = true}, {more}, "heuristics.html#another-task"},
        {"transfer", {.before = true}, {more}, "heuristics.html#another-task"},
        {"dropout", {.off = 0.3}, {smoother, several}, here},
        {"ensembling",
         {.members = members()},
         {several},
         "augmentation.html#ensembles-ask-several"},
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
//-

// The last recipe needs an explanation. With mini-batches of ten instead of fifty an epoch has five times as many
// steps, and a network that takes more steps memorises more, whatever minimum it finds. So the small batches train
// only until their training loss is about that of the network without any remedy.
//- the outcome of a recipe, and all runs
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

using Outcomes = std::vector<std::vector<Outcome>>;  // by remedy, then by run
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
    //-

    //- the question
    const double change = stopped.test.error - none.test.error;
    ask("Early stopping leaves about a sixth of the gap in loss, and about a "
        "third of the gap in error. What happens to the error rate on new signals?",
        {{"It falls clearly, by three percentage points or more.", change <= -0.03,
          "The gap can close from either side. Here it closes because the training "
          "error rises."},
         {"It stays about the same.", std::abs(change) < 0.03,
          "The gap closes because the network has learned less of its training set. "
          "It is less confident, which the loss rewards, and wrong just as often."},
         {"It rises clearly: a network that learns less knows less.", change >= 0.03,
          "What the network learned after the stop was memorised, and of little use "
          "for new signals."}});
    //-
    //- the table
    std::vector<std::vector<book::Cell>> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto rounded = [](double v) { return std::round(v * 1000) / 1000; };
        const Outcome& m = means[i];
        rows.push_back({all[i].name, rounded(m.test.error), rounded(m.gap()),
                        rounded(m.test.loss), rounded(m.train.loss),
                        rounded(m.train.error)});
    }
    book::table(
        "gaps",
        "The effect of each remedy, mean over the runs: losses in nats, errors as "
        "shares. The gap is that of the loss.",
        {"remedy", "test error", "gap", "test loss", "training loss", "training error"},
        rows);
    book::shows("claim-regularisation-gap/b", "gaps");
    //-

    // **Regularisation** is often defined as anything that narrows the gap between training and test. By this
    // definition five classical remedies (L2, dropout, early stopping, augmentation and ensembling) all regularise, in loss
    // and in error:
    //- what is counted and checked
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
          "of five remedies, the number that narrow the gap in loss and in error, in "
          "the mean over all runs",
          book::Measured(in_mean, low, high, runs()), "==", 5);
    //-

    // But the table says more than the definition. A gap is a difference, and it closes when the test loss falls or
    // when the training loss rises. {numref}`fig-gap-and-error` shows what we want, few errors on new data, against
    // the gap.
    //- how the figure is drawn
    const std::vector<std::string> below = {
        // names that would hide others above
        "noise on inputs", "second task",        "dropout",
        "ensembling",      "Bayesian averaging", "small batches"};
    const auto part = [&](const char* label, auto&& belongs, Figure& figure,
                          figure::Style style) {
        std::vector<double> x, y;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (belongs(i)) {
                x.push_back(means[i].gap()), y.push_back(means[i].test.error);
                const bool down = std::ranges::find(below, all[i].name) != below.end();
                figure.words("", {x.back()}, {y.back() + (down ? -0.008 : 0.008)},
                             {all[i].name}, {.color = style.color});
            }
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
        .xlim(-0.1, 4)
        .height(360)
        .save(
            "Left is a narrow gap, low is a good network. Most remedies move a "
            "network to the left. Those that add data, above all, move it down.");
}
//-

// Label smoothing nearly halves the gap in loss, from 3.4 to 1.9 nats, and the network is wrong as often as before
// (61 % without it, 62 % with it): it is less confident, and no more accurate. Bayesian averaging (1.4 nats, 61 %) is
// similar. The members of the ensemble have memorised their training set, and so has the ensemble. Its gap of 2.5 nats
// is one of the widest, and yet it is wrong less often, 58 %. A gap of zero is easy: learn nothing. The gap is a good
// *symptom*, and a poor goal. Look at the test columns. (Small batches, stopped at the same training loss, have about
// the same gap and error; [an earlier page](step_and_batch.cpp) measures what they change.)
//
// Three remedies that add data win: augmentation makes 48.5 % errors, the second task and transfer 55 %. The other
// remedies express a general preference for simple functions. Augmentation says something true about *these* signals:
// their position does not matter. The next step is to build a network for which positions cannot matter. Such networks
// use convolutions, in a later chapter.
//
// ## A map
//
// {cite:t}`prince2023` orders the remedies by *why* they work. Some make the function smoother between the samples.
// Some give the training set, in effect, more samples. Some combine several models, so that their errors cancel.
// Some lead to wide minima, where small errors of the weights do no harm. {numref}`fig-udl-9.14` is such a map,
// drawn from the runs above. Each remedy links to its explanation. The stories overlap: dropout both disturbs the
// function between the samples and trains many networks at once.
//- how the map is drawn
void the_map(const std::vector<Remedy>& all, const Outcomes& came) {
    const std::vector<std::string> mechanisms = {more, smoother, several, wider};
    figure::Diagram map("fig-udl-9.14");
    map.left_to_right().describe(
        "Four mechanisms on the left: more effective data, smoother function, "
        "several models, wider minima. Arrows lead from each to the remedies that "
        "work by it; under the name of each remedy stands the change of the gap.");
    for (const std::string& m : mechanisms)
        map.node(m, m, figure::Box::box, figure::blue);
    const double without = mean(came[0]).gap();
    for (std::size_t i = 1; i < all.size(); ++i) {
        const Remedy& r = all[i];
        const double change = mean(came[i]).gap() - without;
        map.node(r.name, fmt::format("{}\n{}{:.1f} nats", r.name,
                                     change < 0 ? "−" : "+", std::abs(change)))
            .link(r.name, r.page);
        for (const std::string& m : r.works_by) map.edge(m, r.name);
    }
    map.save(
        "Remedies by why they are said to work, and by how many nats each changes "
        "the gap of the network without a remedy. After Figure 9.14 of "
        "{cite:t}`prince2023`.");
    book::shows("fig-udl-9.14/d", "fig-udl-9.14");
    //-

    // A remedy that does nothing would leave exactly the network without a remedy: same signals, same initial
    // weights, same mini-batches. So we count the remedies that change the network in every run, and the mechanisms
    // with a remedy that narrows the gap in every run:
    //- what is counted and checked
    const auto in_every_run = [&](const std::string& name, const auto& is) {
        const std::size_t i =
            std::size_t(std::ranges::find(all, name, &Remedy::name) - all.begin());
        for (std::size_t run = 0; run < came[i].size(); ++run)
            if (!is(came[i][run], came[0][run])) return false;
        return true;
    };
    const auto differs = [](const Outcome& with, const Outcome& none) {
        return with.train.loss != none.train.loss && with.test.loss != none.test.loss;
    };
    const auto narrows = [](const Outcome& with, const Outcome& none) {
        return with.gap() < none.gap();
    };
    const auto learns = [&](const Outcome& with, const Outcome& none) {
        return differs(with, none) && with.test.error < 0.7;  // guessing: 0.9
    };
    int at_work = 0;
    std::set<std::string> groups;
    for (std::size_t i = 1; i < all.size(); ++i) {
        at_work += in_every_run(all[i].name, differs);
        if (in_every_run(all[i].name, narrows))
            groups.insert(all[i].works_by.begin(), all[i].works_by.end());
    }
    claim("fig-udl-9.14/a", "remedies on the map that change the network, in every run",
          at_work, "==", std::ssize(all) - 1);
    claim("fig-udl-9.14/b",
          "mechanisms with a remedy that narrows the gap in every run", groups.size(),
          "==", 4);
    claim("fig-udl-9.14/c",
          "of six remedies that no other page has, those that change the network and "
          "are wrong on less than 70 % of new signals, in every run",
          std::ranges::count_if(
              std::vector{"label smoothing", "noise on inputs", "noise on weights",
                          "second task", "transfer", "Bayesian averaging"},
              [&](const char* name) { return in_every_run(name, learns); }),
          "==", 6);
}
//-

void page() {
    draw_remedies();
    const std::vector<Remedy> all = remedies();
    const Outcomes came = try_all(all);
    the_gap(all, came);
    the_map(all, came);
}

// ## Summary
//
// All five classical remedies narrow the gap between training and test. But early stopping closes most of
// it and makes as many errors as before, so judge a remedy by its test error. The three networks with the fewest
// errors had, in effect, more data.
//
// ## What is missing
//
// We tried each remedy alone, at one strength, on one task. In practice several are combined, and each changes the
// best strength of the others. And a map by reasons is a map of stories: that a remedy works does not prove the
// story about it.
//
// The best remedy was more data, if only in effect. [The next page](scaling.cpp) measures what real additional data
// bring, and a larger network to learn from them.
//
// ```{try}
// - Plenty of signals: `--signals 4000`. Which remedies still help?
// - Few signals: `--signals 200`. Does the order of the remedies change?
// - Train for longer: `--epochs 200`. How do the gap without a remedy and its test error change?
// - A larger ensemble: `--members 15`. How do its gap and its test error change?
// ```
