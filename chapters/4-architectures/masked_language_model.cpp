// # BERT: a masked language model reads in both directions
//
// ```{rows} sys-bert
// ```
//
// *The old ? that likes a bird sings.* You guess the missing word from both sides: *old* stands before it, and *that* and *sings*
// say that it is a noun, and a single one. A GPT cannot do this, because it reads from left to right. **BERT** learns to read by
// filling such gaps. {numref}`fig-gap` shows a small one that has learned a made-up grammar. Move the slider: one word
// after another is hidden. Where is the network sure, and where can it only guess?
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
// No person has to label a text for this. Take any text and hide some of its words, and the text itself holds the answers.
// BERT {cite:p}`devlin2019` chooses 15 % of all tokens at random. Of the chosen tokens 80 % are replaced by a special
// token, `[MASK]`. Later texts contain no `[MASK]`, and the network should be useful there, too. So 10 % are replaced by a
// random word, and 10 % stay as they are. The network must guess the original at each chosen place and cannot rely on a
// word that it sees there:
//
// ```{excerpt} recto/nn/bert.cpp mask_tokens
// ```
//
// The loss counts the chosen places alone. Let $S$ be the set of these places, $x_t$ the token that stood at place $t$, and
// $\tilde x$ the text that the network reads. Then
//
// $$ \Loss = -\frac{1}{|S|} \sum_{t \in S} \log p(x_t \mid \tilde x) . $$
//
// Suppose that *dogs* and *sleep* are hidden in *the dogs sleep .*, and that the network gives *dogs* a probability of
// $\frac14$ and *sleep* one of $\frac12$. The loss is $(\log 4 + \log 2) / 2 = 1.04$. A GPT learns from every token of its
// text, and BERT from 15 % of them. This is the price of reading in both directions: a network that sees the whole text
// cannot be asked about a word that it sees.
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
// with tanh, reads the output there, for questions about a whole text. [The vision transformer](vision_transformer.cpp) has
// borrowed this token.
//
// The base model has 12 blocks of width $m = 768$ and a vocabulary of 30,522 tokens. A block has $12 m^2 + 13 m$
// parameters, which is 7,087,872. The embeddings have $(30{,}522 + 512 + 2 + 2)\, m$, with the normalisation, and the pooler
// has $m^2 + m$. The object has just as many:
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
// Does the output at each place depend on the whole text? [As for GPT](mini_gpt.cpp) we replace each token in turn and note
// which outputs change. {numref}`fig-both-ways` shows an untrained small BERT, and beside it the same network with a causal mask.
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
            .heatmap(causal ? "" : "largest change of an output", places, places,
                     std::vector<double>(seen.begin(), seen.end()), 0, 2)
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
// Our text comes from a small grammar with 48 words: *some old dogs that chase a cat walk . the king dreams today .* Verbs
// agree with their subjects, *that* begins a clause about the subject, and eight words such as *walks* are nouns in one place
// and verbs in another. The network has two blocks of width 32. This is its training:
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
double train(const Filler& filler, Index steps, Generator& random) {
    optim::AdamW adam(trained_parts(filler));
    double loss = 0;
    for (Index step = 0; step < steps; ++step) {
        const nn::MaskedTokens text = nn::mask_tokens(windows(32, random), mask,
                                                      {.last_word = words - 1}, random);
        const Gaps chosen = gaps(text);
        adam.options.lr =
            0.005 * std::min(double(step + 1) / 100, 1 - double(step) / double(steps));
        const Tensor now = optim::train_step(adam, [&] {
            return cross_entropy(filler.scores(text.read, chosen.at), chosen.wanted);
        });
        loss = double(now.item());
    }
    return loss;
}

// The comparison is a guess by frequency: always the most frequent word. We also train the same network with a causal mask,
// which reads only what stands before a gap. On new text all chosen words are hidden. Place your bet:
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
    train(filler, steps, random);
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

void page() {
    counts();
    dependencies();
    const Filler f = trained(false, 1, passes());
    for (double v : judge(f)) say("{}", v);
}
