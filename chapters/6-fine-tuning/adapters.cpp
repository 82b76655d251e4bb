// # Adapters: small layers inside a frozen network
//
// ```{rows} sys-adapters
// ```
//
// A frozen network computes features that were made for another task. A **linear probe** trains only a new readout on
// them, and can use what the features contain, no more. [LoRA](low_rank.cpp) changes the weights that make the features. An
// **adapter** is the older idea: a small layer is inserted between two frozen ones and changes the features themselves on
// their way. {numref}`fig-adapters` compares the three ways to use a network of upright clothes for images that are turned
// by 90°. Move the slider: how small can the inserted layers be?
//
// ```{opening} fig-adapters
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/fashion_mnist.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/adapter.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::Examples, data::Part;
using figure::Figure, figure::Names;

const book::Option<Index> width("width", 256, "units of each hidden layer",
                                {.quick = 32, .least = 2, .most = 1024});
const book::Option<Index> base_steps("steps", 500, "steps of the training of a base",
                                     {.quick = 60, .least = 1, .most = 100'000});
const book::Option<Index> tuning_steps("tuning", 200,
                                       "steps of the training for turned images",
                                       {.quick = 20, .least = 1, .most = 100'000});
const book::Option<Index> pictures("pictures", 20'000, "number of training images",
                                   {.quick = 1000, .least = 100, .most = 50'000});
const book::Option<int> draws("draws", 3, "bases",
                              {.quick = 1, .least = 1, .most = 20});
//-

// ## Down, up, and around
//
// Suppose that a frozen layer returns the two features 3 and 1. An adapter first takes them down to a single number, with the
// weights 1 and $-1$: $3 - 1 = 2$. The ReLU leaves 2 as it is. Then the adapter goes up again to two numbers, with the weights
// 0.5 and 0, which gives 1 and 0. This is added to the features, and the next frozen layer reads 4 and 1. In general
// {cite:p}`houlsby2019`
//
// ```{equation} eq-adapter
// :function: recto::nn::Adapter
// :test: Adapter: the formula, number by number
// y = x + W_2\, f(W_1 x + b_1) + b_2
// ```
//
// with an activation function $f$ and a **bottleneck** of $k$ units between $W_1$ and $W_2$. The sum with $x$ is a
// [skip connection](../components/skip_connections.cpp) around the adapter. It matters at the start: $W_2$ and $b_2$ begin at zero,
// so that the adapter returns its input, and the network with adapters is the network without them. For a layer of $m$ units
// an adapter has $2mk + k + m$ numbers.
//
// A perceptron with an adapter behind each hidden layer, and its readout:
struct WithAdapters {
    nn::Mlp base;                       // frozen but for the readout
    std::vector<nn::Adapter> adapters;  // one behind each hidden layer, or none

    Tensor operator()(Tensor x) const {
        for (std::size_t d = 0; d + 1 < base.layers.size(); ++d) {
            x = base.layers[d](x, relu);
            if (d < adapters.size()) x = adapters[d](x);
        }
        return base.layers.back()(x);
    }
    //-
    void visit(auto&& part) { part("base", base), part("adapters", adapters); }
    //-
};

// Freezing takes the tensors off the tape. Their numbers are those of the base, which is not copied:
WithAdapters adapted(const nn::Mlp& base, Index bottleneck, Generator& random) {
    WithAdapters net{base, {}};
    nn::freeze(net.base);
    net.base.layers.back() = nn::clone(base.layers.back());  // a readout of its own
    for (std::size_t d = 0; bottleneck > 0 && d + 1 < base.layers.size(); ++d)
        net.adapters.emplace_back(width(), bottleneck, random);
    return net;
}
// With a bottleneck of 0 there are no adapters, only the readout is trained, and this is the linear probe.
//- images, training, and the choice of a learning rate
Tensor inputs(const Tensor& images) { return (flatten(images) - 0.286) / 0.353; }
Tensor turn(const Tensor& x) { return flip(transpose(x), {-2}); }

Examples some_of(Part part, Index begin, Index count, bool turned) {
    const Examples some = data::slice(data::fashion_mnist(part), begin, begin + count);
    return {inputs(turned ? turn(some.x) : some.x), some.labels, {}, {}};
}

template <class Model>
void train(const Model& net, const Examples& set, Index steps, double rate,
           Generator& random) {
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    for (Index step = 0; step < steps; ++step) {
        const Integers which = random.integers({128}, 0, set.size());
        const Examples batch = data::select(set, {which.data(), 128});
        adam.zero_grad();
        cross_entropy(net(batch.x), batch.labels).backward();
        adam.step();
    }
}

double accuracy_of(const auto& net, const Examples& set) {
    const NoGrad only_asking;
    return nn::accuracy(net(set.x), set.labels);
}

struct Sets {
    Examples upright, turned, validation, test;
};
Sets sets() {
    return {some_of(Part::train, 0, pictures(), false),
            some_of(Part::train, 0, pictures(), true),
            some_of(Part::train, 50'000, 2000, true),
            some_of(Part::test, 0, 4000, true)};
}

nn::Mlp trained_base(const Sets& of, Generator& random) {
    const nn::Mlp net({784, width(), width(), 10}, relu, random,
                      {.weights = nn::he_init});
    train(net, of.upright, base_steps(), 1e-3, random);
    return net;
}

const std::vector<double> rates = {1e-3, 3e-3, 1e-2, 3e-2};

// Of four learning rates that with the best accuracy on validation images.
template <class Make>
double best_rate(const Sets& of, const Make& make) {
    double best = 0, most = -1;
    for (const double rate : rates) {
        Generator random(book::seed() + 900);
        const auto net = make(random);
        train(net, of.turned, tuning_steps(), rate, random);
        const double found = accuracy_of(net, of.validation);
        if (found > most) most = found, best = rate;
    }
    return best;
}
//-

//- three bases, and how the first figure is drawn
const std::vector<Index> bottlenecks = {1, 2, 4, 8};

struct Results {
    double base, probe, full, first_only, second_only;
    std::vector<double> adapters;  // one for each bottleneck
    bool same_at_start, same_bits;
    Index trained, all;  // with the largest bottleneck
};

struct Rates {
    double probe, adapters, full;
};

bool equal(const NamedTensors& a, const std::vector<std::vector<Real>>& kept) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].tensor.values() != kept[i]) return false;
    return true;
}

Results measure(const Sets& of, std::uint64_t draw, std::optional<Rates>& chosen) {
    Generator random(100 * draw + book::seed());
    const nn::Mlp base = trained_base(of, random);
    std::vector<std::vector<Real>> kept;
    for (const NamedTensor& t : nn::state(base)) kept.push_back(t.tensor.values());
    if (!chosen)
        chosen = Rates{best_rate(of, [&](Generator& r) { return adapted(base, 0, r); }),
                       best_rate(of, [&](Generator& r) { return adapted(base, 8, r); }),
                       best_rate(of, [&](Generator&) { return nn::clone(base); })};
    const auto judged = [&](const auto& net, double rate) {
        train(net, of.turned, tuning_steps(), rate, random);
        return accuracy_of(net, of.test);
    };
    Results found{};
    found.base = accuracy_of(base, of.test);
    found.probe = judged(adapted(base, 0, random), chosen->probe);
    found.full = judged(nn::clone(base), chosen->full);
    found.same_at_start = true;
    for (const Index k : bottlenecks) {
        const WithAdapters net = adapted(base, k, random);
        {
            const NoGrad only_asking;
            const Tensor x = slice(of.test.x, 0, 0, 100);
            found.same_at_start &= net(x).values() == base(x).values();
        }
        found.adapters.push_back(judged(net, chosen->adapters));
        found.trained = nn::count(net), found.all = nn::count(nn::state(net));
    }
    for (const bool first : {true, false}) {
        WithAdapters net = adapted(base, 8, random);
        nn::freeze(net.adapters[first ? 1 : 0]);  // the other stays the identity
        (first ? found.first_only : found.second_only) = judged(net, chosen->adapters);
    }
    found.same_bits = equal(nn::state(base), kept);
    return found;
}

double middle(const std::vector<Results>& all,
              const std::function<double(const Results&)>& what) {
    std::vector<double> found;
    for (const Results& one : all) found.push_back(what(one));
    return book::median(found);
}

void draw_comparison(const std::vector<Results>& all) {
    std::vector<double> stops(bottlenecks.begin(), bottlenecks.end());
    Figure figure("fig-adapters");
    figure
        .describe(
            "Bars for the accuracy on turned test images: the base, a linear probe, "
            "adapters, and full fine-tuning. The slider sets the bottleneck of the "
            "adapters, from 1 to 8 units; their bar grows with it, and is higher than "
            "that of the probe.")
        .slider("bottleneck", stops, "units of each bottleneck", 8);
    for (std::size_t k = 0; k < stops.size(); ++k)
        figure.at(stops[k]).bars(
            "", {"base", "linear probe", "adapters", "full fine-tuning"},
            {100 * middle(all, [](const Results& r) { return r.base; }),
             100 * middle(all, [](const Results& r) { return r.probe; }),
             100 * middle(all, [&](const Results& r) { return r.adapters[k]; }),
             100 * middle(all, [](const Results& r) { return r.full; })},
            {.color = figure::blue});
    figure.always()
        .x("what is trained for turned images")
        .y("accuracy on test images, %")
        .ylim(0, 100)
        .save(
            "Accuracy on 4,000 turned test images, medians of three bases. The base "
            "has learned upright images only. Probe and adapters keep its hidden "
            "layers "
            "frozen; all three trainings see as many images, and each chose its "
            "learning rate on validation images.");
}
//-

// ## Turned clothes
//
// The base has two hidden layers and was trained on upright images of Fashion-MNIST {cite:p}`xiao2017` alone. For turned images it
// is useless. A probe, adapters and full fine-tuning then train for the same number of steps. Each of them chooses its
// learning rate among three on validation images.
//- the table, and what is checked
void comparison(const std::vector<Results>& all, const Rates& chosen) {
    std::vector<std::vector<book::Cell>> rows;
    const auto row = [&](const std::string& words, Index count,
                         const std::function<double(const Results&)>& what) {
        std::vector<double> found;
        for (const Results& one : all) found.push_back(what(one));
        const book::Measured m = over_seeds(found);
        rows.push_back({words, count, fmt::format("{:.3f}", m.value),
                        fmt::format("{:.3f} to {:.3f}", m.low, m.high)});
    };
    const Index m = width(), readout = 10 * m + 10,
                whole = 784 * m + m + m * m + m + readout;
    row("base", 0, [](const Results& r) { return r.base; });
    row("linear probe", readout, [](const Results& r) { return r.probe; });
    for (std::size_t k = 0; k < bottlenecks.size(); ++k)
        row(fmt::format("adapters, bottleneck {}", bottlenecks[k]),
            readout + 2 * (2 * m * bottlenecks[k] + bottlenecks[k] + m),
            [k](const Results& r) { return r.adapters[k]; });
    row("full fine-tuning", whole, [](const Results& r) { return r.full; });
    book::table("adapters-accuracy",
                "Numbers that are trained, and accuracy on turned test images: the "
                "median of three bases, and the range.",
                {"what is trained", "numbers", "accuracy", "range"}, rows);
    say("learning rates: probe {}, adapters {}, full fine-tuning {}", chosen.probe,
        chosen.adapters, chosen.full);
    std::vector<double> ahead;
    bool same_at_start = true, same_bits = true;
    for (const Results& one : all) {
        ahead.push_back(one.adapters.back() - one.probe);
        same_at_start &= one.same_at_start, same_bits &= one.same_bits;
    }
    claim_true("sys-adapters/a",
               "at the start all networks with adapters give the scores of their base, "
               "bit for bit, for 100 images",
               same_at_start);
    claim_true("sys-adapters/b",
               "after all trainings the weights of the bases are the same, bit for bit",
               same_bits);
    claim("sys-adapters/c",
          "trained share of the network with adapters of bottleneck 8 and its readout",
          double(all[0].trained) / double(all[0].all), "<", 0.05);
    claim("sys-adapters/d",
          "accuracy with adapters of bottleneck 8, less that of a linear probe",
          over_seeds(ahead), ">=", 0.03);
}
//-

// @@COMPARED@@
//
// ## Where to insert
//
// The network has two places for an adapter. If you may keep only one, which do you choose?
//- the question
void one_place(const std::vector<Results>& all) {
    std::vector<double> ahead;
    for (const Results& one : all) ahead.push_back(one.first_only - one.second_only);
    const double gap = book::median(ahead);
    ask("One adapter with a bottleneck of 8 is inserted, behind the first or behind "
        "the second hidden layer. The readout is trained in both cases. Which network "
        "reads turned images better?",
        {{"That with the adapter behind the first hidden layer, by a point or more.",
          gap >= 0.01,
          "What is corrected early passes through all later layers, which can use it. "
          "A late adapter only gets what the frozen layers before it let through."},
         {"Both are within a point of each other.", gap > -0.01 && gap < 0.01,
          "A correction in either place reaches the readout, and both places have as "
          "many features."},
         {"That with the adapter behind the second hidden layer, by a point or more.",
          gap <= -0.01,
          "Next to the readout the adapter can change what the readout reads, and no "
          "frozen layer stands between."}});
    say("accuracy with an adapter behind the first hidden layer less that behind the "
        "second: {}",
        book::brief(over_seeds(ahead)));
}
//-

// @@PLACED@@
//
// ## Limits and history
//
// {cite:t}`houlsby2019` inserted adapters into BERT, two in each of its transformer blocks, and came close to full fine-tuning
// with a few per cent of its numbers. An adapter contains an activation function. So it cannot be merged into the
// weights, as a [low-rank correction](low_rank.cpp) can, and the network stays a little deeper and slower. In return, the
// correction depends on the input, while the matrix $BA$ adds the same map for all inputs.
//
// ## Summary
//
// An adapter goes down to a few units and up again, and adds the result to its input. It starts as the identity, so a network
// with adapters begins where its base stands. The frozen weights stay as they are, bit for bit, and a few per cent of
// the numbers are trained. @@SUMMARY@@
//
// ## What is missing
//
// Our network is a perceptron, and has only two places for an adapter. [The next page](merging.cpp) asks what can be done with
// several fine-tunings of one base.
//
// ```{try}
// - A wider network: `--width 512`. What is the trained share now, and does a bottleneck of 1 suffice?
// - A longer training: `--tuning 1000`. Which of the three ways gains most?
// ```

void page() {
    const Sets of = sets();
    std::optional<Rates> chosen;
    std::vector<Results> all;
    for (int draw = 0; draw < draws(); ++draw) {
        book::progress(draw + 1, draws(), "bases");
        all.push_back(measure(of, std::uint64_t(draw + 1), chosen));
    }
    draw_comparison(all);
    comparison(all, *chosen);
    one_place(all);
}
