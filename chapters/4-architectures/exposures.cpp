// # Stored knowledge: how often must a network see a fact?
//
// ```{rows} claim-knowledge-1000-exposures
// ```
//
// A language model knows the capital of France because its training text named it. How often must a fact stand in the
// text until the model has stored it? A rule of thumb says: a thousand times store everything, a hundred times only a
// part. We can test this on facts that we made up. {numref}`fig-exposures` trains a small network and shows the share
// that it recalls. Move the sliders: each position is a training of its own. How many facts fit, and how often must the
// network see them?
//
// ```{opening} fig-exposures
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/accuracy.hpp>
#include <recto/nn/init.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::median, book::over_seeds, book::say;
using figure::Figure;

const book::Option<Index> shown_facts("facts", 200, "people in the first figure",
                                      {.least = 20, .most = 600});
const book::Option<Index> shown_exposures("exposures", 100,
                                          "exposures in the first figure",
                                          {.least = 5, .most = 400});
const book::Option<int> draws("draws", 3, "draws of facts and weights",
                              {.quick = 1, .least = 1, .most = 20});
const book::Option<Index> longest("longest", 1000, "the largest number of exposures",
                                  {.quick = 100, .among = {100, 300, 1000}});
//-

// ## A memory of 3,168 numbers
//
// Our facts are about people, and all of them are drawn at random, so nothing can be guessed. A person's name is a row of
// 32 signs, $+1$ or $-1$. Each person has 4 attributes, say the town, the profession, the instrument and the favourite
// dish, and each attribute has one of 16 values. The network is a perceptron with 32 hidden units. It reads the name and
// answers with 16 scores for each attribute:
const Index signs = 32, attributes = 4, values = 16;

struct Memory {
    nn::Linear hidden, answer;
    Memory(Index units, Generator& random)
        : hidden(signs, units, random, {.weights = nn::he_init}),
          answer(units, attributes * values, random, {.weights = nn::lecun_init}) {}
    Tensor operator()(const Tensor& names) const {
        return reshape(answer(hidden(names, relu)),
                       {names.size(0), attributes, values});
    }
    void visit(auto&& part) { part("hidden", hidden), part("answer", answer); }
};
//- the facts
struct Facts {
    Tensor names;      // (people, signs)
    Integers answers;  // (people, attributes)
};

Facts draw_facts(Index people, Generator& random) {
    Facts all{zeros({people, signs}), random.integers({people, attributes}, 0, values)};
    Real* sign = all.names.write();
    for (Index i = 0; i < people * signs; ++i)
        sign[i] = random.next_integer(0, 2) == 1 ? Real(1) : Real(-1);
    return all;
}

Facts take(const Facts& all, std::span<const Index> which) {
    const Index count = std::ssize(which);
    Facts some{zeros({count, signs}), Integers({count, attributes})};
    Real* sign = some.names.write();
    Index* answer = some.answers.write();
    for (const Index person : which) {
        sign = std::copy_n(all.names.data() + person * signs, signs, sign);
        answer =
            std::copy_n(all.answers.data() + person * attributes, attributes, answer);
    }
    return some;
}

// All people once, in a random order and in batches.
std::vector<std::vector<Index>> shuffled(Index people, Index batch, Generator& random) {
    const std::vector<Index> order = random.permutation(people);
    std::vector<std::vector<Index>> found;
    for (Index n = 0; n < people; n += batch)
        found.emplace_back(order.begin() + n,
                           order.begin() + std::min(n + batch, people));
    return found;
}

struct Plan {
    Index exposures;
    double rate = 0.003;
    Index batch = 100;
};
//-

// An **exposure** is one showing of a fact in training. In each pass the network sees every person once, in a new random
// order and in batches of 100. Adam's learning rate begins at 0.003 and falls to zero along half a cosine. This is the
// whole training:
template <class Watch>
void train(const Memory& net, const Facts& all, Plan plan, Generator& random,
           Watch&& after_pass) {
    const Index people = all.names.size(0);
    const double steps =
        double(plan.exposures) * std::ceil(double(people) / double(plan.batch));
    optim::Adam adam(nn::parameters(net));
    Index step = 0;
    for (Index pass = 0; pass < plan.exposures; ++pass) {
        for (const std::vector<Index>& which : shuffled(people, plan.batch, random)) {
            const Facts some = take(all, which);
            const double done = double(++step) / steps;
            adam.options.lr = plan.rate * (1 + std::cos(std::numbers::pi * done)) / 2;
            optim::train_step(adam, [&] {
                return double(attributes) *
                       cross_entropy(net(some.names), some.answers);
            });
        }
        after_pass();
    }
}

