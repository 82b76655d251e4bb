// # Learning rate and batch size: the error on new data
//
// ```{rows} fig-udl-8.1 claim-larger-lr-regularises claim-smaller-batch-regularises fig-udl-9.5 fig-udl-20.11
// ```
//
// [The last page](implicit.cpp) computed what the step length and the choice of a batch add to the loss, for two
// weights and three samples. If it matters for real networks, the {term}`learning rate` and the **batch size**, two
// numbers that you set for speed, change the error on *new* data. This page measures by how much, with a small network.
// Chance alone changes a single error by a percentage point or two, so every training is repeated ten times. The page
// ends with the usual explanation, **flat minima**.
//
// How much chance can you add to a signal before you can no longer name its class? Move the slider:
//
// ```{opening} fig-udl-8.1
// ```
//- includes, names, options
#include <recto/autograd/tape.hpp>
#include <recto/book/apart.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/signals.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::say;
using book::Measured, book::over_seeds, book::Study;
using data::Examples, figure::Figure, nn::Mlp;

const book::Option<int> here("here", 3, "cells of the study that are trained now",
                             {.quick = 1, .least = 1, .most = 3});
const book::Option<int> repeats("repeats", 5,
                                "draws of what is not in the study, but made now",
                                {.quick = 1, .least = 1, .most = 10});

const figure::Style
    thin = {.color = figure::grey, .dash = figure::solid, .width = 1, .points = false},
    thick = {.color = figure::red, .dash = figure::solid, .width = 2, .points = false};
//-

// ## Ten classes of signals
//
// A signal is forty numbers in a row and belongs to one of ten classes. Each class has a *template*, twelve points that we drew by
// hand. {cpp:func}`~recto::data::signals` makes a signal from its template: it stretches, moves, scales and tilts the template and
// adds noise. The idea is that of MNIST-1D {cite:p}`greydanus2024`; templates and numbers are our own. The training set has 4000
// signals, and 4000 others measure the error on new data. {numref}`fig-udl-8.1` turns on one kind of chance after the other. The random
// numbers stay the same, so you can follow each signal.
//- the signals, and how the figure is drawn
struct Signals {
    Examples train, test;
};
Signals signals_of(Generator& random) {
    Examples train = data::signals(4000, random), test = data::signals(4000, random);
    return {train, test};
}

const std::vector<data::SignalOptions> chances = {
    {.scale = 0, .shear = 0, .noise = 0, .shift = false},
    {.scale = 0, .shear = 0, .noise = 0},
    {.shear = 0, .noise = 0},
    {.noise = 0},
    {}};

void draw_signals() {
    Figure templates("fig-udl-8.1");
    templates
        .describe(
            "Ten classes in two rows: a template as a red line, and three signals made "
            "from it as thin lines. With the slider at 0 the signals are the template; "
            "then they are stretched and moved, scaled, tilted, and finally noisy, so "
            "that the template is hard to recognise.")
        .slider("chance", {0, 1, 2, 3, 4}, "kinds of chance", 4);
    const auto left = [](Index label) { return double(label % 5 * 50); };
    const auto down = [](Index label) { return double(label / 5 * 9); };
    for (std::size_t stage = 0; stage < chances.size(); ++stage) {
        Generator random(book::seed());
        const Examples made = data::signals(100, random, chances[stage]);
        const std::vector<Real> numbers = made.x.values();
        const std::vector<Index> labels = made.labels.values();
        std::array<int, 10> shown{};
        std::vector<double> x, y;
        for (std::size_t n = 0; n < labels.size(); ++n) {
            if (++shown[std::size_t(labels[n])] > 3) continue;
            for (std::size_t i = 0; i < 40; ++i) {
                x.push_back(left(labels[n]) + double(i));
                y.push_back(double(numbers[40 * n + i]) - down(labels[n]));
            }
            x.push_back(x.back());  // a gap
            y.push_back(std::nan(""));
        }
        templates.at(double(stage)).line("signals", x, y, thin);
    }
    std::vector<double> x, y;
    for (Index label = 0; label < data::signal_classes; ++label) {
        const data::SignalTemplate shape = data::signal_template(label);
        for (std::size_t i = 0; i < shape.size(); ++i) {
            x.push_back(left(label) + (12 + 35 * double(i) / 11) * 39 / 59);
            y.push_back(shape[i] - down(label));
        }
        x.push_back(x.back());
        y.push_back(std::nan(""));
    }
    templates.always().line("template", x, y, thick);
    templates.bare().xlim(-3, 243).ylim(-13, 4.5).height(240).save(
        "The templates of the ten classes, and three signals of each. Move the slider: "
        "0 is no chance, then come stretching and moving (1), height (2), a tilt (3) "
        "and noise (4). With noise the class is hard to see. After Figure 8.1 of "
        "{cite:t}`prince2023`.");
    book::shows("fig-udl-8.1/d", "fig-udl-8.1");
}
//-

