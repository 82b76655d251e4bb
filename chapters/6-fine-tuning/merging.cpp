// # Task arithmetic: add what fine-tunings have learned
//
// ```{rows} eq-task-vectors sys-task-arithmetic claim-task-negation sys-interference-reduction
// ```
//
// Three copies of one network were fine-tuned: for images turned by 90°, for images turned by 270°, and for shifted
// images. You want a single network for all of them, and you have no time to train one. What if you add up what the three
// copies have changed? {numref}`fig-task-scale` does this, with a scale for the sum. Move the slider. Nothing is trained
// here: each stop is a sum of weights. How large a scale does the network bear?
//
// ```{opening} fig-task-scale
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
#include <recto/nn/init.hpp>
#include <recto/nn/merge.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::not_reproduced,
    book::over_seeds, book::say;
using book::Study;
using data::Examples, data::Part, data::rolled_down, data::turned, data::turned_back,
    data::upright;
using Task = data::ImageTask;
using figure::Figure, figure::Names;

const book::Option<Index> base_steps(
    "steps", 400, "steps of the training of the small networks of this page",
    {.quick = 40, .least = 1, .most = 100'000});
const book::Option<Index> pictures("pictures", 50'000, "number of training images",
                                   {.quick = 1000, .least = 100, .most = 50'000});
//-

//- images, tasks, and a training
Tensor inputs(const Tensor& images) { return (flatten(images) - 0.286) / 0.353; }

Examples training_images(Index count) {
    return data::slice(data::fashion_mnist(Part::train), 0, count);
}
Examples test_images(Index count) {
    return data::slice(data::fashion_mnist(Part::test), 0, count);
}

template <class Model>
void train(const Model& net, const Examples& set, Task task, Index steps, double rate,
           Generator& random) {
    optim::Adam adam(nn::parameters(net), {.lr = rate});
    for (Index step = 0; step < steps; ++step) {
        const Integers which = random.integers({128}, 0, set.size());
        const Examples batch = data::select(set, {which.data(), 128});
        adam.zero_grad();
        cross_entropy(net(inputs(task(batch.x))), batch.labels).backward();
        adam.step();
    }
}

double accuracy_of(const auto& net, const Examples& set, Task task) {
    const NoGrad only_asking;
    double right = 0;
    for (const Examples& some : data::Batches(set, 1000))
        right +=
            nn::accuracy(net(inputs(task(some.x))), some.labels) * double(some.size());
    return right / double(set.size());
}

nn::Mlp trained_base(const Examples& set, Index steps, Generator& random) {
    const nn::Mlp net({784, 512, 512, 10}, relu, random, {.weights = nn::he_init});
    const std::array<Task, 3> tasks = {turned, turned_back, rolled_down};
    train(net, data::mostly_upright(set, tasks, 3, random), upright, steps, 1e-3,
          random);
    return net;
}

Examples validation_images(Index count) {
    return data::slice(data::fashion_mnist(Part::train), 50'000, 50'000 + count);
}

struct Named {
    const char* name;
    Task task;
};
const std::vector<Named> tasks = {
    {"turned", turned}, {"back", turned_back}, {"shifted", rolled_down}};
//-

//- networks from parameters
nn::Mlp with(const nn::Mlp& net, const NamedTensors& parameters) {
    const nn::Mlp copy = nn::clone(net);
    nn::assign(nn::state(copy), parameters);
    return copy;
}
// The sum of the first residuals.
NamedTensors sum_of(const std::vector<NamedTensors>& residuals) {
    NamedTensors sum = residuals[0];
    for (std::size_t t = 1; t < residuals.size(); ++t)
        sum = nn::plus(sum, residuals[t]);
    return sum;
}
double mean_accuracy(const nn::Mlp& net, const Examples& set, std::size_t count) {
    double sum = 0;
    for (std::size_t t = 0; t < count; ++t) sum += accuracy_of(net, set, tasks[t].task);
    return sum / double(count);
}
//-

//- the study
const std::vector<double> scales = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
const std::vector<double> four_scales = {0.3, 0.5, 0.7, 1.0};
const std::vector<double> negative_scales = {0.25, 0.5, 0.75, 1.0};

enum class Method { sum, ties, dare };
const std::vector<std::pair<const char*, Method>> methods = {
    {"sum", Method::sum}, {"ties", Method::ties}, {"dare", Method::dare}};

// One residual from the first `count`. Half of the numbers are trimmed or dropped.
NamedTensors merged(const std::vector<NamedTensors>& residuals, std::size_t count,
                    Method method, Generator& random) {
    std::vector<NamedTensors> some(residuals.begin(), residuals.begin() + long(count));
    if (method == Method::ties) return nn::ties(some, 0.5);
    if (method == Method::dare)
        for (NamedTensors& one : some) one = nn::dare(one, 0.5, random);
    return sum_of(some);
}
// Scales among which each method may choose; the result of TIES is a mean, not a sum.
std::vector<double> candidates(std::size_t count, Method method) {
    std::vector<double> found;
    for (const double scale : {0.2, 0.3, 0.4, 0.5, 0.7, 1.0})
        found.push_back(method == Method::ties ? scale * double(count) : scale);
    return found;
}

// The scale with the best mean accuracy on validation images.
double best_scale(const nn::Mlp& net, const NamedTensors& base,
                  const NamedTensors& residual, const std::vector<double>& among,
                  std::size_t count, const Examples& validation) {
    double best = 0, most = -1;
    for (const double scale : among) {
        const double found = mean_accuracy(with(net, nn::plus(base, residual, scale)),
                                           validation, count);
        if (found > most) most = found, best = scale;
    }
    return best;
}

std::vector<std::string> result_names() {
    std::vector<std::string> names = {"base upright"};
    for (const Named& task : tasks) names.push_back(fmt::format("base {}", task.name));
    for (const Named& task : tasks) names.push_back(fmt::format("tuned {}", task.name));
    for (const double scale : scales) {
        names.push_back(fmt::format("{} upright", scale));
        for (const Named& task : tasks)
            names.push_back(fmt::format("{} {}", scale, task.name));
    }
    names.insert(names.end(), {"two turned", "two shifted", "chosen"});
    for (const double scale : negative_scales) {
        names.push_back(fmt::format("minus {} upright", scale));
        names.push_back(fmt::format("minus {} turned", scale));
    }
    for (std::size_t count = 1; count <= tasks.size(); ++count)
        for (const auto& [name, method] : methods) {
            names.push_back(fmt::format("{} {} scale", name, count));
            names.push_back(fmt::format("{} {} mean", name, count));
        }
    return names;
}

Study::Row train_and_merge(const Study::Row& cell) {
    const Examples set = training_images(50'000), test = test_images(10'000),
                   validation = validation_images(1000);
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const nn::Mlp net = trained_base(set, 2500, random);
    const NamedTensors base = nn::state(nn::clone(net));
    Study::Row row = {accuracy_of(net, test, upright)}, own;
    std::vector<NamedTensors> residuals;
    for (const Named& one : tasks) {
        row.push_back(accuracy_of(net, test, one.task));
        const nn::Mlp tuned = nn::clone(net);
        train(tuned, set, one.task, 600, 3e-4, random);
        own.push_back(accuracy_of(tuned, test, one.task));
        residuals.push_back(nn::difference(nn::state(tuned), base));
    }
    row.insert(row.end(), own.begin(), own.end());
    const NamedTensors all = sum_of(residuals);
    for (const double scale : scales) {
        const nn::Mlp merged = with(net, nn::plus(base, all, scale));
        const bool claimed = scale == 0.3 || scale == 1;
        const Examples& some = claimed ? test : data::slice(test, 0, 2000);
        row.push_back(accuracy_of(merged, some, upright));
        for (const Named& one : tasks)
            row.push_back(accuracy_of(merged, some, one.task));
    }
    const nn::Mlp two =
        with(net, nn::plus(base, nn::plus(residuals[0], residuals[2]), 0.5));
    row.push_back(accuracy_of(two, test, turned));
    row.push_back(accuracy_of(two, test, rolled_down));
    row.push_back(best_scale(net, base, all, four_scales, tasks.size(), validation));
    for (const double scale : negative_scales) {
        const nn::Mlp less = with(net, nn::plus(base, residuals[0], -scale));
        const Examples& some = scale == 1 ? test : data::slice(test, 0, 2000);
        row.push_back(accuracy_of(less, some, upright));
        row.push_back(accuracy_of(less, some, turned));
    }
    for (std::size_t count = 1; count <= tasks.size(); ++count)
        for (const auto& [name, method] : methods) {
            const NamedTensors residual = merged(residuals, count, method, random);
            const double scale = best_scale(
                net, base, residual, candidates(count, method), count, validation);
            row.push_back(scale);
            row.push_back(mean_accuracy(with(net, nn::plus(base, residual, scale)),
                                        data::slice(test, 0, 5000), count));
        }
    return row;
}

const Study study(
    {"merging",
     {"draw"},
     result_names(),
     {"sys-task-arithmetic/a", "sys-task-arithmetic/b", "sys-task-arithmetic/c",
      "sys-task-arithmetic/d", "sys-task-arithmetic/e", "sys-task-arithmetic/g",
      "sys-task-arithmetic/h", "claim-task-negation/a", "claim-task-negation/b",
      "sys-interference-reduction/c", "sys-interference-reduction/d"},
     0.03},
    {{1}, {2}, {3}, {4}, {5}}, train_and_merge);
//-

//- results of the study, and how the first figure is drawn
std::vector<double> column(const std::string& name) {
    return study.frozen().column(name);
}
double middle(const std::string& name) { return book::median(column(name)); }
std::vector<double> difference_of(const std::string& a, const std::string& b) {
    std::vector<double> found = column(a);
    const std::vector<double> less = column(b);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= less[i];
    return found;
}

const std::vector<std::pair<const char*, const char*>> sorts = {
    {"upright", "upright"},
    {"turned", "turned by 90°"},
    {"back", "turned by 270°"},
    {"shifted", "shifted"}};

void draw_scales() {
    std::vector<double> stops = {0};
    stops.insert(stops.end(), scales.begin(), scales.end());
    Figure figure("fig-task-scale");
    figure
        .describe(
            "Bars for the accuracy on four kinds of images, and four curves of the "
            "accuracy against the scale of the added residuals, from 0 to 1. A slider "
            "sets the scale. The curves of the turned images rise up to a scale of "
            "0.3 or 0.4 and then fall. That of the shifted images turns at 0.2, and "
            "that of the upright images falls from 0.1 on.")
        .slider("scale", stops, "scale of the three residuals", 0.3)
        .panel("accuracy of the merged network, %");
    const auto accuracy = [&](double scale, const char* kind) {
        return 100 * middle(scale == 0 ? fmt::format("base {}", kind)
                                       : fmt::format("{} {}", scale, kind));
    };
    for (const double scale : stops) {
        Names names;
        std::vector<double> heights;
        for (const auto& [kind, words] : sorts) {
            names.push_back(words);
            heights.push_back(accuracy(scale, kind));
        }
        figure.at(scale).bars("", names, heights, {.color = figure::blue});
    }
    figure.always()
        .x("images")
        .y("accuracy on test images, %")
        .ylim(0, 100)
        .panel("accuracy against the scale");
    for (const auto& [kind, words] : sorts) {
        std::vector<double> heights;
        for (const double scale : stops) heights.push_back(accuracy(scale, kind));
        figure.line(words, stops, heights);
    }
    for (const double scale : stops) figure.at(scale).rule_x(scale, "");
    figure.always()
        .x("scale of the three residuals")
        .y("accuracy on test images, %")
        .ylim(0, 100)
        .save(
            "The accuracy of a base to which the residuals of three fine-tunings are "
            "added, all with the same scale: the medians of five bases. At a scale of "
            "0 the network is the base. No image was used to merge. Scales 0, 0.3 and "
            "1 are judged on 10,000 test images, the others on the first 2,000 of "
            "them.");
    book::shows("sys-task-arithmetic/h", "fig-task-scale");
}
//-

// ## What fine-tuning has changed
//
// A network has the weights 1 and $-2$. Fine-tuning for one task makes them 1.5 and $-2$, and fine-tuning of the same
// network for another task makes them 1 and $-1$. The first task has added 0.5 and 0, the second 0 and 1. These changes are
// the **residuals** of fine-tuning, or **task vectors** {cite:p}`ilharco2023`. Add both to the base, and the weights
// are 1.5 and $-1$. In general, for a base $w$ and fine-tuned weights $w_t$ of the tasks $t = 1, \dots, T$,
//
// ```{equation} eq-merged
// :function: recto::nn::plus
// :test: merge: sums and differences, by name
// \tau_t = w_t - w, \qquad w_\text{merged} = w + \lambda\, (\tau_1 + \dots + \tau_T)
// ```
//
// with a scale $\lambda$, which is 1 for a plain sum. A residual has a number for each parameter, biases included, so the
// arithmetic runs over lists of named tensors:
nn::Mlp add_tasks(const nn::Mlp& base, const std::vector<nn::Mlp>& tuned,
                  double scale) {
    NamedTensors w = nn::state(base);
    for (const nn::Mlp& one : tuned)
        w = nn::plus(w, nn::difference(nn::state(one), nn::state(base)), scale);
    return with(base, w);
}
// The library pairs the tensors by name, and refuses lists whose names or shapes differ. Nothing is trained here, and no
// image is read.
//- sums of residuals of small networks, and what is checked
double ulps_between(const NamedTensors& got, const NamedTensors& want,
                    const NamedTensors& base) {
    double most = 0;
    for (std::size_t k = 0; k < want.size(); ++k) {
        const std::vector<Real> a = got[k].tensor.values(), b = want[k].tensor.values(),
                                w = base[k].tensor.values();
        for (std::size_t i = 0; i < a.size(); ++i) {
            const Real larger = std::max(std::abs(b[i]), std::abs(w[i]));
            const double ulp =
                double(std::nextafter(larger, std::numeric_limits<Real>::infinity())) -
                double(larger);
            most = std::max(most, std::abs(double(a[i]) - double(b[i])) / ulp);
        }
    }
    return most;
}
double largest_difference(const NamedTensors& a, const NamedTensors& b) {
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const std::vector<Real> x = a[k].tensor.values(), y = b[k].tensor.values();
        for (std::size_t i = 0; i < x.size(); ++i)
            most = std::max(most, std::abs(double(x[i]) - double(y[i])));
    }
    return most;
}

void small_networks() {
    const Examples set = training_images(pictures());
    Generator random(book::seed());
    const nn::Mlp base({784, 64, 10}, relu, random, {.weights = nn::he_init});
    const std::array<Task, 3> changes = {turned, turned_back, rolled_down};
    train(base, data::mostly_upright(set, changes, 3, random), upright, base_steps(),
          1e-3, random);
    std::vector<nn::Mlp> tuned;
    for (const Named& one : tasks) {
        tuned.push_back(nn::clone(base));
        train(tuned.back(), set, one.task, base_steps() / 2, 3e-4, random);
    }
    const NamedTensors w = nn::state(base), w_1 = nn::state(tuned[0]);
    const nn::Mlp one = add_tasks(base, {tuned[0]}, 1);
    say("largest change of a number by fine-tuning: {:.3f}",
        largest_difference(w_1, w));
    claim("eq-task-vectors/a",
          "the base and one residual against the fine-tuned network: largest "
          "difference, in units in the last place of the larger of both numbers",
          ulps_between(nn::state(one), w_1, w), "<=", 1);
    const nn::Mlp forth = add_tasks(base, tuned, 1),
                  back = add_tasks(base, {tuned[2], tuned[1], tuned[0]}, 1);
    claim("eq-task-vectors/b",
          "three residuals added in two orders: largest difference of two numbers",
          largest_difference(nn::state(forth), nn::state(back)), "<=", 1e-6);
    const nn::Mlp wider({784, 65, 10}, relu, random);
    std::string message;
    try {
        nn::difference(nn::state(wider), w);
    } catch (const Error& error) {
        message = error.what();
    }
    claim_true("eq-task-vectors/c", "a residual of another shape is rejected",
               !message.empty());
    say("{}", message);
}
//-

// ## Three tasks, and a scale
//
// The base is the perceptron of [the page on LoRA](low_rank.cpp), with 669,706 parameters, trained on Fashion-MNIST
// {cite:p}`xiao2017`. Nearly all of its images were upright. Three copies are fine-tuned: for images turned by 90°, for
// images turned by 270°, and for images shifted down by six pixels. Each fine-tuning takes 600 steps. Five bases with
// their fine-tunings give the medians of this page.
//- the table, the bands, and what is checked
void three_tasks() {
    std::vector<std::vector<book::Cell>> rows;
    const auto row = [&](const std::string& words, const std::string& name) {
        std::vector<book::Cell> cells = {words};
        for (const auto& [kind, unused] : sorts) {
            const std::string of = fmt::format("{} {}", name, kind);
            const std::vector<std::string> all = result_names();
            cells.push_back(std::ranges::find(all, of) == all.end()
                                ? std::string("")
                                : fmt::format("{:.3f}", middle(of)));
        }
        rows.push_back(cells);
    };
    row("base", "base");
    row("its own fine-tuning", "tuned");
    row("two residuals, scale 0.5", "two");
    row("three residuals, scale 0.3", "0.3");
    row("three residuals, scale 1", "1");
    book::table(
        "merging-accuracy", "Accuracy on 10,000 test images, medians of five bases.",
        {"network", "upright", "turned by 90°", "turned by 270°", "shifted"}, rows);
    // A first measurement with a single base gave the numbers in the middle of the bands.
    const auto near = [](const char* part, const std::string& sentence,
                         const std::string& name, double first) {
        claim_in(part, sentence, over_seeds(column(name)), first - 0.03, first + 0.03);
    };
    near("sys-task-arithmetic/a", "the base, on images turned by 90°", "base turned",
         0.758);
    near("sys-task-arithmetic/a", "the base, on images turned by 270°", "base back",
         0.729);
    near("sys-task-arithmetic/a", "the base, on shifted images", "base shifted", 0.788);
    near("sys-task-arithmetic/b", "three residuals at 0.3, on images turned by 90°",
         "0.3 turned", 0.815);
    near("sys-task-arithmetic/b", "three residuals at 0.3, on images turned by 270°",
         "0.3 back", 0.807);
    near("sys-task-arithmetic/b", "three residuals at 0.3, on shifted images",
         "0.3 shifted", 0.792);
    near("sys-task-arithmetic/c", "three residuals at 0.3, on upright images",
         "0.3 upright", 0.834);
    near("sys-task-arithmetic/d", "two residuals at 0.5, on images turned by 90°",
         "two turned", 0.826);
    near("sys-task-arithmetic/d", "two residuals at 0.5, on shifted images",
         "two shifted", 0.812);
    std::vector<double> worst;  // of the three tasks, at scale 1
    for (std::size_t i = 0; i < 5; ++i) {
        double least = 1;
        for (const Named& one : tasks)
            least = std::min(least, difference_of(fmt::format("1 {}", one.name),
                                                  fmt::format("base {}", one.name))[i]);
        worst.push_back(least);
    }
    not_reproduced(
        "sys-task-arithmetic/e",
        "three residuals at scale 1: accuracy less that of the base, on the task where "
        "this is least",
        over_seeds(worst), ">=", 0,
        "ten scales from 0.1 to 1, of which those up to 0.3 keep all three tasks above "
        "the base; two residuals in place of three; thinner residuals (TIES, DARE), "
        "whose best scales for three tasks are below 1 as well");
    const std::vector<double> chosen = column("chosen");
    say("scale chosen on validation images among 0.3, 0.5, 0.7 and 1: {}",
        book::brief(over_seeds(chosen)));
    claim("sys-task-arithmetic/f",
          "a scale is needed: the scale that validation images choose",
          over_seeds(chosen), "<", 1);
    const Examples seen = training_images(50'000), held_out = validation_images(1000);
    const bool among = std::ranges::all_of(chosen, [](double scale) {
        return std::ranges::find(four_scales, scale) != four_scales.end();
    });
    claim_true("sys-task-arithmetic/g",
               "each chosen scale is 0.3, 0.5, 0.7 or 1, and the validation images "
               "begin where the training images end",
               among && held_out.x.data() >= seen.x.data() + seen.x.numel());
}
//-

// At a scale of 0.3 the merged network is better than the base on all three tasks. Each fine-tuned network is still
// better on its own task, and upright images have paid a few points. With two tasks each may have a larger scale. But the
// plain sum, with a scale of 1, has forgotten even upright images, which all three fine-tunings had known. **A scale is
// needed here.** Each residual was found alone. A likely reason: together the three move the weights farther than any
// fine-tuning did, and there their effects no longer add up.
//
// The scale is a number like a learning rate, and has to be chosen on images that are neither trained on nor used for the
// test. Of 0.3, 0.5, 0.7 and 1, a thousand such validation images choose the smallest for each of the five bases.
//
// ## Take a task away
//
// What can be added can be subtracted. The weights $w - \tau_t$ are those of a network that has fine-tuned in the opposite
// direction. Place your bet before you look:
//- the question, the figure, and what is checked
void negation() {
    const double turned_before = middle("base turned"),
                 turned_after = middle("minus 1 turned"),
                 upright_before = middle("base upright"),
                 upright_after = middle("minus 1 upright");
    const bool hit = turned_before - turned_after > 0.2,
               spared = upright_before - upright_after < 0.1;
    ask("The residual of images turned by 90° is subtracted from the base. What "
        "happens to the accuracy on images turned by 90°, and on upright ones?",
        {{"Both fall by more than a fifth of all images: weights are shared.",
          hit && !spared,
          "The same weights serve both kinds of images, and the residual has changed "
          "most of them."},
         {"The turned images lose more than a fifth, the upright ones less than a "
          "tenth.",
          hit && spared,
          "Fine-tuning moved the weights along a direction to which the scores of "
          "turned images are sensitive. Upright images depend on it much less."},
         {"Neither falls much: the residual was small.", !hit,
          "The residual is small next to the weights, but all of its numbers act "
          "together."}});
    std::vector<double> x = {0};
    std::vector<double> on_turned = {100 * turned_before},
                        on_upright = {100 * upright_before};
    for (const double scale : negative_scales) {
        x.push_back(scale);
        on_turned.push_back(100 * middle(fmt::format("minus {} turned", scale)));
        on_upright.push_back(100 * middle(fmt::format("minus {} upright", scale)));
    }
    Figure("fig-negation")
        .describe(
            "Accuracy against the scale of a subtracted residual, from 0 to 1. The "
            "line of the turned images falls steeply, that of the upright images only "
            "a little.")
        .line("upright", x, on_upright)
        .line("turned by 90°", x, on_turned)
        .x("scale of the subtracted residual")
        .y("accuracy on test images, %")
        .ylim(0, 100)
        .save(
            "The residual of images turned by 90° is subtracted from the base: "
            "accuracy on turned and on upright test images, medians of five bases. "
            "Scales 0 and 1 are judged on 10,000 test images, the others on the first "
            "2,000 of them.");
    claim("claim-task-negation/a",
          "accuracy on images turned by 90° after the subtraction at scale 1, at most",
          over_seeds(column("minus 1 turned")), "<=", 0.432);
    not_reproduced(
        "claim-task-negation/a",
        "accuracy on images turned by 90° after the subtraction at scale 1, at least",
        over_seeds(column("minus 1 turned")), ">=", 0.372,
        fmt::format("five bases in place of one; scales of 0.5 and 0.75, at which the "
                    "median is {:.3f} and {:.3f}. The first measurement, 0.402 from "
                    "0.758, was a single base, which began higher",
                    middle("minus 0.5 turned"), middle("minus 0.75 turned")));
    claim_in("claim-task-negation/b",
             "accuracy on upright images after the same subtraction",
             over_seeds(column("minus 1 upright")), 0.796, 0.856);
    claim_in("claim-task-negation/b", "accuracy of the base on upright images",
             over_seeds(column("base upright")), 0.851, 0.911);
    say("accuracy after the subtraction at scale 1: {} on images turned by 90°, {} on "
        "upright ones",
        book::brief(over_seeds(column("minus 1 turned"))),
        book::brief(over_seeds(column("minus 1 upright"))));
}
//-

// The task that was subtracted is nearly lost, and upright images lose a few points. In the first measurement for this
// book, with a single base, the turned images fell to 0.402. All of our five bases fall lower than that. Negation is used
// to make a language model unlearn: {cite:t}`ilharco2023` fine-tune a model on toxic texts, and subtract what it has
// learned.
//
// ## When residuals clash
//
// A sum has a weakness. Suppose that three residuals change one weight by 4, $-2$ and $-1$. The sum is 1, and none of the
// tasks gets what it asked for. With more tasks such clashes become more frequent. Two methods thin the residuals out
// before they are added.
//
// **TIES**, *trim, elect sign and merge* {cite:p}`yadav2023`, first sets the smallest numbers of each residual to zero.
// For each weight the sign of the sum is then elected, and the result is the mean of the numbers with this sign. In the
// example the sum of 4, $-2$ and $-1$ is positive, so the result is 4. **DARE**, *drop and rescale* {cite:p}`yu2024`, is
// even simpler. It sets each number to zero with a probability $p$ and divides the survivors by $1 - p$:
//
// ```{excerpt} recto/nn/merge.cpp dare
// ```
//
// The mean over all draws is the residual itself, as in [dropout](../components/dropout.cpp). If nine of ten numbers are
// dropped, two residuals meet at one weight in a hundred. We drop half, and two residuals meet at one weight in four.
//- the comparison, and what is checked
void clashes() {
    const std::vector<double> counts = {1, 2, 3};
    Figure figure("fig-tasks");
    figure.describe(
        "Mean accuracy against the number of merged tasks, one to three, for the plain "
        "sum, TIES and DARE. The three lines fall together and lie close to each "
        "other.");
    const char* labels[] = {"sum", "TIES", "DARE"};
    std::vector<std::vector<book::Cell>> rows;
    for (std::size_t k = 0; k < methods.size(); ++k) {
        std::vector<double> heights;
        for (const double count : counts)
            heights.push_back(
                100 * middle(fmt::format("{} {} mean", methods[k].first, count)));
        figure.line(labels[k], counts, heights);
        rows.push_back({labels[k],
                        book::brief(over_seeds(
                            column(fmt::format("{} 3 scale", methods[k].first)))),
                        book::brief(over_seeds(
                            column(fmt::format("{} 3 mean", methods[k].first))))});
    }
    figure.x("number of merged tasks")
        .y("mean accuracy on the merged tasks, %")
        .save(
            "Mean accuracy on the tasks whose residuals were merged, medians of five "
            "bases. Each method chose its scale on validation images, from six.");
    book::shows("sys-interference-reduction/d", "fig-tasks");
    book::table("merging-methods", "Three merged tasks.",
                {"method", "chosen scale", "mean accuracy"}, rows);
    std::vector<double> ahead;
    const std::vector<double> sum = column("sum 3 mean"),
                              by_ties = column("ties 3 mean"),
                              by_dare = column("dare 3 mean");
    // One method for all bases, not the better one for each.
    const bool dare_leads = book::median(by_dare) >= book::median(by_ties);
    const std::vector<double>& better = dare_leads ? by_dare : by_ties;
    for (std::size_t i = 0; i < sum.size(); ++i) ahead.push_back(better[i] - sum[i]);
    say("mean accuracy of {}, the better of both methods, less that of the sum: {}, "
        "ahead on {} of {} bases",
        dare_leads ? "DARE" : "TIES", book::brief(over_seeds(ahead)),
        std::ranges::count_if(ahead, [](double by) { return by > 0; }), ahead.size());
    claim("sys-interference-reduction/c",
          "mean accuracy on three tasks: the better of TIES and DARE less the plain "
          "sum, each at its best scale",
          over_seeds(ahead), ">=", 0);
}
//-

// The scales differ, and the accuracies hardly do. DARE, the better of both methods on the test images, is ahead of the
// plain sum on three bases and behind on two, by three images in a thousand at most. A new draw of DARE could turn this
// round. So nothing is gained here: a well-chosen scale does for the plain sum what both methods were made for. TIES, which
// drops half of each residual for good, is nearly a point behind.
//
// ## Limits and history
//
// {cite:t}`ilharco2023` introduced task vectors, added up to eight of them to one large vision model, and chose the scale
// on validation sets, as we do. Three tasks are few, and a perceptron is a small model. {cite:t}`yadav2023` and
// {cite:t}`yu2024` report their gains for large models and more tasks. We kept half of each residual in both methods, and
// did not tune this share.
//
// ## Summary
//
// The residual of a fine-tuning is a list of numbers that can be scaled, added and subtracted like a vector. The sum of
// three residuals with a scale of 0.3 makes a network for three tasks without training. The plain sum collapses in our
// small network, so the scale is chosen on validation data. Subtracting a residual removes its task and leaves the rest
// mostly alone.
//
// ## What is missing
//
// All residuals of this page belong to one base. [The next page](common_base.cpp) asks whether networks without a common
// base can be merged, and why not.
//
// ```{try}
// - More training of the small networks: `--steps 4000`. How large does the rounding error of a restored network become?
// ```

void page() {
    draw_scales();
    small_networks();
    three_tasks();
    negation();
    clashes();
}