// The **recall** is the share of all answers for which the right value has the largest score. Guessing recalls one
// in sixteen.
//- a training with its results, and the first figure
double recall_of(const Memory& net, const Facts& all) {
    const NoGrad only_asking;
    return nn::accuracy(net(all.names), all.answers);
}

void one_training() {
    Generator random(book::seed());
    const Facts all = draw_facts(shown_facts(), random);
    const Memory net(32, random);
    std::vector<double> seen = {0}, recall = {recall_of(net, all)};
    train(net, all, {.exposures = shown_exposures()}, random, [&] {
        seen.push_back(double(std::ssize(seen)));
        recall.push_back(recall_of(net, all));
    });
    Figure("fig-exposures")
        .describe(
            "Recall against exposures so far in one training. At the first setting, "
            "200 people and 100 exposures, it rises slowly from one sixteenth to less "
            "than a half. A dashed line marks guessing. Sliders set the number of "
            "people and the number of exposures.")
        .slider(shown_facts, "people, with four facts each")
        .slider(shown_exposures, "exposures")
        .line("recall", seen, recall, {.color = figure::blue, .points = false})
        .rule_y(1.0 / double(values), "guessing", {.color = figure::red})
        .ylim(0, 1)
        .x("exposures so far")
        .y("recall")
        .save(
            "A network with 3,168 parameters learns random facts. With 200 people and "
            "100 exposures most of its answers are wrong at the end. Give it 20 "
            "people, "
            "or four times as many exposures.");
    say("parameters: {}; recall of {} people after {} exposures: {:.3f}",
        nn::count(net), shown_facts(), shown_exposures(), recall.back());
    claim("claim-knowledge-1000-exposures/a", "parameters of the network",
          nn::count(net), "==", 3168);
}
//-

// ## Knowledge in bits
//
// Recall counts a right answer, whether the network was sure of it or not. A finer measure counts **bits**. A network
// that knows nothing about an attribute gives each value a probability of $\frac{1}{16}$, and $\log_2 16 = 4$ bits are
// missing. If it gives the right value a probability of $\frac12$, one bit is missing, so it has stored three. If it is
// certain, it has stored all four. And if it gives the right value a probability of $\frac{1}{32}$, five bits are
// missing, and it has stored $-1$: a wrong belief is worse than none. With $P$ parameters, $N$ people and $A$ attributes
// of $K$ values, the network stores
//
// $$ R = \frac{1}{P} \sum_{n=1}^{N} \sum_{a=1}^{A} \left( \log_2 K + \log_2 p_{na} \right) $$
//
// bits for each parameter, where $p_{na}$ is the probability of the right value. The mean of the $-\log p_{na}$ is the
// cross-entropy that the training minimises, up to the base of the logarithm:
double stored_bits(const Tensor& scores, const Integers& answers) {
    const double surprise =  // bits for each answer
        double(cross_entropy(scores, answers).item()) / std::numbers::ln2;
    return double(answers.numel()) * (std::log2(double(values)) - surprise);
}
//- the example, and the trainings of this page
void example() {
    // Two attributes: probabilities of one half and of 1/32 for the right value.
    Tensor scores = zeros({2, values});
    const auto sure = [&](Index row, double p) {
        const double others = (1 - p) / double(values - 1);
        for (Index k = 0; k < values; ++k)
            scores.set({row, k}, Real(std::log(k == 0 ? p : others)));
    };
    sure(0, 1.0 / 2), sure(1, 1.0 / 32);
    claim("", "bits of the two answers of the example, less 3 - 1",
          std::abs(stored_bits(scores, Integers({2}, {0, 0})) - 2), "<=", 1e-5);
}

struct Result {
    double recall, bits, travel;  // bits for each parameter; the mean way of a weight
};