// The network has two hidden layers of a hundred units. Training is plain: no momentum, no schedule, no weight decay, because each of
// them might regularise as well. The samples of a batch are drawn independently, and a "batch" of 4000 is the whole set.
//- the network, and a random batch
Mlp network(std::vector<Index> hidden, Generator& random) {
    hidden.insert(hidden.begin(), data::signal_length);
    hidden.push_back(data::signal_classes);
    return {hidden, relu, random, {.weights = nn::he_init}};
}

Examples batch_of(const Examples& set, Index size, Generator& random) {
    if (size >= set.size()) return set;
    std::vector<Index> which;
    for (Index i = 0; i < size; ++i)
        which.push_back(random.next_integer(0, set.size()));
    return data::select(set, which);
}
//-

void descend(const Mlp& model, const Examples& train, double rate, Index batch,
             Index steps, Generator& random) {
    optim::Sgd sgd(nn::parameters(model), {.lr = rate});
    for (Index step = 0; step < steps; ++step) {
        const Examples some = batch_of(train, batch, random);
        sgd.zero_grad();
        cross_entropy(model(some.x), some.labels).backward();
        sgd.step();
    }
}

// The result that counts is the share of signals in the wrong class. A linear classifier, trained in the same way, shows that the
// task needs hidden layers: it cannot know *where* in the forty numbers a shape begins.
//- the error, the loss, and the linear classifier
double error_of(const Mlp& model, const Examples& set) {
    const NoGrad only_looking;
    return nn::error_rate(model(set.x), set.labels);
}
double loss_of(const Mlp& model, const Examples& set) {
    const NoGrad only_looking;
    return double(cross_entropy(model(set.x), set.labels).item());
}

void hard_enough(const Signals& set, Generator& random) {
    const auto accuracy = [&](const std::vector<Index>& hidden, Generator& own) {
        const Mlp model = network(hidden, own);
        descend(model, set.train, 0.5, 100, 1200, own);
        return 1 - error_of(model, set.test);
    };
    std::vector<double> gains;
    for (int draw = 0; draw < 3; ++draw) {
        Generator own = random.split();
        const double linear = accuracy({}, own), deep = accuracy({100, 100}, own);
        say("accuracy on new signals: a linear classifier {:.3f}, two hidden layers "
            "{:.3f}",
            linear, deep);
        gains.push_back(deep - linear);
    }
    claim("fig-udl-8.1/c", "the gain in accuracy by two hidden layers",
          over_seeds(gains), ">=", 0.15);
}
//-

// The deep network is far better, and still wrong about half of the time. So there is room for small improvements.
//
// ## A fair comparison
//
// Compare a network that took long steps with one that took short steps. After the same *number* of steps the second has
// hardly left its start, so its error says nothing about the step length. Both should travel equally far. The distance
// is the number of steps times the rate, as time was on the last page, so it is the same for all with
//
// $$ T = \frac{1000}{\eta} . $$
//
// A rate of 0.2 gets 5000 steps, and a rate of 0.02 gets 50,000.
constexpr double distance = 1000;
Index steps_of(double rate) { return Index(std::lround(distance / rate)); }

// ```{erratum} The smaller the step, the more of them
// :source: caption of Figure 9.5 of {cite:t}`prince2023`, in {cite:t}`transformers-slides`
// :row: fig-udl-9.5
// :printed: \text{iterations} = 6000 \times \text{learning rate}
// :correct: \text{iterations} = 6000 \,/\, \text{learning rate}
//
// The caption's stated aim is an equal distance for all runs, but the printed rule gives the shortest steps the smallest
// number of steps. We divide, and take 1000 in place of 6000, for a sixth of the cost. The program below does both.
// ```
//- both rules, side by side
const std::vector<double> rates = {0.01, 0.02, 0.05, 0.1, 0.2},
                          batches = {50, 100, 200, 500, 4000};
constexpr double middle_rate = 0.1, middle_batch = 100, all_of_them = 4000,
                 longest = 0.5;  // of all rates, with all of them

void both_rules(const Signals& set) {
    const auto ratio = [](const std::vector<double>& far) {
        return std::ranges::max(far) / std::ranges::min(far);
    };
    std::vector<double> divided, printed;
    std::vector<std::vector<book::Cell>> rows;
    for (const double rate : rates) {
        const auto too_few = Index(std::lround(6000 * rate));
        Generator random(book::seed());
        const Mlp model = network({100, 100}, random);
        descend(model, set.train, rate, Index(middle_batch), too_few, random);
        divided.push_back(rate * double(steps_of(rate)));
        printed.push_back(rate * double(too_few));
        rows.push_back({rate, steps_of(rate), divided.back(), too_few, printed.back(),
                        error_of(model, set.train)});
    }
    book::table(
        "steps",
        "Steps and distance with 1000 divided by the rate, and with 6000 multiplied by "
        "it; and the training error after the second.",
        {"rate", "1000 / rate", "distance", "6000 × rate", "distance", "error"}, rows);
    claim("fig-udl-9.5/c",
          "divided: the longest distance as a multiple of the shortest", ratio(divided),
          "==", 1);
    claim("fig-udl-9.5/c", "multiplied: the same ratio", ratio(printed), ">", 100);
}
//-

