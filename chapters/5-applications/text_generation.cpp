// # Text generation: what the next word requires
//
// ```{rows} sys-text-generation claim-llm-integrates-knowledge sys-llm
// ```
//
// A language model is trained for one thing: to predict the next word. After *the capital of norland is* the right word
// is a fact, and no rule of grammar helps. After *ann sees hail, so ann is* it takes a little knowledge of what makes
// people sad. {numref}`fig-next` shows what a small [GPT](../architectures/mini_gpt.cpp) expects after six beginnings.
// Move the slider to follow its training. After which beginning does the network first know how to go on, and after which
// last?
//
// ```{opening} fig-next
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/table.hpp>
#include <recto/core/random.hpp>
#include <recto/data/little_world.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::over_seeds, book::say;
using data::WorldFact;
using figure::Figure, figure::Names;

using Text = std::vector<Index>;  // numbers of words

const book::Option<Index> passes("steps", 600, "steps of each training",
                                 {.quick = 16, .least = 16, .most = 100'000});
const book::Option<int> draws("draws", 3, "trainings",
                              {.quick = 1, .least = 1, .most = 20});
const Index window = 18;
//-

// ## A world in words
//
// The text of the training tells of a little world ({cpp:func}`~recto::data::little_world`), in random sentences one after
// another. It has 60 **facts** about lands, such as *the capital of norland is tolm*. Nothing predicts a fact, so each must
// be learned by heart. It has **rules**: *the part of thistle is roots* follows from *thistle is a plant*, since all plants
// have roots. And it has **causes**: *ann sees hail, so ann is sad*, and so would everyone be.
//
// Every fifth instance of a rule never stands in the text. A model that has learned the other instances by heart is wrong
// on these. A model that has learned the rule is right. This is the test for knowledge that is more than memory.
//- the text
struct Told {
    std::vector<WorldFact> rules, held;
};
Told told_rules() {
    Told found;
    std::size_t n = 0;
    for (const WorldFact& fact : data::rule_instances())
        (n++ % 5 == 2 ? found.held : found.rules).push_back(fact);
    return found;
}
// Texts one after another, each of them a full stop and then `window` words.
Text corpus(Index texts, Generator& random) {
    const std::vector<WorldFact> rules = told_rules().rules;
    Text all;
    for (Index n = 0; n < texts; ++n) {
        const Text text = data::world_sentences(rules, window, random);
        all.push_back(0), all.insert(all.end(), text.begin(), text.end());
    }
    return all;
}
//-
// A text of the training is a full stop and the words after it. The network sees all words but the last, and at each of
// them it predicts the next one. The loss is the [cross-entropy](../training/sequences.cpp) of all words:
Tensor loss_of(const nn::Gpt& net, const Text& texts) {
    Text before, next;
    for (std::size_t start = 0; start < texts.size(); start += window + 1)
        for (std::size_t t = start; t < start + window; ++t)
            before.push_back(texts[t]), next.push_back(texts[t + 1]);
    const Index words = std::ssize(next);
    const Tensor scores = net(Integers({words / window, window}, before));
    return cross_entropy(reshape(scores, {words, scores.size(2)}),
                         Integers({words}, next));
}
//- the training
// Calls `after` before the first step and after every one.
nn::Gpt trained(Index steps, Generator& random,
                const std::function<void(Index, const nn::Gpt&)>& after) {
    const nn::Gpt net({.tokens = std::ssize(data::world_words()),
                       .time = window,
                       .layers = 2,
                       .width = 48,
                       .heads = 4},
                      random);
    {  // so small a network learns sooner with larger embeddings than the library's
        const NoGrad no_training;
        for (Tensor table : {net.words.weight, net.places.weight})
            table.copy_(clone(table) * 15);
    }
    optim::AdamW adam(nn::parameters(net), {.betas = {0.9, 0.98}});
    after(0, net);
    for (Index step = 0; step < steps; ++step) {
        const double left = 1 - double(step) / double(steps);
        adam.options.lr =
            6e-3 * std::min(std::min(1.0, double(step + 1) / 30), 2 * left);
        const Text texts = corpus(24, random);
        optim::train_step(adam, [&] { return loss_of(net, texts); });
        after(step + 1, net);
    }
    return net;
}
//-
//- what the network expects after a beginning, and how often that is right
struct Task {
    Text before;  // the beginning, after a full stop
    Index right;  // the only word that may follow
};
// The probabilities of the next word, a row for each beginning; all beginnings have one length.
std::vector<Real> chances_after(const nn::Gpt& net, const std::vector<Task>& tasks) {
    const NoGrad only_asking;
    Text all;
    for (const Task& task : tasks) {
        all.push_back(0);
        all.insert(all.end(), task.before.begin(), task.before.end());
    }
    const Index count = std::ssize(tasks), length = std::ssize(all) / count;
    return softmax(select(net(Integers({count, length}, all)), 1, length - 1)).values();
}
double share_right(const nn::Gpt& net, const std::vector<Task>& tasks) {
    const std::vector<Real> chances = chances_after(net, tasks);
    const Index words = std::ssize(chances) / std::ssize(tasks);
    double right = 0;
    for (std::size_t n = 0; n < tasks.size(); ++n) {
        const auto row = chances.begin() + long(n) * words;
        right += std::max_element(row, row + words) - row == tasks[n].right;
    }
    return right / double(tasks.size());
}
Task task_of(Text sentence, Index words) {  // cut off before the given word
    const Index right = sentence[std::size_t(words)];
    sentence.resize(std::size_t(words));
    return {sentence, right};
}
std::vector<Task> completions(const std::vector<WorldFact>& facts) {
    std::vector<Task> tasks;  // the _ of _ is
    for (const WorldFact& fact : facts)
        tasks.push_back(task_of(data::statement(fact), 5));
    return tasks;
}
struct Group {
    const char* name;
    std::vector<Task> tasks;
};
std::vector<Group> groups() {
    const Told told = told_rules();
    Group form{"grammar", {}}, same{"same person", {}}, mood{"causes", {}};
    for (const Index person : data::little_world().people) {
        same.tasks.push_back(
            task_of(data::opinion(person, data::world_word("hail")), 5));
        for (const auto& things : data::little_world().things)
            for (const Index thing : things)
                mood.tasks.push_back(task_of(data::opinion(person, thing), 7));
    }
    for (std::size_t r = 0; r < data::little_world().relations.size(); ++r)
        form.tasks.push_back(task_of(data::statement(data::rule_instances()[r]), 2));
    for (std::size_t f = 0; f < data::little_world().features.size(); ++f)
        form.tasks.push_back(task_of(data::statement(data::land_facts()[f]), 2));
    return {form,
            same,
            mood,
            {"rules, told", completions(told.rules)},
            {"rules, never told", completions(told.held)},
            {"facts", completions(data::land_facts())}};
}
//-

// ## Writing
//
// To write, the network draws the next word from its probabilities, appends it to the text, and predicts again. This is
// **autoregressive sampling**. Suppose that *sad* has the probability 0.9 after *ann sees hail, so ann is*, and that a full
// stop has 0.8 after *sad*. Then the text goes on with *sad.* in $0.9 \cdot 0.8 = 0.72$ of all draws. In general,
//
// $$ p(x_1, \dots, x_T) = \prod_{t=1}^T p(x_t \mid x_1, \dots, x_{t-1}) . $$
//
// In code, for many texts at once, with a [cache](../fine-tuning/decoding.cpp) of what the attention has computed:
Integers write(const nn::Gpt& net, Index texts, Generator& random) {
    const NoGrad only_asking;
    std::vector<nn::KeyValueCache> caches = net.caches(texts, window);
    Text all(std::size_t(texts * window), 0), last(std::size_t(texts), 0);
    for (std::size_t t = 1; t < std::size_t(window); ++t) {
        const std::vector<Real> p =
            softmax(net(Integers({texts, 1}, last), caches)).values();
        const std::size_t words = p.size() / last.size();
        for (std::size_t n = 0; n < last.size(); ++n) {
            last[n] = random.multinomial({p.data() + n * words, words}, 1)[0];
            all[n * std::size_t(window) + t] = last[n];
        }
    }
    return {{texts, window}, all};
}
// The words stand in one row of the result for each text. The numbers of the generator are the only chance in it: the same
// seed gives the same texts.
//
// Does it write as its training text is written? We count the pairs of neighbouring words in 4,000 of its texts and in
// 20,000 of the corpus, and compare the shares. Suppose that there are two kinds of pairs, with shares of 0.6 and 0.4 in one
// and of 0.5 and 0.5 in the other. Then a tenth of all pairs would have to change to make the shares equal. This is the
// **total variation**
//
// $$ \tfrac12 \sum_k |p_k - q_k| = \tfrac12 (0.1 + 0.1) = 0.1 . $$
//- pairs of words
using Pairs = std::map<std::pair<Index, Index>, double>;
// The shares of all pairs in texts that stand one after another, each of `length` words, of which `window` count.
Pairs pairs_of(std::span<const Index> texts, Index length) {
    Pairs found;
    const double each = 1 / double(std::ssize(texts) / length * (window - 1));
    for (Index start = 0; start < std::ssize(texts); start += length)
        for (Index t = start; t + 1 < start + window; ++t)
            found[{texts[std::size_t(t)], texts[std::size_t(t + 1)]}] += each;
    return found;
}
double total_variation(const Pairs& a, const Pairs& b) {
    double sum = 0;
    for (const auto& [pair, p] : a) {
        const auto other = b.find(pair);
        sum += std::abs(p - (other == b.end() ? 0 : other->second));
    }
    for (const auto& [pair, p] : b)
        if (!a.contains(pair)) sum += p;
    return sum / 2;
}
//-
//- the trainings, the first figure, and what is checked of the texts
const Index written = 4000;

std::vector<Index> stops() {
    std::vector<Index> found = {0};
    for (const Index part : {1, 2, 4, 8, 10, 12, 16})
        found.push_back(part * passes() / 16);
    return found;
}
struct Results {
    std::vector<std::vector<std::vector<double>>> known;  // group, draw, stop
    std::vector<double> apart;
};
struct Beginning {
    const char* title;
    const char* text;
    std::vector<const char*> words;  // the right one first
};
const std::vector<Beginning> beginnings = {
    {"… (a new sentence)", "", {"the", "ann", "kitten", "is"}},
    {"the capital …", "the capital", {"of", "is", "the", "norland"}},
    {"ann sees hail, so …", "ann sees hail , so", {"ann", "ben", "hail", "is"}},
    {"ann sees hail, so ann is …",
     "ann sees hail , so ann is",
     {"sad", "happy", "a", "ann"}},
    {"the home of kitten is …",
     "the home of kitten is",
     {"den", "garden", "sky", "legs"}},
    {"the capital of norland is …",
     "the capital of norland is",
     {"tolm", "bress", "ald", "soup"}}};

void draw_expectations(const std::vector<std::vector<std::vector<double>>>& chances) {
    const std::vector<Index> at = stops();
    Figure figure("fig-next");
    figure
        .describe(
            "Six panels of bars, each with the probabilities of four words after a "
            "beginning. A slider moves through the training. The first bar of each "
            "panel is the right word, or one of several in the panel of a new "
            "sentence. "
            "By the end it is the highest in every panel.")
        .slider("step", std::vector<double>(at.begin(), at.end()),
                "step of the training", double(at[4]));
    for (std::size_t k = 0; k < beginnings.size(); ++k) {
        figure.always().panel(beginnings[k].title);
        Names names;
        for (const char* word : beginnings[k].words) names.emplace_back(word);
        for (std::size_t s = 0; s < at.size(); ++s)
            figure.at(double(at[s]))
                .bars("", names, chances[s][k], {.color = figure::blue});
        figure.always().x("next word").y("probability").ylim(0, 1).tall(110);
    }
    figure.save(
        "Probabilities of four words after six beginnings, at steps of the training. "
        "The "
        "first word of each panel is the right one; a new sentence can begin with the "
        "first three. The others are words of the same sort, or are frequent here.");
}

Results measure() {
    const std::vector<Group> all = groups();
    const std::vector<Index> at = stops();
    Results found;
    found.known.resize(all.size());
    Generator of_texts(book::seed() + 90);
    const Pairs of_corpus = pairs_of(corpus(20'000, of_texts), window + 1);
    const double between =
        total_variation(pairs_of(corpus(written, of_texts), window + 1), of_corpus);
    for (int draw = 0; draw < draws(); ++draw) {
        Generator random(1000 * std::uint64_t(draw + 1) + book::seed());
        for (auto& group : found.known) group.emplace_back();
        std::vector<std::vector<std::vector<double>>> chances;  // stop, beginning, word
        const nn::Gpt net =
            trained(passes(), random, [&](Index step, const nn::Gpt& so_far) {
                if (std::ranges::find(at, step) == at.end()) return;
                for (std::size_t g = 0; g < all.size(); ++g)
                    found.known[g].back().push_back(share_right(so_far, all[g].tasks));
                if (draw > 0) return;
                chances.emplace_back();
                for (const Beginning& one : beginnings) {
                    const std::vector<Real> p =
                        chances_after(so_far, {{data::world_tokens(one.text), 0}});
                    chances.back().emplace_back();
                    for (const char* word : one.words)
                        chances.back().back().push_back(
                            double(p[std::size_t(data::world_word(word))]));
                }
            });
        const std::uint64_t seed = book::seed() + 7;
        Generator one(seed), two(seed);
        const Integers texts = write(net, written, one);
        found.apart.push_back(total_variation(
            pairs_of({texts.data(), std::size_t(texts.numel())}, window), of_corpus));
        if (draw > 0) continue;
        draw_expectations(chances);
        claim_true("sys-text-generation/a", "the same seed gives the same texts",
                   write(net, written, two).values() == texts.values());
        for (Index n = 0; n < 3; ++n)
            say("it writes: {}",
                data::world_text(Text(texts.data() + n * window + 1,
                                      texts.data() + (n + 1) * window)));
    }
    claim("sys-text-generation/b",
          "total variation between the pairs of words of its texts and those of the "
          "corpus",
          over_seeds(found.apart), "<=", 0.1);
    say("for comparison, {} other texts of the corpus itself: {:.3f}", written,
        between);
    return found;
}
//-
// A good part of the distance is chance: other texts of the corpus are not at the distance 0 either. The rest says that
// the network's probabilities are not quite those of the corpus. The network writes sentences of the right forms, cut off
// at the end of the window. Real models read and write parts of words ([byte-pair encoding](../training/tokenizers.cpp)).
// In this world of 219 words, each word is a token.
//
// ## What is learned first?
//
// Six kinds of next words are tested. A word counts as known if the network finds it more probable than each of the 218
// others. Before you look at the curves, bet on the instances of rules that the text never tells, such as what a kitten
// needs:
//- the question, the figure, and what is checked
double middle(const std::vector<std::vector<double>>& known) {
    std::vector<double> half;
    for (const std::vector<double>& draw : known) half.push_back(draw[4]);
    return book::median(half);
}
void order(const Results& found) {
    const std::vector<Group> all = groups();
    std::vector<std::vector<double>> last(all.size());
    for (std::size_t g = 0; g < all.size(); ++g)
        for (const std::vector<double>& draw : found.known[g])
            last[g].push_back(draw.back());
    const double held = over_seeds(last[4]).value;
    ask("At the end of the training, how many of the instances of rules that the text "
        "never tells does the network know?",
        {{"Hardly any: it can only repeat what it has read.", held < 0.25,
          "The words are known, only not in this sentence. The vector of *kitten* is "
          "trained by all sentences about kittens."},
         {"About half of them.", held >= 0.25 && held < 0.75,
          "All things of a kind share their rules, so most of what the sentence needs "
          "is practised in others."},
         {"Nearly all.", held >= 0.75,
          "The text tells the kind of each thing and many instances of each rule. It "
          "costs less to store 24 rules and the kinds of 72 things than 230 sentences, "
          "and what is stored in this way also gives the sentences that were left "
          "out."}});
    const std::vector<Index> at = stops();
    const std::vector<double> steps(at.begin(), at.end());
    Figure figure("fig-order");
    figure.describe(
        "Share of known words against the steps of the training, six groups of three "
        "lines, which rise from 0. Grammar is at 1 almost at once, facts and rules by "
        "the middle of the training, and causes only near its end.");
    for (std::size_t g = 0; g < all.size(); ++g)
        figure.lines(all[g].name, steps, found.known[g], {.points = true});
    figure.x("step of the training")
        .y("share of the words that are known")
        .ylim(0, 1)
        .save(
            "Share of the beginnings after which the right word is the most probable "
            "of "
            "all words, for six groups of beginnings; three trainings each. *Same "
            "person* is the name after *so* in sentences about hail.");
    for (std::size_t g = 0; g < all.size(); ++g)
        say("{}: {} beginnings, known in the middle of the training {:.2f}, at the end "
            "{}",
            all[g].name, all[g].tasks.size(), middle(found.known[g]),
            book::brief(over_seeds(last[g])));
    claim("claim-llm-integrates-knowledge/a",
          "share of the facts whose right word is more probable than every other word",
          over_seeds(last[5]), ">=", 0.9);
    claim("claim-llm-integrates-knowledge/b",
          "the same share for instances of rules that were never told",
          over_seeds(last[4]), ">=", 0.7);
    claim("", "the same share for causes", over_seeds(last[2]), ">=", 0.9);
    std::vector<double> gap;
    for (std::size_t draw = 0; draw < last[3].size(); ++draw)
        gap.push_back(last[3][draw] - last[4][draw]);
    claim("", "share known of told instances less that of instances never told",
          over_seeds(gap), "<=", 0.15);
}
//-
// Grammar comes first: which word may follow *the capital* is the same in all sentences. Facts and rules are known by the
// middle of the training. The instances that were never told rise with those that were, a little later. Causes come last,
// and their share waits near a half for a long time, since *happy* or *sad* is then a guess between two words: the form
// of the sentence is known before its meaning. A guess between two words costs $\log 2 = 0.7$, and a guess among twenty
// capitals costs $\log 20 = 3.0$, so the causes have the least to gain. **To lower the loss of the next word, the network
// had to store more than sequences of words.** No loss asks for rules. They are the cheaper way to predict.
//
// ## Large language models
//
// A **large language model** is the same network with more layers, a larger width, and far more text. Its size follows
// from a few numbers. With $D$ blocks of the width $m$ and a hidden width of $h$, attention has four matrices of $m^2$
// weights, and the fully connected part two of $mh$. The words take $Km$, with $K$ words:
//
// $$ D \, (4 m^2 + 2 m h) + K m . $$
//
// For example, two blocks with $m = 3$, $h = 12$ and $K = 5$ have $2 \cdot (36 + 72) + 15 = 231$ weights. GPT-3 also has a
// vector for each of 2,048 positions. LLaMA has none, but three matrices of $mh$ in each block, one of
// them for a gate, and a second matrix of $Km$ for the scores. Biases and normalisations add less than a thousandth and are
// left out:
struct Published {
    const char* name;
    double layers, width, hidden, words, billions, tokens;
    bool gated;  // LLaMA
};
double parameters_of(const Published& m) {
    const double block = 4 * m.width * m.width + (m.gated ? 3 : 2) * m.width * m.hidden;
    const double positions = m.gated ? 0 : 2048;
    return m.layers * block + (m.words * (m.gated ? 2 : 1) + positions) * m.width;
}
//- the table
void large_models() {
    const std::vector<Published> models = {
        {"GPT-3 Small", 12, 768, 3072, 50'257, 0.125, 300, false},
        {"GPT-3 6.7B", 32, 4096, 16'384, 50'257, 6.7, 300, false},
        {"GPT-3 175B", 96, 12'288, 49'152, 50'257, 175, 300, false},
        {"LLaMA 6.7B", 32, 4096, 11'008, 32'000, 6.7, 1000, true},
        {"LLaMA 32.5B", 60, 6656, 17'920, 32'000, 32.5, 1400, true},
        {"LLaMA 65.2B", 80, 8192, 22'016, 32'000, 65.2, 1400, true}};
    std::vector<std::vector<book::Cell>> rows;
    double worst = 0;
    for (const Published& m : models) {
        const double n = parameters_of(m);
        worst = std::max(worst, std::abs(n / (1e9 * m.billions) - 1));
        rows.push_back({m.name, m.billions, std::round(n / 1e6) / 1e3,
                        std::round(2 * n / 1e7) / 100, m.tokens,
                        fmt::format("{:.1e}", 6 * n * m.tokens * 1e9)});
    }
    book::table(
        "large-models",
        "Sizes and tokens as published {cite:p}`brown2020,touvron2023`, and what "
        "follows from them: parameters in billions, gigabytes in FP16, and "
        "operations of the training.",
        {"model", "published", "computed", "GB", "tokens, billions", "operations"},
        rows);
    book::shows("sys-llm/a", "large-models");
    claim("sys-llm/b",
          "largest relative difference of the computed parameters from the published "
          "sizes",
          worst, "<=", 0.02);
}
//-
// Each parameter takes two bytes in FP16, and [six operations](../training/compute.cpp) for each token of the training.
//
// ## Limits
//
// Each sentence of this world has one of three forms, so its grammar and its rules are easy. Real text tells a fact in
// many ways and contradicts itself, and a rule has exceptions. *Known* means here: more probable than every other word
// after one fixed beginning. The network was not asked the other way round, *which land has the capital tolm*, and it
// need not know: it has learned to continue, and nothing else. A probable word is not a true one either. The network
// writes what its text would say, and where the text says nothing it writes something of the right sort, in the same
// voice. Three trainings share the world, the size and the schedule. They differ in their initial weights and in their
// sentences. Another schedule may lead to another order of the groups.
//
// {cite:t}`radford2019` showed with GPT-2 that one model of text learns to translate, to answer questions and to
// summarise without being trained for any of these tasks. {cite:t}`brown2020` described tasks to GPT-3 in its prompt.
//
// ## What to remember
//
// A language model writes by autoregressive sampling: it draws the next word from its probabilities and appends it. To
// predict the next word well it has to learn what the text is about. In our little world that is grammar, sixty facts,
// causes, and rules that it also applies to things about which the text never states them. A large language model has the
// same parts in larger numbers, and its parameters, its memory and its training can be computed from five of them.
//
// ## What is missing
//
// The network of this page continues any text, but you cannot give it a task. [The next page](few_shot.cpp) does so by
// examples in the prompt.
//
// ```{exercises}
// - [Drawing the next token](/exercises/running/token_sampling.md)
// ```
//
// ```{try}
// - Half the training: `--steps 300`. Which group suffers most?
// - One training with another seed: `--draws 1 --seed 5`.
// ```

void page() {
    const Results found = measure();
    order(found);
    large_models();
}
