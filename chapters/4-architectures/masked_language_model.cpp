// # BERT: a masked language model reads in both directions
//
// ```{rows} sys-bert
// ```
//
// *The old ? that likes a bird sings.* You guess the missing word from both sides: *old* stands before it, and *that* and
// *sings* say that it is a noun in the singular. A GPT cannot do this, because it reads from left to right. **BERT**
// learns to read by filling such gaps. Each row of {numref}`fig-gap` hides one word of a sentence from a small BERT. Drag
// the slider through its training on a made-up grammar. Where does the network become sure, and where can it only guess?
//
// ```{opening} fig-gap
// ```
//- includes, names and options
#include <recto/autograd/tape.hpp>
#include <recto/book/page.hpp>
#include <recto/book/study.hpp>
#include <recto/core/random.hpp>
#include <recto/data/grammar.hpp>
#include <recto/figure/figure.hpp>
#include <recto/nn/bert.hpp>
#include <recto/nn/influence.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/softmax.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <vector>

using namespace recto;
using book::ask, book::claim, book::claim_true, book::median, book::over_seeds,
    book::say, book::Study;
using figure::Figure, figure::Names;

const book::Option<Index> passes("steps", 1200, "steps of the training of this page",
                                 {.quick = 20, .least = 5, .most = 100'000});
const book::Option<bool> build("build", true, "whether BERT base is built, 438 MB",
                               {.quick = false});
//-

//- the text, in windows of 24 tokens
const Index words = 48, mask = 48, class_token = 49, window = 24;
const nn::BertSize mini = {.tokens = 50,
                           .time = window,
                           .segments = 2,
                           .layers = 2,
                           .width = 32,
                           .hidden = 128,
                           .heads = 4,
                           .deviation = 0.2};

// Each window begins with the class token, and then anywhere in a sentence.
Integers windows(Index count, Generator& random) {
    std::vector<Index> tokens;
    for (Index n = 0; n < count; ++n) {
        const Index skipped = random.next_integer(0, 8);
        const std::vector<Index> text =
            data::grammar_text(skipped + window - 1, random);
        tokens.push_back(class_token);
        tokens.insert(tokens.end(), text.begin() + skipped, text.end());
    }
    return Integers({count, window}, tokens);
}
//-

// ## Hide words and guess them
//
// No person has to label a text for this. Take any text and hide some of its words, and the text itself holds the
// answers. BERT {cite:p}`devlin2019` chooses 15 % of all tokens at random. Of the chosen tokens 80 % are replaced by a
// special token, `[MASK]`. Later texts contain no `[MASK]`, and the network should be useful there, too. So 10 % are
// replaced by a random word, and 10 % stay as they are. The network must guess the original at each chosen place and
// cannot rely on a word that it sees there:
//
// ```{excerpt} recto/nn/bert.cpp mask_tokens
// ```
//
// The loss counts the chosen places alone. Let $S$ be the set of these places, $x_t$ the token that stood at place $t$,
// and $\tilde x$ the text that the network reads. Then
//
// $$ \Loss = -\frac{1}{|S|} \sum_{t \in S} \log p(x_t \mid \tilde x) . $$
//
// Suppose that *dogs* and *sleep* are hidden in *the dogs sleep .*, and that the network gives *dogs* a probability of
// $\frac14$ and *sleep* one of $\frac12$. The loss is $(\log 4 + \log 2) / 2 = 1.04$. A GPT learns from every token of
// its text, and BERT from 15 % of them. This is the price of reading in both directions: a network that sees the whole
// text cannot be asked about a word that it sees.
//
// ## The network
//
// Each token has a vector, each position has one, and so has each of two *segments*, because some tasks put two texts
// into one sequence. Their sum is normalised and runs through blocks of attention without a mask. BERT's blocks normalise
// after each sum, as [the first Transformer](transformer_blocks.cpp) did:
//
// ```{excerpt} recto/nn/bert.cpp BertBlock::operator()
// ```
//
// The first token of every sequence is a **class token**, `[CLS]`, which stands for no word. A **pooler**, a dense layer
// with tanh, reads the output there, for questions about a whole text. [The vision transformer](vision_transformer.cpp)
// has borrowed this token.
//
// The base model has 12 blocks of width $m = 768$ and a vocabulary of 30,522 tokens. A block has $12 m^2 + 13 m$
// parameters, which is 7,087,872. The embeddings have $(30{,}522 + 512 + 2 + 2)\, m$, with the normalisation, and the
// pooler has $m^2 + m$. The object has just as many:
//- what is checked
void counts() {
    const double m = 768;
    const double formula =
        12 * (12 * m * m + 13 * m) + (30'522 + 512 + 2 + 2) * m + m * m + m;
    if (build()) {
        Generator random(book::seed());
        const nn::Bert base({}, random);
        claim("sys-bert/c", "parameters of BERT base, counted in the object",
              nn::count(base), "==", 109'482'240);
        claim("", "parameters that the formula misses",
              double(nn::count(base)) - formula, "==", 0);
    }
}
//-

// ## Both directions
//
// Does the output at each place depend on the whole text? [As for GPT](mini_gpt.cpp) we replace each token in turn and
// note which outputs change. {numref}`fig-both-ways` shows an untrained small BERT, and beside it the same network with a
// causal mask.
//- what is checked, and how the figure is drawn
void dependencies() {
    const NoGrad only_asking;
    Generator random(book::seed());
    const nn::Bert net(mini, random);
    const Index T = 8;
    Figure figure("fig-both-ways");
    figure.describe(
        "Two heat maps of eight outputs by eight inputs. Without a mask all cells are "
        "filled, with a causal mask only those on and below the diagonal.");
    Names places;
    for (Index t = 1; t <= T; ++t) places.push_back(std::to_string(t));
    for (const bool causal : {false, true}) {
        const std::vector<Real> seen =
            nn::influence([&](const Integers& x) { return net(x, {.causal = causal}); },
                          T, words, random, 1)
                .values();
        const Index zeros = std::ranges::count(seen, Real(0));
        if (!causal)
            claim("sys-bert/b",
                  "of 64 pairs of an output and an input, those without an influence",
                  zeros, "==", 0);
        else
            claim("", "the same with a causal mask", zeros, "==", T * (T - 1) / 2);
        figure.panel(causal ? "causal mask" : "BERT")
            .heatmap("largest change", places, places,
                     std::vector<double>(seen.begin(), seen.end()), 0, 0.6)
            .x("token that is replaced")
            .y("output");
    }
    figure.save(
        "How far each token changes each output of an untrained network with two "
        "blocks. "
        "Every output of BERT depends on every token. With a causal mask half of the "
        "cells are zero.");
}
//-

// ## Learning a grammar
//
// Our text comes from a small grammar with 48 words: *some old dogs that chase a cat walk . the king dreams today .*
// Verbs agree with their subjects, *that* begins a clause about the subject, and eight words such as *walks* are nouns in
// one place and verbs in another. The network has two blocks of width 32. This is its training:
//- a network with its head
struct Filler {
    nn::Bert net;
    nn::MaskedTokenHead head;
    bool causal;
    Filler(bool causal, Generator& random)
        : net(mini, random), head(mini, random), causal(causal) {}
    // Scores of all tokens at these places of the flattened sequences.
    Tensor scores(const Integers& read, const Integers& at) const {
        const Tensor outputs = net(read, {.causal = causal});
        return head(index_rows(reshape(outputs, {read.numel(), mini.width}), at),
                    net.words.weight);
    }
    void visit(auto&& part) { part("net", net), part("head", head); }
};

struct Gaps {
    Integers at, wanted;  // places that were chosen, and the tokens that stood there
};
Gaps gaps(const nn::MaskedTokens& text) {
    std::vector<Index> at, wanted;
    const std::vector<Index> all = text.wanted.values();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] >= 0) at.push_back(Index(i)), wanted.push_back(all[i]);
    return {Integers({std::ssize(at)}, at), Integers({std::ssize(at)}, wanted)};
}
NamedTensors trained_parts(const Filler& filler) {
    NamedTensors all = nn::parameters(filler);
    std::erase_if(all, [](const NamedTensor& one) {
        return one.name.find("pooler") != std::string::npos;  // no loss reaches it
    });
    return all;
}
//-
template <class Look>
void train(const Filler& filler, Index steps, Generator& random, Look&& look) {
    optim::AdamW adam(trained_parts(filler));
    for (Index step = 0; step < steps; ++step) {
        const nn::MaskedTokens text = nn::mask_tokens(windows(32, random), mask,
                                                      {.last_word = words - 1}, random);
        const Gaps chosen = gaps(text);
        adam.options.lr =
            0.005 * std::min(double(step + 1) / 100, 1 - double(step) / double(steps));
        optim::train_step(adam, [&] {
            return cross_entropy(filler.scores(text.read, chosen.at), chosen.wanted);
        });
        look(step + 1);
    }
}

// The comparison is a guess by frequency: always the most frequent word. We also train the same network with a causal
// mask, which reads only what stands before a gap. On new text all chosen words are hidden. Place your bet:
//- what is measured on new text
const std::vector<std::string> kinds = {"full stop", "determiner",  "adjective",
                                        "noun",      "verb",        "both",
                                        "adverb",    "preposition", "that"};
std::size_t kind_of(Index word) {
    if (word == 0) return 0;
    if (data::is_ambiguous(word)) return 5;
    for (const auto& [first, kind] : std::vector<std::pair<Index, std::size_t>>{
             {47, 8}, {44, 7}, {40, 6}, {30, 4}, {10, 3}, {4, 2}})
        if (word >= first) return kind;
    return 1;
}

// Accuracy over all gaps, that of the most frequent word, the loss, and the loss by kind
// of word.
Study::Row judge(const Filler& filler) {
    const NoGrad only_asking;
    Generator random(1000 + book::seed());  // new text, the same for all networks
    const Integers text = windows(1000, random);
    const nn::MaskedTokens hidden = nn::mask_tokens(
        text, mask, {.hidden = 1, .replaced = 0, .last_word = words - 1}, random);
    const Gaps chosen = gaps(hidden);
    const Tensor scores = filler.scores(hidden.read, chosen.at);
    const std::vector<Real> all = scores.values();
    std::vector<double> frequency(std::size_t(words), 0.0);  // in other text
    for (const Index word : windows(1000, random).values())
        if (word < words) ++frequency[std::size_t(word)];
    const Index usual = std::ranges::max_element(frequency) - frequency.begin();
    const std::vector<Real> surprise =
        cross_entropy(scores, chosen.wanted, {.reduction = Reduction::none}).values();
    double right = 0, frequent = 0, loss = 0;
    std::vector<double> of(kinds.size(), 0.0), loss_of(kinds.size(), 0.0);
    for (Index n = 0; n < chosen.at.numel(); ++n) {
        const auto row = all.begin() + n * mini.tokens;
        const Index said = std::max_element(row, row + mini.tokens) - row,
                    was = chosen.wanted.data()[n];
        const double nats = double(surprise[std::size_t(n)]);
        right += said == was, frequent += usual == was, loss += nats;
        ++of[kind_of(was)], loss_of[kind_of(was)] += nats;
    }
    const double count = double(chosen.at.numel());
    Study::Row found = {right / count, frequent / count, loss / count};
    for (std::size_t k = 0; k < kinds.size(); ++k) found.push_back(loss_of[k] / of[k]);
    return found;
}

Filler trained(bool causal, double draw, Index steps) {
    Generator random(book::seed() * 100 + std::uint64_t(draw));
    Filler filler(causal, random);
    train(filler, steps, random, [](Index) {});
    return filler;
}
std::vector<std::string> result_names() {
    std::vector<std::string> names = {"accuracy", "frequent", "loss"};
    names.insert(names.end(), kinds.begin(), kinds.end());
    return names;
}
const Study study(
    {"masked_language_model", {"causal", "draw"}, result_names(), {"sys-bert/a"}, 0.05},
    {{0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}},
    [](const Study::Row& cell) { return judge(trained(cell[0] == 1, cell[1], 1200)); });
//-

//- the figures, the question, and what is checked
const std::vector<Index> sentence = {3, 5, 18, 47, 36, 1, 16, 32, 0};

// Probabilities of all words at each place of the sentence, when it alone is hidden. Other sentences follow.
std::vector<std::vector<double>> fill(const Filler& filler) {
    const NoGrad only_asking;
    Generator random(book::seed());
    std::vector<Index> text = {class_token};
    text.insert(text.end(), sentence.begin(), sentence.end());
    const std::vector<Index> more =
        data::grammar_text(window - std::ssize(text), random);
    text.insert(text.end(), more.begin(), more.end());
    std::vector<std::vector<double>> found;
    for (std::size_t place = 1; place <= sentence.size(); ++place) {
        std::vector<Index> read = text;
        read[place] = mask;
        const std::vector<Real> p =
            softmax(filler.scores(Integers({1, window}, read),
                                  Integers({1}, {Index(place)})))
                .values();
        found.emplace_back(p.begin(), p.begin() + words);
    }
    return found;
}

Filler draw_gaps() {
    Generator random(book::seed() * 100 + 1);
    Filler filler(false, random);
    std::vector<double> stops = {0};
    std::vector<std::vector<std::vector<double>>> at_stops = {fill(filler)};
    train(filler, passes(), random, [&](Index step) {
        for (const double share : {0.1, 0.25, 0.5, 1.0})
            if (double(step) == std::round(share * double(passes())) &&
                double(step) > stops.back())
                stops.push_back(double(step)), at_stops.push_back(fill(filler));
    });
    std::set<Index> drawn(sentence.begin(), sentence.end());
    for (const std::vector<double>& p :
         at_stops.back()) {  // the two best words of each
        std::vector<Index> order(p.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, [&](Index a, Index b) {
            return p[std::size_t(a)] > p[std::size_t(b)];
        });
        drawn.insert(order[0]), drawn.insert(order[1]);
    }
    Names columns, rows, hidden;
    for (const Index word : drawn)
        columns.push_back(data::grammar_words()[std::size_t(word)]);
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        hidden.push_back(data::grammar_words()[std::size_t(sentence[i])]);
        rows.push_back(fmt::format("{} {}", i + 1, hidden.back()));
    }
    Figure figure("fig-gap");
    figure
        .describe(
            "A heat map: a row for each word of the sentence the old king that likes a "
            "bird sings, hidden in turn, and a column for each word that the network "
            "might put there. After training the full stop and that are certain, and "
            "nouns and verbs are spread over several words of the right kind.")
        .slider("step", stops, "step of the training", stops.back());
    for (std::size_t i = 0; i < stops.size(); ++i) {
        std::vector<double> cells;
        for (const std::vector<double>& p : at_stops[i])
            for (const Index word : drawn)
                cells.push_back(std::round(100 * p[std::size_t(word)]) / 100);
        figure.at(stops[i])
            .heatmap("probability", columns, rows, cells, 0, 1)
            .frame(hidden, rows);
    }
    figure.always()
        .x("the network's answer")
        .y("hidden word")
        .save(
            "Each row hides one word of a sentence from a small BERT and shows the "
            "probabilities of its answers; a red frame marks the hidden word. After "
            "training it knows which kind of word is missing, and mostly whether it is "
            "singular or plural. Which noun or verb it was, no reader could know.");
    return filler;
}