// With the printed rule the network of the smallest rate takes 60 steps and has hardly learned anything.
//
// One more condition makes the comparison fair: every network must reach training error 0. Then none is better on new
// data because it has learned more of the training set. Above some rate gradient descent no longer settles, and neither
// does it with batches that are too small. A rate of 0.5 and batches of 20 are beyond the limit:
//- training beyond the limits
void limits() {
    std::vector<double> too_long, too_small;
    for (std::uint64_t draw = 1; draw <= std::uint64_t(repeats()); ++draw) {
        const auto remains = [&](double rate, Index batch) {
            Generator random(draw + 1000 * book::seed());
            const Signals set = signals_of(random);
            const Mlp model = network({100, 100}, random);
            descend(model, set.train, rate, batch, steps_of(rate), random);
            return error_of(model, set.train);
        };
        too_long.push_back(remains(0.5, 100));
        too_small.push_back(remains(middle_rate, 20));
    }
    claim("", "training error at rate 0.5", over_seeds(too_long), ">", 0);
    claim("", "training error with batches of 20", over_seeds(too_small), ">", 0);
}
//-

// So the rates of the study go up to 0.2, with batches of 100, and its batches down to 50, at rate 0.1. The whole set
// has no batch noise and still settles at a rate of 0.5.
//
// ## What we measure
//
// To know where each network has ended, we measure the two quantities that the last page names: the length of the
// gradient, and the deviation of batch gradients, their mean squared distance from the full gradient:
//- the gradient as one list, and its squared length
std::vector<double> gradient_of(const Mlp& model, const Examples& set) {
    const NamedTensors parameters = nn::parameters(model);
    for (const NamedTensor& p : parameters) p.tensor.zero_grad();
    cross_entropy(model(set.x), set.labels).backward();
    std::vector<double> all;
    for (const NamedTensor& p : parameters)
        for (const Real g : p.tensor.grad().values()) all.push_back(double(g));
    return all;
}
double squared_length(const std::vector<double>& g) {
    double sum = 0;
    for (const double one : g) sum += one * one;
    return sum;
}
//-
double deviation(const Mlp& model, const Examples& set, Index size, Index count,
                 Generator& random) {
    const std::vector<double> whole = gradient_of(model, set);
    double sum = 0;
    for (Index i = 0; i < count; ++i) {
        std::vector<double> g = gradient_of(model, batch_of(set, size, random));
        for (std::size_t k = 0; k < g.size(); ++k) g[k] -= whole[k];
        sum += squared_length(g);
    }
    return sum / double(count);
}
constexpr Index tens = 10;

// The third quantity is the shape of the loss around the solution: go in a random direction and record the loss.
// *Filter normalisation* {cite:p}`li2018` scales the direction, unit by unit, to the length of that unit's weights. A
// distance of 0.2 then moves the weights of every unit by a fifth of their length; biases stay.
//- the places, and a random direction
const std::vector<double> places = {-0.5, -0.4, -0.3, -0.2, -0.1, 0,
                                    0.1,  0.2,  0.3,  0.4,  0.5};
std::vector<double> slice_of(const Mlp& model, const Examples& set, Generator& random) {
    const NoGrad only_looking;
    constexpr int directions = 16;
    std::vector<double> losses(places.size());
    for (int i = 0; i < directions; ++i) {
        Mlp moved = model;
        std::vector<Tensor> along;
        for (const nn::Linear& layer : model.layers) {
            const Tensor d = random.normal(layer.weight.shape());
            along.push_back(d * sqrt(sum(square(layer.weight), {1}, Keep::yes) /
                                     sum(square(d), {1}, Keep::yes)));
        }
        //-
        for (std::size_t k = 0; k < places.size(); ++k) {
            for (std::size_t l = 0; l < along.size(); ++l)
                moved.layers[l].weight = model.layers[l].weight + along[l] * places[k];
            losses[k] += loss_of(moved, set) / directions;
        }
        //- the mean
    }
    return losses;
}
//-

