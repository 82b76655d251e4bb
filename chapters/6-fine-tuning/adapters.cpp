// # Adapters: small layers inside a frozen network
//
// ```{rows} sys-adapters
// ```
//
// A frozen network computes features that were made for another task. A **linear probe** trains only a new readout on
// them, and can use only what the features contain. [LoRA](low_rank.cpp) changes the weights that make the features. An
// **adapter** is the older idea: a small layer is inserted between two frozen ones and changes the features themselves on
// their way. {numref}`fig-adapters` compares the three ways to use a network of upright clothes for images that are turned
// by 90°. Move the slider: how small can the inserted layers be?
//
// ```{opening} fig-adapters
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/data/turned.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/adapter.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::not_reproduced, book::over_seeds,
    book::say;
using book::Study;
using data::Examples, data::Part, data::turned;
using figure::Figure;

const book::Option<Index> bottleneck("bottleneck", 10,
                                     "units of the adapters that this page trains",
                                     {.quick = 2, .least = 1, .most = 256});
const book::Option<Index> tuning_steps("tuning", 100,
                                       "steps of their training for turned images",
                                       {.quick = 10, .least = 1, .most = 100'000});
const book::Option<Index> base_steps("steps", 300,
                                     "steps of the training of the base on this page",
                                     {.quick = 20, .least = 1, .most = 100'000});
const book::Option<Index> pictures("pictures", 20'000, "training images on this page",
                                   {.quick = 1000, .least = 100, .most = 50'000});
//-

// ## Down, up, and around
//
// Suppose that a frozen layer returns the two features 3 and 1. An adapter first takes them down to a single number, with
// the weights 1 and $-1$: $3 - 1 = 2$. The ReLU leaves 2 as it is. Then the adapter goes up again to two numbers, with
// the weights 0.5 and 0, which gives 1 and 0. This is added to the features, and the next frozen layer reads 4 and 1. In
// general {cite:p}`houlsby2019`
//
// ```{equation} eq-adapter
// :function: recto::nn::Adapter
// :test: Adapter: the formula, number by number
// y = x + W_2\, f(W_1 x + b_1) + b_2
// ```
//
// with an activation function $f$ and a **bottleneck** of $k$ units between $W_1$ and $W_2$. The sum with $x$ is a [skip
// connection](../components/skip_connections.cpp) around the adapter. It matters at the start: $W_2$ and $b_2$ begin at
// zero, so that the adapter returns its input, and the network with adapters is the network without them. For a layer of
// $m$ units an adapter has $2mk + k + m$ numbers.
//
// A perceptron with an adapter behind each hidden layer, and its readout:
const Index units = 256;  // of each hidden layer
struct WithAdapters {
    nn::Mlp base;                       // frozen but for the readout
    std::vector<nn::Adapter> adapters;  // one behind each hidden layer, or none

    Tensor after_first(Tensor x) const {  // x: what the first layer has computed
        for (std::size_t d = 0; d + 1 < base.layers.size(); ++d) {
            if (d > 0) x = base.layers[d](x, relu);
            if (!adapters.empty()) x = adapters[d](x);
        }
        return base.layers.back()(x);
    }
    Tensor operator()(const Tensor& x) const {
        return after_first(base.layers[0](x, relu));
    }
    //- names
    void visit(auto&& part) { part("base", base), part("adapters", adapters); }
    //-
};

// Freezing takes the tensors off the tape. Their numbers are those of the base, which is not copied:
WithAdapters adapted(const nn::Mlp& base, Index k, Generator& random) {
    WithAdapters net{base, {}};
    nn::freeze(net.base);
    net.base.layers.back() = nn::clone(base.layers.back());  // a readout of its own
    for (std::size_t d = 0; k > 0 && d + 1 < base.layers.size(); ++d)
        net.adapters.emplace_back(units, k, random);
    return net;
}
// With a bottleneck of 0 there are no adapters, only the readout is trained, and this is the linear probe.
//- images, and a training whose rate falls to zero
Tensor inputs(const Tensor& images) { return (flatten(images) - 0.286) / 0.353; }

Examples some_of(Part part, Index begin, Index count, bool on_their_side) {
    const Examples some = data::slice(data::fashion_mnist(part), begin, begin + count);
    return {inputs(on_their_side ? turned(some.x) : some.x), some.labels, {}, {}};
}

// `net` is any function of a batch; `adam` holds what is trained.
template <class Net>
void train(const Net& net, optim::Adam& adam, const Examples& set, Index steps,
           Generator& random) {
    const double rate = adam.options.lr;
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr = rate * (1 - double(step) / double(steps));
        const Integers which = random.integers({128}, 0, set.size());
        const Examples batch = data::select(set, {which.data(), 128});
        adam.zero_grad();
        cross_entropy(net(batch.x), batch.labels).backward();
        adam.step();
    }
}
template <class Net>
double accuracy_of(const Net& net, const Examples& set) {
    const NoGrad only_asking;
    return nn::accuracy(net(set.x), set.labels);
}

nn::Mlp trained_base(const Examples& upright, Index steps, Generator& random) {
    const nn::Mlp net({784, units, units, 10}, relu, random, {.weights = nn::he_init});
    optim::Adam adam(nn::parameters(net), {.lr = 1e-3});
    train(net, adam, upright, steps, random);
    return net;
}
//-

//- the study: every way of training, at four rates, from five bases
const std::vector<Index> bottlenecks = {1, 2, 5, 10};
const std::vector<double> rates = {1e-3, 3e-3, 1e-2, 3e-2};

// What the first frozen layer gives is the same in every step, and is computed once.
Examples after_first_layer(const nn::Mlp& base, const Examples& set) {
    const NoGrad only_asking;
    return {base.layers[0](set.x, relu), set.labels, {}, {}};
}

// A base, and what its first layer gives for turned images.
struct Frozen {
    nn::Mlp base;
    Examples features, validation, test;
};
Frozen frozen_base(double draw, Generator& random, Index lessons = 20'000) {
    random = Generator(100 * std::uint64_t(draw) + book::seed());
    const nn::Mlp base =
        trained_base(some_of(Part::train, 0, 20'000, false), 1500, random);
    const auto first = [&](Part part, Index begin, Index count) {
        return after_first_layer(base, some_of(part, begin, count, true));
    };
    return {base, first(Part::train, 0, lessons), first(Part::train, 50'000, 4000),
            first(Part::test, 0, 10'000)};
}
// Trains, and appends the accuracies on validation and on test images.
void judge(const WithAdapters& net, const Frozen& of, double rate, Index steps,
           Generator& random, Study::Row& row) {
    const auto rest = [&](const Tensor& x) { return net.after_first(x); };
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    train(rest, adam, of.features, steps, random);
    row.push_back(accuracy_of(rest, of.validation));
    row.push_back(accuracy_of(rest, of.test));
}

Study::Row tune(const Study::Row& cell) {
    Generator random(0);
    const double rate = cell[1];
    const Frozen of = frozen_base(cell[0], random);
    const Examples set = some_of(Part::train, 0, 20'000, true),
                   validation = some_of(Part::train, 50'000, 4000, true),
                   test = some_of(Part::test, 0, 10'000, true);
    const nn::Mlp& base = of.base;
    Study::Row row = {accuracy_of(base, test)};
    judge(adapted(base, 0, random), of, rate, 2500, random, row);
    for (const Index k : bottlenecks)
        judge(adapted(base, k, random), of, rate, 2500, random, row);
    for (const std::size_t other : {1, 0}) {
        WithAdapters net = adapted(base, bottlenecks.back(), random);
        nn::freeze(net.adapters[other]);  // it stays the identity
        judge(net, of, rate, 2500, random, row);
    }
    const nn::Mlp full = nn::clone(base);
    optim::Adam adam(nn::parameters(full), {.lr = rate / 10});
    train(full, adam, set, 2500, random);
    row.push_back(accuracy_of(full, validation));
    row.push_back(accuracy_of(full, test));
    return row;
}

const std::vector<std::string> ways = {"probe", "1",     "2",      "5",
                                       "10",    "first", "second", "full"};
std::vector<std::string> result_names() {
    std::vector<std::string> names = {"base"};
    for (const std::string& way : ways) {
        names.push_back(way + " validation");
        names.push_back(way + " test");
    }
    return names;
}
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    for (const double draw : {1., 2., 3., 4., 5.})
        for (const double rate : rates) cells.push_back({draw, rate});
    return cells;
}
const Study study({"adapters",
                   {"draw", "rate"},
                   result_names(),
                   {"sys-adapters/d"},
                   0.02,
                   [] {
                       std::vector<double> within(2 * ways.size() + 1, 0.01);
                       within[0] = 0.3;  // a base has never seen a turned image
                       return within;
                   }()},
                  all_cells(), tune);

// A wider bottleneck, three times the steps, and all images, at the rates that most bases
// chose.
Study::Row tune_more(const Study::Row& cell) {
    Generator random(0);
    const Frozen of = frozen_base(cell[0], random);
    Study::Row row;
    judge(adapted(of.base, 40, random), of, 3e-3, 2500, random, row);
    judge(adapted(of.base, 10, random), of, 3e-3, 7500, random, row);
    judge(adapted(of.base, 0, random), of, 1e-2, 7500, random, row);
    const Frozen all = frozen_base(cell[0], random, 50'000);
    judge(adapted(all.base, 10, random), all, 3e-3, 5000, random, row);
    judge(adapted(all.base, 0, random), all, 1e-2, 5000, random, row);
    return row;
}
const Study more({"adapters_more",
                  {"draw"},
                  {"40 validation", "40 test", "long validation", "long test",
                   "long probe validation", "long probe test", "images validation",
                   "images test", "images probe validation", "images probe test"},
                  {"sys-adapters/d"},
                  0.01},
                 {{1}, {2}, {3}, {4}, {5}}, tune_more);

// The test accuracies of five bases, each at the rate that its validation images chose.
struct Chosen {
    std::vector<double> test, rate;
};
Chosen chosen(const std::string& way) {
    const io::Csv& all = study.frozen();
    const std::vector<double> draw = all.column("draw"), rate = all.column("rate"),
                              validation = all.column(way + " validation"),
                              test = all.column(way + " test");
    Chosen found{std::vector<double>(5), std::vector<double>(5)};
    std::vector<double> best(5, -1);
    for (std::size_t i = 0; i < draw.size(); ++i) {
        const std::size_t d = std::size_t(draw[i]) - 1;
        if (validation[i] > best[d])
            best[d] = validation[i], found.test[d] = test[i], found.rate[d] = rate[i];
    }
    return found;
}
std::vector<double> less(std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}
//-

//- how the first figure is drawn
void draw_comparison() {
    const std::vector<double> stops(bottlenecks.begin(), bottlenecks.end());
    const auto middle = [](const std::string& way) {
        return 100 * book::median(chosen(way).test);
    };
    Figure figure("fig-adapters");
    figure
        .describe(
            "Bars for the accuracy on turned test images: the base, a linear probe, "
            "adapters, and full fine-tuning. The slider sets the bottleneck of the "
            "adapters, from 1 to 10 units. A second panel has the gain of the "
            "adapters over the probe, rising lines for five bases.")
        .slider("bottleneck", stops, "units of each bottleneck", 10)
        .columns(2)
        .panel("accuracy");
    for (std::size_t k = 0; k < stops.size(); ++k)
        figure.at(stops[k]).bars(
            "", {"base", "linear probe", "adapters", "full fine-tuning"},
            {100 * book::median(study.frozen().column("base")), middle("probe"),
             middle(fmt::format("{}", bottlenecks[k])), middle("full")},
            {.color = figure::blue});
    figure.always()
        .x("what is trained for turned images")
        .y("accuracy on test images, %")
        .ylim(0, 100)
        .panel("gain over the probe");
    std::vector<std::vector<double>> gains(5);
    for (const Index k : bottlenecks) {
        const std::vector<double> gain =
            less(chosen(fmt::format("{}", k)).test, chosen("probe").test);
        for (std::size_t d = 0; d < 5; ++d) gains[d].push_back(100 * gain[d]);
    }
    figure.lines("adapters", stops, gains, {.color = figure::blue})
        .rule_y(middle("full") - middle("probe"), "full fine-tuning");
    for (const double stop : stops) figure.at(stop).rule_x(stop, "");
    figure.always()
        .x("units of each bottleneck")
        .y("gain over the probe, points")
        .ylim(0, 6)
        .save(
            "Accuracy on 10,000 turned test images, medians of five bases, and what "
            "adapters gain over the probe on each base. The base has learned upright "
            "images only. Probe and adapters keep its hidden layers frozen. All three "
            "trainings see equally many images, and each has the best of four learning "
            "rates, chosen on validation images.");
}
//-

// ## What a probe cannot reach
//
// Why should an adapter be better than a probe at all? A probe reads the features of the last frozen layer. What this
// layer does not tell, no readout can find. Suppose that the sleeve of a turned shirt excites two units of one layer, and
// that a unit of the next layer has weights of 1 and $-1$ for them. Then $1 - 1 = 0$, and the sleeve is gone. Whatever
// changes one of the two numbers before they meet brings the sleeve back. A probe also has an advantage: its gradient
// ends at the readout. For an adapter, the backward pass goes through the frozen layers behind it, and the activations of
// these layers must be kept.
//
// ## Turned clothes
//
// The base has two hidden layers of 256 units and was trained on upright images of Fashion-MNIST {cite:p}`xiao2017` alone.
// Then a probe, adapters and full fine-tuning train on turned images, with 2,500 batches of 128 images each. Each of them
// chooses its learning rate among four on validation images, for each base on its own. The largest bottleneck is the
// largest with which less than 5 % of the numbers are trained.
//- the table, and what is checked
void comparison() {
    const Chosen probe = chosen("probe"), largest = chosen("10");
    std::vector<std::vector<book::Cell>> rows;
    const auto row = [&](const std::string& words, Index count,
                         const std::string& way) {
        const Chosen of = chosen(way);
        rows.push_back({words, count, book::brief(over_seeds(of.test)),
                        fmt::format("{:.2g}", book::median(of.rate) *
                                                  (way == "full" ? 0.1 : 1.0))});
    };
    const Index m = units, readout = 10 * m + 10,
                whole = 784 * m + m + m * m + m + readout;
    std::vector<double> base;  // the same at every rate
    for (const Study::Row& cell : study.frozen().rows)
        if (cell[1] == rates[0]) base.push_back(cell[2]);
    rows.push_back({"base", 0, book::brief(over_seeds(base)), ""});
    row("linear probe", readout, "probe");
    for (const Index k : bottlenecks)
        row(fmt::format("adapters, bottleneck {}", k),
            readout + 2 * (2 * m * k + k + m), fmt::format("{}", k));
    row("full fine-tuning", whole, "full");
    book::table("adapters-accuracy",
                "Numbers that are trained, accuracy on turned test images, and the "
                "middle one of the five learning rates that were chosen.",
                {"what is trained", "numbers", "accuracy", "rate"}, rows);
    const auto of_more = [](const char* name) { return more.frozen().column(name); };
    const std::vector<double> ahead = less(largest.test, probe.test),
                              wide = less(of_more("40 test"), probe.test),
                              longer = less(of_more("long test"),
                                            of_more("long probe test")),
                              images = less(of_more("images test"),
                                            of_more("images probe test"));
    say("share of the gain of full fine-tuning over the probe that adapters of "
        "bottleneck 10 bring: {:.2f}",
        book::median(ahead) / book::median(less(chosen("full").test, probe.test)));
    say("bottleneck 40, less the probe: {}; {:.1f} % of the numbers are trained",
        book::brief(over_seeds(wide)),
        100 * double(readout + 2 * (2 * m * 40 + 40 + m)) /
            double(whole + 2 * (2 * m * 40 + 40 + m)));
    say("three times the steps for both: bottleneck 10, less the probe: {}",
        book::brief(over_seeds(longer)));
    say("50,000 images and twice the steps for both: bottleneck 10, less the probe: {}",
        book::brief(over_seeds(images)));
    claim("", "accuracy with adapters of bottleneck 10, less that of a linear probe",
          over_seeds(ahead), ">", 0.01);
    not_reproduced(
        "sys-adapters/d",
        "accuracy with adapters of bottleneck 10, less that of a linear probe",
        over_seeds(ahead), ">=", 0.03,
        fmt::format("four learning rates for each; bottlenecks from 1 to 10, and one "
                    "of 40, which trains too many numbers: {}; three times the steps "
                    "for both: {}; all images and twice the steps for both: {}",
                    book::brief(over_seeds(wide)), book::brief(over_seeds(longer)),
                    book::brief(over_seeds(images))));
}
//-

// Adapters with ten units beat the probe on each of the five bases, by 1.9 to 2.7 points. The plan of this book expected
// three points, and this is not reproduced. Full fine-tuning gains five, so the adapters bring two fifths of its gain
// with a twentieth of its numbers. It took the largest rate offered on two bases, and might gain a little more. A single
// unit in each layer brings a third of a point in the median, and nothing on one base. The base itself is right on 3 % of
// the turned images, less often than a guess.
//
// What could bring the third point? A bottleneck of 40 comes close to it, but then one number in seven is trained. Three
// times the steps make it worse: the probe keeps its accuracy, and the adapters lose a point, on validation images too. A
// likely reason is that they overfit the 20,000 images. With all 50,000 images and twice the steps for both, the lead is
// 2.5 points. So more images and a wider bottleneck bring the gain closer to three points, and neither reaches them in the
// median. We have not tried both together, since the wide bottleneck trains more than the 5 % that we allow.
//
// ## Where to insert
//
// The network has two places for an adapter. If you may keep only one, which do you choose?
//- the question
void one_place() {
    const std::vector<double> ahead = less(chosen("first").test, chosen("second").test);
    const double gap = book::median(ahead);
    ask("One adapter with a bottleneck of 10 is inserted, behind the first or behind "
        "the second hidden layer. The readout is trained in both cases. Which network "
        "classifies more turned images correctly?",
        {{"That with the adapter behind the first hidden layer, by half a point or "
          "more.",
          gap >= 0.005,
          "What is corrected early passes through the frozen second layer, whose units "
          "then compute other features."},
         {"Both are within half a point of each other.", std::abs(gap) < 0.005,
          "A correction in either place reaches the readout, and both places have "
          "equally many features."},
         {"That with the adapter behind the second hidden layer, by half a point or "
          "more.",
          gap <= -0.005,
          "Next to the readout the adapter can change what the readout reads, and no "
          "frozen layer stands between."}});
    for (const char* way : {"first", "second"})
        say("one adapter, behind the {} hidden layer: {}", way,
            book::brief(over_seeds(chosen(way).test)));
    say("first less second: {}", book::brief(over_seeds(ahead)));
}
//-

// The adapter behind the first hidden layer brings most of what both bring together. That behind the second brings hardly
// more than the probe. It reads and corrects the same features as the readout. What the second layer has lost, like the
// sleeve of the example, it cannot find again.
//
// ## Frozen means frozen
//
// The program trains a small base and its adapters on this page. Does the network with adapters begin as the base, and do
// the frozen weights stay what they are?
//- what is checked
void frozen_weights() {
    Generator random(book::seed());
    const Examples set = some_of(Part::train, 0, pictures(), true),
                   some = data::slice(set, 0, 100);
    const nn::Mlp base =
        trained_base(some_of(Part::train, 0, pictures(), false), base_steps(), random);
    std::vector<std::vector<Real>> kept;
    for (const NamedTensor& t : nn::state(base)) kept.push_back(t.tensor.values());
    const WithAdapters net = adapted(base, bottleneck(), random);
    const std::vector<Real> start = net(some.x).values();
    claim_true("sys-adapters/a",
               "at the start the network with adapters gives the scores of its base, "
               "bit for bit, for 100 images",
               start == base(some.x).values());
    claim("sys-adapters/c",
          "trained share of the network, with its adapters and its readout",
          double(nn::count(net)) / double(nn::count(nn::state(net))), "<", 0.05);
    optim::Adam adam(nn::parameters(net), {.lr = 3e-3});
    train(net, adam, set, tuning_steps(), random);
    bool same = true, moved = net(some.x).values() != start;
    for (std::size_t i = 0; i < kept.size(); ++i)
        same &= nn::state(base)[i].tensor.values() == kept[i];
    claim_true("sys-adapters/b",
               "after the training the weights of the base are the same, bit for bit, "
               "and the scores are not",
               same && moved);
}
//-

// ## Limits and history
//
// {cite:t}`houlsby2019` inserted adapters into BERT, two in each of its transformer blocks, and came close to full
// fine-tuning with a few per cent of its numbers. An adapter contains an activation function. So it cannot be merged into
// the weights, as a [low-rank correction](low_rank.cpp) can, and the network stays a little deeper and slower. In return,
// the correction depends on the input, while a low-rank correction adds the same map for all inputs.
//
// ## Summary
//
// An adapter goes down to a few units and up again, and adds the result to its input. It starts as the identity, so a
// network with adapters begins where its base stands. The frozen weights stay as they are, bit for bit, and a few per
// cent of the numbers are trained. In our perceptron they gain two points over a linear probe, and the adapter behind the
// first layer brings most of it.
//
// ## What is missing
//
// Our network is a perceptron that classifies, and has only two places for an adapter. [The next page](adapted_images.cpp)
// corrects a convolutional network that paints.
//
// ```{try}
// - One unit more: `--bottleneck 11`. Is the trained share still below 5 %?
// - A single unit: `--bottleneck 1`. What is the trained share?
// ```

void page() {
    draw_comparison();
    comparison();
    one_place();
    frozen_weights();
}