Result run(Index people, Plan plan, std::uint64_t draw, Index units = 32) {
    Generator random(book::seed() + 100 * draw);
    const Facts all = draw_facts(people, random);
    const Memory net(units, random);
    const Tensor before = clone(net.hidden.weight.detach());
    train(net, all, plan, random, [] {});
    const NoGrad only_asking;
    const Tensor scores = net(all.names);
    return {nn::accuracy(scores, all.answers),
            stored_bits(scores, all.answers) / double(nn::count(net)),
            double(mean(abs(net.hidden.weight - before)).item())};
}

std::vector<Result> runs(Index people, Plan plan, Index units = 32) {
    std::vector<Result> found;
    for (int draw = 0; draw < draws(); ++draw)
        found.push_back(run(people, plan, std::uint64_t(draw), units));
    return found;
}
std::vector<double> column(const std::vector<Result>& all, double Result::*of) {
    std::vector<double> found;
    for (const Result& one : all) found.push_back(one.*of);
    return found;
}
//-

// A network that knows all about 200 people stores $200 \cdot 4 \cdot 4 = 3200$ bits, 1.01 for each parameter.
//
// ## A hundred or a thousand
//
// Now vary both numbers. {numref}`fig-knowledge` shows networks that learned 200 to 2,000 people with 10 to 1,000
// exposures. Each point is a training of its own, and its learning rate has fallen to zero at the end.
//- how the figure is drawn, and what is checked
const std::vector<Index> sizes = {200, 300, 400, 1000, 2000};

struct Grid {
    std::map<std::pair<Index, Index>, std::vector<Result>> runs;  // people, exposures
    std::vector<double> of(Index people, Index exposures, double Result::*what) const {
        return column(runs.at({people, exposures}), what);
    }
};

std::vector<Index> exposures_for(Index people) {
    std::vector<Index> found;
    for (const Index exposures : {10, 30, 100, 300, 1000})
        if (exposures <= longest() &&
            (people <= 400 || exposures == 10 || exposures == 100 || exposures == 1000))
            found.push_back(exposures);
    return found;
}

void draw_grid(const Grid& grid) {
    const figure::Color colors[] = {figure::blue, figure::green, figure::ochre,
                                    figure::red, figure::plum};
    Figure figure("fig-knowledge");
    figure.describe(
        "Two panels over exposures on a logarithmic axis. First: recall for 200, 300, "
        "400, 1,000 and 2,000 people, rising from about a tenth; only the lines of 200 "
        "and 300 people come near one. Second: bits for each parameter, rising for all "
        "sizes to between 1.0 and 1.5.");
    for (const bool bits : {false, true}) {
        figure.panel(bits ? "stored" : "recalled");
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            std::vector<double> x;
            std::vector<std::vector<double>> curves(grid.runs.begin()->second.size());
            for (const Index exposures : exposures_for(sizes[i])) {
                x.push_back(double(exposures));
                const std::vector<double> heights = grid.of(
                    sizes[i], exposures, bits ? &Result::bits : &Result::recall);
                for (std::size_t n = 0; n < curves.size(); ++n)
                    curves[n].push_back(heights[n]);
            }
            figure.lines(fmt::format("{} people", sizes[i]), x, curves,
                         {.color = colors[i], .points = true});
        }
        figure.log_x().x("exposures").y(bits ? "bits for each parameter" : "recall");
        figure.ylim(bits ? -0.1 : 0, bits ? 1.6 : 1);
    }
    figure.save(
        "What a network with 3,168 parameters keeps of random facts, three draws for "
        "each "
        "setting. Two hundred people need about a thousand exposures. Of 400 or more "
        "people it keeps only a part, however often it sees them.");
    book::shows("claim-knowledge-1000-exposures/a", "fig-knowledge");
}