// One *cell* of our study has a rate, a batch size and a draw. A draw has its own signals and first weights, the same in
// all cells, so we can compare within a draw:
Study::Row train(const Study::Row& setting) {
    const double rate = setting[0];
    const auto batch = Index(setting[1]);
    Generator random(std::uint64_t(setting[2]) + 1000 * book::seed());
    const Signals set = signals_of(random);
    const Mlp model = network({100, 100}, random);
    descend(model, set.train, rate, batch, steps_of(rate), random);
    Study::Row found = {error_of(model, set.train), error_of(model, set.test),
                        std::sqrt(squared_length(gradient_of(model, set.train))),
                        std::sqrt(deviation(model, set.train, tens, 200, random))};
    for (const double loss : slice_of(model, set.train, random)) found.push_back(loss);
    return found;
}

// The study has ten settings with ten draws each. It was run once and kept, as on [an earlier page](depth.cpp).
//- the cells and columns of the study, and how it is read
constexpr int draws = 10;
std::vector<Study::Row> cells() {
    std::vector<std::array<double, 2>> settings = {{middle_rate, all_of_them},
                                                   {longest, all_of_them}};
    for (const double rate : rates) settings.push_back({rate, middle_batch});
    for (const double batch : batches)
        if (batch != middle_batch && batch != all_of_them)
            settings.push_back({middle_rate, batch});
    std::vector<Study::Row> all;
    for (const auto& [rate, batch] : settings)
        for (double draw = 1; draw <= draws; ++draw) all.push_back({rate, batch, draw});
    return all;
}
std::vector<std::string> results() {
    std::vector<std::string> names = {"training error", "test error", "gradient",
                                      "deviation in tens"};
    for (const double place : places) names.push_back(fmt::format("loss at {}", place));
    return names;
}
std::vector<double> tolerances() {
    std::vector<double> all(results().size(), 0.15);
    all[1] = 0.013;
    return all;
}
const Study study({"step_and_batch",
                   {"rate", "batch", "draw"},
                   results(),
                   {"claim-larger-lr-regularises/a", "claim-larger-lr-regularises/b",
                    "claim-smaller-batch-regularises/a", "fig-udl-9.5/a",
                    "fig-udl-9.5/b", "fig-udl-20.11/a"},
                   0,
                   tolerances()},
                  cells(), train);

// A few functions read the study and compare settings draw by draw:
/// The ten draws of a setting: what `number` makes of each.
template <class Number>
std::vector<double> of_draws(double rate, double batch, const Number& number) {
    std::vector<double> found;
    for (const Study::Row& row : study.frozen().rows)
        if (row[0] == rate && row[1] == batch) found.push_back(double(number(row)));
    return found;
}
double test_error(const Study::Row& row) { return 100 * row[4]; }
std::vector<double> errors_by_rate(double rate) {
    return of_draws(rate, middle_batch, test_error);
}
std::vector<double> errors_by_batch(double batch) {
    return of_draws(middle_rate, batch, test_error);
}
double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / double(values.size());
}
/// The mean of the differences, draw by draw, and their range.
Measured mean_gap(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> gap;
    for (std::size_t i = 0; i < a.size(); ++i) gap.push_back(a[i] - b[i]);
    return {mean_of(gap), std::ranges::min(gap), std::ranges::max(gap),
            int(gap.size())};
}
/// The ratios, draw by draw: their median and their range.
Measured ratio(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> found;
    for (std::size_t i = 0; i < a.size(); ++i) found.push_back(a[i] / b[i]);
    return over_seeds(found);
}
//-

// ## Which network makes fewer errors?
//
// Place your bet before you look at {numref}`fig-udl-9.5`:
//- the largest rate and a tenth of it
void guess() {
    const double largest = rates.back(), tenth = largest / 10;
    const Measured by_rate = mean_gap(errors_by_rate(largest), errors_by_rate(tenth));
    //-
    ask("Two networks have training error 0 and covered the same distance. One took "
        "5000 long steps, the other 50,000 short ones. Which makes fewer errors on new "
        "signals?",
        {{"The one with the short steps: it follows the gradient more exactly.",
          by_rate.value > 1,
          "It does follow the gradient more exactly. But that is the gradient of the "
          "training loss."},
         {"Neither: both have training error 0 at the same distance.",
          std::abs(by_rate.value) < 1,
          "Many different weights classify all 4000 signals correctly, and the step "
          "length influences which of them is found."},
         {"The one with the long steps.", by_rate.value < -1,
          "Long steps lead to other minima than short ones, and these have fewer "
          "errors on new signals."}});
}

