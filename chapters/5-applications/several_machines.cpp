// # Data-parallel training: several machines
//
// ```{rows}
// ```
//
// A training takes a month on one machine. You rent a thousand. Does it take a thousandth of the month, 43 minutes? In
// **data-parallel training**, every machine has a copy of the whole network. It computes the gradient of its share of
// the batch, and before each step the machines add up their gradients over the network between them. This page does so
// with two to four ranks in one machine, measures what the sums cost, and computes what remains of the thousand.
//
// Each copy is called a **rank**. {numref}`fig-thousand` shows where the time of a step goes when more
// and more ranks share one batch. Move the slider: which bars fall, and which do not?
//
// ```{opening} fig-thousand
// ```
//
// First a bet. The gradient has a number for each weight, and every rank needs the sum of all gradients:
//- includes, names and options
#include <recto/book/page.hpp>
#include <recto/book/stopwatch.hpp>
#include <recto/data/batches.hpp>
#include <recto/data/signals.hpp>
#include <recto/device/threads.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/optim/data_parallel.hpp>
#include <recto/optim/mpi.hpp>
#include <recto/optim/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::say;
using book::over_seeds, book::timing;
using data::Examples, figure::Figure, figure::Names, optim::Ranks;

const book::Option<int> group(
    "ranks", 1, "processes that mpirun has started (./recto run starts it)",
    {.least = 1, .most = 10'000});
const book::Option<std::string> checkpoint(
    "checkpoint", "", "a file that a training over ranks writes, and continues from");
const book::Option<Index> steps("steps", 400, "steps of each training",
                                {.quick = 5, .least = 1, .most = 10'000'000});
const book::Option<Index> width("width", 64, "units in each of two hidden layers",
                                {.quick = 16, .least = 1, .most = 8192});
const book::Option<Index> batch_size("batch", 240, "examples in the batch of all ranks",
                                     {.least = 4, .most = 4000});
const book::Option<Index> measured("measured", 960,
                                   "examples of a step whose time is measured",
                                   {.quick = 60, .least = 4, .most = 4000});
const book::Option<int> draws("draws", 3, "trainings with other weights and batches",
                              {.quick = 1, .least = 1, .most = 20});
//-

//- the question
// What every rank sends per byte of the gradient: see "The sum".
double sent_share(double ranks) { return 2 * (ranks - 1) / ranks; }

void bet() {
    const double more = sent_share(1000) / sent_share(2);
    ask("Two ranks each have to send all of their gradient. How much must each of a "
        "thousand ranks send?",
        {{"About 500 times as much: there are 999 others instead of one.", more > 400,
          "If every rank sent its gradient to all others, yes. But each rank needs "
          "only the sum, and a rank can pass on "
          "sums instead of gradients."},
         {"About ten times as much: a tree of a thousand ranks has ten levels.",
          more > 5 && more <= 400,
          "A tree needs ten messages one after another, but no rank has to send the "
          "whole gradient ten times."},
         {"Twice as much.", more > 1.5 && more <= 5,
          "Each rank adds up a thousandth of the gradient for all, and then sends this "
          "part of the sum to all. That is "
          "one gradient out and one sum out, however many ranks there are."}});
}
//-

// ## The idea
//
// The loss of a batch is a mean over its $B$ examples, so its gradient is the mean of their gradients. A mean can be
// computed in parts. If rank $r$ has $B_r$ of the examples and the gradient $g_r$ of *its* mean loss, the gradient of
// the whole batch is
//
// $$ g = \sum_{r=1}^{N} \frac{B_r}{B} \, g_r . $$
//
// Take a model with one weight, $f(x; w) = w x$ with $w = 1$, and the squared loss on five examples. The first rank has
// three of them, the second has two:
//- the numbers of the example
const std::vector<Real> inputs = {1, 2, 3, 1, 2}, targets = {4, 2, 5, 2, 3};

Tensor mean_loss(const Tensor& w, Index begin, Index end) {
    const auto part = [&](const std::vector<Real>& all) {
        return Tensor({end - begin}, std::span(all).subspan(std::size_t(begin),
                                                            std::size_t(end - begin)));
    };
    return mse_loss(w * part(inputs), part(targets));
}
double slope_of(Index begin, Index end) {
    const Tensor w = full({1}, 1).requires_grad_();
    mean_loss(w, begin, end).backward();
    return double(w.grad().item());
}

void by_hand() {
    const double first = slope_of(0, 3), second = slope_of(3, 5), all = slope_of(0, 5);
    say("gradients: {:.1f} of the first rank's three examples, {:.1f} of the second's "
        "two",
        first, second);
    say("3/5 of {:.1f} plus 2/5 of {:.1f} is {:.1f}; all five examples together: "
        "{:.1f}",
        first, second, (3 * first + 2 * second) / 5, all);
    say("without the factors 3/5 and 2/5, the mean of the two is {:.1f}",
        (first + second) / 2);
    double most = 0;
    optim::run_as_threads(2, [&](Ranks& ranks) {
        Tensor w = full({1}, 1);
        w.requires_grad_();
        optim::Sgd sgd({{"w", w}}, {.lr = 1});
        optim::DataParallel parallel(sgd, ranks);
        parallel
            .loss(5, [&](Index begin, Index end) { return mean_loss(w, begin, end); })
            .backward();
        parallel.step();
        if (ranks.rank() == 1) most = std::abs(double(w.item()) - (1 - all));
    });
    claim("",
          "one step of two ranks with the rate 1: distance from the step with all five "
          "examples",
          most, "<=", 1e-6);
}
//-

// ## The training
//
// A training over ranks is a training with two changes. The optimiser is wrapped in a
// {cpp:class}`~recto::optim::DataParallel`, whose `step()` adds up the gradients first. And the loss is asked for a part
// of the batch:
struct Training {
    Generator random;
    nn::Mlp model;
    optim::Sgd sgd{nn::parameters(model), {.lr = 0.05, .momentum = 0.9}};
    data::Passes batches;

    void visit(auto&& part) {
        part("random", random), part("model", model), part("sgd", sgd),
            part("batches", batches);
    }
};

double step(Training& training, optim::DataParallel<optim::Sgd>& parallel) {
    const Examples batch = training.batches.next();  // the same on every rank
    return double(optim::train_step(parallel, [&] {
                      return parallel.loss(batch.size(), [&](Index begin, Index end) {
                          const Examples mine = data::slice(batch, begin, end);
                          return cross_entropy(training.model(mine.x), mine.labels);
                      });
                  }).item());
}
// Every rank draws the same batches, since all begin with the same seed, and takes its own share. Every rank makes the
// same step with the same sum, so the copies of the network stay equal to the last bit, and the momentum does as well.
// Only gradients travel.
//
// With MPI, the library that clusters use for messages, `./recto run several_machines --ranks 2` starts two processes of
// this program, each of which calls this:
//- a new training
Training fresh(const Examples& set, std::uint64_t draw, Index units,
               Activation activation = tanh) {
    Generator random(book::seed() + 100 * draw);
    nn::Mlp model({data::signal_length, units, units, data::signal_classes}, activation,
                  random);
    data::Passes batches(set, batch_size(), random);
    return {.random = random, .model = std::move(model), .batches = std::move(batches)};
}
std::vector<double> weights_of(const Training& training) {
    std::vector<double> all;
    for (const NamedTensor& p : training.sgd.parameters())
        for (const Real number : p.tensor.values()) all.push_back(double(number));
    return all;
}
double sum_of_weights(const Training& training) {
    double sum = 0;
    for (const double weight : weights_of(training)) sum += weight;
    return sum;
}
//-
void train_over_ranks(const Examples& set) {
    const auto ranks = optim::start_ranks(group());
    Training training = fresh(set, 0, width());
    if (!checkpoint().empty() && optim::load_checkpoint(*ranks, checkpoint(), training))
        say("continues after step {}", training.batches.taken());
    optim::DataParallel parallel(training.sgd, *ranks);
    while (training.batches.taken() < steps()) {
        const double loss = step(training, parallel);
        if (const Index n = training.batches.taken(); n % 20 == 0 || n == steps()) {
            say("step {}: loss {:.6f}", n, loss);
            if (!checkpoint().empty())
                optim::save_checkpoint(*ranks, checkpoint(), training);
        }
    }
    say("the sum of all weights is {}", sum_of_weights(training));
}
// If a rank dies, its sums never arrive. `mpirun` then ends the others, and `./recto run` says in one sentence which
// rank it was and where the last **checkpoint** is. The checkpoint holds weights, momentum and the position in the
// data, and nothing about ranks. So any number of ranks can continue from it.
//
// The book runs on one machine. Its ranks are threads, which pass their numbers through memory
// ({cpp:func}`~recto::optim::run_as_threads`); all else is the same code.

// ## Is it the same training?
//
// In exact arithmetic, yes. A computer rounds, and a sum of three shares is rounded at other places than the sum of a
// whole batch. {numref}`fig-rank-drift` compares the weights of two, three and four ranks with those of one process.
//- trainings on threads, and how they differ
// The weights after every fifth step, as rank 0 has them, and whether the last rank ends with the same bits.
struct Course {
    std::vector<std::vector<double>> weights;
    bool equal;
};
Course course(const Examples& set, int draw, Activation activation, int size) {
    Course found{};
    std::vector<double> last;
    optim::run_as_threads(size, [&](Ranks& ranks) {
        Training training = fresh(set, std::uint64_t(draw), width(), activation);
        optim::DataParallel parallel(training.sgd, ranks);
        while (training.batches.taken() < steps()) {
            step(training, parallel);
            if (ranks.rank() == 0 && training.batches.taken() % 5 == 0)
                found.weights.push_back(weights_of(training));
        }
        if (ranks.rank() == ranks.size() - 1) last = weights_of(training);
    });
    found.equal = steps() % 5 || last == found.weights.back();
    return found;
}
double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double apart = 0, length = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        apart += (a[i] - b[i]) * (a[i] - b[i]), length += b[i] * b[i];
    return std::sqrt(apart / length);
}

void compare(const Examples& set) {
    Figure figure("fig-rank-drift");
    figure.describe(
        "Two panels: relative distance of the weights from those of one process, on a "
        "logarithmic axis, against the step. "
        "With tanh, all lines stay below a millionth. With relu they begin in the same "
        "way, and then most of them "
        "jump at some step and rise to a hundredth.");
    bool same = true;
    std::vector<double> at;
    for (Index n = 5; n <= steps(); n += 5) at.push_back(double(n));
    for (const auto& [name, activation] :
         {std::pair<std::string, Activation>{"tanh", tanh}, {"relu", relu}}) {
        std::vector<std::vector<std::vector<double>>> curves(
            3);  // by ranks, then by training
        std::vector<double> farthest;
        for (int draw = 0; draw < draws(); ++draw) {
            const Course one = course(set, draw, activation, 1);
            double end = 0;
            for (int size = 2; size <= 4; ++size) {
                const Course several = course(set, draw, activation, size);
                same = same && several.equal;
                if (draw == 0)
                    same = same && course(set, draw, activation, size).weights ==
                                       several.weights;
                std::vector<double>& curve =
                    curves[std::size_t(size - 2)].emplace_back();
                for (std::size_t i = 0; i < at.size(); ++i)
                    curve.push_back(distance(several.weights[i], one.weights[i]));
                end = std::max(end, curve.back());
            }
            farthest.push_back(end);
        }
        figure.panel(name);
        for (int size = 2; size <= 4; ++size)
            figure.lines(fmt::format("{} ranks", size), at,
                         curves[std::size_t(size - 2)]);
        figure.x("step").y("relative distance of the weights").log_y().ylim(1e-9, 1);
        if (name == "tanh")
            claim("",
                  "tanh: relative distance of the weights from one process at the end, "
                  "the largest of 2, 3 and 4 ranks",
                  over_seeds(farthest), "<", 1e-6);
        else
            say("relu: relative distance at the end, the largest of 2, 3 and 4 ranks: "
                "{}",
                book::brief(over_seeds(farthest)));
    }
    figure.save(
        "How far the weights of several ranks are from those of one process with the "
        "same batches, relative to the "
        "length of the weights. Three trainings each. With tanh the distance stays at "
        "a few rounding errors, which are "
        "about $6\\times10^{-8}$. In most trainings with relu it jumps.");
    claim_true("",
               "all ranks have the same bits, and a second training with as many ranks "
               "has them again",
               same);
}
//-

// With tanh, the difference is rounding and remains rounding. With relu it jumps in most trainings. The derivative of a
// relu is a step: where the input is near 0, one training rounds it up and lets the gradient pass, and the other rounds
// it down and blocks it. From then on they are two trainings, of which neither is better. Another processor, or another
// order of additions, does the same. For the same number of ranks the bits are always the same, because the sums are
// made in the order of the ranks, not in that in which messages arrive.

// ## The sum
//
// To add up vectors that are spread over ranks, so that every rank gets the result, is called an **all-reduce**. If one
// rank received all gradients, its link would carry $N$ of them. It is better that every rank does a part of the work.
// The gradient of $G$ bytes is cut into $N$ slices. Rank $r$ receives slice $r$ from all others and adds these up; this
// is a *reduce-scatter*. Then it sends its slice of the sum to all others, an *all-gather*. Each time a rank sends
// $N-1$ slices of $G/N$ bytes, so that in all each sends
//
// $$ 2 \, \frac{N-1}{N} \, G $$
//
// bytes, and no method in which the ranks add sends less {cite:p}`patarasuk2009`. In the usual form, the *ring*, a rank
// talks to two neighbours only and passes partial sums on. The bytes are the same, but the order of the additions then
// differs from slice to slice. This is the sum of this book ({cpp:func}`~recto::optim::add_up`), where `exchange` and
// `gather` send the slices:
//
// ```{excerpt} recto/optim/ranks.cpp add_up
// ```
//
// We count what a rank sends:
//- ranks that count
class Counted final : public Ranks {
public:
    explicit Counted(Ranks& inner) : inner_(inner) {}
    int rank() const override { return inner_.rank(); }
    int size() const override { return inner_.size(); }
    void exchange(std::span<const std::byte> sent,
                  std::span<std::byte> received) override {
        bytes += double(sent.size()) / size() *
                 (size() - 1);  // a rank's slice for itself stays
        inner_.exchange(sent, received);
    }
    void gather(std::span<const std::byte> sent,
                std::span<std::byte> received) override {
        bytes += double(sent.size()) * (size() - 1);
        inner_.gather(sent, received);
    }
    void broadcast(std::span<std::byte> all) override { inner_.broadcast(all); }

    double bytes = 0;

private:
    Ranks& inner_;
};

void count() {
    const Index length = 840;  // divisible by 2 to 8
    double worst = 0;
    std::string words;
    for (const int size : {2, 4, 8}) {
        double sent = 0;
        optim::run_as_threads(size, [&](Ranks& ranks) {
            Counted counted(ranks);
            std::vector<Real> numbers(std::size_t(length), Real(ranks.rank()));
            optim::add_up(counted, numbers);
            if (ranks.rank() == size - 1)
                sent = counted.bytes / double(length * Index(sizeof(Real)));
        });
        words += fmt::format("{}{} by each of {} ranks", words.empty() ? "" : ", ",
                             sent, size);
        worst = std::max(worst, std::abs(sent - sent_share(size)));
    }
    say("gradients sent: {}", words);
    claim("", "gradients sent by a rank: largest difference from 2 (N - 1) / N", worst,
          "<=", 1e-12);
}
//-

// ## What a message costs
//
// A message has two prices. To start it costs a **latency** $\ell$, whatever its length, and then it flows with a
// **bandwidth** of $b$ bytes in a second. {numref}`fig-message` shows both, for sums of two ranks of this machine.
//- the time of one sum
// Seconds of one sum of this many bytes by two threads: the median, and the lower and upper quartile.
struct Spread {
    double middle, low, high;
};
Spread time_of_sum(Index bytes) {
    std::vector<double> seconds;
    optim::run_as_threads(2, [&](Ranks& ranks) {
        std::vector<Real> numbers(std::size_t(bytes) / sizeof(Real), Real(1));
        const int runs = book::quick() ? 3 : bytes > 1'000'000 ? 15 : 41;
        for (int run = -3; run < runs; ++run) {  // three to warm up
            optim::barrier(ranks);
            const double start = book::now();
            optim::add_up(ranks, numbers);
            if (ranks.rank() == 0 && run >= 0)
                seconds.push_back(book::seconds_since(start));
        }
    });
    std::ranges::sort(seconds);
    return {book::median(seconds), seconds[seconds.size() / 4],
            seconds[seconds.size() * 3 / 4]};
}

void messages() {
    std::vector<double> bytes, micros, low, high;
    for (Index n = 1024; n <= (book::quick() ? 4096 : 16 << 20); n *= 4) {
        const Spread time = time_of_sum(n);
        bytes.push_back(double(n)), micros.push_back(1e6 * time.middle);
        low.push_back(1e6 * time.low), high.push_back(1e6 * time.high);
    }
    Figure("fig-message")
        .describe(
            "Time of one sum of two ranks against its bytes, both axes logarithmic. "
            "The curve is flat for short "
            "messages, where the latency counts, and rises in proportion to the bytes "
            "for long ones.")
        .band("half of all runs", bytes, low, high)
        .line("median", bytes, micros)
        .x("bytes of the sum")
        .y("microseconds")
        .log_axes()
        .save(
            "The time of one sum by two threads of this machine, against its length. "
            "Short sums all cost the same, long "
            "ones cost in proportion to their bytes. The bend is where the two prices "
            "are equal.");
    timing(
        "a sum of {} bytes takes {:.1f} µs; one of {:.0f} kB, {:.2f} ns for each byte",
        bytes.front(), micros.front(), bytes.back() / 1000,
        1000 * micros.back() / bytes.back());
}
//-

// For this reason the gradients of all layers are joined and sent in **buckets** of a megabyte. A network of a hundred
// layers has hundreds of short gradients, and each sent alone would pay the latency. Now compare a step's messages with
// its computation. {numref}`fig-sum-cost` does so for three widths. The weights of a layer grow with the square of its
// width, the bytes with the weights, and the computation with weights times examples:
//- the time of a step, in its two parts
struct Cost {
    double work, talk;  // milliseconds of one step
};
Cost cost_of(const Examples& set, Index units, int size) {
    Cost found{};
    optim::run_as_threads(size, [&](Ranks& ranks) {
        Training training = fresh(set, 0, units);
        optim::DataParallel parallel(training.sgd, ranks);
        const auto [begin, end] =
            optim::share_of(measured(), ranks.rank(), ranks.size());
        const Examples mine = data::slice(set, begin, end);
        std::vector<double> work, talk;
        for (int run = -2; run < (book::quick() ? 3 : 15); ++run) {
            optim::barrier(ranks);
            const double start = book::now();
            training.sgd.zero_grad();
            cross_entropy(training.model(mine.x), mine.labels).backward();
            optim::barrier(ranks);
            const double middle = book::now();
            optim::add_up_gradients(ranks, training.sgd.parameters());
            const double end_of_step = book::now();
            if (run >= 0)
                work.push_back(1000 * (middle - start)),
                    talk.push_back(1000 * (end_of_step - middle));
        }
        if (ranks.rank() == 0) found = {std::ranges::min(work), std::ranges::min(talk)};
    });
    return found;
}

void costs(const Examples& set) {
    const int before = threads();
    set_threads(1);  // a core for each rank
    Names names;
    std::vector<double> work, talk;
    for (const Index units :
         book::quick() ? std::vector<Index>{16} : std::vector<Index>{128, 256, 512}) {
        const Cost one = cost_of(set, units, 1), two = cost_of(set, units, 2);
        for (const char* who : {"1 rank", "2 ranks"})
            names.push_back(fmt::format("{}, {}", units, who));
        work.push_back(1), work.push_back(two.work / one.work);
        talk.push_back(0), talk.push_back(two.talk / one.work);
        timing(
            "width {}, {} weights: computation {:.2f} ms with 1 rank, {:.2f} ms with 2 "
            "ranks, whose sum takes {:.2f} ms",
            units, nn::count(fresh(set, 0, units).model), one.work, two.work, two.talk);
    }
    set_threads(before);
    Figure("fig-sum-cost")
        .describe(
            "Pairs of bars for three widths, each with one and with two ranks: the "
            "computation of a step, and the sum "
            "of the gradients, both relative to the computation of one rank.")
        .bars("computation", names, work)
        .bars("sum of the gradients", names, talk)
        .x("width of the network, and ranks")
        .y("time of a step / computation of one rank")
        .save(
            "A step with one and with two ranks of this machine, each on one core, "
            "relative to the computation of one "
            "rank; the least of fifteen runs. On two idle cores two ranks halve the "
            "computation, and the sum takes back a "
            "part of what this saves.");
}
//-

// The gradient's bytes do not depend on the batch. A larger batch gives each rank more to compute for the same message,
// and the sum weighs less.

// ## A thousand ranks, on paper
//
// Let one step of one machine take the time $t$. With $N$ ranks, a ring makes $2(N-1)$ messages one after another, and a
// step takes
//
// $$ t_N = \frac{t}{N} + 2(N-1) \left( \ell + \frac{G}{N b} \right) . $$
//
// The first term falls with $N$. The bytes of a rank tend to $2G$ and stay there. The latency grows with $N$.
// {numref}`fig-thousand` above is for a network of a hundred million weights, a step of ten seconds on one
// machine, latencies of 20 µs and links of 10 GB/s. These are round numbers of ours.
//- the costs of a step
const double whole_step = 10, gradient = 4e8, latency = 2e-5,
             bandwidth = 1e10;  // s, bytes, s, bytes/s

struct OnPaper {
    double work, bytes, starts;  // seconds
    double total() const { return work + bytes + starts; }
};
OnPaper on_paper(double ranks) {
    return {whole_step / ranks, sent_share(ranks) * gradient / bandwidth,
            2 * (ranks - 1) * latency};
}

void thousand() {
    std::vector<double> stops;
    for (double n = 32; n <= 4096; n *= 2) stops.push_back(n);
    Figure figure("fig-thousand");
    figure
        .describe(
            "Three bars, for the number of ranks that a slider "
            "sets: the computation of a "
            "step falls in proportion, the time of the bytes stays the same from a few "
            "ranks on, and the latencies "
            "grow in proportion.")
        .slider("ranks", stops, "ranks", 64);
    for (const double n : stops) {
        const OnPaper cost = on_paper(n);
        figure.at(n).bars("", Names{"computation", "bytes", "latencies"},
                          {1000 * cost.work, 1000 * cost.bytes, 1000 * cost.starts});
    }
    figure.always()
        .y("milliseconds of a step")
        .ylim(0, 400)
        .save(
            "A step of a network of a hundred million weights with more and more "
            "ranks, which share one batch. The computation "
            "falls and the bytes stay. From two thousand ranks on, the latencies of a "
            "ring are the longest part.");
    std::vector<std::vector<book::Cell>> rows;
    for (const double n : {1., 10., 100., 1000., 4000.}) {
        const OnPaper cost = on_paper(n);
        rows.push_back({n, fmt::format("{:.0f} ms", 1000 * cost.total()),
                        fmt::format("{:.1f}", whole_step / cost.total()),
                        fmt::format("{:.0f}%", 100 * whole_step / cost.total() / n)});
    }
    say("the step is shortest with {:.0f} ranks",
        std::sqrt(whole_step / (2 * latency)));
    book::table("speed-up",
                "The same step in numbers. The efficiency is the speed-up divided by "
                "the ranks.",
                {"ranks", "a step", "speed-up", "efficiency"}, rows);
}
//-

// A thousand ranks make this training less than a hundred times as fast, and more ranks make it slower. The remedies
// follow from the formula. A *tree* or a ring of rings needs far fewer messages in a row. Numbers of 16 bits halve the
// bytes. The buckets of the last layers can travel while the first layers still compute {cite:p}`li2020`, which hides
// the sum behind the backward pass. And a larger batch lets each rank compute longer. That is the usual way:
// {cite:t}`goyal2017` trained with batches of 8,192 images on 256 GPUs, with a learning rate that grew with the batch.
// But [larger batches](../training/batches.cpp) help only up to a point. Beyond the *critical batch size*, the noise of
// the gradient is already small, and doubling the batch saves almost no steps {cite:p}`mccandlish2018`.
//
// **Failures.** Suppose that a machine fails once in three years. A thousand of them fail about once a day, and each
// failure ends the run. What is lost is the time since the last checkpoint. Checkpoints at intervals of $s$ that take
// the time $c$ cost the share $c/s$, and failures with the mean distance $m$ cost $s/(2m)$. The sum is least for
// $s = \sqrt{2 c m}$ {cite:p}`young1974`:
//- how often to save
void failures() {
    const double between = 3 * 365 * 24 * 3600. / 1000, save = 60;
    const double best = std::sqrt(2 * save * between);
    say("a failure every {:.0f} hours; a checkpoint of one minute every {:.0f} minutes "
        "loses {:.1f}% of the time",
        between / 3600, best / 60, 100 * (save / best + best / (2 * between)));
}
//-

// ## Limits
//
// The result is that of one process only if the loss is a mean over examples. A [batch
// norm](../components/batch_norm.cpp) takes its mean over the examples of its own rank, which is another network.
// Dropout draws for its own share. And every rank holds the whole network with the state of its optimiser: a network
// that is too large for one machine needs other cuts, by layers or within a matrix. The measurements of this page are
// those of threads in one memory. Between machines, the latency and the bandwidth are those of the network.
//
// ## What to remember
//
// In data-parallel training each rank computes the gradient of its share of the batch, and the weighted sum of these is
// the gradient of the whole batch. An all-reduce sends less than two gradients per rank, however many ranks there are,
// but its latencies grow with their number. The speed-up ends where the computation of a share is as short as the sum,
// and then only larger batches help.
//
// ## What is missing
//
// Our ranks wait for the whole backward pass before they send. Messages from GPU to GPU (NCCL) are missing, and so are
// models in parts. How much memory and time does a large model take, also after its training? The next
// chapter begins with this question. Before it, [the next page](quiz_applications.cpp) asks eleven questions about this
// chapter.
//
// ```{try}
// - Two processes: `--ranks 2 --steps 2000`. End one of them with `kill -9`, then type the command again, with `--ranks 1`.
// - A step that gives each rank less to do, or more: `--measured 120`, `--measured 4000`. What does the sum weigh now?
// ```

void page() {
    Generator random(book::seed());
    const Examples set = data::signals(4000, random);
    if (group() > 1 || !checkpoint().empty()) return train_over_ranks(set);
    bet();
    by_hand();
    compare(set);
    count();
    messages();
    costs(set);
    thousand();
    failures();
}