void knowledge() {
    Grid grid;
    for (const Index people : sizes)
        for (const Index exposures : exposures_for(people))
            grid.runs[{people, exposures}] = runs(people, {.exposures = exposures});
    draw_grid(grid);
    const auto recall = [&](Index people, Index exposures) {
        return grid.of(people, exposures, &Result::recall);
    };
    const auto bits = [&](Index people, Index exposures) {
        return grid.of(people, exposures, &Result::bits);
    };
    for (const Index people : sizes)
        say("{} people: recall {}, then {}; bits for each parameter {}, then {}",
            people, book::brief(over_seeds(recall(people, 100))),
            book::brief(over_seeds(recall(people, longest()))),
            book::brief(over_seeds(bits(people, 100))),
            book::brief(over_seeds(bits(people, longest()))));
    claim_in("claim-knowledge-1000-exposures/b",
             "recall of 200 people after 100 exposures", over_seeds(recall(200, 100)),
             0.335, 0.535);
    claim("claim-knowledge-1000-exposures/c",
          "recall of 200 people after 1,000 exposures",
          over_seeds(recall(200, longest())), ">=", 0.99);
    // A first measurement gave the numbers from which these two parts ask the distance.
    std::vector<double> of_recall, of_bits;
    const auto miss = [](const std::vector<double>& found, std::size_t i,
                         double first) { return std::abs(found[i] - first); };
    for (std::size_t i = 0; i < recall(200, 100).size(); ++i) {
        of_recall.push_back(std::max(miss(recall(300, longest()), i, 0.988),
                                     miss(recall(400, longest()), i, 0.751)));
        of_bits.push_back(std::max(
            {miss(bits(1000, 100), i, 0.77), miss(bits(1000, longest()), i, 1.32),
             miss(bits(2000, 100), i, 0.89), miss(bits(2000, longest()), i, 1.33)}));
    }
    claim("claim-knowledge-1000-exposures/d",
          "largest distance of the recall after 1,000 exposures from 0.988 for 300 "
          "people and 0.751 for 400",
          over_seeds(of_recall), "<=", 0.1);
    claim(
        "claim-knowledge-1000-exposures/e",
        "largest distance of the bits for each parameter from 0.77 and 1.32 for 1,000 "
        "people, and from 0.89 and 1.33 for 2,000",
        over_seeds(of_bits), "<=", 0.15);
}
//-