//- how the figure is drawn
void with_bars(Figure& figure, const std::string& label, figure::Color color,
               const std::vector<double>& x,
               const std::vector<std::vector<double>>& errors) {
    std::vector<double> middle;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double mean = mean_of(errors[i]), n = double(errors[i].size());
        double squares = 0;
        for (const double e : errors[i]) squares += (e - mean) * (e - mean);
        const double error = std::sqrt(squares / (n * (n - 1)));
        middle.push_back(mean);
        figure.line(
            "", {x[i], x[i]}, {mean - error, mean + error},
            {.color = color, .dash = figure::solid, .width = 1, .points = false});
    }
    figure.line(label, x, middle, {.color = color});
}
void draw_race() {
    std::vector<std::vector<double>> left, right;
    for (const double rate : rates) left.push_back(errors_by_rate(rate));
    for (const double batch : batches) right.push_back(errors_by_batch(batch));
    Figure race("fig-udl-9.5");
    race.describe(
            "Two panels with dots and error bars. First panel: test error against the "
            "learning rate, 49.0 to 49.3 % for small rates, then it falls to "
            "47.8. Two dots for the whole set at every step lie higher. Second panel: "
            "test error against the batch size, 48.2 % for 50 and for 100, then "
            "it rises to 49.4.")
        .panel("rate");
    with_bars(race, "batches of 100", figure::blue, rates, left);
    with_bars(race, "the whole set", figure::ochre, {middle_rate, longest},
              {right.back(), of_draws(longest, all_of_them, test_error)});
    race.log_x().x("rate").y("test error in percent").ylim(47, 50).panel("batch");
    with_bars(race, "rate 0.1", figure::red, batches, right);
    race.log_x()
        .x("samples in a batch")
        .ylim(47, 50)
        .save(
            "The error on new signals, mean of ten draws with its standard error. All "
            "networks have training error 0 and covered the same distance. First "
            "panel: larger rates end with fewer errors. Second panel: so do smaller "
            "batches; the last one is the whole set. After Figure 9.5 of "
            "{cite:t}`prince2023`.");
    book::shows("fig-udl-9.5/d", "fig-udl-9.5");
}
//-

//- what is checked
void who_wins() {
    const double largest = rates.back(), tenth = largest / 10;
    const Measured by_rate = mean_gap(errors_by_rate(largest), errors_by_rate(tenth)),
                   by_batch = mean_gap(errors_by_batch(batches.front()),
                                       errors_by_batch(all_of_them));
    double left_over = 0;
    for (const double one : study.frozen().column("training error"))
        left_over = std::max(left_over, one);
    claim("claim-larger-lr-regularises/b", "the largest training error of all networks",
          Measured(left_over, 0.0, left_over, draws), "==", 0);
    for (const char* part : {"claim-larger-lr-regularises/a", "fig-udl-9.5/a"})
        claim(part,
              "mean test error at rate 0.2 minus that at a tenth of it, draw by draw, "
              "in percent",
              by_rate, "<", 0);
    for (const char* part : {"claim-smaller-batch-regularises/a", "fig-udl-9.5/b"})
        claim(part,
              "mean test error with batches of 50 minus that with the whole set, draw "
              "by draw, in percent",
              by_batch, "<", 0);

    //-

    // Large rates and small batches win, each by 1.2 percentage points, and in all ten draws.
    //
    // Does this come from the batch noise alone? The two settings with the whole set have no noise. There the larger
    // rate is better as well, by 1.1 percentage points:
    claim("", "the same without batches: rate 0.5 minus rate 0.1",
          mean_gap(of_draws(longest, all_of_them, test_error),
                   errors_by_batch(all_of_them)),
          "<", 0);

    // Has the network with the long steps merely learned *less*? Its training *loss* is 13 % higher. So we train it
    // twice as far and compare it with the short-step networks of the same draws:
    //- training on
    std::vector<double> loss, careful_loss, error, careful_error;
    for (const Study::Row& row : study.frozen().rows) {
        if (row[0] != tenth || row[1] != middle_batch || row[2] > repeats()) continue;
        Generator random(std::uint64_t(row[2]) + 1000 * book::seed());
        const Signals set = signals_of(random);
        const Mlp model = network({100, 100}, random);
        descend(model, set.train, largest, Index(middle_batch), 2 * steps_of(largest),
                random);
        loss.push_back(loss_of(model, set.train));
        error.push_back(100 * error_of(model, set.test));
        careful_loss.push_back(row[12]);
        careful_error.push_back(test_error(row));
    }
    claim("", "its training loss, as a share of theirs", ratio(loss, careful_loss), "<",
          1);
    claim("", "its test error minus theirs, in percent", mean_gap(error, careful_error),
          "<", 0);
}
//-

// Even with the lower training loss it makes fewer errors.
//
// ## Is the implicit penalty the cause?
//
// The last page gave a reason, which can be tested. We begin with the batch size. The loss that stochastic gradient
// descent follows contains the deviation of the batch gradients. For independent samples it is the deviation of single
// samples divided by the batch size $B$. We compare the two for a fresh network:
//- deviations for five batch sizes
void of_batches(const Signals& set, Generator& random) {
    const Mlp fresh = network({100, 100}, random);
    double single = -squared_length(gradient_of(fresh, set.train));
    for (Index n = 0; n < set.train.size(); ++n)
        single += squared_length(gradient_of(fresh, data::slice(set.train, n, n + 1))) /
                  double(set.train.size());
    double farthest = 1;
    for (const Index size : {5, 20, 50, 100, 200}) {
        const double share =
            double(size) * deviation(fresh, set.train, size, 300, random) / single;
        say("batches of {}: size times deviation, over that of single samples: {:.3f}",
            size, share);
        if (std::abs(share - 1) > std::abs(farthest - 1)) farthest = share;
    }
    claim_in("claim-smaller-batch-regularises/b", "the one that is farthest from 1",
             farthest, 0.9, 1.1);
}
//-

