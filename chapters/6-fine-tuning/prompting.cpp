// # Prompting: the beginning of a text chooses its author
//
// ```{rows} sys-prompt-engineering claim-expert-persona-prompt claim-context-size-limits
// ```
//
// A language model continues a text as the texts of its training would go on. Some of those were written by people who
// know their subject, and some by people who do not. If a prompt begins with *An expert writes*, does the model answer
// better? {numref}`fig-persona` asks a small [GPT](../architectures/mini_gpt.cpp) which of two numbers is larger, with seven
// beginnings. The bars are the probability of the right answer. The weights are the same, and so is the question. Move the
// slider to other questions. Choosing the beginning so that the answer becomes better is **prompt engineering**.
//
// ```{opening} fig-persona
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/nn/respond.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using figure::Figure, figure::Names;
using nn::Exchange;

const book::Option<Index> passes("steps", 800, "steps of each training",
                                 {.quick = 10, .least = 1, .most = 100'000});
//-

// ## Two kinds of authors
//
// The texts of the training ask which of two different numbers below 20 is larger, and give an answer. Experts are right
// in 95 % of their texts, and novices in 60 %. A wrong answer is the smaller number. Half of the texts name their author at
// the beginning, *expert* or *novice*, and half do not. Among the texts without a name both kinds are equally frequent. So
// the share of right answers in them is
//
// $$ \tfrac12 \cdot 0.95 + \tfrac12 \cdot 0.6 = 0.775 . $$
//
// A model that has learned these texts well should give the right answer a probability near 0.95 after *expert*, 0.775
// without a name and 0.6 after *novice*. In general, with the author $a$, the question $x$ and the answer $y$,
//
// $$ p(y \mid x) = \sum_a p(a)\, p(y \mid a, x) , $$
//
// and a name in the prompt puts all of the weight on one author. **Information moves from the parameters to the input.**
//- the tokens, the texts, and which questions are held out
const Index numbers = 20, expert = 20, novice = 21, question = 22, blank = 23,
            tokens = 24;

struct Template {
    const char* name;
    Index first, second;
};
const std::vector<Template> templates = {
    {"no name", blank, blank},          {"expert", blank, expert},
    {"novice", blank, novice},          {"expert, expert", expert, expert},
    {"novice, novice", novice, novice}, {"novice, expert", novice, expert},
    {"expert, novice", expert, novice}};
const std::size_t with_two_names = 3;  // from here on
struct Pair {
    Index a, b;
};
bool is_held_out(const Pair& pair) {
    const auto low = std::uint32_t(std::min(pair.a, pair.b)),
               high = std::uint32_t(std::max(pair.a, pair.b));
    return philox({20 * low + high, 0, 0, 0}, {8, 2})[0] % 5 == 0;
}
std::vector<Pair> held_out_pairs() {
    std::vector<Pair> pairs;
    for (Index a = 0; a < numbers; ++a)
        for (Index b = 0; b < numbers; ++b)
            if (a != b && is_held_out({a, b})) pairs.push_back({a, b});
    return pairs;
}
//-
// In code, a text of the training has two places for a name, the question and the two numbers:
std::vector<Index> prompt(const Template& beginning, const Pair& pair) {
    return {beginning.first, beginning.second, question, pair.a, pair.b};
}
Exchange text(const Pair& pair, Generator& random) {
    const bool by_expert = random.next_uniform() < 0.5;
    const bool right = random.next_uniform() < (by_expert ? 0.95 : 0.6);
    Template beginning{"", blank, blank};
    const double place = random.next_uniform();  // half of the texts have a name
    if (place < 0.25)
        beginning.first = by_expert ? expert : novice;
    else if (place < 0.5)
        beginning.second = by_expert ? expert : novice;
    const Index larger = std::max(pair.a, pair.b), smaller = std::min(pair.a, pair.b);
    return {prompt(beginning, pair), {right ? larger : smaller}};
}
// A text with two names never occurs in the training. One pair of numbers in five is held out. The network has two blocks
// of width 32 and learns to write the answer.
//- the training, and what the network answers
nn::Gpt trained(Generator& random) {
    nn::Gpt net({.tokens = tokens, .time = 5, .layers = 2, .width = 32, .heads = 2},
                random);
    {
        const NoGrad no_training;
        for (Tensor table : {net.words.weight, net.places.weight})
            table.copy_(clone(table) * 15);
    }
    optim::AdamW adam(nn::parameters(net), {.betas = {0.9, 0.98}});
    for (Index step = 0; step < passes(); ++step) {
        adam.options.lr = 0.005 * std::min(double(step + 1) / 50,
                                           1 - double(step) / double(passes()));
        std::vector<Exchange> batch;
        while (batch.size() < 128) {
            const Pair pair{random.next_integer(0, numbers),
                            random.next_integer(0, numbers)};
            if (pair.a != pair.b && !is_held_out(pair))
                batch.push_back(text(pair, random));
        }
        optim::train_step(adam, [&] { return nn::response_loss(net, batch); });
    }
    return net;
}
struct Answers {
    std::vector<double> right;  // the probability of the right answer to each question
    double most_probable = 0;   // how often the most probable answer is right
    double sampled() const {    // how often a drawn answer is right, on average
        double sum = 0;
        for (const double p : right) sum += p / double(right.size());
        return sum;
    }
};
Answers answers(const nn::Gpt& net, const Template& beginning,
                const std::vector<Pair>& pairs) {
    const NoGrad only_asking;
    std::vector<Index> all;
    for (const Pair& pair : pairs)
        for (const Index token : prompt(beginning, pair)) all.push_back(token);
    const Index count = std::ssize(pairs);
    const std::vector<Real> p =
        softmax(select(net(Integers({count, 5}, all)), 1, 4)).values();
    Answers found;
    for (Index i = 0; i < count; ++i) {
        const Index larger = std::max(pairs[std::size_t(i)].a, pairs[std::size_t(i)].b);
        const auto row = p.begin() + long(i * tokens);
        found.right.push_back(double(row[larger]));
        found.most_probable +=
            double(std::max_element(row, row + tokens) == row + larger) / double(count);
    }
    return found;
}
//-
//- three trainings, and how the first figure is drawn
struct Results {
    std::vector<double> sampled, most_probable;  // for each beginning
    bool same_again = true;
};
void draw_answers(const nn::Gpt& net, const std::vector<Pair>& pairs) {
    std::vector<double> stops;
    for (int k = 1; k <= 8; ++k) stops.push_back(k);
    Generator random(book::seed());
    const std::vector<Index> order = random.permutation(std::ssize(pairs));
    Figure figure("fig-persona");
    figure
        .describe(
            "Bars for the probability of the right answer to one question, for seven "
            "beginnings of the prompt. It is high after expert and low after "
            "novice. A slider changes the question.")
        .slider("question", stops, "question", 1);
    Names names;
    for (const Template& one : templates) names.push_back(one.name);
    for (std::size_t k = 0; k < stops.size(); ++k) {
        const Pair pair = pairs[std::size_t(order[k])];
        std::vector<double> heights;
        for (const Template& one : templates)
            heights.push_back(100 * answers(net, one, {pair}).right[0]);
        figure.at(stops[k])
            .bars("", names, heights, {.color = figure::blue})
            .rule_y(100, fmt::format("{} or {}?", pair.a, pair.b));
    }
    figure.always()
        .x("beginning of the prompt")
        .y("probability of the right answer, %")
        .ylim(0, 110)
        .save(
            "The probability of the right answer to a question, after seven beginnings "
            "of the prompt. The question stands at the top. Its pair of numbers is "
            "not in the training, and was drawn at random among those.");
}
std::vector<Results> all_results() {
    const std::vector<Pair> pairs = held_out_pairs();
    std::vector<Results> all;
    for (const std::uint64_t draw : {1, 2, 3}) {
        Generator random(1000 * draw + book::seed());
        const nn::Gpt net = trained(random);
        Results r;
        for (const Template& one : templates) {
            const Answers found = answers(net, one, pairs);
            r.sampled.push_back(found.sampled());
            r.most_probable.push_back(found.most_probable);
            r.same_again =
                r.same_again && answers(net, one, pairs).right == found.right;
        }
        all.push_back(r);
        if (draw == 1) draw_answers(net, pairs);
    }
    say("questions of two numbers that are not in the training: {}", pairs.size());
    return all;
}
std::vector<double> column(const std::vector<Results>& all,
                           std::vector<double> Results::*which, std::size_t beginning) {
    std::vector<double> found;
    for (const Results& one : all) found.push_back((one.*which)[beginning]);
    return found;
}
std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}
//-

// ## Seven beginnings
//
// The accuracy of a beginning is the share of right answers when an answer is drawn from the probabilities, as
// [text is usually generated](../architectures/mini_gpt.cpp). {numref}`fig-beginnings` compares them. The last four
// beginnings are new to the model: it has to make something of two names.
//- the second figure, and what is checked
void beginnings(const std::vector<Results>& all) {
    Names names;
    std::vector<double> heights, best_less_worst;
    std::vector<std::vector<book::Cell>> rows;
    for (std::size_t k = 0; k < templates.size(); ++k) {
        names.push_back(templates[k].name);
        const book::Measured found = over_seeds(column(all, &Results::sampled, k));
        heights.push_back(100 * found.value);
        rows.push_back({templates[k].name, book::brief(found)});
    }
    for (const Results& one : all) {
        const auto [worst, best] = std::minmax_element(
            one.sampled.begin() + long(with_two_names), one.sampled.end());
        best_less_worst.push_back(*best - *worst);
    }
    Figure("fig-beginnings")
        .describe(
            "Bars for the accuracy of seven beginnings of the prompt. Expert, once or "
            "twice, is highest, novice, once or twice, is lowest, and no name lies "
            "between.")
        .bars("", names, heights, {.color = figure::blue})
        .x("beginning of the prompt")
        .y("right answers, %")
        .ylim(0, 100)
        .save(
            "Share of right answers to held-out questions when answers are drawn from "
            "the probabilities: medians of three trainings.");
    book::shows("sys-prompt-engineering/c", "fig-beginnings");
    book::table(
        "templates-accuracy",
        "Accuracy on held-out questions: medians and ranges of three trainings.",
        {"beginning", "accuracy"}, rows);
    claim("", "two names: accuracy with the best beginning less that with the worst",
          over_seeds(best_less_worst), ">=", 0.1);
    claim_true("sys-prompt-engineering/b",
               "a second evaluation gives the same numbers, bit for bit",
               std::ranges::all_of(all, &Results::same_again));
    const std::vector<double> none = column(all, &Results::sampled, 0);
    claim("claim-expert-persona-prompt/a",
          "accuracy after \"expert\" less that without a name",
          over_seeds(difference(column(all, &Results::sampled, 1), none)), ">=", 0.1);
    claim("claim-expert-persona-prompt/b",
          "accuracy after \"novice\" less that without a name",
          over_seeds(difference(column(all, &Results::sampled, 2), none)), "<", 0);
}
//-
// After each name the model is right less often than the author was, and so it is without one, by five to ten points. Its
// questions are about numbers that it has not seen together. **A name does not add knowledge. It chooses whose texts are
// continued.** *Novice* makes the model worse than it could be, and without a name it is a mixture of both. The training
// never asked for right answers. It asked for probable ones.
//
// The beginnings with two names are a test of their own, since the training never held them. *Expert* twice does about as
// well as once. *Novice* twice does worse than once, and worse than any author of the training: fewer than half of the
// answers are right. Nothing in the training says what two names mean. Names that contradict each other give something
// between the two, nearer to the expert, and their order hardly matters.
//
// ## The most probable answer
//
// Drawing is one way to get an answer. The other is to take [the most probable one](../training/mode_or_sample.cpp) each
// time. Place your bet:
//- the question
void most_probable(const std::vector<Results>& all) {
    const double expert = over_seeds(column(all, &Results::most_probable, 1)).value,
                 novice = over_seeds(column(all, &Results::most_probable, 2)).value;
    const double by = expert - novice;
    ask("The model takes the most probable answer in place of a drawn one. How much "
        "better "
        "is it after *expert* than after *novice*?",
        {{"By about as much as with drawn answers.", by >= 0.25,
          "The probabilities differ by this much. But a probability of 0.6 and one of "
          "0.95 lead to the same most probable answer."},
         {"By less, but clearly.", by >= 0.1 && by < 0.25,
          "Novices are more often right than wrong, so a perfect model would be right "
          "after every name. Ours is unsure about numbers that it has not seen "
          "together. After *novice* the two answers are about equally probable, and a "
          "small error is enough to make the wrong one the more probable."},
         {"Hardly: by less than 10 points.", by < 0.1,
          "Even a novice is right more often than wrong, so the most probable answer "
          "is "
          "the right one after every name."}});
    say("most probable answer right: {} after expert, {} after novice",
        book::brief(over_seeds(column(all, &Results::most_probable, 1))),
        book::brief(over_seeds(column(all, &Results::most_probable, 2))));
}
//-
// Whether a prompt helps therefore depends on how answers are chosen, and on the texts of the training. If novices in the
// training had been wrong on most questions, their name should have made the most probable answer wrong as well.
//
// ## How much fits a prompt
//
// A name is short. What if the prompt holds a whole book, and a fact in it matters? Two limits follow from the architecture.
// A GPT has a vector for each position, and so a longest text, its **context**. And attention compares tokens with each
// other. If each is compared with all, a prompt of $N$ tokens takes $N^2$ comparisons, 16 for four tokens and 64 for eight.
// Under the causal mask of a GPT, each is compared with itself and those before it. These are $N(N+1)/2$, 10 for four and
// 36 for eight: about half as many, and for long prompts they grow in the same way.
//
// We hide a password in a text of random words, and ask for it at the end. The network has one block and a context of 32
// tokens, and its training holds texts of any length up to 32. If a prompt is longer, its beginning is cut off, as programs
// around language models do:
//- the hidden password, and the training
const Index passwords = 10, words = 20, marker = 30, asked = 31, needle_tokens = 32,
            longest = 32;

// A text of `length` tokens, in which the password follows its marker at `place`.
std::vector<Index> hidden(Index password, Index place, Index length,
                          Generator& random) {
    std::vector<Index> made;
    for (Index t = 0; t + 1 < length; ++t)
        made.push_back(passwords + random.next_integer(0, words));
    made[std::size_t(place)] = marker, made[std::size_t(place + 1)] = password;
    made.push_back(asked);
    return made;
}
//-
std::vector<Index> cut(const std::vector<Index>& prompt) {
    const Index over = std::max<Index>(0, std::ssize(prompt) - longest);
    return {prompt.begin() + over, prompt.end()};
}
//- the training, and the password that the network finds
nn::Gpt finder(Generator& random) {
    nn::Gpt net({.tokens = needle_tokens,
                 .time = longest,
                 .layers = 1,
                 .width = 32,
                 .heads = 2},
                random);
    {
        const NoGrad no_training;
        for (Tensor table : {net.words.weight, net.places.weight})
            table.copy_(clone(table) * 15);
    }
    const Index steps = std::min<Index>(passes(), 300);
    optim::AdamW adam(nn::parameters(net), {.betas = {0.9, 0.98}});
    for (Index step = 0; step < steps; ++step) {
        adam.options.lr =
            0.01 * std::min(double(step + 1) / 50, 1 - double(step) / double(steps));
        std::vector<Exchange> batch;
        for (int n = 0; n < 32; ++n) {
            const Index password = random.next_integer(0, passwords),
                        length = random.next_integer(4, longest + 1);
            batch.push_back(
                {hidden(password, random.next_integer(0, length - 2), length, random),
                 {password}});
        }
        optim::train_step(adam, [&] { return nn::response_loss(net, batch); });
    }
    return net;
}
// The most probable of the ten passwords.
Index found(const nn::Gpt& net, const std::vector<Index>& prompt) {
    const NoGrad only_asking;
    const std::vector<Index> seen = cut(prompt);
    const Index T = std::ssize(seen);
    const std::vector<Real> scores =
        select(net(Integers({1, T}, seen)), 1, T - 1).values();
    return std::max_element(scores.begin(), scores.begin() + passwords) -
           scores.begin();
}
// How often the password is found, at places spread evenly over the first `places`. Each text holds each password once.
double share_found(const nn::Gpt& net, Index length, Index places, Index texts,
                   Generator& random) {
    double right = 0;
    for (Index n = 0; n < texts; ++n) {
        const Index place = n * places / texts;
        const Generator same = random.split();
        for (Index password = 0; password < passwords; ++password) {
            Generator words = same;
            right += found(net, hidden(password, place, length, words)) == password;
        }
    }
    return right / double(texts * passwords);
}
//-
//- the figure, and what is checked
void how_long() {
    const std::vector<double> lengths = {8, 16, 24, 32, 48, 64, 96, 128};
    std::vector<double> inside, lost, seconds, megabytes, per_pair;
    std::vector<std::vector<double>> anywhere;
    for (const std::uint64_t draw : {1, 2, 3}) {
        Generator random(1000 * draw + book::seed());
        const nn::Gpt net = finder(random);
        inside.push_back(share_found(net, longest, longest - 2, 20, random));
        lost.push_back(share_found(net, 2 * longest, longest - 1, 20, random));
        anywhere.emplace_back();
        for (const double N : lengths)
            anywhere.back().push_back(
                100 * share_found(net, Index(N), Index(N) - 2, 10, random));
    }
    Generator random(book::seed());
    const std::vector<double> long_ones = {128, 256, 512, 1024};
    for (const double N : long_ones) {
        const Tensor head = random.normal({1, 1, Index(N), 32});
        double best = HUGE_VAL;
        for (int time = 0; time < 3; ++time) {
            const FlopCount count;
            const auto start = std::chrono::steady_clock::now();
            attention(head, head, head);
            const std::chrono::duration<double> took =
                std::chrono::steady_clock::now() - start;
            best = std::min(best, took.count());
            if (time == 0) per_pair.push_back(double(count.multiply_adds()) / (N * N));
        }
        seconds.push_back(best);
        megabytes.push_back(N * N * 4 / 1e6);
    }
    Figure("fig-context")
        .describe(
            "Three panels. The share of passwords that are found is near 100 per "
            "cent up to a length of 32 and falls beyond. The computed memory of the "
            "scores "
            "and the measured time of attention rise as straight lines on logarithmic "
            "axes.")
        .panel("passwords found")
        .lines("", lengths, anywhere, {.color = figure::blue})
        .rule_x(longest, "context")
        .x("length of the prompt, tokens")
        .y("found, %")
        .ylim(0, 102)
        .panel("memory of the scores, computed")
        .line("", long_ones, megabytes, {.color = figure::blue, .dash = figure::solid})
        .log_axes()
        .x("length of the prompt, tokens")
        .y("MB")
        .panel("time of attention, measured")
        .line("", long_ones, seconds, {.color = figure::blue, .dash = figure::solid})
        .log_axes()
        .x("length of the prompt, tokens")
        .y("seconds")
        .save(
            "A password is hidden at places spread evenly over a prompt: how often "
            "three "
            "networks with a context of 32 tokens find it. The other panels are about "
            "one head of attention with 32 components, without a mask, in longer "
            "prompts: "
            "the memory that all scores would take in FP32 if they were stored, "
            "computed "
            "from their number, and the time on this machine.");
    book::shows("claim-context-size-limits/d", "fig-context");
    claim("claim-context-size-limits/a",
          "share of passwords found in prompts that just fit the context",
          over_seeds(inside), ">=", 0.9);
    claim("claim-context-size-limits/b",
          "share found when the password stood in the part that is cut off (so by "
          "construction)",
          over_seeds(lost), "==", 0.1);
    claim("claim-context-size-limits/c",
          "multiply-adds of attention without a mask, over N²: the largest over the "
          "smallest, for N from "
          "128 to 1024",
          *std::ranges::max_element(per_pair) / *std::ranges::min_element(per_pair),
          "==", 1);
}
//-
// Inside the context, the password is found wherever it stands. In the part that is cut off it might as well not exist: ten
// prompts that differ in their password alone are the same after the cut, so exactly one answer in ten is right, of any
// network. A longer context costs computation and memory, and twice the length takes four times as many comparisons.
// [Efficient attention](../architectures/efficient_attention.cpp) is about cheaper ways.
//
// ## Limits
//
// The two kinds of authors, and how often each is right, are our invention, and each name has a token of its own. The model
// was trained for this page and knows one task, so that *held out* are questions and beginnings, and not tasks.
// [The next page](prompt_templates.cpp) compares prompts on held-out tasks. In real texts an author's skill shows in many
// ways: spelling, length, the words of the field. {cite:t}`xu2023` describe an
// expert for each question in the prompt of a large model and find that its answers improve. Today's models are also
// fine-tuned to answer helpfully whatever the prompt says, and a name may then change little. So measure: with held-out
// questions, the same for each prompt, and more than one training where that is possible. Prompts can also hold worked
// examples {cite:p}`brown2020`, which [later pages](longer_prompts.cpp) are about.
// In long prompts, large models may find facts less surely in
// the middle than at the ends {cite:p}`liu2024`; our small one was trained for this single task.
//
// ## What to remember
//
// A prompt chooses among the kinds of texts that a model has learned. From the same weights, our small model answers more
// like its experts or more like its novices, and without a name it is a mixture of both. If the most probable answer is
// taken, the difference is smaller, since even novices are mostly right. A prompt carries at most what fits the context,
// and the cost of attention grows with the square of its length.
//
// ## What is missing
//
// A better beginning helps to say what a model knows, and not to compute what it cannot see at once.
// The next pages write [the same examples in several ways](prompt_templates.cpp), [fill the prompt with more
// examples](longer_prompts.cpp), and [let a model write its steps down](chain_of_thought.cpp).
//
// ```{try}
// - A longer training: `--steps 3200`. How near do the answers come to those of the authors?
// ```

void page() {
    const std::vector<Results> all = all_results();
    beginnings(all);
    most_probable(all);
    how_long();
}