// A hundred exposures store less than half of the facts about 200 people, and a thousand store all of them. With 300
// people nearly everything still fits. With 400 a quarter of the answers is wrong, and with 2,000 more than three
// quarters. The bits tell why: from 300 people on, every network ends near 1.3 or 1.4 bits for each parameter, whether it
// saw 300 people or 2,000. More people make the recall worse, because they share the same bits.
//
// ## Is it the number of exposures?
//
// So must a fact be seen a thousand times? Look at the training once more. Two hundred people are two batches, so a
// hundred exposures are 200 steps of Adam. Place your bet:
//- the question, the figure, and what is checked
void reasons() {
    const std::vector<double> rates = {0.001, 0.003, 0.01, 0.03};
    std::map<std::pair<Index, double>, std::vector<Result>> found;  // batch, rate
    for (const Index batch : {100, 20})
        for (const double rate : rates)
            found[{batch, rate}] =
                runs(200, {.exposures = 100, .rate = rate, .batch = batch});
    const std::vector<Result> wide = runs(200, {.exposures = 100}, 64),
                              first = found.at({100, 0.003}),
                              fast = found.at({100, 0.03}),
                              long_one = runs(200, {.exposures = longest()});
    const bool width_helps = median(column(wide, &Result::recall)) >= 0.99,
               rate_helps = median(column(fast, &Result::recall)) >= 0.99;
    ask("Which change lets the network recall 99 % of the facts about 200 people after "
        "100 exposures?",
        {{"Twice as many hidden units.", width_helps && !rate_helps,
          "There was room before: the same network stores all of these facts after "
          "1,000 exposures. Twice as many units help, but not enough."},
         {"A learning rate ten times as large.", rate_helps && !width_helps,
          "At the small rate the weights had no time to travel. At ten times the rate "
          "they go as far in 100 exposures as they went in 1,000."},
         {"Neither of the two: 100 exposures are too few.", !width_helps && !rate_helps,
          "The network has seen each fact a hundred times, and each time its gradient "
          "names the right value. The steps were too small to follow it."}});
    Figure figure("fig-enough");
    figure.describe(
        "Recall after 100 exposures against the learning rate on a logarithmic axis, "
        "for "
        "batches of 100 and of 20. Both lines rise to one; that of the smaller batches "
        "comes first.");
    for (const Index batch : {100, 20}) {
        std::vector<std::vector<double>> curves(first.size());
        for (const double rate : rates)
            for (std::size_t i = 0; i < curves.size(); ++i)
                curves[i].push_back(found.at({batch, rate})[i].recall);
        figure.lines(
            fmt::format("batches of {}", batch), rates, curves,
            {.color = batch == 100 ? figure::blue : figure::ochre, .points = true});
    }
    figure.log_x()
        .x("learning rate at the start")
        .y("recall")
        .ylim(0, 1)
        .save(
            "The recall of 200 people after 100 exposures, three draws for each "
            "setting. The training of the last section is the second point of the line "
            "for batches of 100. With a larger rate or smaller batches 100 exposures "
            "are "
            "enough.");
    const auto tell = [](const char* words, const std::vector<Result>& all) {
        say("{}: recall {}, a weight of the first layer ends {} from its start", words,
            book::brief(over_seeds(column(all, &Result::recall))),
            book::brief(over_seeds(column(all, &Result::travel))));
    };
    tell("rate 0.003, 100 exposures", first);
    tell("rate 0.003, 100 exposures, 64 units", wide);
    tell("rate 0.003, the most exposures", long_one);
    tell("rate 0.03, 100 exposures", fast);
    say("batches of 20, rate 0.01, 100 exposures: recall {}",
        book::brief(over_seeds(column(found.at({20, 0.01}), &Result::recall))));
    claim("", "recall of 200 people after 100 exposures at a rate of 0.03",
          over_seeds(column(fast, &Result::recall)), ">=", 0.99);
    say("1,000 people, 100 exposures, rate 0.03: bits for each parameter {}",
        book::brief(over_seeds(
            column(runs(1000, {.exposures = 100, .rate = 0.03}), &Result::bits))));
}
//-
// {numref}`fig-enough` shows that the number 100 belongs to one training and not to facts in general. With ten times the
// learning rate, a hundred exposures store everything. So they do with batches of 20, which give five times as many
// steps, and a rate of 0.01. [A step of Adam](../training/optimisers.cpp) moves a weight by about the learning rate at
// most, and the printed distances show what the two successful trainings have in common: a weight of the first layer ends
// about half a unit away from its start, after 1,000 exposures at the small rate and after 100 at the large one. After
// 100 exposures at the small rate it is a tenth of a unit away, which is less than half of the standard deviation with
// which the weights began.
//
// The limit in {numref}`fig-knowledge` is one of the training, too: its lines of bits still rise at 1,000 exposures. At
// the rate of 0.03, 100 exposures store more bits about 1,000 people than 1,000 exposures at 0.003. We had fixed the rate
// of 0.003 before we looked at others. An experiment that says how often facts must be seen has to say how the network
// was trained.
//
// ## Limits and history
//
// {cite:t}`allenzhu2024` trained language models of the kind of GPT-2 on made-up biographies. After 1,000 exposures they
// store about 2 bits for each parameter, over a wide range of sizes, and after 100 exposures about 1 bit. The rule of
// thumb comes from there. Those are networks for text, which learn a language as well as facts. Our network has no
// language to learn: each name is a row of its input. Its facts are independent, so nothing can be stored more briefly
// than the bits say. And it never meets a question that is put in other words than its training. This page trains no
// language model on biographies: its figures take about a hundred trainings, and only a small perceptron allows that
// many.
//
// ## Summary
//
// Random facts measure what a network stores: four bits for each answer with 16 values, less the surprise that is left.
// Our network of 3,168 parameters recalls 43 % of the facts about 200 people after 100 exposures, and all of them after
// 1,000. Of 300 people and more this training stores about 1.3 to 1.4 bits for each parameter, and the recall falls. How
// many exposures are needed depends on how far the weights can travel: a larger learning rate does with a hundred what a
// small one needs a thousand for.
//
// ## What is missing
//
// A fact that is stored must still be found when it is asked for. All our questions had the form of the training. And all
// people were unrelated. Texts also have rules, and [the next page](grammar.cpp) makes texts whose rules are known.
//
// ```{try}
// - More draws: `--draws 10`. Which of the numbers vary most?
// - Fewer people than in the figures: `--facts 50`. How many exposures do they need?
// ```

void page() {
    one_training();
    example();
    knowledge();
    reasons();
}