// The rule holds, so a batch of 50 puts twice the penalty on disagreement that a batch of 100 does. Now the rate. If a large
// rate is a penalty on the gradient, the gradient should be shorter. We look at the end of training first:
//- gradients at the end
double squared_gradient(const Study::Row& row) { return row[5] * row[5]; }
double batch_gradient(const Study::Row& row) {
    return row[5] * row[5] + row[6] * row[6] * double(tens) / middle_batch;
}
double end_loss(const Study::Row& row) { return row[12]; }
Measured long_over_short(double (*number)(const Study::Row&)) {
    return ratio(of_draws(rates.back(), middle_batch, number),
                 of_draws(rates.back() / 10, middle_batch, number));
}
void of_the_ends() {
    claim("", "training loss at the end, rate 0.2 as a multiple of rate 0.02",
          long_over_short(end_loss), ">", 1);
    book::not_reproduced(
        "claim-larger-lr-regularises/c",
        "squared gradient of the loss at the end, in the same way",
        long_over_short(squared_gradient), "<", 1,
        "the same comparison at equal losses of 0.1, 0.05 and 0.02 on the way, where "
        "the multiple comes down to about 1; the squared gradient of batches, which is "
        "below 1");
}
//-

// With long steps the squared gradient is *larger* in six draws of ten. But the loss is higher too, and a gradient
// vanishes with its loss. A fair comparison needs **equal losses**. A second study looks at both trainings whenever they
// have covered another distance of 2, and averages the logarithm of the squared gradient over those looks at which the
// training loss is within ten percent of a level.
//- the second study
const std::vector<double> levels = {0.1, 0.05, 0.02};
Study::Row gradients_at_levels(const Study::Row& setting) {
    constexpr double apart = 2;
    const double rate = setting[0];
    Generator random(std::uint64_t(setting[1]) + 1000 * book::seed());
    const Signals set = signals_of(random);
    const Mlp model = network({100, 100}, random);
    std::vector<double> sum(levels.size()), looks(levels.size());
    for (double gone = 0; gone < distance; gone += apart) {
        descend(model, set.train, rate, Index(middle_batch),
                Index(std::lround(apart / rate)), random);
        const double loss = loss_of(model, set.train),
                     squared = squared_length(gradient_of(model, set.train));
        for (std::size_t k = 0; k < levels.size(); ++k)
            if (std::abs(loss / levels[k] - 1) <= 0.1)
                sum[k] += std::log(squared), ++looks[k];
    }
    for (std::size_t k = 0; k < levels.size(); ++k)
        sum[k] = std::exp(sum[k] / looks[k]);
    return sum;
}
std::vector<std::string> level_names() {
    std::vector<std::string> names;
    for (const double level : levels)
        names.push_back(fmt::format("squared gradient at loss {}", level));
    return names;
}
std::vector<Study::Row> level_cells() {
    std::vector<Study::Row> all;
    for (const double rate : {0.02, 0.2})
        for (double draw = 1; draw <= draws; ++draw) all.push_back({rate, draw});
    return all;
}
const Study matched({"matched_gradient",
                     {"rate", "draw"},
                     level_names(),
                     {"claim-larger-lr-regularises/c"},
                     0,
                     {0.5, 0.5, 0.13}},
                    level_cells(), gradients_at_levels);

std::vector<double> at_level(double rate, double level) {
    const auto k = std::size_t(std::ranges::find(levels, level) - levels.begin());
    std::vector<double> found;
    for (const Study::Row& row : matched.frozen().rows)
        if (row[0] == rate) found.push_back(row[2 + k]);
    return found;
}
void of_rates() {
    const auto shorter = [](double level) {
        return ratio(at_level(0.2, level), at_level(0.02, level));
    };
    for (const double level : levels)
        say("squared gradient at training loss {}, rate 0.2 as a multiple of rate "
            "0.02: {}",
            level, book::brief(shorter(level)));
    //-

    // At a loss of 0.1 the squared gradient of the long steps is twice that of the short ones, and at 0.02 they are
    // about equal. A penalty on the full gradient would have made it shorter. With batches the theory puts the penalty
    // on the mean squared gradient of a *batch*. This one is smaller, even at the unequal ends of training:
    claim("",
          "the mean squared gradient of batches of 100 at the end, rate 0.2 as a "
          "multiple of rate 0.02",
          long_over_short(batch_gradient), "<", 1);
}