std::vector<double> column(bool causal, std::size_t result) {
    std::vector<double> found;
    for (const Study::Row& row : study.frozen().rows)
        if ((row[0] == 1) == causal) found.push_back(row[2 + result]);
    return found;
}

void compare() {
    const std::vector<std::size_t> asked = {0, 1, 3, 4};  // kinds
    std::vector<double> lost;
    for (std::size_t k = 0; k < kinds.size(); ++k)
        lost.push_back(median(column(true, 3 + k)) - median(column(false, 3 + k)));
    const std::size_t most =
        *std::ranges::max_element(asked, {}, [&](std::size_t k) { return lost[k]; });
    ask("With a causal mask the network reads only the text before a gap. For which of "
        "these hidden tokens does its loss grow most?",
        {{"Full stops.", most == 0,
          "A full stop comes after a verb, a noun or an adverb, and the determiner "
          "behind it gives it away."},
         {"Determiners.", most == 1,
          "A full stop, a verb or a preposition stands before a determiner and "
          "already announces it."},
         {"Nouns.", most == 3,
          "A noun follows a determiner or an adjective, so that its kind is known from "
          "the text before it."},
         {"Verbs.", most == 4,
          "After a noun the sentence may end, or go on with a verb, with *that* or "
          "with "
          "a preposition. The text behind the gap tells which of them it is, and "
          "whether the verb has an object."}});
    Figure figure("fig-kinds");
    std::vector<double> both, before;
    for (std::size_t k = 0; k < kinds.size(); ++k)
        both.push_back(median(column(false, 3 + k))),
            before.push_back(median(column(true, 3 + k)));
    figure
        .describe(
            "Bars of the loss at gaps by the kind of the hidden word, with the whole "
            "text and with the text before the gap.")
        .bars("reads both sides", kinds, both, {.color = figure::blue})
        .bars("reads what stands before", kinds, before, {.color = figure::ochre})
        .y("loss, nats")
        .save(
            "The loss at gaps in new text by the kind of the hidden word, medians of "
            "three trainings. *Both* are the words that are nouns or verbs.");
    std::vector<double> ratio, gap, ratio_before;
    for (std::size_t i = 0; i < column(false, 0).size(); ++i) {
        ratio.push_back(column(false, 0)[i] / column(false, 1)[i]);
        ratio_before.push_back(column(true, 0)[i] / column(true, 1)[i]);
        gap.push_back(column(true, 2)[i] - column(false, 2)[i]);
    }
    say("accuracy at gaps: {} with both sides, {} with the text before, {} for the "
        "most "
        "frequent word",
        book::brief(over_seeds(column(false, 0))),
        book::brief(over_seeds(column(true, 0))),
        book::brief(over_seeds(column(false, 1))));
    say("loss at gaps: {} with both sides, {} with the text before",
        book::brief(over_seeds(column(false, 2))),
        book::brief(over_seeds(column(true, 2))));
    claim("sys-bert/a",
          "accuracy at gaps of new text, divided by that of the most frequent word",
          over_seeds(ratio), ">=", 2);
    claim("", "loss at gaps: with the text before less with both sides",
          over_seeds(gap), ">", 0);
}
//-
// Always saying the most frequent word is right for one gap in seven. The network with both sides is right more than
// twice as often, and the network that reads only what stands before is between the two. {numref}`fig-kinds` shows where
// the difference comes from. For nouns it is small: the grammar draws each from ten, so even a perfect reader has a loss
// of $\log 10 = 2.3$. For *that*, adverbs, adjectives and verbs it is large. These words say how a sentence goes on, and
// the text behind the gap shows how it went on.
//
// One thing is not fair in this comparison. A GPT would learn from all 24 tokens of a window and not only from the chosen
// 15 %. So the causal network says what the missing half of the text costs, and not how good a GPT would be.
//
// ## Limits and history
//
// {cite:t}`devlin2019` trained BERT on 3.3 billion words of books and of Wikipedia. BERT had a second task: to say
// whether one segment follows the other. {cite:t}`liu2019` found that the results are as good without it. BERT does not
// write, because it never predicts a next token. Its outputs serve other tasks, and its parameters are
// [fine-tuned](../training/few_data.cpp) with a small head for each. Filling gaps is much older than BERT:
// {cite:t}`taylor1953` measured how readable a text is by the share of deleted words that readers restore, and called
// this the cloze procedure.
//
// Our network trained for less than ten seconds, and a longer training may well fill more gaps. Its grammar has no
// meaning: in real text a gap can be filled from knowledge about the world, too.
//
// ## Summary
//
// A masked language model hides tokens of a text and learns to restore them, so that it may read on both sides of each
// gap. BERT is a stack of blocks without a mask, with embeddings for tokens, positions and segments; the base model has
// 109,482,240 parameters. On a made-up grammar a small BERT fills more than twice as many gaps as the most frequent word
// does.
//
// ## What is missing
//
// To fill the gap after *that*, the network must know the number of the subject. Where does it look for it, and what do
// its vectors know about a word? [The next page](probing.cpp) looks inside.
//
// ```{try}
// - A longer training: `--steps 4000`. Which of the words in the first figure become surer, and which cannot?
// ```

void page() {
    const Filler filler = draw_gaps();
    counts();
    dependencies();
    compare();
    const Study::Row now = judge(filler);
    say("the network of the first figure: accuracy {:.3f}, loss {:.3f}", now[0],
        now[2]);
    claim("",
          "the network of the first figure: accuracy at gaps, divided by that of the "
          "most "
          "frequent word",
          now[0] / now[1], ">=", 2);
}
