// # Chain of thought: write the steps down
//
// ```{rows} sys-chain-of-thought fig-8.1
// ```
//
// A language model answers a question with the next token, and for each token it has the same few layers. A problem of
// eight steps gets no more of them than a problem of one. But the model reads what it has written itself. Can it write
// the intermediate results, and read them off again? {numref}`fig-8.1` shows two copies of one small
// [GPT](../architectures/mini_gpt.cpp) that have read equally many tokens of training. One was taught to answer at once,
// the other to write its steps first. Move the slider to other problems. This is **chain of thought**.
//
// ```{opening} fig-8.1
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/respond.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_in, book::claim_true, book::over_seeds,
    book::say;
using book::Study;
using figure::Figure;
using nn::Exchange;

const book::Option<Index> passes("steps", 400,
                                 "steps of the two trainings of this page",
                                 {.quick = 20, .least = 1, .most = 100'000});
const book::Option<Index> judged("judged", 500, "held-out problems of eight changes",
                                 {.quick = 50, .least = 10, .most = 100'000});
//-

// ## A word problem
//
// Ann keeps her apples in boxes of ten. She has 7 loose apples. She gets 3, gives 2, gets 1. How many are loose? The three
// changes make the 7 a 0, since a box is full, then an 8, since the box is opened, and then a 9. At once, the answer
// depends on all four numbers together. Step by step, each total depends on two numbers only: the total before and one
// change. With the first total $s_0$ and the changes $c_t$,
//
// $$ s_t = (s_{t-1} + c_t) \bmod 10, \qquad t = 1, \dots, T . $$
//
// A change is between 1 and 3, up or down. A table of all steps has ten rows and six columns, and it is the same table for
// each step. A table of all problems with eight changes has more than sixteen million entries.
//- the tokens of the problems
const Index most_changes = 8, has = 10, change = 20, question = 26, so = 27, blank = 28,
            filler = 29, tokens = 30, context = 20;

struct Problem {
    Index start;
    std::vector<Index> changes;  // 0, 1, 2: gets 1, 2, 3; then gives 1, 2, 3
};
Index after(Index total, Index c) {
    return (total + (c < 3 ? c + 1 : 10 - (c - 2))) % 10;
}
std::vector<Index> totals(const Problem& problem) {
    std::vector<Index> found;
    Index total = problem.start;
    for (const Index c : problem.changes) found.push_back(total = after(total, c));
    return found;
}
// One problem in eight is held out of all training, from two changes on: of the 60 problems with a single change, a
// network must have seen each.
bool is_held_out(const Problem& problem) {
    if (problem.changes.size() < 2) return false;
    std::uint32_t number = std::uint32_t(problem.start);
    for (const Index c : problem.changes) number = 7 * number + std::uint32_t(c) + 1;
    return philox({number, 0, 0, 0}, {8, 1})[0] % 8 == 0;
}
Problem drawn(Index count, bool held_out, Generator& random) {
    for (;;) {
        Problem problem{random.next_integer(0, 10), {}};
        for (Index t = 0; t < count; ++t)
            problem.changes.push_back(random.next_integer(0, 6));
        if (count < 2 || is_held_out(problem) == held_out) return problem;
    }
}
//-

// A problem becomes ten tokens: *Ann has 7*, then *gets 3* and so on, then the question. A problem with fewer than eight
// changes is filled up with an empty token, so that a response always begins at the same place. What follows the question
// is all that distinguishes the networks:
enum class Way { at_once, steps, dots };

Exchange exchange(const Problem& problem, Way way) {
    Exchange made{{has + problem.start}, {}};
    for (const Index c : problem.changes) made.prompt.push_back(change + c);
    made.prompt.resize(1 + most_changes, blank);
    made.prompt.push_back(question);
    const std::vector<Index> all = totals(problem);
    if (way == Way::steps) made.response = all;
    if (way == Way::dots) made.response.assign(all.size(), filler);
    made.response.insert(made.response.end(), {so, all.back()});
    return made;
}
// For the example above the response is *so 9* or *0, 8, 9, so 9*. The third way writes a dot in place of each total. We
// come to it below.
//
// ## The training
//
// The network has two blocks of width 32. Problems have one to eight changes, each number equally often, and one problem in
// eight of those with two changes or more is held out. {cpp:func}`~recto::nn::response_loss` is the cross-entropy of the
// tokens of the response. Each batch collects problems until it has 832 tokens. So both ways read equally many tokens: a
// network that answers at once sees half as many problems again.
struct Trained {
    nn::Gpt net;
    double tokens_read = 0;
};
//- how the network begins
// The embeddings of the library begin with a deviation of 0.02, for deep networks. With 0.3 this small one learns sooner.
nn::Gpt beginning(Index layers, Generator& random) {
    nn::Gpt net(
        {.tokens = tokens, .time = context, .layers = layers, .width = 32, .heads = 2},
        random);
    const NoGrad no_training;
    for (Tensor table : {net.words.weight, net.places.weight})
        table.copy_(clone(table) * 15);
    return net;
}
//-
Trained trained(Index layers, Way way, Index steps, Generator& random) {
    Trained made{beginning(layers, random)};
    optim::AdamW adam(nn::parameters(made.net), {.betas = {0.9, 0.98}});
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr =
            0.005 * std::min(double(step + 1) / 50, 1 - double(step) / double(steps));
        std::vector<Exchange> batch;
        Index size = 0;  // tokens of the batch, without the empty ones
        while (size < 832) {
            const Problem problem = drawn(random.next_integer(1, 9), false, random);
            batch.push_back(exchange(problem, way));
            size += std::ssize(problem.changes) + 2 + std::ssize(batch.back().response);
        }
        made.tokens_read += double(size);
        optim::train_step(adam, [&] { return nn::response_loss(made.net, batch); });
    }
    return made;
}
//- answers, and their accuracy
struct Judged {
    double accuracy = 0, step_entropy = 0, answer_entropy = 0;
    std::vector<std::vector<Index>> responses;
};
Judged judge(const nn::Gpt& net, const std::vector<Problem>& problems, Way way) {
    std::vector<std::vector<Index>> prompts;
    for (const Problem& problem : problems)
        prompts.push_back(exchange(problem, way).prompt);
    const Index steps = way == Way::at_once ? 0 : std::ssize(problems[0].changes);
    Judged found;
    const double count = double(problems.size());
    std::size_t k = 0;
    for (const nn::Response& one : nn::respond(net, prompts, steps + 2)) {
        found.accuracy +=
            double(one.tokens.back() == totals(problems[k++]).back()) / count;
        for (Index t = 0; t < steps; ++t)
            found.step_entropy += one.entropies[std::size_t(t)] / double(steps) / count;
        found.answer_entropy += one.entropies.back() / count;
        found.responses.push_back(one.tokens);
    }
    return found;
}
std::vector<Problem> held_out_problems(Index changes, Index count) {
    Generator random(900 + std::uint64_t(changes));
    std::vector<Problem> problems;
    for (Index k = 0; k < count; ++k) problems.push_back(drawn(changes, true, random));
    return problems;
}
//-
//- the study
const Index full_steps = 400, full_problems = 300;

std::vector<std::string> result_names() {
    std::vector<std::string> names;
    for (Index n = 1; n <= most_changes; ++n) names.push_back(fmt::format("{}", n));
    names.insert(names.end(), {"step entropy", "answer entropy", "tokens"});
    return names;
}
Study::Row train_and_judge(const Study::Row& cell) {
    Generator random(1000 * std::uint64_t(cell[0]) + book::seed());
    const Way way = Way(int(cell[2]));
    const Trained made =
        trained(Index(cell[1]), way, full_steps * Index(cell[3]), random);
    Study::Row row;
    Judged last;
    for (Index n = 1; n <= most_changes; ++n) {
        last = judge(made.net, held_out_problems(n, full_problems), way);
        row.push_back(last.accuracy);
    }
    row.insert(row.end(), {last.step_entropy, last.answer_entropy, made.tokens_read});
    return row;
}
std::vector<Study::Row> all_cells() {
    std::vector<Study::Row> cells;
    const auto add = [&](double layers, Way way, double times) {
        for (const double draw : {1, 2, 3, 4, 5})
            cells.push_back({draw, layers, double(int(way)), times});
    };
    for (const double layers : {2, 1}) {
        add(layers, Way::at_once, 4);
        for (const Way way : {Way::steps, Way::dots, Way::at_once}) add(layers, way, 1);
    }
    return cells;
}
// Accuracies near chance differ by a third from draw to draw, and so may those of another compiler.
const Study study({"chain_of_thought",
                   {"draw", "layers", "way", "times"},
                   result_names(),
                   {"sys-chain-of-thought/a", "sys-chain-of-thought/b",
                    "sys-chain-of-thought/c"},
                   0.4,
                   {0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 1, 1, 0.001}},
                  all_cells(), train_and_judge);

std::vector<double> column(const std::string& name, Index layers, Way way,
                           Index times = 1) {
    const io::Csv& all = study.frozen();
    const std::vector<double> values = all.column(name), depth = all.column("layers"),
                              ways = all.column("way"), factor = all.column("times");
    std::vector<double> found;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (depth[i] == double(layers) && ways[i] == double(int(way)) &&
            factor[i] == double(times))
            found.push_back(values[i]);
    return found;
}
//-
//- both networks answer, and how the first figure is drawn
std::vector<std::string> told(const Problem& problem) {
    std::vector<std::string> lines = {
        fmt::format("Ann has {} loose apples. She", problem.start), ""};
    for (std::size_t t = 0; t < problem.changes.size(); ++t) {
        const Index c = problem.changes[t];
        if (t > 0 && t % 4 == 0) lines.emplace_back();
        lines.back() += fmt::format("{} {}{}", c < 3 ? "gets" : "gives", c % 3 + 1,
                                    t + 1 == problem.changes.size() ? "." : ", ");
    }
    lines.emplace_back("How many are loose?");
    return lines;
}
std::string word(Index token) {
    return token < 10 ? fmt::format("{}", token) : token == so ? "So" : "…";
}
std::string written(const std::vector<Index>& response) {
    std::string text;
    for (std::size_t k = 0; k + 2 < response.size(); ++k)
        text += word(response[k]) + (k + 3 < response.size() ? ", " : ". ");
    return text + word(response[response.size() - 2]) + " " + word(response.back()) +
           ".";
}
void two_answers() {
    const std::vector<Problem> problems = held_out_problems(most_changes, judged());
    Generator random(1000 + book::seed()), same(1000 + book::seed());
    const Trained quick = trained(2, Way::at_once, passes(), random),
                  patient = trained(2, Way::steps, passes(), same);
    const Judged at_once = judge(quick.net, problems, Way::at_once),
                 by_steps = judge(patient.net, problems, Way::steps);
    std::vector<std::size_t> differing;
    for (std::size_t k = 0; k < problems.size(); ++k)
        if (at_once.responses[k].back() != by_steps.responses[k].back())
            differing.push_back(k);
    Generator draws(book::seed());
    std::vector<std::size_t> shown;
    for (const Index place : draws.permutation(std::ssize(differing)))
        if (shown.size() < 8) shown.push_back(differing[std::size_t(place)]);
    std::vector<double> stops;
    for (std::size_t k = 0; k < shown.size(); ++k) stops.push_back(double(k + 1));
    const std::array<const Judged*, 2> both = {&at_once, &by_steps};
    const std::array<double, 2> accuracy = {at_once.accuracy, by_steps.accuracy};
    Figure figure("fig-8.1");
    figure
        .describe(
            "Two panels with the same word problem about apples. One has the "
            "answer of a network that answers at once, the other that of a network "
            "that writes its totals first. A slider changes the problem.")
        .slider("problem", stops, "problem", 1);
    for (std::size_t p = 0; p < 2; ++p) {
        figure.always().panel(fmt::format("{}: {:.1f} % of all right",
                                          p == 0 ? "at once" : "with steps",
                                          100 * accuracy[p]));
        for (std::size_t k = 0; k < shown.size(); ++k) {
            const Problem& problem = problems[shown[k]];
            const std::vector<std::string> lines = told(problem);
            std::vector<double> x(lines.size(), 0), y;
            for (std::size_t i = 0; i < lines.size(); ++i) y.push_back(-double(i));
            const std::vector<Index>& response = both[p]->responses[shown[k]];
            const bool right = response.back() == totals(problem).back();
            figure.at(stops[k])
                .words("", x, y, lines, {.color = figure::ink})
                .words("", {0}, {-double(lines.size())}, {written(response)},
                       {.color = right ? figure::blue : figure::red, .bold = true});
        }
        figure.always().bare().xlim(-1, 1).ylim(-5.5, 0.5).tall(150);
    }
    figure.save(
        "Word problems with eight changes, and the responses of two networks of one "
        "size, **bold**: blue if the answer is right, and red if it is wrong. Ten "
        "loose "
        "apples go into a box, and a box is opened when loose ones are missing. The "
        "problems were drawn at random among the held-out problems on which the "
        "answers "
        "differ. The titles give the accuracy on all held-out problems.");
    book::shows("fig-8.1/c", "fig-8.1");
    bool drawn_so = !shown.empty();
    for (const std::size_t k : shown)
        drawn_so =
            drawn_so && is_held_out(problems[k]) &&
            judge(quick.net, {problems[k]}, Way::at_once).responses[0].back() !=
                judge(patient.net, {problems[k]}, Way::steps).responses[0].back();
    claim_true("fig-8.1/a",
               "each problem shown is held out, and the two networks answer it "
               "differently when they are asked again",
               drawn_so);
    say("held-out problems: {}; the answers differ on {} of them", problems.size(),
        differing.size());
    book::report("fig-8.1/b", "accuracy on all of them, answered at once",
                 at_once.accuracy);
    book::report("fig-8.1/b", "accuracy on all of them, with steps", by_steps.accuracy);
}
//-
// Both networks have the same number of parameters. On problems with eight changes a guess is right once in ten times, and
// the network that answers at once does not do better. The network with steps needs the table of one step only, eight
// times.
//
// ## More tokens, or more thought?
//
// There is another explanation. With its steps, the network writes ten tokens, and each is a pass through all its layers.
// At once it writes two. Maybe it only needs the time? To find out, the third way writes a dot for each change, and then
// the answer. It has the same number of tokens as the steps, and the dots carry no information of their own. Place your
// bet:
//- the question, the figure, and what is checked
void against_the_number_of_steps() {
    const double dots = book::median(column("8", 2, Way::dots)),
                 steps = book::median(column("8", 2, Way::steps));
    ask("Eight dots in place of eight totals, after equally many tokens of training: "
        "how "
        "many problems with eight changes does the network with dots answer rightly?",
        {{"About as many as with steps: what counts is the time to compute.",
          dots > steps - 0.1,
          "The dots give the network as much computation as the totals do."},
         {"Clearly more than a guess, and clearly fewer than with steps.",
          dots <= steps - 0.1 && dots > 0.2,
          "More computation helps, but a part of the gain comes from the written "
          "totals."},
         {"About one in ten, like a guess.", dots <= 0.2,
          "A dot is the same token whatever the network has found out. What the first "
          "block computes at a dot can be read by the second, but the loss never says "
          "what it should be, and this training has found no use for it."}});
    const std::vector<double> counts = {1, 2, 3, 4, 5, 6, 7, 8};
    struct Line {
        const char* label;
        Way way;
        Index times;
    };
    const std::vector<Line> lines = {{"with steps", Way::steps, 1},
                                     {"at once", Way::at_once, 1},
                                     {"dots", Way::dots, 1},
                                     {"at once, 4 × the tokens", Way::at_once, 4}};
    Figure figure("fig-cot-steps");
    figure.describe(
        "Two panels, for one and for two blocks: accuracy against the number of "
        "changes, "
        "from one to eight. With steps the median is near 100 per cent. At once and "
        "with "
        "dots it stays near a guess. With four times the tokens, the answers at once "
        "are "
        "mostly right, and fall slowly with the number of changes.");
    std::vector<std::vector<book::Cell>> rows;
    for (const Index layers : {1, 2}) {
        figure.panel(layers == 1 ? "one block" : "two blocks");
        for (const Line& line : lines) {
            std::vector<double> middle, low, high;
            for (const double n : counts) {
                const book::Measured found = over_seeds(
                    column(fmt::format("{}", n), layers, line.way, line.times));
                middle.push_back(100 * found.value), low.push_back(100 * found.low),
                    high.push_back(100 * found.high);
            }
            figure.band(line.label, counts, low, high).line(line.label, counts, middle);
            rows.push_back(
                {layers == 1 ? "one" : "two", line.label,
                 book::brief(over_seeds(column("8", layers, line.way, line.times)))});
        }
        figure.x("number of changes").y("accuracy, %").ylim(0, 102);
    }
    figure.save(
        "Accuracy on held-out problems against the number of changes: medians of five "
        "trainings, with bands from the lowest to the highest. All have read equally "
        "many tokens, except those with four times as many. A guess is right in 10 %. "
        "(The 60 problems with one change are all in the training.)");
    book::shows("sys-chain-of-thought/d", "fig-cot-steps");
    book::table("cot-eight", "Accuracy on held-out problems with eight changes.",
                {"blocks", "way", "accuracy"}, rows);
    claim("sys-chain-of-thought/a",
          "steps written: accuracy on problems with eight changes",
          over_seeds(column("8", 2, Way::steps)), ">=", 0.95);
    claim("sys-chain-of-thought/b",
          "answered at once, after equally many tokens: accuracy on the same problems",
          over_seeds(column("8", 2, Way::at_once)), "<=", 0.6);
    std::vector<double> ratio = column("tokens", 2, Way::at_once);
    const std::vector<double> with_steps = column("tokens", 2, Way::steps);
    for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] /= with_steps[i];
    claim_in("", "tokens of training, answered at once over with steps",
             over_seeds(ratio), 0.98, 1.02);
    std::vector<double> less = column("step entropy", 2, Way::steps);
    std::vector<double> less_than_longer = less;
    const std::vector<double> direct = column("answer entropy", 2, Way::at_once),
                              longer = column("answer entropy", 2, Way::at_once, 4);
    say("entropy of a written step: {} nats; of an answer at once: {} nats; of an "
        "answer "
        "at once after 4 × the tokens: {} nats",
        book::brief(over_seeds(less)), book::brief(over_seeds(direct)),
        book::brief(over_seeds(longer)));
    for (std::size_t i = 0; i < less.size(); ++i)
        less[i] -= direct[i], less_than_longer[i] -= longer[i];
    claim("sys-chain-of-thought/c",
          "entropy of a token of the steps less that of the direct answer, nats",
          over_seeds(less), "<", 0);
    claim("sys-chain-of-thought/c",
          "the same, less that of the direct answer after 4 × the tokens, nats",
          over_seeds(less_than_longer), "<", 0);
}
//-

// **The written totals count, not the number of tokens.** The network with dots computes as long as the one with steps.
// What it computes at a dot is passed on only inside the network, from the first block to the second, and no loss tells it
// what to pass on. Within this training it learns nothing. We have not trained the dots for longer.
//
// The network that answers at once does not even solve problems with one change. They are an eighth of its training, and
// in the longer ones no single number says much about the answer. (Of the 360 problems with two changes only every eighth
// is held out, so the accuracy there rests on few problems.)
//
// The comparison has another side. After four times as many tokens, all five networks of two blocks answer nine in ten of
// the problems at once, and three of the five of one block most of them. So this task *can* be done without steps. What the
// steps save here is training: the network sees every total, and learns a table of sixty sums. Without them it sees one
// number for up to eight sums. But even the networks with four times the tokens are less certain of their answer than
// those with steps are of each step: about ten times as much entropy is left. After the shorter training, an answer at once
// has the entropy of a guess, $\ln 10$.
//
// For one block the bands are wide. With steps, three of its five trainings are perfect. One solves problems of one, four,
// six and eight changes and guesses at the others, and one is right on a quarter to a half of the problems.
//
// ## In large models
//
// A large language model has read solutions with their steps in its training texts, so it need not be taught this format.
// A prompt is enough: examples with worked steps {cite:p}`wei2022`, or only the words *Let's think step by step*
// {cite:p}`kojima2022`. Before that, {cite:t}`nye2021` had fine-tuned language models to write intermediate results on a
// *scratchpad*, as we do. For the largest models, the gain on word problems was large, and small models gained nothing
// {cite:p}`wei2022`. Dots have been tried as well: {cite:t}`pfau2024` found tasks on which a Transformer learns to use them,
// though only with a training made for it.
//
// ## Limits
//
// Our problems have one kind of step, and the network was shown every step. A wrong total is never corrected: all
// that follow rest on it. If each step of a solution is right with probability $p$, and errors are independent, a solution
// of $T$ steps is right with probability $p^T$. At $p = 0.99$ and $T = 100$ this is 37 %. Written steps need not be
// the reason for an answer. Here they are, since the last total is the answer, but a model can write one thing and compute
// another. All networks share one learning rate and one schedule. We have not looked for better ones for answering at once
// or for dots.
//
// ## What to remember
//
// Intermediate results in the text turn one hard function into many easy ones, each with little left to guess. With the same
// size and equally many tokens of training, the network that writes its steps solves problems of eight changes, and the
// network that answers at once guesses, and so does one that writes dots. After four times as many tokens of training the
// answers at once are right in nine of ten problems: here the steps save training.
//
// ## What is missing
//
// All that the network of this page needs stands in its prompt. [The next page](retrieval.cpp) finds what belongs there in a
// collection of notes.
//
// ```{try}
// - More training at once: `--steps 1600`. Do the answers at once become better?
// ```

void page() {
    two_answers();
    against_the_number_of_steps();
}