// So the gradient of batches agrees with the theory, and the full gradient does not. Whether the smaller batch gradient
// is the *reason* for the fewer errors remains open: both may follow from the long steps.

// ## Flat minima
//
// There is an older explanation {cite:p}`hochreiter1997flat`. The loss on new data is like the loss on the training
// data, moved a little to the side. In a **wide minimum**, also called a **flat minimum**, the move costs little. In a
// narrow minimum the same weights now stand halfway up the wall. This curve has one of each:
double two_valleys(double w) {
    const double wide = 0.3 * (w + 1) * (w + 1), narrow = 8 * (w - 1) * (w - 1);
    return -0.1 * std::log(std::exp(-wide / 0.1) + std::exp(-narrow / 0.1));
}

// The first panel of {numref}`fig-udl-20.11` shows this sketch. The second panel shows measurements: the slices through the solutions of our
// study, for the smallest batch and for the whole set.
//- how the figure is drawn
void draw_valleys() {
    Figure valleys("fig-udl-20.11");
    valleys
        .describe(
            "First panel: a curve with a wide and a narrow valley, and the same curve "
            "moved to the side by what the slider says; two dots stay at the minima of "
            "the first. On the moved curve the dot of the narrow valley is high up, "
            "that of the wide one hardly higher. Second panel: training loss along "
            "random directions away from solutions. The curve for the whole set rises "
            "more steeply than that for batches of 50.")
        .slider("moved", {0, 5, 10, 15, 20, 25}, "moved by, in hundredths", 20)
        .panel("a sketch");
    std::vector<double> w, loss;
    for (int i = 0; i <= 160; ++i) {
        w.push_back(-2.4 + 0.025 * i);
        loss.push_back(two_valleys(w.back()));
    }
    valleys.line("training data", w, loss,
                 {.color = figure::ink, .dash = figure::solid, .points = false});
    for (const double moved : {0, 5, 10, 15, 20, 25}) {
        const auto after = [&](double at) { return two_valleys(at - moved / 100); };
        for (std::size_t i = 0; i < w.size(); ++i) loss[i] = after(w[i]);
        valleys.at(moved)
            .line("new data", w, loss, {.color = figure::red, .points = false})
            .dots("", {-1, 1}, {after(-1), after(1)},
                  {.color = figure::red, .shape = figure::Shape::circle, .width = 4});
    }
    valleys.always().x("a weight").y("loss").ylim(-0.1, 1.2).panel("solutions");
    for (const auto& [batch, color, label] :
         {std::tuple{batches.front(), figure::blue, "batches of 50"},
          std::tuple{all_of_them, figure::ochre, "the whole set"}}) {
        std::vector<double> mean(places.size());
        std::vector<std::vector<double>> every;
        for (const Study::Row& row : study.frozen().rows) {
            if (row[0] != middle_rate || row[1] != batch) continue;
            every.emplace_back(row.begin() + 7, row.begin() + 18);
            for (std::size_t k = 0; k < mean.size(); ++k)
                mean[k] += every.back()[k] / draws;
        }
        valleys
            .lines("", places, every,
                   {.color = color,
                    .dash = figure::solid,
                    .width = 1,
                    .opacity = 0.35,
                    .points = false})
            .line(label, places, mean, {.color = color});
    }
    valleys.x("distance, as a share of the weights")
        .y("training loss")
        .save(
            "First panel, a sketch: move the loss of the new data. The dot in the "
            "narrow minimum rises quickly, the dot in the wide one hardly. Second "
            "panel: the training loss along random directions away from the solutions, "
            "as a mean (thick) and in each of ten draws (thin). Small batches end in "
            "wider minima. Slices after {cite:t}`li2018`, sketch after Figure 20.11 of "
            "{cite:t}`prince2023`.");
    book::shows("fig-udl-20.11/b", "fig-udl-20.11");
}
//-

// How much does the loss rise at a distance of 0.2 from the solution?
//- the rise, and what is checked
double rise(const Study::Row& row) { return (row[10] + row[14]) / 2 - row[12]; }

void wide_and_narrow() {
    claim("fig-udl-20.11/a",
          "rise of the loss: the whole set as a multiple of batches of 50",
          ratio(of_draws(middle_rate, all_of_them, rise),
                of_draws(middle_rate, batches.front(), rise)),
          ">", 1);
    claim("", "rise of the loss: rate 0.02 as a multiple of rate 0.2",
          ratio(of_draws(0.02, middle_batch, rise), of_draws(0.2, middle_batch, rise)),
          ">", 1);
    //-

    // {cite:t}`keskar2017` found in much larger networks that large batches end in narrow minima. Do flat minima go with few errors in
    // general? For each of the ten settings we take the mean rise and the mean test error ({numref}`fig-rise-error`):
    //- the settings, and how the figure is drawn
    std::vector<double> rises, errors;
    Figure figure("fig-rise-error");
    const auto add = [&](const char* label, figure::Color color, double rate,
                         double batch, const std::string& words, double up) {
        const double x = mean_of(of_draws(rate, batch, rise)),
                     y = mean_of(of_draws(rate, batch, test_error));
        rises.push_back(x), errors.push_back(y);
        figure
            .dots(label, {x}, {y},
                  {.color = color, .shape = figure::Shape::circle, .width = 4})
            .words("", {x}, {y + up}, {words}, {.color = color});
    };
    for (const double rate : rates)  // the word of the first would hide the next dot
        add("rates, batches of 100", figure::blue, rate, middle_batch,
            fmt::format("{}", rate), rate == rates.front() ? 0.17 : -0.17);
    for (const double batch : batches)
        if (batch != middle_batch)
            add("batch sizes, rate 0.1", figure::red, middle_rate, batch,
                fmt::format("{}", batch), 0.17);
    add("rate 0.5, batches of 4000", figure::green, longest, all_of_them, "4000", 0.17);
    figure
        .describe(
            "Ten dots, test error against the rise of the loss, with the learning rate "
            "or the batch size beside each. They lie along a rising line: high rates "
            "and small batches at its lower end, low rates and large batches at its "
            "upper end.")
        .x("rise of the loss at distance 0.2")
        .y("test error in percent")
        .xlim(0.8, 3)
        .ylim(47, 50)
        .height(300)
        .save(
            "The ten settings of the study, each a mean of ten draws: wider minima go "
            "with fewer errors on new signals.");
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < rises.size(); ++i) {
        const double x = rises[i] - mean_of(rises), y = errors[i] - mean_of(errors);
        xy += x * y, xx += x * x, yy += y * y;
    }
    claim("", "correlation of rise and error over the settings",
          xy / std::sqrt(xx * yy), ">", 0.8);
}
//-

// They do, whether the rate or the batch size made the minimum wide. Two cautions. A correlation over ten settings
// shows no cause. And width depends on how you measure it: multiply the weights into a rectified unit by ten and divide
// those out of it by ten, and the function is the same, but some minima look narrower {cite:p}`dinh2017`. That is why
// the slices measure distance relative to the size of the weights.

// ## Three cells, trained now
//
// This page trains three cells of the study whenever it runs, and again the larger rate makes fewer errors.
//- three cells
void here_and_now() {
    const std::vector<Study::Row> some = {{0.2, 100, 1}, {0.1, 50, 1}, {0.05, 100, 1}};
    std::vector<double> trained(some.size(), std::nan("")), tested = trained;
    book::each_apart(
        here(), 2, [&](Index i) { return study.measure(some[std::size_t(i)]); },
        [&](Index i, const Study::Row& found) {
            trained[std::size_t(i)] = found[0];
            tested[std::size_t(i)] = 100 * found[1];
        });
    for (std::size_t i = 0; i < std::size_t(here()); ++i)
        say("rate {}, batches of {}: test error in percent {:.2f}", some[i][0],
            some[i][1], tested[i]);
    claim("", "the largest training error of the three", std::ranges::max(trained),
          "==", 0);
    claim_true("", "the longer steps lead to fewer errors than the shorter",
               tested[0] < tested[2]);
}
//-

void page() {
    study.frozen();
    matched.frozen();
    Generator random(1 + 1000 * book::seed());
    const Signals set = signals_of(random);
    draw_signals();
    hard_enough(set, random);
    both_rules(set);
    limits();
    guess();
    draw_race();
    who_wins();
    of_batches(set, random);
    of_the_ends();
    of_rates();
    draw_valleys();
    wide_and_narrow();
    here_and_now();
}

// ## Summary
//
// At equal distance and training error 0, a ten times larger rate lowers the error by 1.2 percentage points, and so do
// batches of 50 in place of the whole set. The batch gradient shrinks as the theory of the last page predicts, while
// the full gradient does not. Over the ten settings wider minima go with fewer errors, which is a correlation and not
// yet a cause.
//
// ## What is missing
//
// With a penalty, more data or early stopping, little of this effect may be left. A small batch also [uses a machine
// badly](../foundations/hardware.cpp).
//
// The next two pages measure what other advice on training is worth, [the plainest](augmentation.cpp) first.
//
// ```{try}
// - In `limits`, try batches of 20 at rate 0.05 instead of 0.1. Is there a rule for which pairs of rate and batch size fail to settle?
// - Train the three cells with another seed: `--seed 2`. Does the longer step win again? In which share of ten seeds?
// - Give `descend` a momentum of 0.9, and a tenth of the rate. Does the rate count, or the rate divided by one minus the
//   momentum?
// ```
